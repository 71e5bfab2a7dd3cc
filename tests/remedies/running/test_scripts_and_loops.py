"""Scripts, samplers and iterators, before and after: what must stay has stayed, under fork and spawn."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.remedies.running.harness import WAYS, before_and_after, repaired, run

_SCRIPT = '''\
"""Squares and their sum."""

import argparse
import random

import torch
from torch.utils.data import DataLoader, Dataset

OFFSET = 5

parser = argparse.ArgumentParser()
parser.add_argument("method")
parser.add_argument("workers", type=int)
options = parser.parse_args()
print("options", options.workers)

torch.manual_seed(3)
random.seed(3)


class Squares(Dataset):
    def __init__(self):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return index**2 + OFFSET


length = 6
context = options.method if options.workers else None
loader = DataLoader(
    Squares(), batch_size=2, shuffle=True, num_workers=options.workers, multiprocessing_context=context
)


def add(batch):
    global total
    total = total + int(batch.sum())  # the sum so far


# All epochs
total = 0
text = """of
  two"""
for epoch in range(1):
#   a comment at the margin
    for batch in loader:
        add(batch)
        print(epoch, batch.tolist(), \\
              total)
print(text, total, random.random(), torch.rand(1).item(), Squares.__name__)
'''


def test_a_script_does_the_same_and_can_be_spawned(tmp_path: Path) -> None:
    after = tmp_path / "after"
    before = tmp_path / "before"
    before.mkdir()
    (before / "pyproject.toml").touch()
    (before / "script.py").write_text(_SCRIPT)
    shutil.copytree(before, after)
    repaired(after, "DL402")
    assert (after / "script.py").read_text().count("__main__") == 1

    shown = {}
    for method, workers in (("fork", 0), ("fork", 2), ("spawn", 2)):  # without workers nothing is started
        old, new = (run(folder, "script.py", method, str(workers)) for folder in (before, after))
        shown[method, workers] = new.stdout
        assert new.returncode == 0, new.stderr
        if (method, workers) == ("spawn", 2):
            assert old.returncode != 0
            assert "An attempt has been made to start a new process" in old.stderr
        else:
            assert (old.returncode, old.stdout) == (0, new.stdout)
    assert shown["spawn", 2] == shown["fork", 2] != ""


_SAMPLED = {
    "loading.py": """\
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return 10 * index


def make(method, workers, distributed):
    options = {"num_workers": workers, "multiprocessing_context": method if workers else None}
    if not distributed:
        return DataLoader(Numbers(), **options)
    sampler = DistributedSampler(Numbers(), num_replicas=2, rank=0)
    return DataLoader(Numbers(), sampler=sampler, persistent_workers=workers > 0, **options)
""",
    "main.py": """\
import torch

from loading import make


def train(model, loader, rounds):
    seen = []
    for _ in range(rounds):
        model.train()
        numbers = [int(batch) for batch in loader]
        model(torch.tensor([[1.0]])).backward()
        seen.append(numbers)
        print("keep length", len(numbers), len(set(numbers)))
    return seen


def show(method, workers):
    print("keep", train(torch.nn.Linear(1, 1), make(method, workers, False), 1)[-1])
    seen = train(torch.nn.Linear(1, 1), make(method, workers, True), 2)
    print("orders", len(set(map(tuple, seen))))
""",
}


def test_the_epoch_is_told_where_the_loop_is_and_other_loaders_stay(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _SAMPLED, "DL207")
    assert both.texts["loading.py"] == _SAMPLED["loading.py"]
    assert "for epoch in range(rounds):" in both.texts["main.py"]
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
        assert both.before.changed(way) == ["orders 1"]
        assert both.after.changed(way) == ["orders 2"]


_OPTIONAL = {
    "main.py": """\
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


def make(method, workers, chosen=None):
    sampler = SubsetRandomSampler(chosen) if chosen else None
    context = method if workers else None
    return DataLoader(
        Numbers(), num_workers=workers, multiprocessing_context=context, shuffle=True, sampler=sampler
    )


def show(method, workers):
    print("keep", [int(batch) for batch in make(method, workers)])
    print("chosen", sorted(int(batch) for batch in make(method, workers, [1, 3])))
""",
}


def test_a_loader_without_a_sampler_goes_on_shuffling_as_before(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _OPTIONAL, "DL301")
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way)[0] == both.after.kept(way)[0]
        assert both.before.kept(way)[0] != f"keep {list(range(8))}"
        assert both.before.changed(way) == ["error ValueError"]
        assert both.after.changed(way) == ["chosen [1, 3]"]


_DROPPED = {
    "main.py": """\
from torch.utils.data import DataLoader, IterableDataset, RandomSampler


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(3))


def make(method, workers):
    sampler = RandomSampler(range(3))  # mixes
    context = method if workers else None
    return DataLoader(
        Stream(),
        num_workers=workers,
        multiprocessing_context=context,
        sampler=sampler,  # in another order
    )


def show(method, workers):
    print("keep", list(Stream()))
    print(sorted(int(batch) for batch in make(method, workers)))
""",
}


def test_an_argument_goes_with_all_that_was_there_for_it(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _DROPPED, "DL303")
    assert "ampler" not in both.texts["main.py"]
    assert "order" not in both.texts["main.py"]
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way)[0] == both.after.kept(way)[0]
        assert both.before.changed(way) == ["error ValueError"]
        assert both.after.changed(way) == [str(sorted([0, 1, 2] * max(1, workers)))]


_RESTARTED = {
    "main.py": """\
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index + 1


def show(method, workers):
    loader = DataLoader(Numbers(), num_workers=1, multiprocessing_context=method if workers else "fork")
    drawn = []
    for step in range(5):
        batch = next(iter(loader))
        drawn.append(int(batch))
        print("keep step", step, len(drawn))
    print(drawn)
""",
}


def test_an_iterator_is_made_once_and_again_when_it_has_run_out(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _RESTARTED, "DL306")
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way)[:-1] == both.after.kept(way)[:-1]
        assert both.before.changed(way) == ["[1, 1, 1, 1, 1]"]
        assert both.after.changed(way) == ["[1, 2, 1, 2, 1]"]
        # main's Python and NumPy streams; torch's gives every iterator its seed
        assert both.before.kept(way)[-1].split()[:3] == both.after.kept(way)[-1].split()[:3]
