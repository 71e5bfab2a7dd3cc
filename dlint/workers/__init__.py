"""Worker code: what a worker process executes for a loader, followed call by call from its entries.

Answers which library calls a worker comes to (events), how it gets there (reach), and how often.
"""
