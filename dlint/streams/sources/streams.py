"""Streams: whether what an iteration gives is known to be all of a finite source.

A generator gives what the loops around its ``yield`` go over; other functions give what they return.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.evaluation.library.tasks import run_by, task_of
from dlint.knowledge.iterables import AGAIN, ENDS, MAPS, PASSES_ON, gives_all, may_be_indexed, shuffles
from dlint.source.nodes import Comprehension, walk
from dlint.source.statements import parameters, statements_in, target_names
from dlint.streams.sources.counting import Counting, kinds_of
from dlint.streams.sources.kinds import DATA, NOTHING, RANGE, SHARE, Kinds, known_together
from dlint.streams.sources.passages import passages
from dlint.streams.sources.rounds import Rounds
from dlint.streams.sources.wholes import Wholes, written_at
from dlint.streams.sources.yields import Yields, leave_behind_shares
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    GENERATOR,
    Class,
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
    is_none,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# Functions, one inside another, that a stream is followed through: stages around stages, two for each.
_FAR = 24
# What goes through each of its arguments, however many there are: ``zip(*readers)``.
_TAKES_ALL = frozenset({"builtins.zip", "itertools.chain", "itertools.zip_longest"})
_TOO_FAR: tuple[int, Key] = (0, "far")
_ANYWHERE = -1

# What is stored in an attribute of which more can be told than what the values there are.
_TELLS = ast.Subscript | ast.Name | ast.Call | ast.GeneratorExp | ast.ListComp | ast.BoolOp | ast.IfExp


class Streams:
    """Follows iterations to their sources; ``passed`` are the functions that it has come through, and frames.

    ``is_set`` tells whether other code may set an attribute of an object after the class has. A function that
    ``divides`` is not followed: ``shares`` are those, and ``beside`` the objects that are gone through where
    none does.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        is_set: Callable[[Instance, str], bool],
        divides: Callable[[ast.AST, Frame], bool] | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._is_set = is_set
        self._divides = divides
        self.passed: list[tuple[ast.AST, Frame]] = []
        self.shares: list[tuple[ast.AST, Frame]] = []
        self.beside: list[tuple[Instance, World]] = []
        self._counting = Counting(self, evaluator)
        self._rounds = Rounds(self, evaluator)
        self._yields = Yields(self, self._rounds, self._counting, self.beside)
        self._wholes = Wholes(self, evaluator)
        self._ended = 0  # how many calls that end by themselves lie around what is looked at
        self._open: set[tuple[int, Key]] = set()  # the expressions that are being looked at
        # What those read that have been looked at, and how far away they are where that has cut the answer
        # short; the world and the node keep their numbers while they are here. Stages around stages would be
        # gone through twice for each that has two ways on.
        self._known: dict[tuple[int, Key, int, bool, int], tuple[Kinds, World, ast.expr]] = {}
        # What has cut short what is being looked at: expressions around it, or how far away it is.
        self._cut_by: set[tuple[int, Key]] = set()

    def of_function(self, function: Function, frame: Frame, world: World, far: int = 0) -> Kinds:
        """What iterating over the result of a function of the program reads."""
        node = function.node
        if self._divides is not None and self._divides(node, frame):
            self.shares.append((node, frame))
            return SHARE
        self.passed.append((node, frame))
        if far > _FAR:
            return self.too_far()
        if isinstance(node, ast.AsyncFunctionDef):
            return None
        far += 1
        if isinstance(node, ast.Lambda):
            return self.of_expression(node.body, Point(frame, None), world, far)
        gives = list(passages(node.body, ()))
        if gives:
            return known_together([self._yields.of(each, frame, world, far) for each in gives])
        found: list[Kinds] = []
        for statement in statements_in(node.body):
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    return None
                if isinstance(statement.value, ast.Name) and _is_own(statement.value.id, function):
                    found.append(self._of_next(function, world, far))
                    continue
                found.append(self.of_expression(statement.value, Point(frame, statement), world, far))
        return known_together(found)

    def _of_next(self, function: Function, world: World, far: int) -> Kinds:
        """What an object reads that is its own iterator: what ``__next__`` compares the length of before it
        says that there is no more."""
        assert isinstance(function.receiver, Instance)
        found: list[Kinds] = []
        for method in self._evaluator.classes.methods(function.receiver, "__next__"):
            if isinstance(method.node, ast.Lambda):
                return None
            frame = self._evaluator.calls.enter(method, Arguments(), None, None)
            self.passed.append((method.node, frame))
            for statement in statements_in(method.node.body):
                if isinstance(statement, ast.If) and _says_no_more(statement.body):
                    for node in walk(statement.test):
                        match node:
                            case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as whole]):
                                found.append(self.of_expression(whole, Point(frame, statement), world, far))
        return known_together(found)

    def too_far(self) -> Kinds:
        """Nothing that is known: what would be looked at is too far away."""
        self._cut_by.add(_TOO_FAR)
        return None

    def of_expression(self, node: ast.expr, point: Point, world: World, far: int = 0) -> Kinds:
        """What iterating over an expression reads."""
        spend(1)
        mark = (id(node), point.key)
        if mark in self._open:
            self._cut_by.add(mark)
            return None
        whole = (*mark, id(world), self._ended > 0, _ANYWHERE)
        known = self._known.get(whole)
        if known is not None:
            return known[0]
        here = (*mark, id(world), self._ended > 0, far)
        known = self._known.get(here)
        if known is not None:
            self._cut_by.add(_TOO_FAR)
            return known[0]
        around, self._cut_by = self._cut_by, set()
        self._open.add(mark)
        try:
            kinds = self._read_by(node, point, world, far)
        finally:
            self._open.discard(mark)
            cut_by = self._cut_by - {mark}
            self._cut_by = around | cut_by
        # What hangs on the expressions around it may be another answer elsewhere.
        if cut_by <= {_TOO_FAR}:
            self._known[here if cut_by else whole] = kinds, world, node
        return kinds

    def _read_by(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        match node:
            case ast.Call():
                return self._of_call(node, point, world, far)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return DATA
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._of_comprehension(node, point, world, far)
            case ast.IfExp():
                return known_together(
                    [self.of_expression(part, point, world, far) for part in (node.body, node.orelse)]
                )
            case ast.Name(id=name) if name not in point.locals and name in point.frame.layout.binds:
                return self._of_variable(node, point, world, far)
            case ast.Name(id=name) if (given := written_at(name, point)) is not None:
                return self.of_expression(*given, world, far)
            case ast.Attribute():
                kinds = self._of_values(node, point, world, far)
                return kinds if kinds is not None else self._of_stored_parts(node, point, world, far)
            case ast.Subscript():
                kinds = self._of_values(node, point, world, far)
                if kinds is None and self._wholes.is_part(node, point, world):
                    kinds = self._wholes.of(node.value, point, world)
                if kinds is None and isinstance(node.slice, ast.Constant):
                    kinds = self._wholes.of_entries(node.value, node.slice.value, point, world, far)
                return kinds if kinds is not None else self._of_item(node, point, world, far)
        return self._of_values(node, point, world, far)

    def _of_item(self, node: ast.Subscript, point: Point, world: World, far: int) -> Kinds:
        """What an item reads that objects of the program give by a method of theirs: ``yield from
        self.clips[i]``."""
        found: list[Kinds] = []
        for owner, w in self._evaluator.values(node.value, point, world):
            methods = (
                self._evaluator.classes.methods(owner, "__getitem__") if isinstance(owner, Instance) else []
            )
            if not methods:
                return None
            for method in methods:
                given = Arguments([Argument(node.slice, point)])
                frame = self._evaluator.calls.enter(method, given, node, point)
                found.append(self.of_function(method, frame, w, far))
        return known_together(found)

    def keeps(self, node: ast.expr, point: Point, world: World) -> bool:
        """Whether an expression is an attribute that nothing stores but the constructors of its object, so
        that all workers have the same."""
        if not isinstance(node, ast.Attribute):
            return False
        owners = [value for value, _ in self._evaluator.values(node.value, point, world)]
        return bool(owners) and all(
            isinstance(owner, Instance)
            and not self._evaluator.construction.touching(owner.cls, node.attr)
            and not self._is_set(owner, node.attr)
            for owner in owners
        )

    def _of_stored_parts(self, node: ast.Attribute, point: Point, world: World, far: int) -> Kinds:
        """What an object keeps that values forget where it is from: a part of what was read whole
        (``self.rows = numpy.load(path)["rows"]``), a generator; or what it was made with, where workers of
        others alone store anything else there."""
        found: list[Kinds] = []
        for owner, w in self._evaluator.values(node.value, point, world):
            if not isinstance(owner, Instance):
                return None
            if self._evaluator.construction.touching(owner.cls, node.attr):
                return None  # not only __init__ stores it
            if self._is_set(owner, node.attr):
                return None
            for _, _, at, stored_in in self._evaluator.construction.stores(owner, w, {node.attr}):
                stored = getattr(at.statement, "value", None)
                if not isinstance(stored, _TELLS):
                    return None
                found.append(self.of_expression(stored, at, stored_in, far))
        return known_together(found)

    def _of_comprehension(
        self,
        node: Comprehension,
        point: Point,
        world: World,
        far: int,
    ) -> Kinds:
        inside = self._evaluator.inside(node, point)
        met = len(self.beside)
        found: list[Kinds] = []
        for which, generator in enumerate(node.generators):
            kinds = self.of_expression(generator.iter, inside, world, far)
            before = node.generators[:which]
            if kinds is None and self._rounds.records.is_made_inside(generator.iter, before, inside, world):
                kinds = DATA
            found.append(kinds)
        leave_behind_shares(self.beside, found, met)
        kinds = known_together(found)
        if kinds != RANGE:
            return kinds
        names = {name for generator in node.generators for name in target_names(generator.target)}
        made = node.value if isinstance(node, ast.DictComp) else node.elt
        return kinds_of(self._counting.of_element(made, names, inside, world))

    def _of_variable(self, node: ast.Name, point: Point, world: World, far: int) -> Kinds:
        found: list[Kinds] = []
        definitions = self._evaluator.flow.definitions(node.id, point, world, anew=True)
        for statement, w in definitions:
            match statement:
                case ast.Assign(targets=[ast.Name()], value=value):
                    found.append(self.of_expression(value, Point(point.frame, statement), w, far))
                case ast.With(items=[ast.withitem(context_expr=value)]):
                    found.append(self.of_expression(value, Point(point.frame, statement), w, far))
                case None if (given := written_at(node.id, point)) is not None:
                    # A step that stores entries of the elements of a parameter leaves none of them out.
                    found.append(self.of_expression(*given, w, far))
                case _:
                    found.append(self._of_values(node, point, w, far))
        return known_together(found)

    def _of_call(self, node: ast.Call, point: Point, world: World, far: int) -> Kinds:
        found: list[Kinds] = []
        for callee, w in self._evaluator.values(node.func, point, world):
            match callee:
                case External() if callee.name in PASSES_ON and not any(
                    isinstance(argument, ast.Starred)
                    for argument in (node.args[:-1] if callee.name in _TAKES_ALL else node.args)
                ):
                    given = node.args[PASSES_ON[callee.name]]
                    ends = callee.name == ENDS and self._has_stop(node, point, w)
                    self._ended += int(ends)
                    kinds = known_together([self._of_given(part, point, w, far) for part in given])
                    self._ended -= int(ends)
                    if callee.name in MAPS and kinds == RANGE:
                        kinds = self._mapped(self._evaluator.values(node.args[0], point, w))
                    found.append(kinds)
                case External(name="itertools.chain.from_iterable") if len(node.args) == 1:
                    found.append(self._rounds.chained.of(node.args[0], point, w, far))
                case External(name="builtins.range"):
                    found.append(self._counting.of_range(node.args, point, w))
                case External() if callee.name == AGAIN and self._ended and len(node.args) == 1:
                    found.append(self.of_expression(node.args[0], point, w, far))
                case External() if (task := task_of(callee)) is not None:
                    found.append(self._of_task(task, node, point, w, far))
                case External():
                    found.append(DATA if shuffles(callee.name) else _of_maker(callee.name))
                case Partial(callee=External(name=name)) if name.startswith(
                    ("builtins.dict.", "builtins.list.")
                ):
                    found.append(DATA)
                case Function():
                    frame = self._evaluator.calls.enter(callee, arguments_of(node, point), node, point)
                    found.append(self.of_function(callee, frame, w, far))
                case Partial(callee=Function() as function, arguments=first):
                    arguments = arguments_of(node, point).after(first)
                    frame = self._evaluator.calls.enter(function, arguments, node, point)
                    found.append(self.of_function(function, frame, w, far))
                case Class():
                    found.append(self._of_values(node, point, w, far))
                case Instance() if methods := self._evaluator.classes.methods(callee, "__call__"):
                    for method in methods:
                        frame = self._evaluator.calls.enter(method, arguments_of(node, point), node, point)
                        found.append(self.of_function(method, frame, w, far))
                case Unknown() if _permutes(node):
                    found.append(DATA)
                case _:
                    return None
        return known_together(found)

    def _of_given(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        """What an argument reads that is gone through, or each of several: ``zip(*readers)``."""
        if isinstance(node, ast.Starred):
            return self._rounds.chained.of(node.value, point, world, far)
        return self.of_expression(node, point, world, far)

    def _of_task(self, task: Made, node: ast.Call, point: Point, world: World, far: int) -> Kinds:
        """What is read by what a pool's task gives."""
        run = run_by(task)
        if run is None:
            return None
        function, arguments = run
        found: list[Kinds] = []
        for value, w in self._evaluator.value_of(function, world):
            if isinstance(value, Function):
                frame = self._evaluator.calls.enter(value, arguments, task.node, task.point)
                found.append(self.of_function(value, frame, w, far))
            else:
                found.append(self._of_values(node, point, w, far))
        return known_together(found)

    def _has_stop(self, node: ast.Call, point: Point, world: World) -> bool:
        """Whether ``islice`` is told where to end, which may be a multiple of what there is."""
        stop = node.args[1:2] if len(node.args) == 2 else node.args[2:3]
        given = [value for each in stop for value, _ in self._evaluator.values(each, point, world)]
        return bool(given) and not any(map(is_none, given))

    def _of_values(self, node: ast.expr, point: Point, world: World, far: int) -> Kinds:
        values = self._evaluator.values(node, point, world)
        return known_together([self.of_value(value, w, far) for value, w in values])

    def of_value(self, value: Value, world: World, far: int) -> Kinds:
        """What iterating over a value reads."""
        match value:
            case Items(kind=kind):
                return DATA if kind != GENERATOR else None  # which may be without an end
            case Table():
                return DATA
            case Const():
                if value.value is None:
                    return NOTHING  # an error: what comes to its items is something else
                return DATA if isinstance(value.value, str | bytes) else None
            case Made() if value.name in PASSES_ON:
                given = value.arguments.positional[PASSES_ON[value.name]]
                parts = [
                    self.of_expression(a.expression, a.point, world, far)
                    for a in given
                    if a.expression is not None and a.point is not None
                ]
                kinds = known_together(parts) if len(parts) == len(given) else None
                if value.name in MAPS and kinds == RANGE:
                    kinds = self._mapped(self._evaluator.value_of(value.arguments.positional[0], world))
                return kinds
            case Made() | External(owner=Made()) if may_be_indexed(value.name):
                return DATA if self._wholes.is_indexed(value, world) else None
            case Made(name="builtins.range", node=ast.Call() as call):
                return self._counting.of_range(call.args, value.point, world)
            case Made():
                return _of_maker(value.name)
            case Instance():
                return self._of_instance(value, world, far)
        return None

    def _mapped(self, functions: list[Outcome]) -> Kinds:
        """What ``map`` makes of numbers."""
        return known_together([kinds_of(self._counting.of_mapped(value, w)) for value, w in functions])

    def _of_instance(self, value: Instance, world: World, far: int) -> Kinds:
        methods = self._evaluator.classes.methods(value, "__iter__")
        if methods:
            self.beside.append((value, world))
            return known_together(
                [
                    self.of_function(
                        method, self._evaluator.calls.enter(method, Arguments(), None, None), world, far
                    )
                    for method in methods
                ]
            )
        return DATA if self._evaluator.classes.methods(value, "__getitem__") else None


def _is_own(name: str, function: Function) -> bool:
    """Whether a name is the object that a method is of."""
    own = parameters(function.node)[:1]
    return isinstance(function.receiver, Instance) and bool(own) and own[0].arg == name


def _permutes(call: ast.Call) -> bool:
    """Whether a call gives everything there is in another order, whichever generator it asks for that:
    ``self._generators[key].permutation(n)``."""
    match call:
        case ast.Call(func=ast.Attribute(attr="permutation"), args=[given]):
            return not isinstance(given, ast.Starred)
    return False


def _says_no_more(block: list[ast.stmt]) -> bool:
    last = block[-1]
    raised = last.exc if isinstance(last, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "StopIteration"


def _of_maker(name: str) -> Kinds:
    if name == "builtins.range":
        return RANGE
    return DATA if gives_all(name) else None
