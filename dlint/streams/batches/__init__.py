"""Batches: what a loop over them keeps from round to round, and whether that is a tensor."""
