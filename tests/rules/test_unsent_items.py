"""What real datasets give for an item: something that cannot be sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from .item_programs import check


@pytest.mark.parametrize(
    "collate",
    [
        pytest.param("def collate(batch):  # here\n    yield from batch", id="a generator function"),
        pytest.param(
            "def collate(batch):\n    return map(lambda column: sum(column), zip(*batch))  # here",
            id="map holds a lambda",
        ),
        pytest.param(
            """
def collate(batch):
    def total(column):
        return sum(column)

    columns = map(total, zip(*batch))
    return columns  # here
""",
            id="map holds a local function",
        ),
        pytest.param(
            "def collate(batch):\n    return filter(lambda item: item is not None, batch)  # here",
            id="filter holds a lambda",
        ),
        pytest.param(
            """
def collate(batch):
    parts = collections.defaultdict(lambda: [0])
    for item in batch:
        parts[len(item)].append(item)
    return parts  # here
""",
            id="a dict holds the lambda of what is missing",
        ),
        pytest.param(
            "def collate(batch):\n    return collections.defaultdict(list)",
            id="a dict of lists that are missing",
        ),
        pytest.param("def collate(batch):\n    return map(list, zip(*batch))", id="map of a name"),
        pytest.param("def collate(batch):\n    return zip(*batch)", id="zip"),
        pytest.param(
            "def collate(batch):\n    return list(map(lambda column: sum(column), zip(*batch)))",
            id="a list of what map gives",
        ),
    ],
)
def test_batches_that_cannot_be_sent(collate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"import collections\n\n{collate}\n\n\nclass Data(Base):\n    def __getitem__(self, index):\n        return [index]"
    loaded = "\n\nfor batch in DataLoader(Data([]), num_workers=2, collate_fn=collate):\n    pass\n"
    check(program, "DL506", tmp_path, monkeypatch, loaded)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("batch_size=None", True),
        ("batch_size=4, collate_fn=list", True),
        ("batch_size=4, collate_fn=flat", False),
        ("batch_size=4", False),
    ],
)
def test_items_that_are_generators(
    options: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
def flat(batch):
    return [part for item in batch for part in item]


class Data(Base):
    def __getitem__(self, index):{"  # here" if found else ""}
        for path in self.paths:
            yield path, index
"""
    loaded = f"\n\nfor batch in DataLoader(Data([]), num_workers=2, {options}):\n    pass\n"
    check(program, "DL506", tmp_path, monkeypatch, loaded)
