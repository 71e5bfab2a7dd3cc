"""Seeds that a name alone gives away: a setting's, or that of a library's call."""

from __future__ import annotations

import ast

from dlint.evaluation.options.option import option_of
from dlint.knowledge.randomness import (
    STATE_WORD,
    TORCH_SEEDS,
    draws,
    is_clock,
    is_entropy,
    is_fine_clock,
    sounds_changing,
    sounds_fixed,
    tells_processes_apart,
)
from dlint.randomness.seeds.seed import (
    CLOCK,
    FIXED_SEED,
    FRESH_SEED,
    STATE,
    TORCH,
    UNKNOWN_SEED,
    Seed,
)
from dlint.source.statements import dotted
from dlint.values.values import Const, Value


def by_name(name: str, kept: Value | None = None) -> Seed:
    """What a variable or setting is whose value cannot be told. An option is the same for a whole run, where
    it is ``kept``: nobody stores another."""
    asked = kept is not None and option_of(kept) is not None and not sounds_changing(name)
    return FIXED_SEED if asked or sounds_fixed(name) else UNKNOWN_SEED


def by_call(node: ast.Call) -> Seed:
    """What a call gives whose function is not known."""
    return FIXED_SEED if tells_processes_apart(dotted(node.func) or "") else UNKNOWN_SEED


def by_library_call(name: str, has_arguments: bool, in_worker: bool) -> Seed | None:
    """What a library's function gives that says so by its name; None for those that only pass on what their
    arguments are made of, or of which nothing is known."""
    if name in TORCH_SEEDS:
        return Seed(frozenset({TORCH}), None, True) if in_worker else FIXED_SEED
    if name == STATE_WORD:
        return Seed(frozenset({STATE}))
    if is_fine_clock(name):
        return FRESH_SEED
    if is_clock(name):
        return Seed(frozenset({CLOCK}))
    if is_entropy(name) or draws(name) or (name.endswith("SeedSequence") and not has_arguments):
        return FRESH_SEED
    return FIXED_SEED if tells_processes_apart(name) else None


def by_value(value: Value, name: str) -> Seed:
    """By what is known of a value, else by how its name reads."""
    if isinstance(value, Const):
        if value.value is None:
            return FRESH_SEED
        return Seed(FIXED_SEED.kinds, value.value if type(value.value) is int else None)
    return by_name(name)
