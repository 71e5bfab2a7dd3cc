"""Worker code: which calls of cv2 workers reach, in whatever file and by whatever way."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.sources import agree, cases, files_of

TRAIN = """
from torch.utils.data import DataLoader
from data import Photos

loader = DataLoader(Photos(), num_workers=2)
"""
REACHED = cases("reached")
NOT_REACHED = cases("not_reached")


@pytest.mark.parametrize("case", REACHED)
def test_reached(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"train.py": TRAIN, **files_of(REACHED[case])}, "DL101")


@pytest.mark.parametrize("case", NOT_REACHED)
def test_not_reached(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"train.py": TRAIN, **files_of(NOT_REACHED[case])}, "DL101")


def test_the_reach_names_every_step(tmp_path: Path) -> None:
    case = files_of(REACHED["a helper three calls away in another file"])
    (finding,) = agree(tmp_path, {"train.py": TRAIN, **case}, "DL101").findings
    assert [(step.name, Path(step.path).name) for step in finding.reach] == [
        ("Photos.__getitem__", "data.py"),
        ("load", "one.py"),
        ("fetch", "two.py"),
        ("read", "reader.py"),
        ("cv2.imread", "reader.py"),
    ]


def test_further_calls_are_counted(tmp_path: Path) -> None:
    case = files_of(REACHED["one finding a file"])
    (finding,) = agree(tmp_path, {"train.py": TRAIN, **case}, "DL101").findings
    assert "1 more call in this file" in finding.message
