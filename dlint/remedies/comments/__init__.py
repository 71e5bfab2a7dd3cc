"""Remedies of what comments say to dlint."""
