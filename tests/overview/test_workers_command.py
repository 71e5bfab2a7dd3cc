"""``dlint workers``: what each loader is given, and what its workers do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.doors import dlint, write

_PHOTOS = """import cv2
import numpy as np
from torch.utils.data import Dataset

from crop import Crop, load

cv2.setNumThreads(0)


class Photos(Dataset):
    def __init__(self, names):
        self.names = names
        self.crop = Crop(3)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        image = self.crop(load(self.names[index]))
        return self.crop(image) + np.random.rand() + np.random.rand()
"""
_CROP = """import cv2


class Crop:
    def __init__(self, size):
        self.size = size

    def __call__(self, image):
        return cv2.resize(image, (self.size, self.size))


def load(name):
    return cv2.imread(name)
"""
_TRAIN = """import argparse

import numpy as np
from torch.utils.data import DataLoader, RandomSampler

from photos import Photos


def seed_worker(worker_id):
    np.random.seed(worker_id)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    data = Photos(["a"])
    options = {"batch_size": 8, "drop_last": True}
    loader = DataLoader(
        data, shuffle=True, sampler=RandomSampler(data), num_workers=args.workers,
        worker_init_fn=seed_worker, **options
    )
    return loader, DataLoader(data, num_workers=0)
"""
_FILES = {"photos.py": _PHOTOS, "crop.py": _CROP, "train.py": _TRAIN, ".git/HEAD": ""}


def _shown(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    result = dlint(folder, "workers", "--output-format", "json", *arguments)
    assert (result.returncode, result.stderr) == (0, "")
    told: list[dict[str, Any]] = json.loads(result.stdout)
    return told


def test_what_a_loader_is_given_and_its_workers_do(tmp_path: Path) -> None:
    write(tmp_path, _FILES)
    busy, idle = _shown(tmp_path)
    assert (busy["path"], busy["line"], busy["kind"], busy["scope"]) == (
        "train.py", 19, "torch.utils.data.DataLoader", "main",
    )  # fmt: skip
    arguments = {each["name"]: each for each in busy["arguments"]}
    assert arguments["dataset"]["values"] == ["Photos(...)"]
    assert arguments["batch_size"] == {"name": "batch_size", "values": ["8"], "written": None}
    assert "4" in arguments["num_workers"]["values"]
    assert arguments["num_workers"]["written"] == "args.workers"
    assert arguments["worker_init_fn"]["values"] == ["seed_worker"]
    assert "pin_memory" not in arguments
    assert busy["datasets"] == ["Photos (photos.py:10)"]
    entries = {each["name"]: each for each in busy["workers"]}
    assert set(entries) == {"Photos.__getitem__", "seed_worker"}
    item = entries["Photos.__getitem__"]
    assert (item["path"], item["line"]) == ("photos.py", 18)
    assert ["numpy.random.rand", 2] in item["library"]
    below = {each["name"]: each for each in item["calls"]}
    assert set(below) == {"Crop.__call__", "load"}
    assert below["load"]["library"] == [["cv2.imread", 1]]
    assert busy["draws"] == [{"library": "NumPy", "seeded_by": "worker_init_fn seed_worker"}]
    assert {"place": "Photos.crop", "what": "Crop(...)", "pickled": True} in busy["parts"]
    assert busy["shelters"] == ["cv2.setNumThreads(0) at photos.py:7"]
    assert {finding["code"] for finding in busy["findings"]} >= {"DL301"}
    assert (idle["has_workers"], idle["workers"]) == (False, [])
    assert {finding["code"] for finding in idle["findings"]}.isdisjoint({"DL301"})


def test_as_text(tmp_path: Path) -> None:
    write(tmp_path, _FILES)
    result = dlint(tmp_path, "workers", "train.py")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "train.py:19  DataLoader in main"
    assert "│   └── Photos.__getitem__  photos.py:18" in lines
    assert any(line.endswith("── cv2.resize") for line in lines)
    assert "├── num_workers = 4 or what the user asks for  (args.workers)" in lines
    assert any(
        line.startswith(("├── train.py:19:14: error: DL301", "└── train.py:19:14: error: DL301"))
        for line in lines
    )
    assert any(line.endswith("── no workers: everything runs in the main process") for line in lines)
    assert lines[-1] == "2 loaders."
    assert not any(line != line.rstrip() for line in lines)


def test_what_was_shown_is_not_shown_again(tmp_path: Path) -> None:
    again = "loader = DataLoader(Photos(['b']), num_workers=2)\n"
    text = "from torch.utils.data import DataLoader\n\nfrom photos import Photos\n\n"
    write(tmp_path, {**_FILES, "a.py": text + again, "b.py": text + again})
    shown = dlint(tmp_path, "workers", "a.py", "b.py").stdout
    assert shown.count("cv2.resize") == 1
    assert shown.count("Photos.__getitem__  photos.py:18  as above") == 1


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_choices_hold(tmp_path: Path, method: str) -> None:
    write(tmp_path, _FILES)
    busy = _shown(tmp_path, "--start-method", method, "--select", "DL2")[0]
    assert busy["start_method"] == method
    assert all(finding["code"].startswith("DL2") for finding in busy["findings"])


def test_other_projects_and_bad_files(tmp_path: Path) -> None:
    write(tmp_path, {**_FILES, "broken.py": "from torch.utils.data import DataLoader\n(\n"})
    result = dlint(tmp_path, "workers", ".")
    assert result.returncode == 2
    assert "broken.py:2: syntax error" in result.stderr
    assert "2 loaders." in result.stdout
    (tmp_path / "broken.py").unlink()
    write(tmp_path, {"other/a.py": "x = 1\n"})
    assert dlint(tmp_path, "workers", "other").stdout == "0 loaders.\n"
    assert dlint(tmp_path, "workers", "gone.py").returncode == 2


def test_a_notebook(tmp_path: Path) -> None:
    cells = [["from torch.utils.data import DataLoader\n", "loader = DataLoader([1], num_workers=2)"]]
    made = [{"cell_type": "code", "source": cell} for cell in cells]
    write(tmp_path, {"n.ipynb": json.dumps({"cells": made, "nbformat": 4}), ".git/HEAD": ""})
    [only] = _shown(tmp_path)
    assert (only["path"], only["cell"], only["line"]) == ("n.ipynb", 1, 2)
    assert dlint(tmp_path, "workers").stdout.startswith("n.ipynb:cell 1:2  DataLoader\n")
