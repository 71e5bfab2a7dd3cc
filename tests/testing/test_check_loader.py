"""check_loader: what is wrong with a loader is told, what is right is not, and nothing stays behind."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader
from torch.utils.data._utils import fetch

from dlint.running import processes
from dlint.testing import LoaderError, check_loader

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """No process, thread, open file, folder or shared memory stays behind."""
    before = _there()
    yield
    left = {name: now - before[name] for name, now in _there().items()}
    if any(left.values()):
        gc.collect()  # of what a test itself has kept
        left = {name: now - before[name] for name, now in _there().items()}
    assert not any(left.values()), left


def _there() -> dict[str, set[str]]:
    mine = [pid for pid in processes.descendants(os.getpid()) if processes.is_alive(pid)]
    commands = {f"{pid} {processes.command_line(pid)}" for pid in mine}
    pattern = f"{os.getpid()}_*"
    return {
        # Python's own, one for each process that ever asks for it.
        "processes": {
            each for each in commands if "resource_tracker" not in each and "forkserver" not in each
        },
        "threads": {thread.name for thread in threading.enumerate() if "watches" in thread.name},
        "files": {each for each in map(_name, Path("/proc/self/fd").iterdir()) if "dlint" in each},
        "folders": set(map(str, Path(tempfile.gettempdir()).glob("dlint-testing-*"))) if _alone() else set(),
        "memory": set(map(str, Path("/dev/shm").glob(f"*{pattern}"))),
    }


def _alone() -> bool:
    return "PYTEST_XDIST_WORKER" not in os.environ


def _name(file: Path) -> str:
    try:
        return str(file.readlink())
    except OSError:
        return ""


def _failing(given: Any, **options: Any) -> LoaderError:
    with pytest.raises(LoaderError) as raised:
        check_loader(given, **options)
    return raised.value


def _codes(error: LoaderError) -> list[str | None]:
    return [failure.code for failure in error.failures]


# What is wrong ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "options"),
    [
        ("pool_across_fork", "DL102", {"start_methods": ["fork"], "still": 3}),
        ("generator_shared", "DL203", {}),
        ("seed_in_worker", "DL201", {}),
        ("handle_shared", "DL403", {"start_methods": ["spawn"]}),
        ("stream_doubled", "DL501", {}),
        ("none_item", "DL502", {}),
        ("sampler_with_shuffle", "DL301", {}),
    ],
)
def test_what_is_wrong_is_named(loaders: ModuleType, name: str, code: str, options: dict[str, Any]) -> None:
    error = _failing(getattr(loaders, name), **options)
    assert set(_codes(error)) == {code}, error
    assert re.search(
        rf"^\S+loaders_of_a_project\.py:\d+: error: {code} [a-z-]+: .+; .+$", str(error), re.MULTILINE
    )
    assert f"dlint rule {code}" in str(error)


def test_a_finding_of_the_place_is_told(loaders: ModuleType) -> None:
    error = _failing(loaders.generator_shared)
    (failure,) = error.failures
    assert failure.finding is not None and failure.finding.code == "DL203"
    assert failure.line == failure.finding.line
    assert "  check  " in str(error) and "  seen   2 workers, " in str(error)


def test_a_loader_itself_is_read_with_other_numbers_of_workers(loaders: ModuleType) -> None:
    loader = loaders.generator_shared()
    assert _codes(_failing(loader, workers=[3])) == ["DL203"]
    assert loader.num_workers == 2 and loader._iterator is None and loader.worker_init_fn is None


def test_a_hang_is_ended_again_and_again(loaders: ModuleType) -> None:
    loader = loaders.pool_across_fork()
    for _ in range(2):
        error = _failing(loader, workers=[2], start_methods=["fork"], still=2)
        assert _codes(error) == ["DL102"]
        assert error.failures[0].what.startswith("it stood still")
    loader.dataset.pool.terminate()


def test_what_workers_have_started_is_ended(loaders: ModuleType) -> None:
    error = _failing(loaders.helper_of_a_worker, workers=[2], start_methods=["fork"], still=2)
    assert "it stood still: a worker sleeps" in str(error)
    commands = [
        processes.command_line(int(each.name)) for each in Path("/proc").iterdir() if each.name.isdecimal()
    ]
    assert not [command for command in commands if command == "sleep 86397"]


def test_what_an_item_raises_is_told(loaders: ModuleType) -> None:
    error = _failing(loaders.raises_in_item)
    assert _codes(error) == [None]
    assert "it raised KeyError: 'five'" in str(error)


def test_what_a_function_raises_is_raised(loaders: ModuleType) -> None:
    with pytest.raises(LookupError, match="no such split"):
        check_loader(loaders.fails)


# What is right ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["clean", "dataset_alone", "kept_workers", "opened_lazily", "stream_shared_out", "drawing"]
)
def test_what_is_right_is_silent(loaders: ModuleType, name: str) -> None:
    verdict = check_loader(getattr(loaders, name))
    assert not verdict.shown
    assert [trial.outcome for trial in verdict.trials] == ["ran", "ran"]
    assert [trial.way.workers for trial in verdict.trials] == [0, 2]


def test_what_reading_without_workers_opens_reaches_no_worker(loaders: ModuleType) -> None:
    check_loader(loaders.opened_lazily())


def test_started_afresh(loaders: ModuleType) -> None:
    verdict = check_loader(loaders.clean, workers=[1], start_methods=["spawn"], items=8)
    assert [trial.name for trial in verdict.trials] == ["1 worker, spawn"]


# What does not matter --------------------------------------------------------------------------------


def test_ignored_rules_are_shown_and_do_not_fail(loaders: ModuleType) -> None:
    verdict = check_loader(loaders.generator_shared, ignore=["DL2"])
    assert [shown.wrong.code for shown in verdict.shown] == ["DL203"]


def test_noqa_counts(loaders: ModuleType) -> None:
    verdict = check_loader(loaders.generator_silenced)
    assert [shown.wrong.code for shown in verdict.shown] == ["DL203"]


def test_costs_are_notes(loaders: ModuleType) -> None:
    error = _failing(loaders.pool_per_item)
    assert _codes(error) == ["DL103"] and error.failures[0].level == "note"
    check_loader(loaders.pool_per_item, level="error")


# What was given is wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, 3, lambda: None, lambda: [1]])
def test_no_loader(given: Any) -> None:
    with pytest.raises(TypeError, match="no DataLoader or dataset"):
        check_loader(given)


@pytest.mark.parametrize(
    "options",
    [
        {"workers": []},
        {"workers": [-1]},
        {"start_methods": ["thread"]},
        {"start_methods": "fork"},
        {"items": 0},
        {"ignore": ["DL9"]},
        {"ignore": "DL203"},
        {"level": "bad"},
        {"still": 0},
    ],
)
def test_options_that_mean_nothing(loaders: ModuleType, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        check_loader(loaders.clean, **options)


# Afterwards ------------------------------------------------------------------------------------------


def _replaced() -> list[object]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.pool import Pool, ThreadPool

    return [
        *(np.random.seed, random.seed, torch.manual_seed, torch.set_num_threads),
        *(ThreadPoolExecutor.__init__, ThreadPoolExecutor.submit, ProcessPoolExecutor.__init__),
        *(Pool.__init__, ThreadPool.__init__, DataLoader.__init__, DataLoader.__iter__),
        *(fetch._MapDatasetFetcher.fetch, fetch._MapDatasetFetcher.__init__),
        *(fetch._IterableDatasetFetcher.fetch, fetch._IterableDatasetFetcher.__init__),
    ]


@pytest.mark.parametrize("name", ["clean", "generator_shared", "raises_in_item", "fails"])
def test_everything_is_as_it_was(loaders: ModuleType, name: str) -> None:
    functions = _replaced()
    names = set(vars(fetch._MapDatasetFetcher))
    streams = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    with contextlib.suppress(LoaderError, LookupError):
        check_loader(getattr(loaders, name))
    assert all(now is before for now, before in zip(_replaced(), functions, strict=True))
    assert set(vars(fetch._MapDatasetFetcher)) == names
    assert streams == (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())


def test_a_function_that_was_kept_works_on(loaders: ModuleType) -> None:
    kept = []

    def make() -> Any:
        kept.append(np.random.seed)
        return loaders.clean()

    check_loader(make, workers=[0])
    kept[0](3)
    drawn = np.random.rand()
    np.random.seed(3)
    assert drawn == np.random.rand()


_INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from dlint.running import processes
from dlint.testing import check_loader

class Slow(Dataset):
    def __init__(self, mark):
        self.mark = mark
    def __len__(self):
        return 10_000
    def __getitem__(self, index):
        open(self.mark, "w").close()
        time.sleep(60 if sys.argv[2] == "still" else 0.01)
        return index

def interrupt():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

seed = np.random.seed
threading.Thread(target=interrupt, daemon=True).start()
try:
    check_loader(DataLoader(Slow(sys.argv[1])), items=10_000, workers=[int(sys.argv[3])])
except KeyboardInterrupt as error:
    kept = error
    print("interrupted", np.random.seed is seed)
print("left", [pid for pid in processes.descendants(os.getpid())])
print("threads", [each.name for each in threading.enumerate() if "watches" in each.name])
"""


@pytest.mark.parametrize(("how", "workers"), [("still", "1"), ("busy", "0")])
def test_an_interrupt_leaves_nothing(tmp_path: Path, how: str, workers: str) -> None:
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "mark"), how, workers],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path / "temporary")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stdout.splitlines() == ["interrupted True", "left []", "threads []"], done.stderr
    assert not list((tmp_path / "temporary").glob("dlint*"))
