"""What goes round once an epoch and what goes round for every batch; who tells samplers the epoch."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings import Settings

_HEAD = """\
import argparse
import functools
import operator
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, DistributedSampler, Subset, random_split
from torchvision import datasets, transforms


"""
_WORK = """

def train_one_epoch(model, loader):
    for images, labels in loader:
        model(images).sum().backward()


def weigh(model, images):
    for layer in model:
        images = layer(images)
    return images
"""
_MAIN = """

if __name__ == "__main__":
    main()
"""


def _lines(folder: Path, program: str, code: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines, counted from the program's first, that have a finding."""
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(_HEAD + program)
    monkeypatch.chdir(folder)
    findings = engine.check([Path()], Settings(select=(code,))).findings
    return [finding.line - _HEAD.count("\n") for finding in findings]


def _marked(program: str) -> list[int]:
    return [number for number, line in enumerate(program.split("\n"), 1) if line.endswith("# here")]


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
    program = _WORK + "\n\ndef main():" + _LOADERS + body + _MAIN
    assert _lines(tmp_path, program, "DL306", monkeypatch) == _marked(program)


_EPOCHS = """

def epochs(loader, model):
    for epoch in range(9):
        {call}


def main():
    dataset = datasets.CIFAR10("d")
    sampler = DistributedSampler(dataset)  # here
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=4)
    model = torch.nn.Linear(3, 3)
    epochs(loader, model)
"""
_STEP = """
def learn(model, images):
    model(images).sum().backward()

"""


@pytest.mark.parametrize(
    ("function", "call", "trains"),
    [
        pytest.param(
            """
@torch.no_grad()
def run(loader, model):
    return [model(images) for images, _ in loader]
""",
            "run(loader, model)",
            False,
            id="a decorator",
        ),
        pytest.param(
            """
@torch.inference_mode()
def run(loader, model):
    for images, _ in loader:
        model(images)
""",
            "run(loader, model)",
            False,
            id="inference mode",
        ),
        pytest.param(
            """
def run(loader, model):
    with torch.no_grad():
        for images, _ in loader:
            model(images)
""",
            "run(loader, model)",
            False,
            id="a context",
        ),
        pytest.param(
            """
def run(loader, model):
    for images, _ in loader:
        model(images)
""",
            "with torch.set_grad_enabled(False): run(loader, model)",
            False,
            id="a context around the call",
        ),
        pytest.param(
            """
def run(loader, model):
    model.eval()
    for images, _ in loader:
        model(images)
""",
            "run(loader, model)",
            False,
            id="evaluation mode",
        ),
        pytest.param(
            """
def run(loader, model, teacher=torch.nn.Linear(3, 3)):
    teacher.eval()
    for images, _ in loader:
        with torch.no_grad():
            wanted = teacher(images)
        (model(images) - wanted).sum().backward()
""",
            "run(loader, model)",
            True,
            id="found: a teacher evaluates",
        ),
        pytest.param(
            """
@torch.no_grad()
def test(loader, model):
    for images, _ in loader:
        model(images)


def run(loader, model):
    for images, _ in loader:
        learn(model, images)
""",
            "test(loader, model), run(loader, model)",
            True,
            id="found: the same loader trains and evaluates",
        ),
    ],
)
def test_a_pass_without_gradients_trains_nothing(
    function: str, call: str, trains: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _STEP + function + _EPOCHS.format(call=call) + _MAIN
    assert _lines(tmp_path, program, "DL207", monkeypatch) == (_marked(program) if trains else [])


def test_a_program_that_only_evaluates_needs_no_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "\ndef extract(loader, model):\n    for images, _ in loader:\n        model(images)\n"
        + _EPOCHS.format(call="extract(loader, model.eval())")
        + _MAIN
    )
    assert _lines(tmp_path, program, "DL207", monkeypatch) == []
    assert _lines(tmp_path, _STEP + program, "DL207", monkeypatch) == _marked(_STEP + program)


def test_evaluation_elsewhere_says_nothing_of_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts.py").write_text(
        "import torch\n\n\n@torch.no_grad()\ndef gather(scores):\n    return scores\n"
    )
    program = (
        "\nimport parts\n\n\ndef run(loader, model):\n    for images, _ in loader:\n        model.feed(images)\n"
        + _EPOCHS.format(call="run(loader, make(model))")
        + _MAIN
    )
    assert _lines(tmp_path, program, "DL207", monkeypatch) == _marked(program)


@pytest.mark.parametrize(
    ("made", "told", "silent"),
    [
        pytest.param("DistributedSampler(dataset)", "pass", False, id="found: nobody"),
        pytest.param("DistributedSampler(dataset)", "sampler.epoch = epoch", True, id="the attribute"),
        pytest.param(
            "DistributedSampler(dataset)", "loader.sampler.epoch = epoch", True, id="the loader's attribute"
        ),
        pytest.param(
            "DistributedSampler(dataset)", "args.epoch = epoch", False, id="found: another's attribute"
        ),
        pytest.param(
            "DistributedSampler(dataset)",
            "tell = getattr(loader.sampler, 'set_epoch', None); tell(epoch)",
            True,
            id="getattr",
        ),
        pytest.param(
            "DistributedSampler(dataset)",
            "list(map(operator.methodcaller('set_epoch', epoch), [loader.sampler]))",
            True,
            id="methodcaller",
        ),
        pytest.param(
            "DistributedSampler(dataset)", "hasattr(sampler, 'set_epoch')", False, id="found: only asked for"
        ),
        pytest.param(
            "DistributedSampler(dataset)",
            "getattr(other, 'set_epoch')(epoch)",
            False,
            id="found: another sampler is told",
        ),
        pytest.param("DistributedSampler(dataset, **kept)", "pass", True, id="options in a dict"),
        pytest.param(
            "DistributedSampler(dataset, **dict(shuffle=False))", "pass", True, id="options, dict()"
        ),
        pytest.param(
            "DistributedSampler(dataset, **dropped)", "pass", False, id="found: options without shuffle"
        ),
        pytest.param("InOrder(dataset)", "pass", True, id="its own __init__ gives shuffle=False"),
        pytest.param("InOrder(dataset, drop_last=True)", "pass", True, id="beside other options"),
        pytest.param("Placed(dataset, shuffle=True)", "pass", True, id="whatever it is given"),
        pytest.param("Placed(dataset)", "pass", True, id="by position"),
        pytest.param("Asked(dataset)", "pass", True, id="its own default"),
        pytest.param(
            "Asked(dataset, shuffle=True)", "pass", False, id="found: what it is given is passed on"
        ),
        pytest.param("Mixing(dataset)", "pass", False, id="found: its own __init__ gives shuffle=True"),
    ],
)
def test_who_tells_a_sampler_the_epoch(
    made: str, told: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
class InOrder(DistributedSampler):
    def __init__(self, dataset, **options):
        super().__init__(dataset, shuffle=False, **options)


class Placed(DistributedSampler):
    def __init__(self, dataset, shuffle=True):
        super().__init__(dataset, None, None, False)


class Asked(DistributedSampler):
    def __init__(self, dataset, shuffle=False):
        super().__init__(dataset, shuffle=shuffle)


class Mixing(DistributedSampler):
    def __init__(self, dataset):
        super().__init__(dataset, shuffle=True)


def main():
    args = argparse.ArgumentParser().parse_args()
    dataset = datasets.CIFAR10("d")
    kept = {{"shuffle": False, "drop_last": True}}
    dropped = {{"drop_last": True}}
    other = DistributedSampler(dataset, shuffle=False)
    sampler = {made}  # here
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=4)
    for epoch in range(9):
        {told}
        for images, labels in loader:
            images.sum().backward()
{_MAIN}"""
    assert _lines(tmp_path, program, "DL207", monkeypatch) == ([] if silent else _marked(program))


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        pytest.param("", "    break", True, id="left after the pass"),
        pytest.param("", "    return", True, id="returned from"),
        pytest.param(
            "",
            "except RuntimeError:\n            continue\n        else:\n            break",
            True,
            id="else",
        ),
        pytest.param("", "except RuntimeError:\n            pass\n        break", True, id="after the try"),
        pytest.param("", "    if done():\n                break", False, id="found: left in the end"),
        pytest.param("", "except RuntimeError:\n            break", False, id="found: left after an error"),
        pytest.param("for epoch in range(9):", "    break", False, id="found: a loop inside"),
    ],
)
def test_attempts_are_no_epochs(
    before: str, after: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = "" if after.startswith("except") else "        except RuntimeError:\n            pass\n"
    inner = "    " if before else ""
    program = f"""
def main(done):
    dataset = datasets.CIFAR10("d")
    sampler = DistributedSampler(dataset)  # here
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=4)
    while True:
        try:
            {before}
            {inner}for images, labels in loader:
            {inner}    images.sum().backward()
        {after}
{handler}{_MAIN}"""
    assert _lines(tmp_path, program, "DL207", monkeypatch) == ([] if silent else _marked(program))


@pytest.mark.parametrize(
    ("seed", "passed", "silent"),
    [
        pytest.param("number", "epoch", True, id="the epoch"),
        pytest.param("args.seed + epoch", "0", True, id="and a seed"),
        pytest.param("number", "args.seed", False, id="found: always the same"),
        pytest.param("7", "epoch", False, id="found: a constant"),
    ],
)
def test_a_sampler_seeded_with_the_epoch(
    seed: str, passed: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
def build(dataset, epoch, number, args):
    sampler = DistributedSampler(dataset, seed={seed})  # here
    return DataLoader(dataset, 64, sampler=sampler, num_workers=4)


def main():
    args = argparse.ArgumentParser().parse_args()
    dataset = datasets.CIFAR10("d")
    for epoch in range(9):
        for images, labels in build(dataset, epoch, {passed}, args):
            images.sum().backward()
{_MAIN}"""
    assert _lines(tmp_path, program, "DL207", monkeypatch) == ([] if silent else _marked(program))


@pytest.mark.parametrize(
    ("reading", "item", "silent"),
    [
        pytest.param("", "self.open(row[0]), row[1]", False, id="found: a label"),
        pytest.param("label = torch.tensor(int(row[1]))", "self.open(row[0]), label", False, id="found: int"),
        pytest.param(
            "label = os.path.basename(row[0]).split('_')[0]",
            "self.open(row[0]), label",
            False,
            id="found: from the name of the file",
        ),
        pytest.param("", "self.open(row[0]), self.open(row[1])", True, id="a mask"),
        pytest.param(
            "image, target = self.open(row[0]), self.open(row[1])\n"
            "        image, target = self.transform(image), self.transform(target)\n"
            "        target = torch.as_tensor(target).long()",
            "image, target",
            True,
            id="a mask, transformed",
        ),
        pytest.param(
            "image, target = self.open(row[0]), row[1]\n        image = self.transform(image)",
            "image, target",
            False,
            id="found: only the image is transformed",
        ),
        pytest.param("boxes = np.load(row[1])", "self.open(row[0]), boxes", True, id="a file of boxes"),
        pytest.param(
            "boxes = []\n        for name in row:\n            boxes.append(np.load(name))",
            "self.open(row[0]), boxes",
            True,
            id="a list of what is read",
        ),
        pytest.param("pair = self.pair(row)", "pair", True, id="a pair of a method"),
        pytest.param("data, label = self.labelled(row)", "data, label", False, id="found: of a method"),
        pytest.param("", "self.base[index]", False, id="found: another dataset's items"),
        pytest.param("image, label = self.base[index]", "label, image", True, id="turned round"),
    ],
)
def test_only_labels_need_no_reading(
    reading: str, item: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
import os
import numpy as np
from PIL import Image


class Files(Dataset):
    def __init__(self, rows, transform):
        self.rows, self.transform = rows, transform
        self.base = datasets.CIFAR10("d")

    def __len__(self):
        return len(self.rows)

    def open(self, name):
        return np.array(Image.open(name))

    def pair(self, row):
        return self.open(row[0]), self.open(row[1])

    def labelled(self, row):
        return self.open(row[0]), row[1]

    def __getitem__(self, index):
        row = self.rows[index]
        Image.open(row[0])
        {reading}
        return {item}


def main(transform):
    dataset = Files([], transform)
    weights = [1.0 / (1 + target.sum()) for _, target in dataset]  # here
    for batch in DataLoader(dataset, 8, num_workers=2):
        print(batch, weights)


main(transforms.ToTensor())
"""
    assert _lines(tmp_path, program, "DL307", monkeypatch) == ([] if silent else _marked(program))


@pytest.mark.parametrize(
    ("rest", "silent"),
    [
        pytest.param("print(target)\n        break", True, id="the first"),
        pytest.param("if target.sum() > 5:\n            break\n        print(target)", True, id="some"),
        pytest.param(
            "for each in target:\n            if each > 5:\n                break",
            False,
            id="found: an inner loop is left",
        ),
        pytest.param("print(target)", False, id="found: all"),
    ],
)
def test_a_look_at_some_labels(
    rest: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
from PIL import Image


class Files(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return Image.open(self.rows[index][0]), self.rows[index][1]


def main():
    dataset = Files([])
    for _, target in dataset:  # here
        {rest}
    for batch in DataLoader(dataset, 8, num_workers=2):
        print(batch)
{_MAIN}"""
    assert _lines(tmp_path, program, "DL307", monkeypatch) == ([] if silent else _marked(program))


@pytest.mark.parametrize(
    ("made", "name", "silent"),
    [
        ('datasets.VOCSegmentation("d")', "target", True),
        ('datasets.CIFAR10("d")', "target", False),
        ('datasets.CIFAR10("d")', "mask", True),
    ],
)
def test_masks_of_library_datasets(
    made: str, name: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
dataset = {made}
weights = [{name} for _, {name} in dataset]  # here
"""
    assert _lines(tmp_path, program, "DL307", monkeypatch) == ([] if silent else _marked(program))


_HANDED_ON = """
class Told:
    def __init__(self, sampler, size):
        self.sampler, self.size = sampler, size

    def __iter__(self):
        for index in self.sampler:
            yield [index]

    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
"""
_WRAPPED = """
class Shown(DistributedSampler):
    def __iter__(self):
        generator = torch.Generator()
        generator.manual_seed(self.epoch)
        return iter(torch.randperm(len(self.dataset), generator=generator).tolist())


class Counting(Shown):
    def __iter__(self):
        self.epoch += 1
        return super().__iter__()


class Drawing(DistributedSampler):
    def __iter__(self):
        order = list(range(self.epoch, len(self.dataset)))
        random.shuffle(order)
        return iter(order)


class Batches:
    def __init__(self, sampler, size):
        self.sampler, self.size = sampler, size

    def __iter__(self):
        for index in self.sampler:
            yield [index]


class Mixed(Batches):
    def __iter__(self):
        batches = list(super().__iter__())
        random.shuffle(batches)
        return iter(batches)


class Torchs(BatchSampler):
    def __iter__(self):
        for batch in super().__iter__():
            yield sorted(batch)


def main():
    dataset = datasets.CIFAR10("d")
    sampler = {sampler}(dataset)  # here
    batches = {batches}
    loader = DataLoader(dataset, {given}, num_workers=4)
    for epoch in range(9):
        {told}
        for images, labels in loader:
            images.sum().backward()
"""


@pytest.mark.parametrize(
    ("sampler", "batches", "told", "silent"),
    [
        pytest.param(
            "DistributedSampler", "BatchSampler(sampler, 16, False)", "pass", False, id="found: torch's"
        ),
        pytest.param(
            "DistributedSampler", "Torchs(sampler, 16, False)", "pass", False, id="found: a subclass"
        ),
        pytest.param("DistributedSampler", "Batches(sampler, 16)", "pass", False, id="found: any class"),
        pytest.param("DistributedSampler", "Mixed(sampler, 16)", "pass", True, id="batches mixed"),
        pytest.param(
            "DistributedSampler", "Told(sampler, 16)", "batches.set_epoch(epoch)", True, id="handed on"
        ),
        pytest.param(
            "DistributedSampler",
            "BatchSampler(sampler, 16, False)",
            "batches.sampler.set_epoch(epoch)",
            True,
            id="told inside",
        ),
        pytest.param(
            "DistributedSampler",
            "BatchSampler(sampler, 16, False)",
            "loader.batch_sampler.sampler.set_epoch(epoch)",
            True,
            id="told through the loader",
        ),
        pytest.param(
            "torch.utils.data.RandomSampler", "Batches(sampler, 16)", "pass", True, id="another sampler"
        ),
        pytest.param("Shown", None, "pass", False, id="found: reads the epoch"),
        pytest.param("Shown", None, "sampler.set_epoch(epoch)", True, id="reads the epoch and is told"),
        pytest.param("Counting", None, "pass", True, id="counts the epochs"),
        pytest.param("Drawing", None, "pass", True, id="draws"),
    ],
)
def test_samplers_inside_others(
    sampler: str,
    batches: str | None,
    told: str,
    silent: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = "sampler=sampler" if batches is None else "batch_sampler=batches"
    handed_on = _HANDED_ON if "Told" in str(batches) else ""
    program = (
        "import random\n"
        + handed_on
        + _WRAPPED.format(sampler=sampler, batches=batches, given=given, told=told)
        + _MAIN
    )
    assert _lines(tmp_path, program, "DL207", monkeypatch) == ([] if silent else _marked(program))


def test_a_function_that_trains_and_evaluates_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = "\ndef {name}(loader, model):\n    for images, _ in loader:\n        learn(model, images)\n"
    for name, trains in (("train_and_evaluate", True), ("evaluate", False)):
        program = _STEP + run.format(name=name) + _EPOCHS.format(call=f"{name}(loader, model)") + _MAIN
        assert _lines(tmp_path, program, "DL207", monkeypatch) == (_marked(program) if trains else [])


def test_set_epoch_is_not_called_on_what_holds_the_sampler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line, fixed in (
        ("loader = DataLoader(dataset, 64, sampler=DistributedSampler(dataset))", False),
        ("sampler = DistributedSampler(dataset); loader = DataLoader(dataset, 64, sampler=sampler)", True),
    ):
        program = (
            f"\ndataset = datasets.CIFAR10('d')\n{line}\n"
            "for epoch in range(9):\n    for images, labels in loader:\n        images.sum().backward()\n"
        )
        (tmp_path / "program.py").write_text(_HEAD + program)
        monkeypatch.chdir(tmp_path)
        [finding] = engine.check([Path()], Settings(select=("DL207",))).findings
        assert (finding.remedy is not None) is fixed


_ITERATED = """
import prefetch_generator


class Background(DataLoader):
    def __iter__(self):
        return prefetch_generator.BackgroundGenerator(super().__iter__())


class Moved:
    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        for batch in self.loader:
            yield batch


class From(Moved):
    def __iter__(self):
        yield from self.loader


class Handed(Moved):
    def __iter__(self):
        return iter(self.loader)


class Stepped(Moved):
    def __iter__(self):
        self.batches = None
        return self

    def __next__(self):
        return self.following()

    def following(self):
        if self.batches is None:
            self.batches = iter(self.loader)
        return next(self.batches)


class Listed(Moved):
    def __iter__(self):
        return iter([len(self.loader)])


dataset = datasets.CIFAR10("d")
sampler = DistributedSampler(dataset)
loader = {made}(dataset, 64, sampler=sampler, num_workers=4)
for epoch in range(9):
    for batch in {over}:  # here
        batch[0].sum().backward()
"""


@pytest.mark.parametrize(
    ("made", "over", "silent"),
    [
        pytest.param("Background", "loader", False, id="found: a loader with an __iter__ of its own"),
        pytest.param("DataLoader", "Moved(loader)", False, id="found: a wrapper"),
        pytest.param(
            "DataLoader", "enumerate(Moved(Handed(loader)))", False, id="found: wrappers in wrappers"
        ),
        pytest.param("DataLoader", "From(loader)", False, id="found: yield from"),
        pytest.param("DataLoader", "Handed(loader)", False, id="found: iter"),
        pytest.param("DataLoader", "Stepped(loader)", False, id="found: __next__"),
        pytest.param("DataLoader", "Listed(loader)", True, id="a wrapper that goes over something else"),
    ],
)
def test_loaders_inside_what_is_gone_through(
    made: str, over: str, silent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _ITERATED.format(made=made, over=over)
    found = _lines(tmp_path, program, "DL402", monkeypatch)
    assert found == ([] if silent else _marked(program))
    assert bool(_lines(tmp_path, program, "DL207", monkeypatch)) is not silent


def test_a_loader_that_may_keep_its_workers_is_no_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _ITERATED.format(made="Background", over="loader") + "\nwhile True:\n    next(iter(loader))\n"
    assert _lines(tmp_path, program, "DL306", monkeypatch) == []


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
{_MAIN}"""
    assert _lines(tmp_path, program, "DL306", monkeypatch) == ([] if silent else _marked(program))


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
    ],
)
def test_restarts_in_a_loop(body: str, places: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _RESTARTED.format(loaders=_LOADERS, body=body) + _MAIN
    assert len(_marked(program)) == places
    assert _lines(tmp_path, program, "DL306", monkeypatch) == _marked(program)


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
            "    for step in range(99):\n        if step > 5:\n            print(first(loader))\n",
            [],
            id="a test",
        ),
        pytest.param(
            "    for step in range(99):\n        made = DataLoader(datasets.CIFAR10('d'), num_workers=2)\n"
            "        print(first(made))\n",
            [],
            id="made anew",
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
    program = _RESTARTED.format(loaders=_LOADERS, body=body) + _MAIN
    lines = [program.split("\n")[line - 1] for line in _lines(tmp_path, program, "DL306", monkeypatch)]
    assert [line.strip() for line in lines] == [f"return next(iter({name}))" for name in found]


@pytest.mark.parametrize(
    ("call", "starts"),
    [
        pytest.param("trainer.fit(model, loader)", True, id="found: fit"),
        pytest.param("trainer.fit(model, train_dataloaders=loader)", True, id="found: a keyword"),
        pytest.param("trainer.test(model, dataloaders=[loader])", True, id="found: a list"),
        pytest.param("trainer.fit(model)", False, id="no loader"),
        pytest.param("trainer.fit(model, plain)", False, id="no workers"),
        pytest.param("trainer.tune(model, loader)", False, id="another method"),
        pytest.param("other.fit(model, loader)", False, id="another object"),
        pytest.param("if __name__ == '__main__': trainer.fit(model, loader)", False, id="guarded"),
    ],
)
def test_a_library_that_goes_through_a_loader(
    call: str, starts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
import lightning.pytorch as pl
import models

loader = DataLoader(datasets.CIFAR10("d"), 64, num_workers=4)
plain = DataLoader(datasets.CIFAR10("d"), 64)
trainer, model, other = pl.Trainer(max_epochs=1), models.make(), models.other()
{call}  # here
"""
    assert _lines(tmp_path, program, "DL402", monkeypatch) == (_marked(program) if starts else [])
