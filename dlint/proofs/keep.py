"""Leaves programs and what they did in a folder, for reading."""

from __future__ import annotations

import shutil
from pathlib import Path

from dlint.proofs.run import Run
from dlint.running.runner import Result


def keep(folder: Path, run: Run, result: Result) -> None:
    """Copy the proof's programs into ``folder`` and write a log beside them. Raises OSError."""
    home = folder / run.proof.folder.name
    shutil.copytree(run.proof.folder, home, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    logs = home / "logs"
    logs.mkdir(exist_ok=True)
    name = f"{run.proof.name} {run.program.removesuffix('.py')} {run.method}"
    log = logs / f"{''.join(letter if letter.isalnum() else '-' for letter in name)}.txt"
    log.write_text(_log(run, result), encoding="utf-8")


def _log(run: Run, result: Result) -> str:
    lines = [
        f"{run.program} under {run.method}: {result.end} after {result.seconds:.1f} s",
        f"exit status: {result.status}",
        "",
        "standard output:",
        result.stdout.rstrip(),
        "",
        "standard error:",
        result.stderr.rstrip(),
    ]
    for process in result.stacks:
        lines += ["", f"process {process.pid} ({process.role}): {process.command}"]
        for thread in process.threads:
            lines.append(f"  {thread.title}, innermost call first:")
            lines += [f"    {frame}" for frame in thread.frames]
    return "\n".join(lines) + "\n"
