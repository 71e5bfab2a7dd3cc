"""Calls that do not write a function's name before the parenthesis: of what a variable, a dict, an attribute
or another function gives, by what starts it, and by its name as a text."""
