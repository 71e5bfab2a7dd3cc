"""Lists in an order of chance: what shuffles them, and whether workers do it unlike each other."""
