"""The plugin, as pytest loads it where dlint is installed: by its entry point, in a run of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

_LOADERS = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Clean(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.tensor(index)


class Noisy(Clean):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __getitem__(self, index):
        return index + self.rng.random()


def clean():
    return DataLoader(Clean(), batch_size=4, num_workers=2)


def noisy():
    return DataLoader(Noisy(), batch_size=4, num_workers=2)
"""

_TESTS = """
import unittest

import pytest
from data import clean, noisy


@pytest.mark.dlint_loader
def test_clean(tmp_path):
    assert tmp_path.exists()
    return clean()


@pytest.mark.dlint_loader(workers=[2], items=16)
def test_noisy():
    return noisy()


@pytest.mark.dlint_loader(ignore=["DL203"])
class TestMethods:
    @pytest.mark.parametrize("make", [clean, noisy])
    def test_ignored(self, make):
        return make


@pytest.mark.dlint_loader
def test_nothing():
    pass


@pytest.mark.dlint_loader(epochs=3)
def test_option():
    return clean()


@pytest.mark.dlint_loader(workers=[-1])
def test_value():
    return clean()


@pytest.mark.dlint_loader
def test_mistake():
    raise LookupError("no such split")


@pytest.mark.dlint_loader
def test_skipped():
    pytest.skip("no data here")


@pytest.mark.dlint_loader
class TestCase(unittest.TestCase):
    def test_case(self):
        pass


def test_fixture(check_loader):
    assert not check_loader(clean).shown
    check_loader(noisy, workers=[2])


def test_plain():
    pass
"""


def _run(folder: Path, tests: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a project, with the entry point as an installation would have it."""
    installed = folder / "installed"
    described = installed / "dlint_under_test-1.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: dlint-under-test\nVersion: 1\n")
    (described / "entry_points.txt").write_text("[pytest11]\ndlint = dlint.testing.plugin\n")
    project = folder / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--strict-markers"\n')
    (project / "data.py").write_text(_LOADERS)
    (project / "test_loaders.py").write_text(tests)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env={**variables, "PYTHONPATH": os.pathsep.join([str(installed), str(REPOSITORY)]), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_marked_tests_and_the_fixture(tmp_path: Path) -> None:
    done = _run(tmp_path, _TESTS, "-rA", "-W", "error::pytest.PytestWarning")
    told = {
        name: word
        for word, name in re.findall(
            r"^(PASSED|FAILED|ERROR) test_loaders\.py::(\S+)", done.stdout, re.MULTILINE
        )
    }
    assert told == {
        "test_clean": "PASSED",
        "test_noisy": "FAILED",
        "TestMethods::test_ignored[clean]": "PASSED",
        "TestMethods::test_ignored[noisy]": "PASSED",
        "test_nothing": "FAILED",
        "test_option": "FAILED",
        "test_value": "FAILED",
        "test_mistake": "FAILED",
        "TestCase::test_case": "ERROR",
        "test_fixture": "FAILED",
        "test_plain": "PASSED",
    }, done.stdout
    assert "1 skipped" in done.stdout
    assert "dlint/testing" not in done.stdout and "dlint/trial" not in done.stdout, "frames of dlint's"
    noisy = _section(done.stdout, "test_noisy")
    assert (
        noisy[0] == "1 finding in the DataLoader of Noisy (tried: 2 workers, fork)" or "2 workers" in noisy[0]
    )
    assert re.match(r"data\.py:\d+: error: DL203 generator-shared-by-workers: .+; .+", noisy[1])
    assert noisy[2].startswith("  check  data.py:") and noisy[3].startswith(
        "  more   dlint rule DL203, https://"
    )
    assert len(noisy) == 4
    assert _section(done.stdout, "test_nothing") == [
        "dlint_loader: test_nothing returns None, and no DataLoader or dataset"
    ]
    assert _section(done.stdout, "test_option")[0].startswith("dlint_loader takes these, by name: ignore, ")
    fixture = _section(done.stdout, "test_fixture")
    assert any(line.startswith("E       dlint.testing.LoaderError: 1 finding in ") for line in fixture)
    assert any(re.match(r"E       data\.py:\d+: error: DL203 ", line) for line in fixture)
    assert "no such split" in "\n".join(_section(done.stdout, "test_mistake"))


def _section(output: str, name: str) -> list[str]:
    """What is told of a test that has failed."""
    found = re.search(
        rf"^_+ {name} _+\n(.*?)(?=^(_+ \S+ _+|=+ .* =+|-+ .* -+)$)", output, re.MULTILINE | re.DOTALL
    )
    assert found is not None, output
    return found[1].rstrip().splitlines()


def test_selected_by_the_marker(tmp_path: Path) -> None:
    tests = """
import pytest

@pytest.mark.dlint_loader
def test_loader(): ...

def test_plain(): ...
"""
    done = _run(tmp_path, tests, "--collect-only", "-q", "-m", "dlint_loader")
    assert done.stdout.splitlines()[0] == "test_loaders.py::test_loader"
    assert "1/2 tests collected (1 deselected)" in done.stdout


def test_left_out(tmp_path: Path) -> None:
    done = _run(tmp_path, "def test_it(check_loader): pass\n", "-p", "no:dlint")
    assert "fixture 'check_loader' not found" in done.stdout


@pytest.mark.parametrize("arguments", [(), ("-n", "1")])
def test_what_is_not_asked_for_is_not_loaded(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    tests = """
import sys

def test_it():
    assert "dlint.testing.plugin" in sys.modules
    loaded = [name for name in sys.modules if name.partition(".")[0] in ("torch", "libcst", "click", "dlint")]
    assert sorted(loaded) == ["dlint", "dlint.testing", "dlint.testing.plugin"]
"""
    done = _run(tmp_path, tests, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
