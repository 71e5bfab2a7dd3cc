"""What crosses the fork: what the parent makes, ships and has read, and what protects its workers.

Answers on which side a thing is made, what workers get of it, and which way leads from a script to a loader.
"""
