"""Functions that datasets of Hugging Face call in workers, and transforms of timm that draw as they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """import numpy as np
from datasets import Dataset as Rows
from datasets import load_dataset, load_from_disk
from timm.data import create_transform
from torch.utils.data import DataLoader, Dataset


def augment(batch):
    return {{"x": np.random.rand()}}


class Images(Dataset):
    def __init__(self, path, policy):
        self.path = path
        self.transform = create_transform(224, is_training=True{made})

    def __getitem__(self, index):
        return self.transform(self.path[index])


def main(path, policy):
    rows = {rows}
    {then}
    return DataLoader(rows, num_workers=2)
"""


def _codes(tmp_path: Path, rows: str, then: str = "pass", made: str = "") -> list[str]:
    (tmp_path / "program.py").write_text(_PROGRAM.format(rows=rows, then=then, made=made))
    report = engine.check([tmp_path], Settings(select=("DL202",), target_torch="1.8", start_method="fork"))
    assert not report.troubles
    return [each.code for each in report.findings]


_LOAD = "load_dataset(path, split='train')"


@pytest.mark.parametrize(
    ("rows", "then", "found"),
    [
        (f"{_LOAD}.with_transform(augment)", "pass", True),
        (_LOAD, "rows.set_transform(augment)", True),
        (_LOAD, "if policy:\n        rows.set_transform(transform=augment)", True),
        ("Rows.from_dict(path)", "rows.set_transform(augment)", True),
        ("load_from_disk(path)", "rows.set_transform(augment)", True),
        ("load_dataset(path, split='train', streaming=True).map(augment)", "pass", True),
        (f"{_LOAD}.map(augment)", "pass", False),
        (f"{_LOAD}.map(augment, batched=True).with_transform(str)", "pass", False),
        (f"{_LOAD}.filter(augment)", "pass", False),
        (_LOAD, "rows = rows.map(augment)", False),
        (_LOAD, "rows.set_format('torch')", False),
        (_LOAD, "path.set_transform(augment)", False),
        ("load_dataset(path, split='train', streaming=False).map(augment)", "pass", False),
    ],
)
def test_which_function_is_worker_code(tmp_path: Path, rows: str, then: str, found: bool) -> None:
    assert _codes(tmp_path, rows, then) == ["DL202"] * found


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (", auto_augment='rand-m9-mstd0.5-inc1'", True),
        (", auto_augment='augmix-m5-w4-d2'", True),
        (", auto_augment='original-mstd0.5'", False),
        (", auto_augment=None", False),
        (", auto_augment=policy", False),
        ("", False),
        (", re_prob=0.25, re_mode='pixel'", False),
    ],
)
def test_what_timm_draws(tmp_path: Path, made: str, found: bool) -> None:
    assert _codes(tmp_path, "Images(path, policy)", made=made) == ["DL202"] * found
