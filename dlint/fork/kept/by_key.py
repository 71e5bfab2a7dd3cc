"""Handles that worker code keeps under a key once it has opened them (``BANK[path]``), in a dict, or in
a list that is looked through for it, that the parent has filled before: with the same things, as far as is
known. A name of a ``threading.local()`` is such a key, so are a module's global and a class's attribute that
hold nothing at first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.handles import handle_of
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, dotted, parameters, self_name
from dlint.values.frame import Frame, Point
from dlint.values.methods import is_cached
from dlint.values.places import tests_around
from dlint.values.values import Class, Const, Instance, Made, Value
from dlint.values.worlds import HERE
from dlint.workers.repetition import is_once

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.knowledge.processes.handles import Handle
    from dlint.workers.events import Visit

_ASKS_PROCESS = regex("getpid|worker_info|current_process")


class KeptByKey(NamedTuple):
    """A handle, what makes it, the function that keeps it, the dict as the function calls it (for a cached
    function its name), the key (None: what the cached function is given) and where it is one; whether each
    object has a dict of its own, whether it is known to be one handle for all items, and whether it is kept
    by a name of its own."""

    handle: Handle
    made: Made
    visit: Visit
    place: str
    key: ast.expr | None
    statement: ast.stmt
    own: bool
    is_one: bool
    alone: bool


def kept_by_key(evaluator: Evaluator, visits: list[Visit]) -> Iterator[KeptByKey]:
    """The handles that functions of worker code open where their dict has none yet."""
    for visit in visits:
        node = visit.function.node
        if not isinstance(node, ast.FunctionDef):
            continue
        for statement, for_all in _candidates(visit, node):
            point = Point(visit.frame, statement)
            home: tuple[str, bool] | None = None
            key: ast.expr | None = None
            alone = _named_for_all(evaluator, statement, point) if for_all else None
            by_default = _by_default(statement)
            match statement:
                case _ if by_default is not None:
                    held, key, opened = by_default
                    home = _home(evaluator, held, point)
                case ast.Assign(value=opened) if alone is not None:
                    home, key = (alone, False), ast.Constant(alone)
                case ast.Assign(targets=[*_, ast.Subscript() as target], value=opened):
                    if is_once(opened, point):
                        home, key = _home(evaluator, target.value, point), target.slice
                case ast.Assign(targets=[*_, ast.Attribute(value=held, attr=name)], value=opened):
                    if is_once(opened, point) and _is_of_thread(evaluator, held, point):
                        home, key = _home(evaluator, held, point), ast.Constant(name)
                        home = (f"{home[0]}.{name}", home[1]) if home is not None else None
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=held, attr="append"), args=[entry])
                ) if (looked_for := _looked_for(held, statement, node)) is not None:
                    opened = _opened_in_entry(entry)
                    home, key = _home(evaluator, held, point), looked_for
                case ast.Return(value=ast.expr() as opened) if _is_cached_function(visit, node):
                    home = node.name, False
                case _:
                    continue
            for made in _whole_and_held(evaluator, opened, point, visits) if home is not None else ():
                handle = handle_of(evaluator, made)
                if handle is not None and handle.forked and isinstance(made, Made) and home is not None:
                    keys = keys_of(evaluator, key, point)
                    is_one = len(keys) == 1 and isinstance(keys[0], Const)
                    yield KeptByKey(
                        handle, made, visit, home[0], key, statement, home[1], is_one, alone is not None
                    )


def _candidates(visit: Visit, function: ast.FunctionDef) -> list[tuple[ast.stmt, bool]]:
    """The statements of a function that by their text may keep something where there is nothing yet, and
    whether by a name for all: found once for all visits of it."""
    layout = visit.frame.layout
    known: list[tuple[ast.stmt, bool]] | None = layout.answers.get(_candidates)
    if known is None:
        known = []
        for statement in layout.statements:
            point = Point(visit.frame, statement)
            for_all = isinstance(statement, ast.Assign) and _is_for_all(statement, point)
            match statement:
                case _ if for_all or _by_default(statement) is not None:
                    known.append((statement, for_all))
                case ast.Assign(targets=[*_, ast.Subscript() | ast.Attribute()], value=opened):
                    if is_once(opened, point):
                        known.append((statement, False))
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[_])):
                    known.append((statement, False))
                case ast.Return(value=ast.expr()) if is_cached(function):
                    known.append((statement, False))
        layout.answers[_candidates] = known
    return known


def _whole_and_held(
    evaluator: Evaluator, opened: ast.expr, point: Point, visits: list[Visit]
) -> Iterator[Value]:
    """What an expression is; of an object of the program's, besides, what its constructor has opened and left
    open, and its other methods read in worker code, whichever process that is."""
    for value, _ in evaluator.values(opened, point):
        yield value
        if not isinstance(value, Instance):
            continue
        texts = [
            each.function.module.text_of(each.function.node)
            for each in visits
            if isinstance(each.function.receiver, Instance)
            and each.function.receiver.cls.node is value.cls.node
            and getattr(each.function.node, "name", "") != "__init__"
        ]
        if not texts or any(_ASKS_PROCESS.search(text) for text in texts):
            continue
        for name, path, at, world in evaluator.construction.stores(value, HERE):
            reads = re.compile(rf"\.{name}\b")
            if ".close(" in at.frame.module.text_of(at.frame.scope) or at.statement is None:
                continue
            if any(reads.search(text) for text in texts):
                yield from (each for each, _ in evaluator.names.defined(at.statement, path, at.frame, world))


def _is_for_all(statement: ast.Assign, point: Point) -> bool:
    """Whether a statement assigns by its text to a module's global or to an attribute, where nothing is there
    yet and whatever it is asked for."""
    target, value = statement.targets[-1], statement.value
    match target:
        case ast.Name(id=name):
            statements = point.frame.layout.statements
            if not any(isinstance(each, ast.Global) and name in each.names for each in statements):
                return False
        case ast.Attribute():
            pass
        case _:
            return False
    if isinstance(value, ast.BoolOp | ast.IfExp):
        path = ast.unparse(target)
        once = any(isinstance(node, ast.expr) and dotted(node) == path for node in walk(value))
    else:
        once = is_once(value, point)
    return once and not any(_asks_which(test) for test, _, _ in tests_around(point))


def _named_for_all(evaluator: Evaluator, statement: ast.stmt, point: Point) -> str | None:
    """What the module's global or the class's attribute is called to which a statement assigns, which by its
    text is for all."""
    match statement:
        case ast.Assign(targets=[*_, ast.Attribute(value=held, attr=name)]):
            cls = _class_meant(evaluator, held, point)
            return f"{cls.name}.{name}" if cls is not None else None
        case ast.Assign(targets=[*_, ast.Name(id=name)]):
            return name
    return None


def _class_meant(evaluator: Evaluator, held: ast.expr, point: Point) -> Class | None:
    """The class that an expression stands for: ``cls``, ``type(self)``, ``self.__class__``."""
    frame = point.frame
    if isinstance(held, ast.Name) and isinstance(frame.receiver, Instance):
        scope = frame.scope
        if isinstance(scope, FunctionNode) and held.id == self_name(scope) not in frame.layout.binds:
            return None  # the object itself, in most methods
    values = [value for value, _ in evaluator.values(held, point)]
    match held:
        case ast.Attribute(value=own, attr="__class__"):
            found = [value for value, _ in evaluator.values(own, point)]
            values = [value.cls if isinstance(value, Instance) else value for value in found]
    classes = [value for value in values if isinstance(value, Class)]
    return classes[0] if classes and len(classes) == len(values) else None


def _asks_which(test: ast.expr) -> bool:
    """Whether a test compares what is there with what is asked for: another takes its place."""
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq | ast.NotEq)
        and not isinstance(node.comparators[0], ast.Constant)
        for node in walk(test)
    )


def _by_default(statement: ast.stmt) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """What a statement keeps where a dict has nothing under a key yet: the dict, the key and what is kept, of
    ``return self.files.setdefault(path, open(path))``."""
    match getattr(statement, "value", None):
        case ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[key, opened]):
            return held, key, opened
    return None


def _looked_for(held: ast.expr, statement: ast.stmt, function: ast.FunctionDef) -> ast.expr | None:
    """What a loop through a list looks for before something is added that it has not found:
    ``for entry in BANK: if entry["path"] == path: return ...``."""
    listed = dotted(held)
    before = function.body[: function.body.index(statement)] if listed and statement in function.body else []
    for loop in before:
        if not isinstance(loop, ast.For) or not any(
            isinstance(each, ast.expr) and dotted(each) == listed for each in walk(loop.iter)
        ):
            continue
        for test in loop.body:
            match test:
                case ast.If(
                    test=ast.Compare(
                        left=ast.Subscript() | ast.Attribute(), ops=[ast.Eq()], comparators=[key]
                    ),
                    body=[*_, ast.Return()],
                ):
                    return key
    return None


def _opened_in_entry(entry: ast.expr) -> ast.expr:
    """What is opened to be kept in an entry of a list: ``{"path": path, "file": ZipFile(path)}``."""
    match entry:
        case ast.Dict(values=parts) | ast.Tuple(elts=parts):
            return next((part for part in parts if isinstance(part, ast.Call)), entry)
    return entry


def _is_of_thread(evaluator: Evaluator, held: ast.expr, point: Point) -> bool:
    """Whether an expression is what a thread keeps for itself: that of the parent's main thread, the only one
    that a fork copies, is there in the worker's."""
    return any(
        isinstance(value, Made) and value.name == "threading.local"
        for value, _ in evaluator.values(held, point)
    )


def _is_cached_function(visit: Visit, node: ast.FunctionDef) -> bool:
    return visit.function.owner is None and is_cached(node) and len(parameters(node)) > 0


def _home(evaluator: Evaluator, place: ast.expr, point: Point) -> tuple[str, bool] | None:
    """What a dict is called that outlives a call: of a module, a class or an object (True)."""
    frame = point.frame
    match place:
        case ast.Name(id=name) if not is_parameter(name, frame):
            match frame.layout.binders(name):
                case []:
                    return name, False
                case [ast.Assign(targets=[ast.Name()], value=ast.Attribute() as value)]:
                    return _home(evaluator, value, point)
        case ast.Attribute(value=ast.Name() as held, attr=attr):
            values = [value for value, _ in evaluator.values(held, point)]
            if values and all(isinstance(value, Class) for value in values):
                return f"{values[0].name}.{attr}" if isinstance(values[0], Class) else attr, False
            if values and all(value is frame.receiver for value in values):
                return f"{_class_name(frame)}.{attr}", True
    return None


def is_parameter(name: str, frame: Frame) -> bool:
    scope = frame.scope
    return isinstance(scope, ast.FunctionDef) and any(each.arg == name for each in parameters(scope))


def _class_name(frame: Frame) -> str:
    return frame.receiver.cls.name if isinstance(frame.receiver, Instance) else "self"


def drops_by_key(name: str) -> re.Pattern[str]:
    """How code lets go of things in a dict, or goes through them, maybe to close each."""
    return re.compile(
        rf"\b{name}(?:\[[^\n]{{0,300}}\])?\.(?:clear|pop|popitem|close|values|items|cache_clear)\("
        rf"|\bdel [^\n]{{0,300}}\b{name}\b|\b{name} = None"
    )


def keys_of(evaluator: Evaluator, key: ast.expr | None, point: Point) -> list[Value]:
    """What a key may be, or the first thing that a cached function is given."""
    scope = point.frame.scope
    if key is not None:
        return [value for value, _ in evaluator.values(key, point)]
    assert isinstance(scope, ast.FunctionDef)
    first = self_name(scope)
    return [value for value, _ in evaluator.parameters.values(first, point.frame, HERE)] if first else []
