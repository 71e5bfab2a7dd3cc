"""How many workers the loaders of transformers' Trainer have, told by what it is given as ``args``."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine import check
from dlint.settings.settings import Settings

_HEAD = "import yaml\nfrom transformers import HfArgumentParser, Trainer, TrainingArguments\n\n"
_TRAINER = "Trainer(None, {}, data_collator=lambda rows: rows, train_dataset=[1]).train()\n"
_ASKED = "the option dataloader_num_workers is above 0 (its default is 0) and "
_NOT_FORKED = "workers are not forked (macOS, Windows, Python 3.14)"

# The program before the trainer, its args, and the condition of what is found; None where nothing is.
_PROGRAMS = {
    "given": ("", "TrainingArguments('out', dataloader_num_workers=2)", _NOT_FORKED),
    "not given": ("", "TrainingArguments('out')", None),
    "none": ("", "None", None),
    "in a dict": (
        "known = {'dataloader_num_workers': 2}\n",
        "TrainingArguments('out', **known)",
        _NOT_FORKED,
    ),
    "not in a dict": ("known = {'max_steps': 2}\n", "TrainingArguments('out', **known)", None),
    "read from a file": (
        "",
        "TrainingArguments(**yaml.safe_load(open('a.yaml')))",
        _ASKED + _NOT_FORKED,
    ),
    "of whom nobody knows": ("from elsewhere import args\n", "args", _ASKED + _NOT_FORKED),
    "by the command line": (
        "(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n",
        "args",
        _ASKED + _NOT_FORKED,
    ),
    "set later": (
        "args = TrainingArguments('out')\nargs.dataloader_num_workers = 2\n",
        "args",
        _NOT_FORKED,
    ),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_the_condition_of_what_is_found(name: str, tmp_path: Path) -> None:
    before, args, expected = _PROGRAMS[name]
    program = tmp_path / "program.py"
    program.write_text(_HEAD + before + _TRAINER.format(args))
    (tmp_path / "pyproject.toml").write_text("")
    report = check([program], Settings(select=("DL401",)))
    assert [finding.condition for finding in report.findings] == ([] if expected is None else [expected])
