"""Keeps the tree that is checked off the path from which Python imports: a file of it must never run.

Python puts the working directory first on the path of `python -m` and `python -c`, so that a `random.py` of
the tree comes before the standard library's. Where it can, `python -P` (3.11 on) is the way to call a module;
what is here is for processes that dlint did not start itself.
"""

from __future__ import annotations

import os
import sys

# What `python -c` must do first: the empty entry of its path stands for the working directory.
LEAVE_OUT = "import sys; sys.path[:] = filter(None, sys.path)"


def leave_tree_out() -> None:
    """Takes the working directory off this process's path, where `python -m` has put it first."""
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib is one of the modules that a tree may have
    except OSError:
        here = ""
    if sys.path and sys.path[0] in ("", here) and not getattr(sys.flags, "safe_path", False):
        del sys.path[0]


def leave_tree_out_of_children() -> None:
    """Has the processes that another program's pool starts afresh leave the working directory out.

    They are `python -c`, and read this variable from Python 3.11 on; older ones know no way.
    """
    if not os.environ.get("PYTHONSAFEPATH"):  # empty, it says nothing
        os.environ["PYTHONSAFEPATH"] = "1"
