"""Loaders that come to an end: those of map-style datasets, whose items no sampler of another's chooses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import given_for
from dlint.knowledge.epochs import BATCHES, BATCHES_TAKE
from dlint.knowledge.loading import SIGNATURE, is_dataset, is_iterable_dataset
from dlint.source.nodes import walk
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, External, Instance, Made, Value, is_none
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_LOADER = "torch.utils.data.DataLoader"
# What goes through a dataset once, in whatever order, and what may be told how many it gives.
_ORDERS = frozenset(
    f"torch.utils.data.{name}"
    for name in ("DistributedSampler", "RandomSampler", "SequentialSampler", "SubsetRandomSampler")
)
_TOLD = ("data_source", "replacement", "num_samples")
# A dataset that says it has more has no end that anybody comes to: ``return 10**9``.
_MANY = 10_000_000


def are_ending_loaders(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> bool:
    """Whether something is a loader that ends."""
    values = evaluator.values(node, point, world)
    return bool(values) and all(
        isinstance(each, Made) and each.name == _LOADER and _ends(evaluator, each.arguments, point, w)
        for each, w in values
    )


def _ends(evaluator: Evaluator, given: Arguments, point: Point, world: World) -> bool:
    if given.spread or given.splats:
        return False
    for name in ("batch_sampler", "sampler"):
        told, _ = given_for(evaluator, given, name, SIGNATURE, world)
        if any(not is_none(value) for value, _ in told):
            return all(_is_order(evaluator, value, w) for value, w in told)
    shuffled, _ = given_for(evaluator, given, "shuffle", SIGNATURE, world)
    if shuffled and all(isinstance(value, Const) and value.value is True for value, _ in shuffled):
        return True  # as an iterable-style one may not be
    datasets, _ = given_for(evaluator, given, "dataset", SIGNATURE, world)
    return bool(datasets) and all(_is_finite(evaluator, each, point) for each in datasets)


def _is_order(evaluator: Evaluator, sampler: Value, world: World) -> bool:
    """Whether something is a sampler of torch's that goes through a dataset once, or makes batches of one."""
    if not isinstance(sampler, Made):
        return False
    given = sampler.arguments
    if sampler.name == BATCHES:
        inner, without = given_for(evaluator, given, "sampler", BATCHES_TAKE, world)
        return bool(inner) and not without and all(_is_order(evaluator, each, w) for each, w in inner)
    told, _ = given_for(evaluator, given, "num_samples", _TOLD, world)
    return sampler.name in _ORDERS and all(is_none(value) for value, _ in told)


def _is_finite(evaluator: Evaluator, given: Outcome, point: Point) -> bool:
    """Whether a dataset is a map-style one that says how many items it has, and has not very many."""
    dataset, world = given
    if isinstance(dataset, Made):
        return is_dataset(dataset.name) and not is_iterable_dataset(dataset.name)
    if not isinstance(dataset, Instance):
        return False
    libraries = evaluator.classes.libraries(dataset.cls)
    lengths = evaluator.classes.methods(dataset, "__len__")
    return (
        any(map(is_dataset, libraries))
        and not any(map(is_iterable_dataset, libraries))
        and not any(_has_powers(evaluator, dataset, name) for name in ("__len__", "__init__"))
        and not any(
            _is_beyond(value)
            for each in lengths
            for value, _ in evaluator.calls.returns(each, Arguments(), each.node, point, world)
        )
    )


def _has_powers(evaluator: Evaluator, dataset: Instance, method: str) -> bool:
    """Whether a method reckons with powers, as who says that there are very many does: ``10**9``."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift)
        for each in evaluator.classes.methods(dataset, method)
        for node in walk(each.node)
    )


def _is_beyond(length: Value) -> bool:
    """Whether nobody comes to the end of so many: ``sys.maxsize``."""
    if isinstance(length, Const):
        return isinstance(length.value, int | float) and length.value > _MANY
    return isinstance(length, External)
