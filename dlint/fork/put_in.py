"""What methods that make an object put in a list or dict which it keeps: ``self.add("crop", crop)`` in a
constructor, or in a method that this calls, where ``add`` stores what it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.ways.run_by import run_by
from dlint.fork.ways.surely import is_sure
from dlint.objects.elsewhere.additions import GROWS, growths
from dlint.objects.set_by_name import set_by_text
from dlint.source.statements import FunctionNode, functions_in, own_names, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Const, Instance, Items, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_PUTS = re.compile(rf"\.\w+{GROWS}")


def put_while_made(
    evaluator: Evaluator, instance: Instance, world: World
) -> Iterator[tuple[str, Value, World]]:
    """What methods that the constructors of an object surely call put in containers of it, by the attribute:
    where one statement makes the container, and nothing there takes anything out of it. And what constructors
    set attributes to by names that they put together."""
    begun = [frame for _, frame in evaluator.initialisers.of(instance)]
    yield from _set_by_text(evaluator, begun, world)
    if not any(
        function.name != "__init__" and _PUTS.search(above.module.text_of(function))
        for above in evaluator.classes.line(instance.cls)
        for function in functions_in(above.node.body)
    ):
        return
    run = [
        frame
        for frame in run_by(evaluator, begun, surely=True)
        if isinstance(frame.receiver, Instance) and frame.receiver.key == instance.key
    ]
    for frame in run[len(begun) :]:
        scope = frame.scope
        if not isinstance(scope, FunctionNode):
            continue
        for statement in statements_in(scope.body):
            for held, added in growths(statement):
                match held:
                    case ast.Attribute(value=ast.Name(id=own), attr=name) if own == self_name(scope):
                        point = Point(frame, statement)
                        if not (is_sure(evaluator, point) and _is_kept(name, run)):
                            continue
                        for w in evaluator.flow.reaching(point, world):
                            for value, there in evaluator.values(added.value, point, w):
                                for each in _each(value) if added.each else [value]:
                                    yield name, each, there


def _set_by_text(
    evaluator: Evaluator, begun: list[Frame], world: World
) -> Iterator[tuple[str, Value, World]]:
    """``setattr(self, f"get_{name}", value)``; a name that is not known goes by what is written."""
    for frame in begun:
        for point, key, value in set_by_text(frame):
            for w in evaluator.flow.reaching(point, world):
                for name, there in evaluator.values(key, point, w):
                    if isinstance(name, Const):
                        written = str(name.value)
                    elif isinstance(key, ast.JoinedStr):
                        written = ast.unparse(key)[2:-1]
                    else:
                        continue
                    for each, inner in evaluator.values(value, point, there):
                        yield written, each, inner


def _is_kept(name: str, run: list[Frame]) -> bool:
    """Whether of what makes an object one statement alone binds an attribute, and none lets go of what the
    container there holds."""
    drops = re.compile(rf"\.{name}(?:\[[^\n]*\])?\.(?:clear|pop|popitem|remove)\(|\bdel [^\n]*\.{name}\b")
    scopes = {id(frame.scope): frame for frame in run}.values()
    if any(drops.search(frame.module.text_of(frame.scope)) for frame in scopes):
        return False
    binding = [
        statement
        for frame in scopes
        if isinstance(frame.scope, FunctionNode)
        for statement in statements_in(frame.scope.body)
        if f"{self_name(frame.scope)}.{name}" in own_names(statement)
    ]
    return len(binding) == 1 and isinstance(binding[0], ast.Assign | ast.AnnAssign)


def _each(value: Value) -> list[Value]:
    return list(value.items) if isinstance(value, Items) else []
