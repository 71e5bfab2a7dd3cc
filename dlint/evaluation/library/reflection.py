"""What a program asks of objects, classes and modules as it runs: what they have under a name, and of which
kind they are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.knowledge.names import SUBCLASSES
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome, stores_told_apart
from dlint.values.values import (
    FALSE,
    NONE,
    TRUE,
    Class,
    Const,
    Function,
    Instance,
    Items,
    Made,
    ModuleValue,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import World

_MOST_SUBCLASSES = 24


def _getattr(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    if len(arguments.positional) < 2:
        return []
    found: list[Outcome] = []
    for base, w in first(evaluator, arguments, world):
        for name, v in evaluator.value_of(arguments.positional[1], w):
            if isinstance(name, Const) and isinstance(name.value, str):
                held = evaluator.attribute(base, name.value, node, point, v)
                found += _or_default(evaluator, held, base, name.value, arguments, v)
            else:
                unknown: Outcome = (Unknown(("getattr", base.key, name.key)), v)
                named = evaluator.named
                methods = named.method(base, name, node, point, v) if isinstance(base, Instance) else []
                found += [*methods, unknown] if methods else named.member(base, name, v) or [unknown]
    return found


def _or_default(
    evaluator: Evaluator, held: list[Outcome], base: Value, name: str, arguments: Arguments, world: World
) -> list[Outcome]:
    """What ``getattr`` gives of an object: also its default, where the object has no such attribute until
    one of its methods stores one."""
    if len(arguments.positional) < 3 or not isinstance(base, Instance):
        return held
    if not evaluator.attributes.comes_later(base, name):
        return held
    default = evaluator.value_of(arguments.positional[2], world)
    return stores_told_apart([*held, *default], ("getattr", base.key, name))


def _eval(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return [
        outcome
        for text, w in first(evaluator, arguments, world)
        for outcome in evaluator.named.evaluated(text, node, point, w)
    ]


def _import(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    given = [*arguments.positional[1:2], *(each for each in [arguments.keywords.get("package")] if each)]
    packages = evaluator.value_of(given[0], world) if given else [(NONE, world)]
    return [
        outcome
        for within, v in packages
        for name, w in first(evaluator, arguments, v)
        for outcome in evaluator.named.imported(name, within, point, w)
    ]


def _names(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``globals()`` and ``vars(module)``: what the module has; ``vars(record)``: what its fields hold."""
    given = first(evaluator, arguments, world) if arguments.positional else [(None, world)]
    found: list[Outcome] = []
    for value, w in given:
        module = ModuleValue(point.frame.module, None) if value is None else value
        if isinstance(module, ModuleValue):
            found.append((evaluator.named.all_of(module), w))
        elif isinstance(module, Instance | Made):
            found += evaluator.records.as_dict(module, node, point, w, whole=False)
    return found


def _members(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``inspect.getmembers(module)``: the names and what they stand for."""
    return [
        (
            Items(
                "list",
                tuple(
                    Items("tuple", (Const(name), value))
                    for name, value in evaluator.named.all_of(module).items.items()
                ),
                True,
            ),
            w,
        )
        for module, w in first(evaluator, arguments, world)
        if isinstance(module, ModuleValue)
    ]


def _subclasses(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``Base.__subclasses__()``: the program's classes directly below one."""
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world):
        if isinstance(value, Class):
            below = evaluator.classes.subclasses(value, _MOST_SUBCLASSES + 1)
            many = len(below) > _MOST_SUBCLASSES
            found.append((Items("list", tuple(below[:_MOST_SUBCLASSES]), many), w))
    return found


def _super(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return evaluator.classes.super_at(point, world)


def _type(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return [
        (value.cls if isinstance(value, Instance) else Unknown(("type", value.key)), w)
        for value, w in first(evaluator, arguments, world)
    ]


def _issubclass(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    def is_below(value: Value, above: Value) -> bool | None:
        if not isinstance(value, Class):
            return None
        return evaluator.classes.is_instance(Instance(value, Arguments(), node, point.key), above)

    return _compared(evaluator, arguments, world, "issubclass", is_below)


def _isinstance(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    return _compared(evaluator, arguments, world, "isinstance", evaluator.classes.is_instance)


def _compared(
    evaluator: Evaluator,
    arguments: Arguments,
    world: World,
    asks: str,
    answer_for: Callable[[Value, Value], bool | None],
) -> list[Outcome]:
    """What is asked of two things, by each two that they may be; None where that is not known of these."""
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world) if len(arguments.positional) == 2 else ():
        for other, v in evaluator.value_of(arguments.positional[1], w):
            answer = answer_for(value, other)
            found.append((Unknown((asks, value.key, other.key)) if answer is None else Const(answer), v))
    return found


def _callable(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """Whether something can be called, where that is known."""
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world):
        match value:
            case Function() | Class() | Partial():
                answer: Value = TRUE
            case Const() | Items() | Table():
                answer = FALSE
            case _:
                answer = Unknown(("callable", value.key))
        found.append((answer, w))
    return found


REFLECTION: Final[Answers] = {
    "builtins.callable": _callable,
    "builtins.getattr": _getattr,
    "builtins.eval": _eval,
    "builtins.super": _super,
    "builtins.type": _type,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.globals": _names,
    "builtins.vars": _names,
    "inspect.getmembers": _members,
    "builtins.__import__": _import,
    "importlib.import_module": _import,
    SUBCLASSES: _subclasses,
}
