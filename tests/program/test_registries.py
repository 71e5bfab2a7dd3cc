"""Classes that are made by a name: what a registry holds, whoever fills it, and what a name selects."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.program.program import Program
from dlint.values.values import Instance, Unknown
from program.sources import program

_SETS = """\
from torch.utils.data import Dataset
import torch
from registry import *


{clean}
class Clean({base}):
    def __getitem__(self, index):
        return index


{noisy}
class Noisy({base}):
    def __getitem__(self, index):
        return index + torch.rand(1)


class Other(Dataset):
    def __getitem__(self, index):
        return index
"""

_MAIN = """\
from torch.utils.data import DataLoader
import registry
from registry import *
import sets


def main(args):
    known = "Clean"
    loader = DataLoader({made}, num_workers=2)
"""

# What registers (in registry.py), the decorators of two classes, what stands below them, the look-up.
_WAYS = {
    "a decorator": (
        "DATASETS = {}\n\ndef add(cls):\n    DATASETS[cls.__name__] = cls\n    return cls\n",
        ("@add", "@add", ""),
        "DATASETS[{}]()",
    ),
    "a decorator that is told the name": (
        "DATASETS = {}\n\ndef register(name):\n    def wrap(cls):\n        DATASETS[name] = cls\n"
        "        return cls\n    return wrap\n",
        ('@register("Clean")', '@register("Noisy")', ""),
        "registry.DATASETS.get({})()",
    ),
    "a decorator with and without a name": (
        "DATASETS = {}\n\ndef register(cls=None, name=None):\n    def wrap(cls):\n"
        "        key = name if name is not None else cls.__name__\n        if key in DATASETS:\n"
        "            raise KeyError(key)\n        DATASETS[key] = cls\n        return cls\n"
        "    return wrap if cls is None else wrap(cls)\n",
        ("@register", '@register(name="Noisy")', ""),
        "DATASETS[{}]()",
    ),
    "an object with methods": (
        "class Registry:\n    def __init__(self, name):\n        self.name = name\n        self._held = {}\n\n"
        "    def _keep(self, name, thing):\n        self._held[name] = thing\n\n"
        "    def register(self, thing=None):\n        if thing is None:\n            def wrap(given):\n"
        "                self._keep(given.__name__, given)\n                return given\n"
        "            return wrap\n        self._keep(thing.__name__, thing)\n        return thing\n\n"
        "    def get(self, name):\n        found = self._held.get(name)\n        if found is None:\n"
        "            raise KeyError(name)\n        return found\n\n"
        "MODELS = Registry('models')\nDATASETS = Registry('datasets')\n",
        ("@DATASETS.register()", "@DATASETS.register", "MODELS.register(Other)\n"),
        "DATASETS.get({})()",
    ),
    "an object that is a dict": (
        "class Registry(dict):\n    def add(self, cls):\n        self[cls.__name__] = cls\n"
        "        return cls\n\nDATASETS = Registry()\nOTHERS = Registry()\n",
        ("@DATASETS.add", "@DATASETS.add", "OTHERS.add(Other)\n"),
        "DATASETS[{}]()",
    ),
    "a dict of a class, by kinds": (
        "class Registry:\n    held = {'dataset': {}, 'model': {}}\n\n    @classmethod\n"
        "    def dataset(cls, name):\n        def wrap(given):\n"
        "            cls.held['dataset'][name] = given\n            return given\n        return wrap\n\n"
        "    @classmethod\n    def model(cls, name):\n        def wrap(given):\n"
        "            cls.held['model'][name] = given\n            return given\n        return wrap\n\n"
        "    @classmethod\n    def dataset_class(cls, name):\n"
        "        return cls.held['dataset'].get(name, None)\n",
        ('@Registry.dataset("Clean")', '@Registry.dataset("Noisy")', 'Registry.model("x")(Other)\n'),
        "Registry.dataset_class({})()",
    ),
    "calls at the top of a file": (
        "DATASETS = {}\n\ndef register(name, cls):\n    DATASETS[name] = cls\n",
        ("", "", 'register("Clean", Clean)\nregister("Noisy", Noisy)\n'),
        "DATASETS[{}]()",
    ),
    "stores from another file": (
        "DATASETS = {}\n",
        ("", "", 'DATASETS["Clean"] = Clean\nDATASETS["Noisy"] = Noisy\n'),
        "DATASETS[{}]()",
    ),
    "a class that keeps its heirs": (
        "from torch.utils.data import Dataset\n\nclass Kept(Dataset):\n    known = {}\n\n"
        "    def __init_subclass__(cls, **options):\n        super().__init_subclass__(**options)\n"
        "        Kept.known[cls.__name__] = cls\n",
        ("", "", ""),
        "Kept.known[{}]()",
    ),
}


def _gets(program: Program) -> tuple[set[str], bool]:
    """The classes of what the loader gets, and whether it may get what is not known."""
    (loader,) = program.loaders
    values = loader.values("dataset")
    unknown = any(isinstance(value, Unknown) for value in values)
    return {value.cls.name for value in values if isinstance(value, Instance)}, unknown


def _files(way: str, name: str) -> dict[str, str]:
    registry, (clean, noisy, below), made = _WAYS[way]
    base = "Kept" if "class Kept" in registry else "Dataset"
    sets = _SETS.format(clean=clean, noisy=noisy, base=base) + "\n\n" + below
    return {"registry.py": registry, "sets.py": sets, "main.py": _MAIN.format(made=made.format(name))}


@pytest.mark.parametrize("way", _WAYS)
def test_a_name_that_is_known_selects_the_class_of_that_name(way: str, tmp_path: Path) -> None:
    assert _gets(program(tmp_path, _files(way, "known"))) == ({"Clean"}, False)


@pytest.mark.parametrize("way", _WAYS)
def test_an_unknown_name_means_any_that_is_registered(way: str, tmp_path: Path) -> None:
    assert _gets(program(tmp_path, _files(way, "args.name"))) == ({"Clean", "Noisy"}, True)


_BIRDS = """\
from torch.utils.data import Dataset
from torch import nn


class CleanDataset(Dataset):
    def __init__(self, files=(), rate=0):
        self.files = files

    def __getitem__(self, index):
        return index


class NoisyDataset(CleanDataset):
    pass


class Model(nn.Module):
    def forward(self, x):
        return x


def unrelated():
    class Inner(Dataset):
        pass
    return Inner
"""
_LOADS = """\
import importlib
import inspect
import pydoc
import sys
from importlib import import_module

import data.birds
import hydra
from data import birds
from data.birds import *
from torch.utils.data import DataLoader, Dataset


def find(path):
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def search(name):
    library = importlib.import_module("data." + name)
    found = None
    for key, cls in library.__dict__.items():
        if key.lower() == name + "dataset" and issubclass(cls, Dataset):
            found = cls
    return found


def main(args):
    known = "Clean"
    loader = DataLoader({made}, num_workers=2)
"""
_CONFIGURATION = """\
model: {_target_: data.birds.Model, size: 1.5}
dataset:
  path: data.birds.CleanDataset
  missing: data.birds.Gone
  file: data/birds.csv
  inner: data.birds.unrelated.Inner
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ('getattr(birds, "CleanDataset")()', {"CleanDataset"}),
        ('getattr(birds, known + "Dataset")()', {"CleanDataset"}),
        ('getattr(birds, f"{known}Dataset")()', {"CleanDataset"}),
        ('getattr(birds, args.name + "Dataset")()', {"CleanDataset", "NoisyDataset"}),
        ('getattr(birds, "Noisy%s" % args.kind)()', {"NoisyDataset"}),
        ('getattr(import_module("data.birds"), f"Clean{args.kind}")()', {"CleanDataset"}),
        ('getattr(import_module(f"data.{args.module}"), "CleanDataset")()', {"CleanDataset"}),
        ('getattr(import_module("data." + args.module + "s"), "CleanDataset")()', {"CleanDataset"}),
        ('getattr(import_module(".birds", package="data"), "NoisyDataset")()', {"NoisyDataset"}),
        ('globals()["CleanDataset"]()', {"CleanDataset"}),
        ('globals()[known + "Dataset"]()', {"CleanDataset"}),
        ('vars(birds)["NoisyDataset"]()', {"NoisyDataset"}),
        ('getattr(sys.modules[__name__], "NoisyDataset")()', {"NoisyDataset"}),
        ('dict(inspect.getmembers(birds))["NoisyDataset"]()', {"NoisyDataset"}),
        ("find(args.path)()", {"CleanDataset"}),
        ('find("data.birds.NoisyDataset")()', {"NoisyDataset"}),
        ("pydoc.locate(args.path)()", {"CleanDataset"}),
        ('hydra.utils.instantiate({"_target_": "data.birds.NoisyDataset", "rate": 4})', {"NoisyDataset"}),
        ("hydra.utils.instantiate(args.dataset)", {"CleanDataset"}),
        ('hydra.utils.get_class("data.birds.NoisyDataset")()', {"NoisyDataset"}),
        ("search(args.name)()", {"CleanDataset", "NoisyDataset"}),
    ],
)
def test_what_is_found_by_a_name(made: str, expected: set[str], tmp_path: Path) -> None:
    files = {
        "data/__init__.py": "",
        "data/birds.py": _BIRDS,
        "main.py": _LOADS.replace("{made}", made),
        "conf/config.yaml": _CONFIGURATION,
    }
    whole = program(tmp_path, files)
    (loader,) = whole.loaders
    gets = {use.dataset.cls.name for use in whole.uses_of(loader) if isinstance(use.dataset, Instance)}
    assert gets == expected


_TWO = """\
import torch
from torch.utils.data import DataLoader, Dataset

{first} = {{}}
{second} = {{}}


def {keeps}(cls):
    {first}[cls.__name__] = cls
    return cls


def other(cls):
    {second}[cls.__name__] = cls
    return cls


{decorated}
class Kept(Dataset):
    def __getitem__(self, index):
        return index


@other
class Another(Dataset):
    def __getitem__(self, index):
        return None


def inside():
    @{keeps}
    class Local(Dataset):
        def __getitem__(self, index):
            return None
    return Local


def main(args):
    loader = DataLoader({made}, num_workers=2)
"""


@pytest.mark.parametrize(
    ("decorated", "made", "expected"),
    [
        # Of two registries, and of a class in a function, only what this one holds.
        ("@keep", "FIRST[args.name]()", ({"Kept"}, True)),
        ("@keep", "SECOND[args.name]()", ({"Another"}, True)),
        # A name that is known, and that none of them has.
        ("@keep", 'FIRST["Gone"]()', (set(), True)),
        ("@keep", 'FIRST["Another"]()', (set(), True)),
        # What is decorated by something else is not in it.
        ("@torch.no_grad()", "FIRST[args.name]()", (set(), True)),
        # A registry that nobody asks.
        ("@keep", "args.dataset", (set(), True)),
    ],
)
def test_what_is_not_in_a_registry(
    decorated: str, made: str, expected: tuple[set[str], bool], tmp_path: Path
) -> None:
    text = _TWO.format(first="FIRST", second="SECOND", keeps="keep", decorated=decorated, made=made)
    assert _gets(program(tmp_path, {"main.py": text})) == expected


def test_registries_of_one_name_in_two_modules(tmp_path: Path) -> None:
    registry = "KNOWN = {}\n\ndef add(cls):\n    KNOWN[cls.__name__] = cls\n    return cls\n"
    sets = "from torch.utils.data import Dataset\nfrom {home} import add\n\n@add\nclass {name}(Dataset):\n"
    sets += "    def __getitem__(self, index):\n        return index\n"
    main = "from torch.utils.data import DataLoader\nimport sets, others\nfrom registry import KNOWN\n\n"
    main += "def main(args):\n    loader = DataLoader(KNOWN[args.name](), num_workers=2)\n"
    files = {
        "registry.py": registry,
        "models.py": registry,
        "sets.py": sets.format(home="registry", name="Birds"),
        "others.py": sets.format(home="models", name="Model"),
        "main.py": main,
    }
    assert _gets(program(tmp_path, files)) == ({"Birds"}, True)
