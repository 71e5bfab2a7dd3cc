"""``dlint try`` as users call it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlint.running import processes

DATA = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

print("loaded")


class Noise(Dataset):
    def __init__(self, length=16, rng=None):
        self.length = length
        self.rng = rng

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.rng is not None:
            return index, self.rng.random()
        return index, torch.rand(3)


def make(length=16, shared=False):
    return DataLoader(Noise(length, np.random.default_rng(0) if shared else None), batch_size=4, num_workers=3)


def splits(root):
    return DataLoader(Noise()), DataLoader(Noise(8, np.random.default_rng(1)), num_workers=2)


def named():
    return {"train": DataLoader(Noise()), "val": DataLoader(Noise(4))}


class Module:
    def __init__(self, shared):
        self.shared = shared

    def loader(self):
        return make(shared=self.shared)


whole = Noise(rng=np.random.default_rng(2))


def nothing():
    return 3


def text():
    return "a name"


def leaves():
    import os

    os._exit(3)


class Stubborn(Noise):
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


def stubborn():
    return DataLoader(Stubborn(), batch_size=2)


def empty():
    return DataLoader(Noise(0), batch_size=2)


def broken():
    raise KeyError("no such folder")
"""
QUICK = ("--workers", "0,2", "--start-method", "fork", "--items", "16")


def run(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "dlint", "try", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
        timeout=600,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "data.py").write_text(DATA)
    return tmp_path


def test_a_sound_loader(project: Path) -> None:
    done = run("data.py:make", *QUICK, folder=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing wrong in 2 trials." in done.stdout
    line = 1 + DATA[: DATA.index("    return DataLoader(")].count("\n")
    assert f"DataLoader (data.py:{line}) of Noise (data.py:8), 2 epochs of 16 items" in done.stdout


def test_a_mistake_is_named_with_its_finding(project: Path) -> None:
    done = run("data.py:make", "shared=True", "length=12", *QUICK, folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DL203 generator-shared-by-workers, surely: dataset.rng, a numpy.random" in done.stdout
    assert "2 workers, fork  ran" in done.stdout
    assert "1 mistake in 2 trials." in done.stdout


def test_json_has_all_of_it(project: Path) -> None:
    done = run("data.py:make", "shared=True", *QUICK, "--output-format", "json", folder=project)
    told = json.loads(done.stdout)
    assert told["loader"]["dataset"] == "Noise"
    assert [(each["workers"], each["start_method"], each["outcome"]) for each in told["trials"]] == [
        (0, None, "ran"),
        (2, "fork", "ran"),
    ]
    assert [each["code"] for each in told["wrong"]] == ["DL203"]


def test_markdown(project: Path) -> None:
    done = run("data.py:make", "shared=True", *QUICK, "--output-format", "markdown", folder=project)
    assert done.stdout.startswith("# 1 mistake in 2 trials.\n")
    assert "| 2 workers, fork | ran" in done.stdout
    assert "## DL203 generator-shared-by-workers, surely" in done.stdout


@pytest.mark.parametrize(
    ("target", "wrong"),
    [
        ("data.py:splits[1]", True),
        ("data.py:named[val]", False),
        ("data.py:whole", True),
        ("data:make", False),
        ("data.py:stubborn", True),  # torch itself asks it for __getitems__
        ("data.py:empty", False),
    ],
)
def test_what_can_be_named(project: Path, target: str, wrong: bool) -> None:
    given = ["root=x"] if "splits" in target else []
    done = run(target, *given, *QUICK, folder=project)
    assert done.returncode == wrong, done.stdout + done.stderr


def test_a_method_of_a_class(project: Path) -> None:
    done = run("data.py:Module.loader", "shared=True", *QUICK, folder=project)
    assert done.returncode == 1, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("data.py:absent", "has no absent"),
        ("data.py:nothing", "and no DataLoader or Dataset"),
        ("data.py:text", "it gives a str, and no DataLoader or Dataset"),
        ("data.py:leaves", "ended with exit code 3"),
        ("data.py:broken", "raised KeyError: 'no such folder' at"),
        ("data.py:splits", "missing a required argument: 'root'"),
        ("data.py:1x", "is no name of Python's"),
        ("gone.py:make", "there is no such file"),
        ("nowhere:make", "raised ModuleNotFoundError"),
        ("data.py:named[test]", "there is no [test]"),
    ],
)
def test_what_cannot_be_tried(project: Path, target: str, says: str) -> None:
    done = run(target, *QUICK, folder=project)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


SCRIPT = """\
import sys

import numpy as np
from data import Noise
from torch.utils.data import DataLoader


def main():
    loader = DataLoader(Noise(int(sys.argv[1]), np.random.default_rng(0)), batch_size=2, num_workers=2)
    for batch in loader:
        raise SystemExit("the rest of the program has run")


if __name__ == "__main__":
    main()
"""


def test_a_program_runs_up_to_its_first_loop(project: Path) -> None:
    (project / "train.py").write_text(SCRIPT)
    done = run("train.py", *QUICK, "--", "8", folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DL203" in done.stdout
    assert "the rest of the program" not in done.stdout + done.stderr


ENDLESS = """\
import sys

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return 16

    def __getitem__(self, index):
        return self.rng.random()


class Endless(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.iterator = super().__iter__()

    def __iter__(self):
        for _ in range(len(self) // 2):
            yield next(self.iterator)


class Own(DataLoader):
    def __iter__(self):
        return (self.dataset[index] for index in range(4))


def make():
    return Endless(Noise(), batch_size=2, num_workers=2)


def own():
    return Own(Noise(), batch_size=2, num_workers=2)


if __name__ == "__main__":
    for batch in make():
        pass
    print("the rest of the program", file=sys.stderr)
"""


@pytest.mark.parametrize("target", ["endless.py:make", "endless.py"])
def test_a_loader_that_made_its_iterator_beforehand(project: Path, target: str) -> None:
    (project / "endless.py").write_text(ENDLESS)
    done = run(target, "--workers", "0,2", "--start-method", "fork", folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DL203 generator-shared-by-workers, surely: dataset.rng" in done.stdout
    assert "the rest of the program" not in done.stdout + done.stderr


def test_a_loader_of_which_nothing_is_seen(project: Path) -> None:
    (project / "endless.py").write_text(ENDLESS)
    done = run("endless.py:own", *QUICK, folder=project)
    assert done.returncode == 2
    assert "Own reads Noise in a way of its own" in done.stderr


def test_a_program_that_leaves_before(project: Path) -> None:
    (project / "train.py").write_text(
        "import sys\nprint('usage: train.py DATA', file=sys.stderr)\nsys.exit(2)\n"
    )
    done = run("train.py", *QUICK, folder=project)
    assert done.returncode == 2
    assert "left with exit code 2 at " in done.stderr
    assert "train.py:3: usage: train.py DATA" in done.stderr


def test_offers_run_nothing(project: Path) -> None:
    (project / "train.py").write_text(SCRIPT)
    (project / "loads.py").write_text("open('ran', 'w').close()\n" + DATA)
    (project / "either.py").write_text(
        "from data import Noise\nfrom torch.utils.data import DataLoader\n\n"
        "def either(small=False):\n    if small:\n        return DataLoader(Noise(4))\n"
        "    return DataLoader(Noise())\n"
    )
    done = run(folder=project)
    assert done.returncode == 0, done.stderr
    offered = [line.removeprefix("  dlint try ") for line in done.stdout.splitlines()[1:]]
    assert {"data.py:make", "data.py:splits[0] root=...", "data.py:named[train]"} <= set(offered)
    assert "train.py  (the program, up to its first loop)" in offered
    assert offered.count("either.py:either") == 1
    assert not (project / "ran").exists()
    assert "loaded" not in done.stdout


def test_nothing_is_left(project: Path) -> None:
    temporary = project / "tmp"
    temporary.mkdir()
    mark = {"DLINT_TEST_MARK": str(project), "TMPDIR": str(temporary)}
    run("data.py:make", *QUICK, folder=project, **mark)
    assert not list(temporary.iterdir())
    assert not processes.marked("DLINT_TEST_MARK", str(project))


def test_a_loader_that_cannot_be_made(project: Path) -> None:
    wrong = SCRIPT.replace("batch_size=2", "batch_size=2, shuffle=True, sampler=[0, 1]")
    (project / "train.py").write_text(wrong)
    done = run("train.py", *QUICK, "--", "8", folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "It ends before there is a loader:" in done.stdout
    assert "DL301 sampler-with-shuffle, surely" in done.stdout
    assert "1 mistake in 1 trial." in done.stdout


def test_a_program_that_hangs_on_its_way(project: Path) -> None:
    (project / "hangs.py").write_text("import time\n\n\ndef make():\n    time.sleep(1000)\n")
    done = run("hangs.py:make", *QUICK, "--stall", "4", folder=project)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stood still" in done.stdout
    assert "hangs.py:5 in make" in done.stdout


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda each: each.name
)
def test_nothing_is_left_of_one_that_is_ended(project: Path, number: signal.Signals) -> None:
    (project / "hangs.py").write_text(
        "import time\n\n\ndef make():\n    open('begun', 'w').close()\n    time.sleep(1000)\n"
    )
    temporary = project / "tmp"
    temporary.mkdir()
    mark = {"DLINT_TEST_MARK": str(project), "TMPDIR": str(temporary)}
    job = subprocess.Popen(
        [sys.executable, "-P", "-m", "dlint", "try", "hangs.py:make", *QUICK, "--stall", "600"],
        cwd=project,
        env={**os.environ, **mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 300
    while not (project / "begun").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    job.send_signal(number)
    job.wait(300)
    while processes.marked("DLINT_TEST_MARK", str(project)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not list(temporary.iterdir())
