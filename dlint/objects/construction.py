"""Construction: what the attributes of an object hold once it is made.

The ``__init__`` methods that making it runs store it, and so do methods and properties of the object itself
that these use. What stores or closes last has the last word.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.budget.budget import spend
from dlint.evaluation.questions import begun
from dlint.source.nodes import children
from dlint.source.statements import (
    FunctionNode,
    expressions,
    functions_in,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Arguments, Frame, Point, arguments_of, layout_of
from dlint.values.values import Class, Function, Instance, Key
from dlint.values.worlds import FOLDED, HERE, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

_FAR = 4
# A statement that stores an attribute, the path it assigns to, and the world; None: what was there before.
Store = tuple[str, Point, World]


class _Method(NamedTuple):
    """What a method does with attributes of its object: those it binds anew, closes, and speaks of."""

    binds: frozenset[str]
    closes: frozenset[str]
    mentions: frozenset[str]

    def joined(self, other: _Method) -> _Method:
        """What a method does that calls another one."""
        return _Method(self.binds | other.binds, self.closes | other.closes, self.mentions | other.mentions)


class Construction:
    """Questions about what objects hold when they are made."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._methods: dict[int, _Method] = {}
        self._classes: dict[Key, dict[str, _Method]] = {}
        self._bound: dict[tuple[Key, int], frozenset[str]] = {}
        self._touching: dict[tuple[Key, str], frozenset[str]] = {}
        self._storings: dict[tuple[Key, int], tuple[frozenset[str], list[str]]] = {}
        self._stores: dict[tuple[Key, str], list[Store]] = {}
        self._statements: dict[int, list[tuple[ast.stmt, list[ast.Call | ast.Attribute]]]] = {}

    def stores(
        self, instance: Instance, world: World, only: Container[str] | None = None
    ) -> Iterator[tuple[str, str, Point, World]]:
        """The statements that store what the attributes (``only`` those of these names) hold in the end: the
        attribute's name, the path that is assigned to, the point of the statement, and in which world."""
        done: set[str] = set()
        for _, frame in self._evaluator.initialisers.of(instance):
            binds, names = self._storing(instance.cls, frame)
            for name in names:
                if name in done or (only is not None and name not in only):
                    continue
                found = self._stored(frame, instance, name, world)
                if found or name in binds:
                    done.add(name)
                for path, point, w in found:
                    yield name, path, point, w

    def _storing(self, cls: Class, frame: Frame) -> tuple[frozenset[str], list[str]]:
        """The attributes of which an initialiser says itself what they hold, and all that it may store,
        itself or by methods."""
        mark = (cls.key, id(frame.scope))
        known = self._storings.get(mark)
        if known is None:
            own = _own(frame)
            binds, names = frozenset[str](), list[str]()
            if own is not None:
                paths = (path for path in frame.layout.binds if path.startswith(f"{own}."))
                binds = frozenset(path.removeprefix(f"{own}.") for path in paths)
                through = self._bound_by_methods(cls, frame.scope)
                names = sorted(name for name in binds | through if "." not in name)
            known = self._storings[mark] = (binds, names)
        return known

    def _stored(self, frame: Frame, instance: Instance, name: str, world: World) -> list[Store]:
        """What stores an attribute last in an initialiser. Many ask that of one object: it is looked for with
        nothing assumed."""
        mark = (frame.key, name)
        known = self._stores.get(mark)
        if known is None:
            after, sure = self._evaluator.whole(lambda: self.after(frame, instance, name, HERE))
            known = [store for store in after if store is not None]
            if sure:
                self._stores[mark] = known
        if not world.facts:
            return known
        if any(w.known(FOLDED) is not None for _, _, w in known):
            # What many ways have in common says less than the one that a world is on.
            return [store for store in self.after(frame, instance, name, world) if store is not None]
        spend(len(known))
        return [(path, at, w) for path, at, v in known if (w := world.joined(v)) is not None]

    def kept(self, instance: Instance, name: str, world: World) -> list[tuple[ast.Name, Point, World]]:
        """The names whose values an attribute holds in the end, as its constructor stores these alone
        (``self.options = options``); nothing where it, or another method, stores anything else there."""
        storing = self._evaluator.attributes.stored.storing(instance, name)
        if any(function.name != "__init__" for _, function in storing):
            return []
        found: list[tuple[ast.Name, Point, World]] = []
        for _, _, point, w in self.stores(instance, world, (name,)):
            match point.statement:
                case ast.Assign(targets=[ast.Attribute()], value=ast.Name() as value):
                    found.append((value, point, w))
                case _:
                    return []
        return found

    def after(
        self, frame: Frame, instance: Instance, name: str, world: World, far: int = 0
    ) -> list[Store | None]:
        """What stored an attribute last when a method of its object is done; None among them: perhaps the
        method left it as it was."""
        path = f"{_own(frame)}.{name}"
        found: list[Store | None] = []
        for end, here in self._evaluator.calls.ends(frame, world):
            for statement, w in self._evaluator.flow.definitions(path, Point(frame, end), here):
                stored = (path, Point(frame, statement), w) if statement is not None else None
                # In each world: what another one stores or closes is not come to.
                uses = self._used(frame, instance, name, w) if far <= _FAR else iter(())
                used = next((each for each in uses if end is None or not _is_after(each[0], end)), None)
                if used is None or _is_after(statement, used[0]):
                    found.append(stored)
                elif not used[2]:
                    inner = [
                        store for each in used[1] for store in self.after(each, instance, name, w, far + 1)
                    ]
                    found += [store for store in inner if store is not None]
                    if None in inner:
                        found.append(stored)
        return found

    def bound_by(self, cls: Class, method: FunctionNode) -> set[str]:
        """The attributes that a method of a class may bind, itself or through others of its methods."""
        return {*self._read(method).binds, *self._bound_by_methods(cls, method)}

    def touching(self, cls: Class, name: str) -> frozenset[str]:
        """The names of a class's methods that store or close an attribute, by themselves or through others
        of its methods."""
        mark = (cls.key, name)
        found = self._touching.get(mark)
        if found is None:
            methods = self._methods_of(cls)
            grown = {at for at, method in methods.items() if name in method.binds or name in method.closes}
            for _ in range(_FAR if grown else 0):
                grown |= {at for at, method in methods.items() if method.mentions & grown}
            found = self._touching[mark] = frozenset(grown - {"__init__"})
        return found

    def _used(
        self, frame: Frame, instance: Instance, name: str, world: World
    ) -> Iterator[tuple[ast.stmt, list[Frame], bool]]:
        """The statements of a method, the last one first, that use a method which stores or closes an
        attribute: the frames that they enter, and whether they close the attribute themselves."""
        scope = frame.scope
        touching = self.touching(instance.cls, name)
        if isinstance(scope, ast.Lambda) or not touching:
            return
        own = _own(frame)
        for statement, nodes in self._speaking(scope):
            entered: list[Frame] = []
            closes = False
            point = Point(frame, statement)
            for node in nodes:
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=held), attr="close")):
                        closes = closes or held == name
                    case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=called)):
                        if called in touching:
                            entered += self._above(node, point, world)
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=called)):
                        if receiver == own and called in touching:
                            for method in self._evaluator.classes.methods(instance, called):
                                arguments = arguments_of(node, point)
                                entered.append(self._evaluator.calls.enter(method, arguments, node, point))
                    case ast.Attribute(value=ast.Name(id=receiver), attr=read, ctx=ast.Load()):
                        if receiver == own and read in touching:
                            for value, owner in self._evaluator.classes.properties(instance.cls).get(
                                read, ()
                            ):
                                getter = Function(value.node, value.frame, instance, owner)
                                entered.append(self._evaluator.calls.enter(getter, Arguments(), node, point))
            if (entered or closes) and self._evaluator.flow.reaching(point, world):
                yield statement, entered, closes

    def _above(self, call: ast.Call, point: Point, world: World) -> Iterator[Frame]:
        """The frames of methods of classes above that a method calls: ``super().setup()``."""
        for value, _ in self._evaluator.values(call.func, point, world):
            if isinstance(value, Function):
                yield self._evaluator.calls.enter(value, arguments_of(call, point), call, point)

    def _speaking(
        self, scope: FunctionNode | ast.ClassDef | ast.Module
    ) -> list[tuple[ast.stmt, list[ast.Call | ast.Attribute]]]:
        """The statements of a function, the last one first, that speak of an attribute: with the nodes that
        do, and the calls of methods."""
        found = self._statements.get(id(scope))
        if found is None:
            found = []
            for statement in reversed(list(statements_in(scope.body))):
                nodes = [
                    node
                    for node in _run_by(statement)
                    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
                    or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
                ]
                if nodes:
                    found.append((statement, nodes))
            self._statements[id(scope)] = found
        return found

    def _bound_by_methods(self, cls: Class, scope: ast.AST) -> frozenset[str]:
        """The attributes that methods bind which a method uses, at any distance."""
        known = self._bound.get((cls.key, id(scope)))
        if known is not None:
            return known
        methods = self._methods_of(cls)
        seen = {name for name in self._read(scope).mentions if name in methods}
        found: set[str] = set()
        waiting = list(seen)
        for name in waiting:  # grows meanwhile
            if name == "__init__":
                continue
            found |= methods[name].binds
            more = {each for each in methods[name].mentions if each in methods} - seen
            seen |= more
            waiting += more
        known = self._bound[cls.key, id(scope)] = frozenset(found)
        return known

    def _methods_of(self, cls: Class) -> dict[str, _Method]:
        found = self._classes.get(cls.key)
        if found is None:
            with begun(self._classes, cls.key, dict[str, _Method]()) as found:
                goes_on: set[str] = set()  # those whose method so far calls the one above
                for above in self._evaluator.classes.line(cls):
                    for function in functions_in(above.node.body):
                        name, read = function.name, self._read(function)
                        if name in found and name not in goes_on:
                            continue
                        found[name] = found[name].joined(read) if name in found else read
                        if f"super().{name}(" in above.module.text_of(function):
                            goes_on.add(name)
                        else:
                            goes_on.discard(name)
        return found

    def _read(self, function: ast.AST) -> _Method:
        known = self._methods.get(id(function))
        if known is None:
            assert isinstance(function, FunctionNode)
            own = self_name(function)
            layout = layout_of(function)
            closes: set[str] = set()
            mentions: set[str] = set()
            for node in layout.nodes:
                match node:
                    case ast.Attribute(
                        value=ast.Attribute(value=ast.Name(id=receiver), attr=held), attr="close"
                    ):
                        if receiver == own:
                            closes.add(held)
                    case ast.Attribute(value=ast.Name(id=receiver), attr=name, ctx=ast.Load()):
                        if receiver == own:
                            mentions.add(name)
            prefix = f"{own}."
            binds = frozenset(
                path.removeprefix(prefix)
                for path in layout.binding(layout.body, anew=True)
                if path.startswith(prefix)
            )
            known = self._methods[id(function)] = _Method(binds, frozenset(closes), frozenset(mentions))
        return known


def _own(frame: Frame) -> str | None:
    """What a method calls its object."""
    scope = frame.scope
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(scope):
        return self_name(scope)
    return None


def _is_after(statement: ast.stmt | None, other: ast.stmt) -> bool:
    return statement is not None and statement.lineno > other.lineno


def _run_by(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes that a statement evaluates itself; the bodies of lambdas are left for later."""
    waiting: list[ast.AST] = (
        [] if isinstance(statement, ast.FunctionDef | ast.ClassDef) else [*expressions(statement)]
    )
    for node in waiting:  # grows meanwhile
        yield node
        if not isinstance(node, ast.Lambda):
            waiting += children(node)
