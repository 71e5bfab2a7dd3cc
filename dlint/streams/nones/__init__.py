"""Nones: where the items of a dataset may be None, or have one in them."""
