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
from dlint.objects.stored.set_by_name import set_by_text
from dlint.regex import regex
from dlint.source.statements import FunctionNode, functions_in, own_names, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Class, Const, Instance, Items, Key, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Which class an object is of, this asks: it hands it to nobody.
_SUPER = regex(r"\bsuper\([^()]*\)")


def put_while_made(
    evaluator: Evaluator, instance: Instance, world: World
) -> Iterator[tuple[str, Value, World]]:
    """What methods that the constructors of an object surely call put in containers of it, by the attribute:
    where one statement makes the container, and nothing there takes anything out of it. And what constructors
    set attributes to by names that they put together."""
    begun = [frame for _, frame in evaluator.initialisers.of(instance)]
    yield from _set_by_text(evaluator, begun, world)
    putting = evaluator.kept.setdefault(_Putting, _Putting())
    assert isinstance(putting, _Putting)
    if not putting.may_put(evaluator, instance.cls):
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


class _Putting:
    """Whether methods of a class may put something in its object's containers where that is made, by their
    texts: found once for all its objects."""

    def __init__(self) -> None:
        self._known: dict[Key, bool] = {}

    def may_put(self, evaluator: Evaluator, cls: Class) -> bool:
        known = self._known.get(cls.key)
        if known is None:
            methods = [
                (function, above.module.text_of(function))
                for above in evaluator.classes.line(cls)
                for function in functions_in(above.node.body)
            ]
            known = self._known[cls.key] = _may_put(methods)
        return known


def _may_put(methods: list[tuple[FunctionNode, str]]) -> bool:
    """Whether some method, each with its text, puts something in a container of its object, and may be run
    where that is made: another speaks of it, or does anything with the object itself."""
    putting = [
        function.name
        for function, text in methods
        if function.name != "__init__" and re.search(rf"\b{re.escape(self_name(function))}\.\w+{GROWS}", text)
    ]
    if not putting:
        return False
    spoken = re.compile(rf"\.(?:{'|'.join(map(re.escape, putting))})\b")
    return any(spoken.search(text) or _uses_itself(function, text) for function, text in methods)


def _uses_itself(function: FunctionNode, text: str) -> bool:
    """Whether a method does more with its object than ask for its attributes: gives it away, goes through
    it."""
    lines = text.split("\n")[function.body[0].lineno - function.lineno :]
    own = re.escape(self_name(function))
    return re.search(rf"\b{own}\b(?!\s*\.)", _SUPER.sub("", "\n".join(lines))) is not None


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
    drops = re.compile(
        rf"\.{name}(?:\[[^\n]{{0,300}}\])?\.(?:clear|pop|popitem|remove)\(|\bdel [^\n]{{0,300}}\.{name}\b"
    )
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
