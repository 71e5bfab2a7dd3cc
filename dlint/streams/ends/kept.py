"""Iterators that an object, a function or a module keeps from one item to the next: whether each is one over
something finite, which nothing else is ever put in the place of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    changed_names,
    dotted,
    functions_in,
    last_name,
    own_names,
    self_name,
    statements_in,
)
from dlint.streams.ends.finite import is_finite_iterator
from dlint.values.frame import Arguments, Frame, Point, layout_of
from dlint.values.places import tests_around
from dlint.values.values import Function, Instance
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.streams.sources.streams import Streams


def behind_property(evaluator: Evaluator, instance: Instance, name: str) -> str:
    """The attribute that a property gives, whatever it does before; of what is none, its own name."""
    getters = evaluator.classes.properties(instance.cls).get(name, ())
    given = {
        (dotted(statement.value) or "").partition(".")
        for getter, _ in getters
        if isinstance(getter.node, ast.FunctionDef)
        for statement in statements_in(getter.node.body)
        if isinstance(statement, ast.Return) and statement.value is not None
    }
    owners = {self_name(getter.node) for getter, _ in getters if isinstance(getter.node, ast.FunctionDef)}
    match list(given):
        case [(holder, ".", kept)] if owners == {holder}:
            return kept
    return name


def kept_ends(evaluator: Evaluator, streams: Streams, instance: Instance, name: str, world: World) -> bool:
    """Whether an attribute is an iterator over something finite that the class sets only where it makes the
    object, or at its first need: ``if self.rows is None: self.rows = iter(self.lines)``."""
    stores = [
        function
        for above in evaluator.classes.line(instance.cls)
        for function in functions_in(above.node.body)
        if f"{self_name(function)}.{name}" in layout_of(function).binds
    ]
    initialisers = _makers(evaluator, instance, name, world)
    later = [function for function in stores if id(function) not in initialisers]
    if not stores:
        return _is_kept_by_property(evaluator, streams, instance, name, world)
    if not all(_sets_at_need(evaluator, streams, instance, each, name, world) for each in later):
        return False
    for function in stores:
        frame = initialisers.get(id(function))
        if frame is None:
            continue
        path = f"{self_name(function)}.{name}"
        for statement, w in evaluator.flow.definitions(path, Point(frame, None), world):
            if not isinstance(statement, ast.Assign):
                return False
            if later and isinstance(statement.value, ast.Constant) and statement.value.value is None:
                continue
            if not is_finite_iterator(evaluator, streams, statement.value, Point(frame, statement), w):
                return False
    return True


def _is_kept_by_property(
    evaluator: Evaluator, streams: Streams, instance: Instance, name: str, world: World
) -> bool:
    """Whether an attribute is what a property gives once and keeps, an iterator over something finite."""
    for getter, _ in evaluator.classes.properties(instance.cls).get(name, ()):
        node = getter.node
        if not isinstance(node, ast.FunctionDef) or not any(map(_keeps, node.decorator_list)):
            return False
        bound = Function(node, getter.frame, instance, getter.owner)
        frame = evaluator.calls.enter(bound, Arguments(), None, None)
        given = [each for each in statements_in(node.body) if isinstance(each, ast.Return)]
        return bool(given) and all(
            each.value is not None
            and is_finite_iterator(evaluator, streams, each.value, Point(frame, each), world)
            for each in given
        )
    return False


def _keeps(decorator: ast.expr) -> bool:
    return last_name(decorator) == "cached_property"


def _makers(evaluator: Evaluator, instance: Instance, name: str, world: World) -> dict[int, Frame]:
    """The methods that store an attribute of an object where it is made, in the frames in which they do: its
    constructors, and what these alone call (``self.open_noises(folder)``)."""
    found = {id(frame.scope): frame for _, frame in evaluator.initialisers.of(instance)}
    constructors = [*found.values()]
    for _, _, point, _ in evaluator.construction.stores(instance, world, (name,)):
        method = point.frame.scope
        if (
            isinstance(method, ast.FunctionDef)
            and id(method) not in found
            and _is_called_within(evaluator, instance, method.name, constructors)
        ):
            found[id(method)] = point.frame
    return found


def _is_called_within(evaluator: Evaluator, instance: Instance, method: str, frames: list[Frame]) -> bool:
    """Whether a method of an object is spoken of by its name in some functions alone, as far as those can say
    who may import its class; what another class calls on its own objects is another method."""
    index, line = evaluator.modules.index, evaluator.classes.line(instance.cls)
    homes = {above.module.relative for above in line}
    own = {place for above in line for place in _lines(above.module.relative, above.node)}
    within = {place for frame in frames for place in _lines(frame.module.relative, frame.scope)}
    spoken = re.compile(rf"""(?:(\bself)\s*)?\.\s*{method}\b|["']{method}["']""")
    knowing = [
        each
        for each in index.mentioning(method)
        if each in homes or any(index.reaches(each, home) for home in homes)
    ]
    for module in evaluator.modules.each(sorted(knowing)):
        for number, text in enumerate(module.lines, 1):
            place = (module.relative, number)
            for found in spoken.finditer(text):
                if place not in within and (place in own or found[1] is None):
                    return False
    return True


def _lines(relative: str, node: ast.AST) -> Iterator[tuple[str, int]]:
    """The lines of a function or class."""
    if isinstance(node, FunctionNode | ast.ClassDef):
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            yield relative, number


def kept_around_ends(evaluator: Evaluator, streams: Streams, name: str, frame: Frame, world: World) -> bool:
    """Whether a variable that a function has from the function or module around it is an iterator over
    something finite, which nothing else is ever given to."""
    around = frame.outer
    while around is not None and name not in around.layout.binds:
        around = around.outer
    if around is None or not isinstance(around.scope, ast.FunctionDef | ast.Module):
        return False
    if any(isinstance(each, ast.Global | ast.Nonlocal) and name in each.names for each in walk(around.scope)):
        return False
    index, home = evaluator.modules.index, around.module.relative
    if isinstance(around.scope, ast.Module) and any(
        index.reaches(each, home) for each in index.storing(name)
    ):
        return False
    match [each for each in statements_in(around.scope.body) if name in own_names(each)]:
        case [ast.Assign(targets=[ast.Name()], value=value) as only]:
            return is_finite_iterator(evaluator, streams, value, Point(around, only), world)
    return False


def kept_entries_end(
    evaluator: Evaluator, streams: Streams, instance: Instance, name: str, world: World
) -> bool:
    """Whether an attribute is a list or dict of iterators, each over something finite, that the class makes
    with the object, and stores more in only under keys that are not there yet: ``if k not in self.rows:
    self.rows[k] = iter(...)``."""
    initialisers = _makers(evaluator, instance, name, world)
    iterators = 0
    line = evaluator.classes.line(instance.cls)
    for function in (each for above in line for each in functions_in(above.node.body)):
        path = f"{self_name(function)}.{name}"
        if path not in layout_of(function).binds:
            continue
        frame = initialisers.get(id(function))
        if frame is None and function.name == "__init__":
            continue  # one that this object is not made by
        if frame is None:
            methods = evaluator.classes.methods(instance, function.name)
            method = next((each for each in methods if each.node is function), None)
            if method is None:
                return False
            frame = evaluator.calls.enter(method, Arguments(), None, None)
        for statement in statements_in(function.body):
            if path not in own_names(statement) and path not in changed_names(statement):
                continue
            held = _stored(statement, path, Point(frame, statement), made=id(function) in initialisers)
            if held is None:
                return False
            at = Point(frame, statement)
            for node, inside in held:
                point = evaluator.inside(inside, at) if inside is not None else at
                if not is_finite_iterator(evaluator, streams, node, point, world):
                    return False
                iterators += 1
    return iterators > 0


def _stored(
    statement: ast.stmt, path: str, point: Point, *, made: bool
) -> list[tuple[ast.expr, ast.ListComp | ast.DictComp | None]] | None:
    """What a statement stores in a list or dict: where the object is made, all of it; else what is under a
    key that is not there yet; each with the comprehension that it is in. None where that is anything else."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=value) if dotted(held) == path:
            is_new = any(_is_new(test, outcome, key, path) for test, outcome, _ in tests_around(point))
            return [(value, None)] if is_new else None
        case ast.Assign(targets=[ast.Attribute() as target], value=value) if made and dotted(target) == path:
            match value:
                case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                    return [(each, None) for each in parts]
                case ast.ListComp(elt=each) | ast.DictComp(value=each):
                    return [(each, value)]
    return None


def _is_new(test: ast.expr, outcome: bool, key: ast.expr, path: str) -> bool:
    """Whether a test comes out so only where a dict has nothing under a key."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_new(inner, not outcome, key, path)
        case ast.Compare(left=asked, ops=[ast.In() | ast.NotIn() as operator], comparators=[held]):
            is_asked = dotted(held) == path and ast.unparse(asked) == ast.unparse(key)
            return is_asked and isinstance(operator, ast.NotIn) == outcome
    return False


def _sets_at_need(
    evaluator: Evaluator,
    streams: Streams,
    instance: Instance,
    function: FunctionNode,
    name: str,
    world: World,
) -> bool:
    """Whether a method sets an attribute only where there is nothing yet, to an iterator over something
    finite."""
    method = next(
        (each for each in evaluator.classes.methods(instance, function.name) if each.node is function), None
    )
    if method is None:
        return False
    frame, path = evaluator.calls.enter(method, Arguments(), None, None), f"{self_name(function)}.{name}"
    return all(
        isinstance(statement, ast.Assign)
        and any(_finds_nothing(test, outcome, path) for test, outcome, _ in tests_around(at))
        and is_finite_iterator(evaluator, streams, statement.value, at, world)
        for statement in statements_in(function.body)
        if path in own_names(statement)
        for at in [Point(frame, statement)]
    )


def _finds_nothing(test: ast.expr, outcome: bool, path: str) -> bool:
    """Whether a test comes out so only where an attribute is None, or is not there."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _finds_nothing(inner, not outcome, path)
        case ast.Compare(
            left=asked, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]
        ):
            if isinstance(asked, ast.Call) and dotted(asked.func) == "getattr" and len(asked.args) == 3:
                return isinstance(operator, ast.Is) == outcome and _names(asked, path)
            return isinstance(operator, ast.Is) == outcome and dotted(asked) == path
        case ast.Call(func=ast.Name(id="hasattr")):
            return not outcome and _names(test, path)
    return not outcome and dotted(test) == path


def _names(call: ast.Call, path: str) -> bool:
    """Whether a call is about an attribute, by its name: ``hasattr(self, "rows")``."""
    match call.args:
        case [held, ast.Constant(value=str(name)), *_]:
            return f"{dotted(held)}.{name}" == path
    return False
