"""Code that moves: a function to the top of its module, what a script does under its guard."""
