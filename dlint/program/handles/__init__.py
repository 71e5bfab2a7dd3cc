"""Handles of datasets that others than the dataset open or close, or that it opens outside workers."""
