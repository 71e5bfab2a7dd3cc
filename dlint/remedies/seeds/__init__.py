"""Remedies of what workers draw: each worker a seed of its own."""
