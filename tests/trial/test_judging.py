"""What trials show, put together with what static analysis says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dlint.finding import Finding, ReachStep
from dlint.running.runner import Result
from dlint.trial.judging import Verdict, judge
from dlint.trial.probe.conduct import Way
from dlint.trial.records import Event, Records
from dlint.trial.reports.as_text import as_text
from dlint.trial.trials import Limits, Trial

SEEDED = {(0, 0): (1, 2), (1, 0): (1, 2)}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    for name in ("data.py", "base.py", "other.py", "train.py"):
        (tmp_path / name).write_text("\n" * 50)
    return tmp_path


def trial(
    folder: Path, workers: int, *events: Event, method: str = "fork", own_workers: int = 2, **notes: Any
) -> Trial:
    loader = {
        "cls": "DataLoader",
        "made": [str(folder / "train.py"), 5, "main"],
        "dataset": "Photos",
        "dataset_at": [str(folder / "data.py"), 9, "Photos"],
        "files": [str(folder / "data.py"), str(folder / "base.py")],
        "stream": False,
        "torch": "2.13.0+cpu",
        "num_workers": own_workers,
        "timeout": 0,
        "worker_init_fn": None,
        "prefetch_factor": 2,
        "context": None,
        "default_method": None,
    }
    kinds = {name: tuple(each) for name, each in notes.items()}
    records = Records(events, {"loader": (loader,), "done": ({},), **kinds})
    return Trial(Way(workers, method if workers else None), Result("exit", 0), records, Limits())


def finding(folder: Path, code: str, file: str, line: int) -> Finding:
    return Finding(code, "a-name", f"says {code}", str(folder / file), line, 1, line, 1)


def shared(folder: Path, own_workers: int = 2) -> Trial:
    changed = {"dataset.rng": (1, 2)}
    events = [Event("item", worker, worker, 0, 10 + worker, 0.001, changed) for worker in (0, 1)]
    return trial(folder, 2, *events, own_workers=own_workers)


def verdict(trials: Sequence[Trial], *findings: Finding) -> Verdict:
    return judge(trials, lambda _: findings)


def test_a_finding_in_a_class_that_the_dataset_inherits_from(shop: Path) -> None:
    (shown,) = verdict([shared(shop)], finding(shop, "DL203", "base.py", 3)).shown
    assert shown.finding is not None


def test_a_finding_in_a_file_that_is_no_part_of_the_loader(shop: Path) -> None:
    found = verdict([shared(shop)], finding(shop, "DL203", "other.py", 3))
    assert [each.finding for each in found.shown] == [None]
    assert not found.unseen


def test_each_generator_has_a_finding_of_its_own(shop: Path) -> None:
    changed = {"dataset.rng": (1, 2), "dataset.other": (1, 2)}
    events = [Event("item", worker, worker, 0, 10 + worker, 0.001, changed) for worker in (0, 1)]
    lines = [finding(shop, "DL203", "base.py", line) for line in (3, 4, 5)]
    found = verdict([trial(shop, 2, *events)], *lines)
    assert [each.finding for each in found.shown] == lines[:2]
    assert list(found.unseen) == lines[2:]


def test_generators_that_one_line_makes_are_one_mistake(shop: Path) -> None:
    names = [f"dataset.transform.steps[{number}].rng" for number in range(5)]
    changed = dict.fromkeys(names, (1, 2))
    events = [Event("item", worker, worker, 0, 10 + worker, 0.001, changed) for worker in (0, 1)]
    (shown,) = verdict([trial(shop, 2, *events)], finding(shop, "DL203", "base.py", 3)).shown
    assert shown.wrong.what.endswith(f"; the same of {names[1]}, {names[2]} and 2 more")
    assert len(verdict([trial(shop, 2, *events)]).shown) == 5


def test_a_finding_at_another_loader_of_the_dataset_is_not_about_this_one(shop: Path) -> None:
    reach = (ReachStep("Photos.__getitem__", str(shop / "data.py"), 12),)
    other = finding(shop, "DL202", "other.py", 3)._replace(reach=reach)
    assert not verdict([trial(shop, 0)], other).unseen
    loaded = trial(shop, 0, loaded=[{"files": [str(shop / "other.py")]}])
    assert verdict([loaded], other).unseen == (other,)


def test_a_finding_of_another_file_is_not_about_a_line_that_is_known(shop: Path) -> None:
    seed = {
        "library": "numpy",
        "phase": "worker_init_fn",
        "state": 1,
        "pid": 10,
        "value": "0",
        "place": [str(shop / "train.py"), 7, "seed"],
    }
    events = [Event("item", 0, each, 0, 10 + each, 0.001, {"numpy": (1, 2)}) for each in (0, 1)]
    seeded = trial(shop, 2, *events, seed=[seed])
    (shown,) = verdict([seeded], finding(shop, "DL204", "data.py", 40)).shown
    assert shown.finding is None
    (shown,) = verdict([seeded], finding(shop, "DL204", "train.py", 6)).shown
    assert shown.finding is not None


def test_what_the_dataset_raises_is_told_once_and_for_all_ways(shop: Path) -> None:
    frames = [[str(shop / "data.py"), 12, "Photos.__getitem__"]]
    frames.append(["numpy/random/mtrand.pyx", 961, "numpy.random.mtrand.RandomState.choice"])
    error = {"type": "ValueError", "message": "no such picture.", "frames": frames}
    around = {
        "type": "ValueError",
        "message": "Caught ValueError in DataLoader worker process 0.",
        "frames": [],
    }
    plain = trial(shop, 0, raised=[error])
    event = Event("item", 0, 0, 0, 10, 0.001, error=plain.records.raised)
    found = verdict([plain, trial(shop, 1, event, raised=[around])])
    assert [each.ways for each in found.shown] == [("no workers", "1 worker, fork")]
    text = "\n".join(as_text(found))
    assert text.count("raised ValueError: no such picture.\n") == 3
    assert "data.py:12 in Photos.__getitem__" in text
    assert "Caught" not in text


def test_what_is_not_seen_is_told_with_the_torch_that_did_not_show_it(shop: Path) -> None:
    text = "\n".join(as_text(verdict([trial(shop, 0)], finding(shop, "DL202", "train.py", 3))))
    assert "these trials (torch 2.13.0) do not show it:" in text
    assert text.endswith("Nothing wrong in 1 trial.")


@pytest.mark.parametrize("own", [0, 2])
def test_a_loader_that_has_no_workers_of_its_own(shop: Path, own: int) -> None:
    found = verdict([shared(shop, own)])
    text = "\n".join(as_text(found))
    assert ("Not as the program reads it, but if it did:" in text) is (own == 0)
    assert found.is_wrong is (own == 2)


def test_what_grows_is_drawn(shop: Path) -> None:
    events: list[Event] = []
    for number in range(16):
        events.append(Event("item", number, None, 0, 10, 0.001, size={"files": 5 + number}))
        events.append(Event("collate", None, None, 0, 10, 0.001))
    text = "\n".join(as_text(verdict([trial(shop, 0, *events, own_workers=0)])))
    assert "open files grow with every item" in text
    assert text.count("*") == 15


def test_files_and_memory_that_grow_are_two(shop: Path) -> None:
    events: list[Event] = []
    for number in range(16):
        size = {"files": 5 + number, "memory": 3_000_000 * number, "shared memory": 2_000_000 * number}
        events.append(Event("item", number, None, 0, 10, 0.001, size=size))
        events.append(Event("collate", None, None, 0, 10, 0.001))
    text = "\n".join(as_text(verdict([trial(shop, 0, *events, own_workers=0)])))
    for each in ("open files grow", "rule: memory grows", "shared memory grows"):
        assert text.count(f"{each} with every item") == 1


@pytest.mark.parametrize(
    ("grown", "told"),
    [
        (("1 fork", "1 spawn", "2 fork"), True),
        (("1 spawn",), False),  # what an allocator takes for a while
        (("1 fork", "2 fork"), False),
        (("1 fork", "1 spawn"), False),
    ],
)
def test_memory_that_grows_does_so_in_all_trials(shop: Path, grown: tuple[str, ...], told: bool) -> None:
    trials = []
    for way in ("1 fork", "1 spawn", "2 fork"):
        events: list[Event] = []
        for number in range(16):
            there = 3_000_000 * number if way in grown else 0
            events.append(Event("item", number, 0, 0, 10, 0.001, size={"memory": there}))
            events.append(Event("collate", None, 0, 0, 10, 0.001))
        trials.append(trial(shop, int(way[0]), *events, method=way[2:]))
    assert ("memory grows with every item" in "\n".join(as_text(verdict(trials)))) is told


@pytest.mark.parametrize("bound", [True, False])
def test_a_seed_that_may_be_another_with_the_next_loader(shop: Path, bound: bool) -> None:
    events = [
        Event("item", 0, worker, epoch, 10 * epoch + worker, 0.001, {"numpy": (worker, 9)})
        for epoch in (0, 1)
        for worker in (0, 1)
    ]
    note = {"library": "numpy", "phase": "worker_init_fn", "pid": 0, "value": "1", "state": 0, "index": None}
    seeds = [{**note, "place": [str(shop / "train.py"), 8, "seed_worker"]}]
    tried = trial(shop, 2, *events, seed=seeds)
    tried.records.notes["loader"][0]["init_fn_is_bound"] = bound  # type: ignore[index]
    assert [each.wrong.code for each in verdict([tried]).shown] == ([] if bound else ["DL204"])
    told = verdict([tried], finding(shop, "DL204", "train.py", 8))
    assert [each.wrong.code for each in told.shown] == ["DL204"]
    assert len(verdict([tried]).elsewhere) == bound


def read(asked: int, mark: int, worker: int | None = None, epoch: int = 0, **more: Any) -> Event:
    pid = 10 if worker is None else 20 + 10 * epoch + worker
    return Event("item", asked, worker, epoch, pid, 0.001, mark=mark, whole=True, **more)


def test_items_that_are_others_with_workers(shop: Path) -> None:
    plain = [read(index, index, epoch=epoch) for epoch in (0, 1) for index in (0, 1)]
    drawn = [read(2, 5 + epoch, epoch=epoch, changed={"numpy": (1, 2)}) for epoch in (0, 1)]
    without = trial(shop, 0, *plain, *drawn)
    right = trial(shop, 2, read(0, 0, 0), read(1, 1, 1), read(2, 99, 0))
    assert "are others than without workers" not in "\n".join(as_text(verdict([without, right])))
    wrong = trial(shop, 2, read(0, 0, 0), read(1, 7, 1), read(2, 99, 0))
    text = "\n".join(as_text(verdict([without, wrong])))
    assert "2 workers, fork: 1 of 2 items are others than without workers" in text
    assert not verdict([without, wrong]).is_wrong


def test_what_was_taken_is_told(shop: Path) -> None:
    several = trial(shop, 0, **{"of several": [{"keys": ["train", "val"]}]})
    assert "It gives 2 loaders or datasets: the first is tried; for the others, NAME[val]." in list(
        as_text(verdict([several]))
    )
    alone = trial(shop, 0, **{"dataset alone": [{"pid": 1}]})
    assert "It gives a dataset: it is read item by item, without a collate_fn." in list(
        as_text(verdict([alone]))
    )
