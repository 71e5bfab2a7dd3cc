"""Where a statement stands that may keep batches: what it goes through there, and what the functions that it
calls do to what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.knowledge.processes.pickling import NAMED_TUPLES
from dlint.knowledge.tensors import hands_memory_on, may_hand_memory_on
from dlint.knowledge.trainers import RUNS, STEP
from dlint.loaders.every_round import lets_through, nearly_always
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    bare_name,
    dotted,
    expressions,
    functions_in,
    given_in,
    own_names,
    parameters,
    self_name,
    statements_in,
)
from dlint.streams.batches.arguments import given_to, is_decorated
from dlint.streams.batches.by_next import ByNext, loop_of_run, loops_by_next
from dlint.streams.batches.handed_on import gives_as_is, handed_through, yielding
from dlint.streams.batches.joined import joined_in, joins_own
from dlint.streams.batches.put_by_helpers import GivenBack, Put, as_outside, given_back, put_by
from dlint.streams.batches.rounds import batch_in
from dlint.streams.memory.emptied import emptied, lasts_in, may_empty
from dlint.streams.memory.held import Held
from dlint.streams.memory.loops import called_on, telling
from dlint.streams.memory.overwritten import overwritten_by
from dlint.streams.memory.places import Named, named
from dlint.streams.memory.transfer import go_through
from dlint.values.frame import Point, arguments_of
from dlint.values.functions import passed
from dlint.values.values import Class, Const, External, Function, Instance, Key, Made, Unknown, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.iteration import Iterations
    from dlint.loaders.loaders import Loader
# So many functions, one called by the other, of which the last may put something aside.
_FAR = 3


class Spot:
    """Where a statement stands; what needs to be evaluated there is asked only of what may keep batches."""

    def __init__(
        self, evaluator: Evaluator, answers: dict[Key, Any], module: Module, trail: list[ast.AST]
    ) -> None:
        self._evaluator = evaluator
        self._answers = answers
        self._module = module
        self._trail = list(trail)
        self._point: Point | None = None
        self._told: dict[str, ast.For] | None = None
        self._statements: dict[int, ast.stmt] | None = None
        self._calls_around = 0
        self._called_from = module
        self._called_in: FunctionNode | None = None  # the function around the call

    @property
    def module(self) -> Module:
        """The file that it stands in."""
        return self._module

    @property
    def point(self) -> Point:
        """The point before the statement."""
        if self._point is None:
            self._evaluator.start()
            self._point = self._evaluator.sites.point_of(self._module, self._trail)
        return self._point

    def values(self, node: ast.expr) -> list[Value]:
        """What an expression may be where it stands, or, made up, inside the loop over what it is an
        attribute of."""
        found = {value.key: value for value, _ in self._evaluator.values(node, self.at(node))}
        return list(found.values())

    def numbers(self, node: ast.expr) -> list[int]:
        """The whole numbers that an expression may be where it stands, as far as they are known."""
        held = [each.value for each in self.values(node) if isinstance(each, Const)]
        return [number for number in held if isinstance(number, int)]

    def at(self, node: ast.expr) -> Point:
        """The point before the statement that an expression stands in: what is found out of it is remembered
        for whoever asks of it next."""
        if self._statements is None:
            last = self._trail[-1]
            block = last.body if isinstance(last, FunctionNode) else [last]
            self._statements = {
                id(part): inner
                for inner in statements_in([each for each in block if isinstance(each, ast.stmt)])
                for expression in expressions(inner)
                for part in walk(expression)
            }
        inner = self._statements.get(id(node))
        if inner is not None:
            return Point(self.point.frame, inner)
        loop = self._loops.get((dotted(called_on(node)) or "").partition(".")[0]) if self._loops else None
        return self.point if loop is None else Point(self.point.frame, loop.body[0])

    def assigned(self, name: str) -> Iterator[ast.expr]:
        """What the function around the statement, or the module, assigns to a name, or to several with it."""
        scope = next(each for each in reversed(self._trail) if isinstance(each, FunctionNode | ast.Module))
        for each in statements_in(scope.body):
            if isinstance(each, ast.Assign) and name in own_names(each):
                yield each.value

    def by_next(self, loop: ast.For | ast.While) -> list[ByNext]:
        """The same loop as one over each of the iterators that it asks for the next thing; what is made up
        is kept as long as the answers about it, which go by its identity."""
        found = [*loops_by_next(loop)]
        if found:
            self._answers[(Spot.by_next, id(loop))] = (loop, found)
        return found

    def by_engine(self, statement: ast.stmt) -> ast.For | None:
        """The loop that a statement is in which an engine runs over a loader; kept as long as the answers
        about it."""
        match statement:
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(attr="run") as run))
                | ast.Assign(value=ast.Call(func=ast.Attribute(attr="run") as run))
            ) if any(isinstance(value, External) and value.name in RUNS for value in self.values(run)):
                made = loop_of_run(statement, STEP)
                self._answers[(Spot.by_engine, id(statement))] = (statement, made)
                return made
        return None

    def nearly_always(self, test: ast.expr, wanted: bool) -> bool:
        """Whether a test inside the statement comes out as ``wanted`` in nearly all rounds."""
        return nearly_always(self._evaluator, test, wanted, self.at(test))

    def lets_through(self, test: ast.expr, wanted: bool) -> bool:
        """Whether a test inside the loop is the same in all rounds, or comes out as ``wanted`` in nearly
        all."""
        loop = self._trail[-1]
        for always in (wanted, not wanted):
            if self.nearly_always(test, always):
                return always is wanted
        return isinstance(loop, ast.stmt) and lets_through(test, wanted, loop, self.at(test), alone=True)

    def is_given(self, name: str) -> bool:
        """Whether the function around the statement is given what a name stands for there."""
        scope = next(each for each in reversed(self._trail) if isinstance(each, FunctionNode | ast.Module))
        return not isinstance(scope, ast.Module) and any(each.arg == name for each in parameters(scope))

    @property
    def _loops(self) -> dict[str, ast.For]:
        """The loops inside the statement, or the function, whose targets are told of each batch, by what
        these are called."""
        if self._told is None:
            loop = self._trail[-1]
            told = telling(loop) if isinstance(loop, ast.For | ast.FunctionDef) else {}
            self._told = {name: inner[0] for name, inner in told.items()}
        return self._told

    def hands_on(self, callee: ast.expr) -> bool:
        """Whether a call hands on the memory of what it is given."""
        name = bare_name(callee)
        if not may_hand_memory_on(name):
            return False
        values = self.values(callee)
        return bool(values) and all(
            isinstance(value, External) and hands_memory_on(value.name) for value in values
        )

    def is_record(self, callee: ast.expr) -> bool:
        """Whether a call makes a named tuple, or an object of a dataclass, of what it is given."""
        values = self.values(callee)
        return bool(values) and all(map(self._is_record, values))

    def keys_in(self, node: ast.expr) -> list[str | int]:
        """All that something holds, in order, where these are known keys."""
        values = self.values(node)
        held = self._evaluator.containers.all_of(values[0]) if len(values) == 1 else None
        constants = [each.value for each in held or () if isinstance(each, Const)]
        keys = [each for each in constants if isinstance(each, str | int)]
        return keys if held is not None and len(keys) == len(held) else []

    def _is_record(self, value: Value) -> bool:
        match value:
            case Made(name=name):
                return name in NAMED_TUPLES
            case Class(node=node):
                is_plain = not self._evaluator.classes.member(value, "__post_init__")
                is_data = any(
                    (dotted(each.func if isinstance(each, ast.Call) else each) or "").endswith("dataclass")
                    for each in node.decorator_list
                )
                return (is_data and is_plain) or bool(NAMED_TUPLES & self._evaluator.classes.libraries(value))
        return False

    def loaders(self, iterations: Iterations, source: ast.expr) -> list[Loader]:
        """The loaders that an iterable goes through, be it by a generator of the project that hands on each
        batch."""
        found = list(iterations.loaders_of(source, self.point))
        if found and not self._gives_as_is(source):
            return []
        if found or not isinstance(source, ast.Call) or not (source.args or source.keywords):
            return found
        for value in self.values(source.func):
            if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                given = passed(value, source).get(handed_through(value.node) or "")
                found += iterations.loaders_of(given, self.point) if given is not None else []
        return found

    def yielded(self, source: ast.expr) -> Yielded | None:
        """What a call gives, one after another, of a generator that makes something else of each batch:
        ``yield model(images), labels``."""
        if not isinstance(source, ast.Call):
            return None
        match self.values(source.func):
            case [Function(node=ast.FunctionDef() as node) as function] if not is_decorated(node):
                found = yielding(node) if handed_through(node) is None else None
                if found is None:
                    return None
                loop, value, before = found
                inside = self._inside(function, source)
                batch = batch_in(loop.target, loop.iter, inside.assigned)
                if batch is None:
                    return None
                held = Held(named(batch, Named(())), inside)
                go_through(held, before, inside.overwrites)
                return Yielded(loop.iter, inside, value, held)
        return None

    def _gives_as_is(self, source: ast.expr) -> bool:
        """Whether an object of the project that is gone through gives the batches as they are: one that moves
        them to the GPU or scales them gives other memory."""
        classes = self._evaluator.classes
        return all(
            gives_as_is(method.node)
            for value in self.values(source)
            if isinstance(value, Instance)
            for name in ("__iter__", "__next__")
            for method in classes.methods(value, name)
            if isinstance(method.node, ast.FunctionDef)
        )

    def joins(self, into: ast.expr, *, by_method: bool) -> bool:
        """Whether the function joins what a list holds, which only tensors can be (``torch.cat(kept)``), or
        what each list of a dict does, or, asked ``by_method``, one of the object whose list it is
        (``torch.cat(self.kept)``)."""
        if joined_in(self._evaluator, into, self.point.frame.scope, self.point):
            return True
        if not by_method or not isinstance(into, ast.Attribute):
            return False
        owners = self.values(into.value)
        return bool(owners) and all(
            isinstance(owner, Instance) and joins_own(self._evaluator, owner, into.attr) for owner in owners
        )

    def puts_by(self, call: ast.Call, held: Held | None) -> list[Put]:
        """Where a call of a function of the project puts some of its arguments, of what is ``held``: of any
        where nobody says."""
        if self._calls_around >= _FAR:
            return []
        values = [value for value in self.values(call.func) if not isinstance(value, Unknown)]
        if len(values) > 1 and (dotted(called_on(call.func)) or "").partition(".")[0] not in self._loops:
            return []  # it may be the one or the other
        found: list[Put] = []
        for value in values:
            called = self._evaluator.classes.methods(value, "__call__") if isinstance(value, Instance) else []
            match called[0] if len(called) == 1 else value:
                case Function(node=ast.FunctionDef() as node) as function if not is_decorated(node):
                    found += put_by(
                        node,
                        call,
                        given_to(function, node, call, self.once),
                        held,
                        self._inside(function, call),
                    )
        return found

    def gives(self, call: ast.Call, held: Held) -> GivenBack | None:
        """What a call of a function of the project gives back, where that has parts of what is ``held``."""
        told = given_in(call)
        if not any(held.views(each) for each in told):
            return None
        match self.values(call.func):
            case [Function(node=ast.FunctionDef() as node) as function] if not is_decorated(node):
                given = given_to(function, node, call, self.once)
                found = given_back(node, call, given, held, self._inside(function, call))
                return found if found is not None and found.views else None
        return None

    def _emptied_below(self, method: Function, call: ast.Call) -> Iterator[ast.expr]:
        """What a method empties that its object holds, or makes anew, as its caller would write it:
        ``self.meter.reset()``."""
        assert isinstance(method.node, ast.FunctionDef)
        own = f"{self_name(method.node)}."
        inside = self._inside(method, call)
        given = given_to(method, method.node, call, self.once)
        for node in walk(method.node):
            match node:
                case ast.Call(func=ast.Attribute(value=held) as callee) if (dotted(held) or "").startswith(
                    own
                ):
                    if any(
                        isinstance(value, Function)
                        and isinstance(value.node, FunctionNode)
                        and may_empty([value.node])
                        for value in inside.values(callee)
                    ) and not inside.puts_by(node, None):
                        yield as_outside(held, given)
                case ast.Attribute(ctx=ast.Store()) if (dotted(node) or "").startswith(own):
                    yield as_outside(node, given)

    def _inside(self, function: Function, call: ast.Call) -> Spot:
        """The beginning of a function that is called."""
        assert isinstance(function.node, ast.FunctionDef)
        inside = Spot(self._evaluator, self._answers, function.module, [function.node])
        at = self.at(call)
        frame = self._evaluator.calls.enter(function, arguments_of(call, at), call, at)
        inside._point = Point(frame, function.node.body[0])
        inside._calls_around = self._calls_around + 1
        inside._called_from = self._module
        inside._called_in = next(
            (each for each in reversed(self._trail) if isinstance(each, FunctionNode)), None
        )
        return inside

    def is_method(self, callee: ast.Attribute) -> bool:
        """Whether what is called may be a method of an object, and is no object that it holds: its class, if
        that is known, stores one there."""
        values = self.values(callee)
        if values and not any(isinstance(value, Function | Unknown) for value in values):
            return False
        for owner in self.values(callee.value):
            if not isinstance(owner, Instance):
                return True
            line = self._evaluator.classes.line(owner.cls)
            methods = [each for above in line for each in functions_in(above.node.body)]
            if any(each.name == callee.attr for each in methods) or not any(
                f"{self_name(each)}.{callee.attr}" in own_names(statement)
                for each in methods
                for statement in statements_in(each.body)
            ):
                return True
        return False

    def lasts(self, name: str) -> bool:
        """Whether a name, as a function that is called has it, is one of the module, which calls the function
        itself, and nobody empties what it stands for, or gives it to another name; no other file has it from
        there. Of a function that is defined inside another, it is one of that, which calls it."""
        module = self._module
        if self._called_from is not module or not name:
            return False
        outer = self.point.frame.outer
        if outer is not None and isinstance(outer.scope, ast.FunctionDef):
            return outer.scope is self._called_in and lasts_in(outer.scope, name)
        knowing = self._evaluator.modules.index.knowing(name, module.relative)
        return set(knowing) <= {module.relative} and lasts_in(module.tree, name)

    def once(self, mark: Key, make: Callable[[], ast.expr]) -> ast.expr:
        """An expression that is made up, the same each time: what is found out of it goes by its identity."""
        if mark not in self._answers:
            self._answers[mark] = make()
        made: ast.expr = self._answers[mark]
        return made

    def overwrites(self, call: ast.Call) -> list[tuple[ast.expr, object]]:
        """The arguments of which a call overwrites entries, and the keys."""
        return overwritten_by(self.values(call.func), call)

    def empties(self, call: ast.Call) -> list[ast.expr]:
        """The arguments that a function of the project empties."""
        found: list[ast.expr] = []
        for value in self.values(call.func):
            if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef):
                given = passed(value, call)
                found += [given[name] for name in emptied(value.node) if name in given]
                if isinstance(value.receiver, Instance) and isinstance(call.func, ast.Attribute):
                    line = self._evaluator.classes.line(value.receiver.cls)
                    methods = [each for above in line for each in functions_in(above.node.body)]
                    if not self.puts_by(call, None) and may_empty(methods):
                        found.append(call.func.value)
                    found += self._emptied_below(value, call)
        return found


class Yielded(NamedTuple):
    """What a generator of the project gives in each round of a loop over batches: what that goes through,
    and where; what it gives, and what has a batch's memory there."""

    source: ast.expr
    spot: Spot
    value: ast.expr
    held: Held
