"""Whether what is gone through comes to an end, here or where an object, a module or a function keeps it."""
