"""How bad a claim's hazard is for its own program, as ``dlint check`` says: the level, and its condition."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dlint.engine import check
from dlint.finding import LEVELS
from dlint.proofs.proof import Fixture, Proof
from dlint.settings.settings import Settings


def levels(fixtures: Iterable[Fixture]) -> dict[tuple[str, str], str]:
    """The words for each claim, by code and name: ``error`` or ``warning, if torch is older than 1.9``; empty
    where the rule says nothing of the program."""
    return {
        (proof.code, proof.name): _level(fixture, proof) for fixture in fixtures for proof in fixture.proofs
    }


def _level(fixture: Fixture, proof: Proof) -> str:
    program = Path(proof.bad).parts[0]
    with tempfile.TemporaryDirectory(prefix="dlint-") as folder:
        # A project of its own: what lies beside it in the fixture has nothing to say.
        copy = Path(folder) / program
        if (fixture.folder / program).is_dir():
            shutil.copytree(fixture.folder / program, copy)
        else:
            shutil.copy(fixture.folder / program, copy)
        (Path(folder) / "pyproject.toml").touch()
        chosen: dict[str, Any] = {**fixture.check, "select": (fixture.code,)}
        findings = check([copy], Settings(**chosen)).findings
    worst = min((LEVELS.index(finding.level) for finding in findings), default=0)
    said = [
        finding.level + (f", if {finding.condition}" if finding.condition else "")
        for finding in findings
        if finding.level == LEVELS[worst]
    ]
    return "; ".join(dict.fromkeys(said))
