"""Loaders that are restarted in loops, and loops that only look as if."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

from .training_programs import HEAD, ITERATED, MAIN, lines_of, marked

_WORK = """

def train_one_epoch(model, loader):
    for images, labels in loader:
        model(images).sum().backward()


def train_from(settings):
    for images in settings.batches:
        images.sum().backward()


def weigh(model, images):
    for layer in model:
        images = layer(images)
    return images
"""

_LOADERS = """
    model = [torch.nn.Linear(3, 3)]
    loader = DataLoader(datasets.CIFAR10("d"), 64, shuffle=True, num_workers=4)
    val_loader = DataLoader(datasets.CIFAR10("d", False), 64, num_workers=4)
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    for epoch in range(100):
        train_one_epoch(model, loader)
        images, _ = next(iter(val_loader))
""",
            id="a function has the loop over the batches",
        ),
        pytest.param(
            """
    for epoch in range(100):
        lightning_like.fit(model, loader)
        images, _ = next(iter(val_loader))
""",
            id="a library's function gets the loader",
        ),
        pytest.param(
            """
    for r in range(100):
        train_one_epoch(model, loader)
        images, _ = next(iter(val_loader))
""",
            id="a round that is not called epoch",
        ),
        pytest.param(
            """
    epochs = argparse.ArgumentParser().parse_args().epochs
    for i in range(epochs):
        lightning_like.fit(model, loader)
        images, _ = next(iter(val_loader))
""",
            id="the number of rounds is called epochs",
        ),
        pytest.param(
            """
    epoch = 0
    while epoch < 100:
        for images, labels in loader:
            model[0](images)
        images, _ = next(iter(val_loader))
        epoch += 1
""",
            id="while",
        ),
        pytest.param(
            """
    rounds = 0
    while rounds < 100:
        train_one_epoch(model, loader)
        images, _ = next(iter(val_loader))
        rounds += 1
""",
            id="while, the loop in a function",
        ),
        pytest.param(
            """
    for epoch in range(100):
        lightning_like.build(model).train(epoch)
        images, _ = next(iter(val_loader))
""",
            id="what trains cannot be seen",
        ),
        pytest.param(
            """
    for epoch in range(100):
        train_from(argparse.ArgumentParser().parse_args())
        images, _ = next(iter(val_loader))
""",
            id="what trains goes through something unknown",
        ),
        pytest.param(
            """
    for comm_round in range(100):
        for client in clients:
            client.update()
        images, _ = next(iter(val_loader))
""",
            id="a round of clients",
        ),
        pytest.param(
            """
    for epoch in range(100):
        lightning_like.train()
        images, _ = next(iter(loader))  # here
        lightning_like.train_step(images)
""",
            id="found: an epoch of one step that cannot be seen",
        ),
        pytest.param(
            """
    for epoch in range(100):
        images, _ = next(iter(loader))  # here
        weigh(model, images).sum().backward()
""",
            id="found: an epoch of one batch",
        ),
        pytest.param(
            """
    epochs = argparse.ArgumentParser().parse_args().epochs
    for i in range(epochs * 100):
        images, _ = next(iter(loader))  # here
        weigh(model, images).sum().backward()
""",
            id="found: epochs times steps",
        ),
        pytest.param(
            """
    step = 0
    while step < 100:
        images, _ = next(iter(loader))  # here
        weigh(model, images).sum().backward()
        step += 1
""",
            id="found: while",
        ),
        pytest.param(
            """
    for epoch in range(100):
        for images, _ in loader:
            others, _ = next(iter(val_loader))  # here
""",
            id="found: in the loop over the batches",
        ),
    ],
)
def test_once_an_epoch_is_no_restart(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _WORK + "\n\ndef main():" + _LOADERS + body + MAIN
    assert lines_of(tmp_path, program, "DL306", monkeypatch) == marked(program)


def test_a_loader_that_may_keep_its_workers_is_no_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ITERATED.format(made="Background", over="loader") + "\nwhile True:\n    next(iter(loader))\n"
    assert lines_of(tmp_path, program, "DL306", monkeypatch) == []


@pytest.mark.parametrize(
    ("again", "silent"),
    [
        pytest.param("self.reset()", True, id="made anew"),
        pytest.param(
            "try:\n                self.reset()\n            finally:\n                pass",
            True,
            id="in a try",
        ),
        pytest.param("print(self.loader)", False, id="found: the same loader"),
        pytest.param("self.ensure()", False, id="found: made where there is none"),
        pytest.param("if step % 100 == 0:\n                self.reset()", False, id="found: now and then"),
        pytest.param("self.other.reset()", False, id="found: another's"),
    ],
)
def test_a_loader_that_a_method_makes_anew(
    again: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
class Learner:
    def __init__(self, other):
        self.loader, self.other = None, other
        self.reset()

    def reset(self):
        self.loader = DataLoader(datasets.CIFAR10("d"), 64, num_workers=4)

    def ensure(self):
        if self.loader is None:
            self.loader = DataLoader(datasets.CIFAR10("d"), 64, num_workers=4)

    def run(self, steps):
        for step in range(steps):
            {again}
            self.learn(next(iter(self.loader)))  # here


def main():
    Learner(Learner(None)).run(1000)
{MAIN}"""
    assert lines_of(tmp_path, program, "DL306", monkeypatch) == ([] if silent else marked(program))


_RESTARTED = """
def first(given):
    return next(iter(given))


def twice(given):
    return first(given)


def once(given):
    return next(iter(given))


class Source:
    def __init__(self, loader):
        self.loader = loader

    def sample(self):
        with torch.no_grad():
            return next(iter(self.loader))


def main():{loaders}
    kept = DataLoader(datasets.CIFAR10("d"), 64)
    loaders = {{"train": loader, "val": val_loader}}
    source = Source(loader)
    print(once(loader))
    for epoch in range(9):
        for batch in loader:
            print(batch)
        print(once(loader))
{body}"""


@pytest.mark.parametrize(
    ("body", "places"),
    [
        pytest.param(
            """
    for step in range(100):
        batches = iter(loader)
        images, _ = next(batches)  # here
""",
            1,
            id="found: in two steps",
        ),
        pytest.param(
            """
    for step in range(100):
        batches = iter(loader)
        for number in range(5):
            images, _ = next(batches)
""",
            0,
            id="a loop over the batches",
        ),
        pytest.param(
            """
    for step in range(100):
        batches = iter(loader)
        images, _ = next(batches)
        print(list(batches))
""",
            0,
            id="the others are taken as well",
        ),
        pytest.param(
            """
    for step in range(100):
        if step % 20 == 0:
            batches = iter(loader)
        images, _ = next(batches)
""",
            0,
            id="now and then",
        ),
        pytest.param(
            """
    for step in range(100):
        images, _ = next(iter(loaders["train"]))  # here
""",
            1,
            id="found: out of a dict",
        ),
        pytest.param(
            """
    for step in range(100):
        for name in loaders:
            images, _ = next(iter(loaders[name]))  # here
""",
            1,
            id="found: each of several, again and again",
        ),
        pytest.param(
            """
    for name in loaders:
        images, _ = next(iter(loaders[name]))
""",
            0,
            id="each of several once",
        ),
        pytest.param(
            """
    for step in range(100):
        for each in loaders.values():
            images, _ = next(iter(each))  # here
""",
            1,
            id="found: each of several by its own name, again and again",
        ),
        pytest.param(
            """
    for each in loaders.values():
        images, _ = next(iter(each))
""",
            0,
            id="each of several by its own name once",
        ),
        pytest.param(
            """
    for epoch in range(100):
        train_one_epoch(model, loader)
        for each in loaders.values():
            images, _ = next(iter(each))
""",
            0,
            id="each of several by its own name once an epoch",
        ),
        pytest.param(
            """
    for step in range(100):
        made = [DataLoader(datasets.CIFAR10("d"), num_workers=2)]
        for each in made:
            images, _ = next(iter(each))
""",
            0,
            id="each of several that are made anew",
        ),
        pytest.param(
            """
    while True:
        try:
            return next(iter(loader))
        except RuntimeError:
            continue
""",
            0,
            id="tried again after an error",
        ),
        pytest.param(
            """
    for attempt in range(99):
        try:
            images, _ = next(iter(loader))  # here
            print(images.shape)
        except RuntimeError:
            return None
""",
            1,
            id="found: left after an error only",
        ),
    ],
)
def test_restarts_in_a_loop(body: str, places: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _RESTARTED.format(loaders=_LOADERS, body=body) + MAIN
    assert len(marked(program)) == places
    assert lines_of(tmp_path, program, "DL306", monkeypatch) == marked(program)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(
            "    for step in range(99):\n        print(first(loader))\n", ["given"], id="found: a function"
        ),
        pytest.param(
            "    for step in range(99):\n        print(twice(loader))\n", ["given"], id="found: two calls"
        ),
        pytest.param(
            "    while True:\n        print(source.sample())\n", ["self.loader"], id="found: a method"
        ),
        pytest.param("    for step in range(99):\n        print(first(kept))\n", [], id="no workers"),
        pytest.param("    for step in range(3):\n        print(first(loader))\n", [], id="a few"),
        pytest.param("    for each in loaders.values():\n        print(first(each))\n", [], id="each once"),
        pytest.param(
            "    for each in (loader, val_loader):\n        print(Source(each).sample())\n",
            [],
            id="each object once",
        ),
        pytest.param(
            "    for step in range(99):\n        if step < 5:\n            print(first(loader))\n",
            [],
            id="a test",
        ),
        pytest.param(
            "    for step in range(99):\n        if step > 5:\n            print(first(loader))\n",
            ["given"],
            id="found: a test that is passed from a round on",
        ),
        pytest.param(
            "    for step in range(99):\n        made = DataLoader(datasets.CIFAR10('d'), num_workers=2)\n"
            "        print(first(made))\n",
            [],
            id="made anew",
        ),
        pytest.param(
            "    for attempt in range(99):\n        try:\n            images = first(loader)\n            break\n"
            "        except OSError:\n            pass\n",
            [],
            id="tried again after an error",
        ),
        pytest.param(
            "    for step in range(99):\n        try:\n            print(first(loader))\n"
            "        except OSError:\n            break\n    return None\n",
            ["given"],
            id="found: left after an error only",
        ),
        pytest.param(
            "    for epoch in range(99):\n        fit(loader)\n        print(source.sample())\n",
            [],
            id="once an epoch",
        ),
    ],
)
def test_restarts_in_a_function_that_a_loop_calls(
    body: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _RESTARTED.format(loaders=_LOADERS, body=body) + MAIN
    lines = [program.split("\n")[line - 1] for line in lines_of(tmp_path, program, "DL306", monkeypatch)]
    assert [line.strip() for line in lines] == [f"return next(iter({name}))" for name in found]


@pytest.mark.parametrize(
    ("body", "offered"),
    [
        ("        images, _ = next(iter(loader))", True),
        ("        if rank == 0:\n            images, _ = next(iter(loader))", False),
        ("        for each in (loader, val_loader):\n            images, _ = next(iter(each))", False),
    ],
)
def test_an_iterator_before_the_loop_would_be_the_same(body: str, offered: bool, tmp_path: Path) -> None:
    """Not in processes that a test keeps out, nor one for several loaders."""
    rounds = f"    rank = 0\n    for step in range(99):\n{body}\n"
    (tmp_path / "main.py").write_text(HEAD + _RESTARTED.format(loaders=_LOADERS, body=rounds) + MAIN)
    (finding,) = engine.check([tmp_path], Settings(select=("DL306",))).findings
    assert (finding.remedy is not None) is offered
    assert (finding.by_hand is None) is offered


_BEGINNINGS = """import random

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler


class Rows(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return index


class Episodes:
    def __init__(self, rounds, size):
        self.rounds, self.size = rounds, size

    def __len__(self):
        return self.rounds

    def __iter__(self):
        for _ in range(self.rounds):
            yield torch.randperm(100)[: self.size]


class Ways(Episodes):
    def __iter__(self):
        for _ in range(self.rounds):
            yield [random.randrange(100) for _ in range(self.size)]


class InOrder(Episodes):
    def __iter__(self):
        for each in range(self.rounds):
            yield list(range(each * self.size, (each + 1) * self.size))


class GoesOn(Episodes):
    def __init__(self, rounds, size):
        super().__init__(rounds, size)
        self.at = 0

    def __iter__(self):
        for _ in range(self.rounds):
            self.at = (self.at + self.size) % 100
            yield list(range(self.at, self.at + self.size))


class Around(Episodes):
    def __init__(self, sampler, size):
        self.sampler, self.size = sampler, size

    def __iter__(self):
        rows = list(self.sampler)
        yield from (rows[at : at + self.size] for at in range(0, len(rows), self.size))


class Plain(IterableDataset):
    def __iter__(self):
        yield from range(100)


class Noise(IterableDataset):
    def __iter__(self):
        for _ in range(100):
            yield np.random.rand()


def main():
    rows = Rows()
    episodes = DataLoader(rows, batch_sampler=Episodes(9, 5), num_workers=2)
    ways = DataLoader(rows, batch_sampler=Ways(9, 5), num_workers=2)
    goes_on = DataLoader(rows, batch_sampler=GoesOn(9, 5), num_workers=2)
    ordered = DataLoader(rows, batch_sampler=InOrder(9, 5), num_workers=2)
    drawn = DataLoader(rows, batch_sampler=BatchSampler(RandomSampler(rows), 5, False), num_workers=2)
    kept = DataLoader(rows, batch_sampler=BatchSampler(SequentialSampler(rows), 5, False), num_workers=2)
    around = DataLoader(rows, batch_sampler=Around(RandomSampler(rows), 5), num_workers=2)
    around_kept = DataLoader(rows, batch_sampler=Around(SequentialSampler(rows), 5), num_workers=2)
    listed = DataLoader(rows, batch_sampler=[[0, 1], [2, 3]], num_workers=2)
    plain = DataLoader(Plain(), num_workers=2)
    noise = DataLoader(Noise(), num_workers=2)
    for _ in range(50):
        print(next(iter(episodes)))
        print(next(iter(ways)))
        print(next(iter(goes_on)))
        print(next(iter(ordered)))  # again
        print(next(iter(drawn)))
        print(next(iter(kept)))  # again
        print(next(iter(around)))
        print(next(iter(around_kept)))  # again
        print(next(iter(listed)))  # again
        print(next(iter(plain)))  # again
        print(next(iter(noise)))


if __name__ == "__main__":
    main()
"""


def test_what_begins_with_the_same_batch_each_time(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(_BEGINNINGS)
    found = {
        finding.line: finding.message
        for finding in engine.check([tmp_path], Settings(select=("DL306",))).findings
    }
    for line, text in enumerate(_BEGINNINGS.splitlines(), 1):
        if "next(iter(" in text:
            assert ("gets the first one again" in found[line]) is text.endswith("# again"), text
