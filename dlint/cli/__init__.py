"""The command ``dlint``. Each subcommand is one module, imported only when it is called."""

from __future__ import annotations

import gc
import os
import sys

from dlint.name_clash import problem

CLEAN, FINDINGS, FAILED = 0, 1, 2
INTERRUPTED = 130


def main() -> None:
    """Run the command and leave the process with its exit code."""
    wrong = problem()
    if wrong:
        print(f"dlint: {wrong}", file=sys.stderr)
        sys.exit(FAILED)
    from click import Abort, ClickException

    from dlint.cli.group import dlint

    _make_streams_sound()
    try:
        code = dlint.main(standalone_mode=False)
        sys.stdout.flush()
    except ClickException as error:
        error.show()
        code = FAILED
    except (Abort, KeyboardInterrupt):
        print("dlint: interrupted", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:  # who reads us has left, as `head` does
        _forget_output()
        code = FINDINGS
    except OSError as error:  # the engine sees to the files it reads: this is the output, on a full disk
        where = f"{error.filename}: " if error.filename else ""
        print(f"dlint: {where}{error.strerror or error}", file=sys.stderr)
        _forget_output()
        code = FAILED
    # Python's end looks for garbage in all there is, which takes as long as the check: there is nothing left
    # to gain from it.
    gc.freeze()
    sys.exit(code if isinstance(code, int) else CLEAN)


def _make_streams_sound() -> None:
    """A stream that the caller has closed takes everything; one that cannot show a name still shows it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """What Python flushes at its end must not complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
