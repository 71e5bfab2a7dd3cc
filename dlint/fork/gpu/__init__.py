"""The GPU on both sides of a fork: what is put there, and whether the parent has used it."""
