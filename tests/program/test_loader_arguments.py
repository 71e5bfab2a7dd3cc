"""Loader arguments that conflict, and those that only look so."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.values.outcomes import OUTCOMES
from program.sources import agree, cases, check, files_of

HEAD = """
import argparse
import functools
import json
import os
import random
import torch
import torch.distributed as dist
import torch.utils.data
from torch.utils import data
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, WeightedRandomSampler
from torch.utils.data.distributed import DistributedSampler

class MyBatchSampler:
    def __iter__(self):
        return iter(())
"""


CONFLICTS = cases("conflicts")
NO_CONFLICTS = cases("no_conflicts")
ACROSS_FILES = cases("conflicts_across_files")


def in_function(body: str) -> dict[str, str]:
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return {"main.py": f"{HEAD}\n\ndef main(ds, args, train=True, distributed=False, n=4):\n{lines}\n"}


@pytest.mark.parametrize("case", CONFLICTS)
def test_found(tmp_path: Path, case: str) -> None:
    agree(tmp_path, in_function(CONFLICTS[case]), "DL301", "DL302")


@pytest.mark.parametrize("case", NO_CONFLICTS)
def test_silent(tmp_path: Path, case: str) -> None:
    agree(tmp_path, in_function(NO_CONFLICTS[case]), "DL301", "DL302")


@pytest.mark.parametrize("case", ACROSS_FILES)
def test_across_files(tmp_path: Path, case: str) -> None:
    agree(tmp_path, files_of(ACROSS_FILES[case]), "DL301", "DL302")


def test_what_many_ways_have_in_common_is_not_forgotten(tmp_path: Path) -> None:
    sizes = "".join(f"{size} if args.kind == {size} else " for size in range(OUTCOMES - 8))
    body = f"""
sampler = None
if distributed:
    sampler = RandomSampler(ds)
size = {sizes}100
options = dict(shuffle=size > 2 and sampler is None, sampler=sampler)
DataLoader(ds, **options)
"""
    agree(tmp_path, in_function(body), "DL301", "DL302")


@pytest.mark.parametrize(
    ("workers", "found"),
    [
        ("0", False),
        ("0 * n", False),
        ("0 if debug else 0", False),
        ("0 if debug else n", True),
        ("n", True),
        ("args.workers", True),
        ("min(4, n)", True),
        ("os.cpu_count()", True),
        ("int(0)", False),
        ("WORKERS", False),
    ],
)
def test_the_number_of_workers(tmp_path: Path, workers: str, found: bool) -> None:
    source = f"""
        import os
        import cv2
        from settings import WORKERS
        from torch.utils.data import DataLoader, Dataset

        class Photos(Dataset):
            def __getitem__(self, index):
                return cv2.imread(str(index))

        def main(n, args, debug):
            DataLoader(Photos(), num_workers={workers})
    """
    files = {"main.py": source, "settings.py": "WORKERS = 0\n"}
    assert bool(check(tmp_path, files, "DL101").findings) is found


def test_what_a_loader_class_gives_by_default_is_mended_there(tmp_path: Path) -> None:
    text = """\
from torch.utils.data import DataLoader, RandomSampler


class Balanced(DataLoader):
    def __init__(self, dataset, batch_size=1, shuffle=True):
        super().__init__(dataset, batch_size, shuffle=shuffle, sampler=RandomSampler(dataset))


loader = Balanced(range(8), 4)  # expect: DL301
"""
    (finding,) = agree(tmp_path, {"train.py": text}, "DL301").findings
    assert finding.message.endswith("Balanced gives its base class both: leave out shuffle there")
    assert finding.remedy is None


_ON_SOME_WAYS = """\
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler

def options(data, **kw):
    return DataLoader(data, **kw)

def build(data, ordered, labels):
    sampler = {sampler}
    return {call}
"""


@pytest.mark.parametrize(
    ("sampler", "call", "said", "line"),
    [
        (
            "SequentialSampler(data) if ordered else RandomSampler(data)",
            "DataLoader(data, sampler=sampler, shuffle=not ordered)",
            "leave out shuffle, the sampler decides the order",
            8,
        ),
        (
            "RandomSampler(data) if labels else None",
            "DataLoader(data, sampler=sampler, shuffle=not ordered)",
            "write shuffle=sampler is None, so that only one of the two is given",
            8,
        ),
        (
            "RandomSampler(data) if labels else None",
            "[options(data, shuffle=True), options(data, sampler=sampler, shuffle=True)]",
            "give only one of the two at main.py:8",
            4,
        ),
    ],
)
def test_a_sampler_and_shuffle_on_some_ways(
    tmp_path: Path, sampler: str, call: str, said: str, line: int
) -> None:
    report = check(tmp_path, {"main.py": _ON_SOME_WAYS.format(sampler=sampler, call=call)}, "DL301")
    (finding,) = report.findings
    assert (finding.line, finding.message.rpartition("; ")[2]) == (line, said)


_REQUIRED = """\
from torch.utils.data import DataLoader, RandomSampler


class Plain(DataLoader):
    def __init__(self, dataset, batch_size, {parameters}):
        super().__init__(dataset, batch_size, shuffle=shuffle, sampler=sampler)


loader = Plain(range(8), 4, shuffle=True, sampler=RandomSampler(range(8)))  # expect: DL301
"""


@pytest.mark.parametrize(
    ("parameters", "removed"), [("shuffle, sampler=None", False), ("shuffle=False, sampler=None", True)]
)
def test_what_a_loader_class_requires_is_not_taken_away(
    tmp_path: Path, parameters: str, removed: bool
) -> None:
    (finding,) = agree(tmp_path, {"train.py": _REQUIRED.format(parameters=parameters)}, "DL301").findings
    assert (finding.remedy is not None) is removed
    assert ("give shuffle=False" in finding.message) is not removed


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("DataLoader(ds, **options)", "DL305", "num_workers is 0"),
        ("Loader(ds, 1, 2, 3, 4, 5)", "DL305", "num_workers is not given"),
        ("DataLoader(ds, prefetch_factor=2)", "DL304", "from torch 2.0 on"),
        ("DataLoader(ds, prefetch_factor=4)", "DL304", "ValueError; set num_workers"),
    ],
)
def test_what_is_said_of_arguments(tmp_path: Path, call: str, code: str, said: str) -> None:
    text = f"""\
from torch.utils.data import DataLoader

class Loader(DataLoader):
    def __init__(self, dataset, a, b, c, d, e):
        super().__init__(dataset)

options = {{"num_workers": 0}}

def build(ds):
    return {call}  # expect: {code}
"""
    (finding,) = agree(tmp_path, {"main.py": text}, code).findings
    assert said in finding.message


@pytest.mark.parametrize(("asks", "found"), [("len(ds)", False), ("ds.rows", True)])
def test_a_method_asks_for_the_kind_of_dataset(tmp_path: Path, asks: str, found: bool) -> None:
    text = f"""\
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler

class Stream(IterableDataset):
    def __iter__(self):
        yield 1

class Rows(Dataset):
    def __getitem__(self, index):
        return index

class Trainer:
    def __init__(self, ds):
        self.ds = ds

    def is_sized(self, ds):
        try:
            return bool({asks})
        except TypeError:
            return False

    def sampler(self):
        return RandomSampler(self.ds) if self.is_sized(self.ds) else None

    def loader(self):
        return DataLoader(self.ds, 8, sampler=self.sampler()){"  # expect: DL303" if found else ""}

Trainer(Stream()).loader()
Trainer(Rows()).loader()
"""
    agree(tmp_path, {"main.py": text}, "DL303")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("if not hasattr(ds, '__len__'): shuffle = False", False),
        ("try:\n    n = len(ds)\nexcept TypeError:\n    shuffle = False", False),
        ("if isinstance(ds, IterableDataset): shuffle = False", False),
        ("if not hasattr(ds, 'rows'): print(ds)", True),
        ("n = len(ds) if shuffle else 0", True),
    ],
)
def test_who_asks_for_the_kind_of_dataset(tmp_path: Path, lines: str, found: bool) -> None:
    body = lines.replace("\n", "\n    ")
    text = f"""\
from torch.utils.data import DataLoader, Dataset, IterableDataset

class Stream(IterableDataset):
    def __iter__(self):
        yield 1

class Rows(Dataset):
    def __getitem__(self, index):
        return index

def build(ds, shuffle=True):
    {body}
    return DataLoader(ds, 8, shuffle=shuffle){"  # expect: DL303" if found else ""}

build(Stream())
build(Rows())
"""
    agree(tmp_path, {"main.py": text}, "DL303")
