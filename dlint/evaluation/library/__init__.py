"""Calls of builtins and of libraries, and what the objects keep that these make."""
