"""What is asked, and in which order, does not hang on the seed of Python's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dlint

PROGRAM = """\
import random

from torch.utils.data import DataLoader, Dataset


class Scale:
    def __init__(self, most):
        self.most = most

    def __call__(self, item):
        random.seed(7)
        return item * random.random() * self.most


class Rows(Dataset):
    def __init__(self, rows, options):
        self.rows, self.options = rows, options
        self.first = self.second = self.third = self.fourth = None

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        item = self.rows[index]
        for change in (self.first, self.second, self.third, self.fourth):
            if change is not None:
                item = change(item)
        return item


def chosen(kind, most):
    return Scale(most) if kind == "scale" else None


def load(rows, options):
    for each in (Rows(rows, options), Rows(rows, dict(options))):
        each.fourth = chosen(options["fourth"], 4)
        each.second = chosen("scale", options.get("most", 2))
        each.first = Scale(1)
        each.third = chosen(options["third"], 3)
        yield DataLoader(each, num_workers=options["workers"])


def others(rows, options):
    alike = [Rows(rows, options), Rows(rows, options)]
    alike[0].first, alike[1].third = Scale(5), chosen(options["kind"], 6)
    return [DataLoader(each, num_workers=2) for each in alike]
"""

# What was asked, in the order in which the answers came: by numbers that things get as they are come to, and
# not by addresses.
RUN = """\
import sys
from hashlib import sha256
from pathlib import Path
from dlint import engine
from dlint.analysis.kept import Kept
from dlint.settings.settings import Settings

class Order(Kept):
    def keep(self, program, *about):
        for mark, outcomes in program.evaluator._known.items():
            named = [part for part in mark if isinstance(part, str) or (isinstance(part, int) and part < 1e6)]
            order.update(repr((named, len(outcomes))).encode())

order = sha256()
report = engine.check([Path(sys.argv[1])], Settings(), kept=Order())
print(order.hexdigest(), [(finding.code, finding.line) for finding in report.findings])
"""


def test_the_same_is_asked_under_every_seed(tmp_path: Path) -> None:
    file = tmp_path / "load.py"
    file.write_text(PROGRAM)
    home = str(Path(dlint.__file__).parent.parent)

    told = {
        subprocess.run(
            [sys.executable, "-P", "-c", RUN, str(file)],
            env={**os.environ, "PYTHONPATH": home, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(1, 7)
    }

    assert len(told) == 1
    assert "DL" in told.pop()
