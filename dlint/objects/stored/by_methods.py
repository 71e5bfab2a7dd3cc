"""What the methods of a class store in the attributes of its objects, looked at with the arguments that made
them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from dlint.objects.elsewhere.additions import Added, growths
from dlint.objects.initialisers import base_init_calls
from dlint.source.statements import (
    FunctionNode,
    changed_names,
    dotted,
    functions_in,
    own_names,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.facts import fits
from dlint.values.frame import Frame, Point, layout_of
from dlint.values.methods import is_setter
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Class, Const, Instance, Items, Key, Unknown, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# What an attribute holds (None: nothing yet), in which world, and the id of the method that stored it.
_Held: TypeAlias = tuple[Value | None, World, int]


class ByMethods:
    """The methods that store attributes of their object, and what they leave there."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._stores: dict[int, dict[str, list[FunctionNode]]] = {}

    def storing(self, instance: Instance, name: str) -> list[tuple[Class, FunctionNode]]:
        """The methods that store ``self.name``: of the ``__init__`` methods that making the instance runs,
        the first of each chain that does, and every other method of the class and those above it."""
        found: list[tuple[Class, FunctionNode]] = []
        chains: set[int] = set()
        runs = {id(frame.scope): chain for _, frame, chain in self._evaluator.initialisers.chains(instance)}
        for above in self._evaluator.classes.line(instance.cls):
            for function in self.stores_of(above.node).get(name, ()):
                if function.name == "__init__":
                    chain = runs.get(id(function))
                    if chain is None or chain in chains:
                        continue
                    chains.add(chain)
                elif is_setter(function) and not self.may_be_set(instance.cls, function.name):
                    continue
                found.append((above, function))
        return found

    def may_be_set(self, cls: Class, name: str) -> bool:
        """Whether some code sets a property: else what its setter stores is nowhere."""
        return self._evaluator.modules.index.stored_elsewhere(name) or any(
            name in self.stores_of(above.node) for above in self._evaluator.classes.line(cls)
        )

    def stores_of(self, node: ast.ClassDef) -> dict[str, list[FunctionNode]]:
        """The methods of a class, not of those above it, that store each attribute."""
        stores = self._stores.get(id(node))
        if stores is None:
            stores = {}
            for item in functions_in(node.body):
                own = parameters(item)[:1]
                if own:
                    prefix = own[0].arg + "."
                    for path in layout_of(item).binds:
                        attribute = path.removeprefix(prefix)
                        if attribute != path and "." not in attribute:
                            stores.setdefault(attribute, []).append(item)
            self._stores[id(node)] = stores
        return stores

    def when_made(self, instance: Instance, name: str) -> bool:
        """Whether an ``__init__`` stores the attribute, or surely calls a method that surely does: what the
        class says of it is then never seen."""
        storing = self.storing(instance, name)
        if not storing or any(function.name == "__init__" for _, function in storing):
            return bool(storing)
        for _, frame in self._evaluator.initialisers.of(instance):
            stored = self._evaluator.construction.after(frame, instance, name, HERE)
            if stored and None not in stored:
                return True
        return False

    def by_each(self, instance: Instance, name: str, world: World) -> list[tuple[Outcome, int]]:
        """What each of an object's methods stores in ``self.name``, and which method that is.

        What the constructor stores, a method that it calls at its end may replace, or leave as it is:
        ``__post_init__`` where settings do not fit together.
        """
        storing = self.storing(instance, name)
        found: list[tuple[Outcome, int]] = []
        looked_at: set[int] = set()
        for owner, function in sorted(storing, key=lambda each: each[1].name != "__init__"):
            if id(function) in looked_at:
                continue
            frame = self._method_frame(instance, owner, function)
            held = self._after(frame, name, [(None, world, 0)])
            if function.name == "__init__":
                for above, method in _called_last(frame, name, storing):
                    looked_at.add(id(method))
                    held = self._after(self._method_frame(instance, above, method), name, _few(held))
            found += [((value, w), by) for value, w, by in held if value is not None]
        return found

    def _after(self, frame: Frame, name: str, before: list[_Held]) -> list[_Held]:
        """What ``self.name`` holds after a method, and by which, for each possibility before it."""
        path = f"{self_name(frame.scope)}.{name}"  # type: ignore[arg-type]
        held: list[_Held] = []
        # What methods put in a dict is found apart from what the dict is.
        is_filled = frame.owner is not None and self._evaluator.filled.is_filled(frame.owner, name)
        for value, world, by in before:
            for end, here in self._evaluator.calls.ends(frame, world):
                at = Point(frame, end)
                definitions = self._evaluator.flow.definitions(path, at, here, anew=is_filled)
                if is_filled and any(statement is not None for statement, _ in definitions):
                    definitions = self._evaluator.flow.definitions(path, at, here)
                for statement, w in definitions:
                    if isinstance(value, Const) and not _fits(value, frame, name, w):
                        continue
                    more = self._with_added(value, frame, path, w) if statement is not None else value
                    if statement is None or more is not None:
                        held.append((more, w, by if statement is None else id(frame.scope)))
                    else:
                        defined = self._evaluator.names.defined(statement, path, frame, w)
                        held += [(each, inner, id(frame.scope)) for each, inner in defined]
        return held

    def _with_added(self, value: Value | None, frame: Frame, path: str, world: World) -> Value | None:
        """The list that an attribute holds before a method, with what that adds to it; None where it does
        anything else with it, or where it is no list."""
        if not isinstance(value, Items) or value.kind != "list":
            return None
        added: list[Added] = []
        for statement in frame.layout.statements:
            if path in own_names(statement) or path in changed_names(statement):
                growing = [each for held, each in growths(statement) if dotted(held) == path]
                if not growing or growing[0].keyed:
                    return None
                added += growing
        items = {each.key: each for each in value.items}
        for each in added:
            for given, _ in self._evaluator.values(each.value, Point(frame, each.statement), world):
                for item in (given.items if isinstance(given, Items) else ()) if each.each else (given,):
                    items[item.key] = item
        return Items("list", tuple(items.values()), True)

    def by_bases(self, node: ast.Attribute, point: Point, world: World) -> list[Outcome]:
        """What an attribute holds in a constructor that stores it itself further down: what those have stored
        that it has called by then (``super().__init__(files)``, and then ``self.files.sort()``); nothing
        where that is not known."""
        frame = point.frame
        instance, scope, at = frame.receiver, frame.scope, point.statement
        if not isinstance(instance, Instance) or not isinstance(scope, ast.FunctionDef):
            return []
        if scope.name != "__init__" or dotted(node.value) != self_name(scope):
            return []
        called = [statement for _, statement in base_init_calls(frame)]
        if not called or any(at is not None and each.lineno >= at.lineno for each in called):
            return []
        chains = self._evaluator.initialisers.chains(instance)
        own = next((i for i, (_, each, _) in enumerate(chains) if each.scope is scope), None)
        if own is None:
            return []
        for _, above, chain in chains[own + 1 :]:
            if not isinstance(above.scope, ast.FunctionDef) or chain != chains[own][2]:
                continue
            if f"{self_name(above.scope)}.{node.attr}" in above.layout.binds:
                held = self._after(above, node.attr, [(None, world, 0)])
                known = [(value, w) for value, w, _ in held if value is not None]
                return known if len(known) == len(held) else []
        return []

    def changed_by_calls(self, frame: Frame, node: ast.Attribute) -> bool:
        """Whether a method calls another one of its object that stores the attribute: what the method
        itself stored last may not be what is there."""
        scope = frame.scope
        if not (isinstance(scope, ast.FunctionDef) and isinstance(frame.receiver, Instance)):
            return False
        own = self_name(scope)
        if not (isinstance(node.value, ast.Name) and node.value.id == own):
            return False
        others = [
            function.name
            for above in self._evaluator.classes.line(frame.receiver.cls)
            for function in self.stores_of(above.node).get(node.attr, ())
            if function is not scope and function.name != "__init__"
        ]
        if not others:
            return False
        text = frame.module.text_of(scope)
        return any(f"{own}.{name}(" in text for name in others)

    def _method_frame(self, instance: Instance, owner: Class, function: FunctionNode) -> Frame:
        if function.name == "__init__":
            for cls, frame in self._evaluator.initialisers.of(instance):
                if cls.node is owner.node and frame.scope is function:
                    return frame
        outer = Frame(owner.module, owner.node, owner.frame)
        return Frame(owner.module, function, outer, receiver=instance, owner=owner)


def _few(held: list[_Held]) -> list[_Held]:
    """What an attribute may hold, where there are many ways to that each thing once, with what all ways to it
    assume: one method after the other would make them more."""
    if len(held) <= OUTCOMES:
        return held
    values: dict[tuple[Key | None, int], Value | None] = {}
    worlds: dict[tuple[Key | None, int], list[World]] = {}
    for value, world, by in held:
        mark = (value.key if value is not None else None, by)
        values.setdefault(mark, value)
        worlds.setdefault(mark, []).append(world)
    return [(value, worlds[mark][0].shared(worlds[mark][1:]), mark[1]) for mark, value in values.items()]


def _fits(value: Const, frame: Frame, name: str, world: World) -> bool:
    """Whether an attribute may be a constant before a method that assumes something of it."""
    if not isinstance(frame.receiver, Instance):
        return True
    about = world.facts.get(Unknown(("attribute", frame.receiver.key, name)).key)
    return about is None or fits(value, about)


def _called_last(
    frame: Frame, name: str, methods: list[tuple[Class, FunctionNode]]
) -> Iterator[tuple[Class, FunctionNode]]:
    """Those of some methods that a constructor surely calls after it has stored an attribute."""
    if all(method.name == "__init__" for _, method in methods):
        return
    assert isinstance(frame.scope, FunctionNode)
    own, body = self_name(frame.scope), frame.scope.body
    stores = [at for at, statement in enumerate(body) if f"{own}.{name}" in frame.layout.bound_by(statement)]
    if any(isinstance(statement, ast.Return) for statement in statements_in(body)):
        return
    for statement in body[stores[-1] + 1 if stores else 0 :]:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=called))):
                if receiver == own:
                    yield from [each for each in methods if each[1].name == called][:1]
