"""What runs in the user's own process and in its workers: it watches, and changes nothing that they do.

Nothing here imports more than Python's library and, where the program has loaded it anyway, torch. What is
seen is written down at once (``notes``), so that it is there when the process is killed.
"""
