"""Functions that a command line calls, with what the user may ask of it, and the objects that call them."""
