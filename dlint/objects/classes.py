"""Classes of the program: bases across files, members, and how an object sees them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from dlint.budget.budget import spend
from dlint.evaluation.questions import begun
from dlint.knowledge.loading import is_dataset, is_derived, is_generic, is_iterable_dataset, is_kind
from dlint.knowledge.names import ENUMERATIONS, NEXT_MEMBER, ONLY_KINDS, is_constructor
from dlint.source.statements import functions_in
from dlint.values.frame import Arguments, Frame, Point, layout_of
from dlint.values.methods import decorated_by, is_property, is_setter
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    Super,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

_STATIC = "builtins.staticmethod"
# What a class has under a name, the class that defines it, and what is assumed where it is that.
_Member: TypeAlias = tuple[Value, Class, World]


class Classes:
    """Questions about classes and what they define."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._bases: dict[Key, list[list[Value]]] = {}
        self._lines: dict[Key, list[Class]] = {}
        self._properties: dict[Key, dict[str, list[tuple[Function, Class]]]] = {}
        # Those that are known so far, and the files that nobody has looked through for more.
        self._subclasses: dict[Key, tuple[list[Class], list[str]]] = {}
        self._generic: dict[Key, bool] = {}

    # Hierarchy

    def bases(self, cls: Class) -> list[list[Value]]:
        """For each base of a class, what it may be."""
        found = self._bases.get(cls.key)
        if found is None:
            # A class among its own bases is an error of the program's.
            with begun(self._bases, cls.key, list[list[Value]]()):
                point = Point(cls.frame, cls.node)
                found = [
                    list({value.key: value for value in self._base(base, point)}.values())
                    for base in cls.node.bases
                ]
            self._bases[cls.key] = found
        return found

    def _base(self, node: ast.expr, point: Point) -> list[Value]:
        """What a base may be. A class that is subscripted there is the base itself: from a member of an
        enumeration no class can be derived."""
        if isinstance(node, ast.Subscript):
            whole = [value for value, _ in self._evaluator.values(node.value, point)]
            if whole and all(self._is_named_like_class(value) for value in whole):
                return whole
        return [value for value, _ in self._evaluator.values(node, point)]

    def _is_named_like_class(self, value: Value) -> bool:
        if isinstance(value, Class):
            return not self._has_own_items(value)
        return isinstance(value, External) and value.owner is None and is_constructor(value.name)

    def is_generic(self, value: Value) -> bool:
        """Whether a subscript of a class only says what its parts are: ``Source[int]`` is ``Source``."""
        if isinstance(value, External):
            return value.owner is None and is_generic(value.name)
        if not isinstance(value, Class):
            return False
        known = self._generic.get(value.key)
        if known is None:
            with begun(self._generic, value.key, False):
                declared = any(getattr(above.node, "type_params", None) for above in self.line(value))
                known = declared or any(is_generic(name) for name in self.libraries(value))
                known = known and not self._has_own_items(value)
            self._generic[value.key] = known
        return known

    def _has_own_items(self, cls: Class) -> bool:
        """Whether the program says itself what a subscript of a class gives: by a method of the class, or of
        its metaclass."""
        if self.member(cls, "__class_getitem__"):
            return True
        return any(
            not isinstance(value, External) or value.name != "abc.ABCMeta"
            for above in self.line(cls)
            for keyword in above.node.keywords
            if keyword.arg == "metaclass"
            for value, _ in self._evaluator.values(keyword.value, Point(above.frame, above.node))
        )

    def line(self, cls: Class) -> list[Class]:
        """The class and the program's classes above it, nearest first."""
        found = self._lines.get(cls.key)
        if found is None:
            with begun(self._lines, cls.key, [cls]) as found:
                lines = [
                    self.line(value)
                    for values in self.bases(cls)
                    for value in values
                    if isinstance(value, Class)
                ]
                found += _merged(lines, cls)
        return found

    def has_choice(self, cls: Class) -> bool:
        """Whether some base may be one of several classes: ``class Data(FACTORY[name])``."""
        return any(len(values) > 1 for above in self.line(cls) for values in self.bases(above))

    def libraries(self, cls: Class) -> set[str]:
        """The names of the library classes that a class is derived from, at any distance."""
        return {
            value.name
            for above in self.line(cls)
            for values in self.bases(above)
            for value in values
            if isinstance(value, External | Made)
        }

    def subclasses(self, cls: Class, most: int | None = None) -> list[Class]:
        """The program's classes directly below a class that is defined at the top of its module; or so many
        of them: no more files are parsed than it takes."""
        known = self._subclasses.get(cls.key)
        if known is None:
            known = self._subclasses[cls.key] = ([], list(self._evaluator.modules.index.deriving(cls.name)))
        found, files = known
        while files and (most is None or len(found) < most):
            # Whoever asks again meanwhile goes on with the next file.
            relative = files.pop(0)
            try:
                found += self._derived_in(relative, cls)
            except BaseException:
                self._subclasses.pop(cls.key, None)
                raise
        return found if most is None else found[:most]

    def _derived_in(self, relative: str, cls: Class) -> list[Class]:
        """The classes of a file that are directly below a class."""
        found: list[Class] = []
        for module in self._evaluator.modules.each([relative]):
            for trail in module.paths_to(cls.name):
                for node in trail[-3:-1]:
                    if isinstance(node, ast.ClassDef) and trail[-1] in _base_nodes(node):
                        around = trail[: trail.index(node) + 1]
                        below = Class(node, self._evaluator.sites.frame_of(module, around))
                        if any(
                            cls in self.line(below) or v.key == cls.key
                            for values in self.bases(below)
                            for v in values
                        ):
                            found.append(below)
        return found

    def _reads_by_index(self, cls: Class) -> bool:
        """Whether all that a class is derived from is known, a dataset is among it, and no stream."""
        values = [value for above in self.line(cls) for base in self.bases(above) for value in base]
        return all(isinstance(value, Class | External) for value in values) and any(
            is_dataset(name) and not is_iterable_dataset(name) for name in self.libraries(cls)
        )

    def is_instance(self, value: Value, cls: Value) -> bool | None:
        """Whether ``isinstance(value, cls)``, None where that is not known."""
        if isinstance(cls, Items):
            answers = [self.is_instance(value, item) for item in cls.items]
            return True if True in answers else (None if None in answers else False)
        if isinstance(value, Instance) and isinstance(cls, Class):
            if any(above.key == cls.key for above in self.line(value.cls)):
                return True
            return None if value.arguments is None else False
        if (
            isinstance(cls, External)
            and isinstance(value, Instance)
            and cls.name in self.libraries(value.cls)
        ):
            return True
        if isinstance(cls, External) and isinstance(value, Instance) and is_iterable_dataset(cls.name):
            return False if self._reads_by_index(value.cls) else None
        if isinstance(cls, External) and isinstance(value, Made) and value.name == cls.name:
            return True
        if isinstance(cls, External) and cls.name.startswith("builtins."):
            name = cls.name.partition(".")[2]
            if isinstance(value, Const):
                return type(value.value).__name__ == name or (name == "int" and isinstance(value.value, bool))
            if isinstance(value, Items):
                return value.kind == name
            if isinstance(value, Table):
                return name == "dict"
            if isinstance(value, Class | Function):
                return False
            if isinstance(value, Instance) and self.libraries(value.cls) <= ONLY_KINDS:
                return False
        if isinstance(cls, External) and is_kind(cls.name):
            return self._is_of_kind(value, cls.name)
        return None

    def _is_of_kind(self, value: Value, kind: str) -> bool | None:
        """Whether a value is an object of one of torch's kinds."""
        if isinstance(value, Made):
            return is_derived(value.name, kind)
        if isinstance(value, Instance):
            bases = [
                base for above in self.line(value.cls) for values in self.bases(above) for base in values
            ]
            answers = {
                is_derived(base.name, kind) if isinstance(base, External) else None
                for base in bases
                if not isinstance(base, Class)
            }
            if True in answers:
                return None if self.has_choice(value.cls) else True
            return None if None in answers or value.arguments is None else False
        return False if isinstance(value, Const | Items | Table | Function | Class) else None

    # Members

    def member(self, cls: Class, name: str) -> list[tuple[Value, Class]]:
        """What a class or the nearest class above it defines under a name, and where."""
        return [(value, owner) for value, owner, _ in self.members(cls, name)]

    def members(self, cls: Class, name: str, without: set[Key] | None = None) -> list[_Member]:
        """The same with what the ways through the body of the class assume, where there are several: names
        that one branch binds are together. ``without`` are the classes that are known to have nothing of the
        kind."""
        layout = layout_of(cls.node)
        if name in layout.binds:
            frame = Frame(cls.module, cls.node, cls.frame)
            found: list[_Member] = []
            for statement, w in self._evaluator.flow.definitions(name, Point(frame, None), HERE):
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.append((Function(statement, frame, owner=cls), cls, w))
                elif statement is not None:
                    found += [
                        (value, cls, v)
                        for value, v in self._evaluator.names.defined(statement, name, frame, w)
                    ]
            return found if len(found) > 1 else [(value, owner, HERE) for value, owner, _ in found]
        return self._above(cls, name, without)

    def member_above(self, cls: Class, name: str) -> list[tuple[Value, Class]]:
        """What a class has under a name from its bases on."""
        return [(value, owner) for value, owner, _ in self._above(cls, name, None)]

    def _above(self, cls: Class, name: str, without: set[Key] | None) -> list[_Member]:
        if len(cls.node.bases) > 1 and not self.has_choice(cls):
            return self._next(self.line(cls)[1:], name)
        without = set() if without is None else without
        without.add(cls.key)  # where it comes to itself there is nothing more
        for values in self.bases(cls):
            spend(1)
            found = [
                member
                for value in values
                if isinstance(value, Class) and value.key not in without
                for member in self.members(value, name, without)
            ]
            if found:
                without.discard(cls.key)
                return found
        return []

    def _next(self, line: list[Class], name: str) -> list[_Member]:
        """What the first of some classes that defines a name has under it."""
        for above in line:
            spend(1)
            if name in layout_of(above.node).binds:
                return self.members(above, name)
        return []

    def behind(self, value: Super, name: str) -> list[tuple[Value, Class]]:
        """What ``super().name`` is: what the next class has in the object's own line."""
        receiver = value.receiver
        own = receiver.cls if isinstance(receiver, Instance) else receiver
        if isinstance(own, Class) and own.key != value.cls.key and not self.has_choice(own):
            line = self.line(own)
            keys = [each.key for each in line]
            if value.cls.key in keys:
                found = self._next(line[keys.index(value.cls.key) + 1 :], name)
                return [(value, owner) for value, owner, _ in found]
        return self.member_above(value.cls, name)

    def methods(self, instance: Instance, name: str) -> list[Function]:
        """The functions of the program that ``instance.name`` may be, bound to it."""
        return [
            bound
            for value, owner in self.member(instance.cls, name)
            for bound in [self.bind(value, instance, owner)]
            if isinstance(bound, Function)
        ]

    # Enumerations

    def as_member(self, value: Value, cls: Class) -> Value:
        """What a class says under a name; the member of an enumeration knows whose it is."""
        if not isinstance(value, Const) or ENUMERATIONS.isdisjoint(self.libraries(cls)):
            return value
        return Const(value.value, cls)

    def of_member(
        self, base: Const | Made, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What a member of an enumeration has under a name: what its class defines, or its value; nothing
        where that is not known, or it is no member."""
        cls = _enumeration(base)
        if cls is None:
            return []
        found = self.member(cls, name)
        if name == "value" and isinstance(base, Const) and not (found or self._makes_values(cls)):
            return [(Const(base.value), world)]
        outcomes: list[Outcome] = []
        for value, owner in found:
            bound = self.bind(value, base, owner)
            if isinstance(bound, Function) and is_property(bound.node):
                outcomes += self._evaluator.calls.returns(bound, Arguments(), node, point, world)
            elif isinstance(bound, Function):
                outcomes.append((bound, world))
        return outcomes

    def _makes_values(self, cls: Class) -> bool:
        """Whether an enumeration says itself what the value of a member is."""
        return any(self.member(cls, name) for name in ("__new__", "__init__", "_value_"))

    def as_getter(self, value: Value, owner: Class) -> Value:
        """What a class has under the name of a property that may be set: the function that gives it, which
        ``@size.setter`` leaves as it is."""
        if not isinstance(value, Function) or isinstance(value.node, ast.Lambda) or not is_setter(value.node):
            return value
        name = value.node.name
        for each in functions_in(owner.node.body):
            if each.name == name and is_property(each):
                return Function(each, value.frame, value.receiver, value.owner)
        return value

    def properties(self, cls: Class) -> dict[str, list[tuple[Function, Class]]]:
        """The properties of a class and those above it, by name."""
        found = self._properties.get(cls.key)
        if found is None:
            with begun(self._properties, cls.key, dict[str, list[tuple[Function, Class]]]()) as found:
                for above in self.line(cls):
                    for node in functions_in(above.node.body):
                        if node.decorator_list and node.name not in found and is_property(node):
                            frame = Frame(above.module, above.node, above.frame)
                            found[node.name] = [(Function(node, frame, owner=above), above)]
        return found

    def bind(self, value: Value, receiver: Value, owner: Class) -> Value:
        """A class's member as seen through an instance or the class."""
        if isinstance(value, Made) and value.name == _STATIC and len(value.arguments.positional) == 1:
            held = self._evaluator.value_of(value.arguments.positional[0], HERE)
            return held[0][0] if len(held) == 1 else value
        if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
            return value
        decorators = {decorated_by(decorator) for decorator in value.node.decorator_list}
        if "staticmethod" in decorators:
            return value
        if "classmethod" in decorators:
            cls = receiver.cls if isinstance(receiver, Instance) else receiver
            return Function(value.node, value.frame, cls, owner)
        if isinstance(receiver, Class):
            return value
        return Function(value.node, value.frame, receiver, owner)

    def super_at(self, point: Point, world: World) -> list[Outcome]:
        """``super()`` at a point: that of the method around it."""
        frame: Frame | None = point.frame
        while frame is not None:
            if frame.owner is not None:
                # A method that is looked at without a certain call is one of some object of its class.
                return [(Super(frame.receiver or Instance(frame.owner, None, None), frame.owner), world)]
            frame = frame.outer
        return [(Unknown(("super", id(point.frame.scope))), world)]


def _base_nodes(node: ast.ClassDef) -> list[ast.AST]:
    found: list[ast.AST] = []
    for base in node.bases:
        found += [base, getattr(base, "value", base)]
    return found


def _merged(lines: list[list[Class]], cls: Class) -> list[Class]:
    """The classes above a class in the order in which Python asks them: none before one that is derived from
    it, and bases from the left. Where there is no such order, from the left."""
    waiting = [[each for each in line if each.key != cls.key] for line in lines]
    waiting = [line for line in waiting if line]
    found: list[Class] = []
    while waiting:
        spend(len(waiting))
        behind = {each.key for line in waiting for each in line[1:]}
        first = next((line[0] for line in waiting if line[0].key not in behind), waiting[0][0])
        found.append(first)
        waiting = [[each for each in line if each.key != first.key] for line in waiting]
        waiting = [line for line in waiting if line]
    return found


def _enumeration(value: Const | Made) -> Class | None:
    """The enumeration that a value is a member of, where it is known to be one."""
    if isinstance(value, Const):
        return value.member
    frame = value.point.frame
    if value.name != NEXT_MEMBER or not isinstance(frame.scope, ast.ClassDef) or frame.outer is None:
        return None
    return Class(frame.scope, frame.outer)
