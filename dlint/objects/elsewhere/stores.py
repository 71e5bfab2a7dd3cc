"""What code outside a class stores in the attributes of its objects: ``dataset.transform = augment``."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.loading import is_dataset
from dlint.knowledge.randomness import sounds_like_settings
from dlint.knowledge.testing import is_test
from dlint.objects.elsewhere.by_given_names import ByGivenNames
from dlint.source.statements import FunctionNode, Scope, dotted, is_self, last_name, parameters
from dlint.values.frame import Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.places import tests_around
from dlint.values.values import External, Instance, Key, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module

# Of more stores in attributes of one name, those that may be meant are looked for among so many.
_MOST_STORES = 32


class Store(NamedTuple):
    """A statement that sets an attribute; ``value`` is None where it is not written out: ``a.x += 1``."""

    target: ast.Attribute
    value: ast.expr | None
    point: Point


class Setting(NamedTuple):
    """Where an attribute of an object may be set, and what is stored into there: the object, or what nobody
    knows; None where that was not asked, because there are too many such places."""

    point: Point
    holder: Value | None


class Outside:
    """Stores in attributes by others than the methods of the class."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._stores: dict[str, list[Store]] = {}
        # By the target of a store, the keys of what it is known to store into.
        self._into: dict[int, frozenset[Key]] = {}
        self._others: dict[str, list[Store]] = {}  # of the names with too many, those that are not looked at
        self._by_given_names = ByGivenNames(evaluator)

    def values(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What is stored in an attribute of an object."""
        found: list[Outcome] = []
        for store in self._of_name(name):
            if store.value is not None and self._is_into(store, instance):
                found += self._evaluator.values(store.value, store.point, world)
        if found and name in self._others:
            found.append((Unknown(("attribute", instance.key, name)), world))
        return found

    def stores(self, name: str) -> list[Store]:
        """The statements of the program that set an attribute of a name, of something that is not self."""
        return self._of_name(name)

    def of_made(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What may be stored in an attribute of a library's object after it was made, as far as another
        object or one that nobody knows is not meant; with something unknown where one may be."""
        unknown: Outcome = (Unknown(("attribute", made.key, name)), world)
        stores = self._of_name(name)
        if not stores:
            return [unknown] if self._evaluator.modules.index.stored_elsewhere(name) else []
        found: list[Outcome] = []
        for store in stores:
            for holder in self._holders(store):
                if isinstance(holder, Made) and holder.node is made.node:
                    # Made in another call of the same function it may be another object.
                    known = store.value if holder.key == made.key else None
                    given = known and self._evaluator.values(known, store.point, world)
                    found += given or [unknown]
                elif isinstance(holder, Unknown | External):
                    found.append(unknown)
        return [*found, unknown] if name in self._others else found

    def is_set_by_others(self, node: ast.Attribute, point: Point, known: Scope) -> bool:
        """Whether other scopes than a known one store in an attribute of what has it at a point."""
        return self._are_into(
            [each for each in self._of_name(node.attr) if each.point.frame.scope is not known], node, point
        )

    def is_set_later(
        self,
        node: ast.Attribute,
        point: Point,
        made: str,
        others: Container[int],
        constructors: Container[Scope],
    ) -> bool:
        """The same for what an object keeps: whether ``others``, by the ids of their scopes, do, or the scope
        that has made the object by this name does afterwards."""
        stores = []
        for store in self._of_name(node.attr):
            scope = store.point.frame.scope
            if scope in constructors:
                continue
            if id(scope) in others or _is_called_before(store, made):
                stores.append(store)
        return self._are_into(stores, node, point)

    def _are_into(self, stores: list[Store], node: ast.Attribute, point: Point) -> bool:
        if not stores:
            return False
        holders = [holder for holder, _ in self._evaluator.values(node.value, point)]
        return any(
            _may_be_same(into, holder)
            for store in stores
            for into in self._holders(store)
            for holder in holders
        )

    def are_beside(self, made: Made, name: str) -> bool:
        """Whether all stores in an attribute of a library's object stand where it is made, behind no test."""
        return all(
            store.point.frame.scope is made.point.frame.scope and not list(tests_around(store.point))
            for store in self._of_name(name)
            if any(isinstance(held, Made) and held.node is made.node for held in self._holders(store))
        )

    def is_set_by_function(self, made: Made, name: str) -> bool:
        """Whether a function that was handed a library's object sets an attribute of it: who made it need not
        see that."""
        if not self._evaluator.modules.index.stored_elsewhere(name):
            return False
        own = made.point.frame.scope
        return any(
            isinstance(store.target.value, ast.Name)
            and store.point.frame.scope is not own
            and self._is_given(store.target.value.id, store.point)
            and any(isinstance(held, Made) and held.node is made.node for held in self._holders(store))
            for store in self._of_name(name)
        )

    def may_be_set_by_name(self, made: Made, name: str, *, filled: bool) -> bool:
        """Whether its file may set an attribute of a library's object by a name that it is given."""
        return self._by_given_names.may_set(made, name, filled=filled)

    def _is_given(self, name: str, point: Point) -> bool:
        """Whether a name is a parameter of the function that a place stands in."""
        scope = point.frame.scope
        return isinstance(scope, FunctionNode) and any(each.arg == name for each in parameters(scope))

    def replaces(self, instance: Instance, name: str) -> bool:
        """Whether what the constructor stored in an attribute is never seen: the code that makes the object
        sets it right after, under the name that it gives the object."""
        own = [store for store in self._of_name(name) if self._is_into(store, instance)]
        if len(own) != 1 or own[0].value is None or name in self._others:
            return False
        point, named = own[0].point, ast.unparse(own[0].target.value)
        place = point.frame.layout.places.get(id(point.statement))
        return place is not None and any(
            isinstance(statement, ast.Assign)
            and statement.value is instance.node
            and named in map(ast.unparse, statement.targets)
            for statement in place.block[: place.at]
        )

    def may_be_elsewhere(self, instance: Instance, name: str) -> bool:
        """Whether an attribute of an object may be set where it is not known what is set."""
        stores = self._of_name(name)
        if not stores or name in self._others:
            return True
        data = self._is_data(instance)
        return any(
            not (data and sounds_like_settings(dotted(store.target.value) or ""))
            and (
                any(self._may_be(holder, instance) for holder in self._holders(store))
                or (store.value is None and self._is_into(store, instance))
            )
            for store in stores
        )

    def marks(self, instance: Instance, names: Iterable[str]) -> frozenset[int]:
        """The places that store in these attributes of an object."""
        index = self._evaluator.modules.index
        return frozenset(
            id(store.target)
            for name in names
            if index.stored_elsewhere(name)
            for store in self._of_name(name)
            if self._is_into(store, instance)
        )

    def settings(self, instance: Instance, name: str) -> Iterator[Setting]:
        """Where code outside the class may set an attribute of an object: in the object, as far as that is
        known. What is stored in another object of its class says nothing of this one."""
        if not self._evaluator.modules.index.stored_elsewhere(name):
            return
        for store in self._of_name(name):
            for holder in self._holders(store):
                if isinstance(holder, Instance):
                    if holder.key == instance.key or (
                        self._may_be(holder, instance)
                        or (instance.node is None and self._are_related(holder, instance))
                    ):
                        yield Setting(store.point, holder)
                elif isinstance(holder, Unknown | External):
                    yield Setting(store.point, holder)
        for store in self._others.get(name, ()):
            yield Setting(store.point, None)

    def _may_be(self, holder: Value, instance: Instance) -> bool:
        """Whether what is stored into may be an object, under another key or one that nobody knows."""
        if isinstance(holder, Instance):
            if holder.key == instance.key or not self._are_related(holder, instance):
                return False
            # A copy has what its original had been given by then.
            return holder.node is None or holder.node is instance.node or _is_copied(instance.node)
        return isinstance(holder, Unknown | External | Made)

    def _is_data(self, instance: Instance) -> bool:
        """Whether an object is a dataset or a transform, and no settings."""
        classes = self._evaluator.classes
        return bool(classes.member(instance.cls, "__call__")) or any(
            is_dataset(name) for name in classes.libraries(instance.cls)
        )

    def _are_related(self, one: Instance, other: Instance) -> bool:
        line = self._evaluator.classes.line
        return any(above.node is other.cls.node for above in line(one.cls)) or any(
            above.node is one.cls.node for above in line(other.cls)
        )

    def _is_into(self, store: Store, instance: Instance) -> bool:
        into = self._into.get(id(store.target))
        if into is None:
            into = frozenset(holder.key for holder in self._holders(store))
            # Every object is asked about: what is remembered for good need not be gone through each time.
            if self._evaluator.is_known(store.target.value, store.point):
                self._into[id(store.target)] = into
        return instance.key in into

    def _holders(self, store: Store) -> list[Value]:
        return [value for value, _ in self._evaluator.values(store.target.value, store.point)]

    def _of_name(self, name: str) -> list[Store]:
        """The stores in attributes of a name; of too many those that look different first."""
        stores = self._stores.get(name)
        if stores is None:
            stores = []
            for relative in self._evaluator.modules.index.storing(name):
                module = self._evaluator.modules.get(relative)
                if module is None:
                    continue
                for trail in module.paths_to(name, stored=True):
                    node, above = trail[-1], trail[-2]
                    if (
                        isinstance(node, ast.Attribute)
                        and isinstance(node.ctx, ast.Store)
                        and not is_self(node.value)
                    ):
                        given = above.value if isinstance(above, ast.Assign) else None
                        point = self._evaluator.sites.point_of(module, trail)
                        stores.append(Store(node, given, point))
                stores += self._set_by_call(name, module)
            if len(stores) > _MOST_STORES:
                stores = _different_first(stores)
                stores, self._others[name] = stores[:_MOST_STORES], stores[_MOST_STORES:]
            self._stores[name] = stores
        return stores

    def _set_by_call(self, name: str, module: Module) -> Iterator[Store]:
        """The same by ``setattr(settings, "workers", 0)``."""
        if "setattr(" not in module.text:
            return
        for trail in module.paths_to("setattr", called=True):
            match trail[-2]:
                case ast.Call(args=[ast.Name() | ast.Attribute() as held, ast.Constant(value=said), given]):
                    if said == name and not is_self(held):
                        target = ast.copy_location(ast.Attribute(held, name, ast.Store()), trail[-2])
                        yield Store(target, given, self._evaluator.sites.point_of(module, trail))


def _is_called_before(store: Store, name: str) -> bool:
    """Whether the scope of a store calls something by a name before it."""
    return any(
        isinstance(node, ast.Call) and node.lineno < store.target.lineno and last_name(node.func) == name
        for node in store.point.frame.layout.nodes
    )


def _may_be_same(one: Value, other: Value) -> bool:
    """Whether two may be the same object, as far as they are made by the same calls of functions: in which
    calls of those nobody may have asked."""
    if one.key == other.key or not (isinstance(one, Made) and isinstance(other, Made)):
        return bool(one.key == other.key)
    frame: Frame | None = one.point.frame
    its: Frame | None = other.point.frame
    if one.node is not other.node:
        return False
    while frame is not None and its is not None:
        if frame.site is not its.site and frame.site is not None and its.site is not None:
            return False
        frame, its = frame.caller, its.caller
    return True


def _different_first(stores: list[Store]) -> list[Store]:
    """Stores in the order in which they are looked at: first one of each scope and what is stored into there,
    and those in tests after the others."""
    seen: Counter[tuple[int, str]] = Counter()
    ranked: list[tuple[int, bool, int]] = []
    for index, store in enumerate(stores):
        frame = store.point.frame
        into = (id(frame.scope), ast.dump(store.target.value))
        ranked.append((seen[into], is_test(frame.module.relative), index))
        seen[into] += 1
    return [stores[index] for _, _, index in sorted(ranked)]


def _is_copied(node: ast.AST | None) -> bool:
    """Whether an object was made by copying another, or nobody knows how."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("copy", "deepcopy")
    return node is None
