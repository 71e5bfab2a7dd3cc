"""Attributes: what ``base.name`` is, and above all what ``self.x`` holds.

That is what the methods of the class store in it, looked at with the arguments that made the object, and
what code outside the class stores there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from dlint.evaluation.containers import is_method
from dlint.knowledge.loading import is_kept, kept_parameters
from dlint.knowledge.names import SUBCLASSES
from dlint.knowledge.randomness import DRAWN_BY, GENERATORS
from dlint.objects.classes import is_abstract, is_property, is_setter
from dlint.objects.declared import Declared
from dlint.objects.elsewhere.additions import Added, growths
from dlint.objects.elsewhere.grown import Grown
from dlint.objects.elsewhere.put_by_methods import PutByMethods
from dlint.objects.elsewhere.stores import Outside
from dlint.objects.hparams import Hparams
from dlint.objects.initialisers import base_init_calls
from dlint.objects.set_by_name import SetByName
from dlint.source.desugaring.records import is_record
from dlint.source.desugaring.validators import may_change
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
from dlint.values.frame import Argument, Arguments, Frame, Point, layout_of
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
    Items,
    Key,
    Made,
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

# What an attribute holds (None: nothing yet), in which world, and the id of the method that stored it.
_Held: TypeAlias = tuple[Value | None, World, int]
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
        self._stores: dict[int, dict[str, list[FunctionNode]]] = {}
        # By class: the attributes that its methods store, and code elsewhere may.
        self._names: dict[Key, list[str]] = {}
        self._added: dict[Key, frozenset[int]] = {}
        self.outside = Outside(evaluator)
        self._declared = Declared(evaluator)
        self._grown = Grown(evaluator)
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
                    inherited = self._of_generator(base, name)
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
                    inherited = self._of_generator(base.receiver, name)
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

    def _of_generator(self, base: Instance, name: str) -> Value | None:
        """What an object has from a library's generator that its class is derived from, and draws its numbers
        from: ``class Dice(random.Random)``. One that says itself where its numbers come from is another."""
        if base.point is None or base.node is None:
            return None
        classes = self._evaluator.classes
        kinds = sorted(classes.libraries(base.cls) & GENERATORS.keys())
        if len(kinds) != 1 or any(classes.member(base.cls, own) for own in DRAWN_BY):
            return None
        made = Made(kinds[0], base.node, base.arguments or Arguments(), base.point)
        return External(f"{made.name}().{name}", made)

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
        if self.storing(instance, name) or self._evaluator.modules.index.stored_elsewhere(name):
            return True
        if not self._set_by_name.sets(instance.cls):
            return False
        given = self._set_by_name.given(instance, name, world)
        return bool(given.outcomes) or not given.whole

    def comes_later(self, instance: Instance, name: str) -> bool:
        """Whether only methods that are called once an object is made are seen to store an attribute: until
        then it has none."""
        if not self.storing(instance, name) or self._evaluator.modules.index.stored_elsewhere(name):
            return False
        return not (
            self._evaluator.classes.member(instance.cls, name) or self._stored_when_made(instance, name)
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
            if self._may_be_set(instance.cls, name):
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
        when_made = bool(members) and self._stored_when_made(instance, name)
        held = self.held(instance, name, world, () if when_made else bound)
        if held or bound:
            kept = [(self._filled(value, instance, name), w) for value, w in held]
            kept = self.grown(kept or told_apart(bound, (instance.key, name)), instance, name, world)
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

    def grown(self, outcomes: list[Outcome], instance: Instance, name: str, world: World) -> list[Outcome]:
        """What an attribute holds, also with what others put in where it is a list, or a dict."""
        if any(isinstance(value, Table) for value, _ in outcomes):
            return self._with_entries(outcomes, instance, name, world)
        if not any(isinstance(value, Items) and value.kind == "list" for value, _ in outcomes):
            return outcomes
        added = self._grown.of(instance, name, world)
        if not added:
            return outcomes
        items = {value.key: value for value, _ in added}
        longer: Outcome = (Items("list", tuple(items.values()), True), world)
        return told_apart([*outcomes, longer], ("grown", instance.key, name))

    def _with_entries(
        self, outcomes: list[Outcome], instance: Instance, name: str, world: World
    ) -> list[Outcome]:
        entries = self._grown.under_keys(instance, name, world)
        if not entries:
            return outcomes
        return [
            (Table({**entries, **value.items}, True, value.home) if isinstance(value, Table) else value, w)
            for value, w in outcomes
        ]

    def added_to(self, made: Made, name: str, world: World) -> list[Outcome]:
        """What others put in a list that an object of a library keeps."""
        return self._grown.of_library(made, name, world)

    def put_under_keys(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What others put in a dict that an attribute holds, whatever the keys are."""
        return self._grown.of(instance, name, world, keyed=True)

    def put_under(self, instance: Instance, name: str, key: str, world: World) -> list[Outcome] | None:
        """What methods that are called on an object put under a key of a dict that it keeps; None where none
        puts anything there."""
        return self._grown.under(instance, name, key, world)

    def _filled(self, value: Value, owner: Class | Instance, name: str) -> Value:
        """What an attribute holds, with its home where it is a dict that other code may fill."""
        return self._evaluator.filled.of_attribute(value, owner, name) if isinstance(value, Table) else value

    def _stored_when_made(self, instance: Instance, name: str) -> bool:
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
            stored = self._stored(instance, name, world)
            outcomes, by = [outcome for outcome, _ in stored], [label for _, label in stored]
            elsewhere = self._evaluator.modules.index.stored_elsewhere(name)
            labels = [*by, *[0] * len(at_first)]
            if len(set(labels)) == len(labels) > 1 and not elsewhere:
                # What the same methods store goes together: self.sampler and self.shuffle.
                methods = (instance.key, tuple(labels))
                outcomes = after_stores(outcomes, methods, world)
                return stores_told_apart([*outcomes, *at_first], methods, labels)
            if not outcomes:
                outcomes += self._kept_by_library(instance, name, world)
            if elsewhere:
                given = self.outside.values(instance, name, world)
                by_init = all(function.name == "__init__" for _, function in self.storing(instance, name))
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

    def _stored(self, instance: Instance, name: str, world: World) -> list[tuple[Outcome, int]]:
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

    def stored_by_bases(self, node: ast.Attribute, point: Point, world: World) -> list[Outcome]:
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

    def _kept_by_library(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What a library's constructor keeps in the attribute: ``super().__init__(root, transform=...)``."""
        if not is_kept(name):
            return []
        found: list[Outcome] = []
        for library, arguments in self._evaluator.initialisers.of_libraries(instance):
            parameters = kept_parameters(library, name)
            if parameters is None:
                continue
            if name in arguments.keywords:
                found += self._evaluator.value_of(arguments.keywords[name], world)
            elif name in parameters[: len(arguments.positional)]:
                found += self._evaluator.value_of(arguments.positional[parameters.index(name)], world)
            elif arguments.splats:
                for table, w in self._evaluator.containers.table(Arguments(splats=arguments.splats), world):
                    if name in table.items:
                        found.append((table.items[name], w))
        return found

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
            for function in self._stores_of(above.node).get(node.attr, ())
            if function is not scope and function.name != "__init__"
        ]
        if not others:
            return False
        text = frame.module.text_of(scope)
        return any(f"{own}.{name}(" in text for name in others)

    def added_from_outside(self, instance: Instance) -> frozenset[int]:
        """The places where other code puts something in a list or dict that an object keeps."""
        known = self._added.get(instance.key)
        if known is None:
            line = self._evaluator.classes.line(instance.cls)
            names = sorted({name for above in line for name in self._stores_of(above.node)})
            found, sure = self._evaluator.whole(
                lambda: [self._grown.places(instance, name) for name in names]
            )
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
            held = {name for above in line for name in self._stores_of(above.node)}
            names = self._names[instance.cls.key] = sorted(filter(stored, held))
        return self.outside.marks(instance, names)

    def is_set_from_outside(self, instance: Instance, name: str) -> bool:
        """Whether code outside its class may store in one attribute of an object."""
        return bool(self.outside.marks(instance, [name]))

    def storing(self, instance: Instance, name: str) -> list[tuple[Class, FunctionNode]]:
        """The methods that store ``self.name``: of the ``__init__`` methods that making the instance runs,
        the first of each chain that does, and every other method of the class and those above it."""
        found: list[tuple[Class, FunctionNode]] = []
        chains: set[int] = set()
        runs = {id(frame.scope): chain for _, frame, chain in self._evaluator.initialisers.chains(instance)}
        for above in self._evaluator.classes.line(instance.cls):
            for function in self._stores_of(above.node).get(name, ()):
                if function.name == "__init__":
                    chain = runs.get(id(function))
                    if chain is None or chain in chains:
                        continue
                    chains.add(chain)
                elif is_setter(function) and not self._may_be_set(instance.cls, function.name):
                    continue
                found.append((above, function))
        return found

    def _may_be_set(self, cls: Class, name: str) -> bool:
        """Whether some code sets a property: else what its setter stores is nowhere."""
        return self._evaluator.modules.index.stored_elsewhere(name) or any(
            name in self._stores_of(above.node) for above in self._evaluator.classes.line(cls)
        )

    def _stores_of(self, node: ast.ClassDef) -> dict[str, list[FunctionNode]]:
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


def _together(members: list[tuple[Value, Class, World]], world: World) -> list[tuple[Value, Class, World]]:
    """What a class has under a name, as far as a world agrees; nothing is told of it where one of several
    assumes nothing."""
    if not all(w.facts for _, _, w in members):
        return [(value, owner, world) for value, owner, _ in members]
    joined = ((value, owner, world.joined(w)) for value, owner, w in members)
    return [(value, owner, both) for value, owner, both in joined if both is not None]
