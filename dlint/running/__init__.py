"""Processes that run, seen from outside: what the system tells of them, and their stacks."""
