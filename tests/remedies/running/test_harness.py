"""The harness itself: a project that is repaired, and one whose streams are touched."""

from __future__ import annotations

from pathlib import Path

from tests.remedies.running.harness import WAYS, before_and_after

_DATA = """\
from torch.utils.data import Dataset


class Numbers(Dataset):
    def __init__(self, scale):
        self.scale = scale

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.scale * index
"""
_MAIN = """\
from torch.utils.data import DataLoader, SequentialSampler

from numbers_data import Numbers


def show(method, workers):
    data = Numbers(3)
    print("keep", [data[index] for index in range(4)])
    loader = DataLoader(
        data,
        num_workers=workers,
        multiprocessing_context=method if workers else None,
        sampler=SequentialSampler(data),
        shuffle=True,
    )
    print([batch.tolist() for batch in loader])
"""


def test_what_a_project_shows_before_and_after(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"numbers_data.py": _DATA, "main.py": _MAIN}, "DL301")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way)[0] == both.after.kept(way)[0] == "keep [0, 3, 6, 9]"
        assert both.before.changed(way) == ["error ValueError"]
        assert both.after.changed(way) == ["[[0], [3], [6], [9]]"]
