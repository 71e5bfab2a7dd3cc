"""One file: its bytes and text, its tree, where a word stands in it, and what its scopes bind.

Answers what can be read off one file alone, before any name is resolved.
"""
