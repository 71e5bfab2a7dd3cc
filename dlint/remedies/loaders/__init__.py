"""Remedies at a loader: its arguments, its sampler, its iterator."""
