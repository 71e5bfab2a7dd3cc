"""A program as rules ask about it: one face for all that the packages below find out."""
