"""What real streams read, and whether all of it goes to every worker, or to a pool at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import itertools
import multiprocessing as mp
import random
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import cv2
import gym
import h5py
import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from elsewhere import buffer, parse, sampler, tokenizer


"""
_LOADED = """

for batch in DataLoader({made}, batch_size=4, num_workers=2):
    pass
"""


def _lines(
    program: str, code: str, folder: Path, monkeypatch: pytest.MonkeyPatch, made: str = "Data()"
) -> list[str]:
    """The stripped lines of a program on which a rule finds something."""
    text = _HEAD + program.strip("\n") + "\n" + _LOADED.format(made=made)
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(text)
    monkeypatch.chdir(folder)
    report = engine.check([Path()], Settings(select=(code,)))
    assert not report.troubles
    return [text.splitlines()[finding.line - 1].strip() for finding in report.findings]


_COUNTS = """
class Data(IterableDataset):
    def __init__(self, source=None, n=10):
        self.source, self.n = source, n
        self.queue = mp.Queue()
        self.env = gym.make("Pong-v0")
        self.rows = [1, 2, 3]
        self.frame = pd.read_csv("rows.csv")

    def _load(self, number):
        return np.load(f"{{number}}.npy")

    def _ask(self, number):
        return self.source.ask(number)

    def __iter__(self):
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        for _ in range(self.n):
            yield self.source.get_example()
""",
            id="an unknown source",
        ),
        pytest.param(
            """
        for _ in range(self.n):
            yield self.queue.get()
""",
            id="a queue of processes",
        ),
        pytest.param(
            """
        it = iter(sampler)
        for number in range(self.n):
            yield number, next(it)
""",
            id="the next of an unknown sampler",
        ),
        pytest.param(
            """
        state = self.env.reset()
        for step in range(self.n):
            state, reward, done, _ = self.env.step(0)
            yield step, state, reward
""",
            id="an environment",
        ),
        pytest.param(
            """
        xs, ys = buffer.sample(self.n)
        for i in range(len(ys)):
            yield xs[i], ys[i]
""",
            id="an unknown buffer",
        ),
        pytest.param(
            """
        for number in range(self.n):
            yield self._ask(number)
""",
            id="a method that asks an unknown source",
        ),
        pytest.param(
            """
        for _ in range(self.n):
            batch = []
            for _ in range(4):
                batch.append(self.queue.get())
            yield batch
""",
            id="batches out of a queue",
        ),
        pytest.param(
            """
        return (self.queue.get() for _ in range(self.n))
""",
            id="a generator expression",
        ),
        pytest.param(
            """
        return map(lambda _: self.queue.get(), range(self.n))
""",
            id="map",
        ),
        pytest.param(
            """
        for _ in range(self.n):
            yield self.rows[random.randrange(3)]
""",
            id="drawn at random",
        ),
    ],
)
def test_a_range_that_only_counts_is_no_stream(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _lines(_COUNTS.format(body=body), "DL501", tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("        return iter(range(self.n))", id="the numbers"),
        pytest.param(
            """
        for i in range(self.n):
            yield torch.tensor(i) * 2
""",
            id="made of the numbers",
        ),
        pytest.param(
            """
        for i in range(len(self.rows)):
            row = self.rows[i]
            yield parse(row)
""",
            id="index of a list",
        ),
        pytest.param(
            """
        for i in range(len(self.frame)):
            yield self.frame.iloc[i]
""",
            id="index of a table",
        ),
        pytest.param(
            """
        for number in range(self.n):
            yield self._load(number)
""",
            id="numbered files",
        ),
        pytest.param(
            """
        batch = []
        for i in range(len(self.rows)):
            batch.append(self.rows[i])
            if len(batch) == 4:
                yield batch
                batch = []
""",
            id="batches of a list",
        ),
        pytest.param(
            """
        for _ in range(self.n):
            for row in self.rows:
                yield row
""",
            id="rounds over a list",
        ),
        pytest.param(
            """
        for path in ["a", "b"]:
            parts = parse(path)
            for i in range(len(parts)):
                yield parts[i]
""",
            id="parts of files",
        ),
        pytest.param("        return (self.rows[i] for i in range(3))", id="a generator expression"),
        pytest.param("        return map(self._load, range(3))", id="map"),
    ],
)
def test_numbers_that_lead_to_the_items_are_a_stream(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _lines(_COUNTS.format(body=body), "DL501", tmp_path, monkeypatch) == ["def __iter__(self):"]


_READS = """
class Share:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        info = get_worker_info()
        yield from self.rows[info.id :: info.num_workers]


class Data(IterableDataset):
    def __init__(self, paths=None, path="a.txt"):
        self.paths, self.path = paths, path
        self.share = Share([1, 2, 3])

    def _lines(self, path):
        with open(path) as file:
            for line in file:
                yield line

    def _fetch(self, path):
        yield from parse(path)

    def _documents(self):
        for path in self.paths:
            yield from self._lines(path)

    def __iter__(self):
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        packed = []
        for text in self._documents():
            packed.extend(tokenizer(text))
            while len(packed) > 8:
                yield packed[:8]
                packed = packed[8:]
""",
            id="packed tokens",
        ),
        pytest.param(
            """
        waiting = []
        for line in open(self.path):
            waiting.append(line)
            if len(waiting) > 8:
                yield waiting.pop(random.randrange(8))
        while waiting:
            yield waiting.pop()
""",
            id="a buffer that is emptied in the end",
        ),
        pytest.param(
            "        return itertools.chain.from_iterable(map(self._lines, self.paths))",
            id="a chain of files by map",
        ),
        pytest.param(
            "        return itertools.chain.from_iterable(self._lines(path) for path in self.paths)",
            id="a chain of files by a generator expression",
        ),
        pytest.param(
            """
        for chunk in pd.read_csv(self.path, chunksize=100):
            for row in chunk.itertuples():
                yield row
""",
            id="rows of chunks",
        ),
        pytest.param(
            """
        for path in self.paths:
            for line in self._lines(path):
                yield line
""",
            id="files that a method opens",
        ),
        pytest.param(
            """
        with open(self.path) as file:
            while True:
                line = file.readline()
                if not line:
                    break
                yield line
""",
            id="readline",
        ),
        pytest.param(
            """
        with open(self.path) as file:
            while line := file.readline():
                yield line
""",
            id="readline in the test",
        ),
        pytest.param(
            """
        for path in self.paths:
            with open(path, "rb") as file:
                while True:
                    head = file.read(8)
                    if len(head) < 8:
                        return
                    yield np.frombuffer(head)
""",
            id="records",
        ),
        pytest.param(
            """
        import sqlite3
        for row in sqlite3.connect(self.path).execute("select * from rows"):
            yield row
""",
            id="rows of a database",
        ),
        pytest.param(
            """
        with h5py.File(self.path) as file:
            for key in file.keys():
                yield file[key][()]
""",
            id="keys of an HDF5 file",
        ),
        pytest.param(
            """
        for path in self.paths:
            video = cv2.VideoCapture(path)
            while True:
                ok, picture = video.read()
                if not ok:
                    break
                yield picture
""",
            id="frames of videos",
        ),
        pytest.param(
            """
        for path in self.paths:
            video = cv2.VideoCapture(path)
            ok, picture = video.read()
            while ok:
                yield picture
                ok, picture = video.read()
""",
            id="frames of videos, tested before",
        ),
    ],
)
def test_streams_that_are_read_to_the_end(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _lines(
        _READS.format(body=body), "DL501", tmp_path, monkeypatch, "Data(__import__('sys').argv[1:])"
    )
    assert found == ["def __iter__(self):"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        while True:
            for line in open(self.path):
                yield line
""",
            id="endless",
        ),
        pytest.param(
            """
        file = open(self.path)
        while True:
            line = file.readline()
            if not line:
                file.seek(0)
                continue
            yield line
""",
            id="begins again",
        ),
        pytest.param(
            "        return itertools.chain.from_iterable(map(self._lines, itertools.cycle(self.paths)))",
            id="files for ever",
        ),
        pytest.param(
            "        return itertools.chain.from_iterable(map(self._fetch, self.paths))",
            id="a chain of streams that nobody knows",
        ),
        pytest.param(
            """
        packed = []
        for row in self.share:
            packed.append(row)
            while len(packed) > 8:
                yield packed[:8]
                packed = packed[8:]
""",
            id="packed from a stream that divides itself",
        ),
        pytest.param(
            """
        for path in self.paths:
            for item in parse(path):
                yield item
""",
            id="a reader that nobody knows",
        ),
        pytest.param(
            """
        while self.paths:
            for line in open(self.path):
                yield line
""",
            id="as long as something holds",
        ),
        pytest.param(
            """
        camera = cv2.VideoCapture(self.path)
        while True:
            ok, picture = camera.read()
            if not ok:
                break
            yield picture
""",
            id="perhaps a camera",
        ),
        pytest.param(
            """
        source = parse(self.path)
        while True:
            part = source.read(8)
            if not part:
                break
            yield part
""",
            id="something read that nobody knows",
        ),
    ],
)
def test_streams_that_may_be_endless_or_divided(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _lines(
        _READS.format(body=body), "DL501", tmp_path, monkeypatch, "Data(__import__('sys').argv[1:])"
    )
    assert found == []


_SUBMITS = """
class Data(IterableDataset):
    def __init__(self, files=(), path="a.txt"):
        self.files, self.path = files, path

    def __iter__(self):
        info = get_worker_info()
        mine = self.files[info.id :: info.num_workers] if info else self.files
        with ThreadPoolExecutor(4) as executor:
{body}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("            yield from executor.map(np.load, mine)", 1),
        ("            yield from executor.map(np.load, self.files[info.id :: info.num_workers])", 1),
        (
            """
            lines = itertools.islice(open(self.path), info.id, None, info.num_workers)
            yield from executor.map(len, lines)
""",
            1,
        ),
        (
            """
            with open(self.path) as file:
                yield from executor.map(len, file)
""",
            1,
        ),
        (
            """
            waiting = [executor.submit(np.load, path) for path in mine]
            for future in waiting:
                yield future.result()
""",
            1,
        ),
        (
            """
            for k in range(0, len(mine), 16):
                yield from executor.map(np.load, mine[k : k + 16])
""",
            0,
        ),
        (
            """
            first = mine[:16]
            yield from executor.map(np.load, first)
""",
            0,
        ),
        ("            yield from executor.map(len, itertools.islice(open(self.path), 16))", 0),
        ("            yield from executor.map(len, itertools.islice(open(self.path), 0, 16))", 0),
        (
            """
            part = mine
            if len(part) > 16:
                part = part[:16]
            yield from executor.map(np.load, part)
""",
            0,
        ),
    ],
)
def test_a_worker_s_share_that_is_submitted_at_once(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "Data(__import__('sys').argv)"
    assert len(_lines(_SUBMITS.format(body=body), "DL104", tmp_path, monkeypatch, made)) == found


_INITIALISED = """
class Data(IterableDataset):
    def __init__(self, paths=()):
        self.paths, self.part = paths, 0

    def start(self, rank):
        self.paths = self.paths[rank::4]

    def choose(self, rank):
        self.part = rank

    def tell(self, rank):
        print(rank, self.part)

    def __iter__(self):
        for path in self.paths:
            for line in open(path):
                yield line


data = Data(__import__("sys").argv[1:])


def init(rank):
    data.part = rank


def greet(rank):
    print(rank)


def renew(rank):
    data.rng = rank
"""


@pytest.mark.parametrize(
    ("init", "found"),
    [("data.start", 0), ("data.choose", 0), ("init", 0), ("data.tell", 1), ("greet", 1), ("renew", 1)],
)
def test_shares_that_a_worker_init_fn_gives(
    init: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = f"data, worker_init_fn={init}"
    assert len(_lines(_INITIALISED, "DL501", tmp_path, monkeypatch, made)) == found


_DRAWN = """
class Data(IterableDataset):
    def __init__(self, paths=()):
        self.rows = np.load(paths[0])

    def draw(self, n):
        rows = {picked}
        return {taken}([self.rows[r] for r in rows])

    def __iter__(self):
        states = self.draw(100)
        for i in range(100):
            yield states[i]
"""


@pytest.mark.parametrize(
    ("picked", "taken", "found"),
    [
        ("np.random.choice(len(self.rows), n)", "np.array", 0),
        ("np.random.choice(len(self.rows), n)", "np.stack", 0),
        ("np.random.choice(len(self.rows), n)", "list", 0),
        ("range(n)", "np.array", 1),
    ],
)
def test_arrays_of_what_is_drawn(
    picked: str, taken: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _DRAWN.format(picked=picked, taken=taken)
    made = "Data(__import__('sys').argv[1:])"
    assert len(_lines(program, "DL501", tmp_path, monkeypatch, made)) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            """
            for name, _ in zip(open(self.path), range(16)):
                self.waiting.append(executor.submit(len, name))
            yield from self.waiting
""",
            0,
        ),
        (
            """
            for name, _ in zip(open(self.path), itertools.count()):
                self.waiting.append(executor.submit(len, name))
            yield from self.waiting
""",
            1,
        ),
        (
            """
            for name in mine:
                yield from self._flush(executor)
""",
            0,
        ),
        (
            """
            yield from self._flush(executor)
""",
            1,
        ),
    ],
)
def test_what_is_submitted_once_an_epoch(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        _SUBMITS.format(body=body)
        + """
    def _flush(self, executor):
        yield from executor.map(len, open(self.path))
"""
    )
    made = "Data(__import__('sys').argv)"
    assert len(_lines(program, "DL104", tmp_path, monkeypatch, made)) == found


@pytest.mark.parametrize("shuffle", ["random.shuffle(self.files)", "pass"])
def test_shares_of_what_is_shuffled_need_one_order(
    shuffle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
class Data(IterableDataset):
    def __init__(self):
        self.files = ["a", "b"]

    def __iter__(self):
        {shuffle}
        for file in self.files:
            yield from open(file)
"""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(_HEAD + program + _LOADED.format(made="Data()"))
    monkeypatch.chdir(tmp_path)
    (finding,) = engine.check([Path()], Settings(select=("DL501",))).findings
    assert finding.by_hand is not None
    assert ("info.seed - info.id" in finding.by_hand) is (shuffle != "pass")
