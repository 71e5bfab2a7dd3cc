"""Runs programs one after another, each in a fork of this process, which has imported torch for all of them.

The paths of the programs are a list (JSON) in the environment. For each program that has ended it prints a
line of JSON: its path as given, its exit status (negative for a signal), how long it took in seconds, and what
it wrote. A program sees itself as ``__main__``, in its own folder; only the time of the imports is saved.
"""

import json
import os
import sys
import tempfile
import time
import types
from pathlib import Path

import torch.utils.data  # noqa: F401

KEPT = 5_000  # bytes of each stream, its end; the watchdog keeps 200,000 of all


def next_to_run(programs: list[str]) -> Path | None:
    """In each fork, the program that it is to run; None in the parent, once all have ended."""
    for program in programs:
        path = Path(program).resolve()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begin = time.monotonic()
            child = os.fork()
            if child == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                return path
            _, status = os.waitpid(child, 0)
            told = {
                "program": program,
                "status": os.waitstatus_to_exitcode(status),
                "seconds": time.monotonic() - begin,
            }
            for name, file in (("stdout", out), ("stderr", err)):
                file.seek(0)
                told[name] = file.read()[-KEPT:].decode(errors="replace")
            print(json.dumps(told), flush=True)
    return None


mine = next_to_run(json.loads(os.environ["DLINT_TEST_PROGRAMS"]))
if mine is not None:
    os.chdir(mine.parent)
    sys.argv = [mine.name]
    sys.path[0] = str(mine.parent)
    module = types.ModuleType("__main__")
    module.__file__ = str(mine)
    sys.modules["__main__"] = module
    # At the top level, so that the program ends as the interpreter does.
    exec(compile(mine.read_bytes(), str(mine), "exec"), module.__dict__)
