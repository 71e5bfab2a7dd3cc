"""Several blocks and several processes find what one finds, in the same order."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dlint import engine
from dlint.analysis.kept import Kept
from dlint.program.program import Program
from dlint.project import blocks
from dlint.settings.settings import Settings
from dlint.values import frame

DATASETS = 5

READER = """\
import cv2
import numpy as np


def read(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def blur(image, size=3):
    return cv2.blur(image, (size, size))


def jitter(image):
    return image + np.random.randn()
"""
DATASET = """\
import random

import cv2
import numpy as np
from torch.utils.data import Dataset

from reader import blur, jitter, read


class Photos{n}(Dataset):
    def __init__(self, root, augment=True):
        self.root = root
        self.augment = augment
        self.rng = np.random.default_rng({n})

    def __len__(self):
        return 8

    def __getitem__(self, index):
        random.seed({n})
        image = blur(read(f"{{self.root}}/{{index}}"), {n})
        if self.augment:
            image = jitter(cv2.flip(image, 1))
        small = cv2.resize(image, (8, 8))
        return small, cv2.mean(image), self.rng.integers(9), random.random()
"""
SCRIPT = """\
import numpy as np
from torch.utils.data import DataLoader, RandomSampler

from photos_{n} import Photos{n}
from photos_{m} import Photos{m}


def init(worker_id):
    np.random.seed(worker_id)


def main():
    train = Photos{n}("a")
    held_out = Photos{m}("b", augment=False)
    loader = DataLoader(train, sampler=RandomSampler(train), shuffle=True, num_workers=2)
    other = DataLoader(held_out, num_workers=2, worker_init_fn=init)
    for epoch in range(4):
        images = next(iter(loader))
        images = next(iter(other))


if __name__ == "__main__":
    main()
"""


# Nobody can tell which dataset this loader gets; the base class is no dataset of its own.
BASE = """\
import cv2
from torch.utils.data import Dataset


class Base(Dataset):
    def __getitem__(self, index):
        return cv2.imread(self.names[index])
"""
DERIVED = """\
import numpy as np

from base import Base


class Derived(Base):
    def __init__(self, names):
        self.names = names

    def __getitem__(self, index):
        np.random.seed(0)
        return super().__getitem__(index)
"""
ANY = """\
from torch.utils.data import DataLoader


def loader(dataset):
    return DataLoader(dataset, num_workers=2)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".git").mkdir()
    (folder / "reader.py").write_text(READER)
    for n in range(DATASETS):
        (folder / f"photos_{n}.py").write_text(DATASET.format(n=n))
        (folder / f"train_{n}.py").write_text(SCRIPT.format(n=n, m=(n + 1) % DATASETS))
    (folder / "broken.py").write_text("from torch.utils.data import DataLoader\ndef f(:\n")
    return folder


@pytest.fixture(scope="module")
def open_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    (folder / ".git").mkdir()
    for name, text in (("base", BASE), ("derived", DERIVED), ("loaders", ANY)):
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.mark.parametrize("jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("which", ["project", "open_project"])
def test_the_same_report(
    which: str, jobs: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder: Path = request.getfixturevalue(which)
    settings = Settings(target_torch="1.8")
    whole = engine.check([folder], settings, jobs=1)
    assert whole.findings
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1)  # every file that mentions loading is a block
    steps: list[tuple[int, int]] = []
    parts = engine.check([folder], settings, jobs=jobs, progress=lambda *step: steps.append(step))
    assert parts == whole
    assert steps == [(number, len(steps)) for number in range(1, len(steps) + 1)]
    assert len(steps) >= 4


# What is found in one file depends on datasets and loaders of others, in whatever block those are.
SCANNED = {
    "data": """\
import cv2
from torch.utils.data import Dataset


class Photos(Dataset):
    def __init__(self, names):
        self.names = names

    def __getitem__(self, index):
        return cv2.imread(self.names[index]), index
""",
    "loading": """\
from torch.utils.data import DataLoader
from data import Photos


def loader(names):
    return DataLoader(Photos(names), num_workers=2)
""",
    "weights": """\
from data import Photos  # a Dataset


def weights(names):
    dataset = Photos(names)
    return [label for image, label in dataset]
""",
}
LOCKED = {
    "locks": "import threading\n\nLOCK = threading.Lock()\n",
    "data": """\
from torch.utils.data import DataLoader, Dataset
from locks import LOCK


class Photos(Dataset):
    def __getitem__(self, index):
        with LOCK:
            return index


def loader():
    return DataLoader(Photos(), num_workers=2)
""",
    "main": """\
import threading  # beside a DataLoader
from data import loader
from locks import LOCK


def keep_writing():
    while True:
        with LOCK:
            print("busy")


threading.Thread(target=keep_writing).start()
for batch in loader():
    print(batch)
""",
}


@pytest.mark.parametrize(("code", "files"), [("DL307", SCANNED), ("DL102", LOCKED)])
def test_what_lies_in_several_blocks_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, files: dict[str, str]
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    whole = engine.check([tmp_path], Settings())
    assert code in {finding.code for finding in whole.findings}
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1)
    assert engine.check([tmp_path], Settings()) == whole


def test_checks_in_one_process_leave_nothing_behind(project: Path) -> None:
    """What a check has made is let go of when the next one begins: an editor's server lives for days."""
    engine.check([project], Settings())
    engine.check([project], Settings())
    before = len(gc.get_objects())
    for _ in range(4):
        engine.check([project], Settings())
    assert len(gc.get_objects()) < 1.5 * before


def test_a_check_searches_for_its_own_garbage_alone(project: Path) -> None:
    """What its process holds beside it may be ten thousand tests, or an editor: that is none of its business."""
    searched: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        searched.append(info["generation"])

    engine.check([project], Settings())
    gc.callbacks.append(note)
    try:
        engine.check([project], Settings())
        kept = Kept()
        engine.check([project], Settings(), kept=kept)
        engine.check([project], Settings(), kept=kept)
        assert gc.get_freeze_count()
        kept.let_go()
    finally:
        gc.callbacks.remove(note)
    assert 1 in searched
    assert 2 not in searched
    assert gc.isenabled()
    assert not gc.get_freeze_count()


def test_of_several_projects_one_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs: list[Program] = []
    keep = Kept.keep

    def note(kept: Kept, program: Program, *about: Any) -> None:
        programs.append(program)
        keep(kept, program, *about)

    monkeypatch.setattr(Kept, "keep", note)
    for name in ("a", "b"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "data.py").write_text("from torch.utils.data import DataLoader\nDataLoader([1])\n")
    kept = Kept()
    engine.check([tmp_path / "a", tmp_path / "b"], Settings(), kept=kept)
    first, last = programs
    assert not vars(first)
    assert vars(last)
    kept.let_go()
    assert not vars(last)


def test_without_processes_one_does_it_all(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = engine.check([project], Settings())
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1)

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", refuse)
    assert engine.check([project], Settings(), jobs=4) == whole


def test_blocks_hold_every_file_once_and_nothing_is_kept_between_them(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = blocks.Index(project, sorted(project.glob("*.py")), {})
    assert blocks.blocks(index) == [None]
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1000)
    several = [block for block in blocks.blocks(index) if block is not None]
    assert 1 < len(several) < len(index.paths)
    assert sorted(relative for block in several for relative in block) == sorted(index.paths)
    engine.check([project], Settings())
    assert not frame._layouts


def test_the_program_has_findings_that_processes_share(project: Path) -> None:
    report = engine.check([project], Settings(target_torch="1.8"))
    files = {
        code: [Path(f.path).name for f in report.findings if f.code == code]
        for code in ("DL101", "DL201", "DL202", "DL203", "DL204", "DL301")
    }
    datasets = [f"photos_{n}.py" for n in range(DATASETS)]
    scripts = [f"train_{n}.py" for n in range(DATASETS)]
    assert files == {
        "DL101": [*datasets, "reader.py"],
        "DL201": datasets,
        "DL202": scripts,
        "DL203": datasets,
        "DL204": scripts,
        "DL301": scripts,
    }
    reader = next(f for f in report.findings if f.code == "DL101" and f.path.endswith("reader.py"))
    assert "2 more calls in this file" in reader.message
    assert [Path(trouble.path).name for trouble in report.troubles] == ["broken.py"]


# Two processes that work for ever at their first block, and say who they are.
BUSY = """\
import multiprocessing, os, signal, sys, time
from dlint.analysis import analysis
from dlint.cli import main
from dlint.project import blocks

def work_for_ever(*_):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(600)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
multiprocessing.set_start_method("fork")  # what is put in here must be there as well
blocks._BLOCK_BYTES = 1
analysis._Analysis.facts = work_for_ever
sys.argv = ["dlint", "check", "-j", "2", sys.argv[1]]
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs forks")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_when_it_is_ended(project: Path, how: str) -> None:
    busy = subprocess.Popen(
        [sys.executable, "-c", BUSY, str(project)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert busy.stdout is not None
    workers = [int(busy.stdout.readline()) for _ in range(2)]
    if how == "SIGINT":  # as a terminal does, to all
        os.killpg(busy.pid, signal.SIGINT)
    else:
        busy.send_signal(signal.Signals[how])
    try:
        said = busy.communicate(timeout=60)[1]  # at the end of the output no process holds the pipe
        assert said == {"SIGINT": "dlint: interrupted\n", "SIGTERM": "dlint: ended by SIGTERM\n"}.get(how, "")
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    assert busy.returncode in (130, -signal.Signals[how])
