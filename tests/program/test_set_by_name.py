"""Attributes that objects get by names that their class does not show: settings, as keywords or as a dict."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.sources import probed

_PROGRAM = """\
class Configured:
    def __init__(self, {values}):
        {sets}


class Feed(Configured):
    dataset = None
    workers = 4

    def open(self):
        probe(self.dataset, self.workers)


Feed({given}).open()
"""
_LOOP = "for name, value in values.items():\n            setattr(self, name, value)"
_KEYS = "for name in values:\n            setattr(self, name, values[name])"


@pytest.mark.parametrize(
    ("values", "sets", "given", "expected"),
    [
        ("**values", _LOOP, 'dataset="a", workers=2', ["'a', 2"]),
        ("**values", _KEYS, 'dataset="a", workers=2', ["'a', 2"]),
        ("**values", "self.__dict__.update(values)", 'dataset="a", workers=2', ["'a', 2"]),
        ("**values", "vars(self).update(**values)", 'dataset="a", workers=2', ["'a', 2"]),
        ("values", _LOOP, '{"dataset": "a", "workers": 2}', ["'a', 2"]),
        # What is not given stays what the class says.
        ("**values", _LOOP, 'dataset="a"', ["'a', 4"]),
        ("**values", "self.__dict__.update(values)", "workers=0", ["None, 0"]),
        # What is set on a condition may be either, what nobody knows may be anything.
        (
            "strict, **values",
            "for name, value in values.items():\n            if strict or name in KNOWN:\n"
            "                setattr(self, name, value)",
            "STRICT, workers=2",
            ["None, 2", "None, 4"],
        ),
        ("**values", _LOOP, "dataset='a', **OTHERS", ["?, ?"]),
        ("values", "self.__dict__.update(values)", "OTHERS", ["?, ?"]),
    ],
)
def test_set_by_name(values: str, sets: str, given: str, expected: list[str], tmp_path: Path) -> None:
    text = _PROGRAM.format(values=values, sets=sets, given=given)
    assert probed(tmp_path, {"main.py": text}) == expected


def test_what_one_object_was_given_is_not_what_another_has(tmp_path: Path) -> None:
    text = _PROGRAM.format(values="**values", sets=_LOOP, given="workers=2")
    files = {"main.py": text.replace(".open()", ""), "other.py": "def use(feed):\n    feed.open()\n"}
    assert probed(tmp_path, files) == ["?, ?"]
