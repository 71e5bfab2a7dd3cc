"""``dlint workers``: what each DataLoader of a project is given, and what its workers execute.

``views`` are plain data; ``collect`` takes them from a program, ``describe`` says a value, ``tree`` the
calls; ``look`` does it for paths, and ``as_text`` draws it.
"""
