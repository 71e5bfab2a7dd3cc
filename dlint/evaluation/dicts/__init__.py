"""Dicts under their keys: what there is, and what functions that are handed one put there."""
