"""Grep first, parse later: which files mention a word, and as what."""
