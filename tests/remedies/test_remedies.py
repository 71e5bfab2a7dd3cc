"""Every remedy in the surroundings that real code has."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from dlint.remedies import all_remedies
from dlint.repair import check_text
from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, cases, performed, repaired

_ALL = cases()


@pytest.mark.parametrize("case", _ALL, ids=lambda case: f"{case.remedy}: {case.title}")
def test_remedy(case: Case) -> None:
    if case.after is None:
        with pytest.raises(CannotRepair) as refused:
            repaired(case)
        assert case.reason in str(refused.value)
        return
    after, dropped = performed(case)
    assert after == case.after
    if "@@ " not in case.before:
        check_text(case.before.encode(), after.encode(), dropped)


def test_every_remedy_is_tried_in_ten_surroundings() -> None:
    counts = Counter(case.remedy for case in _ALL if case.after is not None)
    assert {name: counts[name] for name in all_remedies() if counts[name] < 10} == {}


def test_cases_are_python() -> None:
    for case in _ALL:
        for part in case.before.split("@@ "):
            ast.parse(
                part if part is case.before or case.before.startswith(part) else part.partition("\n")[2]
            )
