"""Every rule fires on the lines that the fixtures say, and nowhere else in any of their programs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dlint.engine import check
from dlint.finding import Finding
from dlint.proofs.proof import Fixture
from dlint.rules import all_rules
from dlint.settings.settings import Settings

from .fixtures import Program, fixtures, programs

CASES = [(fixture, program) for fixture in fixtures().values() for program in programs(fixture)]


def settings_of(fixture: Fixture) -> Settings:
    """All rules that are on by default and the fixture's own: an opinion is asked for where it is due."""
    codes = tuple(
        rule.code for rule in all_rules().values() if rule.on_by_default or rule.code == fixture.code
    )
    chosen: dict[str, Any] = dict(fixture.check)
    return Settings(select=codes, **chosen)


def findings(
    program: Program, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Finding, ...]:
    """What the engine finds in a program that is a project of its own."""
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    copy = tmp_path / program.path.name
    if program.path.is_dir():
        shutil.copytree(program.path, copy)
    else:
        shutil.copy(program.path, copy)
    monkeypatch.chdir(tmp_path)
    report = check([Path(program.path.name)], settings)
    assert not report.troubles
    return report.findings


@pytest.mark.parametrize(("fixture", "program"), CASES, ids=[str(program) for _, program in CASES])
def test_findings(
    fixture: Fixture, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings(program, settings_of(fixture), tmp_path, monkeypatch)
    assert {(each.path, each.line, each.code) for each in found} == program.expected()
    for finding in found:
        _check_words(finding)


def _check_words(finding: Finding) -> None:
    """A short first clause, the condition, a cure; a level that the rule's page speaks of."""
    what, _, rest = finding.message.partition(f", if {finding.condition}" if finding.condition else ";")
    assert len(what) <= 120, what
    assert rest.strip("; ")
    assert "\n" not in finding.message
    levels = all_rules()[finding.code].levels
    # What happens as it stands may happen under a condition, too.
    told = {("error" if level == "warning" else level, effect) for level, effect in levels}
    assert (finding.level, finding.effect) in levels or ("error", finding.effect) in told


@pytest.mark.parametrize(("fixture", "program"), CASES, ids=[str(program) for _, program in CASES])
def test_what_a_program_is_for(fixture: Fixture, program: Program) -> None:
    codes = {code for _, _, code in program.expected()}
    if program.kind == "bad":
        assert fixture.code in codes
    elif program.kind in ("fixed", "near"):
        assert not codes
