"""What static analysis says of a project, asked by whoever has run something of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dlint.finding import Finding
from dlint.own_process.safe_path import LEAVE_OUT
from dlint.reports.signs import visible
from dlint.settings.settings import Settings


@cache
def findings_of(root: Path) -> Sequence[Finding]:
    """The findings in the project at a folder, by its settings; by none where those cannot be read, which is
    said on standard error. Remembered for as long as the process lives."""
    from dlint import engine

    return engine.check([root], settings_of(root)).findings


@cache
def findings_from_outside(root: Path) -> Sequence[Finding]:
    """The same, and those that a ``# noqa`` silences, for a process that has other things to do than to be
    dlint: another one looks, so that no memory is taken here and no collector is stopped. Nothing where it
    fails, which is said on standard error."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ASKED, str(root)],
            env={**os.environ, "PYTHONPATH": str(_PACKAGES)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        print(f"dlint: {visible(str(error))}", file=sys.stderr)
        return ()
    sys.stderr.write(done.stderr.decode(errors="replace"))
    if done.returncode:
        return ()
    found: Sequence[Finding] = pickle.loads(done.stdout)
    return found


def answer() -> None:
    """What the other process does: write the findings to standard output."""
    from dlint import engine

    root = Path(sys.argv[1])
    findings = engine.check([root], settings_of(root), suppress=False).findings
    sys.stdout.buffer.write(pickle.dumps(tuple(findings)))


_PACKAGES = Path(__file__).resolve().parents[2]  # where dlint is imported from
_ASKED = f"{LEAVE_OUT}; import dlint.trial.expected as it; it.answer()"


@cache
def settings_of(root: Path) -> Settings:
    """The settings of the project at a folder, the default ones where they cannot be read."""
    from dlint.rules import all_codes
    from dlint.settings import settings

    try:
        chosen = settings.for_run([root], {})
        if chosen.names_rules:
            settings.check_names(all_codes(), chosen)
    except settings.SettingsError as error:
        print(f"dlint: {visible(str(error))}", file=sys.stderr)
        return settings.for_run([root], {"isolated": True})
    return chosen


def is_ignored(code: str, path: Path) -> bool:
    """Whether the project of a file has chosen not to hear of a rule in it."""
    from dlint.project.files import project_root
    from dlint.rules import all_rules
    from dlint.settings.settings import enabled

    root = project_root(path)
    chosen = settings_of(root)
    on = enabled(all_rules().values(), chosen.at(path))
    return code not in on or code.startswith(chosen.ignored_in(path, root))


def is_silenced(code: str, path: Path, line: int) -> bool:
    """Whether a ``# noqa`` silences a rule at a line (from 1) of a file."""
    from dlint.source.noqa.noqa import unsuppressed

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return not unsuppressed(text, [Finding(code, "", "", str(path), line, 1, line, 1)])
