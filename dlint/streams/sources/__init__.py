"""Sources: what an iteration reads, followed from what a dataset gives back to where it is read."""
