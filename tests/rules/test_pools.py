"""Pools, threads and locks in the shapes that real datasets give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import functools
import threading
from concurrent.futures import ThreadPoolExecutor
import multiprocessing as mp
from multiprocessing.pool import ThreadPool as Threads
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


"""
_LOADED = """

for batch in DataLoader(Data(), num_workers=2):
    pass
"""


def _codes(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(_HEAD + program)
    monkeypatch.chdir(folder)
    return [finding.code for finding in engine.check([Path()], Settings(select=("DL10",))).findings]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    pool = None

    def _threads(self):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(2)
        return self.pool

    def __getitem__(self, index):
        return list(self._threads().map(abs, [index]))
""",
            id="made when first needed, in a worker",
        ),
        pytest.param(
            """
    _kept = None

    @property
    def pool(self):
        if self._kept is not None:
            return self._kept
        self._kept = ThreadPoolExecutor(2)
        return self._kept

    def __getitem__(self, index):
        return list(self.pool.map(abs, [index]))
""",
            id="early return when it is there",
        ),
        pytest.param(
            """
    pool = None

    def __getitem__(self, index):
        missing = self.pool is None
        if missing:
            self.pool = ThreadPoolExecutor(2)
        return list(self.pool.map(abs, [index]))
""",
            id="made where a variable says that it is missing",
        ),
        pytest.param(
            """
    @functools.lru_cache
    def threads(self):
        return ThreadPoolExecutor(2)

    def __getitem__(self, index):
        return list(self.threads().map(abs, [index]))
""",
            id="a cached function makes it",
        ),
        pytest.param(
            """
    def __init__(self):
        pool = mp.Pool(2)
        self.items = pool.map(abs, range(8))
        pool.close()
        pool.join()

    def __getitem__(self, index):
        return self.items[index]
""",
            id="finished in __init__",
        ),
        pytest.param(
            """
    def __init__(self):
        self.lock = threading.Lock()
        self.items = []
        readers = [threading.Thread(target=self.read, args=(index,)) for index in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()

    def read(self, index):
        with self.lock:
            self.items.append(index)

    def __getitem__(self, index):
        with self.lock:
            return self.items[index]
""",
            id="threads joined before the workers start",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        info = get_worker_info()
        if info is None:
            with mp.Pool(2) as pool:
                return pool.map(abs, [index])
        return [index]
""",
            id="processes in the main process only",
        ),
    ],
)
def test_silent(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _codes(tmp_path, f"class Data(Dataset):{body}{_LOADED}", monkeypatch) == []


def test_stage_of_a_stream_makes_its_pool_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Stage:
    def __call__(self, source):
        with ThreadPoolExecutor(2) as pool:
            for item in source:
                yield pool.submit(abs, item).result()


class Data(IterableDataset):
    def __init__(self):
        self.stage = Stage()

    def __iter__(self):
        yield from self.stage(range(10))
"""
    assert _codes(tmp_path, program + _LOADED, monkeypatch) == []


def test_opened_by_worker_init_fn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def open(self):
        self.pool = Threads(2)

    def __getitem__(self, index):
        return self.pool.map(abs, [index])


def init(worker_id):
    get_worker_info().dataset.open()


for batch in DataLoader(Data(), num_workers=2, worker_init_fn=init):
    pass
"""
    assert _codes(tmp_path, program, monkeypatch) == []


_READER = """\
class Reader:
    def __init__(self):
        self.pool = Threads(2)

    def read(self, index):
        return self.pool.map(abs, [index])


"""


def test_held_by_an_object_of_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def __init__(self):
        self.reader = Reader()

    def __getitem__(self, index):
        return self.reader.read(index)
"""
    assert _codes(tmp_path, _READER + program + _LOADED, monkeypatch) == ["DL102"]


def test_held_by_an_object_made_for_every_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def __getitem__(self, index):
        reader = Reader()
        return reader.read(index)
"""
    assert _codes(tmp_path, _READER + program + _LOADED, monkeypatch) == ["DL103"]


def test_cold_executor_is_fine_under_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Data(Dataset):
    def __init__(self):
        self.pool = ThreadPoolExecutor(2)

    def __getitem__(self, index):
        return list(self.pool.map(abs, [index]))


for batch in DataLoader(Data(), num_workers=2{context}):
    pass
"""
    fork = program.replace("{context}", ', multiprocessing_context="fork"')
    assert _codes(tmp_path, fork, monkeypatch) == []
    assert _codes(tmp_path, program.replace("{context}", ""), monkeypatch) == ["DL102"]


def test_batches_that_an_object_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """\
class Batches:
    def __init__(self, items):
        self.pool = Threads(2)
        self.pending = self.pool.map_async(abs, items)


def main(loader):
    for batch in loader:
        Batches(batch).pending.get()


main(DataLoader([1, 2, 3], num_workers=2))
"""
    assert _codes(tmp_path, program, monkeypatch) == ["DL105"]


_OF_THE_MODULE = """
POOL = ThreadPoolExecutor(2)


class Data(Dataset):
    def __init__(self, pool=None):
        self.pool = pool

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return list({used}.map(abs, [index]))


if __name__ == "__main__":
    for batch in DataLoader(Data({given}), num_workers=2):
        pass
"""


@pytest.mark.parametrize(("used", "given", "codes"), [("POOL", "", []), ("self.pool", "POOL", ["DL102"])])
def test_an_idle_executor_of_the_module_matters_where_the_dataset_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used: str, given: str, codes: list[str]
) -> None:
    assert _codes(tmp_path, _OF_THE_MODULE.format(used=used, given=given), monkeypatch) == codes


_FETCHED = """
POOL = ThreadPoolExecutor(2)


def fetch(index):
    return list(POOL.map(abs, [index]))


def warm(pool):
    fetch(3)


class Data(Dataset):
    {init}

    def __getitem__(self, index):
        return fetch(index)


def build():
    return DataLoader(Data(), num_workers=2)


def main():
    {before}
    loader = build()
    for batch in loader:
        print(batch)
    fetch(3)


if __name__ == "__main__":
    {first}
    main()
"""


@pytest.mark.parametrize(
    ("place", "work", "codes"),
    [
        ("before", "pass", []),
        ("before", "fetch(3)", ["DL102"]),
        ("before", "POOL.submit(print)", ["DL102"]),
        ("before", "warm(4)", ["DL102"]),
        ("before", "if data := fetch(3):\n        print(data)", ["DL102"]),
        ("before", "POOL.shutdown", []),
        ("before", "other = ThreadPoolExecutor(2)\n    other.submit(print)\n    other.shutdown()", []),
        ("before", "def later():\n        fetch(3)", []),
        ("first", "fetch(3)", ["DL102"]),
        ("init", "def __init__(self):\n        self.first = fetch(3)", ["DL102"]),
        ("init", "def size(self):\n        return fetch(3)", []),
    ],
)
def test_an_executor_of_the_module_that_the_parent_gives_work(
    place: str, work: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"before": "pass", "first": "pass", "init": "pass", place: work}
    assert _codes(tmp_path, _FETCHED.format(**places), monkeypatch) == codes


def test_an_executor_that_another_file_gives_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.py").write_text(
        "from program import fetch\n\n\ndef main():\n    fetch(3)\n\n\nmain()\n"
    )
    idle = _FETCHED.format(before="pass", first="pass", init="pass")
    assert _codes(tmp_path, idle, monkeypatch) == []
    (tmp_path / "other.py").write_text(
        "from program import POOL, main\n\n\nPOOL.submit(print)\nif __name__ == '__main__':\n    main()\n"
    )
    assert _codes(tmp_path, idle, monkeypatch) == ["DL102"]


_PER_BATCH = """
import contextlib


def made():
    {made}


def read(batch):
    {read}


def train(dataset):
    for batch in DataLoader(dataset, num_workers=2):
        read(batch)
"""


@pytest.mark.parametrize(
    ("made", "read", "codes"),
    [
        (
            "return Threads(2)",
            "pool = made()\n    pool.map(abs, batch)\n    pool.close()\n    pool.join()",
            [],
        ),
        (
            "pass",
            "with contextlib.ExitStack() as stack:\n"
            "        pool = stack.enter_context(ThreadPoolExecutor(2))\n"
            "        list(pool.map(abs, batch))",
            [],
        ),
        ("pass", "pools = []\n    pools.append(Threads(2))\n    pools[0].map(abs, batch)", ["DL105"]),
        ("pass", "return Threads(2).map(abs, batch)", ["DL105"]),
        ("pass", "pool = Threads(2)\n    pool.map(abs, batch)\n    pool.close()", ["DL105"]),
    ],
)
def test_a_pool_of_a_batch_that_goes_elsewhere_is_ended_there(
    made: str, read: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _codes(tmp_path, _PER_BATCH.format(made=made, read=read), monkeypatch) == codes


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("often = index % 2 == 0\n        if often:", id="a variable that says something else"),
        pytest.param(
            "often = index is None\n        often = index > 2\n        if often:",
            id="a variable that is set twice",
        ),
    ],
)
def test_made_again_where_a_variable_says_so(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Data(Dataset):
    def __getitem__(self, index):
        {body}
            pool = ThreadPoolExecutor(2)
            return list(pool.map(abs, [index]))
        return [index]
"""
    assert _codes(tmp_path, program + _LOADED, monkeypatch) == ["DL103"]


@pytest.mark.parametrize(("end", "found"), [("pass", ["DL105"]), ("pool.close(); pool.join()", [])])
def test_pool_in_a_variable_with_an_annotation(
    end: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Data(Dataset):
    def __getitem__(self, index):
        return index


kept = []
for batch in DataLoader(Data(), num_workers=2):
    pool: object = Threads(2)
    kept.append(pool)
    kept.append(pool.map_async(abs, batch))
    {end}
"""
    assert _codes(tmp_path, program, monkeypatch) == found
