"""Who tells samplers the epoch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import is_static, written
from dlint.knowledge.epochs import TELLS, sets_epoch_itself
from dlint.knowledge.loading import is_kind
from dlint.loaders.by_epoch.receivers import (
    Receiver,
    has_none,
    is_another,
    is_made,
    may_tell,
    reaches,
    tells_itself,
)
from dlint.loaders.by_epoch.same_epoch import Tell, may_be_same
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import names_in, walk
from dlint.source.statements import (
    FunctionNode,
    bare_name,
    dotted,
    functions_in,
    own_names,
    parameters,
    statements_in,
    target_names,
)
from dlint.values.places import loops_around, tests_around
from dlint.values.values import External, Unknown, Value

if TYPE_CHECKING:
    from dlint.loaders.program import Program
    from dlint.loaders.samplers import Dealt
    from dlint.values.frame import Argument, Frame, Point

_BY_NAME = regex(rf"[\"']{TELLS}[\"']")
_SETS = regex(rb"""\bsetattr\([^\n]{0,200}["']epoch["']""")
# What asks for an attribute of its first argument, or whether there is one, which calls nothing.
_ASKS = ("getattr", "hasattr")
# In so many functions, and of so many of their parameters, it is looked for what something is made of.
_MOST = 40
_EPOCH = regex("epoch", re.IGNORECASE)


class Epochs:
    """The places of a program that tell a sampler the epoch, looked at file by file."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._evaluator = program.evaluator
        self._calls: dict[str, list[Receiver]] = {}
        self._stores: dict[str, list[tuple[str, list[Value]]]] = {}

    def told(
        self, dealt: Dealt, modules: set[str], sites: Set[ast.AST | None] = frozenset()
    ) -> list[Tell] | None:
        """What can tell a loader's sampler the epoch: calls that may tell the same each time, None where
        something else does; ``modules`` are the files of the programs that build the loader, whose libraries
        may do it as well, ``sites`` the calls by which it is surely made, if one function makes several."""
        index, found = self._program.modules.index, list[Tell]()
        # A call in the same program counts unless it is another's: one is soon found there.
        files = sorted(index.mentioning(TELLS), key=lambda file: file not in modules)
        for relative, each in self._telling(files, modules):
            if self._may_tell_it(each, dealt, sites, here=relative in modules):
                if each.tell is None or each.hands_on or not may_be_same(self._program, each.tell):
                    return None
                found.append(each.tell)
        setting = [file for file in index.mentioning("setattr") if _SETS.search(index.data(file))]
        for relative in sorted({*index.storing("epoch"), *setting}):
            for name, values in self._stores_of(relative):
                if any(reaches(value, dealt) for value in values):
                    return None
                unknown = any(isinstance(value, Unknown) for value in values)
                if relative in modules and unknown and "sampler" in name.lower():
                    return None
        return None if any(sets_epoch_itself(index.data(relative)) for relative in modules) else found

    def counts(self, given: Argument, point: Point) -> bool:
        """Whether an argument of a call at a point is made of the epoch's number."""
        if given.expression is None:
            return False
        named = names_in(given.expression)
        rounds = {
            name
            for loop in loops_around(point)
            if isinstance(loop, ast.For)
            for name in target_names(loop.target)
        }
        if named & rounds or _EPOCH.search(ast.unparse(given.expression)):
            return True
        scope = point.frame.scope
        if not isinstance(scope, ast.FunctionDef):
            return False
        if scope.name != "__init__" and any(
            self._is_counted(path, point) for path in _paths(given.expression)
        ):
            return True
        return any(
            _EPOCH.search(ast.unparse(passed[name]))
            for _, passed in self._passed(scope, point.frame)
            for name in named.intersection(passed)
        )

    def _passed(self, scope: ast.FunctionDef, frame: Frame) -> Iterator[tuple[Point, dict[str, ast.expr]]]:
        """The calls of a function: where each stands, and what it gives to the parameters, as far as that is
        written out there."""
        method = frame.owner is not None and not is_static(scope)
        names = [each.arg for each in parameters(scope)]
        for site in self._evaluator.sites.of(scope, frame):
            given = {name: written(name, scope, site.arguments, method) for name in names}
            yield (
                site.point,
                {
                    name: argument.expression
                    for name, argument in given.items()
                    if argument is not None and argument.expression is not None
                },
            )

    def _is_counted(self, path: str, point: Point) -> bool:
        """Whether methods of the object count one of its attributes up: ``self.turn += 1``."""
        owner, scope = point.frame.owner, point.frame.scope
        if owner is None or not isinstance(scope, ast.FunctionDef) or path.count(".") != 1:
            return False
        holder, _, attribute = path.partition(".")
        if [each.arg for each in scope.args.args[:1]] != [holder]:
            return False
        return any(
            name.partition(".")[2] == attribute
            for above in self._evaluator.classes.line(owner)
            for method in functions_in(above.node.body)
            for statement in statements_in(method.body)
            if isinstance(statement, ast.AugAssign | ast.For | ast.AsyncFor) or _adds_to_itself(statement)
            for name in own_names(statement)
        )

    def rounds_of(self, given: Argument, point: Point) -> list[ast.stmt] | None:
        """The loops, around a call at a point or the calls that lead there, in whose rounds an argument
        is made of something else each time: of what they go through, or set. None where too much leads
        there to say."""
        rounds: list[ast.stmt] = []
        waiting = [(point, _paths(given.expression))]
        seen = set[tuple[int, frozenset[str]]]()
        while waiting:
            at, paths = waiting.pop()
            paths |= _made_of(paths, at)
            rounds += [
                loop
                for loop in loops_around(at)
                if any(_is_in(path, at.frame.layout.bound_by(loop)) for path in paths)
            ]
            scope, mark = at.frame.scope, (id(at.frame.scope), frozenset(paths))
            if not isinstance(scope, ast.FunctionDef) or mark in seen:
                continue
            seen.add(mark)
            if len(seen) > _MOST:
                return None
            for caller, passed in self._passed(scope, at.frame):
                there = {
                    inner + path[len(name) :]
                    for path in paths
                    for name in [path.partition(".")[0]]
                    if name in passed
                    for inner in _paths(passed[name])
                }
                if there:
                    waiting.append((caller, there))
        return rounds

    def _telling(self, files: list[str], modules: set[str]) -> Iterator[tuple[str, Receiver]]:
        """The calls of ``set_epoch``, with their files. Who only hands on what it is told tells nothing where
        nobody tells it."""
        running: list[tuple[str, Receiver]] = []
        for relative in files:
            for each in self._calls_of(relative):
                if not each.hands_on:
                    yield relative, each
                    running.append((relative, each))
        running = [(relative, each) for relative, each in running if self._is_run(each, modules)]
        waiting = [
            (relative, each) for relative in files for each in self._calls_of(relative) if each.hands_on
        ]
        grown = True
        while grown and waiting:
            told = [call for call in waiting if self._is_told(call[1], running, modules)]
            waiting = [call for call in waiting if not any(call is other for other in told)]
            yield from told
            running += told
            grown = bool(told)

    def _is_run(self, receiver: Receiver, modules: set[str]) -> bool:
        """Whether a call may be made: not by an object that nobody makes, to itself."""
        owner = receiver.owner
        return (
            owner is None
            or not tells_itself(self._program, receiver)
            or is_made(self._program, owner, modules)
        )

    def _is_told(self, handing: Receiver, running: list[tuple[str, Receiver]], modules: set[str]) -> bool:
        """Whether calls may tell the object whose method hands the epoch on."""
        owner = handing.owner
        return owner is None or any(
            may_tell(self._program, each, owner, here=relative in modules) for relative, each in running
        )

    def _may_tell_it(
        self, receiver: Receiver, dealt: Dealt, sites: Set[ast.AST | None], *, here: bool
    ) -> bool:
        """Whether a call may tell a sampler; ``here``: what is unknown there may be it."""
        if any(self._evaluator.classes.is_instance(dealt.sampler, kind) is False for kind in receiver.kinds):
            return False
        values = [
            value for value in receiver.values if not (receiver.asked and has_none(self._program, value))
        ]
        return any(reaches(value, dealt, sites) for value in values) or (
            here and not all(is_another(self._program, receiver, value, dealt) for value in values)
        )

    def _calls_of(self, relative: str) -> list[Receiver]:
        """What the receivers of a file's calls of ``set_epoch`` may be."""
        if relative not in self._calls:
            module = self._program.modules.get(relative)
            self._calls[relative] = list(self._receivers(module)) if module is not None else []
        return self._calls[relative]

    def _receivers(self, module: Module) -> Iterator[Receiver]:
        for trail in module.paths_to(TELLS):
            node = trail[-1]
            if isinstance(node, ast.Attribute):
                values, point = self._values(node.value, module, trail), self._point(module, trail)
                guarded = any(TELLS in ast.unparse(test) for test, _, _ in tests_around(point))
                match trail[-2]:
                    case ast.Call(func=func, args=[number], keywords=[]) if func is node:
                        tell = None if isinstance(number, ast.Starred) else Tell(number, point)
                    case _:
                        tell = None
                hands_on, owner = _is_in_such_method(trail), point.frame.owner
                kinds = self._kinds_of(node.value, point)
                yield Receiver(values, bare_name(node.value), hands_on, owner, tell, guarded, kinds)
        if not module.says(_BY_NAME):
            return
        for trail in module.paths_to("getattr", called=True):
            match trail[-2]:
                case ast.Call(args=[receiver, ast.Constant(value=name), *default]) if name == TELLS:
                    values = self._values(receiver, module, trail)
                    yield Receiver(values, bare_name(receiver), asked=bool(default))
        asked = {
            id(node.args[1])
            for node in walk(module.tree)
            if isinstance(node, ast.Call) and dotted(node.func) in _ASKS and len(node.args) > 1
        }
        for node in walk(module.tree):
            # Handed to what calls a method by its name: `notify(sampler, "set_epoch", epoch)`.
            if isinstance(node, ast.Constant) and node.value == TELLS and id(node) not in asked:
                yield Receiver([Unknown(("called by name", id(node)))])

    def _kinds_of(self, node: ast.expr, point: Point) -> list[Value]:
        """The kinds of torch's samplers of which something is where a test around a point asks for one:
        ``if isinstance(loader.sampler, DistributedSampler):``."""
        found: list[Value] = []
        for test, outcome, _ in tests_around(point):
            match test:
                case ast.Call(func=ast.Name(id="isinstance"), args=[asked, kind]) if outcome and ast.dump(
                    asked
                ) == ast.dump(node):
                    kinds = [each for each, _ in self._evaluator.values(kind, point)]
                    if len(kinds) == 1 and isinstance(kinds[0], External) and is_kind(kinds[0].name):
                        found += kinds
        return found

    def _stores_of(self, relative: str) -> list[tuple[str, list[Value]]]:
        """The objects whose ``epoch`` a file sets, as ``set_epoch`` does: how it calls them, and what they
        may be."""
        if relative not in self._stores:
            found: list[tuple[str, list[Value]]] = []
            module = self._program.modules.get(relative)
            for trail in module.paths_to("epoch") if module is not None else ():
                node = trail[-1]
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    name = dotted(node.value) or ""
                    if name not in ("self", "cls"):
                        assert module is not None
                        found.append((name, self._values(node.value, module, trail)))
            for trail in module.paths_to("setattr", called=True) if module is not None else ():
                match trail[-2]:
                    case ast.Call(args=[holder, ast.Constant(value="epoch"), _]):
                        assert module is not None
                        found.append((dotted(holder) or "", self._values(holder, module, trail)))
            self._stores[relative] = found
        return self._stores[relative]

    def _values(self, node: ast.expr, module: Module, trail: list[ast.AST]) -> list[Value]:
        self._evaluator.start()
        return [value for value, _ in self._evaluator.values(node, self._point(module, trail))]

    def _point(self, module: Module, trail: list[ast.AST]) -> Point:
        return self._evaluator.sites.point_of(module, trail)


def _is_in_such_method(trail: list[ast.AST]) -> bool:
    """Whether the innermost function around a node is a ``set_epoch`` of a class, for others to call."""
    for above, node in zip(reversed(trail[:-1]), reversed(trail), strict=False):
        if isinstance(node, FunctionNode):
            return node.name == TELLS and isinstance(above, ast.ClassDef)
    return False


def _paths(node: ast.expr | None) -> set[str]:
    """The names that stand in an expression, and what is read of them: ``args.seed``."""
    found = {path for each in (walk(node) if node is not None else ()) if (path := _path(each)) is not None}
    return {path for path in found if not any(other.startswith(f"{path}.") for other in found)}


def _path(node: ast.AST) -> str | None:
    return dotted(node) if isinstance(node, ast.Name | ast.Attribute) else None


def _made_of(paths: Set[str], point: Point) -> set[str]:
    """What names of the function are set to where each is set once: ``seed = base + turn``."""
    set_to: dict[str, list[ast.expr | None]] = {}
    for statement in statements_in(point.frame.layout.body):
        for name in own_names(statement):
            set_to.setdefault(name, []).append(getattr(statement, "value", None))
    return {
        inner
        for path in paths
        for value in (set_to[path] if len(set_to.get(path, ())) == 1 else ())
        for inner in _paths(value)
    }


def _is_in(path: str, bound: Set[str]) -> bool:
    """Whether something is set that is read by a path, or what holds it."""
    return any(path == name or path.startswith(f"{name}.") for name in bound)


def _adds_to_itself(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add()) as value):
            return dotted(target) in _paths(value)
    return False
