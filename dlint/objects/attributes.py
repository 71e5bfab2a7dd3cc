"""Attributes: what ``base.name`` is, and above all what ``self.x`` holds.

That is what the methods of the class store in it, looked at with the arguments that made the object, and
what code outside the class stores there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dlint.evaluation.containers import is_method
from dlint.knowledge.names import SUBCLASSES
from dlint.objects.elsewhere.grown import Grown
from dlint.objects.elsewhere.put_by_methods import PutByMethods
from dlint.objects.elsewhere.stores import Outside
from dlint.objects.stored.by_library import kept_by_library, of_generator
from dlint.objects.stored.by_methods import ByMethods
from dlint.objects.stored.declared import Declared
from dlint.objects.stored.hparams import Hparams
from dlint.objects.stored.set_by_name import SetByName
from dlint.source.desugaring.records import is_record
from dlint.source.desugaring.validators import may_change
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.methods import is_abstract, is_property
from dlint.values.outcomes import (
    OUTCOMES,
    STORED,
    Outcome,
    after_stores,
    stores_told_apart,
    told_apart,
    within,
)
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Key,
    ModuleValue,
    Partial,
    Super,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import FOLDED, HERE, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

_MOST_SUBCLASSES = 8
# An heir that is none of those that are known.
ANOTHER_HEIR: Final = "another"


def of_heir(instance: Value) -> Key:
    """What is assumed of the class of an object that leaves some of its methods to those below it."""
    return ("of heir", instance.key)


class Attributes:
    """Questions about the attributes of what the program itself defines."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.stored = ByMethods(evaluator)
        # By class: the attributes that its methods store, and code elsewhere may.
        self._names: dict[Key, list[str]] = {}
        self._added: dict[Key, frozenset[int]] = {}
        self.outside = Outside(evaluator)
        self._declared = Declared(evaluator)
        self.later = Grown(evaluator)
        self._put_by_methods = PutByMethods(evaluator)
        self._active: dict[tuple[Key, str], int] = {}
        # What attributes hold with nothing assumed, None where something cuts that short, and those that were
        # asked for once.
        self._known: dict[tuple[Key, str], list[Outcome] | None] = {}
        self._asked: set[tuple[Key, str]] = set()
        self._asking_heirs: set[tuple[Key, str]] = set()
        self._set_by_name = SetByName(evaluator)
        self._hparams = Hparams(evaluator)

    def of(self, base: Value, name: str, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """The values of ``base.name`` for what the program itself defines."""
        match base:
            case Instance():
                outcomes = self._of_instance(base, name, node, point, world)
                outcomes = self._evaluator.records.defaults(base, outcomes)
                if all(isinstance(value, Unknown) for value, _ in outcomes):
                    inherited = of_generator(self._evaluator, base, name)
                    if inherited is not None:
                        return [(inherited, world)]
                    entry = self._evaluator.entries.own.attribute(base, name, world)
                    if entry:
                        return entry
                    outcomes = (
                        self._set_by_name.by_pattern(base, name, world)
                        or self._asked_for(base, name, node, point, world)
                        or outcomes
                    )
                whole = True
                if self._set_by_name.sets(base.cls):
                    given, sure, whole, _ = self._set_by_name.given(base, name, world)
                    if given:
                        outcomes = given if sure else [*given, *outcomes]
                        outcomes = told_apart(outcomes, ("set by name", base.key, name))
                if all(isinstance(value, Const) for value, _ in outcomes) and (
                    not whole
                    or self._evaluator.changed_later.is_set_on_class(base.cls, name)
                    or self._is_validated(base.cls, name)
                ):
                    return [(Unknown(("attribute", base.key, name)), world)]
                return self._evaluator.records.with_environment(base, name, outcomes)
            case Class():
                found = _together(self._evaluator.classes.members(base, name), world)
                if any(
                    isinstance(value, Const) for value, _, _ in found
                ) and self._evaluator.changed_later.is_set_on_class(base, name):
                    return [(Unknown(("attribute", base.key, name)), world)]
                if found:
                    classes = self._evaluator.classes
                    bound = [
                        (classes.as_member(classes.bind(value, base, owner), owner), owner, w)
                        for value, owner, w in found
                    ]
                    return [(self._filled(value, owner, name), w) for value, owner, w in bound]
                if name == "__name__":
                    return [(Const(base.name), world)]
                if name == "__subclasses__":
                    of_it = Arguments([Argument(None, None, base)])
                    return [(Partial(External(SUBCLASSES), of_it), world)]
            case Super():
                above = self._evaluator.classes.behind(base, name)
                if above:
                    return [
                        (self._evaluator.classes.bind(value, base.receiver, owner), world)
                        for value, owner in above
                    ]
                if isinstance(base.receiver, Instance):
                    inherited = of_generator(self._evaluator, base.receiver, name)
                    if inherited is not None:
                        return [(inherited, world)]
                for library in sorted(self._evaluator.classes.libraries(base.cls)):
                    return [(External(f"{library}.{name}"), world)]
            case Partial():
                if name == "func":
                    return [(base.callee, world)]
            case Function() | ModuleValue():
                pass
        return [(Unknown(("attribute", base.key, name)), world)]

    def _asked_for(
        self, base: Instance, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What ``__getattr__`` gives for an attribute that an object does not have, as one does that stands
        for another (``return getattr(self.dataset, name)``); nothing where that is not known."""
        if name.startswith("__"):
            return []
        asked = Arguments([Argument(None, None, Const(name))])
        found = [
            outcome
            for method in self._evaluator.classes.methods(base, "__getattr__")
            for outcome in self._evaluator.calls.returns(method, asked, node, point, world)
        ]
        return [] if all(isinstance(value, Unknown) for value, _ in found) else found

    def _is_validated(self, cls: Class, name: str) -> bool:
        """Whether a pydantic model that is no record by its own body, as it is derived from one, may hold
        something else than its default."""
        classes = self._evaluator.classes
        return (
            not is_record(cls.node)
            and any(library.startswith("pydantic") for library in classes.libraries(cls))
            and any(may_change(above.node, name) for above in classes.line(cls))
        )

    def sets_by_name(self, cls: Class) -> bool:
        """Whether objects of a class get attributes by names that the class does not show."""
        return bool(self._set_by_name.sets(cls))

    def may_be_stored(self, instance: Instance, name: str, world: World) -> bool:
        """Whether an object may have an attribute of its own."""
        if self.stored.storing(instance, name) or self._evaluator.modules.index.stored_elsewhere(name):
            return True
        if not self._set_by_name.sets(instance.cls):
            return False
        given = self._set_by_name.given(instance, name, world)
        return bool(given.outcomes) or not given.whole

    def comes_later(self, instance: Instance, name: str) -> bool:
        """Whether only methods that are called once an object is made are seen to store an attribute: until
        then it has none."""
        if not self.stored.storing(instance, name) or self._evaluator.modules.index.stored_elsewhere(name):
            return False
        return not (
            self._evaluator.classes.member(instance.cls, name) or self.stored.when_made(instance, name)
        )

    def _of_instance(
        self, instance: Instance, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        members = _together(self._evaluator.classes.members(instance.cls, name), world)
        if members and all(is_abstract(value) for value, _, _ in members):
            found = self._of_heirs(instance, name, node, point, world)
            if found:
                return found
        members = [(self._evaluator.classes.as_getter(value, owner), owner, w) for value, owner, w in members]
        getters = [
            Function(value.node, value.frame, instance, owner)
            for value, owner, _ in members
            if isinstance(value, Function) and is_property(value.node)
        ]
        if getters:
            calls = self._evaluator.calls
            found = [
                each for getter in getters for each in calls.returns(getter, Arguments(), node, point, world)
            ]
            if self.stored.may_be_set(instance.cls, name):
                # What the setter of the property is given, the getter most likely gives.
                known = [outcome for outcome in found if not isinstance(outcome[0], Unknown)]
                return told_apart([*known, *self.held(instance, name, world)], (instance.key, name)) or found
            if not self._evaluator.classes.has_choice(instance.cls):
                return found
            # Only one of the classes that a base may be need have the property.
            return told_apart([*found, *self.held(instance, name, world)], (instance.key, name))
        bound = [
            (self._filled(self._evaluator.classes.bind(value, instance, owner), owner, name), w)
            for value, owner, w in members
        ]
        bound = self._declared.of(instance, name, bound, node, point, world) or bound
        when_made = bool(members) and self.stored.when_made(instance, name)
        held = self.held(instance, name, world, () if when_made else bound)
        if held or bound:
            kept = [(self._filled(value, instance, name), w) for value, w in held]
            kept = self.later.joined_to(
                kept or told_apart(bound, (instance.key, name)), instance, name, world
            )
            return self._put_by_methods.filled(kept, instance, name, world)
        if name == "hparams":
            kept_arguments = self._hparams.of(instance, world)
            if kept_arguments:
                return kept_arguments
        inherited = self._evaluator.records.inherited(instance, name)
        if inherited is not None:
            return [(inherited, world)]
        table = self._evaluator.filled.of_object(instance)
        if table is not None and is_method(f"builtins.dict.{name}"):
            return [(self._evaluator.containers.method(table, name), world)]
        if instance.arguments is None:
            for _, outcomes in self._by_heir(instance, name, node, point, world, first=True):
                return outcomes
        return [(Unknown(("attribute", instance.key, name)), world)]

    def _of_heirs(
        self, instance: Instance, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What an object of some class below has, in the world in which it is of that class, where only those
        have more than a name for it; nothing where it is known of none."""
        mark = of_heir(instance)
        found: list[Outcome] = []
        heirs = self._by_heir(instance, name, node, point, world)
        for below, outcomes in heirs[:_MOST_SUBCLASSES]:
            found += [(v, w.assuming(mark, below)) for v, w in outcomes if w.known(mark) in (None, below)]
        if all(isinstance(value, Unknown) for value, _ in found):
            return []
        if len(heirs) > _MOST_SUBCLASSES and world.known(mark) is None:
            found.append((Unknown(("attribute", instance.key, name)), world.assuming(mark, ANOTHER_HEIR)))
        return found

    def _by_heir(
        self, instance: Instance, name: str, node: ast.AST, point: Point, world: World, *, first: bool = False
    ) -> list[tuple[Key, list[Outcome]]]:
        """What objects of the classes directly below a class have, or of the first of which something is
        known; of one class more than count, where there are more."""
        heirs = (instance.cls.key, name)
        if heirs in self._asking_heirs:  # a class may be its own heir
            return []
        at = instance.point.key if instance.point is not None else None
        found: list[tuple[Key, list[Outcome]]] = []
        self._asking_heirs.add(heirs)
        try:
            below = self._evaluator.classes.subclasses(instance.cls, _MOST_SUBCLASSES + (not first))
            for cls in below:
                heir = Instance(cls, instance.arguments, instance.node, at, instance.point)
                outcomes = self._of_instance(heir, name, node, point, world)
                found.append((cls.key, outcomes))
                if first and outcomes and not all(isinstance(value, Unknown) for value, _ in outcomes):
                    return found[-1:]
        finally:
            self._asking_heirs.discard(heirs)
        return [] if first else found

    def _filled(self, value: Value, owner: Class | Instance, name: str) -> Value:
        """What an attribute holds, with its home where it is a dict that other code may fill."""
        return self._evaluator.filled.of_attribute(value, owner, name) if isinstance(value, Table) else value

    def held(
        self, instance: Instance, name: str, world: World, at_first: Sequence[Outcome] = ()
    ) -> list[Outcome]:
        """What the class's own methods store in ``self.name``, and what it is ``at_first``. Asked for again,
        it is looked for with nothing assumed, and restricted to the world of who asks."""
        mark = (instance.key, name)
        if at_first or mark in self._active:
            return self._held(instance, name, world, at_first)
        if mark not in self._known:
            if world.facts and mark not in self._asked:
                self._asked.add(mark)
                return self._held(instance, name, world, ())
            held, sure = self._evaluator.whole(lambda: self._held(instance, name, HERE, ()))
            self._known[mark] = held if sure else None
            if not world.facts:
                return held
        known = self._known[mark]
        if known is not None and not world.facts:
            return known
        if known is None or not self._may_restrict(known, instance, name, world):
            return self._held(instance, name, world, ())
        return within(known, world)

    def _may_restrict(self, held: list[Outcome], instance: Instance, name: str, world: World) -> bool:
        """Whether what an attribute holds with nothing assumed says all that is so in a world: nothing of it
        was folded, and the world tells neither what it holds nor who has stored it."""
        if len(held) >= OUTCOMES or any(w.known(FOLDED) is not None for _, w in held):
            return False
        itself = Unknown(("attribute", instance.key, name)).key
        return itself not in world.facts and not world.tells(STORED)

    def _held(
        self, instance: Instance, name: str, world: World, at_first: Sequence[Outcome]
    ) -> list[Outcome]:
        mark = (instance.key, name)
        if mark in self._active:
            self._evaluator.cut(self._active[mark])
            unknown: Outcome = (Unknown(("attribute", instance.key, name)), world)
            return told_apart([unknown, *at_first], mark)
        self._active[mark] = self._evaluator.depth
        try:
            stored = self.stored.by_each(instance, name, world)
            outcomes, by = [outcome for outcome, _ in stored], [label for _, label in stored]
            elsewhere = self._evaluator.modules.index.stored_elsewhere(name)
            labels = [*by, *[0] * len(at_first)]
            if len(set(labels)) == len(labels) > 1 and not elsewhere:
                # What the same methods store goes together: self.sampler and self.shuffle.
                methods = (instance.key, tuple(labels))
                outcomes = after_stores(outcomes, methods, world)
                return stores_told_apart([*outcomes, *at_first], methods, labels)
            if not outcomes:
                outcomes += kept_by_library(self._evaluator, instance, name, world)
            if elsewhere:
                given = self.outside.values(instance, name, world)
                by_init = all(
                    function.name == "__init__" for _, function in self.stored.storing(instance, name)
                )
                if given and by_init and self.outside.replaces(instance, name):
                    return stores_told_apart(given, mark)
                outcomes += given
                if (
                    outcomes
                    and all(isinstance(value, Const) for value, _ in outcomes)
                    and self.outside.may_be_elsewhere(instance, name)
                ):
                    outcomes.append((Unknown(("attribute", instance.key, name)), world))
            outcomes = stores_told_apart(after_stores(outcomes, mark, world), mark)
            return told_apart([*outcomes, *at_first], mark) if at_first else outcomes
        finally:
            del self._active[mark]

    def added_from_outside(self, instance: Instance) -> frozenset[int]:
        """The places where other code puts something in a list or dict that an object keeps."""
        known = self._added.get(instance.key)
        if known is None:
            line = self._evaluator.classes.line(instance.cls)
            names = sorted({name for above in line for name in self.stored.stores_of(above.node)})
            found, sure = self._evaluator.whole(lambda: [self.later.places(instance, name) for name in names])
            known = frozenset[int]().union(*found)
            if sure:
                self._added[instance.key] = known
        return known

    def set_from_outside(self, instance: Instance) -> frozenset[int]:
        """The places outside its class that store in attributes of an object."""
        names = self._names.get(instance.cls.key)
        if names is None:
            line = self._evaluator.classes.line(instance.cls)
            stored = self._evaluator.modules.index.stored_elsewhere
            held = {name for above in line for name in self.stored.stores_of(above.node)}
            names = self._names[instance.cls.key] = sorted(filter(stored, held))
        return self.outside.marks(instance, names)

    def is_set_from_outside(self, instance: Instance, name: str) -> bool:
        """Whether code outside its class may store in one attribute of an object."""
        return bool(self.outside.marks(instance, [name]))


def _together(members: list[tuple[Value, Class, World]], world: World) -> list[tuple[Value, Class, World]]:
    """What a class has under a name, as far as a world agrees; nothing is told of it where one of several
    assumes nothing."""
    if not all(w.facts for _, _, w in members):
        return [(value, owner, world) for value, owner, _ in members]
    joined = ((value, owner, world.joined(w)) for value, owner, w in members)
    return [(value, owner, both) for value, owner, both in joined if both is not None]
