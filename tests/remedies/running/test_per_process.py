"""What each process makes for itself, before and after the repair: generators, pools and handles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.remedies.running.harness import WAYS, Both, before_and_after

_FORKED, _SPAWNED = "fork:2", "spawn:2"
_IN_MAIN = ("fork:0", "spawn:0")

_NOISE = """\
import random
import threading

import numpy as np
import torch
from torch.utils.data import Dataset


class Locked(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()


class Noise(Locked):
    def __init__(self, seed):
        super().__init__()
        self.first = np.random.RandomState(1)
        self.second = np.random.RandomState(2)
        self.free = np.random.default_rng()
        self.plain = random.Random(seed)
        self.own = torch.Generator()
        self.own.manual_seed(seed)
        self.split = self.first.permutation(8).tolist()

    def __len__(self):
        return 8

    def __getitem__(self, index):
        with self.lock:
            return torch.tensor(
                [
                    self.first.random_sample(),
                    self.second.random_sample(),
                    self.free.random(),
                    self.plain.random(),
                    torch.rand(1, generator=self.own).item(),
                    np.random.random_sample(),
                    random.random(),
                    torch.rand(1).item(),
                ],
                dtype=torch.float64,
            )
"""
_SHOW_NOISE = """\
import copy
import io
import multiprocessing
import pickle

import torch
from torch.utils.data import DataLoader

from noise import Noise


def draw(file, queue):
    data = torch.load(file, weights_only=False)
    queue.put([data[0][place].item() for place in (0, 1, 3, 4)])


class Drawn:
    # What another process draws, which is no worker.

    def __init__(self, data):
        file = io.BytesIO()
        torch.save(data, file)
        file.seek(0)
        queue = multiprocessing.SimpleQueue()
        process = multiprocessing.Process(target=draw, args=(file, queue))
        process.start()
        numbers = dict(zip((0, 1, 3, 4), queue.get()))
        process.join()
        self.item = {place: torch.tensor(number) for place, number in numbers.items()}

    def __getitem__(self, index):
        return self.item


def show(method, workers):
    data = Noise(5)
    print("keep split", data.split)
    copies = [pickle.loads(pickle.dumps(data)), copy.deepcopy(data), copy.copy(data), Drawn(data)]
    print("keep main", [data[0][place].item() for place in (0, 1, 3, 4)])
    for each in copies:
        print("keep copy", [each[0][place].item() for place in (0, 1, 3, 4)])
    loader = DataLoader(data, num_workers=workers, multiprocessing_context=method if workers else None)
    for epoch in range(2):
        for batch in loader:
            print(*batch[0].tolist())
"""


def _drawn(both: Both, way: str) -> tuple[list[list[str]], list[list[str]]]:
    """The items of all workers and epochs, before and after."""
    return (
        [line.split() for line in both.before.changed(way)],
        [line.split() for line in both.after.changed(way)],
    )


def test_streams_that_differed_differ_in_workers_and_main_keeps_its_own(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"noise.py": _NOISE, "main.py": _SHOW_NOISE}, "DL203")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        # Spawned workers that do not start leave the second epoch's seed undrawn in main.
        lines = slice(3) if way == _SPAWNED else slice(None)
        assert both.before.kept(way)[lines] == both.after.kept(way)[lines]
    for way in _IN_MAIN:
        before, after = _drawn(both, way)
        # The one that nobody seeds differs from run to run.
        assert [line[:2] + line[3:] for line in before] == [line[:2] + line[3:] for line in after]
    for way in (_FORKED, _SPAWNED):
        before, after = _drawn(both, way)
        if way == _FORKED:
            assert len({line[0] for line in before}) == 4  # of 16: the hazard
        else:
            assert before == [["error", "RuntimeError"]]  # a torch.Generator cannot go there
        assert len(after) == 16
        numbers = [number for line in after for number in line]
        assert len(set(numbers)) == len(numbers)


_MODULE = """\
import random

import numpy as np
import torch
from torch.utils.data import Dataset

_rng = np.random.default_rng(3)
_random = random.Random(3)


class Noise(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor([_rng.random(), _random.random()], dtype=torch.float64)


def in_main():
    return _rng.random(), _random.random()
"""
_SHOW_MODULE = """\
from torch.utils.data import DataLoader

import noise


def show(method, workers):
    print("keep main", *noise.in_main())
    loader = DataLoader(noise.Noise(), num_workers=workers, multiprocessing_context=method if workers else None)
    for epoch in range(2):
        for batch in loader:
            print(*batch[0].tolist())
"""


def test_a_module_s_generators_are_seeded_in_each_worker_and_as_before_in_main(tmp_path: Path) -> None:
    both = before_and_after(tmp_path, {"noise.py": _MODULE, "main.py": _SHOW_MODULE}, "DL203")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
    for way in _IN_MAIN:
        assert both.before.changed(way) == both.after.changed(way)
    for way in (_FORKED, _SPAWNED):
        before, after = _drawn(both, way)
        assert len({line[0] for line in before}) == 4
        numbers = [number for line in after for number in line]
        assert len(numbers) == len(set(numbers)) == 32


_FILES = """\
import threading
from multiprocessing.pool import ThreadPool

from torch.utils.data import Dataset


def double(number):
    return 2 * number


class Numbers(Dataset):
    def __init__(self, settings):
        self.settings = settings
        self.lock = threading.Lock()
        self.file = open(settings.path, "rb", buffering=0)
        self.pool = ThreadPool(settings.threads)
        self.count = len(self.file.read()) // 4

    def __getstate__(self):
        state = self.__dict__.copy()
        state["lock"] = None
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.file.seek(4 * index)
        number = int.from_bytes(self.file.read(4), "little")
        return sum(self.pool.map(double, [number, index]))
"""
_SHOW_FILES = """\
import re
from pathlib import Path
from types import SimpleNamespace

from torch.utils.data import DataLoader

from numbers_data import Numbers


def show(method, workers):
    Path("numbers.bin").write_bytes(b"".join(number.to_bytes(4, "little") for number in range(40)))
    Path("noughts.bin").write_bytes(bytes(160))
    settings = SimpleNamespace(path="numbers.bin", threads=2)
    data = Numbers(settings)
    settings.path = "noughts.bin"  # for another dataset, which has its own
    print("keep", len(data), [data[index] for index in (3, 39)])
    loader = DataLoader(
        data, batch_size=8, num_workers=workers, multiprocessing_context=method if workers else None, timeout=5 * workers
    )
    for epoch in range(2):
        print(sum(batch.sum().item() for batch in loader))
"""


def test_a_pool_and_a_file_work_in_every_worker(tmp_path: Path) -> None:
    from dlint.settings.settings import Settings

    both = before_and_after(
        tmp_path,
        {"numbers_data.py": _FILES, "main.py": _SHOW_FILES},
        "DL403",
        Settings(extend_select=("DL403", "DL102")),
    )
    assert both.after.code == 0
    whole = str(4 * sum(range(40)))
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way)[0] == both.after.kept(way)[0]
        assert both.after.changed(way) == [whole, whole]
    assert both.before.changed(_SPAWNED) != [whole, whole]  # neither can be pickled
    assert both.texts["numbers_data.py"].count("def __getstate__") == 1


_PER_ITEM = """\
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

from torch.utils.data import Dataset


def double(number):
    return 2 * number


class Numbers(Dataset):
    def __init__(self, threads):
        self.threads = threads

    def __len__(self):
        return 20

    def __getitem__(self, index):
        with ThreadPool(self.threads) as pool:
            doubled = pool.map(double, range(index))
        with ThreadPoolExecutor(max_workers=2) as executor:
            return sum(executor.map(double, doubled))
"""
_FUTURES_PER_ITEM = """\
from concurrent.futures import ThreadPoolExecutor, as_completed

from torch.utils.data import Dataset


def double(number):
    return 2 * number


class Numbers(Dataset):
    def __init__(self, threads):
        self.threads = threads

    def __len__(self):
        return 20

    def __getitem__(self, index):
        with ThreadPoolExecutor(self.threads) as executor:
            places = {executor.submit(double, number): number for number in range(index)}
            doubled = [0] * index
            for future in as_completed(places):
                doubled[places[future]] = future.result()
            futures = []
            for number in doubled:
                futures.append(executor.submit(double, number))
        return sum([number * future.result() for number, future in zip(doubled, futures)])
"""
_SHOW_PER_ITEM = """\
import pickle
import threading

from torch.utils.data import DataLoader

from numbers_data import Numbers


def show(method, workers):
    data = Numbers(3)
    print("keep", [data[index] for index in range(4)], len(pickle.loads(pickle.dumps(data))))
    loader = DataLoader(data, batch_size=4, num_workers=workers, multiprocessing_context=method if workers else None)
    print("keep", [batch.tolist() for batch in loader])
    print("threads" if threading.active_count() > 1 + 2 * bool(workers) else "none")
"""


@pytest.mark.parametrize("data", [_PER_ITEM, _FUTURES_PER_ITEM], ids=["results", "futures"])
def test_a_kept_pool_gives_the_same_and_lets_the_program_end(tmp_path: Path, data: str) -> None:
    both = before_and_after(tmp_path, {"numbers_data.py": data, "main.py": _SHOW_PER_ITEM}, "DL103")
    assert both.before.code == both.after.code == 0
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
    assert both.after.changed("fork:0") == ["threads"]
    # Python's own tracker may complain of a semaphore where a program ends while a worker still does.
    before, after = (_without_tracker(run.errors) for run in (both.before, both.after))
    assert before == after


def _without_tracker(errors: str) -> str:
    """What a program says in the end, but for Python's tracker and the line of code that its warning shows."""
    return re.sub(r"^.*resource_tracker.*\n(?:[ \t]+warnings\.warn\(.*\n?)?", "", errors, flags=re.MULTILINE)
