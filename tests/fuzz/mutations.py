"""Mutations of real programs: a recipe says which program, and what is done to it, in what order.

A recipe is plain data and cooks to the same bytes everywhere, so hypothesis can shrink it and a seed can
name it. Changes of the tree come first, then those of the text, then those of the bytes: a later kind may
leave what an earlier one could not read.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tests.fuzz import bytes_changes, text_changes, tree_changes
from tests.fuzz.programs import originals
from tests.fuzz.tree_places import Around

Step = tuple[str, int]  # the change's name, and the seed of its choices


class Recipe(NamedTuple):
    """A mutated program: the number of the original and the changes of its tree, text and bytes."""

    origin: int
    tree: tuple[Step, ...] = ()
    text: tuple[Step, ...] = ()
    data: tuple[Step, ...] = ()


def module_name(number: int) -> str:
    """What the mutated program of this number is called where several stand in one folder."""
    return f"m_{number:02d}"


def drawn(random: Random) -> Recipe:
    """A recipe by chance: most of what it cooks to parses, one in four or so does not or is odd."""

    def some(names: Sequence[str], count: int) -> tuple[Step, ...]:
        return tuple((random.choice(names), random.randrange(1 << 30)) for _ in range(count))

    return Recipe(
        random.randrange(len(originals())),
        some(tree_changes.NAMES, random.choice((0, 1, 1, 2, 3, 4, 6, 9))),
        some(text_changes.NAMES, random.choice((0, 0, 0, 0, 0, 1, 2))),
        some(bytes_changes.NAMES, random.choice((0, 0, 0, 0, 0, 0, 1, 2))),
    )


def cooked(recipe: Recipe, modules: int) -> bytes:
    """The mutated program; it may import any of the ``modules`` programs beside it."""
    everything = originals()
    text = everything[recipe.origin % len(everything)]
    if recipe.tree:
        tree = ast.parse(text)
        for name, seed in recipe.tree:
            tree.body = tree.body or [ast.Pass()]
            random = Random(seed)
            other = random.choice(everything)
            around = Around(random, other, tuple(module_name(n) for n in range(modules)))
            tree_changes.CHANGES[name](tree, around)
        text = unparsed(tree) or text
    for name, seed in recipe.text:
        random = Random(seed)
        text = text_changes.CHANGES[name](text, random, random.choice(everything))
    data = text.encode("utf-8", "surrogatepass")
    for name, seed in recipe.data:
        data = bytes_changes.CHANGES[name](data, Random(seed))
    return data


def unparsed(tree: ast.Module) -> str:
    """The text of a tree that need not be Python any more; empty where it cannot be written at all."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (ValueError, RecursionError, AttributeError):
        return ""
