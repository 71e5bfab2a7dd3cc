"""Programs that are seldom written, and that some condition of dlint is there for: a mutant of it, which these
tell from the code as it is, was noticed by no other test (benchmarks/mutants.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree

_HEAD = """\
import random
import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, get_worker_info
"""
_ROWS = """
class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {item}
"""
_DRAWN = _ROWS.format(item="np.random.rand()")
_OPENED = """
class Data(Dataset):
    def __init__(self):
        self.file = None

    def __len__(self):
        return 9

    def __getitem__(self, index):
        if self.file is None:
            self.file = open("data.txt"){mark}
        self.file.seek(9 * index)
        return self.file.read(9)


data = Data()
{read}


def train():
    return DataLoader(data, num_workers=2)
"""
_SPENT = """
class Rows(Dataset):
    def __init__(self, rows):
        self.rows = iter(list(rows))

    def __len__(self):
        return 9

    def __getitem__(self, index):
        try:
            return next(self.rows){mark}
        except {errors}:
            return index

"""
_INIT = """
def main(rows):
    return DataLoader(Rows(rows), num_workers=2, worker_init_fn=init)
"""

PROGRAMS = {
    "DL301: a class derived from one of the program's that is a loader": """
class PlainLoader(DataLoader):
    pass


class Shuffled(PlainLoader):
    def __init__(self, dataset):
        super().__init__(dataset, sampler=RandomSampler(dataset), shuffle=True)  # expect: DL301
""",
    "DL301: the constructor between two classes drops an argument": """
class PlainLoader(DataLoader):
    def __init__(self, dataset, sampler, shuffle):
        super().__init__(dataset, sampler=sampler)


class Shuffled(PlainLoader):
    def __init__(self, dataset):
        super().__init__(dataset, sampler=RandomSampler(dataset), shuffle=True)
""",
    "DL301: a class that is derived from something else": """
class PlainLoader:
    pass


class Shuffled(PlainLoader):
    def __init__(self, dataset):
        super().__init__(dataset, sampler=RandomSampler(dataset), shuffle=True)
""",
    "DL301: keyword arguments handed on at the top of a file": """
settings = dict(shuffle=True)
rows = list(range(9))
loader = DataLoader(rows, sampler=RandomSampler(rows), **settings)  # expect: DL301
""",
    "DL204: a seed that is a text with the worker's number": _DRAWN
    + """

def init(worker_id):
    random.seed(f"worker {worker_id}")
    np.random.seed(worker_id)  # expect: DL204
"""
    + _INIT,
    "DL204: a seed that is a text with torch's seed": _DRAWN
    + """

def init(worker_id):
    random.seed(f"{torch.initial_seed()} {worker_id}")
    np.random.seed(torch.initial_seed() % 2**32)
"""
    + _INIT,
    "DL204: a function that seeds, under another name": _DRAWN
    + """

def seed_all(number):
    random.seed(number)
    np.random.seed(number)


set_up = seed_all


def init(worker_id):
    print(worker_id)
    set_up(worker_id)  # expect: DL204
"""
    + _INIT,
    "DL506: the dataset of generators has another collate_fn": """
def pick(items):
    return [list(item) for item in items]


class Lines(Dataset):
    def __getitem__(self, index):
        yield index


class Plain(Dataset):
    def __getitem__(self, index):
        return index


def main(flag):
    dataset, collate, size = (Lines(), pick, 4) if flag else (Plain(), None, None)
    return DataLoader(dataset, batch_size=size, num_workers=2, collate_fn=collate)
""",
    "DL506: the dataset of generators has no collate_fn, and no batches": """
def pick(items):
    return [list(item) for item in items]


class Lines(Dataset):
    def __getitem__(self, index):  # expect: DL506
        yield index


class Plain(Dataset):
    def __getitem__(self, index):
        return index


def main(flag):
    dataset, collate, size = (Plain(), pick, 4) if flag else (Lines(), None, None)
    return DataLoader(dataset, batch_size=size, num_workers=2, collate_fn=collate)
""",
    "DL501: a stream of which one base is not known": """
from elsewhere import mixed_in


class Stream(mixed_in("rows"), IterableDataset):
    def __iter__(self):
        yield from open("rows")


loader = DataLoader(Stream(), num_workers=2)
""",
    "DL501: a stream of which every base is known": """
class Named:
    pass


class Stream(Named, IterableDataset):
    def __iter__(self):  # expect: DL501
        yield from open("rows")


loader = DataLoader(Stream(), num_workers=2)
""",
    "DL107: what get_worker_info gave is tested": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    here = get_worker_info()
    if here.num_workers == 1 and here.id == 0:
        return torch.multiprocessing.Pool(2).map(len, path)
    return len(path)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL107: what another call gave is tested": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    here = torch.initial_seed()
    if here > 1 and here < 9:
        return torch.multiprocessing.Pool(2).map(len, path)  # expect: DL107
    return len(path)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL101: after a loop without an end": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    while True:
        if path.ready():
            return path.load()
    return cv2.imread(path)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL101: after a loop that is left": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    while True:
        if path.ready():
            break
    return cv2.imread(path)  # expect: DL101


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL101: what two datasets with settings of their own never call": """
def read(path, fast):
    if fast:
        return cv2.imread(path)
    return path


class Left(Dataset):
    def __init__(self, rows, fast):
        self.rows = rows
        self.fast = fast

    def __getitem__(self, index):
        if not self.fast:
            return read(self.rows[index], self.fast)
        return self.rows[index]


class Right(Dataset):
    def __init__(self, rows, quick):
        self.rows = rows
        self.quick = quick

    def __getitem__(self, index):
        if not self.quick:
            return read(self.rows[index], self.quick)
        return self.rows[index]


def main(rows, args):
    DataLoader(Left(rows, args.fast), num_workers=2)
    DataLoader(Right(rows, args.quick), num_workers=2)
""",
    "DL101: a number of threads that is not known": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    cv2.setNumThreads(path.threads)
    return path.load()


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL101: a number of threads by its keyword": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    cv2.setNumThreads(nthreads=path.threads)
    return path.load()


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL106: a library's own function, of which the parent has run another": _ROWS.format(
        item="read(self.rows[index])"
    )
    + """
import polars as pl


def read(path):
    return pl.read_parquet(path)  # expect: DL106


def main(rows):
    pl.read_parquet("all.parquet").sort("name")
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL106: a function of that name of another library": _ROWS.format(item="read(self.rows[index])")
    + """
import pandas as pd
import polars as pl


def read(path):
    return pd.read_parquet(path)


def main(rows):
    pl.read_parquet("all.parquet").sort("name")
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL106: worker code alone runs the library": _ROWS.format(item="read(self.rows[index])")
    + """
import polars as pl


def read(path):
    return pl.read_parquet(path)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL505: an error that is caught is another": _SPENT.format(mark="  # expect: DL505", errors="KeyError")
    + """

def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL505: errors that are caught are others": _SPENT.format(
        mark="  # expect: DL505", errors="(KeyError, ValueError)"
    )
    + """

def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL505: it is caught, beside others": _SPENT.format(mark="", errors="(KeyError, StopIteration)")
    + """

def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL403: one of two files is what a worker may not share": """
class Rows(Dataset):
    def __init__(self, root, path):
        self.file = np.load(root + "/rows.npz" if root else path)  # expect: DL403

    def __len__(self):
        return 9

    def __getitem__(self, index):
        return self.file["x"][index]


def main(root, path):
    return DataLoader(Rows(root, path), num_workers=2)
""",
    "DL102: a thread fills another queue than workers read": """
import queue
import threading


class Ahead(IterableDataset):
    def __init__(self, rows):
        self.rows = rows
        self.samples = queue.Queue()
        for row in rows:
            self.samples.put(row)

    def __iter__(self):
        while not self.samples.empty():
            yield self.samples.get()


def write(log):
    while True:
        log.put("going")


def main(rows):
    log = queue.Queue()
    threading.Thread(target=write, args=(log,), daemon=True).start()
    return DataLoader(Ahead(rows), num_workers=2)
""",
    "DL207: a sampler seeded with what a while counts": _ROWS.format(item="self.rows[index]")
    + """
from torch.utils.data import DistributedSampler


def main(rows, model):
    number = 0
    while number < 9:
        sampler = DistributedSampler(Rows(rows), seed=number)
        for batch in DataLoader(Rows(rows), sampler=sampler, num_workers=2):
            model(batch).backward()
        number += 1
""",
    "DL207: a loader taken from a list": _ROWS.format(item="self.rows[index]")
    + """
from torch.utils.data import DistributedSampler


def main(rows, model):
    sampler = DistributedSampler(Rows(rows))  # expect: DL207
    loaders = [DataLoader(Rows(rows), sampler=sampler, num_workers=2)]
    for epoch in range(9):
        for batch in loaders[0]:
            model(batch).backward()
""",
    "DL402: a loader taken from a list": _ROWS.format(item="self.rows[index]")
    + """
rows = Rows(list(range(9)))
loaders = [DataLoader(rows, num_workers=2, multiprocessing_context="spawn")]
for batch in loaders[0]:  # expect: DL402
    print(batch)
""",
    "DL101: a class with a function that gets no object": """
class Photos(Dataset):
    def __init__(self, parts):
        self.parts = [Part(each) for each in parts]

    @staticmethod
    def size():
        return 224

    def __len__(self):
        return sum(len(each) for each in self.parts)

    def __getitem__(self, index):
        for part in self.parts:
            if index < len(part):
                return part[index]
            index -= len(part)


class Part(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return cv2.resize(cv2.imread(self.paths[index]), (224, 224))  # expect: DL101


def main(parts):
    return DataLoader(Photos(parts), num_workers=2)
""",
    "DL201: a seed that is taken out of a list": """
class Rows(Dataset):
    def __init__(self, seeds):
        self.seeds = seeds

    def __len__(self):
        return 9

    def __getitem__(self, index):
        np.random.seed(*self.seeds)  # expect: DL201
        return np.random.rand()


def main(seeds):
    return DataLoader(Rows(seeds), num_workers=2)
""",
    "DL301: arguments in a dict that has no name": _ROWS.format(item="self.rows[index]")
    + """

def main(rows):
    return DataLoader(Rows(rows), **dict(sampler=RandomSampler(rows), shuffle=True))  # expect: DL301
""",
    "DL101: a transform among the options that a library's class is given": """
from torchvision.datasets import ImageFolder


class Blur:
    def __call__(self, image):
        return cv2.GaussianBlur(image, (3, 3), 0)  # expect: DL101


class Photos(ImageFolder):
    def __init__(self, root, **options):
        super().__init__(root, **options)


def main(root):
    return DataLoader(Photos(root, transform=Blur()), num_workers=2)
""",
    "DL502: a mode decides whether there is an item": """
class Rows(Dataset):
    def __init__(self, rows, labelled=True):
        self.rows, self.labelled = rows, labelled

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        if self.labelled:
            return row
        return None


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL306: a loader made where it is asked for a batch": _DRAWN
    + """

def make(rows):
    return DataLoader(Rows(rows), num_workers=2)


def main(rows, model):
    for step in range(1000):
        model(next(iter(make(rows))))  # expect: DL306
""",
    "DL306: what trains has no loop": _DRAWN
    + """

def train_on(model):
    model.train()


def main(rows, model):
    loader = DataLoader(Rows(rows), num_workers=2)
    for epoch in range(100):
        train_on(model)
        model(next(iter(loader)))  # expect: DL306
""",
    "DL306: what trains has a loop": _DRAWN
    + """

def train_on(model):
    for parameter in model.parameters():
        parameter.step()


def main(rows, model):
    loader = DataLoader(Rows(rows), num_workers=2)
    for epoch in range(100):
        train_on(model)
        model(next(iter(loader)))
""",
    "DL501: numbers that name what is opened, and a draw from that": """
class Stream(IterableDataset):
    def __iter__(self):  # expect: DL501
        for number in range(8):
            rows = np.load(f"part{number}.npy")
            yield rows[random.randrange(9)]


loader = DataLoader(Stream(), num_workers=2)
""",
    "DL501: numbers that are added to a draw": """
class Stream(IterableDataset):
    def __iter__(self):
        for number in range(8):
            yield number + random.randrange(9)


loader = DataLoader(Stream(), num_workers=2)
""",
    "DL403: read where the file runs, before a function that nobody calls makes the loader": _OPENED.format(
        mark="  # expect: DL403", read="print(data[0])"
    ),
    "DL403: only its length is asked where the file runs": _OPENED.format(mark="", read="print(len(data))"),
    "DL107: a process that is made and never started": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    process = torch.multiprocessing.Process(target=print)
    return process.name + path


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL107: a process that is started": _ROWS.format(item="read(self.rows[index])")
    + """

def read(path):
    process = torch.multiprocessing.Process(target=print)  # expect: DL107
    process.start()
    return process.name + path


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL103: a pool that each item makes": _ROWS.format(item="read(self.rows[index])")
    + """
import functools
from multiprocessing.pool import ThreadPool


def pool():
    return ThreadPool(2)  # expect: DL103


def read(paths):
    return pool().map(open, paths)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL103: a pool of a function that is cached": _ROWS.format(item="read(self.rows[index])")
    + """
import functools
from multiprocessing.pool import ThreadPool


@functools.cache
def pool():
    return ThreadPool(2)


def read(paths):
    return pool().map(open, paths)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
    "DL103: a pool of a function that is cached, as told": _ROWS.format(item="read(self.rows[index])")
    + """
import functools
from multiprocessing.pool import ThreadPool


@functools.lru_cache(maxsize=1)
def pool():
    return ThreadPool(2)


def read(paths):
    return pool().map(open, paths)


def main(rows):
    return DataLoader(Rows(rows), num_workers=2)
""",
}


@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program(title: str, tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": _HEAD + PROGRAMS[title]}, title.partition(":")[0], start_method="fork")


@pytest.mark.parametrize(("count", "also"), [(0, ""), (1, "  # expect: DL404")])
def test_threads_of_the_main_process_where_all_workers_are_spawned(
    count: int, also: str, tmp_path: Path
) -> None:
    """They have a pool of their own, which DL101 says; only what is no protection either is said of the call."""
    program = f"""{_HEAD}{_ROWS.format(item="cv2.imread(self.rows[index])  # expect: DL101")}

def main(rows):
    for batch in DataLoader(Rows(rows), num_workers=2):
        pass


if __name__ == "__main__":
    cv2.setNumThreads({count}){also}
    main(range(9))
"""
    agree(tmp_path, {"main.py": program}, "DL101", "DL404", start_method="spawn")


_TRAINER = """
class Trainer:
    def __init__(self, rows):
        self.loader = DataLoader(rows, sampler=DistributedSampler(rows))  # expect: DL207

    def one(self):
        for row in self.loader:
            row.sum().backward()

    def run(self):
        for epoch in range({rounds}):
            self.one()


"""


@pytest.mark.parametrize(
    ("rounds", "more", "named"),
    [
        ("9", "Trainer(range(9)).run()", "self.loader"),
        ("1", "trainer = Trainer(range(9))\nfor epoch in range(9):\n    trainer.one()", None),
    ],
)
def test_what_a_loader_is_called_where_the_loop_over_the_epochs_stands(
    rounds: str, more: str, named: str | None, tmp_path: Path
) -> None:
    head = _HEAD.replace("RandomSampler", "DistributedSampler")
    program = head + _TRAINER.format(rounds=rounds) + more + "\n"
    [finding] = agree(tmp_path, {"main.py": program}, "DL207").findings
    assert (finding.remedy.data.get("loader") if finding.remedy is not None else None) == named


@pytest.mark.parametrize("before", ["", "import data\n"])
def test_threads_that_are_turned_on_at_import(before: str, tmp_path: Path) -> None:
    """A call that protects, at the import of the dataset's file, helps unless the file that turns them on has
    imported that one by then."""
    program = """
import threads
from data import Photos
from torch.utils.data import DataLoader

for batch in DataLoader(Photos(range(9)), num_workers=2):
    pass
"""
    data = _ROWS.format(item="cv2.imread(self.rows[index])  # expect: DL101").replace("Rows", "Photos")
    files = {
        "main.py": program,
        "data.py": _HEAD + data,
        "threads.py": f"import cv2\n{before}cv2.setNumThreads(8)\n",
    }
    [finding] = agree(tmp_path, files, "DL101", start_method="fork").findings
    assert (finding.remedy is None) is bool(before)


@pytest.mark.parametrize(
    ("errors", "repair"),
    [("", "unsafe"), (" ValueError", "unsafe"), (" (KeyError, ValueError)", "unsafe"), (" KeyError", "safe")],
)
def test_a_program_that_catches_the_error_works_in_its_way(errors: str, repair: str, tmp_path: Path) -> None:
    program = f"""{_HEAD}

def refuses(rows):
    try:
        DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)  # expect: DL301
    except{errors}:
        return True
    return False
"""
    [finding] = agree(tmp_path, {"main.py": program}, "DL301").findings
    assert finding.remedy is not None
    assert finding.remedy.applicability == repair


@pytest.mark.parametrize("apart", [False, True])
def test_a_restart_is_mended_where_the_loop_is_seen(apart: bool, tmp_path: Path) -> None:
    batch = "next(iter(loader))  # expect: DL306"
    program = f"""{_HEAD}{_DRAWN}

def batch_of(loader):
    return {batch if apart else "loader"}


def main(rows, model):
    loader = DataLoader(Rows(rows), num_workers=2)
    for step in range(1000):
        batch = {"batch_of(loader)" if apart else batch}
        model(batch)
"""
    [finding] = agree(tmp_path, {"main.py": program}, "DL306").findings
    assert (finding.remedy is None) is apart


@pytest.mark.parametrize(("factor", "bound"), [("2", False), ("factor", True)])
def test_what_a_local_function_needs_is_bound(factor: str, bound: bool, tmp_path: Path) -> None:
    program = f"""{_HEAD}{_ROWS.format(item="self.rows[index]")}

def main(rows, factor):
    def gather(batch):  # expect: DL401
        return [{factor} * each for each in batch]

    return DataLoader(Rows(rows), num_workers=2, collate_fn=gather)
"""
    [finding] = agree(tmp_path, {"main.py": program}, "DL401", start_method="spawn").findings
    assert ("functools.partial" in finding.message) is bound


def test_what_a_test_sets_is_not_set_for_training(tmp_path: Path) -> None:
    data = f"""{_HEAD}
class Rows(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")  # expect: DL403

    def __len__(self):
        return 9

    def __getitem__(self, index):
        self.file.seek(9 * index)
        return self.file.read(9)


def main(path):
    return DataLoader(Rows(path), num_workers=2)
"""
    test = """
import data


def test_a_worker(worker_dataset):
    worker_dataset.file = None
    assert isinstance(worker_dataset, data.Rows)
"""
    agree(tmp_path, {"data.py": data, "tests/test_data.py": test}, "DL403", start_method="fork")
