"""Arguments that conflict must come together on one way: beyond so many ways an answer keeps only what all of
them have in common, and what two such answers give need not be the same way."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_BRAIN = """from torch.utils.data import DataLoader

try:
    import webdataset

    WEB = webdataset.WebDataset
except ImportError:
    WEB = None


class Shuffled:
    def __init__(self, data):
        self.data = data


def loader_of(dataset, **options):
    if options.get("shuffle", False):
        options["sampler"] = Shuffled(dataset)
        del options["shuffle"]
    if WEB is not None and isinstance(dataset, WEB) and "batch_size" not in options:
        options["batch_size"] = None
    return DataLoader(dataset, **options)


class Brain:
    def __init__(self, run):
        self.spread = run.spread

    def specific(self, dataset, options):
        sampler = options.get("sampler", None)
        if options.get("shuffle", False):
            if sampler is not None:
                raise ValueError("both")
            sampler = Shuffled(dataset)
            options["sampler"] = sampler
            del options["shuffle"]
        if self.spread:
            if sampler is not None:
                options["shuffle"] = False
                options["sampler"] = Shuffled(sampler)
            elif options.get("batch_sampler") is None:
                options["shuffle"] = False
                options["sampler"] = Shuffled(dataset)
            else:
                options["batch_sampler"] = Shuffled(options["batch_sampler"])
        return options

    def make(self, dataset, stage, **options):
        if stage == "train":
            options = self.specific(dataset, options)
        return loader_of(dataset, **options)

    def fit(self, train, valid=None, train_options={}, valid_options={}):
        for batch in self.make(train, "train", **train_options):
            print(batch)
        if valid is not None:
            for batch in self.make(valid, "valid", **valid_options):
                print(batch)
"""
_KNOWN = """from brain import Brain


def run(settings, data):
    Brain(settings).fit(data, train_options={"batch_size": 8, "drop_last": True, "shuffle": False})
"""
_UNKNOWN = """from brain import Brain


def run(settings, data, options):
    Brain(settings).fit(data, None, options["train"], options["valid"])
"""


def _codes(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    report = engine.check([folder], Settings(select=("DL301", "DL302", "DL304")))
    assert not report.troubles
    return [finding.code for finding in report.findings]


def test_what_two_callers_give_does_not_come_together(tmp_path: Path) -> None:
    assert _codes(tmp_path, {"brain.py": _BRAIN, "known.py": _KNOWN, "unknown.py": _UNKNOWN}) == []


@pytest.mark.parametrize(("workers", "found"), [("0", ["DL304"]), ("2", [])])
def test_an_option_beside_what_the_call_says(tmp_path: Path, workers: str, found: list[str]) -> None:
    # More ways lead to the call than are told apart; what it says itself holds on all of them.
    ways = "".join(f"    if args.a{n}:\n        rows = rows + [{n}]\n" for n in range(12))
    text = (
        "import argparse\n\nfrom torch.utils.data import DataLoader\n\n\ndef main(rows):\n"
        "    parser = argparse.ArgumentParser()\n"
        f"    parser.add_argument('--workers', type=int, default={workers})\n"
        "    args = parser.parse_args()\n"
        f"{ways}"
        "    if args.debug:\n        args.workers = int(args.debug)\n"
        "    return DataLoader(rows, num_workers=args.workers, persistent_workers=True)\n"
    )
    assert _codes(tmp_path, {"program.py": text}) == found


_SHARED = """from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def loader_of(rows, spread, shuffled):
    if spread:
        sampler = DistributedSampler(rows)
    else:
        sampler = None
    return DataLoader(rows, sampler=sampler, shuffle=shuffled), sampler
"""
_PROGRAM = """import os

from shared import loader_of
from rows import ROWS


def main(args):
    spread = not args.alone and int(os.environ.get("WORLD_SIZE", 1)) > 1
    return [{calls}]


if __name__ == "__main__":
    main(None)
"""


@pytest.mark.parametrize(("shuffled", "found"), [("True", ["DL301"]), ("False", [])])
def test_one_of_many_callers_gives_both(tmp_path: Path, shuffled: str, found: list[str]) -> None:
    # The ways to the sampler are so many that only what they share is kept; one of them is this caller's.
    calls = ", ".join(f"loader_of(ROWS, spread, {each})[0]" for each in ("False", shuffled, "False"))
    files = {f"program{n}.py": _PROGRAM.format(calls=calls) for n in range(2)}
    assert _codes(tmp_path, {"shared.py": _SHARED, "rows.py": "ROWS = [1]\n", **files}) == found
