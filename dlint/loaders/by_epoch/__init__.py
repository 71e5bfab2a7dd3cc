"""The epochs that a loader is gone through: the loop over them, and who tells samplers their number."""
