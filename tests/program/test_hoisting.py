"""Which closures may move without anybody seeing it: only those that are nothing but called."""

from __future__ import annotations

import ast

import pytest

from dlint.changes.hoisting.around import Stays
from dlint.changes.hoisting.plan import hoist
from dlint.source.closures import trail_to
from dlint.source.nodes import walk
from tests.remedies.case import opened

_HEAD = """\
import argparse
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, index):
        if self.transform is not None:
            return self.transform(index)
        return index


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


class Named:
    def __init__(self, function):
        self.function = function
        self.name = function.__name__


@register
class Registered(Numbers):
    pass


class Checked(Dataset):
    def __init__(self, checked):
        self.checked = checked

    @property
    def checked(self):
        return None


def made(function):
    return Numbers(function)


"""

_SAFE = {
    "given to the loader": "DataLoader(data, collate_fn=lambda batch: batch[:2])",
    "kept by a dataset that calls it": "Numbers(lambda x: x + 1)",
    "through a function": "made(lambda x: x + 1)",
    "one of a list of transforms": "Numbers(Compose([lambda x: x + 1]))",
    "in a variable": "f = lambda x: x + 1\n    return Numbers(f) if f else Numbers(transform=f)",
    "with a name bound": "size = 3\n    return DataLoader(data, collate_fn=lambda batch: batch[:size])",
    "an option of the command line": (
        "args = argparse.ArgumentParser().parse_args()\n"
        "    return DataLoader(data, collate_fn=lambda batch: pad(batch, args.size))"
    ),
}
_UNSAFE = {
    "all attributes of the dataset are shown": "return vars(Numbers(lambda x: x + 1))",
    "an attribute may be asked for by any name": "return getattr(Numbers(lambda x: x + 1), data)",
    "it is given on by whoever unpacks": "made(*[lambda x: x + 1])",
    "a class is put around the dataset's": "Registered(lambda x: x + 1)",
    "storing it does something of its own": "Checked(lambda x: x + 1)",
    "something goes through the module's names": "return Numbers(lambda x: x + 1), globals().values()",
    "its name is read": "Named(lambda x: x + 1)",
    "it is returned to whoever calls": "return lambda x: x + 1",
    "an unknown function gets it": "register(lambda x: x + 1)",
    "an entry of anything is read earlier": "DataLoader(data, collate_fn=lambda batch: pad(batch, data.size))",
    "an import is left to the worker": (
        "import math\n    return DataLoader(data, collate_fn=lambda batch: math.fsum(batch))"
    ),
    "the dataset is copied with all it holds": (
        "from copy import deepcopy\n    size = 3\n    return deepcopy(Numbers(lambda x: x + size))"
    ),
}


_STAYS = {
    "it is the key of a dict": ("{(lambda x: x + 1): 1}", "a key"),
    "it is compared": ("f = lambda x: x + 1\n    return f is data, Numbers(f)", "compared"),
    "attributes of it are set later": (
        "numbers = made(lambda x: x)\n    numbers.transform.n = 1",
        "attributes",
    ),
    "a partial has no name": ("Named(lambda x: x + data)", "its name"),
    "a class gets a partial": ("Numbers.op = lambda self, x: x + data", "a class"),
}


def _is_safe(body: str) -> bool:
    source = opened(f"{_HEAD}def make(data):\n    {body}\n", {})
    with source.surroundings.asking() as program:
        module = source.surroundings.module(source)
        node = next(each for each in walk(module.tree) if isinstance(each, ast.Lambda))
        trail = trail_to(module.tree, node)
        assert trail is not None
        return hoist(program, module, trail).safe


@pytest.mark.parametrize("title", _SAFE)
def test_nobody_sees_that_it_moved(title: str) -> None:
    assert _is_safe(_SAFE[title])


@pytest.mark.parametrize("title", _UNSAFE)
def test_somebody_may_see_that_it_moved(title: str) -> None:
    assert not _is_safe(_UNSAFE[title])


@pytest.mark.parametrize("title", _STAYS)
def test_what_would_be_another_thing_stays(title: str) -> None:
    body, reason = _STAYS[title]
    with pytest.raises(Stays, match=reason):
        _is_safe(body)
