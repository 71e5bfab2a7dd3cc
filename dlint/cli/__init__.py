"""The command ``dlint``. Each subcommand is one module, imported only when it is called."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from dlint.own_process.ending import Ended, came, die, heed_signals, unheed_signals
from dlint.own_process.fault import described, wants_traceback

if TYPE_CHECKING:
    from click import ClickException

CLEAN, FINDINGS, FAILED = 0, 1, 2
# So many new objects at least before Python searches them for garbage: what an import makes is none, and with
# Python's own 700 two dozen searches go through that before the first file is read.
_SEARCHED = 20_000


def main() -> None:
    """Run the command and leave the process with its exit code, or by the signal that ended it."""
    gc.set_threshold(_SEARCHED)
    heed_signals()
    try:
        code = _run()
        unheed_signals()
    except Ended:
        unheed_signals()
        code = FAILED
    number = came()  # also one that came where it could only be noted
    if number is not None:
        _say_goodbye(number)
        die(number)
        code = 128 + number
    # Python's end looks for garbage in all there is, which takes as long as the check: there is nothing left
    # to gain from it.
    gc.freeze()
    sys.exit(code)


def _run() -> int:
    """The exit code, whatever happens except for a signal."""
    try:
        from dlint.cli.output import make_streams_sound

        make_streams_sound()
        code = _command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who reads us has left, as `head` does
        _forget_output()
        return FINDINGS
    except OSError as error:  # the engine sees to the files it reads: this is the output, on a full disk
        _show_traceback()
        fault = f"{error.filename}: " if error.filename else ""
        fault += error.strerror or str(error)
        _forget_output()
    except Exception as error:
        if came() is not None:  # Python puts the end in words of its own while a class is made
            return FAILED
        _show_traceback()
        fault = described(error)  # a fault of dlint's own
    from dlint.cli.output import complain

    complain(fault)
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()
    return FAILED


def _command() -> int:
    from dlint.cli.output import complain
    from dlint.own_process.name_clash import problem

    wrong = problem()
    if wrong:
        complain(wrong)
        return FAILED
    from click import ClickException

    from dlint.cli.group import dlint

    try:
        code = dlint.main(standalone_mode=False)
    except ClickException as error:
        _show(error)
        return FAILED
    except SystemExit as end:
        code = end.code
    return code if isinstance(code, int) else CLEAN


def _show(error: ClickException) -> None:
    """What the user did wrong; click's own way would print his words raw."""
    from click import UsageError

    from dlint.cli.output import complain
    from dlint.reports.signs import visible

    if not isinstance(error, UsageError):
        complain(error.format_message())
        return
    if error.ctx is not None:
        print(error.ctx.get_usage(), file=sys.stderr)
        print(f"Try '{error.ctx.command_path} --help' for help.\n", file=sys.stderr)
    print(f"Error: {visible(error.format_message())}", file=sys.stderr)


def _show_traceback() -> None:
    """All there is to know of the error, for those who have asked for it."""
    if wants_traceback():
        import traceback

        traceback.print_exc()


def _say_goodbye(number: int) -> None:
    from signal import SIGINT, Signals

    from dlint.cli.output import complain

    with suppress(OSError):  # the terminal may have gone, and the streams not yet be sound
        complain("interrupted" if number == SIGINT else f"ended by {Signals(number).name}")


def _forget_output() -> None:
    from dlint.cli.output import forget

    forget(sys.stdout)
