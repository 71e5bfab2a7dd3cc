"""Programs around one item, and what dlint finds in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

HEAD = """\
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

LOADED = """

for batch in DataLoader(Data([]), batch_size=4, num_workers=2):
    pass
"""


def check(
    program: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch, loaded: str = LOADED
) -> None:
    """Checks that findings stand exactly on the lines that say ``# here``."""
    text = HEAD + program.strip() + "\n" + loaded
    ast.parse(text)
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(text)
    monkeypatch.chdir(folder)
    report = engine.check([Path()], Settings(select=(code,)))
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    assert [finding.line for finding in report.findings] == marked
