"""Classes of the program and their objects: bases, members, and what the attributes hold.

Answers what ``base.name`` is, by how the object was made and by who stores into it.
"""
