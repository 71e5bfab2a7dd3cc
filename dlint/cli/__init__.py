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

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a name still shows it
    try:
        code = dlint.main(standalone_mode=False)
        sys.stdout.flush()
    except ClickException as error:
        error.show()
        code = FAILED
    except (Abort, KeyboardInterrupt):
        print("dlint: interrupted", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:
        # Who reads us has left, as `head` does. What Python flushes at its end must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FINDINGS
    # Python's end looks for garbage in all there is, which takes as long as the check: there is nothing left
    # to gain from it.
    gc.freeze()
    sys.exit(code if isinstance(code, int) else CLEAN)
