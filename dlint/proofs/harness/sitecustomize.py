"""Put first on the path of every program that a proof runs, so in its worker processes too.

It gives the program the start method that the proof asks for, the way the platform would (a program may
still choose its own), and the usual limit of open files, and lets the watchdog ask for the stacks with a
signal.
"""

import faulthandler
import os
import resource
import signal

# What shells and services have where nobody says otherwise; machines for many programs often have more.
_OPEN_FILES = 1024


def _set_up() -> None:
    stacks = os.environ.get("DLINT_RUN_STACKS")
    if stacks is None:
        return
    # One file for the whole tree: a forked child writes to the descriptor that it inherited, and the
    # watchdog asks one process at a time.
    descriptor = os.open(stacks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    faulthandler.register(signal.SIGUSR2, file=descriptor, all_threads=True)
    faulthandler.enable()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft > _OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, hard))
    method = os.environ.get("DLINT_PROOF_START_METHOD")
    if method:
        import multiprocessing.context as context

        # set_start_method() would forbid the program to choose; the default is what a platform sets.
        context._default_context._default_context = context._default_context.get_context(method)  # type: ignore[attr-defined]


_set_up()
