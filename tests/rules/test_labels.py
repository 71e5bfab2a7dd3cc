"""Passes over a dataset that want the labels alone, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from .training_programs import MAIN, lines_of, marked


@pytest.mark.parametrize(
    ("reading", "item", "silent"),
    [
        pytest.param("", "self.open(row[0]), row[1]", False, id="found: a label"),
        pytest.param("label = torch.tensor(int(row[1]))", "self.open(row[0]), label", False, id="found: int"),
        pytest.param(
            "label = os.path.basename(row[0]).split('_')[0]",
            "self.open(row[0]), label",
            False,
            id="found: from the name of the file",
        ),
        pytest.param("", "self.open(row[0]), self.open(row[1])", True, id="a mask"),
        pytest.param(
            "image, target = self.open(row[0]), self.open(row[1])\n"
            "        image, target = self.transform(image), self.transform(target)\n"
            "        target = torch.as_tensor(target).long()",
            "image, target",
            True,
            id="a mask, transformed",
        ),
        pytest.param(
            "image, target = self.open(row[0]), row[1]\n        image = self.transform(image)",
            "image, target",
            False,
            id="found: only the image is transformed",
        ),
        pytest.param("boxes = np.load(row[1])", "self.open(row[0]), boxes", True, id="a file of boxes"),
        pytest.param(
            "boxes = []\n        for name in row:\n            boxes.append(np.load(name))",
            "self.open(row[0]), boxes",
            True,
            id="a list of what is read",
        ),
        pytest.param("pair = self.pair(row)", "pair", True, id="a pair of a method"),
        pytest.param("data, label = self.labelled(row)", "data, label", False, id="found: of a method"),
        pytest.param("", "self.base[index]", False, id="found: another dataset's items"),
        pytest.param("image, label = self.base[index]", "label, image", True, id="turned round"),
    ],
)
def test_only_labels_need_no_reading(
    reading: str, item: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
import os
import numpy as np
from PIL import Image


class Files(Dataset):
    def __init__(self, rows, transform):
        self.rows, self.transform = rows, transform
        self.base = datasets.CIFAR10("d")

    def __len__(self):
        return len(self.rows)

    def open(self, name):
        return np.array(Image.open(name))

    def pair(self, row):
        return self.open(row[0]), self.open(row[1])

    def labelled(self, row):
        return self.open(row[0]), row[1]

    def __getitem__(self, index):
        row = self.rows[index]
        Image.open(row[0])
        {reading}
        return {item}


def main(transform):
    dataset = Files([], transform)
    weights = [1.0 / (1 + target.sum()) for _, target in dataset]  # here
    for batch in DataLoader(dataset, 8, num_workers=2):
        print(batch, weights)


main(transforms.ToTensor())
"""
    assert lines_of(tmp_path, program, "DL307", monkeypatch) == ([] if silent else marked(program))


@pytest.mark.parametrize(
    ("rest", "silent"),
    [
        pytest.param("print(target)\n        break", True, id="the first"),
        pytest.param("if target.sum() > 5:\n            break\n        print(target)", True, id="some"),
        pytest.param(
            "for each in target:\n            if each > 5:\n                break",
            False,
            id="found: an inner loop is left",
        ),
        pytest.param("print(target)", False, id="found: all"),
    ],
)
def test_a_look_at_some_labels(
    rest: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
from PIL import Image


class Files(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return Image.open(self.rows[index][0]), self.rows[index][1]


def main():
    dataset = Files([])
    for _, target in dataset:  # here
        {rest}
    for batch in DataLoader(dataset, 8, num_workers=2):
        print(batch)
{MAIN}"""
    assert lines_of(tmp_path, program, "DL307", monkeypatch) == ([] if silent else marked(program))


@pytest.mark.parametrize(
    ("made", "name", "silent"),
    [
        ('datasets.VOCSegmentation("d")', "target", True),
        ('datasets.CIFAR10("d")', "target", False),
        ('datasets.CIFAR10("d")', "mask", True),
    ],
)
def test_masks_of_library_datasets(
    made: str, name: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
dataset = {made}
weights = [{name} for _, {name} in dataset]  # here
"""
    assert lines_of(tmp_path, program, "DL307", monkeypatch) == ([] if silent else marked(program))
