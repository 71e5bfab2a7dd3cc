"""``dlint try``: the user's own loader, run under the watchdog.

``probe`` runs in the user's processes and takes notes; ``trials`` has it run in every way; ``records`` are
the notes as data; ``checks``, one file each, say what is wrong; ``judging`` puts it together with what static
analysis says; ``reports`` tell it.
"""
