"""albumentations' transforms, which have generators of their own from 1.4.21 on."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.project.releases.pinned import is_older
from dlint.settings.settings import Settings

_PROGRAM = """import albumentations as A
import numpy as np
import torch
from albumentations.pytorch import ToTensorV2
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Signs(Dataset):
    def __init__(self, images, chance):
        self.images = images
        self.transform = {made}

    def __getitem__(self, index):
        return {called}


def begin(worker):
    {begin}


def main(images, chance{more}):
    return DataLoader(Signs(images, chance), num_workers=2{given})
"""
_MADE = "A.Compose([A.Resize(64, 64), A.RandomCrop(32, 32), ToTensorV2()])"
_CALLED = "self.transform(image=self.images[index])['image']"
_SEED = "np.random.seed(torch.initial_seed() % 2**32)"


def _codes(
    tmp_path: Path,
    made: str = _MADE,
    called: str = _CALLED,
    begin: str = _SEED,
    given: str = ", worker_init_fn=begin",
    method: str | None = None,
    more: str = "",
) -> list[str]:
    text = _PROGRAM.format(made=made, called=called, begin=begin, given=given, more=more)
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL203",), start_method=method))
    assert not report.troubles
    return [each.code for each in report.findings]


@pytest.mark.parametrize(
    "made",
    [
        _MADE,
        "A.Compose([A.HorizontalFlip()])",
        "A.Compose([A.HorizontalFlip(p=0.5)], seed=137)",
        "A.Compose([A.OneOf([A.Resize(8, 8), A.Resize(16, 16)])])",
        "A.Compose([A.Resize(8, 8, p=0.5)])",
        "A.Compose([A.Sequential([A.ColorJitter()])])",
        "A.ReplayCompose([A.Rotate(limit=10)])",
        "A.RandomBrightnessContrast(p=1)",
    ],
)
@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_a_transform_that_the_parent_makes(tmp_path: Path, made: str, method: str | None) -> None:
    assert _codes(tmp_path, made, method=method) == ["DL203"]


@pytest.mark.parametrize(
    "made",
    [
        "A.Compose([A.Resize(64, 64), A.Normalize(), ToTensorV2()])",
        "A.Compose([A.HorizontalFlip(p=1), A.CenterCrop(8, 8)])",
        "A.Compose([A.RandomCrop(8, 8, p=0)])",
        "A.Compose(steps_of(images))",
        "A.Compose([Own(8)])",
        "A.Normalize()",
    ],
)
def test_a_transform_that_does_the_same_each_time(tmp_path: Path, made: str) -> None:
    assert _codes(tmp_path, made) == []


@pytest.mark.parametrize(
    ("begin", "found"),
    [
        (_SEED, True),
        ("get_worker_info().dataset.transform.set_random_seed(torch.initial_seed() % 2**32)", False),
        ("torch.set_num_threads(1)", True),
    ],
)
def test_what_the_workers_seed(tmp_path: Path, begin: str, found: bool) -> None:
    assert _codes(tmp_path, begin=begin) == ["DL203"] * found


def test_a_transform_that_workers_make(tmp_path: Path) -> None:
    called = "A.Compose([A.RandomCrop(32, 32)])(image=self.images[index])['image']"
    assert _codes(tmp_path, "None", called) == []


def test_no_workers(tmp_path: Path) -> None:
    _codes(tmp_path)
    text = (tmp_path / "program.py").read_text().replace("num_workers=2", "num_workers=0")
    (tmp_path / "program.py").write_text(text)
    assert not engine.check([tmp_path], Settings(select=("DL203",))).findings


_DECLARED = [
    ("requirements.txt", "albumentations==1.3.1", True),
    ("requirements.txt", "albumentations<1.4", True),
    ("requirements.txt", "albumentations~=1.3.0", True),
    ("requirements.txt", "albumentations<=1.4.20 ; python_version < '3.12'", True),
    ("requirements.txt", "Albumentations >= 1.0, < 1.4.21", True),
    ("environment.yaml", "dependencies:\n  - pip:\n    - albumentations==0.4.3", True),
    ("environment.yml", "dependencies:\n  - albumentations=1.3", True),
    ("pyproject.toml", '[tool.poetry.dependencies]\nalbumentations = "1.3.0"', True),
    ("pyproject.toml", '[tool.poetry.dependencies]\nalbumentations = "^0.5"', True),
    ("setup.py", "setup(install_requires=['torch==1.8', 'albumentations==1.1.0'])", True),
    ("requirements.txt", "albumentations", False),
    ("requirements.txt", "albumentations>=1.0.3", False),
    ("requirements.txt", "albumentations~=1.3", False),
    ("requirements.txt", "albumentations==2.0.8", False),
    ("requirements.txt", "albumentations<2", False),
    ("requirements.txt", "albumentations!=1.3.0", False),
    ("requirements.txt", "# albumentations==1.3.0", False),
    ("requirements.txt", "my-albumentations==1.3.0\nnumpy==1.26.0", False),
    ("pyproject.toml", '[project]\ndependencies = ["albumentations>=1.0.3", "numpy<2"]', False),
    ("pyproject.toml", '[tool.poetry.dependencies]\nalbumentations = "^1.3"', False),
]


@pytest.mark.parametrize(("name", "text", "older"), _DECLARED)
def test_which_release_is_declared(tmp_path: Path, name: str, text: str, older: bool) -> None:
    (tmp_path / name).write_text(text + "\n")
    assert is_older(tmp_path, "albumentations", (1, 4, 21)) == older


@pytest.mark.parametrize(("release", "found"), [("1.3.1", False), ("2.0.8", True)])
def test_the_release_decides(tmp_path: Path, release: str, found: bool) -> None:
    (tmp_path / "requirements.txt").write_text(f"albumentations=={release}\n")
    assert _codes(tmp_path) == ["DL203"] * found
