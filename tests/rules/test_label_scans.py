"""Passes over datasets that use one part of the items, in the shapes that real programs give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """\
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        path, person, camera = self.rows[index]
        return Image.open(path), person, camera


def main():
    train_set = Photos([])
    found = []
{scan}
    for batch in DataLoader(train_set, 8, num_workers=2):
        print(batch, found)


main()
"""


@pytest.mark.parametrize(
    ("scan", "at"),
    [
        ("for _, person, _ in train_set:\n    found.append(person)", 0),
        ("for image, person, camera in train_set:\n    found.append(camera)", 0),
        ("for i, (_, person, _) in enumerate(train_set): found.append(person)", 0),
        ("found = [item[1] for item in train_set]", 0),
        ("for item in train_set:\n    found.append(item[2])", 0),
        ("for i in range(len(train_set)):\n    _, person, _ = train_set[i]\n    found.append(person)", 1),
        ("for i in range(len(train_set)):\n    item = train_set[i]\n    found.append(item[1])", 1),
        ("for i in range(len(train_set)): found.append(train_set[i][1])", 0),
        ("for _, person, camera in train_set:\n    found.append((person, camera))", None),
        ("for image, person, _ in train_set:\n    found.append(image.size + person)", None),
        ("for image, _, _ in train_set:\n    found.append(image.size)", None),
        ("found = [item[1] for item in train_set.rows]", None),
        ("found = [item[0] for item in train_set]", None),
        ("found = [(item[1], item) for item in train_set]", None),
        ("for item in train_set:\n    found.append(item[1])\n    item[0].show()", None),
        (
            "for i in range(len(train_set)):\n    image, person, _ = train_set[i]\n    found.append(image)",
            None,
        ),
        ("for i in range(9):\n    _, person, _ = train_set[i]\n    found.append(person)", None),
        ("for i in range(len(train_set)):\n    item = train_set[i]\n    show(item, item[1])", None),
        ("found = [item[1] for item in train_set]\nfound += [item[0] for item in train_set]", None),
        ("found = [item[1] for item in train_set]\nfor image, _, _ in train_set: found.append(image)", None),
        ("found = [item[1] for item in train_set]\nfound += [item[0] for item in train_set.rows]", 0),
    ],
)
def test_scans(scan: str, at: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``at`` is the line of the scan that has the finding."""
    text = _PROGRAM.format(scan="\n".join(f"    {line}" for line in scan.split("\n")))
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    findings = engine.check([Path()], Settings(select=("DL307",))).findings
    assert [finding.line - 20 for finding in findings] == ([] if at is None else [at])


@pytest.mark.parametrize(
    ("item", "found"), [("Image.open(path), person", True), ("person, self.rows[index][1]", False)]
)
def test_parts_of_a_dataset(item: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"""\
from PIL import Image
from torch.utils.data import DataLoader, Dataset, random_split


class Photos(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        path, person = self.rows[index]
        return {item}


train_set, _ = random_split(Photos([]), [9, 1])
print([person for _, person in train_set])
for batch in DataLoader(train_set, 8, num_workers=2):
    print(batch)
"""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "main.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL307",)))
    assert [finding.line for finding in report.findings] == [18] * found


_SHAPES = """\
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor


class Photos(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.pixels = torch.zeros(9, 3, 8, 8)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {image}, self.rows[index]["boxes"]


def truth(dataset):
    found = []
{scan}
    return found


def main(rows):
    loader = DataLoader(Photos(rows), 8, num_workers=2)
    found = truth(loader.dataset)
    for batch in loader:
        print(batch, found)
"""
_DECODED = 'to_tensor(Image.open(self.rows[index]["file"]).convert("RGB"))'
_OPENED = 'Image.open(self.rows[index]["file"])'


@pytest.mark.parametrize(
    ("image", "scan", "at"),
    [
        (_DECODED, "for image, boxes in dataset:\n    found.append((image.shape, boxes))", 0),
        (_DECODED, "for image, boxes in dataset:\n    found.append((image.size(1), len(boxes)))", 0),
        (
            _DECODED,
            "for image, _ in dataset:\n    height, width = image.shape[-2:]\n    found.append(height)",
            0,
        ),
        (_DECODED, "found = [item[0].shape[-1] for item in dataset]", 0),
        (_DECODED, "found = [(item[0].shape[-1], item[1]) for item in dataset]", 0),
        (_DECODED, "for i in range(len(dataset)):\n    found.append(dataset[i][0].shape[-1])", 1),
        (
            _DECODED,
            "for i in range(len(dataset)):\n    image, boxes = dataset[i]\n    found.append((image.shape, boxes))",
            1,
        ),
        (
            _OPENED + '.convert("RGB")',
            "for image, boxes in dataset:\n    found.append((image.size, boxes))",
            0,
        ),
        (_OPENED, "for image, boxes in dataset:\n    found.append((image.size, boxes))", None),
        (_OPENED, "for i in range(len(dataset)):\n    found.append(dataset[i][0].size)", None),
        ("self.pixels[index]", "for image, boxes in dataset:\n    found.append((image.shape, boxes))", None),
        (_DECODED, "for image, boxes in dataset:\n    found.append((image.shape, image.mean()))", None),
        (_DECODED, "for image, boxes in dataset:\n    found.append((image.shape, image))", None),
        (_DECODED, "for image, boxes in dataset:\n    found.append(image.shape)\n    break", None),
        (_DECODED, "found = [(item[0].shape, item) for item in dataset]", None),
        (
            _DECODED,
            "for image, boxes in dataset:\n    found.append(image.shape)\n"
            "for image, boxes in dataset:\n    found.append(image.mean())",
            None,
        ),
        (
            _DECODED,
            "for i in range(len(dataset)):\n    image, boxes = dataset[i]\n    found.append(image.shape)\n"
            "    found.append(dataset[i])",
            None,
        ),
    ],
)
def test_the_shape_of_what_was_decoded(tmp_path: Path, image: str, scan: str, at: int | None) -> None:
    lines = "".join(f"    {line}\n" for line in scan.splitlines())
    text = _SHAPES.format(image=image, scan=lines)
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL307",), start_method="fork"))
    first = text.splitlines().index(scan.splitlines()[0].join(("    ", ""))) + 1
    assert [each.line - first for each in report.findings] == ([] if at is None else [at])


_KEYED = """\
import cv2
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, files, names):
        self.files, self.names = files, names

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        sample = {{"image": cv2.imread(self.files[index]), "label": index % 3}}
{more}        return sample


def main(files, names):
    dataset = Images(files, names)
    found = []
{scan}    return DataLoader(dataset, num_workers=2), found
"""


@pytest.mark.parametrize(
    ("more", "scan", "at"),
    [
        ("", 'found = [sample["label"] for sample in dataset]', 0),
        ("", 'found = [dataset[i]["label"] for i in range(len(dataset))]', 0),
        ("", 'found = [i for i in range(len(dataset)) if dataset[i]["label"] == 2]', 0),
        ("", 'for i in range(len(dataset)):\n    found.append(dataset[i]["label"])', 1),
        ("", 'for i in range(len(dataset)):\n    sample = dataset[i]\n    found.append(sample["label"])', 1),
        ('sample["ids"] = self.encode(self.names[index])', 'found = [s["ids"] for s in dataset]', None),
        ('sample["ids"] = Encoder()(self.names[index])', 'found = [s["ids"] for s in dataset]', None),
        ('sample["size"] = len(self.names[index])', 'found = [sample["size"] for sample in dataset]', 0),
        ('sample["name"] = self.names[index]', 'found = [sample["name"] for sample in dataset]', 0),
        ("sample = dict(sample, label=3)", 'found = [sample["label"] for sample in dataset]', None),
        (
            'sample["mask"] = cv2.imread(self.names[index])',
            'found = [item["mask"] for item in dataset]',
            None,
        ),
        (
            'sample["thing"] = cv2.imread(self.names[index])',
            'found = [item["thing"] for item in dataset]',
            None,
        ),
        ("", 'found = [sample["image"] for sample in dataset]', None),
        ("", 'found = [(sample["label"], sample["image"].mean()) for sample in dataset]', None),
        (
            "",
            'for i in range(len(dataset)):\n    found.append((dataset[i]["label"], dataset[i]["image"]))',
            None,
        ),
        (
            "",
            'found = [sample["label"] for sample in dataset]\nfound += [sample["image"] for sample in dataset]',
            None,
        ),
        ("sample = self.change(sample)", 'found = [sample["label"] for sample in dataset]', None),
    ],
)
def test_items_with_keys(tmp_path: Path, more: str, scan: str, at: int | None) -> None:
    lines = "".join(f"    {line}\n" for line in scan.splitlines())
    text = _KEYED.format(more=f"        {more}\n" if more else "", scan=lines)
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL307",), start_method="fork"))
    first = text.splitlines().index(scan.splitlines()[0].join(("    ", ""))) + 1
    assert [each.line - first for each in report.findings] == ([] if at is None else [at])
