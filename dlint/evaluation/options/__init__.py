"""Options of command lines and settings: what they are called, and what they are where nobody asks."""
