"""Where a function goes that is mentioned and not called: into variables, dicts, attributes and parameters,
out of the functions that return it, up to the calls of what is there: ``LOADERS[kind](args)``,
``make = get_loader(kind); make(args)``, ``self.make(args)``.

The ways are read from the text, so they lead to calls of other things, too: who asks must look what each call
is of. What cannot be followed, an unknown call that gets the function before all, is told (``Ways.lost``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from dlint.calls.indirect.starting import Trail, handed_over, started
from dlint.calls.parameters.written import default_of
from dlint.knowledge.handing_on import GIVING, NAMESPACES, PUTTING, WITH_DEFAULT, WRAPPING, looks
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, bare_name, call_of, dotted, parameters, steps, target_names
from dlint.values.frame import Point
from dlint.values.functions import passed
from dlint.values.methods import is_property
from dlint.values.values import Class, External, Function, Instance

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

# So many places are looked at on the ways of one function: beyond, callers are missed, and it is lost.
_MOST = 96
# Of what more things one decorator registers, that is not followed: all of them would have to be looked at.
_MOST_REGISTERED = 256
# An attribute, or a variable that files import, is looked for in so many files that name it.
_MOST_FILES = 6
_LEADING = (
    ast.Call,
    ast.keyword,
    ast.Attribute,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.NamedExpr,
    ast.For,
    ast.comprehension,
    ast.Return,
    ast.arguments,
)
_HOLDING = (
    ast.Dict,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.IfExp,
    ast.BoolOp,
    ast.Starred,
    ast.Subscript,
    ast.DictComp,
    ast.ListComp,
)

# A call, the trail to what is called there, and the file.
Way: TypeAlias = tuple[ast.Call, Trail, Module]
# By a decorator's id: the calls of what it keeps, and whether there may be others.
Decorators: TypeAlias = dict[int, tuple[list[Way], bool]]


class Ways:
    """The ways of one function from a place that mentions it."""

    def __init__(self, evaluator: Evaluator, decorators: Decorators) -> None:
        self._evaluator = evaluator
        self._decorators = decorators
        self._waiting: list[tuple[Module, Trail]] = []
        self._seen: set[int] = set()
        self.lost = False

    @staticmethod
    def leads_on(trail: Trail) -> bool:
        """Whether what a trail leads to goes anywhere from there."""
        return len(trail) > 1 and isinstance(trail[-2], _LEADING + _HOLDING)

    def calls(self, module: Module, trail: Trail) -> Iterator[Way]:
        """The calls of what holds, or gives, what a trail leads to, each with the trail to what is called."""
        self._go(module, trail)
        yield from self._followed()

    def _followed(self) -> Iterator[Way]:
        while self._waiting:
            if len(self._seen) > _MOST:
                self.lost = True
                return
            here, at = self._waiting.pop(0)
            yield from self._step(here, at)

    def registered(self, decorators: list[ast.expr], point: Point) -> Iterator[Way]:
        """The calls of what decorators of the program keep of a function or class: ``@register("csv")``."""
        for decorator in decorators:
            for value, _ in self._evaluator.values(decorator, point):
                if isinstance(value, Function) and isinstance(value.node, FunctionNode):
                    yield from self._keeping(decorator, value, value.node)

    def _keeping(self, written: ast.expr, decorator: Function, node: FunctionNode) -> Iterator[Way]:
        """What the first parameter of a decorator leads to, found once for all that it decorates."""
        known = self._decorators.get(id(node))
        if known is None:
            self._decorators[id(node)] = [], True  # for whoever asks for it meanwhile
            ways = Ways(self._evaluator, self._decorators)
            found, whole = self._evaluator.apart(partial(ways.of_decorator, written, decorator, node))
            known = found, ways.lost or not found
            if whole:
                self._decorators[id(node)] = known
            else:
                del self._decorators[id(node)]
        self.lost = self.lost or known[1]
        # What the decorator itself calls, it calls with what the callers give (`calls.decorators`).
        yield from (way for way in known[0] if not any(each is node for each in way[1]))

    def of_decorator(self, written: ast.expr, decorator: Function, node: FunctionNode) -> list[Way]:
        """The calls that what a decorator is given leads to; none of one that is written too often."""
        names = [each.arg for each in node.args.args][1 if decorator.receiver is not None else 0 :]
        if not names or self._is_written_often(written):
            return []
        self._variable(decorator.module, names[0], node)
        return list(self._followed())

    def _is_written_often(self, decorator: ast.expr) -> bool:
        """Whether a decorator registers so many things that a call of what is asked for by a name tells
        nothing of any of them."""
        name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        index = self._evaluator.modules.index
        text = b"@%b" % (name or "").encode()
        files = index.naming(name.rpartition(".")[2]) if name else ()
        return sum(index.data(relative).count(text) for relative in files) > _MOST_REGISTERED

    def _go(self, module: Module, trail: Trail) -> None:
        if id(trail[-1]) not in self._seen:
            self._seen.add(id(trail[-1]))
            self._waiting.append((module, trail))

    def _step(self, module: Module, trail: Trail) -> Iterator[Way]:
        node, above = trail[-1], trail[-2] if len(trail) > 1 else None
        match above:
            case ast.Call(func=called) if called is node:
                yield above, trail, module
            case ast.Call() | ast.keyword():
                self._passed(module, trail)
            case ast.Attribute(attr=attribute, value=held) if held is node:
                call = trail[-3]
                if attribute in GIVING and isinstance(call, ast.Call) and call.func is above:
                    self._go(module, trail[:-2])
            case ast.Assign(targets=targets, value=value) if value is node:
                for target in targets:
                    self._stored(module, trail[:-1], target)
            case ast.AnnAssign(target=target, value=value) | ast.AugAssign(target=target, value=value):
                if value is node:
                    self._stored(module, trail[:-1], target)
            case ast.NamedExpr(target=target, value=value) if value is node:
                self._stored(module, trail[:-2], target)
                self._go(module, trail[:-1])
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                if value is node:
                    self._stored(module, trail[:-1], target)
            case ast.Return():
                self._returned(module, trail)
            case ast.arguments():
                self._default(module, trail)
            case _ if isinstance(above, _HOLDING):
                self._go(module, trail[:-1])

    def _stored(self, module: Module, trail: Trail, target: ast.expr) -> None:
        """Goes on with what is read from where a statement, to which a trail leads, stores it."""
        around = _function_around(trail)
        within = around if isinstance(around, FunctionNode) else None
        for each in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            base = steps(each)[0] if isinstance(each, ast.Subscript) else each
            match base:
                case ast.Name(id=name) if isinstance(around, ast.ClassDef):
                    self._attribute(module, name)
                case ast.Name(id=name):
                    self._variable(module, name, within)
                case ast.Attribute(attr=name):
                    self._attribute(module, name)
                case ast.Tuple() | ast.List():
                    for name in target_names(base):
                        self._variable(module, name, within)

    def _variable(self, module: Module, name: str, within: FunctionNode | None) -> None:
        """Goes on with where a variable is read: one of a function, or a module's, which files import."""
        if within is not None and _is_own(module, within, name):
            self._read(module, name, within)
            return
        self._read(module, name, None)
        index, home = self._evaluator.modules.index, module.relative
        renamed = index.renaming(name, home)
        files = [
            *index.knowing(name, home),
            *index.calling(name, home, method=False),
            *(relative for relative, _ in renamed),
        ]
        for other in self._each(files, home):
            for known_as in (name, *(each for relative, each in renamed if relative == other.relative)):
                self._read(other, known_as, None)

    def _read(self, module: Module, name: str, within: FunctionNode | None) -> None:
        for trail in module.paths_to(name):
            node = trail[-1]
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            if within is None or any(each is within for each in trail):
                self._go(module, trail)

    def _attribute(self, module: Module, name: str) -> None:
        """Goes on with where an attribute is read: in its own file, and called in others."""
        self._attributes(module, name, None)
        files = self._evaluator.modules.index.calling(name, module.relative, method=True)
        for other in self._each(files, module.relative):
            self._attributes(other, name, True)

    def _attributes(self, module: Module, name: str, called: bool | None) -> None:
        for trail in module.paths_to(name, called=called):
            if isinstance(trail[-1], ast.Attribute) and isinstance(trail[-1].ctx, ast.Load):
                self._go(module, trail)

    def _each(self, files: list[str], home: str) -> Iterator[Module]:
        others = [each for each in dict.fromkeys(files) if each != home]
        self.lost = self.lost or len(others) > _MOST_FILES
        index = self._evaluator.modules.index
        others.sort(key=lambda each: (not index.reaches(each, home), index.is_test(each)))
        yield from self._evaluator.modules.each(others[:_MOST_FILES])

    def _returned(self, module: Module, trail: Trail) -> None:
        """Goes on with what the function that returns it gives where it is called, or read as a property."""
        around = _function_around(trail)
        if not isinstance(around, FunctionNode):
            return
        at = next(at for at, node in enumerate(trail) if node is around)
        method = isinstance(trail[at - 1], ast.ClassDef)
        if method and is_property(around):
            self._attribute(module, around.name)
        index, home = self._evaluator.modules.index, module.relative
        self._results(module, around, method)
        for other in self._each(index.calling(around.name, home, method=method), home):
            self._results(other, around, method)

    def _results(self, module: Module, function: FunctionNode, method: bool) -> None:
        for trail in module.paths_to(function.name, called=True):
            called = call_of(trail)
            if called is not None:
                call, to_callee = called
                # Methods of other classes go by the same name: `get` before all.
                if not method or self._is_of(call, self._evaluator.sites.point_of(module, trail), function):
                    self._go(module, to_callee[: to_callee.index(call) + 1])

    def _is_of(self, call: ast.Call, point: Point, function: FunctionNode) -> bool:
        return any(
            isinstance(value, Function) and value.node is function
            for value, _ in self._evaluator.values(call.func, point)
        )

    def _passed(self, module: Module, trail: Trail) -> None:
        """Goes on with what a call does with an argument."""
        handed = handed_over(trail)
        if handed is None:
            return
        call, given = handed
        to_call = trail[: next(at for at, node in enumerate(trail) if node is call) + 1]
        point = self._evaluator.sites.point_of(module, trail)
        if started(self._evaluator, call, given, point) is not None:
            return  # that it is called there is told of the function itself
        if isinstance(call.func, ast.Attribute) and call.func.attr in PUTTING:
            self._stored(module, to_call, call.func.value)
        if given in call.args[1:] and bare_name(call.func) in WITH_DEFAULT:
            self._go(module, to_call)
        known = False
        for value, _ in self._evaluator.values(call.func, point):
            known = known or isinstance(value, Function | Class)
            if isinstance(value, Class) and self._evaluator.calls.lazy.describes(value):
                self._go(module, to_call)
                continue
            if isinstance(value, External) and looks(value.name):
                known = True
            elif isinstance(value, External) and value.name in WRAPPING:
                known = True
                self._go(module, to_call)
                if value.name in NAMESPACES and isinstance(above := trail[-2], ast.keyword) and above.arg:
                    self._attribute(module, above.arg)
            for method in self._called(value):
                for name, argument in passed(method, call).items():
                    if argument is given and isinstance(method.node, FunctionNode):
                        self._variable(method.module, name, method.node)
        self.lost = self.lost or not known

    def _called(self, value: object) -> list[Function]:
        if not isinstance(value, Class):
            return [value] if isinstance(value, Function) else []
        made = Instance(value, None, None)
        return [
            Function(method.node, method.frame, made)
            for method, _ in self._evaluator.classes.member(value, "__init__")
            if isinstance(method, Function)
        ]

    def _default(self, module: Module, trail: Trail) -> None:
        """Goes on with the parameter whose default it is."""
        function = trail[-3]
        for parameter in parameters(function) if isinstance(function, FunctionNode) else ():
            if isinstance(function, FunctionNode) and default_of(parameter.arg, function) is trail[-1]:
                self._variable(module, parameter.arg, function)


def _function_around(trail: Trail) -> ast.AST | None:
    """The function or class whose block a trail leads into."""
    return next(
        (node for node in reversed(trail[:-1]) if isinstance(node, FunctionNode | ast.ClassDef)), None
    )


def _is_own(module: Module, function: FunctionNode, name: str) -> bool:
    """Whether a variable is a function's, and not its module's."""
    if any(isinstance(each, ast.Global) and name in each.names for each in function.body):
        return False
    return any(each.arg == name for each in parameters(function)) or any(
        isinstance(trail[-1], ast.Name)
        and isinstance(trail[-1].ctx, ast.Store)
        and any(each is function for each in trail)
        for trail in module.paths_to(name)
    )
