"""What real datasets give for an item: None, a StopIteration, something that cannot be sent."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings import Settings

_HEAD = """\
import os
import random
import sys
import time
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Base(Dataset):
    def __init__(self, paths, retries=3):
        self.paths = list(paths)
        self.retries = retries

    def __len__(self):
        return len(self.paths)


"""
_LOADED = """

for batch in DataLoader(Data([]), batch_size=4, num_workers=2):
    pass
"""


def _check(
    program: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch, loaded: str = _LOADED
) -> None:
    """Checks that findings stand exactly on the lines that say ``# here``."""
    text = _HEAD + program.strip() + "\n" + loaded
    ast.parse(text)
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(text)
    monkeypatch.chdir(folder)
    report = engine.check([Path()], Settings(select=(code,)))
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    assert [finding.line for finding in report.findings] == marked


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    raise
                time.sleep(1)
""",
            id="raises in the last attempt",
        ),
        pytest.param(
            """
        for attempt in range(1, self.retries + 1):
            try:
                return load(self.paths[index])
            except Exception as error:
                if attempt == self.retries:
                    raise RuntimeError("no") from error
""",
            id="raises another error in the last attempt",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt < self.retries - 1:
                    time.sleep(1)
                else:
                    raise
""",
            id="raises in the other branch",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt < self.retries - 1:
                    continue
                raise
""",
            id="goes on until the last attempt",
        ),
        pytest.param(
            """
        attempt = 0
        while attempt < self.retries:
            try:
                return load(self.paths[index])
            except OSError:
                attempt += 1
                if attempt == self.retries:
                    raise
""",
            id="counts in a while loop",
        ),
        pytest.param(
            """
        tries = 0
        while True:
            try:
                return load(self.paths[index])
            except OSError:
                tries += 1
                if tries >= self.retries:
                    raise
""",
            id="an endless loop",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            if attempt == self.retries - 1:
                raise RuntimeError(self.paths[index])
            try:
                return load(self.paths[index])
            except OSError:
                time.sleep(1)
""",
            id="gives up before the last attempt",
        ),
        pytest.param(
            """
        for _ in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                index = random.randrange(3)
        else:
            raise RuntimeError("no")
""",
            id="raises after the loop",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    die("no")
""",
            id="ends the program in the last attempt",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            die("missing")
""",
            id="a helper ends the program",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError as error:
            self._fail(error)
""",
            id="a method raises",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            os._exit(1)
""",
            id="the process ends",
        ),
    ],
)
def test_attempts_that_raise_in_the_end_give_no_none(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
def die(message):
    print(message)
    sys.exit(1)


class Data(Base):
    def _fail(self, error):
        raise RuntimeError("bad") from error

    def __getitem__(self, index):
{body}
"""
    _check(program, "DL502", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                time.sleep(1)
""",
            id="attempts run out",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    print("giving up")
""",
            id="the last attempt only prints",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            tell("missing")
""",
            id="a helper that comes back",
        ),
    ],
)
def test_attempts_that_run_out_give_none(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"""
def tell(message):
    print(message)
    if message == "stop":
        sys.exit(1)


class Data(Base):
    def __getitem__(self, index):  # here
{body}
"""
    _check(program, "DL502", tmp_path, monkeypatch)
