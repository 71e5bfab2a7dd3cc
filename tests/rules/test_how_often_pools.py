"""How often a pool is made, what it is given at once, and whose lock it is that a thread takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from torch.utils.data import DataLoader, Dataset, IterableDataset


"""
_LOADED = """

for batch in DataLoader(Data(__import__("sys").argv), num_workers=2, batch_size=None):
    pass
"""


def _found(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(_HEAD + program)
    monkeypatch.chdir(folder)
    findings = engine.check([Path()], Settings(select=("DL10",))).findings
    return [f"{finding.code} {finding.message}" for finding in findings]


_STREAM = """\
class Data(IterableDataset):
    def __init__(self, files):
        self.files = files

    def read(self, path):
        with ThreadPoolExecutor(4) as pool:
            yield from pool.map(len, open(path))

    def size(self, path):
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(len, [path]))

    def __iter__(self):
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (
            """\
        for path in self.files:
            with ThreadPoolExecutor(4) as pool:
                for row in pool.map(len, open(path).readlines()):
                    yield row
""",
            [],
        ),
        (
            """\
        for path in self.files:
            with ThreadPoolExecutor(4) as pool:
                rows = list(pool.map(len, open(path).readlines()))
            yield from rows
""",
            [],
        ),
        ("        for path in self.files:\n            yield from self.read(path)\n", []),
        ("        for path in self.files:\n            yield self.size(path)\n", ["DL103"]),
        (
            """\
        for folder in self.files:
            for path in os.listdir(folder):
                with ThreadPoolExecutor(4) as pool:
                    rows = list(pool.map(len, [path]))
                yield rows
""",
            ["DL103"],
        ),
        ("        with ThreadPool(4) as pool:\n            yield from pool.imap(len, self.files)\n", []),
        (
            """\
        with ThreadPoolExecutor(4) as pool:
            yield from pool.map(len, self.files)
""",
            ["DL104"],
        ),
        (
            """\
        with ThreadPoolExecutor(4) as pool:
            readers = list(pool.map(open, self.files))
        for reader in readers:
            yield reader.read()
""",
            [],
        ),
        (
            """\
        with ThreadPoolExecutor(4) as pool:
            readers = [iter(reader) for reader in pool.map(open, self.files)]
        for reader in readers:
            yield from reader
""",
            [],
        ),
        (
            """\
        rows = []
        with ThreadPoolExecutor(4) as pool:
            for row in pool.map(open, self.files):
                rows.append(row)
        yield from rows
""",
            [],
        ),
        (
            """\
        pool = ThreadPoolExecutor(4)
        pending = [pool.submit(next, source) for source in self.files]
        while True:
            for at, future in enumerate(pending):
                item = future.result()
                pending[at] = pool.submit(next, self.files[at])
                yield item
""",
            [],
        ),
        (
            """\
        pool = ThreadPoolExecutor(4)
        pending = [pool.submit(open, source) for source in self.files]
        readers = [future.result() for future in pending]
        for reader in readers:
            yield from reader
""",
            [],
        ),
    ],
)
def test_pools_of_a_stream(
    body: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [each[:5] for each in _found(tmp_path, _STREAM + body + _LOADED, monkeypatch)] == codes


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        ("if not os.path.exists(path):", []),
        ("if not path.exists():", []),
        ("if os.path.exists(path):", ["DL103"]),
    ],
)
def test_a_pool_for_what_is_not_on_disk_yet(
    asked: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Data(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, index):
        path = self.files[index]
        {asked}
            with ThreadPoolExecutor(4) as pool:
                return list(pool.map(len, [path]))
        return index
"""
    assert [each[:5] for each in _found(tmp_path, program + _LOADED, monkeypatch)] == codes


@pytest.mark.parametrize(
    ("name", "body", "time"),
    [
        ("__getitem__", "return list(pool.map(len, [which]))", "item"),
        ("__getitems__", "return list(pool.map(len, which))", "batch"),
    ],
)
def test_a_pool_of_an_item_and_of_a_batch(
    name: str, body: str, time: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Data(Dataset):
    def __init__(self, files):
        self.files = files

    def {name}(self, which):
        with ThreadPoolExecutor(4) as pool:
            {body}
"""
    (message,) = _found(tmp_path, program + _LOADED, monkeypatch)
    assert f"for every {time}:" in message


_EVALUATED = """\
def evaluate(items):
    pool = ThreadPool(4)
    return pool.map(len, items)


def train(dataset, args):
    for step, batch in enumerate(DataLoader(dataset, num_workers=2)):
        {tested}
            evaluate(batch)
"""


@pytest.mark.parametrize(
    ("tested", "codes"),
    [
        ("if step % 100 == 0:", []),
        ("if args.evaluate and not (step + 1) % args.every:", []),
        ("if step % 100 != 0:\n            continue\n        if batch:", []),
        ("if step % 100:", ["DL105"]),
        ("if args.evaluate:", ["DL105"]),
    ],
)
def test_a_pool_of_every_so_many_batches(
    tested: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [each[:5] for each in _found(tmp_path, _EVALUATED.format(tested=tested), monkeypatch)] == codes


_CACHED = """\
class Cache:
    def __init__(self):
        self.lock = threading.Lock()
        self.items = {{}}

    def get(self, key):
        with self.lock:
            return self.items[key]


class Data(Dataset):
    def __init__(self, cache):
        self.cache = {kept}

    def __getitem__(self, index):
        return self.cache.get(index)


class Reporter:
    def __init__(self, cache):
        self.cache = {reported}
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            self.cache.get("state")


def main():
    cache = Cache()
    reporter = Reporter(cache)
    for batch in DataLoader(Data(cache), num_workers=2):
        pass


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("kept", "reported", "codes"),
    [
        ("cache", "cache", ["DL102"]),
        ("Cache()", "cache", []),
        ("cache", "Cache()", []),
        ("Cache()", "Cache()", []),
    ],
)
def test_the_locks_of_two_objects(
    kept: str, reported: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _CACHED.format(kept=kept, reported=reported)
    assert [each[:5] for each in _found(tmp_path, program, monkeypatch)] == codes


def test_two_datasets_that_threads_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def fill(self):
        with self.lock:
            pass

    def __getitem__(self, index):
        with self.lock:
            return index


def main():
    first, second = Data(), Data()
    threading.Thread(target=second.fill, daemon=True).start()
    for dataset in (first, second):
        for batch in DataLoader(dataset, num_workers=2):
            pass


if __name__ == "__main__":
    main()
"""
    assert [each[:5] for each in _found(tmp_path, program, monkeypatch)] == ["DL102"]


@pytest.mark.parametrize(
    ("waits", "codes"),
    [
        ("self.queue.get()", []),
        ("future.result()", ["DL105"]),
    ],
)
def test_a_task_that_reads_a_queue_waits_for_no_task(
    waits: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Crawler:
    def __init__(self, queue):
        self.queue = queue
        self.pool = ThreadPoolExecutor(4)

    def start(self):
        self.pool.submit(self.run)

    def run(self):
        while True:
            future = self.pool.submit(len, "a")
            {waits}


Crawler(None).start()
loader = DataLoader([1, 2], num_workers=2)
"""
    assert [each[:5] for each in _found(tmp_path, program, monkeypatch)] == codes
