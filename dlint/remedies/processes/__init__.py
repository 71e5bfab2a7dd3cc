"""Remedies of what does not cross to another process: threads, pools, handles, callables, scripts."""
