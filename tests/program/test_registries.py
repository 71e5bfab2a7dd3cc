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
