"""What a remedy does in one file may not break another."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.project.releases.python_release import declarations_of_python
from dlint.remedies.processes import guard_main, pool_per_process
from dlint.repair import repair
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.settings.settings import Settings
from tests.remedies.case import finding_at, opened

_SCRIPT = """\
from multiprocessing.pool import ThreadPool
from torch.utils.data import DataLoader

_pool = {}
total = 0
for batch in {}:
    total += _pool.apply(sum, batch)
"""
_LOADER = "DataLoader(data, num_workers=2)"
_POOL = "ThreadPool(2)"
_MARKED = {
    guard_main: _SCRIPT.format(_POOL, f"⟦{_LOADER}⟧"),
    pool_per_process: _SCRIPT.format(f"⟦{_POOL}⟧", _LOADER),
}


@pytest.mark.parametrize("remedy", [guard_main, pool_per_process])
@pytest.mark.parametrize(
    "text",
    [
        "from module import {name}\n",
        "import module as m\nprint(m.{name})\n",
        "if x:\n    from module import *\n    print({name})\n",
    ],
)
def test_names_that_others_take_stay(remedy: object, text: str) -> None:
    name = {guard_main: "total", pool_per_process: "_pool"}[remedy]  # type: ignore[index]
    source = opened(_SCRIPT.format(_POOL, _LOADER), {"main.py": text.format(name=name)})
    with pytest.raises(CannotRepair):
        remedy.repair(source, finding_at(_MARKED[remedy], "some", {}), Edits(source))  # type: ignore[attr-defined,index]


@pytest.mark.parametrize("remedy", [guard_main, pool_per_process])
@pytest.mark.parametrize("text", ["import sys\n", "x = module\n", "# from module import total, _pool\n"])
def test_names_that_nobody_takes(remedy: object, text: str) -> None:
    source = opened(_SCRIPT.format(_POOL, _LOADER), {"main.py": text})
    edits = Edits(source)
    remedy.repair(source, finding_at(_MARKED[remedy], "some", {}), edits)  # type: ignore[attr-defined,index]
    assert edits


_TWO_POOLS = """\
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.load(index)

    def load(self, index):
        with ThreadPoolExecutor(2) as executor:
            return sum(executor.map(abs, [index]))


class Twice(Base):
    def load(self, index):
        with ThreadPoolExecutor(2) as executor:
            return sum(executor.map(super().load, [index, index]))


loaders = [DataLoader(Base(), num_workers=2), DataLoader(Twice(), num_workers=2)]
"""


def test_a_class_and_the_one_above_it_do_not_share_a_pool(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "pools.py").write_text(_TWO_POOLS)
    repairs = repair([tmp_path], Settings(select=("DL103",)), unsafe=True)
    text = repairs.files[0].new.decode()
    assert text.count("def _executor(self)") == text.count("def _thread_executor(self)") == 1


_NOISE = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return 9

    def __getitem__(self, index: int) -> float:
        return self.rng.random()


loader = DataLoader(Noise(1), num_workers=2)
"""


@pytest.mark.parametrize(
    ("oldest", "before", "hint"),
    [
        ("3.9", "", "typing.Optional[int]"),
        ("3.9", "from typing import Any, Protocol\n\n", "Optional[int]"),
        ("3.10", "", "int | None"),
        (None, "", "int | None"),
    ],
)
def test_hints_that_the_oldest_python_knows(
    tmp_path: Path, oldest: str | None, before: str, hint: str
) -> None:
    said = f'[project]\nrequires-python = ">={oldest}"\n' if oldest is not None else ""
    (tmp_path / "pyproject.toml").write_text(said)
    (tmp_path / "noise.py").write_text(f"{before}{_NOISE}")
    chosen = Settings(select=("DL203",), python=declarations_of_python(tmp_path))
    text = repair([tmp_path], chosen, unsafe=True).files[0].new.decode()
    assert f"dict[{hint}, np.random.Generator]" in text
    assert ("import typing\n" in text) is hint.startswith("typing.")
    assert ("from typing import Any, Optional, Protocol\n" in text) is hint.startswith("Optional")


_ALIGN = """\
import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return torch.zeros(3)


class Align:
    def __call__(self, batch):
        return torch.stack(batch) + np.random.uniform()


def parts(number):
    found = []
    for _ in range(number):
        found.append(Rows())
    return ConcatDataset(found), ""


def test_loader():
    return DataLoader(Rows(), 4, num_workers=2, collate_fn=Align())
"""
_TRAINED = """\
from torch.utils.data import DataLoader

from data import Align, parts

rows, _ = parts(3)
for epoch in range(3):
    for batch in DataLoader(rows, 4, shuffle=True, num_workers=2, collate_fn=Align()):
        print(batch)
"""


def test_one_function_seeds_the_workers_that_collate_alike(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(_ALIGN)
    (tmp_path / "train.py").write_text(_TRAINED)
    files = repair([tmp_path], Settings(select=("DL202",), target_torch="1.7"), unsafe=True).files
    data, train = (file.new.decode() for file in sorted(files, key=lambda each: each.path))
    assert data.count("def seed_worker(") == 1 and "def " not in train
    assert "from data import Align, parts, seed_worker\n" in train
    assert data.count("worker_init_fn=seed_worker") == train.count("worker_init_fn=seed_worker") == 1


_BASE = """\
import h5py
from torch.utils.data import Dataset


class Base(Dataset):
    def __init__(self, path):
        self.images = h5py.File(path, "r")
        self.count = len(self.images["x"])

    def __len__(self):
        return self.count
"""
_BELOW = """\
class Rows(Base):
    def __init__(self, path, extra):
        super().__init__(path)
        self.labels = h5py.File(extra, "r")

    def __getitem__(self, index):
        return self.images["x"][index], self.labels["y"][index]


if __name__ == "__main__":
    for batch in DataLoader(Rows("x.h5", "y.h5"), num_workers=2):
        print(batch)
"""
_LOADS = "from torch.utils.data import DataLoader\n"


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": f"{_LOADS}{_BASE}\n\n{_BELOW}"},
        {"base.py": _BASE, "main.py": f"{_LOADS}import h5py\n\nfrom base import Base\n\n\n{_BELOW}"},
    ],
    ids=["one file", "two files"],
)
def test_what_pickles_leave_out_builds_on_what_the_class_above_gets_as_well(
    tmp_path: Path, files: dict[str, str]
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    repairs = repair([tmp_path], Settings(select=("DL403",)), unsafe=True)
    text = "".join(each.new.decode() for each in repairs.files)
    assert 'return {**self.__dict__, "_images_by_pid": {}}' in text
    assert 'return {**super().__getstate__(), "_labels_by_pid": {}}' in text
