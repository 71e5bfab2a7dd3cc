"""What library functions make of records: dicts of their fields, and records with other values in some."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.knowledge.commands import ASKED_FOR, FILLED, MERGED
from dlint.knowledge.names import (
    AS_TUPLES_DICT,
    COPIES_MODEL,
    DUMPED,
    DUMPS_ALIKE,
    MODEL_COPIED,
    STRUCTURED,
    TUPLE_REPLACED,
)
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import NONE, Instance, Made, Table, Unknown
from dlint.values.worlds import World


def _as_dict(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``asdict(record)``: what its fields hold, records in it as dicts as well."""
    return [
        outcome
        for value, w in first(evaluator, arguments, world)
        if isinstance(value, Instance | Made)
        for outcome in evaluator.records.as_dict(value, node, point, w, whole=True)
    ]


def _dumped(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``settings.model_dump()``; what it leaves out is known where it is written out."""
    less = arguments.keywords.get("exclude")
    elements = getattr(less.expression, "elts", [None]) if less is not None else []
    left_out = {each.value for each in elements if isinstance(each, ast.Constant)}
    if len(left_out) != len(elements) or arguments.splats or arguments.keywords.keys() - DUMPS_ALIKE:
        return []
    none_too = "exclude_none" not in arguments.keywords
    found: list[Outcome] = []
    for table, w in _as_dict(evaluator, arguments, node, point, world):
        assert isinstance(table, Table)
        kept = {key: held for key, held in table.items.items() if key not in left_out}
        found.append((Table({k: held for k, held in kept.items() if none_too or held != NONE}), w))
    return found


def _replaced(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``replace(record, workers=0)``, ``replace(record, **changes)``."""
    if len(arguments.positional) != 1 or arguments.spread:
        return []
    if not arguments.splats:
        return _changed(evaluator, arguments, arguments.keywords, node, point, world)
    others = Arguments(keywords=arguments.keywords, splats=arguments.splats)
    return _changed_by(evaluator, arguments, others, node, point, world)


def _copied_model(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``settings.model_copy(update={"workers": 0})``."""
    if len(arguments.positional) != 1 or arguments.spread or arguments.splats:
        return []
    if arguments.keywords.keys() - COPIES_MODEL:
        return []
    update = arguments.keywords.get("update")
    others = Arguments([update] if update is not None else [])
    return _changed_by(evaluator, arguments, others, node, point, world)


def _changed_by(
    evaluator: Evaluator, arguments: Arguments, others: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """A record with what the entries of dicts say instead: one that may have entries which nobody knows, as
    what is read from a file, may have any other field."""
    found: list[Outcome] = []
    for table, w in evaluator.containers.table(others, world):
        given = {str(name): Argument(None, None, value) for name, value in table.items.items()}
        changed = _changed(evaluator, arguments, given, node, point, w, others=table.open)
        if not changed:
            return []
        found += changed
    return found


def _changed(
    evaluator: Evaluator,
    arguments: Arguments,
    given: Mapping[str, Argument],
    node: ast.AST,
    point: Point,
    world: World,
    *,
    others: bool = False,
) -> list[Outcome]:
    """A record with other values in some fields, or in any (``others``); nothing where no record is known."""
    mark = ("replaced", id(node), point.key)
    made = [
        (evaluator.records.replaced(value, given, node, point, others=others), value, w)
        for value, w in first(evaluator, arguments, world)
    ]
    if all(record is None for record, _, _ in made):
        return []
    return [(record or Unknown((*mark, value.key)), w) for record, value, w in made]


def _structured(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``OmegaConf.structured(Config)``."""
    if len(arguments.positional) != 1 or arguments.keywords or arguments.splats:
        return []
    made = [
        (evaluator.records.structured(value, node, point), w)
        for value, w in first(evaluator, arguments, world)
    ]
    known: list[Outcome] = [(value, w) for value, w in made if value is not None]
    return known if len(known) == len(made) else []


def _merged(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.from_cli())``: the defaults of a record, or
    what the user asks for instead."""
    if len(arguments.positional) != 2 or arguments.keywords or arguments.splats or arguments.spread:
        return []
    over = [value for value, _ in evaluator.value_of(arguments.positional[1], world)]
    if not all(isinstance(value, Made) and value.name == ASKED_FOR for value in over):
        return []
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world):
        made = evaluator.records.structured(value, node, point)
        if made is None or made.arguments is None or made.arguments.all():
            return []
        given = Arguments([Argument(None, None, made.cls)])
        found.append((Made(FILLED, node, given, point), w))
    return found


RECORDS: Final[Answers] = {
    "copy.replace": _replaced,
    STRUCTURED: _structured,
    MERGED: _merged,
    "dataclasses.asdict": _as_dict,
    "dataclasses.replace": _replaced,
    DUMPED: _dumped,
    AS_TUPLES_DICT: _as_dict,
    TUPLE_REPLACED: _replaced,
    MODEL_COPIED: _copied_model,
    "attr.asdict": _as_dict,
    "attr.evolve": _replaced,
    "attrs.asdict": _as_dict,
    "attrs.evolve": _replaced,
}
