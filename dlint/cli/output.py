"""The edge: all that the command prints goes through here."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from dlint.finding import Trouble
from dlint.reports.line import trouble_line
from dlint.reports.signs import data, visible


def make_streams_sound() -> None:
    """A stream that the caller has closed takes everything; one that cannot show a name still shows it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(sys.stderr, "buffer"):
        sys.stderr = _Heedless(sys.stderr)


class _Heedless(io.TextIOWrapper):
    """Standard error that takes everything: a complaint that cannot be written must cost no findings."""

    def __init__(self, stream: TextIO) -> None:
        encoding = stream.encoding
        super().__init__(stream.buffer, encoding, "backslashreplace", line_buffering=True, write_through=True)
        self._stream = stream  # which would close the file if nobody kept it

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            forget(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            forget(self)


def say(lines: Iterable[str]) -> None:
    """Print lines that are fit for a terminal: those of a report."""
    for line in lines:
        print(line)


def say_json(lines: Iterable[str]) -> None:
    """Print JSON, which is right in whatever encoding the reader has asked for."""
    for text in lines:
        print(data(text, sys.stdout.encoding))


def complain(text: str) -> None:
    """One line on standard error, whatever is in the text."""
    print(f"dlint: {visible(text)}", file=sys.stderr)


def complain_of(troubles: Iterable[Trouble]) -> None:
    """A line for each."""
    for trouble in troubles:
        complain(trouble_line(trouble))


def in_colour() -> bool:
    """Whether the user wants colours on standard output, by what is there and by the environment:
    https://no-color.org, https://force-color.org."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def forget(stream: TextIO) -> None:
    """What is written to the stream from now on, and what Python flushes at its end, fails no more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
