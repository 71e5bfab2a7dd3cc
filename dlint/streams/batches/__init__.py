"""Batches: what a loop over them keeps, and what of that has their memory."""
