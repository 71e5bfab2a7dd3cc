"""Stacks that somebody has written down: the text or JSON of py-spy, gdb's, faulthandler's, a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from dlint.doctor.attach import threads_from_json
from dlint.doctor.seen import Job, Seen
from dlint.running.stacks import Frame, Thread

_PROCESS = re.compile(r"^\s*Process (?P<pid>\d+): (?P<command>.*)$")
_THREAD = re.compile(
    r'^\s*Thread (?:(?P<id>0x[0-9a-fA-F]+|\d+)(?: \([^)]*\))?|\([^)]*\))(?:: "(?P<name>[^"]*)")?\s*$'
)
# What gdb's `info threads` says of one: the innermost frame.
_GDB_INFO = re.compile(
    r"^\*?\s*\d+\s+Thread 0x[0-9a-f]+ \(LWP (?P<id>\d+)\)(?: \"[^\"]*\")?\s+(?P<frame>\S.*)$"
)
# gdb's py-bt, in both of its shapes.
_PY_BT = re.compile(
    r"^#\d+ (?:<?Frame 0x[0-9a-f]+, for file|file) (?P<file>.+?), line (?P<line>\d+), in (?P<function>\S+)"
)
# A frame of gdb that goes on in the next line.
_GDB_BEGUN = re.compile(r"^#\d+\s")
_GDB_PLACE = re.compile(r"^\s+(?:at|from) ")
_FRAME = re.compile(r"^\s+(?P<function>\S.*?) \((?P<file>[^()]*?)(?::(?P<line>\d+))?\)\s*$")
_GDB_THREAD = re.compile(r"^Thread (?P<number>\d+) \((?:Thread 0x[0-9a-f]+ )?\(?LWP (?P<id>\d+)\)?.*\):?")
_GDB_PROCESS = re.compile(
    r"^(?:Attaching to process|\[?Attaching to.*process) (?P<pid>\d+)|^\(gdb\) attach (?P<again>\d+)"
)
_GDB_FRAME = re.compile(
    r"^#\d+\s+(?:0x[0-9a-f]+ in )?(?P<function>[^\s(].*?) \(.*?"
    r"(?:\) at (?P<file>\S+?):(?P<line>\d+)|\) from (?P<library>\S+)|\)?)\s*$"
)
_FILE = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:,)? in (?P<function>\S.*?)\s*$')
_FAULT_THREAD = re.compile(r"^(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):")
_NOISE = re.compile(r"^\s*(\[[^\]]*\]:?\s*)?(\|\s?|>\s?)*")


class NoStacks(Exception):
    """There is no stack in the text."""


def read(text: str) -> Job:
    """The job that a dump shows. Raises NoStacks."""
    processes = list(_from_json(text) or _from_text(text))
    if not any(thread.frames for process in processes for thread in process.threads):
        raise NoStacks(
            "no stack of py-spy, gdb, faulthandler or a Python traceback is in it; "
            "`py-spy dump --pid PID > FILE` writes one"
        )
    native = any(
        not frame.line for process in processes for thread in process.threads for frame in thread.frames
    )
    return Job(tuple(processes), 0.0, False, native)


def _from_json(text: str) -> list[Seen]:
    """One process a document of ``py-spy dump --json``."""
    found: list[Seen] = []
    decoder = json.JSONDecoder()
    at = 0
    while (begin := text.find("[", at)) >= 0 and not text[at:begin].strip():
        try:
            told, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return []
        if not isinstance(told, list):
            return []
        threads = threads_from_json(told)
        pid = next(
            (each["pid"] for each in told if isinstance(each, dict) and isinstance(each.get("pid"), int)),
            len(found),
        )
        found.append(Seen(pid, threads=threads))
    return found


class _Reader:
    """What has been read so far."""

    def __init__(self) -> None:
        self.processes: list[tuple[int, str, list[tuple[str, list[Frame]]]]] = []
        self.backwards = True  # as traceback.format_stack has it, which says nothing of the order

    def process(self, pid: int, command: str) -> None:
        self.processes.append((pid, command, []))

    def thread(self, title: str) -> None:
        if not self.processes:
            self.process(0, "")
        self.processes[-1][2].append((title, []))

    def frame(self, frame: Frame) -> None:
        if not self.processes or not self.processes[-1][2]:
            self.thread("MainThread")
        frames = self.processes[-1][2][-1][1]
        if self.backwards:
            frames.insert(0, frame)
        else:
            frames.append(frame)


def _gdb(match: re.Match[str]) -> Frame:
    return Frame(match["file"] or match["library"] or "", 0, match["function"].partition("@")[0])


def _whole_lines(text: str) -> Iterator[str]:
    """The lines, with what gdb has put into the next one."""
    held: str | None = None
    for raw in text.splitlines():
        line = raw.rstrip()
        if held is not None and _GDB_PLACE.match(line):
            held = f"{held} {line.strip()}"
            continue
        if held is not None:
            yield held
        held = line if _GDB_BEGUN.match(line) else None
        if held is None:
            yield line
    if held is not None:
        yield held


def _from_text(text: str) -> Iterator[Seen]:
    reader = _Reader()
    number = 0
    for line in _whole_lines(text):
        if match := _PROCESS.match(line):
            reader.process(int(match["pid"]), match["command"])
            reader.backwards = False
        elif match := _GDB_PROCESS.match(line):
            reader.process(int(match["pid"] or match["again"]), "")
        elif match := _GDB_INFO.match(line):
            reader.thread(f"Thread {match['id']}")
            reader.backwards = False
            if frame := _GDB_FRAME.match(f"#0 {match['frame']}"):
                reader.frame(_gdb(frame))
        elif match := _PY_BT.match(line):
            reader.backwards = False
            reader.frame(Frame(match["file"], int(match["line"]), match["function"]))
        elif match := _GDB_THREAD.match(line):
            reader.backwards = False
            # gdb's first is the one that the process began with.
            reader.thread("MainThread" if match["number"] == "1" else f"Thread {match['id']}")
        elif _FAULT_THREAD.match(line):
            reader.backwards = False
            reader.thread(line.split(" (most")[0])
        elif "Traceback (most recent call last)" in line or "Traceback (most recent call first)" in line:
            number += 1
            reader.process(-number, "")
            reader.thread("MainThread")
            reader.backwards = "last)" in line
        elif match := _THREAD.match(line):
            reader.backwards = False
            reader.thread(match["name"] or f"Thread {match['id']}")
        elif match := _FILE.match(_NOISE.sub("", line)):
            reader.frame(Frame(match["file"], int(match["line"]), match["function"].removesuffix("()")))
        elif match := _GDB_FRAME.match(line):
            reader.frame(_gdb(match))
        elif match := _FRAME.match(line):
            reader.frame(Frame(match["file"], int(match["line"] or 0), match["function"].partition("@@")[0]))
    for pid, command, threads in reader.processes:
        found = tuple(Thread(title, tuple(frames)) for title, frames in threads if frames)
        if found:
            yield Seen(pid, command, threads=found)
