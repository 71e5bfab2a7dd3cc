"""A diagnosis for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from dlint.doctor import frames
from dlint.doctor.diagnosis import Diagnosis, Explained, role
from dlint.doctor.doing import Doing
from dlint.doctor.machine import Fact
from dlint.doctor.seen import Seen
from dlint.finding import Finding
from dlint.reports.closing import of
from dlint.reports.line import one_line, place
from dlint.reports.pages import address
from dlint.reports.signs import visible

_ARROW = " > "


def as_text(diagnosis: Diagnosis) -> Iterator[str]:
    """The lines of a report."""
    yield _headline(diagnosis)
    yield ""
    before: tuple[str, ...] = ()
    for process, doing in diagnosis.does:
        said = (role(process, diagnosis.job), doing.words, *_stack_of(process, doing))
        if said == before:
            yield f"  {_number(process)} {said[0]:<8} the same"
            continue
        before = said
        yield visible(f"  {_number(process)} {said[0]:<8} {doing.words}")
        for line in said[2:]:
            yield visible(f"  {'':>{len(_number(process))}} {'':<8} {line}")
    for each in diagnosis.causes:
        yield ""
        yield from _cause(each)
    if diagnosis.hints:
        yield ""
        yield "No rule of dlint looks like this. What to try:"
        yield from (f"  - {hint}" for hint in diagnosis.hints)


def _number(process: Seen) -> str:
    return f"{process.pid:>7}" if process.pid > 0 else f"{'-':>7}"


def _headline(diagnosis: Diagnosis) -> str:
    job = diagnosis.job
    main = job.main or (job.processes[0] if job.processes else None)
    name = f"Process {main.pid}" if main is not None and main.pid > 0 else "The program"
    command = f" ({main.command})" if main is not None and main.command else ""
    if diagnosis.state == "still":
        return visible(f"{name}{command} stands still: nothing moved in {job.window:.0f} s.")
    if diagnosis.state == "works":
        if diagnosis.causes:
            return visible(f"{name}{command} moves, and its workers stand still.")
        words = "works: it may be slow, or wait for data, but it does not hang."
        return visible(f"{name}{command} {words}{_slow(diagnosis)}")
    return visible(f"{name}{command}, at the moment of the dump:")


def _slow(diagnosis: Diagnosis) -> str:
    """Who waits for whom in a program that works."""
    main = next((what for process, what in diagnosis.does if process is diagnosis.job.main), None)
    if main is None or main.kind != "item" or not diagnosis.job.workers:
        return ""
    return " The main process waits for its workers: they are what is slow."


def _stack_of(process: Seen, doing: Doing) -> list[str]:
    if doing.kind in ("helper", "gone", "work") or not process.stack:
        return []
    inner = frames.in_worker_code(process.stack)
    return [_ARROW.join(frames.chain(inner or process.stack))]


def _cause(explained: Explained) -> Iterator[str]:
    from dlint.rules import all_rules

    cause, finding = explained.cause, explained.finding
    rule = all_rules()[cause.code]
    yield visible(f"{cause.code} {rule.name}, {'surely' if cause.sure else 'probably'}: {cause.why}.")
    if cause.place is not None:
        who = ", ".join(str(process.pid) for process in cause.processes if process.pid > 0)
        where = f"{cause.place.file}:{cause.place.line} in {cause.place.function}"
        yield visible(f"  at     {where}{f' (process {who})' if who else ''}")
    if finding is not None:
        yield visible(f"  check  {place(finding)}: {finding.level}: {one_line(finding)}")
    yield visible(f"  cure   {cause.cure}")
    yield f"  more   dlint rule {cause.code}, {address(cause.code, rule.name)}"


def as_data(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain values, for JSON."""
    from dlint.rules import all_rules

    return {
        "state": diagnosis.state,
        "seconds": round(diagnosis.job.window, 3),
        "hangs": diagnosis.hangs,
        "processes": [
            {
                "pid": process.pid,
                "parent": process.parent,
                "role": role(process, diagnosis.job),
                "command": process.command,
                "state": process.state,
                "processor_seconds": process.used,
                "does": doing.kind,
                "words": doing.words,
                "threads": [
                    {
                        "name": thread.title,
                        "frames": [
                            {"function": frame.function, "file": frame.file, "line": frame.line}
                            for frame in thread.frames
                        ],
                    }
                    for thread in process.threads
                ],
            }
            for process, doing in diagnosis.does
        ],
        "causes": [
            {
                "code": each.cause.code,
                "name": all_rules()[each.cause.code].name,
                "sure": each.cause.sure,
                "why": each.cause.why,
                "cure": each.cause.cure,
                "processes": [process.pid for process in each.cause.processes],
                "path": each.cause.place.file if each.cause.place else None,
                "line": each.cause.place.line if each.cause.place else None,
                "function": each.cause.place.function if each.cause.place else None,
                "finding": None
                if each.finding is None
                else {
                    "path": each.finding.path,
                    "cell": each.finding.cell,
                    "line": each.finding.line,
                    "column": each.finding.column,
                    "level": each.finding.level,
                    "message": each.finding.message,
                },
            }
            for each in diagnosis.causes
        ],
        "hints": list(diagnosis.hints),
    }


def machine_as_text(facts: Sequence[Fact], here: Sequence[Finding], all_findings: int) -> Iterator[str]:
    """The facts about a machine, and the findings of a project that happen on it as it is."""
    width = max(len(fact.name) for fact in facts)
    for fact in facts:
        yield visible(f"{'!' if fact.warns else ' '} {fact.name:<{width}}  {fact.value}")
        if fact.means:
            codes = f" ({', '.join(fact.codes)})" if fact.codes else ""
            yield visible(f"  {'':<{width}}  {fact.means}{codes}")
    yield ""
    if not all_findings:
        yield "No findings in the project here."
        return
    count = of(all_findings, "finding")
    yield f"Of {count} in the project here, {len(here)} happen on this machine as it is:"
    yield from (visible(f"  {place(finding)}: {one_line(finding)}") for finding in here)


def machine_as_data(facts: Sequence[Fact], here: Sequence[Finding]) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    return {
        "facts": [{**asdict(fact), "codes": list(fact.codes)} for fact in facts],
        "findings": [
            {
                "code": finding.code,
                "path": finding.path,
                "cell": finding.cell,
                "line": finding.line,
                "column": finding.column,
                "message": finding.message,
            }
            for finding in here
        ],
    }
