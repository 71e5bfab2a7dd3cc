"""Where in the user's code something happens: as plain values, for notes."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib(64)?[/\\]python\d(\.\d+)?[/\\]|^<")
# Compiled code has its source as it was where it was built: numpy/random/mtrand.pyx.
_COMPILED = re.compile(r"^(?![A-Za-z]:)[^/\\].*\.(pyx|pxd|pxi)$")
_DLINT = str(Path(__file__).resolve().parents[2]) + "/"
_MOST = 40  # frames of one traceback

# A file, a line in it (from 1), and the function around it.
Place = tuple[str, int, str]


def is_own(file: str) -> bool:
    """Whether a file is the user's: not Python's, an installed package's or dlint's."""
    return not _INSTALLED.search(file) and not _COMPILED.search(file) and not file.startswith(_DLINT)


def here(depth: int = 1) -> Place | None:
    """The innermost line of the user's code that has called this, None where there is none."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if frame.f_code.co_name == "_worker_loop":  # what a forked worker has below that is its parent's
            return None
        if is_own(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno, name_of(frame.f_code)
        frame = frame.f_back
    return None


def name_of(code: CodeType) -> str:
    """What the function is called, with its class where Python (from 3.11) knows it."""
    return str(getattr(code, "co_qualname", code.co_name))


def of_error(error: BaseException) -> dict[str, Any]:
    """What was raised, and the lines that it came through, outermost first."""
    stack = error.__traceback__
    return {"type": type(error).__name__, "message": _message(error), "frames": frames(stack)}


def frames(stack: TracebackType | None) -> list[Place]:
    """The lines of a traceback, outermost first."""
    found: list[Place] = []
    for frame, line in traceback.walk_tb(stack):
        found.append((frame.f_code.co_filename, line, name_of(frame.f_code)))
    return found[-_MOST:]


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a user's class may do anything
        return ""
