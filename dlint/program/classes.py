"""Classes of the program: bases across files, members, and what ``self.x`` holds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.module.layout import FunctionNode, functions_in, parameters, statements_in
from dlint.program.frame import Arguments, Frame, Point, arguments_of, layout_of
from dlint.program.outcomes import Outcome, told_apart
from dlint.program.values import (
    HERE,
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
    World,
)

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator

_PROPERTIES = frozenset({"property", "cached_property", "lazy_property"})
_MOST_SUBCLASSES = 8
_MOST_STORES = 8


class Classes:
    """Questions about classes and their instances."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._bases: dict[Key, list[list[Value]]] = {}
        self._lines: dict[Key, list[Class]] = {}
        self._stores: dict[int, dict[str, list[FunctionNode]]] = {}
        self._inits: dict[Key, list[tuple[Class, Frame, int]]] = {}
        self._properties: dict[Key, dict[str, list[tuple[Function, Class]]]] = {}
        self._subclasses: dict[Key, list[Class]] = {}
        self._outside: dict[str, list[tuple[ast.Assign, Point]]] = {}
        self._active: dict[tuple[Key, str], int] = {}

    # Hierarchy

    def bases(self, cls: Class) -> list[list[Value]]:
        """For each base of a class, what it may be."""
        found = self._bases.get(cls.key)
        if found is None:
            self._bases[cls.key] = []  # a class among its own bases is an error of the program's
            point = Point(cls.frame, cls.node)
            found = [
                list({value.key: value for value, _ in self._evaluator.values(base, point)}.values())
                for base in cls.node.bases
            ]
            self._bases[cls.key] = found
        return found

    def line(self, cls: Class) -> list[Class]:
        """The class and the program's classes above it, nearest first."""
        found = self._lines.get(cls.key)
        if found is None:
            found = self._lines[cls.key] = [cls]
            for values in self.bases(cls):
                for value in values:
                    if isinstance(value, Class):
                        found += [above for above in self.line(value) if above not in found]
        return found

    def libraries(self, cls: Class) -> set[str]:
        """The names of the library classes that a class is derived from, at any distance."""
        return {
            value.name
            for above in self.line(cls)
            for values in self.bases(above)
            for value in values
            if isinstance(value, External | Made)
        }

    def subclasses(self, cls: Class) -> list[Class]:
        """The program's classes directly below a class that is defined at the top of its module."""
        found = self._subclasses.get(cls.key)
        if found is None:
            found = self._subclasses[cls.key] = []
            for module in self._evaluator.modules.mentioning(cls.name):
                for trail in module.paths_to(cls.name):
                    for node in trail[-3:-1]:
                        if isinstance(node, ast.ClassDef) and trail[-1] in _base_nodes(node):
                            below = Class(node, self._evaluator.calls.frame_of(module, trail))
                            if any(
                                cls in self.line(below) or v.key == cls.key
                                for values in self.bases(below)
                                for v in values
                            ):
                                found.append(below)
        return found

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
            if isinstance(value, Instance | Class | Function):
                return False if not isinstance(value, Instance) or not self.libraries(value.cls) else None
        return None

    # Members

    def member(self, cls: Class, name: str) -> list[tuple[Value, Class]]:
        """What a class or the nearest class above it defines under a name, and where."""
        layout = layout_of(cls.node)
        if name in layout.binds:
            frame = Frame(cls.module, cls.node, cls.frame)
            found: list[tuple[Value, Class]] = []
            for statement, w in self._evaluator.flow.definitions(name, Point(frame, None), HERE):
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.append((Function(statement, frame, owner=cls), cls))
                elif statement is not None:
                    found += [
                        (value, cls) for value, _ in self._evaluator.names.defined(statement, name, frame, w)
                    ]
            return found
        return self.member_above(cls, name)

    def member_above(self, cls: Class, name: str) -> list[tuple[Value, Class]]:
        """The same, from the bases of a class on."""
        for values in self.bases(cls):
            found = [
                member
                for value in values
                if isinstance(value, Class) and value.key != cls.key
                for member in self.member(value, name)
            ]
            if found:
                return found
        return []

    def methods(self, instance: Instance, name: str) -> list[Function]:
        """The functions of the program that ``instance.name`` may be, bound to it."""
        return [
            bound
            for value, owner in self.member(instance.cls, name)
            if isinstance(value, Function)
            for bound in [self.bind(value, instance, owner)]
            if isinstance(bound, Function)
        ]

    def properties(self, cls: Class) -> dict[str, list[tuple[Function, Class]]]:
        """The properties of a class and those above it, by name."""
        found = self._properties.get(cls.key)
        if found is None:
            found = self._properties[cls.key] = {}
            for above in self.line(cls):
                for node in functions_in(above.node.body):
                    if node.decorator_list and node.name not in found and _is_property(node):
                        frame = Frame(above.module, above.node, above.frame)
                        found[node.name] = [(Function(node, frame, owner=above), above)]
        return found

    def bind(self, value: Value, receiver: Value, owner: Class) -> Value:
        """A class's member as seen through an instance or the class."""
        if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
            return value
        decorators = {_last_name(decorator) for decorator in value.node.decorator_list}
        if "staticmethod" in decorators:
            return value
        if "classmethod" in decorators:
            cls = receiver.cls if isinstance(receiver, Instance) else receiver
            return Function(value.node, value.frame, cls, owner)
        if isinstance(receiver, Class):
            return value
        return Function(value.node, value.frame, receiver, owner)

    # Attributes

    def attribute(self, base: Value, name: str, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """The values of ``base.name`` for what the program itself defines."""
        match base:
            case Instance():
                return self._of_instance(base, name, node, point, world)
            case Class():
                found = self.member(base, name)
                if found:
                    return [(self.bind(value, base, owner), world) for value, owner in found]
                if name == "__name__":
                    return [(Const(base.name), world)]
            case Super():
                found = self.member_above(base.cls, name)
                if found:
                    return [(self.bind(value, base.receiver, owner), world) for value, owner in found]
                for library in sorted(self.libraries(base.cls)):
                    return [(External(f"{library}.{name}"), world)]
            case Partial():
                if name == "func":
                    return [(base.callee, world)]
            case Function() | ModuleValue():
                pass
        return [(Unknown(("attribute", base.key, name)), world)]

    def _of_instance(
        self, instance: Instance, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        members = self.member(instance.cls, name)
        for value, owner in members:
            if isinstance(value, Function) and _is_property(value.node):
                getter = Function(value.node, value.frame, instance, owner)
                return self._evaluator.calls.returns(getter, Arguments(), node, point, world)
        held = self.held(instance, name, world)
        if held:
            return held
        if members:
            bound = [(self.bind(value, instance, owner), world) for value, owner in members]
            return told_apart(bound, (instance.key, name))
        if instance.arguments is None:
            for below in self.subclasses(instance.cls)[:_MOST_SUBCLASSES]:
                found = self._of_instance(Instance(below, None, None), name, node, point, world)
                if found and not all(isinstance(value, Unknown) for value, _ in found):
                    return found
        return [(Unknown(("attribute", instance.key, name)), world)]

    def held(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What the class's own methods store in ``self.name``."""
        mark = (instance.key, name)
        if mark in self._active:
            self._evaluator.cut(self._active[mark])
            return [(Unknown(("attribute", instance.key, name)), world)]
        self._active[mark] = self._evaluator.depth
        try:
            outcomes: list[Outcome] = []
            for owner, function in self._storing(instance, name):
                frame = self._method_frame(instance, owner, function)
                path = f"{parameters(function)[0].arg}.{name}"
                for statement, w in self._evaluator.flow.definitions(path, Point(frame, None), world):
                    if statement is not None:
                        outcomes += self._evaluator.names.defined(statement, path, frame, w)
            if self._evaluator.modules.index.stored_elsewhere(name):
                outcomes += self._stored_outside(instance, name, world)
            if (
                outcomes
                and all(isinstance(value, Const) for value, _ in outcomes)
                and self._evaluator.modules.index.stored_elsewhere(name)
            ):
                outcomes.append((Unknown(("attribute", instance.key, name)), world))
            return told_apart(outcomes, mark)
        finally:
            del self._active[mark]

    def _stored_outside(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What code outside the class stores in the attribute: ``dataset.transform = augment``."""
        found: list[Outcome] = []
        for assignment, point in self._outside_stores(name):
            target = assignment.targets[0]
            assert isinstance(target, ast.Attribute)
            holders = [value for value, _ in self._evaluator.values(target.value, point)]
            if any(holder.key == instance.key for holder in holders):
                found += self._evaluator.values(assignment.value, point, world)
        return found

    def _outside_stores(self, name: str) -> list[tuple[ast.Assign, Point]]:
        stores = self._outside.get(name)
        if stores is None:
            stores = self._outside[name] = []
            for relative in self._evaluator.modules.index.storing(name):
                module = self._evaluator.modules.get(relative)
                if module is None:
                    continue
                for trail in module.paths_to(name):
                    node, above = trail[-1], trail[-2]
                    if (
                        isinstance(above, ast.Assign)
                        and above.targets[0] is node
                        and isinstance(node, ast.Attribute)
                        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
                    ):
                        stores.append((above, self._evaluator.calls.point_of(module, trail)))
            if len(stores) > _MOST_STORES:
                stores.clear()
        return stores

    def changed_by_calls(self, frame: Frame, node: ast.Attribute) -> bool:
        """Whether a method calls another one of its object that stores the attribute: what the method
        itself stored last may not be what is there."""
        scope = frame.scope
        if not (isinstance(scope, ast.FunctionDef) and isinstance(frame.receiver, Instance)):
            return False
        own = parameters(scope)[0].arg
        if not (isinstance(node.value, ast.Name) and node.value.id == own):
            return False
        others = [
            function.name
            for above in self.line(frame.receiver.cls)
            for function in self._stores_of(above.node).get(node.attr, ())
            if function is not scope and function.name != "__init__"
        ]
        if not others:
            return False
        text = "\n".join(frame.module.lines[scope.lineno - 1 : scope.end_lineno])
        return any(f"{own}.{name}(" in text for name in others)

    def _storing(self, instance: Instance, name: str) -> list[tuple[Class, FunctionNode]]:
        """The methods that store ``self.name``: of the ``__init__`` methods that making the instance runs,
        the first of each chain that does, and every other method of the class and those above it."""
        found: list[tuple[Class, FunctionNode]] = []
        chains: set[int] = set()
        runs = {id(frame.scope): chain for _, frame, chain in self._initialised(instance)}
        for above in self.line(instance.cls):
            for function in self._stores_of(above.node).get(name, ()):
                if function.name == "__init__":
                    chain = runs.get(id(function))
                    if chain is None or chain in chains:
                        continue
                    chains.add(chain)
                found.append((above, function))
        return found

    def _stores_of(self, node: ast.ClassDef) -> dict[str, list[FunctionNode]]:
        stores = self._stores.get(id(node))
        if stores is None:
            stores = self._stores[id(node)] = {}
            for item in functions_in(node.body):
                own = parameters(item)[:1]
                if own:
                    prefix = own[0].arg + "."
                    for path in layout_of(item).binds:
                        attribute = path.removeprefix(prefix)
                        if attribute != path and "." not in attribute:
                            stores.setdefault(attribute, []).append(item)
        return stores

    def _method_frame(self, instance: Instance, owner: Class, function: FunctionNode) -> Frame:
        if function.name == "__init__":
            for cls, frame in self.initialisers(instance):
                if cls.node is owner.node and frame.scope is function:
                    return frame
        outer = Frame(owner.module, owner.node, owner.frame)
        return Frame(owner.module, function, outer, receiver=instance, owner=owner)

    def initialisers(self, instance: Instance) -> list[tuple[Class, Frame]]:
        """The ``__init__`` methods that making an instance runs, each in the frame of its call."""
        return [(owner, frame) for owner, frame, _ in self._initialised(instance)]

    def _initialised(self, instance: Instance) -> list[tuple[Class, Frame, int]]:
        """The same with the chain that each belongs to: a class whose base is one of several classes has
        one for each."""
        found = self._inits.get(instance.key)
        if found is not None:
            return found
        found = self._inits[instance.key] = []
        waiting = [
            (value, owner, instance.arguments, chain)
            for chain, (value, owner) in enumerate(self.member(instance.cls, "__init__"))
        ]
        while waiting and len(found) < 12:
            value, owner, arguments, chain = waiting.pop(0)
            if not isinstance(value, Function) or any(frame.scope is value.node for _, frame, _ in found):
                continue
            frame = Frame(
                owner.module,
                value.node,
                value.frame,
                arguments=arguments,
                receiver=instance,
                owner=owner,
                site=instance.node,
            )
            found.append((owner, frame, chain))
            waiting += [(*base, chain) for base in self._initialised_bases(frame, owner)]
        return found

    def _initialised_bases(self, frame: Frame, owner: Class) -> list[tuple[Value, Class, Arguments | None]]:
        """The base initialisers that an ``__init__`` calls, with the arguments it gives them."""
        found: list[tuple[Value, Class, Arguments | None]] = []
        for call, statement in base_init_calls(frame):
            assert isinstance(call.func, ast.Attribute)
            point = Point(frame, statement)
            arguments = arguments_of(call, point)
            explicit = not isinstance(call.func.value, ast.Call)
            for base, _ in self._evaluator.values(call.func.value, point):
                if isinstance(base, Class):
                    members = self.member(base, "__init__")
                elif isinstance(base, Super):
                    members = self.member_above(base.cls, "__init__")
                else:
                    continue
                given = arguments
                if explicit and arguments.positional:
                    given = Arguments(
                        arguments.positional[1:], arguments.keywords, arguments.spread, arguments.splats
                    )
                found += [(value, above, given) for value, above in members]
        return found

    def super_at(self, point: Point, world: World) -> list[Outcome]:
        """``super()`` at a point: that of the method around it."""
        frame: Frame | None = point.frame
        while frame is not None:
            if frame.receiver is not None and frame.owner is not None:
                return [(Super(frame.receiver, frame.owner), world)]
            frame = frame.outer
        return [(Unknown(("super", id(point.frame.scope))), world)]


def base_init_calls(frame: Frame) -> list[tuple[ast.Call, ast.stmt]]:
    """The calls ``super().__init__(...)`` and ``Base.__init__(self, ...)`` in a method, and their
    statements."""
    found = []
    scope = frame.scope
    if isinstance(scope, ast.FunctionDef):
        for statement in statements_in(scope.body):
            value = getattr(statement, "value", None)
            if (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Attribute)
                and value.func.attr == "__init__"
            ):
                found.append((value, statement))
    return found


def _base_nodes(node: ast.ClassDef) -> list[ast.AST]:
    found: list[ast.AST] = []
    for base in node.bases:
        found += [base, getattr(base, "value", base)]
    return found


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_property(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        _last_name(decorator) in _PROPERTIES for decorator in node.decorator_list
    )
