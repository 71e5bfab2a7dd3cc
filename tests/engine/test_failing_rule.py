"""A fault in one rule is told in one line, and the other rules are heard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import engine, rules
from dlint.rules.rule import Found
from dlint.settings.settings import Settings

PROGRAM = """\
from torch.utils.data import DataLoader, DistributedSampler

def load(dataset):
    return DataLoader(dataset, sampler=DistributedSampler(dataset), shuffle=True)
"""


def test_the_other_rules_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(program: object) -> Iterator[Found]:
        raise ZeroDivisionError("a fault")

    monkeypatch.delenv("DLINT_TRACEBACK", raising=False)
    broken = {**rules.all_rules(), "DL302": rules.all_rules()["DL302"]._replace(check=fails)}
    monkeypatch.setattr(rules, "all_rules", lambda: broken)
    file = tmp_path / "load.py"
    file.write_text(PROGRAM)

    report = engine.check([file], Settings())

    assert [finding.code for finding in report.findings] == ["DL301"]
    (trouble,) = report.troubles
    assert "DL302 failed here" in trouble.message
    assert "ZeroDivisionError: a fault" in trouble.message


def test_faults_of_one_file_stand_in_one_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(program: object) -> Iterator[Found]:
        raise ZeroDivisionError("a fault")

    monkeypatch.delenv("DLINT_TRACEBACK", raising=False)
    broken = {code: rule._replace(check=fails) for code, rule in rules.all_rules().items()}
    monkeypatch.setattr(rules, "all_rules", lambda: broken)
    file = tmp_path / "load.py"
    file.write_text(PROGRAM)

    told = [trouble.message[:5] for trouble in engine.check([file], Settings()).troubles]

    assert len(told) > 20
    assert told == sorted(told)
