"""``dlint doctor``: why a training job stands still, from the stacks of its processes.

``attach`` and ``dumps`` give a :class:`~dlint.doctor.seen.Job`; ``doing`` says what each process does;
``causes``, one file a rule, say what it is; ``places`` looks up what static analysis finds there; ``report``
says it all.
"""
