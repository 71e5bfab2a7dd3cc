"""Where what each process makes is kept: a class, a module, a list, an object that is given it."""
