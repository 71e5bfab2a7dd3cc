"""The compiled dlint says what the pure one says, byte for byte.

``DLINT_COMPILED`` is a folder that a compiled wheel was installed into (CONTRIBUTING.md tells how it is made);
without it there is nothing to compare.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.bombs import BOMBS
from tests.program.sources import answer_of, cases, files_of, write

REPOSITORY = Path(__file__).parents[2]
COMPILED = os.environ.get("DLINT_COMPILED", "") and str(Path(os.environ["DLINT_COMPILED"]).resolve())
# Of each way to be deep or long one.
BOMBS_OF_EACH_WAY = ("sum_of_ones", "attributes", "calls_of_calls", "nested_ifs", "one_long_line", "powers")
CASES = sorted(path.stem for path in (REPOSITORY / "tests/program/cases").glob("*.txt"))

pytestmark = pytest.mark.skipif(not COMPILED, reason="DLINT_COMPILED names no compiled dlint")


def said(dlint: Path | str, here: Path, *arguments: str) -> tuple[int, bytes, bytes]:
    """How a dlint ended, and what it wrote."""
    ended = subprocess.run(
        [sys.executable, "-m", "dlint", *arguments],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(dlint), "PYTHONHASHSEED": "0"},
        capture_output=True,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def assert_same(here: Path, *arguments: str) -> bytes:
    """Both say the same; gives what they say."""
    pure = said(REPOSITORY, here, *arguments)
    assert said(COMPILED, here, *arguments) == pure
    assert pure[0] in (0, 1, 2)
    return pure[1]


def test_it_is_compiled() -> None:
    code = "from dlint.calls import evaluator; from dlint.values import worlds; print(evaluator.__file__, worlds.__file__)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=COMPILED,
        env={**os.environ, "PYTHONPATH": COMPILED},
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(Path(each).suffix in (".so", ".pyd") for each in ended.stdout.split())


@pytest.mark.parametrize("arguments", [("--output-format", "json"), ("-j", "2")])
def test_over_the_fixtures(arguments: tuple[str, ...]) -> None:
    assert assert_same(REPOSITORY / "test_fixtures", "check", *arguments)


@pytest.mark.parametrize("rule", ["DL102", "DL301", "DL306", "DL401"])
def test_what_is_repaired(tmp_path: Path, rule: str) -> None:
    (fixture,) = (REPOSITORY / "test_fixtures").glob(f"{rule}_*")
    shutil.copytree(fixture, tmp_path / rule)
    assert assert_same(tmp_path, "fix", "--diff", "--unsafe-fixes")


@pytest.mark.parametrize("name", CASES)
def test_over_the_cases(tmp_path: Path, name: str) -> None:
    folders = []
    for number, case in enumerate(cases(name).values()):
        folder = tmp_path / f"case_{number}"
        folder.mkdir()
        write(folder, files_of(answer_of(case)[0] if "#=" in case else case))
        folders.append(folder.name)
    assert assert_same(tmp_path, "check", "--output-format", "json", *folders)


def test_over_what_is_deep_and_long(tmp_path: Path) -> None:
    """Compiled code has no limit of recursion: it would go on to the end of the stack."""
    for kind in BOMBS_OF_EACH_WAY:
        (tmp_path / kind / ".git").mkdir(parents=True)
        for name, content in BOMBS[kind].files(BOMBS[kind].usual).items():
            path = tmp_path / kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    assert assert_same(tmp_path, "check", "--output-format", "json", *BOMBS_OF_EACH_WAY)
