"""Who tells a sampler the epoch, in the shapes that real programs give it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

from .training_programs import HEAD, ITERATED, MAIN, lines_of, marked

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
    program = _STEP + function + _EPOCHS.format(call=call) + MAIN
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == (marked(program) if trains else [])


def test_a_program_that_only_evaluates_needs_no_epochs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "\ndef extract(loader, model):\n    for images, _ in loader:\n        model(images)\n"
        + _EPOCHS.format(call="extract(loader, model.eval())")
        + MAIN
    )
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == []
    assert lines_of(tmp_path, _STEP + program, "DL207", monkeypatch) == marked(_STEP + program)


def test_evaluation_elsewhere_says_nothing_of_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts.py").write_text(
        "import torch\n\n\n@torch.no_grad()\ndef gather(scores):\n    return scores\n"
    )
    program = (
        "\nimport parts\n\n\ndef run(loader, model):\n    for images, _ in loader:\n        model.feed(images)\n"
        + _EPOCHS.format(call="run(loader, make(model))")
        + MAIN
    )
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == marked(program)


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
{MAIN}"""
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == ([] if silent else marked(program))


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
{handler}{MAIN}"""
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == ([] if silent else marked(program))


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
{MAIN}"""
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == ([] if silent else marked(program))


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
        + MAIN
    )
    assert lines_of(tmp_path, program, "DL207", monkeypatch) == ([] if silent else marked(program))


def test_a_function_that_trains_and_evaluates_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = "\ndef {name}(loader, model):\n    for images, _ in loader:\n        learn(model, images)\n"
    for name, trains in (("train_and_evaluate", True), ("evaluate", False)):
        program = _STEP + run.format(name=name) + _EPOCHS.format(call=f"{name}(loader, model)") + MAIN
        assert lines_of(tmp_path, program, "DL207", monkeypatch) == (marked(program) if trains else [])


def test_set_epoch_is_not_called_on_what_holds_the_sampler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = (
        "class Pairs:\n    def __init__(self, inner):\n        self.inner = inner\n"
        "    def __iter__(self):\n        yield from ([i] for i in self.inner)\n"
    )
    for line, fixed in (
        (f"{pairs}loader = DataLoader(dataset, batch_sampler=Pairs(DistributedSampler(dataset)))", False),
        (
            "loader = DataLoader(dataset, batch_sampler=BatchSampler(DistributedSampler(dataset), 64, 0))",
            True,
        ),
        ("loader = DataLoader(dataset, 64, sampler=DistributedSampler(dataset))", True),
        ("sampler = DistributedSampler(dataset); loader = DataLoader(dataset, 64, sampler=sampler)", True),
    ):
        program = (
            "from torch.utils.data import BatchSampler\n"
            f"\ndataset = datasets.CIFAR10('d')\n{line}\n"
            "for epoch in range(9):\n    for images, labels in loader:\n        images.sum().backward()\n"
        )
        (tmp_path / "program.py").write_text(HEAD + program)
        monkeypatch.chdir(tmp_path)
        [finding] = engine.check([Path()], Settings(select=("DL207",))).findings
        assert (finding.remedy is not None) is fixed


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
    program = ITERATED.format(made=made, over=over)
    found = lines_of(tmp_path, program, "DL402", monkeypatch)
    assert found == ([] if silent else marked(program))
    assert bool(lines_of(tmp_path, program, "DL207", monkeypatch)) is not silent


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
    assert lines_of(tmp_path, program, "DL402", monkeypatch) == (marked(program) if starts else [])


@pytest.mark.parametrize(
    ("using", "found"),
    [
        ("import mmcv\n\nrows = mmcv.load('rows.pkl')\n", True),
        ("from mmcv.runner import EpochBasedRunner\n", False),
        ("from accelerate.utils import set_seed\n\nset_seed(1)\n", True),
        ("from accelerate import Accelerator\n", False),
        ("from pytorch_lightning.utilities import rank_zero_only\n", True),
        ("import pytorch_lightning as pl\n\npl.Trainer()\n", False),
    ],
)
def test_a_library_counts_where_its_loops_are_used(
    using: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""{using}
import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(model, optimiser):
    data = TensorDataset(torch.load("x"), torch.load("y"))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=2)
    for epoch in range(30):
        for x, y in loader:
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimiser.step()
"""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    findings = engine.check([Path()], Settings(select=("DL207",))).findings
    assert bool(findings) == found
