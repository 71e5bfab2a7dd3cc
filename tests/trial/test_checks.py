"""What the checks say of notes: of hazards, and of what only looks like one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from dlint.running.runner import Result
from dlint.running.stacks import Frame, Process, Thread
from dlint.trial.checks import (
    generators,
    growth,
    handles,
    options,
    order,
    pickling,
    pools,
    seeds,
    settings,
    stillness,
    threads,
)
from dlint.trial.checks import raised as raising
from dlint.trial.probe.conduct import Way
from dlint.trial.records import Event, Raised, Records
from dlint.trial.trials import Limits, Trial

FILE = "/home/someone/shop/data.py"
LOADER = {
    "dataset_at": [FILE, 9, "Photos"],
    "made": [FILE, 30, "main"],
    "stream": False,
    "batch_size": 2,
    "num_workers": 2,
    "timeout": 0,
    "prefetch_factor": 2,
    "worker_init_fn": None,
    "context": None,
    "default_method": "fork",
    "persistent": False,
    "drop_last": False,
    "given": [],
}


def trial(
    *events: Event,
    workers: int = 2,
    method: str | None = "fork",
    loader: Mapping[str, Any] = {},
    end: str = "exit",
    stderr: str = "",
    stacks: Sequence[Process] = (),
    **notes: Sequence[Mapping[str, Any]],
) -> Trial:
    kinds = {kind.replace("_", " "): tuple(each) for kind, each in notes.items()}
    kinds["loader"] = ({**LOADER, **loader},)
    if end == "exit":
        kinds["done"] = ({},)
    way = Way(workers, method if workers else None)
    result = Result(end, 0 if end == "exit" else None, stderr=stderr, stacks=tuple(stacks))
    return Trial(way, result, Records(tuple(events), kinds), Limits())


def item(asked: object, worker: int | None = 0, epoch: int = 0, **more: Any) -> Event:
    pid = 100 + 10 * epoch + (worker if worker is not None else 9)
    return Event("item", asked, worker, epoch, pid, 0.001, **more)


def draws(states: Mapping[tuple[int, int], tuple[int, int]], stream: str = "dataset.rng") -> list[Event]:
    """An item of each worker and epoch, which draws from a stream."""
    return [item(worker, worker, epoch, changed={stream: each}) for (worker, epoch), each in states.items()]


ALIKE = {(0, 0): (1, 2), (1, 0): (1, 2), (0, 1): (1, 2), (1, 1): (1, 2)}
EPOCHS_ALIKE = {(0, 0): (1, 2), (1, 0): (3, 4), (0, 1): (1, 2), (1, 1): (3, 4)}
APART = {(0, 0): (1, 2), (1, 0): (3, 4), (0, 1): (5, 6), (1, 1): (7, 8)}


@pytest.mark.parametrize(
    ("states", "says"),
    [
        (ALIKE, "all workers draw the same numbers, in every epoch"),
        (EPOCHS_ALIKE, "workers draw the same numbers in every epoch"),
        (APART, None),
    ],
)
def test_generators_that_were_made_before(
    states: Mapping[tuple[int, int], tuple[int, int]], says: str | None
) -> None:
    found = list(generators.check(trial(*draws(states)), None))
    assert [(each.code, each.what.partition(": ")[2]) for each in found] == (
        [("DL203", says)] if says else []
    )


def test_workers_that_are_kept_go_on() -> None:
    assert not list(generators.check(trial(*draws(EPOCHS_ALIKE), loader={"persistent": True}), None))
    assert list(generators.check(trial(*draws(ALIKE), loader={"persistent": True}), None))


def test_the_main_process_shares_with_nobody() -> None:
    events = [item(0, None, epoch, changed={"dataset.rng": (1, 2)}) for epoch in range(2)]
    assert not list(generators.check(trial(*events, workers=0), None))


def test_numpy_that_nobody_seeds() -> None:
    found = list(generators.check(trial(*draws(ALIKE, "numpy")), None))
    assert [each.code for each in found] == ["DL202"]


def seed(library: str, state: int, pid: int, phase: str = "item", line: int = 12) -> dict[str, Any]:
    return {
        "library": library,
        "phase": phase,
        "state": state,
        "pid": pid,
        "value": "0",
        "index": pid,
        "place": [FILE, line, "Photos.__getitem__"],
    }


def test_a_seed_for_every_item() -> None:
    events = draws({key: (key[0], 99) for key in ALIKE}, "numpy")
    notes = [seed("numpy", 7, event.pid) for event in events]
    found = list(seeds.check(trial(*events, seed=notes), None))
    assert [(each.code, each.place) for each in found] == [("DL201", (FILE, 12, "Photos.__getitem__"))]


def test_seeds_that_never_come_again() -> None:
    events = draws({key: (key[0], 99) for key in ALIKE}, "numpy")
    notes = [seed("numpy", number, event.pid) for number, event in enumerate(events)]
    assert not list(seeds.check(trial(*events, seed=notes), None))


def test_a_seed_by_which_a_stream_is_ordered_alike_in_all_workers() -> None:
    firsts = [item(0, worker, epoch, changed={"random": (7, 9)}) for worker, epoch in ALIKE]
    rest = [item(1, worker, epoch) for worker, epoch in ALIKE]
    notes = [seed("random", 7, event.pid) for event in firsts]
    assert not list(seeds.check(trial(*firsts, *rest, loader=STREAM, seed=notes), None))
    again = [item(1, worker, epoch, changed={"random": (9, 11)}) for worker, epoch in ALIKE]
    assert list(seeds.check(trial(*firsts, *again, loader=STREAM, seed=notes), None))


def test_a_state_that_is_put_back() -> None:
    events = draws({key: (key[0], 99) for key in ALIKE}, "numpy")
    notes = [seed("numpy", 7, event.pid) for event in events]
    back = [{"library": "numpy", "phase": "item", "index": event.pid, "pid": event.pid} for event in events]
    assert not list(seeds.check(trial(*events, seed=notes, state=back), None))
    assert list(seeds.check(trial(*events, seed=notes, state=back[1:]), None)) == []
    assert list(seeds.check(trial(*events, seed=notes, state=back[2:]), None))


def test_a_generator_that_only_seeds_others() -> None:
    begins = [
        item(number, 0, epoch, changed={"dataset.rng": (1, 2)}) for epoch in range(2) for number in (0,)
    ]
    rest = [item(number, 0, epoch) for epoch in range(2) for number in (1, 2)]
    events = sorted((*begins, *rest), key=lambda each: each.epoch)
    assert not list(generators.check(trial(*events, workers=1), None))
    drawn_again = [
        item(number, 0, epoch, changed={"dataset.rng": (2, 3)}) for epoch in range(2) for number in (1,)
    ]
    assert list(generators.check(trial(*begins, *drawn_again, workers=1), None))


def test_a_seed_that_nobody_draws_after() -> None:
    events = draws({key: (key[0], 7) for key in ALIKE}, "numpy")
    notes = [seed("numpy", 7, event.pid) for event in events]
    assert not list(seeds.check(trial(*events, seed=notes), None))


@pytest.mark.parametrize(("states", "told"), [(ALIKE, True), (EPOCHS_ALIKE, True), (APART, False)])
def test_seeds_of_worker_init_fn(states: Mapping[tuple[int, int], tuple[int, int]], told: bool) -> None:
    events = draws(states, "numpy")
    notes = [seed("numpy", event.changed["numpy"][0], event.pid, "worker_init_fn") for event in events]
    assert [each.code for each in seeds.check(trial(*events, seed=notes), None)] == (
        ["DL204"] if told else []
    )
    # What worker_init_fn has seeded is not told a second time.
    assert not list(generators.check(trial(*events, seed=notes), None))


def test_a_worker_init_fn_that_seeds_two_libraries_is_one_mistake() -> None:
    events = [*draws(ALIKE, "numpy"), *draws(ALIKE, "random")]
    notes = [
        seed(library, 1, event.pid, "worker_init_fn", line)
        for event in events
        for library, line in (("numpy", 12), ("random", 13))
    ]
    (found,) = seeds.check(trial(*events, seed=notes), None)
    assert "np.random.seed and random.seed in worker_init_fn, with the same seed again (0): all" in found.what


STREAM = {"stream": True}


def marks(*of_workers: Sequence[int]) -> list[Event]:
    return [
        item(number, worker, mark=mark, whole=True)
        for worker, marks_ in enumerate(of_workers)
        for number, mark in enumerate(marks_)
    ]


def test_streams_that_come_twice() -> None:
    found = list(order.check(trial(*marks([1, 2, 3], [1, 2, 3, 4]), loader=STREAM), None))
    assert [each.code for each in found] == ["DL501"]


@pytest.mark.parametrize(
    "of_workers",
    [
        ([1, 3], [2, 4]),
        ([1, 1], [1, 1]),
        ([1, 2], []),
        ([0, 1] * 4, [0, 1] * 4),
        ([1, 2, 3, 1, 2, 3, 1, 2], [1, 2, 3, 1, 2, 3, 1, 2]),
    ],
)
def test_streams_that_do_not_or_do_not_show_it(of_workers: tuple[list[int], list[int]]) -> None:
    assert not list(order.check(trial(*marks(*of_workers), loader=STREAM), None))


def ended(whole: bool = True) -> list[dict[str, Any]]:
    return [{"epoch": 0, "batches": 2, "whole": whole, "times": [0.1, 0.2]}]


def test_streams_that_come_twice_by_number() -> None:
    plain = trial(*marks([1, 2, 3]), workers=0, loader=STREAM, epoch_ended=ended())
    twice = trial(*marks([4, 5, 6], [7, 8, 9]), loader=STREAM, epoch_ended=ended())
    assert [each.code for each in order.check(twice, plain)] == ["DL501"]
    cut = trial(*marks([4, 5, 6], [7, 8, 9]), loader=STREAM, epoch_ended=ended(False))
    assert not list(order.check(cut, plain))
    fewer = trial(*marks([4], [7]), loader=STREAM, epoch_ended=ended())
    assert [(each.code, each.sure) for each in order.check(fewer, plain)] == [(None, False)]


def _stream(*of_workers: Sequence[int], drawn: Sequence[int] = (), **more: Any) -> Trial:
    """A stream that is read to its end, epoch by epoch, of which workers draw before their first items: what
    each gives in the first epoch, then in the second."""
    states = {
        worker: {"changed": {"random": (state, 99)}} if state else {} for worker, state in enumerate(drawn)
    }
    workers = len(drawn) or 1
    events = [
        item(
            number,
            at % workers,
            at // workers,
            mark=mark,
            whole=True,
            **({} if number else states.get(at, {})),
        )
        for at, marks_ in enumerate(of_workers)
        for number, mark in enumerate(marks_)
    ]
    return trial(*events, loader=STREAM, epoch_ended=ended(), **more)


WHOLE = [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("drawn", "second", "code", "sure"),
    [
        ((5, 6), ([1, 3], [3, 4]), "DL508", True),
        pytest.param((5, 6), ([1, 2], [2, 4]), None, False, id="the same is left out in each epoch"),
        pytest.param((5, 6), (), None, False, id="there is one epoch"),
        pytest.param((5, 5), ([1, 3], [3, 4]), None, False, id="all draw alike"),
        pytest.param((0, 0), ([1, 3], [3, 4]), None, False, id="none draws"),
    ],
)
def test_shares_of_unlike_orders(
    drawn: Sequence[int], second: Sequence[Sequence[int]], code: str | None, sure: bool
) -> None:
    plain = _stream(WHOLE, WHOLE, workers=0)
    (found,) = order.check(_stream([1, 2], [2, 4], *second, drawn=drawn), plain)
    assert (found.code, found.sure) == (code, sure)
    assert found.what.startswith("1 of 4 items come from no worker, and others come from several")


@pytest.mark.parametrize(
    ("whole", "of_workers", "epochs"),
    [
        pytest.param(WHOLE, ([1, 2], [3, 4]), 2, id="all come"),
        pytest.param([1, 1, 3, 4], ([1, 2], [2, 4]), 2, id="some are alike anyway"),
        pytest.param(WHOLE, ([1, 2], [7, 8]), 2, id="they are others with workers"),
        pytest.param(WHOLE, ([1, 2], [2, 4]), 1, id="another epoch may have others"),
    ],
)
def test_shares_that_do_not_show_it(whole: Sequence[int], of_workers: Any, epochs: int) -> None:
    plain = _stream(*[whole] * epochs, workers=0)
    assert not list(order.check(_stream(*of_workers, *of_workers, drawn=(5, 6)), plain))


def test_one_file_for_all() -> None:
    moved = (("dataset.file", "/data/tiles.bin"),)
    found = list(handles.check(trial(item(0, 0, moved=moved), item(1, 1, moved=moved)), None))
    assert [each.code for each in found] == ["DL403"]
    assert "dataset.file" in found[0].what
    assert not list(handles.check(trial(item(0, 0, moved=moved), item(1, 1)), None))
    assert not list(
        handles.check(trial(item(0, 0, moved=moved), item(1, 1, moved=moved), method="spawn"), None)
    )


def pool(index: int, *, what: str = "ThreadPool", sized: bool = True, phase: str = "item") -> dict[str, Any]:
    return {
        "what": what,
        "sized": sized,
        "phase": phase,
        "index": index,
        "pid": 100,
        "place": [FILE, 20, "f"],
    }


@pytest.mark.parametrize(
    ("notes", "codes"),
    [
        ([pool(0), pool(1)], ["DL103"]),
        ([pool(0)], []),
        ([pool(0, phase="worker_init_fn"), pool(1, phase="worker_init_fn")], []),
        ([pool(0, phase="main"), pool(1, phase="load")], []),
        ([pool(0, sized=False)], ["DL104"]),
        ([pool(0, what="ProcessPoolExecutor", sized=False), pool(1, what="ProcessPoolExecutor")], []),
    ],
)
def test_pools(notes: list[dict[str, Any]], codes: list[str]) -> None:
    assert [each.code for each in pools.check(trial(pool=notes), None)] == codes


def grown(*added: int, name: str = "files", batch: int = 1, sent: int = 0) -> list[Event]:
    """Items that add so much each, of which ``sent`` goes again when their batch is sent."""
    events = []
    there = 50_000_000
    for number, each in enumerate(added):
        events.append(item(number, 0, size={name: there}))
        there += each + sent
        if (number + 1) % batch == 0:
            events.append(Event("collate", None, 0, 0, events[-1].pid, 0.001))
            there -= batch * sent
    return events


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (grown(*[1] * 16), True),
        (grown(*[5, *[0] * 15]), False),  # what the first item opens is kept
        (grown(*[0, *[1] * 7, *[0] * 8]), False),  # a cache that is full at some time
        (grown(*[1, -1] * 8), False),
        (grown(*[1] * 6), False),  # too few to say
        (grown(*[4_000_000] * 16, name="memory"), True),
        (grown(*[4_000] * 16, name="memory"), False),
        (grown(*[4_000_000] * 16, name="shared memory"), True),
        (grown(*[0] * 16, name="memory", batch=4, sent=4_000_000), False),  # the items themselves
        (grown(*[4_000_000] * 32, name="memory", batch=4, sent=4_000_000), True),
        (grown(*[4_000_000] * 16, name="memory", batch=4), False),  # buffers may still fill
    ],
)
def test_growth(events: list[Event], told: bool) -> None:
    assert bool(list(growth.check(trial(*events), None))) is told


@pytest.mark.parametrize(("mine", "told"), [(8, True), (1, False)])
def test_threads_of_opencv_that_the_main_process_has_not_turned_off(mine: int, told: bool) -> None:
    setting = {"settings": {"cv2.getNumThreads()": 8}, "pid": 100}
    called = item(0, 0, grown={"threads": 7}, cv2={"resize": (FILE, 14, "Photos.__getitem__")})
    parent = {"settings": {"cv2.getNumThreads()": mine}}
    found = list(threads.check(trial(called, method="spawn", begun=[setting], parent=[parent]), None))
    assert [(each.code, each.place) for each in found] == (
        [("DL101", (FILE, 14, "Photos.__getitem__"))] if told else []
    )


def test_settings_that_workers_lack() -> None:
    parent = [{"settings": {"torch.get_default_dtype()": "torch.float64", "cv2.getNumThreads()": 0}}]
    begun = [{"settings": {"torch.get_default_dtype()": "torch.float32", "cv2.getNumThreads()": 8}}]
    spawned = trial(method="spawn", parent=parent, begun=begun)
    assert [each.code for each in settings.check(spawned, None)] == ["DL404", "DL404"]
    assert not list(settings.check(trial(parent=parent, begun=begun), None))
    more = [{"settings": {"cv2.getNumThreads()": 8}}]
    less = [{"settings": {"cv2.getNumThreads()": 1}}]
    assert not list(settings.check(trial(method="spawn", parent=more, begun=less), None))


def error(text: str, kind: str = "ValueError") -> list[dict[str, Any]]:
    return [{"type": kind, "message": text, "frames": [[FILE, 31, "main"]]}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sampler option is mutually exclusive with shuffle", "DL301"),
        (
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last",
            "DL302",
        ),
        ("DataLoader with IterableDataset: expected unspecified sampler option, but got sampler=1", "DL303"),
        ("prefetch_factor option could only be specified in multiprocessing.", "DL304"),
        ("Seed must be between 0 and 2**32 - 1", "DL206"),
        ("daemonic processes are not allowed to have children", "DL107"),
        ("generator raised StopIteration", "DL505"),
        ("no such picture", None),
    ],
)
def test_what_is_raised(text: str, code: str | None) -> None:
    found = list(raising.check(trial(workers=0, raised=error(text)), None))
    assert [(each.code, each.place) for each in found] == [(code, (FILE, 31, "main"))]


def test_what_the_dataset_raises_anyway_is_told_once() -> None:
    plain = trial(workers=0, raised=error("no such picture"))
    (again,) = raising.check(trial(raised=error("no such picture")), plain)
    assert [again] == list(raising.check(plain, None))
    elsewhere = [{**error("no such picture")[0], "frames": [[FILE, 99, "main"]]}]
    assert not list(raising.check(trial(raised=elsewhere), plain))
    sound = trial(workers=0)
    (found,) = raising.check(trial(raised=error("no such picture")), sound)
    assert "and without workers it does not" in found.what


def test_none_is_told_at_the_dataset() -> None:
    text = "default_collate: batch must contain tensors; found <class 'NoneType'>"
    (found,) = raising.check(trial(item(1, none=True), raised=error(text, "TypeError")), None)
    assert (found.code, found.place) == ("DL502", (FILE, 9, "Photos"))


def test_worker_init_fn_that_takes_no_number() -> None:
    message = "Start.__call__() takes 0 positional arguments but 1 was given"
    noted = [{"type": "TypeError", "message": message, "frames": []}]
    found = list(raising.check(trial(raised=error("Caught", "TypeError"), init_raised=noted), None))
    assert [each.code for each in found] == ["DL205"]


def test_options_that_do_nothing() -> None:
    lazy = {"num_workers": 0, "worker_init_fn": "seed_worker"}  # never called, which harms nobody
    assert not list(options.check(trial(workers=0, loader=lazy), None))
    slow = {"num_workers": 0, "timeout": 30}
    assert [each.code for each in options.check(trial(workers=0, loader=slow), None)] == ["DL304"]
    assert not list(options.check(trial(workers=0), None))


def test_batches_as_a_sampler() -> None:
    assert [each.code for each in options.check(trial(item([0, 1], None), workers=0), None)] == ["DL302"]
    assert not list(options.check(trial(item([0, 1], None), workers=0, loader={"batch_size": None}), None))
    assert not list(options.check(trial(item(["a", 1], None), workers=0), None))


def refusal(cls: str, path: str = "dataset.part", name: str = "") -> list[dict[str, Any]]:
    message = f"TypeError: cannot pickle '{cls}' object"
    return [{"path": path, "cls": cls, "name": name, "message": message}]


@pytest.mark.parametrize(
    ("cls", "code", "says"),
    [
        ("shop.data.make.<locals>.Set", "DL401", "it is of the local class Set ("),
        ("builtins.module", "DL401", "it is a module ("),
        ("builtins.generator", "DL401", "it is a generator ("),
        ("cv2.ORB", "DL401", "it is a cv2.ORB ("),
        ("_io.BufferedReader", "DL403", "it is an open _io.BufferedReader ("),
        ("_thread.lock", "DL102", "it is a _thread.lock ("),
    ],
)
def test_what_pickle_refuses(cls: str, code: str, says: str) -> None:
    spawned, served = (
        list(pickling.check(trial(method=method, refused=refusal(cls)), None))
        for method in ("spawn", "forkserver")
    )
    assert [(each.code, says in each.what) for each in spawned] == [(code, True)]
    assert spawned == served  # so that it is told once


def worker(*frames: tuple[str, int, str]) -> Process:
    loop = ("/venv/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", 349, "_worker_loop")
    fork = ("/usr/lib/python3.11/multiprocessing/popen_fork.py", 71, "_launch")
    stack = tuple(Frame(file, line, name) for file, line, name in (*frames, loop, fork))
    return Process(5, "worker", "python", (Thread("MainThread", stack),), 1)


def test_a_pool_that_was_left_behind() -> None:
    wait = ("/usr/lib/python3.11/multiprocessing/pool.py", 768, "get")
    stuck = worker(wait, (FILE, 14, "Photos.__getitem__"))
    (found,) = stillness.check(trial(end="still", stacks=[stuck]), None)
    assert (found.code, found.sure, found.place) == ("DL102", True, (FILE, 14, "Photos.__getitem__"))


def test_a_lock_that_was_held_is_named() -> None:
    wait = ("/usr/lib/python3.11/threading.py", 168, "acquire")
    stuck = worker(wait, (FILE, 14, "Photos.__getitem__"))
    begun = [{"pid": 5, "locked": ["dataset.lock"]}]
    (found,) = stillness.check(trial(end="still", stacks=[stuck], worker=begun), None)
    assert found.code == "DL102"
    assert found.what.endswith("(held at the fork: dataset.lock)")


def test_a_sleep_is_no_rule() -> None:
    (found,) = stillness.check(trial(end="still", stacks=[worker((FILE, 14, "Photos.__getitem__"))]), None)
    assert (found.code, found.sure, found.place) == (None, False, (FILE, 14, "Photos.__getitem__"))


def test_records_of_a_process_that_was_killed(tmp_path: Any) -> None:
    from dlint.trial.records import read

    (tmp_path / "7.jsonl").write_bytes(b'{"kind": "process", "pid": 7}\n{"kind": "epo')
    (tmp_path / "note.txt").write_text("nothing")
    records = read(tmp_path)
    assert records.first("process") == {"pid": 7}
    assert records.raised is None
    assert Raised("ValueError", "", ()).text == "ValueError"


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_wait_in_a_second_epoch_needs_a_finding(epochs: int) -> None:
    read = [{"epoch": number} for number in range(epochs)]
    stuck = worker((FILE, 14, "Photos.__getitem__"))
    (found,) = stillness.check(trial(end="still", stacks=[stuck], epoch=read), None)
    assert found.needs_finding is (epochs == 2)
