"""imgaug's augmenters: generators that nobody seeds in the workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """import imgaug as ia
import imgaug.augmenters as iaa
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Augment:
    def __init__(self):
        self.augment = {made}

    def __call__(self, image):
        return {called}


class Signs(Dataset):
    def __init__(self, images, step):
        self.images = images
        self.step = step

    def __getitem__(self, index):
        return self.step(self.images[index])


def seed(worker):
    {seed}


def main(images{more}):
    return DataLoader(Signs(images, Augment()), num_workers=2{given})
"""
_MADE = "iaa.Sequential([iaa.Fliplr(0.5), iaa.Affine(rotate=(-20, 20))])"
_CALLED = "self.augment(image=image)"
_SEED = "np.random.seed(torch.initial_seed() % 2**32)"


def _codes(
    tmp_path: Path,
    made: str = _MADE,
    called: str = _CALLED,
    seed: str = _SEED,
    given: str = ", worker_init_fn=seed",
    method: str = "fork",
    more: str = "",
) -> list[str]:
    text = _PROGRAM.format(made=made, called=called, seed=seed, given=given, more=more)
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL203",), start_method=method))
    assert not report.troubles
    return [each.code for each in report.findings]


@pytest.mark.parametrize(
    "made",
    [
        _MADE,
        "iaa.Dropout(0.1)",
        "iaa.Sometimes(0.5, iaa.Resize(32))",
        "iaa.Sequential([iaa.Resize(32), iaa.Sequential([iaa.AdditiveGaussianNoise(scale=9)])])",
        "iaa.Sequential([iaa.Fliplr(1.0), iaa.Flipud(1.0)], random_order=True)",
        "iaa.Resize((0.5, 1.5))",
        "iaa.Fliplr(0.5, seed=3)",
        "iaa.Affine(scale={'x': (0.8, 1.2)})",
    ],
)
def test_an_augmenter_that_the_parent_makes(tmp_path: Path, made: str) -> None:
    assert _codes(tmp_path, made) == ["DL203"]


@pytest.mark.parametrize(
    "made",
    [
        "iaa.Resize(32)",
        "iaa.Resize({'height': 32, 'width': 64})",
        "iaa.Sequential([iaa.Fliplr(1.0), iaa.CenterCropToFixedSize(8, 8)])",
        "iaa.Sequential([])",
        "iaa.Sequential(images_of())",
        "iaa.Affine(rotate=90)",
        _MADE + ".to_deterministic()",
    ],
)
def test_an_augmenter_that_does_the_same_each_time(tmp_path: Path, made: str) -> None:
    assert _codes(tmp_path, made) == []


@pytest.mark.parametrize(
    ("called", "found"),
    [
        ("self.augment.augment_image(image)", True),
        ("self.augment.to_deterministic().augment_images([image])[0]", True),
        ("self.augment.get_children_lists()", False),
        ("self.augment.augment_batches([image])", False),
    ],
)
def test_what_draws_from_it(tmp_path: Path, called: str, found: bool) -> None:
    assert _codes(tmp_path, called=called) == ["DL203"] * found


@pytest.mark.parametrize(
    ("seed", "found"),
    [
        ("ia.seed(torch.initial_seed() % 2**31)", False),
        ("ia.random.seed(torch.initial_seed() % 2**31)", False),
        ("get_worker_info().dataset.step.augment.seed_(torch.initial_seed() % 2**31)", False),
        ("torch.set_num_threads(1)", True),
    ],
)
def test_what_the_workers_seed(tmp_path: Path, seed: str, found: bool) -> None:
    assert _codes(tmp_path, seed=seed) == ["DL203"] * found


def test_what_nobody_knows_may_seed_it(tmp_path: Path) -> None:
    assert _codes(tmp_path, given=", worker_init_fn=begin", more=", begin") == []


def test_no_workers(tmp_path: Path) -> None:
    assert _codes(tmp_path, given=", multiprocessing_context=None").__len__() == 1
    text = (tmp_path / "program.py").read_text().replace("num_workers=2", "num_workers=0")
    (tmp_path / "program.py").write_text(text)
    assert not engine.check([tmp_path], Settings(select=("DL203",))).findings


@pytest.mark.parametrize(
    ("called", "method", "found"),
    [
        ("iaa.Fliplr(0.5)(image=image)", "fork", True),
        ("iaa.Fliplr(0.5)(image=image)", "spawn", False),
        ("iaa.Fliplr(0.5, seed=seed_of(image))(image=image)", "fork", False),
        ("iaa.Resize(32)(image=image)", "fork", False),
    ],
)
def test_an_augmenter_that_workers_make(tmp_path: Path, called: str, method: str, found: bool) -> None:
    assert _codes(tmp_path, made="None", called=called, method=method) == ["DL203"] * found
