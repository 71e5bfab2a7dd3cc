"""Which loaders have workers that draw from NumPy's state: flags, transforms and draws that a dataset is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree, check

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


_FLAGGED = """
import copy

class Data(Dataset):
    def __init__(self, augment=False, transform=None):
        self.augment = augment
        self.transform = transform

    def __getitem__(self, index):
        if self.augment:
            return np.random.rand()
        return index if self.transform is None else self.transform(index)


class Jitter:
    def __call__(self, item):
        return item + np.random.rand()


class Same:
    def __call__(self, item):
        return item

"""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            """
def main(args, model):
    args.augment = not args.plain
    DataLoader(Data(args.augment), num_workers=2)  # expect: DL202
    DataLoader(Data(), num_workers=2)
""",
            id="a setting of the same name",
        ),
        pytest.param(
            """
class Plan:
    pass

plan = Plan()
plan.augment = True
DataLoader(Data(), num_workers=2)
""",
            id="an object of another class",
        ),
        pytest.param(
            """
train, val = Data(), Data()
train.augment = True
DataLoader(train, num_workers=2)  # expect: DL202
DataLoader(val, num_workers=2)
""",
            id="another object of the class",
        ),
        pytest.param(
            """
val = Data(augment=True)
val.augment = False
DataLoader(val, num_workers=2)
""",
            id="right after it was made",
        ),
        pytest.param(
            """
def main(args):
    data = Data(augment=True)
    if args.plain:
        data.augment = False
    DataLoader(data, num_workers=2)  # expect: DL202
""",
            id="on a condition",
        ),
        pytest.param(
            """
def prepare(data):
    data.augment = True

def main(find):
    prepare(find("train"))
    DataLoader(Data(), num_workers=2)  # expect: DL202
""",
            id="of nobody knows which object",
        ),
        pytest.param(
            """
train = Data(transform=Jitter())
val = copy.deepcopy(train)
val.transform = Same()
DataLoader(train, num_workers=2)  # expect: DL202
DataLoader(val, num_workers=2)
""",
            id="a copy with another transform",
        ),
        pytest.param(
            """
first = Data()
first.augment = True
DataLoader(copy.copy(first), num_workers=2)  # expect: DL202
""",
            id="a copy of what was set before",
        ),
    ],
)
def test_flags_that_are_set_from_outside(program: str, tmp_path: Path) -> None:
    _agree(tmp_path, _FLAGGED + program)


_SCIENCE = """
import skimage.util
from scipy import stats
from scipy.stats import truncnorm
from sklearn.utils import shuffle

class Data(Dataset):
    def __init__(self):
        self.bounds = truncnorm(-1, 1)

    def __getitem__(self, index):
        return {}


DataLoader(Data(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("draw", "found"),
    [
        ("shuffle([1, 2])", True),
        ("shuffle([1, 2], random_state=index)", False),
        ("stats.norm.rvs(0, 1)", True),
        ("self.bounds.rvs(3)", True),
        ("self.bounds.rvs(3, random_state=None)", True),
        ("truncnorm.rvs(-1, 1, random_state=np.random.default_rng(index))", False),
        ("skimage.util.random_noise(index)", True),
        ("stats.norm.pdf(index)", False),
    ],
)
def test_draws_inside_libraries(draw: str, found: bool, tmp_path: Path) -> None:
    program = _SCIENCE.replace("{}", draw)
    mark = "num_workers=2)"
    _agree(tmp_path, program.replace(mark, f"{mark}  # expect: DL202") if found else program)


_DRAWING = """
import argparse
import torch.multiprocessing as mp

class Data(Dataset):
    def __getitem__(self, index):
        return np.random.rand()

"""


@pytest.mark.parametrize(
    ("started", "found"),
    [
        ("    pass", True),
        ('    mp.set_start_method("spawn")', False),
        ('    if mp.get_start_method(allow_none=True) is None:\n        mp.set_start_method("spawn")', False),
        ('    if args.distributed:\n        mp.set_start_method("spawn")', True),
        ('    mp.set_start_method("fork")', True),
    ],
)
def test_workers_that_are_no_copies(started: str, found: bool, tmp_path: Path) -> None:
    program = f"""
def prepare(args):
{started}

def main(args):
    prepare(args)
    DataLoader(Data(), num_workers=2){"  # expect: DL202" if found else ""}
    DataLoader(Data(), num_workers=2, multiprocessing_context="spawn")

if __name__ == "__main__":
    main(argparse.ArgumentParser().parse_args())
"""
    _agree(tmp_path, _DRAWING + program)


def test_spawn_that_only_some_callers_ask_for(tmp_path: Path) -> None:
    program = """
def init_dist():
    mp.set_start_method("spawn")

def main(args):
    if args.launcher != "none":
        init_dist()
    DataLoader(Data(), num_workers=2)  # expect: DL202

if __name__ == "__main__":
    main(argparse.ArgumentParser().parse_args())
"""
    _agree(tmp_path, _DRAWING + program)


@pytest.mark.parametrize(
    ("arguments", "found"), [("1, True", False), ("1", True), ("1, workers=False", True), ("1, False", True)]
)
def test_whether_lightning_seeds_the_workers(arguments: str, found: bool, tmp_path: Path) -> None:
    program = f"""
from lightning.fabric.utilities.seed import seed_everything

seed_everything({arguments})
DataLoader(Data(), num_workers=2){"  # expect: DL202" if found else ""}
"""
    _agree(tmp_path, _DRAWING + program)


_TRANSFORMED = """
from functools import partial

import albumentations as A
from albumentations.core.transforms_interface import DualTransform
from torchvision import transforms

class Data(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)


def change(item, kind="flip"):
    return item + np.random.rand() if kind == "noise" else item


"""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            """
DataLoader(Data(change), num_workers=2)
DataLoader(Data(partial(change, kind="crop")), num_workers=2)
DataLoader(Data(partial(change, kind="noise")), num_workers=2)  # expect: DL202
""",
            id="partials as transforms",
        ),
        pytest.param(
            """
plain, noisy = partial(change, kind="crop"), partial(change, kind="noise")
DataLoader([1], num_workers=2, collate_fn=plain)
DataLoader([1], num_workers=2, collate_fn=noisy)  # expect: DL202
DataLoader([1], num_workers=2, collate_fn=change)
""",
            id="partials as collate_fn",
        ),
        pytest.param(
            """
crop, noise = partial(change, kind="crop"), partial(change, kind="noise")
DataLoader(Data(transforms.Compose([crop, change])), num_workers=2)
DataLoader(Data(transforms.Compose([crop, noise])), num_workers=2)  # expect: DL202
""",
            id="partials in a Compose",
        ),
        pytest.param(
            """
class Noise(A.ImageOnlyTransform):
    def apply(self, image, **parameters):
        return image + np.random.normal(size=image.shape)

class Shift(DualTransform):
    def get_params(self):
        return {"shift": np.random.randint(9)}

class Gray(A.ImageOnlyTransform):
    def apply(self, image, **parameters):
        return image

DataLoader(Data(A.Compose([Noise(), A.HorizontalFlip()])), num_workers=2)  # expect: DL202
DataLoader(Data(A.Compose([Shift(p=0.5)])), num_workers=2)  # expect: DL202
DataLoader(Data(A.Compose([Gray(p=0.5)])), num_workers=2)
""",
            id="derived from albumentations",
        ),
        pytest.param(
            """
class Crop(transforms.RandomResizedCrop):
    @staticmethod
    def get_params(image, scale, ratio):
        return np.random.randint(3), 0, 1, 1

class Never(transforms.RandomResizedCrop):
    @staticmethod
    def get_params(image, scale, ratio):
        return np.random.randint(3), 0, 1, 1

    def __call__(self, image):
        return image

DataLoader(Data(Crop(224)), num_workers=2)  # expect: DL202
DataLoader(Data(Never(224)), num_workers=2)
""",
            id="derived from torchvision",
        ),
    ],
)
def test_draws_of_transforms(program: str, tmp_path: Path) -> None:
    _agree(tmp_path, _TRANSFORMED + program)


_SPLIT = """
class Data(Dataset):
    def __init__(self, split, augment=False):
        self.augment = augment or split == "train"

    def __getitem__(self, index):
        return np.random.rand() if self.augment else index

"""


@pytest.mark.parametrize(
    "made",
    [
        'train, val = [Data(split) for split in ("train", "val")]',
        'train, val = (Data(split) for split in ("train", "val"))',
        'sets = {split: Data(split) for split in ["train", "val"]}; train, val = sets["train"], sets["val"]',
        'plan = {"a": True, "b": False}; sets = {k: Data(k, v) for k, v in plan.items()}; '
        'train, val = sets["a"], sets["b"]',
        'def make(split): return Data(split)\nsets = {s: make(s) for s in ("train", "val")}; '
        'train, val = sets["train"], sets["val"]',
    ],
)
def test_datasets_of_a_comprehension(made: str, tmp_path: Path) -> None:
    program = f"""
{made}
DataLoader(train, num_workers=2)  # expect: DL202
DataLoader(val, num_workers=2)
"""
    _agree(tmp_path, _SPLIT + program)


def test_a_comprehension_over_what_nobody_knows(tmp_path: Path) -> None:
    program = """
def main(splits):
    sets = {split: Data(split) for split in splits}
    DataLoader(sets["val"], num_workers=2)  # expect: DL202
"""
    _agree(tmp_path, _SPLIT + program)


@pytest.mark.parametrize(
    ("train", "val"),
    [
        ("DATASETS[cfg.name](cfg, train=True)", "DATASETS[cfg.name](cfg, train=False)"),
        ("make(cfg, True)", "make(cfg, False)"),
        ("DATASETS.get(cfg.name)(cfg, True)", "find(cfg)(cfg, False)"),
    ],
)
def test_flags_of_a_dataset_found_by_its_name(train: str, val: str, tmp_path: Path) -> None:
    registry = """
DATASETS = {}

def register(cls):
    DATASETS[cls.__name__] = cls
    return cls
"""
    photos = """
from registry import register

@register
class Photos(Dataset):
    def __init__(self, cfg, train=True):
        self.train = train

    def __getitem__(self, index):
        return np.random.rand() if self.train else index
"""
    program = f"""
import photos
from registry import DATASETS

def find(cfg):
    return DATASETS[cfg.name]

def make(cfg, train):
    cls = find(cfg)
    return cls(cfg, train=train)

def main(cfg):
    DataLoader({train}, num_workers=2)  # expect: DL202
    DataLoader({val}, num_workers=2)
    DataLoader(DATASETS.build(cfg, False), num_workers=2)  # expect: DL202
"""
    files = {"registry.py": registry, "photos.py": _HEAD + photos, "main.py": _HEAD + program}
    agree(tmp_path, files, "DL202", target_torch="1.8")


@pytest.mark.parametrize("kept", [True, False])
def test_workers_that_live_on_draw_other_numbers_in_every_epoch(kept: bool, tmp_path: Path) -> None:
    program = f"""
class Data(Dataset):
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def __getitem__(self, index):
        return np.random.rand() + self.rng.rand()

DataLoader(Data(), num_workers=2, persistent_workers={kept})
"""
    report = check(tmp_path, {"main.py": _HEAD + program}, "DL202", "DL203", target_torch="1.8")
    assert ["epoch" in finding.message for finding in report.findings] == [not kept, not kept]


def test_one_of_several_bases_may_make_its_generator_in_each_process(tmp_path: Path) -> None:
    program = """
import os

class Sample(Dataset):
    def __getitem__(self, index):
        return self.rng.random()


class Plain:
    def __init__(self):
        self.rng = np.random.default_rng(1)  # expect: DL203


class Fresh:
    def __init__(self):
        self.made, self.pid = None, None

    @property
    def rng(self):
        if self.pid != os.getpid():
            self.made, self.pid = np.random.default_rng(), os.getpid()
        return self.made


def build(name):
    class Data({"plain": Plain, "fresh": Fresh}[name], Sample):
        pass

    return Data()


def main(name):
    return DataLoader(build(name), num_workers=2)
"""
    agree(tmp_path, {"main.py": _HEAD + program}, "DL203")


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        ("self.reset(seed)", False),
        ("self.start(seed)", False),
        ("self.rng = np.random.RandomState(seed)", False),
        ("self.rows = seed", True),
    ],
)
def test_a_generator_of_the_class_that_is_always_replaced(made: str, seen: bool, tmp_path: Path) -> None:
    program = f"""

class Drawing:
    rng = np.random.RandomState()

    def reset(self, seed):
        self.rng = np.random.RandomState(seed)

    def start(self, seed):
        self.reset(seed)

class Data(Drawing, Dataset):
    def __init__(self, seed):
        {made}

    def __getitem__(self, index):
        return self.rng.rand()


for epoch in range(3):
    for batch in DataLoader(Data(3), num_workers=2):
        pass
"""
    findings = check(tmp_path, {"main.py": _HEAD + program}, "DL203").findings
    assert findings
    assert any(finding.line == 6 for finding in findings) == seen
