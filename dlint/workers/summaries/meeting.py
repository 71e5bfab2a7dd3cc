"""What one function runs: the calls that the walk through it meets, each with the conditions it stands in.

Nothing is assumed about who calls the function: a *step* is what happens in it, in the worlds of the function
itself, and whoever follows worker code joins these with its own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dlint.calls.leads import is_data_method, is_own, sorted_by
from dlint.calls.parameters.written import written
from dlint.knowledge.callbacks import (
    PLAIN_BUILTINS,
    called_parts,
    element_arguments,
    goes_through,
    is_builder,
    is_called_for_others,
    takes_callbacks,
)
from dlint.knowledge.loading import HAND_ON, is_dataset
from dlint.knowledge.processes.handles import READ_BY_NAME
from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of, told_beside
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Partial,
    Unknown,
    Value,
    number,
)
from dlint.values.worlds import World
from dlint.workers.parts.composed import made_of
from dlint.workers.summaries.listed import listed

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_CALLED_BY_TORCH = ("__call__", "forward")
_MOST_PARTS = 40
# How a function is written that a call is given.
_FUNCTIONS = (ast.Lambda, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_GIVES_FUNCTION = ("fn", "func", "function", "target")
# What a decorator is given stands for the function, which is looked at by itself, with the arguments of its
# callers: what it gets through `*args` says less.
DECORATED: Final = ("decorated",)


class Noted(NamedTuple):
    """A library is called; ``owner`` is the object that the method is of."""

    name: str
    owner: Made | None
    node: ast.AST
    at: Point


class Entered(NamedTuple):
    """A function of the program is called; ``arguments`` is None where any call may be meant, ``node`` and
    ``at`` where a library calls it."""

    function: Function
    arguments: Arguments | None
    node: ast.AST | None
    at: Point | None


class Asked(NamedTuple):
    """A dataset of a library is asked for an item."""

    value: Value


Step: TypeAlias = Noted | Entered | Asked


class Meeting:
    """Collects the steps of one function, or of one call."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._found: dict[Key, tuple[Step, list[World]]] = {}

    @property
    def steps(self) -> list[tuple[Step, list[World]]]:
        """The steps in the order in which they were met, each with the worlds in which it happens."""
        return list(self._found.values())

    # What the walk meets

    def call(self, node: ast.Call, at: Point, world: World) -> None:
        """A call."""
        if isinstance(node.func, ast.Attribute) and is_data_method(node.func, at.frame):
            self._by_key(node, at, world)
            return
        arguments = arguments_of(node, at)
        for callee, w in self._in_worker(node.func, at, world):
            self.called(callee, arguments, node, at, w)
            if isinstance(callee, Unknown | External):
                self._by_key(node, at, w)
            if isinstance(callee, Unknown) and isinstance(node.func, ast.Attribute):
                self._handed(node.func.attr, arguments, at, w)
            if isinstance(callee, Unknown) or (isinstance(callee, Made) and is_builder(callee.name)):
                if isinstance(callee, Unknown) and (
                    _is_decorated(callee) or _is_foreign_method(node.func, at)
                ):
                    continue
                for function in listed(self._evaluator, node.func, at):
                    self.called(function, arguments, node, at, w)
                for each in self._evaluator.registries.callables(at.frame, callee):
                    if self._evaluator.registries.takes(each, arguments):
                        self.called(each, arguments, node, at, w)

    def subscript(self, node: ast.Subscript, at: Point, world: World) -> None:
        """``value[...]``, where an object of the program or of a library may be asked for an item."""
        if not isinstance(node.ctx, ast.Load) or (
            self._is_item(node.value, at) and not self._is_held(node.value, at)
        ):
            return
        for value, w in self._in_worker(node.value, at, world):
            if isinstance(value, Instance):
                index = Arguments([Argument(node.slice, at)])
                for method in self._evaluator.classes.methods(value, "__getitem__"):
                    self._enter(method, index, node, at, w)
            elif isinstance(value, Made) and (is_dataset(value.name) or value.name in HAND_ON):
                self._add(("asked", value.key), Asked(value), w)
            elif isinstance(value, Made) and value.name in READ_BY_NAME:
                self._note(f"{value.name}().[]", value, node, at, w)

    def iteration(self, node: ast.expr, at: Point, world: World) -> None:
        """Going through what may be an object of the program, be it beside others or one by one."""
        match node:
            case ast.Call(func=ast.Name(id="enumerate" | "iter" | "zip"), args=given):
                for argument in given:
                    self.iteration(argument, at, world)
        if not _may_be_gone_through(node) or (self._is_item(node, at) and not self._is_held(node, at)):
            return
        for value, w in self._in_worker(node, at, world):
            if isinstance(value, Instance):
                for name in ("__iter__", "__next__"):
                    for method in self._evaluator.classes.methods(value, name):
                        self._enter(method, Arguments(), node, at, w)

    def operation(self, node: ast.expr, at: Point, world: World) -> None:
        """An operator or a builtin, which may run a method of an object of the program."""
        for run in self._evaluator.leads.by_operator(node, at.frame):
            given = Arguments([Argument(each, at) for each in run.given])
            for value, w in self._in_worker(run.holder, at, world):
                if not isinstance(value, Instance):
                    continue
                for name in run.methods:
                    found = self._evaluator.classes.methods(value, name)
                    for method in found:
                        self._enter(method, given, node, at, w)
                    if found:
                        break

    def context(self, node: ast.expr, at: Point, world: World) -> None:
        """Entering and leaving what may be an object of the program with ``with``."""
        for value, w in self._in_worker(node, at, world):
            if isinstance(value, Instance):
                for name in ("__enter__", "__exit__"):
                    for method in self._evaluator.classes.methods(value, name):
                        self._enter(method, Arguments(), node, at, w)

    def attribute(self, node: ast.Attribute, at: Point, world: World) -> None:
        """Reading what may be a property: of the receiver, or of another object of the program."""
        receiver = at.frame.receiver
        if isinstance(node.value, ast.Name) and isinstance(receiver, Instance):
            self._property(receiver, node, at, world)
        if not isinstance(node.ctx, ast.Load) or not self._evaluator.leads.may_be_property(node.attr):
            return
        for value, w in self._in_worker(node.value, at, world):
            if isinstance(value, Instance):
                self._property(value, node, at, w)

    def _property(self, holder: Instance, node: ast.Attribute, at: Point, world: World) -> None:
        for value, owner in self._evaluator.classes.properties(holder.cls).get(node.attr, ()):
            getter = Function(value.node, value.frame, holder, owner)
            self._enter(getter, Arguments(), node, at, world)

    def _in_worker(self, node: ast.expr, at: Point, world: World) -> list[Outcome]:
        """What an expression may be where worker code looks at it."""
        library = self._evaluator.library
        return [each for each in self._evaluator.values(node, at, world) if library.may_be_in_worker(each[1])]

    def _is_item(self, node: ast.expr, at: Point) -> bool:
        """Whether an expression is a variable of the function itself: items on their way, not a dataset."""
        return isinstance(node, ast.Name) and (
            node.id in at.locals or self._evaluator.leads.is_item(node.id, at.frame)
        )

    def _is_held(self, node: ast.expr, at: Point) -> bool:
        """Whether an expression is a parameter for which the call gives what an object holds, or one of the
        caller's own that is: ``divided(self.shards)``."""
        frame: Frame = at.frame
        while isinstance(node, ast.Name) and node.id not in at.locals and node.id not in frame.layout.binds:
            if frame.arguments is None or not isinstance(frame.scope, FunctionNode):
                return False
            self._evaluator.parameters.reads.setdefault(frame.key, set()).add(node.id)
            given = written(node.id, frame.scope, frame.arguments, frame.receiver is not None)
            if given is None or given.expression is None or given.point is None:
                return False
            node, at, frame = given.expression, given.point, given.point.frame
        return isinstance(node, ast.Attribute)

    # What a call leads to

    def called(
        self,
        callee: Value,
        arguments: Arguments | None,
        node: ast.AST | None,
        at: Point | None,
        world: World,
        *,
        plain: bool = False,
    ) -> None:
        """The call of a value; ``plain``: a library calls it, with arguments nobody knows."""
        given = None if plain else arguments
        match callee:
            case Function():
                self._enter(callee, given if given is not None else Arguments(), node, at, world)
            case Partial():
                if isinstance(callee.callee, External) and node is not None and at is not None:
                    self.called(callee.callee, arguments, node, at, world)
                else:
                    both = (arguments or Arguments()).after(callee.arguments)
                    self.called(callee.callee, both, node, at, world)
            case Class():
                if node is not None and at is not None:
                    made = Instance(callee, arguments, node, at.key, at)
                    for value, owner in self._evaluator.classes.member(callee, "__init__"):
                        if isinstance(value, Function):
                            bound = Function(value.node, value.frame, made, owner)
                            self._enter(bound, arguments, node, at, world)
            case Instance():
                for method, own in when_called(self._evaluator, callee):
                    self._enter(method, given if own else None, node, at, world)
            case Made():
                if node is not None and at is not None:
                    self._note(f"{callee.name}().__call__", callee, node, at, world)
                self._parts(callee, world, set())
            case External():
                if node is not None and at is not None:
                    self._note(callee.name, callee.owner, node, at, world)
                    self._callbacks(callee, arguments or Arguments(), node, at, world)
                    if goes_through(callee.name) and isinstance(node, ast.Call):
                        for argument in node.args:
                            self.iteration(argument, at, world)

    def _parts(self, made: Made, world: World, seen: set[Key]) -> None:
        """A library's object is called: it calls the callables it was made of (``Compose([...])``)."""
        if made.key in seen or len(seen) > _MOST_PARTS:
            return
        seen.add(made.key)
        for value, w in made_of(self._evaluator, made, world):
            for part in value.items if isinstance(value, Items) else (value,):
                if isinstance(part, Made):
                    self._parts(part, w, seen)
                elif isinstance(part, Function | Partial | Instance):
                    self.called(part, None, None, None, w, plain=True)

    def _callbacks(
        self, callee: External, arguments: Arguments, node: ast.AST, at: Point, world: World
    ) -> None:
        """Functions handed to a library's call that will call them (``map``, ``submit``, ``Thread``)."""
        if callee.owner is not None and callee.name.endswith("().__call__"):
            self._parts(callee.owner, world, set())
        if not takes_callbacks(callee.name):
            return
        before = element_arguments(callee.name)
        for argument in arguments.all():
            if isinstance(argument.expression, _FUNCTIONS):
                given = arguments.positional[1:] if argument in arguments.positional[:1] else []
                for value, w in self._evaluator.value_of(argument, world):
                    if isinstance(value, Function | Partial) and before is not None and given:
                        elements = _elements(given[:1] if before else given, before, argument.expression)
                        self.called(value, elements, argument.expression, at, w)
                    elif isinstance(value, Function | Partial):
                        self.called(value, None, argument.expression, at, w, plain=True)
                    # A library's function is called by this call.
                    last = value.callee if isinstance(value, Partial) else value
                    if isinstance(last, External) and argument in _functions(arguments):
                        self._note(last.name, last.owner, node, at, w)

    def _by_key(self, node: ast.Call, at: Point, world: World) -> None:
        """A list that is sorted calls for each of its elements what it is to be sorted by."""
        key = sorted_by(node)
        for value, w in self._evaluator.values(key, at, world) if key is not None else ():
            if isinstance(value, Function | Partial):
                self.called(value, None, key, at, w, plain=True)

    def _handed(self, method: str, arguments: Arguments, at: Point, world: World) -> None:
        """Functions of the program handed to what is not known, by a method that calls what it is given:
        ``table[name].apply(clean)``."""
        if not is_called_for_others(method):
            return
        for argument in _functions(arguments):
            if isinstance(argument.expression, _FUNCTIONS):
                for value, w in self._evaluator.value_of(argument, world):
                    if isinstance(value, Function | Partial):
                        self.called(value, None, argument.expression, at, w, plain=True)

    def _note(self, name: str, owner: Made | None, node: ast.AST, at: Point, world: World) -> None:
        mark = ("noted", id(node), at.key, name, owner.key if owner is not None else None)
        self._add(mark, Noted(name, owner, node, at), world)

    def _enter(
        self,
        function: Function,
        arguments: Arguments | None,
        node: ast.AST | None,
        at: Point | None,
        world: World,
    ) -> None:
        given = told_beside(arguments, node) if arguments is not None else None
        receiver = function.receiver.key if function.receiver is not None else None
        place = (id(node), at.key if at is not None else None, given, arguments is None)
        mark = ("entered", id(function.node), function.frame.key, receiver, place)
        self._add(mark, Entered(function, arguments, node, at), world)

    def _add(self, mark: Key, step: Step, world: World) -> None:
        known = self._found.setdefault(mark, (step, []))[1]
        if not any(each is world for each in known):
            known.append(world)


def when_called(evaluator: Evaluator, value: Instance) -> list[tuple[Function, bool]]:
    """The methods that run when an object is called: its own, which get what the call gives (True), or
    those that a library's ``__call__`` asks for."""
    classes = evaluator.classes
    own = [method for name in _CALLED_BY_TORCH for method in classes.methods(value, name)]
    if own:
        return [(method, True) for method in own]
    names = {name for library in classes.libraries(value.cls) for name in called_parts(library)}
    return [(method, False) for name in sorted(names) for method in classes.methods(value, name)]


def _functions(arguments: Arguments) -> list[Argument]:
    """The arguments that what calls them takes for functions: the first, or what is named so."""
    named = [arguments.keywords[name] for name in _GIVES_FUNCTION if name in arguments.keywords]
    return [*arguments.positional[:1], *named]


def _elements(given: Sequence[Argument], before: int, function: ast.expr) -> Arguments:
    """The arguments of a function that gets elements, behind so many that are not known."""

    def unknown(place: int) -> Argument:
        return Argument(None, None, Unknown(("element", id(function), place)))

    return Arguments(
        [unknown(place) for place in range(before)]
        + [
            Argument(each.expression, each.point, element=True)
            if each.value is None and not each.element
            else unknown(before + place)
            for place, each in enumerate(given)
        ]
    )


def _is_decorated(callee: Unknown) -> bool:
    """Whether what is called is the function that a decorator was given."""
    return bool(callee.key == number(DECORATED))


def _may_be_gone_through(node: ast.expr) -> bool:
    """Whether an expression may be an object of the program that is gone through: one that is held, or that a
    call makes."""
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and node.func.id in PLAIN_BUILTINS)
    return isinstance(node, ast.Name | ast.Attribute)


def _is_foreign_method(function: ast.expr, at: Point) -> bool:
    """Whether what is called is a method of an object that nobody knows (``self.client.get``): none of the
    program's objects that are themselves called."""
    return isinstance(function, ast.Attribute) and not (
        isinstance(function.value, ast.Name)
        and at.frame.receiver is not None
        and is_own(function.value.id, at.frame)
    )
