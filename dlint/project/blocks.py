"""A large program in blocks, looked at one after another: trees take some fifty times the memory of text.

What a rule says of a loader, a dataset or a pool it says where the block holds the file with it; the files
that these lead to are read again in every block that comes to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dlint.project.index.index import Index

# Bytes of the files of one block that mention data loading.
_BLOCK_BYTES = 8_000_000
_WEIGHTY = ("DataLoader", "Dataset")

Block = frozenset[str]
Place = tuple[str, int]  # a class: its file and line


class Facts(NamedTuple):
    """What the blocks of a program must know of one another.

    ``loaded`` are the dataset classes that some loader with workers is seen to get, ``idle`` those that one
    without is, ``bases`` those that others are derived from; ``sure`` says that the loaders get no others.
    ``chosen`` are those of the loaded ones that are chosen by a name: a loader may get one, or another.
    """

    has_loaders: bool
    sure: bool
    loaded: frozenset[Place]
    bases: frozenset[Place]
    idle: frozenset[Place] = frozenset()
    chosen: frozenset[Place] = frozenset()


NOTHING_KNOWN = Facts(True, False, frozenset(), frozenset())


def together(facts: Iterable[Facts]) -> Facts:
    """What the blocks know, as one."""
    every = list(facts)
    return Facts(
        any(each.has_loaders for each in every),
        all(each.sure for each in every),
        frozenset().union(*(each.loaded for each in every)),
        frozenset().union(*(each.bases for each in every)),
        frozenset().union(*(each.idle for each in every)),
        frozenset().union(*(each.chosen for each in every)),
    )


def blocks(index: Index) -> list[Block | None]:
    """The files of each block, by relative path; None stands for all files, where one block is enough.

    Files of one folder stay together as far as may be, for they lead to the same other files. The blocks
    depend on the program alone: however many processes share them, what is found is the same.
    """
    weighty = {relative for word in _WEIGHTY for relative in index.mentioning(word)}
    found: list[set[str]] = [set()]
    weight = 0
    for relative in index.paths:
        if relative in weighty:
            size = index.size(relative)
            if weight and weight + size > _BLOCK_BYTES:
                found.append(set())
                weight = 0
            weight += size
        found[-1].add(relative)
    return [frozenset(each) for each in found] if len(found) > 1 else [None]
