"""What the fuzzer found once does not come back: every kept case is played again, in every way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import kept
from tests.fuzz.judging import of_kept
from tests.fuzz.not_yet import NOT_YET
from tests.fuzz.running import Child

_CASES = sorted(kept.FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", _CASES, ids=[path.stem for path in _CASES])
def test_it_holds_today(children: tuple[Child, Child], path: Path) -> None:
    case = kept.read(path)
    if {case.failure, case.generator} & NOT_YET.keys():
        pytest.skip(f"not yet: {case.failure}")
    assert not of_kept(case, *children)


def test_a_case_is_kept_as_it_was(tmp_path: Path) -> None:
    files = {"a.py": b"x = 1\n", "b/c.py": b"\xff\0\n", "d.py": "é\r\n\rx".encode(), "e.py": b""}
    case = kept.Kept("differs: jobs", "one\ntwo", files)
    assert kept.read(kept.keep(case, tmp_path)) == case
    assert kept.keep(case, tmp_path) == kept.keep(case._replace(detail="three"), tmp_path)
