"""What Hydra makes of a configuration: ``dataset: {_target_: data.Birds, transform: {_target_: data.Flip}}``.

Of what stands there only objects are known: numbers and texts the user may change, and which of several files
counts nobody knows.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dlint.evaluation.library.arguments import first
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.knowledge.names import canonical
from dlint.knowledge.words.reflection import FINDS_BY_NAME
from dlint.project.configuration.targets import PARTIAL, TARGET, TELLS, Listed, Node, Section, made_in
from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    FALSE,
    TRUE,
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
)

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.worlds import World

# Of so many mappings with a name, or under a key, the first are looked at.
_MOST = 12
# So deep mappings are written in one another.
_FAR = 8


class Configured:
    """Questions about what a configuration has made."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._all: list[Section] | None = None
        self._of: dict[int, list[Section]] = {}
        # What stands for the calls that make the objects, by the mapping.
        self._nodes: dict[int, ast.Pass] = {}
        self._inside: dict[tuple[int, object], ast.Pass] = {}

    def under(self, asked: Argument, world: World) -> list[Section]:
        """The mappings that stand under the key by which an expression asks for one: ``cfg.data.train``,
        ``cfg.data[split]``."""
        keys: set[Value] = set()
        match asked.expression:
            case ast.Attribute(attr=key):
                keys.add(Const(key))
            case ast.Subscript(slice=key) if asked.point is not None:
                keys.update(value for value, _ in self._evaluator.values(key, asked.point, world))
        if not keys or not all(isinstance(key, Const) for key in keys):
            return []
        names = {key.value for key in keys if isinstance(key, Const)}
        return [each for each in self._makings() if each.key in names][:_MOST]

    def is_target(self, name: str) -> bool:
        """Whether a mapping has something of this name called."""
        return any(each.called == name for each in self._makings())

    def calling(self, scope: FunctionNode, frame: Frame) -> list[Section]:
        """The mappings that call a function, or make objects which take their constructor from here."""
        owner = frame.owner
        if not self._makings() or (owner is not None and scope.name != "__init__"):
            return []
        found = self._of.get(id(scope))
        if found is None:
            self._of[id(scope)] = []  # for whoever asks for it meanwhile
            names = {scope.name} if owner is None else {owner.name, *self._below(owner)}
            asked = [each for each in self._makings() if each.called in names]
            point = Point(self._evaluator.modules.frame(frame.module), None)
            found = self._of[id(scope)] = [each for each in asked[:_MOST] if self._calls(each, scope, point)]
        return found

    def given(self, making: Section, name: str, frame: Frame, world: World) -> list[Outcome]:
        """What a mapping gives to a parameter; empty where it says nothing of it."""
        node = making.entries.get(name)
        point = Point(self._evaluator.modules.frame(frame.module), None)
        return [] if node is None else self._values(node, point, world)

    def made(
        self, making: Section, given: Mapping[str, Argument], node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What a mapping makes, with what is given besides."""
        keywords = {
            name: Argument(None, None, self._value(entry, point, world))
            for name, entry in making.entries.items()
            if not name.startswith("_")
        }
        if making.entries.get(PARTIAL) == "true":
            keywords[PARTIAL] = Argument(None, None, TRUE)
        target = making.target or ""
        callees: list[Value] = self._evaluator.named.of_path(target, point) or [External(target)]
        return [
            outcome
            for callee in callees
            for outcome in self.called(callee, {**keywords, **given}, node, point, world)
        ]

    def called(
        self, callee: Value, given: dict[str, Argument], node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What Hydra makes of a target with what it is given: a partial where it is told so."""
        arguments = Arguments(keywords={name: each for name, each in given.items() if name not in TELLS})
        told = given.get(PARTIAL)
        found: list[Outcome] = []
        for value, w in self._evaluator.value_of(told, world) if told is not None else [(FALSE, world)]:
            if isinstance(value, Const) and value.value:
                found.append((Partial(callee, arguments), w))
            else:
                found += self._evaluator.invoke(callee, arguments, node, point, w)
        return found

    def of_value(self, told: Value, made: Made, point: Point, world: World) -> list[Outcome]:
        """What is made of a configuration that the program writes itself, a dict, settings or an object of a
        dataclass with a target; nothing of any other value."""
        given = made.arguments.keywords
        if isinstance(told, Partial):  # what hydra-zen builds
            return self._evaluator.invoke(told, Arguments(keywords=given), made.node, point, world)
        return [
            outcome
            for table, w in self._as_table(told, made.node, point, world)
            for outcome in self._of_table(table, given, made.node, point, w, 0)
        ]

    def _as_table(self, told: Value, node: ast.AST, point: Point, world: World) -> list[tuple[Table, World]]:
        found: list[Outcome] = [(told, world)]
        if isinstance(told, Made) and told.name in OPEN_SETTINGS and len(told.arguments.all()) == 1:
            found = first(self._evaluator, told.arguments, world)
        elif isinstance(told, Class) and self._evaluator.classes.member(told, TARGET):
            found = self._fields(Instance(told, Arguments(), node, point.key, point), node, point, world)
        elif isinstance(told, Instance) and self._evaluator.classes.member(told.cls, TARGET):
            found = self._fields(told, node, point, world)
        return [(value, w) for value, w in found if isinstance(value, Table) and TARGET in value.items]

    def _fields(self, record: Instance, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._evaluator.records.as_dict(record, node, point, world, whole=False)

    def _of_table(
        self,
        table: Table,
        given: Mapping[str, Argument],
        node: ast.AST,
        point: Point,
        world: World,
        far: int,
    ) -> list[Outcome]:
        """What is made of a dict with a target, the dicts in it first."""
        target = table.items.get(TARGET)
        if not isinstance(target, Const) or not isinstance(target.value, str) or far > _FAR:
            return []
        told = {
            name: Argument(None, None, self._inner(value, name, node, point, world, far))
            for name, value in table.items.items()
            if isinstance(name, str)
        }
        callees: list[Value] = self._evaluator.named.of_path(target.value, point) or [
            External(canonical(target.value))
        ]
        return [
            outcome
            for callee in callees
            for outcome in self.called(callee, {**told, **given}, node, point, world)
        ]

    def _inner(
        self, value: Value, name: object, node: ast.AST, point: Point, world: World, far: int
    ) -> Value:
        """What stands in such a dict: what is made of it where it has a target itself."""
        if isinstance(value, Items) and value.kind == "list":
            made = [
                self._inner(each, (name, at), node, point, world, far) for at, each in enumerate(value.items)
            ]
            return Items(value.kind, tuple(made), value.open)
        if not isinstance(value, Table) or TARGET not in value.items:
            return value
        at = self._inside.setdefault((id(node), name), ast.Pass())
        found = self._of_table(value, {}, at, point, world, far + 1)
        return found[0][0] if len(found) == 1 else Unknown(("configured", id(at)))

    def _makings(self) -> list[Section]:
        if self._all is None:
            index = self._evaluator.modules.index
            asked = any(index.mentioning(word) for word in FINDS_BY_NAME)
            self._all = list(made_in(index.configuration_files)) if asked else []
        return self._all

    def _below(self, cls: Class) -> list[str]:
        """The names of the classes below one."""
        found: list[str] = []
        waiting = [cls]
        while waiting and len(found) < _MOST:
            for below in self._evaluator.classes.subclasses(waiting.pop(0), _MOST):
                if below.name not in found:
                    found.append(below.name)
                    waiting.append(below)
        return found

    def _calls(self, making: Section, scope: FunctionNode, point: Point) -> bool:
        for value in self._evaluator.named.of_path(making.target or "", point):
            if isinstance(value, Class):
                members = self._evaluator.classes.member(value, "__init__")
                if any(isinstance(each, Function) and each.node is scope for each, _ in members):
                    return True
            elif isinstance(value, Function) and value.node is scope:
                return True
        return False

    def _value(self, node: Node, point: Point, world: World) -> Value:
        """What is written there as one value: unknown where it may be several."""
        found = self._values(node, point, world)
        return found[0][0] if len(found) == 1 else Unknown(("configured", id(node)))

    def _values(self, node: Node, point: Point, world: World) -> list[Outcome]:
        key: Key = ("configured", id(node))
        if isinstance(node, Listed):
            items = tuple(self._value(item, point, world) for item in node.items)
            return [(Items("list", items), world)]
        if isinstance(node, Section) and node.target is not None:
            at = self._nodes.setdefault(id(node), ast.Pass())
            return self.made(node, {}, at, point, world) or [(Unknown(key), world)]
        return [(Unknown(key), world)]
