"""Which loaders have workers that draw from NumPy's state: flags, transforms and draws that a dataset is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree

_HEAD = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset
"""


def _agree(folder: Path, program: str) -> None:
    agree(folder, {"main.py": _HEAD + program}, "DL202", target_torch="1.8")


@pytest.mark.parametrize(
    "test",
    [
        "self.mode.lower() == 'train'",
        "self.mode.startswith('train')",
        "not self.mode.endswith(('val', 'test'))",
        "self.mode.split('_')[0] == 'train'",
    ],
)
def test_modes_told_by_their_text(test: str, tmp_path: Path) -> None:
    program = f"""
class Data(Dataset):
    def __init__(self, mode):
        self.mode = mode

    def __getitem__(self, index):
        if {test}:
            return np.random.rand()
        return index


DataLoader(Data("train_2017".replace("_2017", "")), num_workers=2)  # expect: DL202
DataLoader(Data("val"), num_workers=2)
"""
    _agree(tmp_path, program)
