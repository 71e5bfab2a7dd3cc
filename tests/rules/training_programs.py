"""Programs that train, and the lines on which dlint finds something in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

HEAD = """\
import argparse
import functools
import operator
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, DistributedSampler, Subset, random_split
from torchvision import datasets, transforms


"""

MAIN = """

if __name__ == "__main__":
    main()
"""


def lines_of(folder: Path, program: str, code: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines, counted from the program's first, that have a finding."""
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(HEAD + program)
    monkeypatch.chdir(folder)
    findings = engine.check([Path()], Settings(select=(code,))).findings
    return [finding.line - HEAD.count("\n") for finding in findings]


def marked(program: str) -> list[int]:
    return [number for number, line in enumerate(program.split("\n"), 1) if line.endswith("# here")]


ITERATED = """
import prefetch_generator


class Background(DataLoader):
    def __iter__(self):
        return prefetch_generator.BackgroundGenerator(super().__iter__())


class Moved:
    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        for batch in self.loader:
            yield batch


class From(Moved):
    def __iter__(self):
        yield from self.loader


class Handed(Moved):
    def __iter__(self):
        return iter(self.loader)


class Stepped(Moved):
    def __iter__(self):
        self.batches = None
        return self

    def __next__(self):
        return self.following()

    def following(self):
        if self.batches is None:
            self.batches = iter(self.loader)
        return next(self.batches)


class Listed(Moved):
    def __iter__(self):
        return iter([len(self.loader)])


dataset = datasets.CIFAR10("d")
sampler = DistributedSampler(dataset)
loader = {made}(dataset, 64, sampler=sampler, num_workers=4)
for epoch in range(9):
    for batch in {over}:  # here
        batch[0].sum().backward()
"""
