"""Handles that are kept under keys, and whether the parent has filled what keeps them; parts of handles."""
