"""Options of a loader in a dict that is filled along many branches: each entry is asked for by its own key.

A comment ``# <- CODE`` in a program marks a line where a finding must be; there must be no other of the codes
asked for.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_CODES = ("DL202", "DL204", "DL301", "DL302")
_HEAD = """import numpy as np
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class Noisy(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return self.rows[index] + np.random.rand()


def seed_all(worker):
    np.random.seed(make_seed(worker))


def build(rows, args, sampler=None):
"""
# Branches enough that the dict in all its states is more than is told apart.
_MANY = "".join(
    f"    if args.{name}:\n        options['{name}'] = {value}\n"
    for name, value in [
        ("pin_memory", True),
        ("in_order", False),
        ("pin_memory_device", "args.device"),
        ("collate_fn", "args.collate"),
        ("generator", "args.generator"),
    ]
)
_END = "    return DataLoader(Noisy(rows), **options)"
_PROGRAMS = {
    "workers in one of two branches": "    if args.train:\n        options = dict(num_workers=4)\n    else:\n"
    "        options = {'num_workers': 0}\n" + _MANY + _END + "  # <- DL202\n",
    "workers in no branch": "    if args.train:\n        options = dict(num_workers=0)\n    else:\n"
    "        options = {}\n" + _MANY + _END + "\n",
    "taken back": "    options = dict(num_workers=4)\n"
    + _MANY
    + "    options['num_workers'] = 0\n"
    + _END
    + "\n",
    "taken out": "    options = dict(num_workers=4)\n"
    + _MANY
    + "    options.pop('num_workers')\n"
    + _END
    + "\n",
    "deleted in the end": "    options = {'num_workers': 4}\n"
    + _MANY
    + "    del options['num_workers']\n"
    + _END
    + "\n",
    "updated": "    options = {}\n" + _MANY + "    options.update(num_workers=2)\n" + _END + "  # <- DL202\n",
    "updated with others": "    options = {'num_workers': 0}\n"
    + _MANY
    + "    options.update({'batch_size': 4}, shuffle=True)\n"
    + _END
    + "\n",
    "read back, one by one": "    options = dict(num_workers=0)\n"
    + _MANY
    + "    return DataLoader(Noisy(rows), num_workers=options['num_workers'])\n",
    "one made of another": "    common = dict(num_workers=4)\n"
    + _MANY.replace("options", "common")
    + "    options = dict(common, num_workers=0)\n"
    + _END
    + "\n",
    "one made of another, the other way round": "    common = dict(num_workers=4)\n"
    + _MANY.replace("options", "common")
    + "    options = {'num_workers': 0, **common}\n"
    + _END
    + "  # <- DL202\n",
    "of pairs": "    options = dict([('num_workers', 4), ('shuffle', True)])\n" + _END + "  # <- DL202\n",
    "of pairs, none of them workers": "    options = dict([('num_workers', 0), ('shuffle', True)])\n"
    + _END
    + "\n",
    "of pairs that a comprehension makes": "    parts = dict((name, Noisy(rows[name])) for name in ('a', 'b'))\n"
    "    return DataLoader(parts['a'], num_workers=2)  # <- DL202\n",
    "counted up in a loop": "    options = dict(num_workers=0)\n"
    + _MANY
    + "    for _ in range(args.more):\n        options['num_workers'] = options['num_workers'] + 1\n"
    + _END
    + "  # <- DL202\n",
    "all others changed in a loop": "    options = dict(num_workers=0)\n"
    + _MANY
    + "    for name in args.names:\n        options['batch_size'] = size(name)\n"
    + "        options.pop('collate_fn', None)\n"
    + _END
    + "\n",
    "seeded wherever there are workers": "    options = dict(num_workers=0)\n    if args.workers:\n"
    "        options['num_workers'] = 4\n"
    + _MANY
    + "    if args.workers:\n        options['worker_init_fn'] = seed_all\n"
    + _END
    + "\n",
    "seeded where there are none": "    options = dict(num_workers=4)\n    if args.alone:\n"
    "        options['num_workers'] = 0\n"
    + _MANY
    + "    if args.alone:\n        options['worker_init_fn'] = seed_all\n"
    + _END
    + "  # <- DL202\n",
    "a sampler where it is not shuffled": "    options = dict(shuffle=False)\n"
    "    if sampler is None:\n        options['shuffle'] = True\n"
    + _MANY
    + "    if sampler is not None:\n        options['sampler'] = sampler\n"
    + _END
    + "\n",
    "a sampler or shuffled, by the kind": "    if args.kind == 'train':\n"
    "        options = dict(shuffle=True)\n"
    "    elif args.kind == 'eval':\n        options = dict(sampler=SequentialSampler(rows))\n"
    "    else:\n        options = dict(sampler=RandomSampler(rows))\n" + _MANY + _END + "\n",
    "a sampler and shuffled": "    options = dict(shuffle=True)\n"
    + _MANY
    + "    if args.random:\n        options['sampler'] = RandomSampler(rows)\n"
    + _END
    + "  # <- DL301\n",
    "batches, and their size": "    options = dict(batch_size=4)\n"
    + _MANY
    + "    if args.buckets:\n        options['batch_sampler'] = BatchSampler(SequentialSampler(rows), 4, False)\n"
    + _END
    + "  # <- DL302\n",
    "batches, and their size taken out": "    options = dict(batch_size=4)\n"
    + _MANY
    + "    if args.buckets:\n        del options['batch_size']\n"
    + "        options['batch_sampler'] = BatchSampler(SequentialSampler(rows), 4, False)\n"
    + _END
    + "\n",
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_an_entry_of_the_options(tmp_path: Path, name: str) -> None:
    text = _HEAD + _PROGRAMS[name]
    (tmp_path / "program.py").write_text(text)
    report = engine.check([tmp_path], Settings(select=_CODES, target_torch="1.8", start_method="fork"))
    assert not report.troubles
    wanted = {
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        for code in re.findall(r"# <- (DL\d+)", line)
    }
    assert {(each.line, each.code) for each in report.findings} == wanted
