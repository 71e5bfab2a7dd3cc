"""What code elsewhere does to an object or a module: stores in its attributes, adds to its lists."""
