"""A process that checks folders, or runs the command, as it is told in a line of JSON: python child.py

It lives long, so that thousands of small programs cost no start; its master ends it when it hangs. The hash
seed of its strings is the environment's. Memory has a limit that a runaway check meets before the machine's.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from dlint import cli, engine
from dlint.project import blocks
from dlint.settings.settings import Settings

_MOST_OUTPUT = 50_000_000
_USUAL_BLOCK = blocks._BLOCK_BYTES


def main() -> None:
    faulthandler.enable()
    limit = int(os.environ["FUZZ_MEMORY"])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing that is checked says anything on the channel of the answers
    for line in sys.stdin:
        request = json.loads(line)
        here = Path.cwd()
        os.chdir(request["folder"])
        try:
            answer = _command(request) if "arguments" in request else _answer(request)
        finally:
            os.chdir(here)
        gc.collect()  # what the check has left counts neither for the next one nor against it
        answers.write(json.dumps(answer, default=dict) + "\n")
        answers.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the check said, as data; or the traceback with which it ended."""
    blocks._BLOCK_BYTES = request["block_bytes"] or _USUAL_BLOCK
    _forget_peak()
    began = time.perf_counter()
    try:
        paths = [Path(each) for each in request["paths"]]
        report = engine.check(paths, Settings(), jobs=request["jobs"])
    except BaseException:
        told: dict[str, Any] = {"error": traceback.format_exc()[-4000:]}
    else:
        told = {
            "findings": report.findings,
            "troubles": report.troubles,
            "checked": report.checked,
        }
    return {**told, "seconds": time.perf_counter() - began, "megabytes": _peak()}


def _command(request: dict[str, Any]) -> dict[str, Any]:
    """What the command wrote and how it ended, run here as its own process would."""
    _forget_peak()
    told: dict[str, Any] = {"error": ""}
    before = [os.dup(number) for number in (1, 2)]
    sys.argv = ["dlint", *request["arguments"]]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        began = time.perf_counter()
        try:
            cli.main()
        except SystemExit as end:
            told["code"] = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            told["code"] = 1  # as Python itself ends
            traceback.print_exc()
        finally:
            gc.unfreeze()  # the command thought that it was the last thing to happen here
            sys.stdout.flush()
            sys.stderr.flush()
            for number, copy in zip((1, 2), before, strict=True):
                os.dup2(copy, number)
                os.close(copy)
        told["seconds"] = time.perf_counter() - began
        for name, stream in (("out", out), ("err", err)):
            stream.seek(0)
            told[name] = stream.read(_MOST_OUTPUT).decode("utf-8", "replace")
    return {**told, "megabytes": _peak()}


def _forget_peak() -> None:
    """The most memory counts from here on; where the system cannot, from the start of the process."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak() -> float:
    """The most memory since, of this process."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
