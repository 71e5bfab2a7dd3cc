"""What toolboxes build and hold: datasets wrapped by builders, for several callers, with states of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree, program

_WRAPPERS = """\
import numpy as np
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, names):
        self.names = names
        self.rng = np.random.default_rng(0)  # expect: DL203

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.rng.random()
"""
_WRAPPER = """

class {name}(Dataset):
    def __init__(self, dataset, times):
        self.dataset = dataset
        self.names = dataset.names

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        return self.dataset[index % len(self.names)]
"""
_KINDS = ("Repeated", "Balanced", "Cropped", "Cached")
_BUILT = (
    """

class Joined(ConcatDataset):
    def __init__(self, datasets):
        super().__init__(datasets)
        self.names = datasets[0].names


def build(cfg):
    if isinstance(cfg, list):
        return Joined([build(each) for each in cfg])
"""
    + "".join(
        f"""    if cfg["type"] == "{name}":
        return {name}(build(cfg["dataset"]), cfg["times"])
"""
        for name in _KINDS
    )
    + """    return Photos(cfg["names"])


def main(cfg):
    for batch in DataLoader(build(cfg), num_workers=4):
        print(batch)
"""
)


def _toolbox() -> dict[str, str]:
    return {"main.py": _WRAPPERS + "".join(_WRAPPER.format(name=name) for name in _KINDS) + _BUILT}


def test_a_builder_that_calls_itself(tmp_path: Path) -> None:
    agree(tmp_path, _toolbox(), "DL203")


def test_a_builder_that_calls_itself_wraps_no_deeper_than_one_call(tmp_path: Path) -> None:
    whole = program(tmp_path, _toolbox())
    codes = {id(use.code): use.code for use in whole.uses}.values()
    assert all(len(code.visits) < 40 for code in codes)
    assert sum(len(code.visits) for code in codes) < 160


_MAPPED = """\
import cv2
from torch.utils.data import DataLoader, Dataset


class Plain:
    def __call__(self, name):
        return name


class Read:
    def __call__(self, name):
        return cv2.imread(name)  # expect: DL101


class Mapped(Dataset):
    def __init__(self, names, mapper):
        self.names = names
        self.mapper = mapper

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.mapper(self.names[index])


def build(names, mapper, workers=2):
    return DataLoader(Mapped(names, mapper), num_workers=workers)


def evaluate(names):
    return build(names, Plain())


def train(names):
    return build(names, Read())
"""


def test_what_each_caller_of_a_builder_gives_a_dataset(tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": _MAPPED}, "DL101")


def test_no_caller_gives_workers_and_the_transform_that_reads(tmp_path: Path) -> None:
    silent = _MAPPED.replace("Read())", "Read(), workers=0)").replace("  # expect: DL101", "")
    agree(tmp_path, {"main.py": silent}, "DL101")


_CONFIGURED = """\
import functools
from torch.utils.data import DataLoader, Dataset
import gin
import numpy as np


class Config(dict):
    pass


def filled(from_config):
    def wrapper(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            if isinstance(args[0], Config):
                given = from_config(*args, **kwargs)
                return function(**given)
            return function(*args, **kwargs)

        return wrapped

    return wrapper


def timed(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped


class Photos(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def from_config(cfg):
    return {"dataset": Photos(), "workers": cfg["workers"]}


DECORATOR
def build(dataset, workers=0):
    return DataLoader(Photos(), num_workers=workers)  # expect: DL202


def main(cfg):
    return build(cfg)
"""


@pytest.mark.parametrize("decorator", ["@filled(from_config)", "@gin.configurable", "@gin.configurable()"])
def test_a_decorator_gives_what_callers_leave_out(tmp_path: Path, decorator: str) -> None:
    agree(tmp_path, {"main.py": _CONFIGURED.replace("DECORATOR", decorator)}, "DL202", target_torch="1.8")


@pytest.mark.parametrize("decorator", ["", "@timed", "@functools.lru_cache()"])
def test_a_decorator_that_passes_on_what_callers_give(tmp_path: Path, decorator: str) -> None:
    silent = _CONFIGURED.replace("DECORATOR", decorator).replace("  # expect: DL202", "")
    agree(tmp_path, {"main.py": silent}, "DL202", target_torch="1.8")


_SEEDED = """\
from functools import partial
import numpy as np
from torch.utils.data import DataLoader


def build(dataset, workers, seed=None):
    start = partial(worker_init_fn, workers=workers, seed=seed) if seed is not None else None
    return DataLoader(dataset, num_workers=workers, worker_init_fn=start)


def worker_init_fn(worker_id, workers, seed):
    np.random.seed(workers + worker_id + seed)  # expect: DL204


def train(cfg, train_set, val_set):
    build(val_set, cfg.data["workers_per_gpu"])
    return build(train_set, cfg.data["workers_per_gpu"], seed=cfg.seed)
"""


def test_a_seed_of_the_caller_that_gives_one(tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": _SEEDED}, "DL204")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed=cfg.seed", "seed=np.random.randint(9)"),
        ('train_set, cfg.data["workers_per_gpu"]', 'train_set, cfg.data["epoch"]'),
        ('train_set, cfg.data["workers_per_gpu"]', 'train_set, cfg.data["limit"]'),
        ('train_set, cfg.data["workers_per_gpu"]', 'train_set, batch["worker"]'),
    ],
)
def test_a_seed_of_the_caller_that_may_change(tmp_path: Path, old: str, new: str) -> None:
    agree(tmp_path, {"main.py": _SEEDED.replace(old, new).replace("  # expect: DL204", "")}, "DL204")


_OF_CLASS = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Randomizable:
    R = np.random.RandomState()  # expect: DL203

    def set_random_state(self, seed):
        self.R = np.random.RandomState(seed)


class Flip(Randomizable):
    def __call__(self, name):
        return name, self.R.rand()


class Photos(Dataset):
    def __init__(self, names):
        self.names = names
        self.flip = Flip()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.flip(self.names[index])


def start(worker_id):
    info = torch.utils.data.get_worker_info()
    for part in vars(info.dataset).values():
        if hasattr(part, "set_random_state"):
            part.RENEW(info.seed % 2**32)


def main(names):
    return DataLoader(Photos(names), num_workers=2, worker_init_fn=start)
"""


@pytest.mark.parametrize(("method", "found"), [("set_random_state", False), ("set_name", True)])
def test_a_generator_of_a_class_that_the_workers_renew(tmp_path: Path, method: str, found: bool) -> None:
    program = _OF_CLASS.replace("RENEW", method)
    agree(tmp_path, {"main.py": program if found else program.replace("  # expect: DL203", "")}, "DL203")


_NUMBERED = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Numbered(Dataset):
    def __init__(self, dataset, seed):
        self.dataset = dataset
        self.first = seed
        self.current = seed

    def __len__(self):
        return len(self.dataset)

    def METHOD(self, number):
        self.current = self.first + number

    def __getitem__(self, index):
        torch.manual_seed(index + self.current)  # expect: DL201
        return self.dataset[index], torch.rand(1)


def main(names, seed):
    return DataLoader(Numbered(names, seed), num_workers=2)
"""


@pytest.mark.parametrize(("method", "found"), [("set_epoch", False), ("set_number", True)])
def test_a_seed_that_a_dataset_is_told_for_each_epoch(tmp_path: Path, method: str, found: bool) -> None:
    program = _NUMBERED.replace("METHOD", method)
    agree(tmp_path, {"main.py": program if found else program.replace("  # expect: DL201", "")}, "DL201")


_PICKLED = """\
import copy
import h5py
from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __getstate__(self):
        STATE


class Images(Base):
    def __init__(self, path):
        self.file = h5py.File(path)  # expect: DL403

    def __len__(self):
        return 9

    def __getitem__(self, index):
        return self.file["images"][index]


def main(path):
    return DataLoader(Images(path), num_workers=2)
"""


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("return self.__dict__.copy()", True),
        ('"""All."""\n        return dict(vars(self))', True),
        ("return copy.copy(self.__dict__)", True),
        ("return {**self.__dict__, 'file': None}", False),
        ("return dict(self.__dict__, file=None)", False),
        ("state = self.__dict__.copy()\n        del state['file']\n        return state", False),
    ],
)
def test_a_state_that_keeps_everything(tmp_path: Path, state: str, found: bool) -> None:
    program = _PICKLED.replace("STATE", state)
    agree(tmp_path, {"main.py": program if found else program.replace("  # expect: DL403", "")}, "DL403")


_BY_KIND = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

KINDS = {}


def register(kind):
    KINDS[kind.__name__] = kind
    return kind


@register
class Photos(BASE):
    def __len__(self):
        return 8

    def METHOD


def build(name, workers):
    dataset = KINDS.get(name)()
    if isinstance(dataset, IterableDataset):
        return DataLoader(dataset, num_workers=workers)  # expect: STREAM
    else:
        return DataLoader(dataset, num_workers=workers)  # expect: MAP
"""
_READ = "__getitem__(self, index):\n        return np.random.rand()"
_STREAMED = (
    "__iter__(self):\n        for _ in range(get_worker_info().id):\n            yield np.random.rand()"
)


@pytest.mark.parametrize(
    ("base", "method", "stream", "items"),
    [("Dataset", _READ, "", "DL202"), ("IterableDataset", _STREAMED, "DL202", "")],
)
def test_a_test_on_the_kind_of_dataset(
    tmp_path: Path, base: str, method: str, stream: str, items: str
) -> None:
    program = _BY_KIND.replace("BASE", base).replace("METHOD", method)
    program = program.replace("STREAM", stream).replace("MAP", items).replace("# expect: \n", "\n")
    agree(tmp_path, {"main.py": program}, "DL202", target_torch="1.8")
