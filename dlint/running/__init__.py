"""Other programs, run, asked and seen from outside: processes and their stacks, git's objects."""
