"""What many loaders have in common is looked at once, and what is reported of it is the nearest and the first."""

from __future__ import annotations

from pathlib import Path

from dlint.values.values import Instance
from dlint.workers.sharing import by_dataset, codes_of, nearest
from program.sources import agree, program

LOADERS = """
import cv2
from torch.utils.data import DataLoader, Dataset

class Photos(Dataset):
    def __init__(self):
        self.scale = lambda image: image / 255  # expect: DL401

    def __getitem__(self, index):
        if index:
            return self.again(index)
        return read(index)

    def again(self, index):
        return read(index)

def read(index):
    return cv2.imread(str(index))  # expect: DL101

photos = Photos()
first = DataLoader(photos, num_workers=2)
second = DataLoader(photos, num_workers=4)
"""

KEPT_BACK = """
from torch.utils.data import DataLoader, Dataset

class Table:
    def __init__(self, path):
        self.file = open(path)
        self.clean = lambda row: row.strip()

    def __getstate__(self):
        return {}

    def row(self, index):
        return self.clean(self.file.readline())

class Rows(Dataset):
    def __init__(self, path):
        self.table = Table(path)

    def __getitem__(self, index):
        return self.table.row(index)

loader = DataLoader(Rows("rows"), num_workers=2)
"""


def test_loaders_of_one_dataset_share_its_code(tmp_path: Path) -> None:
    found = program(tmp_path, {"main.py": LOADERS})
    of_photos = [use for use in found.uses if use.dataset is not None]
    assert len(of_photos) == 2
    assert len(codes_of(of_photos)) == len(by_dataset(of_photos)) == 1
    assert found.shipped(of_photos[0]) is found.shipped(of_photos[1])


def test_of_several_ways_to_a_call_the_nearest_count(tmp_path: Path) -> None:
    (code,) = codes_of(use for use in program(tmp_path, {"main.py": LOADERS}).uses if use.dataset is not None)
    reads = [event for event in code.events if event.name == "cv2.imread"]
    assert [event.link.length for event in code.each_way(reads)] == [2, 3]
    assert [event.link.length for event in nearest(code.each_way(reads))] == [2]


def test_what_is_shared_is_reported_once_and_for_the_first_loader(tmp_path: Path) -> None:
    findings = {finding.code: finding for finding in agree(tmp_path, {"main.py": LOADERS}, "DL").findings}
    assert [step.name for step in findings["DL101"].reach] == ["Photos.__getitem__", "read", "cv2.imread"]
    first = next(n for n, line in enumerate(LOADERS.splitlines(), 1) if line.startswith("first ="))
    assert f"main.py:{first}" in findings["DL401"].message


def test_what_an_object_keeps_back_only_forked_workers_have(tmp_path: Path) -> None:
    found = program(tmp_path, {"main.py": KEPT_BACK})
    (use,) = (use for use in found.uses if use.dataset is not None)
    parts = found.shipped(use)
    pickled = [part.value.cls.name for part in parts if part.pickled and isinstance(part.value, Instance)]
    assert pickled == ["Rows", "Table"]
    assert {part.place for part in parts if not part.pickled} == {"Table.file", "Table.clean"}
