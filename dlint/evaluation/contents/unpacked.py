"""What each target gets of what is unpacked: ``a, *rest = pair``, ``for key, value in pairs``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.source.statements import target_names
from dlint.values.frame import Argument
from dlint.values.values import GENERATOR, Items, Made, Unknown, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator


def parts(evaluator: Evaluator, target: ast.Tuple | ast.List, value: Value) -> list[tuple[Value, ast.expr]]:
    """What each target of an unpacking gets."""
    value = evaluator.records.as_tuple(value, HERE) or value
    if isinstance(value, Items) and not value.open and value.kind != GENERATOR:
        starred = [at for at, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
        if not starred and len(value.items) == len(target.elts):
            return list(zip(value.items, target.elts, strict=True))
        if len(starred) == 1 and len(value.items) >= len(target.elts) - 1:
            before, behind = starred[0], len(target.elts) - starred[0] - 1
            rest = len(value.items) - behind
            known = [*value.items[:before], Items("list", value.items[before:rest]), *value.items[rest:]]
            return list(zip(known, target.elts, strict=True))
    if isinstance(value, Made):
        # Parts of a library's object (random_split, train_test_split) are made of the same things.
        return [(evaluator.containers.part(value, index), inner) for index, inner in enumerate(target.elts)]
    return [(Unknown(("part", value.key, index)), inner) for index, inner in enumerate(target.elts)]


def unpacked(evaluator: Evaluator, target: ast.expr, source: Argument) -> dict[str, Argument]:
    """The variables of a comprehension and what they hold."""
    if isinstance(target, ast.Name):
        return {target.id: source}
    if not isinstance(target, ast.Tuple | ast.List):
        return {}
    if source.value is None:
        return {
            name: Argument(source.expression, source.point, element=True, taken=(target, name))
            for name in target_names(target)
        }
    return {
        name: Argument(None, None, part)
        for part, inner in parts(evaluator, target, source.value)
        for name in target_names(inner)
    }
