"""Options that classes declare by objects: the default holds until somebody asks for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler


class Option:
    def __init__(self, default=None, help=""):
        self.default = default
        self.help = help
{more}

"""
_METACLASS = """class Declares(type):
    def __new__(cls, name, bases, space):
        made = super().__new__(cls, name, bases, space)
        made.options = {k: v.default for k, v in space.items() if isinstance(v, Option)}
        return made


class Base(metaclass=Declares):
    def __init__(self, **given):
        for key, value in self.options.items():
            setattr(self, key, given.get(key, value))


"""
_SUBCLASS = """class Base:
    def __init_subclass__(cls):
        cls.options = {k: v.default for k, v in vars(cls).items() if isinstance(v, Option)}

    def __init__(self, **given):
        self.__dict__.update({**self.options, **given})


"""
_GET = """
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return instance.__dict__.get(self.name, self.default)
"""
_PLAIN = "class Base:\n    pass\n\n\n"
_FEED = """class Feed(Base):
    workers = Option(2)
    drop_last = Option({default})

    def open(self, rows):
        order = BatchSampler(SequentialSampler(rows), 4, False)
        return DataLoader(rows, batch_sampler=order, num_workers=self.workers, drop_last=self.drop_last)


"""


def _codes(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=("DL302",), start_method="fork"))
    assert not report.troubles
    return [each.code for each in report.findings]


@pytest.mark.parametrize("base", [_METACLASS, _SUBCLASS, _PLAIN], ids=["metaclass", "subclass", "descriptor"])
@pytest.mark.parametrize(
    ("default", "made", "found"),
    [
        ("True", "Feed().open(torch.arange(8))", True),
        ("default=True, help='all but the last'", "Feed(workers=0).open(torch.arange(8))", True),
        ("False", "Feed().open(torch.arange(8))", False),
        ("None", "Feed().open(torch.arange(8))", False),
        ("True", "Feed(drop_last=False).open(torch.arange(8))", False),
        ("True", "feed = Feed()\nfeed.drop_last = False\nfeed.open(torch.arange(8))", False),
        (
            "True",
            "def tune(feed):\n    feed.drop_last = False\n\n\nfeed = Feed()\ntune(feed)\nfeed.open(torch.arange(8))",
            False,
        ),
    ],
)
def test_a_declared_option(tmp_path: Path, base: str, default: str, made: str, found: bool) -> None:
    text = (
        _HEAD.format(more=_GET if base is _PLAIN else "") + base + _FEED.format(default=default) + made + "\n"
    )
    if base is _PLAIN:
        text = text.replace(
            "    pass\n", "    def __init__(self, **given):\n        self.__dict__.update(given)\n"
        )
    assert _codes(tmp_path, text) == ["DL302"] * found


def test_an_object_that_declares_nothing(tmp_path: Path) -> None:
    text = _HEAD.format(more="") + _PLAIN + _FEED.format(default="True") + "Feed().open(torch.arange(8))\n"
    assert _codes(tmp_path, text) == []


def test_an_heir_declares_it_anew(tmp_path: Path) -> None:
    text = _HEAD.format(more="") + _METACLASS + _FEED.format(default="True")
    text += "class Whole(Feed):\n    drop_last = Option(False)\n\n\nWhole().open(torch.arange(8))\n"
    assert _codes(tmp_path, text) == []
