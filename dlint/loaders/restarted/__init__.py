"""Loaders that are started again: by whom, and whether each time is the same."""
