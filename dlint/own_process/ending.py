"""Being ended by a signal: the command leaves nothing behind, whatever it was about.

The first signal becomes an exception, so that everything on the way out is put in order: processes, a
progress bar, the folders of proofs. What must not be cut in two is done inside :func:`whole`. A second signal
ends the process at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Ended(BaseException):
    """The user, or the system, wants this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """What the handler must know; signals are a matter of the whole process."""

    def __init__(self) -> None:
        self.number: int | None = None  # the signal that came
        self.within = 0  # how many `whole` are being done
        self.held_back = False  # whether the exception is still to be raised
        self.litter: set[Path] = set()  # files that are there only for a moment


_state = _State()


def heed_signals() -> None:
    """From now on a signal that would end this process raises Ended in it, once.

    One that is ignored (by ``nohup``, by a shell for what it runs in the background) stays ignored. Elsewhere
    than in the main thread nothing can be done, and nothing is.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    _state.number, _state.within, _state.held_back = None, 0, False
    for number in _ours():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _handle)
    sys.unraisablehook = _unraisable
    if hasattr(os, "register_at_fork"):
        # Who is forked is ended by the same signals, but has nothing to say and nothing to put in order.
        os.register_at_fork(after_in_child=unheed_signals)


def unheed_signals() -> None:
    """A signal ends this process, as if nothing had been arranged: also while Python takes itself apart,
    when an exception would be a traceback of Python's own."""
    for number in _ours():
        if signal.getsignal(number) is _handle:
            signal.signal(number, signal.SIG_DFL)
    _state.within, _state.held_back = 0, False
    _state.litter.clear()
    if _state.number is None:  # else what is taken apart last may still complain
        sys.unraisablehook = sys.__unraisablehook__


def came() -> int | None:
    """The signal that has come."""
    return _state.number


@contextlib.contextmanager
def whole() -> Iterator[Callable[[Path], None]]:
    """What is done within is done to its end before a signal is heeded.

    Gives a function that is told of a file that must not outlast this, not even after a second signal.
    """
    _state.within += 1
    try:
        yield _state.litter.add
    finally:
        _state.within -= 1
        if not _state.within:
            _state.litter.clear()
            if _state.held_back and _state.number is not None:
                _state.held_back = False
                raise Ended(_state.number)


def die(number: int) -> None:
    """End as the signal would have ended this process, so that a shell's loop ends as well."""
    if os.name == "posix":
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _ours() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


def _handle(number: int, _frame: FrameType | None) -> None:
    if _state.number is not None:
        _at_once(number)
    _state.number = number
    # Threads that look after processes (concurrent.futures) do not expect both sides to give up at once.
    threading.excepthook = _say_nothing
    _end_children()
    if _state.within:
        _state.held_back = True
    else:
        raise Ended(number)


def _at_once(number: int) -> None:
    for path in _state.litter:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    die(number)
    os._exit(128 + number)


def _end_children() -> None:
    """Processes of a pool are waited for: they must not go on with what nobody wants any more."""
    if "multiprocessing.process" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            with contextlib.suppress(Exception):
                child.terminate()


def _say_nothing(_what: threading.ExceptHookArgs) -> None:
    """What goes wrong in a thread of a process that is ended."""


def _unraisable(what: Any) -> None:
    """Python drops an exception that arises where none can be raised (in a ``__del__``): end all the same.

    What a library's generators say when they are left half-way on the way out is nobody's concern.
    """
    if isinstance(what.exc_value, Ended):
        _at_once(what.exc_value.number)
    if _state.number is None:
        sys.__unraisablehook__(what)
