"""Programs that were written by people who had seen neither dlint's tests nor its code, and of which it said
something wrong, or nothing, at first. Each title begins with the rules that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import sources
from program.sources import agree, cases, files_of

_CASES = {
    title: case
    for file in sorted(Path(sources.__file__).with_name("cases").glob("afresh*.txt"))
    for title, case in cases(file.stem).items()
}


@pytest.mark.parametrize("title", _CASES, ids=list(_CASES))
def test_what_is_said_of_it(title: str, tmp_path: Path) -> None:
    codes, _, _ = title.partition(":")
    agree(tmp_path, files_of(_CASES[title]), *codes.split(", "))
