"""Beside a batch sampler that every way to a loader gives it, what raises no error is what the loader has by
itself: then the arguments that the sampler replaces can go, whatever an option makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_BEFORE = """import argparse

from torch.utils.data import BatchSampler, DataLoader, RandomSampler


class Eights(DataLoader):
    def __init__(self, data, batch_size=8, batch_sampler=None):
        super().__init__(data, batch_size=batch_size, batch_sampler=batch_sampler)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--group", action="store_true")
    return parser.parse_args()


def main(data):
    args = options()
    batches = BatchSampler(RandomSampler(data), args.size, False)
"""


@pytest.mark.parametrize(
    ("body", "goes"),
    [
        ("    return DataLoader(data, batch_sampler=batches, batch_size=args.size)\n", ["batch_size"]),
        (
            "    if args.group:\n"
            "        return DataLoader(data, batch_size=args.size, batch_sampler=batches)\n"
            "    return DataLoader(data, batch_size=args.size)\n",
            ["batch_size"],
        ),
        # Without a group the batch sampler is None, and the size counts.
        (
            "    if not args.group:\n"
            "        batches = None\n"
            "    return DataLoader(data, batch_sampler=batches, batch_size=args.size)\n",
            None,
        ),
        # The class would make it 8.
        ("    return Eights(data, batch_sampler=batches, batch_size=args.size)\n", None),
        ("    return Eights(data, batch_sampler=batches, batch_size=32)\n", None),
    ],
)
def test_what_can_go(body: str, goes: list[str] | None, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(_BEFORE + body, encoding="utf-8")
    (finding,) = engine.check([tmp_path], Settings(select=("DL302",))).findings
    assert (finding.remedy.data["arguments"] if finding.remedy is not None else None) == goes
