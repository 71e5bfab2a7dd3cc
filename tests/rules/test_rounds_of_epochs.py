"""Which loop's rounds are the epochs of a sampler, and why none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.finding import Finding
from dlint.settings.settings import Settings

_HEAD = """from torch.utils.data import DataLoader, DistributedSampler


def make(data):
    return DataLoader(data, sampler=DistributedSampler(data), num_workers=2)


def once(loader, model):
    for batch in loader:
        model.backward(batch)


def show(loader):
    print(next(iter(loader)))


"""
_FIT = """
def fit(loader, model):
    for epoch in range(9):  # of fit
        once(loader, model)


"""
_TRAINER = """
class Trainer:
    def __init__(self, data, model):
        self.loader = make(data)
        self.model = model

    def run(self):
        for epoch in range(9):  # of Trainer
            once(self.loader, self.model)


"""


@pytest.mark.parametrize(
    ("main", "loop"),
    [
        pytest.param("for fold in folds:\n    fit(make(data), model)\n", "of fit", id="a sampler a fold"),
        pytest.param(
            "for fold in folds:\n    Trainer(fold, model).run()\n", "of Trainer", id="a trainer a fold"
        ),
        pytest.param(
            "sampler = DistributedSampler(data)\n"
            "loaders = {'train': DataLoader(data, sampler=sampler), 'val': DataLoader(data)}\n"
            "for epoch in range(9):  # here\n"
            "    for phase in ('train', 'val'):\n"
            "        once(loaders[phase], model)\n",
            "here",
            id="a loader a phase",
        ),
        pytest.param(
            "loader = make(data)\n"
            "for epoch in range(9):  # here\n"
            "    batches = iter(loader)\n"
            "    for step in range(len(loader)):\n"
            "        model.backward(next(batches))\n",
            "here",
            id="an iterator an epoch",
        ),
        pytest.param(
            "loader = make(data)\n"
            "while True:\n"
            "    try:\n"
            "        for epoch in range(9):  # here\n"
            "            once(loader, model)\n"
            "        break\n"
            "    except RuntimeError:\n"
            "        pass\n",
            "here",
            id="attempts",
        ),
        pytest.param(
            "other = DataLoader(data)\n"
            "fit(other, model)\n"
            "loader = make(data)\n"
            "for epoch in range(9):  # here\n"
            "    once(loader, model)\n",
            "here",
            id="another loader in another loop",
        ),
        pytest.param(
            "loader, other = make(data), make(folds)\n"
            "for epoch in range(9):  # here\n"
            "    for batch in loader:\n"
            "        model.backward(batch)\n"
            "        if model.steps % 100 == 0:\n"
            "            print(next(iter(other)))\n"
            "    show(other)\n",
            "here",
            id="looks at another loader that the same function makes",
        ),
    ],
)
def test_a_loop_is_found_whose_rounds_are_the_epochs(tmp_path: Path, main: str, loop: str) -> None:
    finding, text = _judged(tmp_path, main)
    assert finding.remedy is not None
    line = finding.remedy.data["line"]
    assert text.splitlines()[line - 1].endswith(f"# {loop}")


@pytest.mark.parametrize(
    ("main", "why"),
    [
        pytest.param(
            "loader = make(data)\nfor rate in rates:\n    for epoch in range(9):\n        once(loader, model)\n",
            "begins again with the same sampler",
            id="rates around the epochs",
        ),
        pytest.param(
            "loader = make(data)\nfor rate in rates:\n    fit(loader, model)\n",
            "begins again with the same sampler",
            id="rates around the call",
        ),
        pytest.param(
            "trainer = Trainer(data, model)\nfor rate in rates:\n    trainer.run()\n",
            "begins again with the same sampler",
            id="rates around the trainer",
        ),
        pytest.param(
            "loader = make(data)\nfor epoch in range(9):\n    for _ in range(3):\n        once(loader, model)\n",
            "goes through the loader more than once",
            id="passes in an epoch",
        ),
        pytest.param(
            "loader = make(data)\n"
            "batches = iter(loader)\n"
            "for step in range(900):\n"
            "    try:\n"
            "        batch = next(batches)\n"
            "    except StopIteration:\n"
            "        batches = iter(loader)\n"
            "        batch = next(batches)\n"
            "    model.backward(batch)\n",
            "goes on from batch to batch",
            id="steps that begin again",
        ),
        pytest.param(
            "loader = make(data)\nfor step in range(900):\n    model.backward(next(iter(loader)))\n",
            "goes on from batch to batch",
            id="a batch a step",
        ),
        pytest.param(
            "loader = make(data)\nfor epoch in range(9):\n    once(loader, model)\n"
            "for step in range(900):\n    model.backward(next(iter(loader)))\n",
            "goes on from batch to batch",
            id="a batch a step, after a pass an epoch",
        ),
        pytest.param(
            "loader = make(data)\nfor epoch in range(9):\n    once(loader, model)\nfit(loader, model)\n",
            "several loops go through the loader",
            id="two trainings",
        ),
        pytest.param("fit(make(data), model)\nTrainer(data, model).run()\n", "several loops", id="one maker"),
        pytest.param(
            "loader = make(data)\nfor a in range(9):\n    for b in range(9):\n        once(loader, model)\n",
            "none speaks of epochs",
            id="loops without a word",
        ),
        pytest.param(
            "loader, other = make(data), make(folds)\n"
            "for epoch in range(9):\n"
            "    once(loader, model)\n"
            "    once(other, model)\n",
            "loader and other have such a sampler each",
            id="two loaders of one function",
        ),
    ],
)
def test_where_no_loop_is_sure_the_reason_says_what_to_do(tmp_path: Path, main: str, why: str) -> None:
    finding, _ = _judged(tmp_path, main)
    assert finding.remedy is None
    assert finding.by_hand is not None
    assert why in finding.by_hand
    assert "set_epoch" in finding.by_hand


@pytest.mark.parametrize(
    ("made", "other"),
    [
        pytest.param("make(folds, shuffled=False)", "held", id="in order"),
        pytest.param("make(folds)", "test_data", id="by its name"),
        pytest.param("None if folds is None else make(folds, False)", "held", id="perhaps none"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_of_the_loaders_of_one_function_the_one_that_trains_is_told(
    tmp_path: Path, made: str, other: str, first: bool
) -> None:
    passes = ["once(loader, model)", f"if {other} is not None:\n        once({other}, model)"]
    rounds = "".join(f"    {each}\n" for each in (passes if first else passes[::-1]))
    main = f"{other}, loader = {made}, make(data)\nfor epoch in range(9):\n{rounds}"
    finding, _ = _judged(
        tmp_path,
        main,
        _HEAD.replace("(data):", "(data, shuffled=True):", 1).replace(
            "Sampler(data)", "Sampler(data, shuffle=shuffled)"
        ),
    )
    assert finding.remedy is not None
    assert finding.remedy.data["loader"] == "loader"


def _judged(tmp_path: Path, main: str, head: str = _HEAD) -> tuple[Finding, str]:
    body = "".join(f"    {line}\n" for line in main.splitlines())
    parts = [part for name, part in (("fit(", _FIT), ("Trainer(", _TRAINER)) if name in main]
    text = f"{head}{''.join(parts)}def main(data, model, folds, rates):\n{body}\n\nmain(object(), None, [], [])\n"
    (tmp_path / "train.py").write_text(text)
    found = engine.check([tmp_path], Settings(select=("DL207",))).findings
    assert len(found) == 1
    return found[0], text
