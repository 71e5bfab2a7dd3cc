"""What is known of a program holds whatever else stands in it: callers, files, orders, loaders, branches.

A comment ``# <- CODE`` in a program marks a line where a finding must be; there must be no other of the codes
asked for.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_MARK = re.compile(r"# <- (DL\d+)")
_CODES = ("DL101", "DL202", "DL204", "DL301", "DL304", "DL401")


def _check(
    tmp_path: Path, files: dict[str, str]
) -> tuple[set[tuple[str, int, str]], set[tuple[str, int, str]]]:
    wanted = set()
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for number, line in enumerate(text.splitlines(), 1):
            wanted.update((name, number, code) for code in _MARK.findall(line))
    settings = Settings(select=_CODES, target_torch="1.8", start_method="fork")
    report = engine.check([tmp_path], settings)
    assert not report.troubles
    found = {
        (Path(os.path.relpath(each.path, tmp_path)).as_posix(), each.line, each.code)
        for each in report.findings
    }
    return found, wanted


_HEAD = """import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Noisy(Dataset):
    def __init__(self, rows, *_):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] + np.random.rand()


"""
_MAKE = """def make(rows, workers):
    return DataLoader(Noisy(rows), num_workers=workers){mark}


"""
_ASKED = "def ask_{n}(rows):\n    return make(rows, {workers})\n\n\n"


def _callers(count: int, workers: list[int]) -> str:
    return "".join(_ASKED.format(n=n, workers=workers[n % len(workers)]) for n in range(count))


_FOUND = _MAKE.format(mark="  # <- DL202")
_SILENT = _MAKE.format(mark="")
_PLAIN = {
    "a caller that is not among the first": _HEAD + _FOUND + _callers(19, [0] * 18 + [2]),
    "nineteen callers without workers": _HEAD + _SILENT + _callers(19, [0]),
    "more callers than are looked at": _HEAD + _FOUND + _callers(70, [0]),
    "a function in a variable": _HEAD + _SILENT + "def other(rows, workers):\n    return None\n\n\n"
    "def run(rows, quick):\n    build = other if quick else make\n    return build(rows, 0)\n",
    "a function in a variable, with workers": _HEAD + _FOUND + "BUILDERS = {'plain': make}\n\n\n"
    "def run(rows, kind):\n    make(rows, 0)\n    return BUILDERS[kind](rows, 3)\n",
    "a function in a dict, without": _HEAD + _SILENT + "BUILDERS = {'plain': make}\n\n\n"
    "def run(rows, kind):\n    return BUILDERS[kind](rows, 0)\n",
    "a spawned function": _HEAD
    + "def train(rank, workers):\n    DataLoader(Noisy([rank]), num_workers=workers)\n\n\n"
    "def main():\n    torch.multiprocessing.spawn(train, args=(0,), nprocs=2)\n",
    "a spawned function, with workers": _HEAD
    + "def train(rank, workers):\n    DataLoader(Noisy([rank]), num_workers=workers)  # <- DL202\n\n\n"
    "def main():\n    torch.multiprocessing.spawn(train, (2,), 2)\n",
    "a thread": _HEAD
    + "import threading\n\n\n"
    + _SILENT
    + "def main(rows):\n    threading.Thread(target=make, args=(rows, 0)).start()\n",
    "a thread, by keywords": _HEAD
    + "import threading\n\n\n"
    + _FOUND
    + "def main(rows):\n    threading.Thread(target=make, kwargs={'rows': rows, 'workers': 1}).start()\n",
    "a task": _HEAD
    + "from concurrent.futures import ThreadPoolExecutor\n\n\n"
    + _SILENT
    + "def main(rows):\n    with ThreadPoolExecutor(2) as pool:\n        pool.submit(make, rows, 0)\n",
    "what a caller stores in its settings": _HEAD
    + "def make(args):\n    return DataLoader(Noisy(args.rows), num_workers=args.workers)\n\n\n"
    "def main(parser):\n    args = parser.parse_args()\n    args.workers = 0\n    make(args)\n",
    "what one of two callers stores": _HEAD
    + "def make(args):\n    return DataLoader(Noisy(args.rows), num_workers=args.workers)  # <- DL202\n\n\n"
    "def main(parser):\n    args = parser.parse_args()\n    args.workers = 0\n    make(args)\n\n\n"
    "def train(parser):\n    args = parser.parse_args()\n    args.workers = 4\n    make(args)\n",
    "a namespace without workers": "from types import SimpleNamespace\n\n"
    + _HEAD
    + "def make(options):\n    return DataLoader(Noisy([]), num_workers=options.workers)\n\n\n"
    "make(SimpleNamespace(workers=0))\n",
    "a namespace with workers": "from argparse import Namespace\n\n"
    + _HEAD
    + "def make(options):\n    return DataLoader(Noisy([]), num_workers=options.workers)  # <- DL202\n\n\n"
    "make(Namespace(workers=2))\n",
    "a namespace that others change": "from types import SimpleNamespace\n\n"
    + _HEAD
    + "def make(options):\n    return DataLoader(Noisy([]), num_workers=options.workers)  # <- DL202\n\n\n"
    "def more(options):\n    options.workers = 8\n\n\ndef main():\n    options = SimpleNamespace(workers=0)\n"
    "    more(options)\n    make(options)\n",
    "a namespace beside another's settings": "import argparse\nfrom types import SimpleNamespace\n\n"
    + _HEAD
    + "def make(options):\n    return DataLoader(Noisy([]), num_workers=options.workers)\n\n\n"
    "def other():\n    args = argparse.ArgumentParser().parse_args()\n    args.workers = 8\n    return args\n\n\n"
    "make(SimpleNamespace(workers=0))\n",
    "a method without parameters": "def start(args):\n    args.workers = 3\n\n\n"
    + _HEAD
    + "class Kit:\n    def make():\n        return DataLoader(Noisy([]), num_workers=args.workers)  # <- DL202\n",
    "what a callee changes in between": _HEAD + "def set_up(args):\n    args.workers = 4\n\n\n"
    "def make(args):\n    set_up(args)\n"
    "    return DataLoader(Noisy([]), num_workers=args.workers)  # <- DL202\n\n\n"
    "def main(parser):\n    args = parser.parse_args()\n    args.workers = 0\n    make(args)\n",
    "a task with what nobody knows": _HEAD
    + "def go(workers=0):\n    return DataLoader(Noisy([]), num_workers=workers)  # <- DL202\n\n\n"
    "def main(pool, more):\n    from concurrent.futures import ThreadPoolExecutor\n\n"
    "    ThreadPoolExecutor(1).submit(go, **more)\n",
    "a process with what nobody knows": _HEAD + "import multiprocessing\n\n\n"
    "def go(workers=0):\n    return DataLoader(Noisy([]), num_workers=workers)  # <- DL202\n\n\n"
    "def main(more):\n    multiprocessing.Process(target=go, **more).start()\n",
    "a thread of a method by its class": _HEAD + "import threading\n\n\n"
    "class Kit:\n    def make(self, workers, rows):\n"
    "        return DataLoader(Noisy(rows), num_workers=workers)\n\n\n"
    "def main(kit):\n    threading.Thread(target=Kit.make, args=(kit, 0, 4)).start()\n",
    "the default of an option": "import argparse\n\n"
    + _HEAD
    + "parser = argparse.ArgumentParser()\nparser.add_argument('--workers', '-j', type=int, default=0)\n"
    "args = parser.parse_args()\nDataLoader([1], num_workers=args.workers, persistent_workers=True)  # <- DL304\n",
    "an option with a default that is good": "import argparse\n\n"
    + _HEAD
    + "parser = argparse.ArgumentParser()\nparser.add_argument('-w', dest='workers', type=int, default=2)\n"
    "args = parser.parse_args()\nDataLoader([1], num_workers=args.workers, persistent_workers=args.workers > 0)\n",
    "the default of a field that tyro fills": "import tyro\nfrom dataclasses import dataclass\n\n"
    + _HEAD
    + "@dataclass\nclass Config:\n    workers: int = 0\n\n"
    "args = tyro.cli(Config)\nDataLoader([1], num_workers=args.workers, persistent_workers=True)  # <- DL304\n",
    "a default that tyro is told": "import tyro\nfrom dataclasses import dataclass\n\n"
    + _HEAD
    + "@dataclass\nclass Config:\n    workers: int = 0\n\n"
    "args = tyro.cli(Config, default=Config(workers=2))\nDataLoader([1], num_workers=args.workers, persistent_workers=True)\n",
    "a field that is changed afterwards": "import tyro\nfrom dataclasses import dataclass\n\n"
    + _HEAD
    + "@dataclass\nclass Config:\n    workers: int = 0\n    def __post_init__(self):\n        self.workers = 2\n\n"
    "args = tyro.cli(Config)\nDataLoader([1], num_workers=args.workers, persistent_workers=True)\n",
    "a field without default": "import tyro\nfrom dataclasses import dataclass\n\n"
    + _HEAD
    + "@dataclass\nclass Config:\n    workers: int\n\n"
    "args = tyro.cli(Config)\nDataLoader([1], num_workers=args.workers, persistent_workers=True)\n",
    "a rank and a setting": _HEAD + "def make(rows, rank, cfg):\n"
    "    sampler = DistributedSampler(rows) if rank != -1 else None\n"
    "    return DataLoader(rows, sampler=sampler, shuffle=(rank != -1) & cfg.mix)  # <- DL301\n",
    "no rank and a setting": _HEAD + "def make(rows, rank, cfg):\n"
    "    sampler = DistributedSampler(rows) if rank != -1 else None\n"
    "    return DataLoader(rows, sampler=sampler, shuffle=(rank == -1) & cfg.mix)\n",
    "one branch, from many callers": _HEAD + "def make(rows, many, mix):\n    if many:\n"
    "        sampler, shuffle = DistributedSampler(rows), False\n    else:\n        sampler, shuffle = None, mix\n"
    "    return DataLoader(rows, sampler=sampler, shuffle=shuffle)\n\n\n"
    + "".join(
        f"def ask_{n}(rows, args, world):\n    many = not args.cpu_{n} and world > {n}\n"
        f"    return make(rows, many, {n % 2 == 0})\n\n\n"
        for n in range(9)
    ),
    "two branches that are two decisions": _HEAD
    + "def make(rows, args):\n    sampler, shuffle = None, False\n"
    "    if args.many:\n        sampler = DistributedSampler(rows)\n    if args.mix:\n        shuffle = True\n"
    "    return DataLoader(rows, sampler=sampler, shuffle=shuffle)  # <- DL301\n",
    "constructors that hand on twice": _HEAD
    + "class Trained(Noisy):\n    def __init__(self, rows, size, train=False):\n        super().__init__(rows)\n"
    "        self.train = train\n\n    def __getitem__(self, index):\n"
    "        return super().__getitem__(index) if self.train else self.rows[index]\n\n\n"
    "class Named(Trained):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n\n\n"
    "class Cut(Named):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n\n\n"
    "DataLoader(Cut([1], 2, train=True), num_workers=2)  # <- DL202\n"
    "DataLoader(Cut([1], 2, train=False), num_workers=2)\n"
    "DataLoader(Cut([1], 2, False), num_workers=2)\nDataLoader(Cut([1], 2, True), num_workers=2)  # <- DL202\n",
    "a step many times": _HEAD.replace("Noisy", "Stepped")
    .replace(" + np.random.rand()", "")
    .replace(
        "def __init__(self, rows, *_):\n", "def __init__(self, rows, steps):\n        self.steps = steps\n"
    )
    .replace(
        "return self.rows[index]",
        "row = self.rows[index]\n        for step in self.steps:\n"
        "            row = step(row)\n        return row",
    )
    + "class Jitter:\n    def __call__(self, row):\n        return row * np.random.rand()\n\n\n"
    "def main(rows, n):\n    DataLoader(Stepped(rows, [Jitter()] * n), num_workers=2)  # <- DL202\n"
    "    DataLoader(Stepped(rows, [Jitter()] * 0), num_workers=2)\n",
}


@pytest.mark.parametrize("name", _PLAIN)
def test_a_program(tmp_path: Path, name: str) -> None:
    found, wanted = _check(tmp_path, {"program.py": _PLAIN[name]})
    assert found == wanted


_SEEDED = """

def begin(worker, seed=None):{mark}
    if seed is not None:
        np.random.seed(seed + worker)


def build(rows, seed):
    return DataLoader(Noisy(rows), num_workers=2, worker_init_fn=partial(begin, seed=seed))


{calls}"""


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ("build([1], None)\nbuild([2], 7)\n", True),
        ("build([2], 7)\nbuild([1], None)\n", True),
        ("build([1], None)\nbuild([2], None)\n", False),
    ],
)
def test_a_worker_init_fn_in_every_state_in_which_it_is_given(
    tmp_path: Path, calls: str, found: bool
) -> None:
    text = "from functools import partial\n\n" + _HEAD + _SEEDED.format(mark="", calls=calls)
    result, _ = _check(tmp_path, {"program.py": text})
    assert ("DL204" in {code for _, _, code in result}) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for kind in ('a', 'b', 'c'):\n    DataLoader(Kinds(kind), num_workers=2)\n", True),
        ("for kind in ('a', 'b'):\n    DataLoader(Kinds(kind), num_workers=2)\n", False),
    ],
)
def test_worker_code_in_every_world(tmp_path: Path, text: str, found: bool) -> None:
    kinds = (
        "class Kinds(Noisy):\n    def __init__(self, kind):\n        self.kind = kind\n\n"
        "    def __getitem__(self, index):\n        if self.kind == 'a':\n            return index\n"
        "        if self.kind == 'b':\n            return index + 1\n        return np.random.rand()\n\n\n"
    )
    result, _ = _check(tmp_path, {"program.py": _HEAD + kinds + text})
    assert bool(result) is found


_INIT = "def seed_worker(worker):\n    np.random.seed(9 + worker)\n\n\n"
_KEPT = "DataLoader(Noisy([]), num_workers=2, worker_init_fn=seed_worker, persistent_workers=True)\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (_KEPT, False),
        (_KEPT + _KEPT.replace(", persistent_workers=True", ""), True),
        ("def helper():\n    return seed_worker\n", True),  # who gets it is not seen
        ("DataLoader([1], num_workers=0, worker_init_fn=seed_worker)\n", False),
    ],
)
def test_a_function_called_like_a_worker_init_fn_is_judged_with_its_loaders(
    tmp_path: Path, text: str, found: bool
) -> None:
    result, _ = _check(tmp_path, {"program.py": _HEAD + _INIT + text})
    assert ("DL204" in {code for _, _, code in result}) is found


_WARPS = "import cv2\n\n\ndef bend(image):{mark}\n    return cv2.resize(image, (2, 2))\n"
_USER = """from torch.utils.data import DataLoader, Dataset

from {where} import {name}


class Bent(Dataset):
    def __init__(self, images):
        self.images = images

    def __getitem__(self, index):
        return {name}.bend(self.images[index])


DataLoader(Bent([]), num_workers=2)
"""


@pytest.mark.parametrize(
    "line", ["from . import warps\n", "from tools.data import warps\n", "", "from .warps import bend\n"]
)
def test_a_submodule_of_a_package(tmp_path: Path, line: str) -> None:
    files = {
        "tools/__init__.py": "",
        "tools/data/__init__.py": line,
        "tools/data/warps.py": _WARPS.format(mark=""),
        "use.py": _USER.format(where="tools.data", name="warps"),
    }
    result, _ = _check(tmp_path, files)
    assert result == {("tools/data/warps.py", 5, "DL101")}


def test_what_a_package_makes_of_a_submodules_name(tmp_path: Path) -> None:
    files = {
        "tools/__init__.py": "from . import real as warps\n",
        "tools/real.py": "def bend(image):\n    return image\n",
        "tools/warps.py": _WARPS.format(mark=""),
        "use.py": _USER.format(where="tools", name="warps"),
    }
    assert _check(tmp_path, files)[0] == set()


_KIT = """import cv2
from torch.utils.data import {names}


class Plates(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, index):
        return cv2.resize(self.files[index], (2, 2))
"""
_FOR_OTHERS = "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n\n{}\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"kit.py": _KIT}, True),
        (
            {"kit.py": _KIT, "test_kit.py": _FOR_OTHERS.format("DataLoader(TensorDataset(torch.ones(3)))")},
            True,
        ),
        (
            {
                "kit.py": _KIT,
                "train.py": _FOR_OTHERS.format("DataLoader(TensorDataset(torch.ones(3)), num_workers=2)"),
            },
            True,
        ),
        ({"kit.py": _KIT + "\n\nDataLoader(Plates([]), num_workers=0)\n"}, False),
        (
            {
                "kit.py": _KIT,
                "tests/test_kit.py": "from kit import Plates\n"
                + _FOR_OTHERS.format("DataLoader(Plates([]))"),
            },
            True,
        ),
        (
            {
                "kit.py": _KIT + "\n\nDataLoader(Plates([]), num_workers=0)\n",
                "train.py": "from kit import DataLoader, Plates\nDataLoader(eval(input()), num_workers=2)\n",
            },
            True,
        ),
        (
            {
                "kit.py": _KIT,
                "show.py": "from kit import DataLoader, Plates\nDataLoader(Plates([]))\n",
                "train.py": "from kit import DataLoader\nDataLoader(eval(input()), num_workers=2)\n",
            },
            False,
        ),
        (
            {
                "kit.py": _KIT,
                "show.py": "from kit import DataLoader, Plates\nDataLoader(Plates([]))\n",
                "train.py": "from kit import DataLoader, Plates\nmodel.eval()\nDataLoader(ask(), num_workers=2)\n",
            },
            False,
        ),
    ],
)
def test_a_dataset_that_no_loader_with_workers_is_seen_to_get(
    tmp_path: Path, files: dict[str, str], found: bool
) -> None:
    files = {name: text.replace("{names}", "DataLoader, Dataset") for name, text in files.items()}
    result, _ = _check(tmp_path, files)
    assert ({code for _, _, code in result} == {"DL101"}) is found


@pytest.mark.parametrize(("own", "found"), [("    step = nested\n", True), ("", False)])
def test_a_method_is_asked_of_the_object_that_it_is_called_on(tmp_path: Path, own: str, found: bool) -> None:
    text = (
        "from torch.utils.data import DataLoader, Dataset\n\n\ndef seen(rows):\n    return rows\n\n\n"
        "class Base(Dataset):\n    collate = None\n\n    def loader(self):\n"
        "        return DataLoader(self, num_workers=1, collate_fn=self.collate)\n\n\n"
        "class Own(Base):\n    def __init__(self, pad):\n        def nested(rows):\n            return rows + pad\n\n"
        f"        self.collate = {'nested' if own else 'seen'}\n\n    def __getitem__(self, index):\n"
        "        return index\n\n\nOwn(1).loader()\n"
    )
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL401",), start_method="spawn"))
    assert bool(report.findings) is found


@pytest.mark.parametrize(
    ("where", "name", "found"),
    [
        ("from kit import Plates", "cfg.kind", True),
        ("from kit import Plates, Plain", "'Pla' + 'tes'", True),
        ("from kit import Plates, Plain", "'Plain'", False),
        ("from kit import Plain", "cfg.kind", False),
    ],
)
def test_eval_means_the_classes_that_its_module_names(
    tmp_path: Path, where: str, name: str, found: bool
) -> None:
    plain = "\n\nclass Plain(Dataset):\n    def __getitem__(self, index):\n        return index\n"
    shown = "\n\nif __name__ == '__main__':\n    DataLoader(Plates([]))\n    DataLoader(Plain())\n"
    train = f"from torch.utils.data import DataLoader\n{where}\n\n\ndef make(cfg):\n"
    train += f"    return DataLoader(eval({name})(cfg.files), num_workers=2)\n"
    files = {"kit.py": _KIT.replace("{names}", "DataLoader, Dataset") + plain + shown, "train.py": train}
    result, _ = _check(tmp_path, files)
    assert bool(result) is found


def test_a_list_of_lists_of_many(tmp_path: Path) -> None:
    text = _HEAD + "rows = [Noisy([])] * 1000\nrows = [rows] * 1000\nrows = [[rows] * 1000] * 1000\n"
    found, _ = _check(tmp_path, {"program.py": text + "DataLoader(rows, num_workers=2)\n"})
    assert {code for _, _, code in found} <= {"DL202"}


@pytest.mark.parametrize(
    ("train", "found"),
    [
        ("", True),
        ("from kit import Plates\n\nPlates([])[0]\nDataLoader([1], num_workers=2)\n", False),
        ("from kit import Plates\n\nDataLoader([Plates([])][0] or ask(), num_workers=2)\n", True),
    ],
)
def test_a_dataset_that_the_program_itself_makes(tmp_path: Path, train: str, found: bool) -> None:
    files = {"kit.py": _KIT.replace("{names}", "DataLoader, Dataset")}
    files["train.py"] = "from torch.utils.data import DataLoader\n" + train
    result, _ = _check(tmp_path, files)
    assert bool(result) is found


@pytest.mark.parametrize(
    ("own", "tests", "found"), [(2, 19, True), (0, 19, False), (2, 60, True), (0, 60, True)]
)
def test_of_many_callers_those_in_tests_come_last(tmp_path: Path, own: int, tests: int, found: bool) -> None:
    # Beyond those that are asked, what the others pass is not known, whatever the program's own caller passes.
    files = {"kit.py": _HEAD + (_FOUND if found else _SILENT) + f"make([], {own})\n"}
    files["tests/test_kit.py"] = "from kit import make\n\n\n" + _callers(tests, [0])
    result, wanted = _check(tmp_path, files)
    assert result == wanted


def test_a_few_callers_in_tests_are_callers(tmp_path: Path) -> None:
    files = {"kit.py": _HEAD + _SILENT + "make([], 0)\n"}
    files["tests/test_kit.py"] = "from kit import make\n\n\n" + _callers(5, [0])
    assert _check(tmp_path, files)[0] == set()


_ABOVE = """import cv2
from torch.utils.data import Dataset


class Plates(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return cv2.resize(self.rows[index], (8, 8))
"""
_BELOW = """from kit import Plates


class Few(Plates):
    def __getitem__(self, index):
        return self.rows[index]
"""


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, True),
        # Nothing but what is derived from it is known to be used.
        ({"few.py": _BELOW}, False),
        ({"few.py": _BELOW.replace("return", "return super().__getitem__(index) or")}, True),
        (
            {
                "few.py": f"{_BELOW}\n\ndef ask(each: Plates) -> Plates:\n    return isinstance(each, Plates)\n"
            },
            False,
        ),
        ({"few.py": f"{_BELOW}\n    def __len__(self):\n        return Plates.__len__(self)\n"}, False),
        (
            {"few.py": f"{_BELOW}\n    def __len__(self):\n        return super(Plates, self).__len__()\n"},
            False,
        ),
        ({"few.py": _BELOW, "test_kit.py": "from kit import Plates\nprint(Plates([1])[0])\n"}, False),
        ({"few.py": _BELOW.replace("Plates", "Other"), "other.py": "class Plates:\n    pass\n"}, True),
        # A test says nothing of what others use.
        ({"tests/test_few.py": _BELOW}, True),
        # Somebody takes it for itself.
        ({"few.py": _BELOW, "kinds.py": "from kit import Plates\nKINDS = {'all': Plates}\n"}, True),
        ({"few.py": _BELOW, "kit.py": _ABOVE.replace("class", "@DATASETS.register()\nclass")}, True),
        ({"few.py": _BELOW, "kinds.py": "import kit\n\n\nclass Builder:\n    kind = kit.Plates\n"}, True),
        ({"few.py": _BELOW, "kinds.py": "from kit import Plates\nregister(Plates, 'all')\n"}, True),
        ({"few.py": f"{_BELOW}\n\ndef make(rows):\n    return Plates(rows)\n"}, True),
        ({"few.py": _BELOW, "kinds.py": "class Plates:\n    pass\n\n\nKINDS = [Plates]\n"}, False),
    ],
)
def test_a_dataset_that_others_are_derived_from(tmp_path: Path, files: dict[str, str], found: bool) -> None:
    result, _ = _check(tmp_path, {"kit.py": _ABOVE, **files})
    assert ({code for _, _, code in result} == {"DL101"}) is found


def test_what_a_derived_dataset_does_in_a_file_that_names_no_library(tmp_path: Path) -> None:
    """The base reads items by a method that others have: the files of those say nothing of datasets."""
    above = _ABOVE.replace("cv2.resize(self.rows[index], (8, 8))", "self.read(index)")
    below = (
        "import cv2\nfrom kit import Plates\n\n\nclass Few(Plates):\n    def read(self, index):\n"
        "        return cv2.resize(self.rows[index], (8, 8))\n"
    )
    again = below.replace("from kit import Plates", "from few import Few").replace(
        "Few(Plates)", "Least(Few)"
    )
    result, _ = _check(tmp_path, {"kit.py": above, "few.py": below, "least.py": again})
    assert {(file, code) for file, _, code in result} == {("least.py", "DL101")}
    result, _ = _check(tmp_path, {"least.py": ""})
    assert {(file, code) for file, _, code in result} == {("few.py", "DL101")}
