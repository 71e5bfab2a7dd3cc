"""What findings say that the user must ask for: the options, off by default, that they hang on."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import answer_of, cases, check, files_of

_CASES = cases("asked_for")


@pytest.mark.parametrize("title", _CASES, ids=list(_CASES))
def test_a_finding_names_the_option_that_it_hangs_on(title: str, tmp_path: Path) -> None:
    code, _, _ = title.partition(":")
    text, (condition,) = answer_of(_CASES[title])
    found = check(tmp_path, files_of(text), code, target_torch="1.8").findings
    assert {finding.condition or "nothing" for finding in found} == {condition.strip()}
