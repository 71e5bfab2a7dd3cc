"""Bombs: programs that grow with a size and are cheap to write down, each hard in one way of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Written = str | Mapping[str, str]


class Bomb(NamedTuple):
    """A kind of program; ``usual`` is the size of the tests, ``large`` that of a long run.

    ``seconds`` is what the command may take for it: more only where parsing alone takes long.
    """

    kind: str
    files_of: Callable[[int], Written]
    usual: int
    large: int
    about: str

    def files(self, size: int) -> dict[str, bytes]:
        """The program of a size, without the good one beside it."""
        made = self.files_of(size)
        texts = {"bomb.py": made} if isinstance(made, str) else made
        return {name: text.encode() for name, text in texts.items()}


BOMBS: dict[str, Bomb] = {}


def bomb(usual: int, large: int) -> Callable[[Callable[[int], Written]], Callable[[int], Written]]:
    """Enter a function that writes the program of a size; its name is the kind."""

    def enter(files_of: Callable[[int], Written]) -> Callable[[int], Written]:
        kind = files_of.__name__
        assert kind not in BOMBS, kind
        BOMBS[kind] = Bomb(kind, files_of, usual, large, files_of.__doc__ or "")
        return files_of

    return enter


HEAD = """\
import argparse
import cv2
import random
import numpy as np
from functools import partial
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler
"""
ITEMS = """\
class Items(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        image = cv2.imread(str(index))
        return cv2.resize(image, (8, 8)) + np.random.rand()
"""


def program(before: str = "", *, workers: str = "2", more: str = "", dataset: str = "Items()") -> str:
    """A program with a dataset and a loader that gets these expressions, after these statements."""
    loader = f"loader = DataLoader({dataset}, num_workers={workers}{', ' if more else ''}{more})\n"
    return f"{HEAD}\n\n{ITEMS}\n\n{before}\n{loader}for batch in loader:\n    print(batch)\n"


def item(expression: str, before: str = "") -> str:
    """A program whose workers compute an expression for every item."""
    return (
        f"{HEAD}\n\n{before}\nclass Items(Dataset):\n    def __getitem__(self, index):\n"
        f"        image = cv2.imread(str(index))\n        value = {expression}\n        return image, value\n\n\n"
        "loader = DataLoader(Items(), num_workers=2, shuffle=True)\n"
    )


def lines(pattern: str, size: int, start: int = 0) -> str:
    """A pattern once for each number, with ``{i}``, ``{j}`` (the next) and ``{h}`` (the one before)."""
    return "".join(pattern.format(i=i, j=i + 1, h=i - 1) for i in range(start, start + size))


def indented(text: str, depth: int = 1) -> str:
    return "".join("    " * depth + line for line in text.splitlines(keepends=True))
