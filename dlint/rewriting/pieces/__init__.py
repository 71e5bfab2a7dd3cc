"""Pieces of code that remedies put in, take out and lay out: arguments, imports, statements, lines."""
