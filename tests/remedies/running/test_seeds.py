"""Repairs of seeds, run: what did not depend on the hazard is the same to the last bit, and the hazard is gone."""

from __future__ import annotations

from pathlib import Path

from dlint.settings.settings import Settings
from tests.remedies.running.harness import WAYS, Both, before_and_after

_WAYS = [f"{method}:{workers}" for method, workers in WAYS]
_WITH_WORKERS = [way for way in _WAYS if way.endswith(":2")]

# A test branch that seeds with a constant, items that are seeded with their index, and draws that follow.
_FIXED_NOISE = {
    "data.py": """\
import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, train):
        self.train = train

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.noise(index), self.jitter()

    def noise(self, index):
        if self.train:
            noise = np.random.normal(0, 1, 3)
        else:
            np.random.seed(seed=0)
            noise = np.random.normal(0, 1, 3) + np.random.randint(9)
            torch.manual_seed(index)
            noise = noise + torch.normal(mean=0, std=torch.ones(3)).numpy()
            random.seed(index + 1)
            noise = noise * random.gauss(0, 1) + random.choice([1, 2, 3])
        return noise

    def jitter(self):
        return np.random.rand() + random.random() + torch.rand(1).item()
""",
    "main.py": """\
from torch.utils.data import DataLoader

from data import Noisy


def seen(data, method, workers):
    loader = DataLoader(
        data, num_workers=workers, batch_size=None, multiprocessing_context=method if workers else None
    )
    return [(noise.tolist(), jitter) for _ in range(2) for noise, jitter in loader]


def show(method, workers):
    items = seen(Noisy(False), method, workers)
    print("keep noise", [noise for noise, _ in items])
    print("jitters", len({jitter for _, jitter in items}))
""",
}

_UNSEEDED = {
    "data.py": """\
import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Drawn(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand(), random.random(), torch.rand(1).item()
""",
    "main.py": """\
from random import random

from numpy import *
from torch.utils.data import DataLoader

from data import Drawn


def show(method, workers):
    context = method if workers else None
    loader = DataLoader(Drawn(), num_workers=workers, batch_size=None, multiprocessing_context=context)
    items = [item for _ in range(2) for item in loader]
    print("keep others", [item[1:] for item in items])
    print("distinct", len({item[0] for item in items}))
    print("numpy" if workers else "keep numpy", [item[0] for item in items])
""",
}

_REPEATED = {
    "seeding.py": """\
import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def init_worker(worker_id, rank):
    # The seed is 100 * rank + worker_id.
    worker_seed = 100 * rank + worker_id
    random.seed(worker_seed)
    np.random.seed(worker_seed)
    torch.manual_seed(worker_seed)
""",
    "main.py": """\
from functools import partial

import numpy as np
import random
import torch
from torch.utils.data import DataLoader, Dataset

from seeding import init_worker, set_seed


class Drawn(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand(), random.random(), torch.rand(1).item()


def made(method, workers, rank):
    return DataLoader(
        Drawn(),
        num_workers=workers,
        batch_size=None,
        multiprocessing_context=method if workers else None,
        worker_init_fn=partial(init_worker, rank=rank),
    )


def tell(workers, loader):
    torch.manual_seed(5)  # as every rank does
    items = [item for _ in range(2) for item in loader]
    print("distinct" if workers else "keep distinct", [len({item[at] for item in items}) for at in range(3)])
    return items[0]


def show(method, workers):
    set_seed(42)
    print("keep main", np.random.rand(), random.random(), torch.rand(1).item())
    context = method if workers else None
    tell(
        workers,
        DataLoader(
            Drawn(), num_workers=workers, batch_size=None, multiprocessing_context=context, worker_init_fn=set_seed
        ),
    )
    first = tell(workers, made(method, workers, 0))
    second = tell(workers, made(method, workers, 1))
    print("alike" if workers else "keep alike", len(set(first) & set(second)))
""",
}

_TOO_WIDE = {
    "main.py": """\
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Drawn(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.random.rand()


def init_worker(worker_id):
    seed = torch.initial_seed()
    np.random.seed(seed)
    random.seed(seed)


def show(method, workers):
    context = method if workers else None
    loader = DataLoader(
        Drawn(), num_workers=workers, batch_size=None, multiprocessing_context=context, worker_init_fn=init_worker
    )
    items = [item for _ in range(2) for item in loader]
    print("distinct" if workers else "keep distinct", len(set(items)))
""",
}


def _are_kept(both: Both) -> None:
    assert both.before.code == both.after.code == 0
    for way in _WAYS:
        assert both.before.kept(way) == both.after.kept(way)


def test_noise_of_a_test_branch_stays_and_the_rest_is_free(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _FIXED_NOISE, "DL201")
    for way in _WAYS:
        assert both.before.kept(way)[0].startswith("keep noise")
        # main's streams are no longer set back where main reads the items itself
        there = slice(0, 1 if way.endswith(":0") else None)
        assert both.before.kept(way)[there] == both.after.kept(way)[there]
        assert both.before.changed(way) == ["jitters 4"]
        assert both.after.changed(way) == ["jitters 8"]


def test_numpy_alone_is_seeded_in_workers(tmp_path: Path) -> None:
    both = before_and_after(
        tmp_path, _UNSEEDED, "DL202", Settings(extend_select=("DL202",), target_torch="1.8")
    )
    _are_kept(both)
    assert "from data import Drawn, seed_worker" in both.texts["main.py"]
    for way in _WITH_WORKERS:
        assert both.after.changed(way)[0] == "distinct 16"


def test_epochs_and_ranks_differ_and_main_is_seeded_as_before(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _REPEATED, "DL204")
    _are_kept(both)
    for way in _WITH_WORKERS:
        before, after = both.before.changed(way), both.after.changed(way)
        assert not any(line.startswith("distinct") and "16" in line for line in before)
        assert [line for line in after if line.startswith("distinct")] == ["distinct [16, 16, 16]"] * 3
        assert after[-1] == "alike 0"


def test_a_seed_that_was_too_wide_fits(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, _TOO_WIDE, "DL206")
    for way in _WAYS:
        there = slice(None) if way.endswith(":0") else slice(0)  # the error came before the second epoch
        assert both.before.kept(way)[there] == both.after.kept(way)[there]
    for way in _WITH_WORKERS:
        assert both.before.changed(way) == ["error ValueError"]
        assert both.after.changed(way) == ["distinct 8"]
