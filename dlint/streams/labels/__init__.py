"""Passes over datasets that use a part of each item alone: its label, or a shape."""
