"""What `__getstate__` leaves out of pickles, and what goes along all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import check

_PROGRAM = """\
import copy

import h5py
from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __getstate__(self):
        state = self.__dict__.copy()
        state["other"] = None
        return state


class Pairs({base}):
    def __init__(self, text, video):
        self.text = h5py.File(text, "r")
        self.video = h5py.File(video, "r")
        self.other = h5py.File(video, "r")

    def __getstate__(self):
{body}

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.text[index], self.video[index], self.other[index]


def main():
    for batch in DataLoader(Pairs("a.h5", "b.h5"), num_workers=2, multiprocessing_context="spawn"):
        print(batch)


if __name__ == "__main__":
    main()
"""
_ALL = ["other", "text", "video"]


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("return self.__dict__", _ALL),
        ("return dict(self.__dict__)", _ALL),
        ("state = self.__dict__.copy()\ndel state['text']\nreturn state", ["other", "video"]),
        ("state = dict(self.__dict__)\nstate.pop('text', None)\nreturn state", ["other", "video"]),
        ("state = copy.copy(self.__dict__)\nstate['text'] = state['video'] = None\nreturn state", ["other"]),
        ("state = {**self.__dict__}\nstate.update(text=None)\nreturn state", ["other", "video"]),
        ("'''Text'''\nreturn {**self.__dict__, 'text': None}", ["other", "video"]),
        ("return dict(self.__dict__, text=None, video=None)", ["other"]),
        ("return {k: v for k, v in self.__dict__.items() if k != 'text'}", ["other", "video"]),
        ("return {k: v for k, v in vars(self).items() if k not in ('text', 'video')}", ["other"]),
        (
            "state = self.__dict__.copy()\nfor name in ('text', 'video'):\n    state[name] = None\nreturn state",
            ["other"],
        ),
        (
            "state = self.__dict__.copy()\nif 'text' in state:\n    del state['text']\nreturn state",
            ["other", "video"],
        ),
        ("self.text = None\nreturn self.__dict__", ["other", "video"]),
        ("state = super().__getstate__()\nstate['text'] = None\nreturn state", ["video"]),
        # What cannot be seen is the class's own affair.
        ("self.close()\nreturn self.__dict__", []),
        ("return {k: v for k, v in self.__dict__.items() if k in self.sent}", []),
        ("return {k: v for k, v in self.__dict__.items() if not callable(v)}", []),
        ("state = self.__dict__.copy()\nfor name in self.left:\n    del state[name]\nreturn state", []),
        ("state = self.__dict__.copy()\nclean(state)\nreturn state", []),
        ("return self.text.filename, self.video.filename", []),
        ("return {'path': self.path}", []),
    ],
)
def test_what_is_sent(tmp_path: Path, body: str, sent: list[str]) -> None:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    base = "Base" if "super()" in body else "Dataset"
    report = check(tmp_path, {"program.py": _PROGRAM.format(base=base, body=lines)}, "DL403")
    assert sorted(each.message.split(" ")[0].removeprefix("Pairs.") for each in report.findings) == sent
