"""Every bad program of the fixtures through `dlint fix --unsafe-fixes`: what it repairs is gone, a second run
changes nothing, and where the cure is the remedy's own, it is `fixed.py` to the letter."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from rules.fixtures import FOLDER, fixtures

from dlint import engine
from dlint.repair import repair
from dlint.settings.settings import Settings

_EXPECT = re.compile(r"[ \t]*# expect: .*")
_LISTED = Path(__file__).parent / "written_by_remedies.txt"
BY_REMEDY = frozenset(_LISTED.read_text(encoding="utf-8").split())
BAD = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("DL*/bad*.py"))


def _without_expectations(text: str) -> str:
    return _EXPECT.sub("", text)


@pytest.mark.parametrize("name", BAD)
def test_repair(name: str, tmp_path: Path) -> None:
    bad = FOLDER / name
    code = bad.parent.name[:5]
    settings = Settings(extend_select=(code,), **fixtures()[code].check)
    (tmp_path / "pyproject.toml").touch()
    file = tmp_path / bad.name
    shutil.copy(bad, file)
    file.write_text(_without_expectations(bad.read_text(encoding="utf-8")), encoding="utf-8")
    before = engine.check([file], settings)
    assert before.findings

    repairs = repair([file], settings, unsafe=True)
    for each in repairs.files:
        file.write_bytes(each.new)
    after = engine.check([file], settings)

    assert len(after.findings) == len(repairs.left)
    assert not after.troubles
    assert not repair([file], settings, unsafe=True).files
    if name in BY_REMEDY:
        fixed = bad.with_name(bad.name.replace("bad", "fixed", 1))
        assert file.read_text(encoding="utf-8") == fixed.read_text(encoding="utf-8")


def test_the_list_names_programs() -> None:
    assert set(BAD) >= BY_REMEDY
