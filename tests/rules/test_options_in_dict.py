"""Arguments that come to a loader by ``**options`` are repaired in the dict that has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.repair import repair
from dlint.settings.settings import Settings

_HEAD = """import os
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, SequentialSampler, SubsetRandomSampler

WORKERS = int(os.environ.get("WORKERS", 0))


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(4)


"""


def _repaired(folder: Path, body: str, other: str = "") -> str:
    """What stands in the body's place after the safe repairs."""
    path = folder / "main.py"
    path.write_text(_HEAD + body)
    if other:
        (folder / "other.py").write_text(other)
    done = repair([folder], Settings())
    return done.files[0].new.decode().removeprefix(_HEAD) if done.files else body


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "options = dict(\n    batch_size=2,\n    shuffle=True,  # always\n    num_workers=0,\n)\n"
            "loader = DataLoader([1, 2], sampler=SubsetRandomSampler([0]), **options)\n",
            "options = dict(\n    batch_size=2,\n    num_workers=0,\n)\n"
            "loader = DataLoader([1, 2], sampler=SubsetRandomSampler([0]), **options)\n",
        ),
        (
            "def make(rows):\n    options = {\n        'batch_size': 2,  # two\n"
            "        'batch_sampler': BatchSampler(SequentialSampler(rows), 2, False),\n"
            "        'shuffle': True,  # new each time\n    }\n    return DataLoader(rows, **options)\n\n\nmake([1])\n",
            "def make(rows):\n    options = {\n"
            "        'batch_sampler': BatchSampler(SequentialSampler(rows), 2, False),\n    }\n"
            "    return DataLoader(rows, **options)\n\n\nmake([1])\n",
        ),
        (
            "options = {'shuffle': True, 'batch_size': 2}\nloader = DataLoader(Stream(), **options)\n",
            "options = {'batch_size': 2}\nloader = DataLoader(Stream(), **options)\n",
        ),
        (
            "options = {'batch_size': 2, 'shuffle': True}\nloader = DataLoader(Stream(), **options)\n",
            "options = {'batch_size': 2}\nloader = DataLoader(Stream(), **options)\n",
        ),
        (
            "options = {\n    'num_workers': WORKERS,\n    'persistent_workers': True,  # fast\n}\n"
            "loader = DataLoader([1, 2], **options)\n",
            "options = {\n    'num_workers': WORKERS,\n    'persistent_workers': WORKERS > 0,  # fast\n}\n"
            "loader = DataLoader([1, 2], **options)\n",
        ),
    ],
)
def test_the_entry_goes_or_waits_for_workers(body: str, after: str, tmp_path: Path) -> None:
    assert _repaired(tmp_path, body) == after


@pytest.mark.parametrize(
    "body",
    [
        # Another loader takes the dict as well.
        "options = {'batch_size': 2, 'shuffle': True}\nloader = DataLoader(Stream(), **options)\n"
        "other = DataLoader([1, 2], **options)\n",
        # Something is done to it later.
        "options = {'batch_size': 2, 'shuffle': True}\noptions['timeout'] = 0\n"
        "loader = DataLoader(Stream(), **options)\n",
        # Nothing would be left of it.
        "options = {'shuffle': True}\nloader = DataLoader(Stream(), **options)\n",
    ],
)
def test_a_dict_that_others_need_stays(body: str, tmp_path: Path) -> None:
    assert _repaired(tmp_path, body) == body


def test_a_dict_that_another_file_takes_stays(tmp_path: Path) -> None:
    body = "options = {'batch_size': 2, 'shuffle': True}\nloader = DataLoader(Stream(), **options)\n"
    assert _repaired(tmp_path, body, "from main import options\n\nprint(options)\n") == body
