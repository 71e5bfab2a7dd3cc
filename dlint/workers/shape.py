"""The shape of a value: what makes two objects behave alike, as far as the analysis can tell them apart.

Two datasets of one class that were given the same constants, transforms and unknown things run the same
worker code; it need be followed only once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.calls.parameters.written import is_static, written
from dlint.source.statements import (
    FunctionNode,
    functions_in,
    own_names,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.values import (
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
    number,
)
from dlint.values.worlds import HERE, World
from dlint.workers.parts.composed import is_added_to

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# The name of a module that is run as a script: no setting, though its dataset's file may ask for it.
_SCRIPT = "__main__"
_DEEPEST = 3
_MOST_VALUES = 6


def shape_of(
    evaluator: Evaluator, value: Value, world: World, depth: int = 0, *, assuming: bool = False
) -> Key:
    """The same key for values of the same shape; ``assuming``: only for those that also have what they are
    made of on the same ways that the program may go."""
    spend(1)
    if depth > _DEEPEST:
        return number(("own", value.key))
    match value:
        case Const():
            return value.key
        case Unknown():
            return "?"
        case External():
            return value.name
        case Function():
            receiver = value.receiver
            inner = (
                shape_of(evaluator, receiver, world, depth + 1, assuming=assuming)
                if receiver is not None
                else None
            )
            return number(("function", id(value.node), value.frame.key, inner))
        case Instance():
            if value.arguments is None:
                return number(("instance", value.cls.key))
            given = _arguments(evaluator, value.arguments, world, depth, assuming)
            told = value.arguments.all() or _told_later(evaluator, value)
            texts = {above.module.text for above in evaluator.classes.line(value.cls)} if told else set[str]()
            stored = [_stored(evaluator, each, world, texts) for each in told]
            outside = evaluator.attributes.set_from_outside(value)
            added = evaluator.attributes.added_from_outside(value)
            return number(("instance", value.cls.key, given, outside, added, tuple(stored)))
        case Made():
            if is_added_to(value):
                return number(("own", value.key))
            return number(
                ("made", value.name, _arguments(evaluator, value.arguments, world, depth, assuming))
            )
        case Items():
            shapes = {item.key: item for item in value.items}
            known = {
                key: shape_of(evaluator, item, world, depth + 1, assuming=assuming)
                for key, item in shapes.items()
            }
            return number((value.kind, tuple(known[item.key] for item in value.items), value.open))
        case Table():
            entries = tuple(
                (repr(name), shape_of(evaluator, item, world, depth + 1, assuming=assuming))
                for name, item in value.items.items()
            )
            return number(("dict", entries, value.open))
        case Partial():
            callee = shape_of(evaluator, value.callee, world, depth + 1, assuming=assuming)
            return number(("partial", callee, _arguments(evaluator, value.arguments, world, depth, assuming)))
    return value.key


def assumed_of(evaluator: Evaluator, value: Value, world: World) -> Key:
    """What a world assumes that a dataset may ask its unknown settings for: texts that its class writes.
    ``if opt["phase"] == "train"`` in front of one loader makes its dataset another one than that of the
    other."""
    if not isinstance(value, Instance) or not world.facts:
        return ()
    told = world.texts()
    if not told:
        return ()
    texts = [above.module.text for above in evaluator.classes.line(value.cls)]
    return tuple(
        sorted(
            (text, equal)
            for text, equal in told
            if text != _SCRIPT and any(f'"{text}"' in each or f"'{text}'" in each for each in texts)
        )
    )


def _told_later(evaluator: Evaluator, value: Instance) -> list[Argument]:
    """What methods that store in an object are given, where its constructor is given nothing:
    ``dataset.initialize(opt)``."""
    found: list[Argument] = []
    for above in evaluator.classes.line(value.cls):
        frame = Frame(above.module, above.node, above.frame)
        for method in functions_in(above.node.body):
            own = self_name(method)
            if (
                len(parameters(method)) > 1
                and not method.name.startswith("__")
                and any(
                    name.startswith(f"{own}.")
                    for each in statements_in(method.body)
                    for name in own_names(each)
                )
            ):
                found += _given_to(evaluator, value, Function(method, frame, None, above))
    return found


def _given_to(evaluator: Evaluator, value: Instance, method: Function) -> Iterator[Argument]:
    """What calls of a method on an object give it."""
    assert isinstance(method.node, FunctionNode)
    frame = evaluator.calls.enter(method, None, None, None)
    for site in evaluator.sites.of(method.node, frame):
        called = site.call.func
        if isinstance(called, ast.Attribute) and any(
            isinstance(each, Instance) and each.node is value.node
            for each, _ in evaluator.values(called.value, site.point)
        ):
            yield from site.arguments.all()


def _stored(evaluator: Evaluator, argument: Argument, world: World, texts: set[str]) -> Key:
    """The constants that those who called store in settings that they hand on, by names that texts have: one
    script's ``opt.no_flip = True`` makes its dataset another one than that of a script without."""
    found: dict[str, str] = {}
    for _ in range(_DEEPEST):
        expression, point = argument.expression, argument.point
        scope = point.frame.scope if point is not None else None
        if not isinstance(expression, ast.Name) or point is None or not isinstance(scope, FunctionNode):
            break
        caller = world.known(("caller", id(scope)))
        sites = evaluator.sites.of(scope, point.frame)
        if (caller is None and len(sites) != 1) or not 0 <= (caller or 0) < len(sites):
            break  # any of them may have called
        method = point.frame.owner is not None and not is_static(scope)
        given = written(expression.id, scope, sites[caller or 0].arguments, method)
        if given is None or given.point is None or not isinstance(given.expression, ast.Name):
            break
        argument, start = given, f"{given.expression.id}."
        for path in sorted(given.point.frame.layout.binds):
            name = path.removeprefix(start)
            if name == path or not any(f".{name}" in text for text in texts):
                continue
            if told := _constants(evaluator, path, given.point):
                found.setdefault(name, told)
    return tuple(sorted(found.items()))


def _constants(evaluator: Evaluator, path: str, point: Point) -> str:
    """What is stored under a path before a point, as far as it is written out; "" where nothing is."""
    statements = [statement for statement, _ in evaluator.flow.definitions(path, point, HERE)]
    told = [
        ast.unparse(each.value)
        for each in statements
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
    ]
    return " | ".join(told)


def _arguments(evaluator: Evaluator, arguments: Arguments, world: World, depth: int, assuming: bool) -> Key:
    def shapes(names: list[str]) -> tuple[Key, ...]:
        found = []
        for name, argument in zip(names, arguments.all(), strict=True):
            outcomes = evaluator.value_of(argument, world)[:_MOST_VALUES]
            kinds = {
                (
                    shape_of(evaluator, value, w, depth + 1, assuming=assuming),
                    frozenset(w.facts.items()) if assuming else None,
                )
                for value, w in outcomes
            }
            found.append((name, frozenset(kinds)))
        return tuple(found)

    count = len(arguments.positional)
    names = [str(index) for index in range(count)]
    names += list(arguments.keywords)
    names += ["*"] * len(arguments.spread) + ["**"] * len(arguments.splats)
    return number(shapes(names))
