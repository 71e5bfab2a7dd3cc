"""Patterns of paths, as git understands them: the lines of ignore files, and the user's ``exclude``."""
