"""Who stores an attribute on the objects of a class: what must be known before it becomes a property.

The *kin* of a class are the classes whose methods may run on an object that is of the class: it, those above
and below it, and those that a class below it has for other bases.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dlint.budget.budget import spend
from dlint.calls.parameters.written import is_static
from dlint.changes.by_name import WORDS, owner_of_names, stored_by_name
from dlint.changes.mentions import mentions
from dlint.program.program import Program
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, dotted, functions_in, parameters
from dlint.values.frame import Point
from dlint.values.values import Class, Const, External, Instance, Made, Unknown, Value

_STATE_METHODS = frozenset({"__getstate__", "__setstate__", "__copy__", "__deepcopy__"})
# What these give may be any object of the program.
_GIVE_BACK = ("copy.", "pickle.", "cloudpickle.", "dill.", "joblib.", "torch.load", "builtins.")


class Store(NamedTuple):
    """A place that stores or deletes an attribute of an object."""

    module: Module
    node: ast.AST

    def __str__(self) -> str:
        return f"{self.module.relative}:{getattr(self.node, 'lineno', 1)}"


class Kin:
    """A class of the program and its kin."""

    def __init__(self, program: Program, cls: Class) -> None:
        self.program = program
        self._evaluator = program.evaluator
        self.cls = cls
        self._known: dict[int, list[Class] | None] = {id(cls.node): program.evaluator.classes.line(cls)}
        kin = {id(each.node): each for each in program.evaluator.classes.line(cls)}
        for below in self._candidates():
            kin |= {id(each.node): each for each in self._of(below) or ()}
        self.classes = list(kin.values())
        self._nodes = frozenset(kin)

    @property
    def above(self) -> list[Class]:
        """The class itself and those above it."""
        return self._evaluator.classes.line(self.cls)

    def bases(self, cls: Class) -> list[list[Value]]:
        """For each base of a class, what it may be."""
        return self._evaluator.classes.bases(cls)

    def is_below(self, cls: Class) -> bool:
        """Whether a class is derived from the class."""
        return any(above.node is self.cls.node for above in self._evaluator.classes.line(cls))

    def share_an_object(self, one: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
        """Whether methods at the end of two trails, which both ask an object of theirs, may ask the same: not
        where no class of the kin has both."""
        owners = [
            next((each for each in reversed(trail) if isinstance(each, ast.ClassDef)), None)
            for trail in (one, other)
        ]
        return None in owners or any(
            all(any(each.node is owner for each in self._evaluator.classes.line(cls)) for owner in owners)
            for cls in self.classes
        )

    def name_of(self, decorator: ast.expr, cls: Class) -> str:
        """The library's name for a decorator of a class, "" where it is none."""
        values = self._evaluator.values(decorator, Point(cls.frame, cls.node))
        return next((value.name for value, _ in values if isinstance(value, External)), "")

    def _candidates(self) -> Iterator[Class]:
        """The classes of the files that may know the class."""
        home = self.cls.module.relative
        for relative in (home, *self.program.boundaries.importers(home)):
            module = self.program.modules.get(relative)
            if module is None:
                continue
            for trail in _trails(module.tree, ast.ClassDef):
                node = trail[-1]
                if isinstance(node, ast.ClassDef) and node.bases:
                    yield Class(node, self._evaluator.sites.frame_of(module, trail))

    def _of(self, below: Class) -> list[Class] | None:
        """The kin that a class brings in, None where it is not derived from the class.

        Of several classes that one base may be, an object has one: the others are no kin of its.
        """
        mark = id(below.node)
        if mark not in self._known:
            self._known[mark] = None  # a class among its own bases
            mine: list[Class] = []
            others: list[Class] = []
            for values in self._evaluator.classes.bases(below):
                classes = [value for value in values if isinstance(value, Class)]
                derived = [found for each in classes if (found := self._of(each)) is not None]
                for line in derived:
                    mine += line
                for each in classes if not derived else ():
                    others += self._evaluator.classes.line(each)
            self._known[mark] = [below, *mine, *others] if mine else None
        return self._known[mark]

    def stores(self, name: str) -> Iterator[Store]:
        """The places that may store or delete the attribute of an object of the class."""
        for mention in mentions(self.program, name):
            node, above = mention.node, mention.trail[-2]
            if isinstance(node, ast.Attribute):
                if not isinstance(node.ctx, ast.Load) and self.may_be(
                    node.value, mention.module, mention.trail
                ):
                    yield Store(mention.module, node)
            elif isinstance(node, ast.keyword) and isinstance(above, ast.Call):
                holder = above.func.value if isinstance(above.func, ast.Attribute) else None
                owner = owner_of_names(holder)
                if owner is not None and self.may_be(owner, mention.module, mention.trail):
                    yield Store(mention.module, above)
        said = re.compile(rf"""['"]{re.escape(name)}['"]""")
        for module in self.program.modules.mentioning(name):
            lines = module.lines_with(name) if said.search(module.text) else []
            for trail in _trails(module.tree, ast.Constant, lines) if lines else ():
                if trail[-1].value == name and self._is_stored_by_name(module, trail):  # type: ignore[attr-defined]
                    yield Store(module, trail[-1])
        yield from self._unnamed(name)

    def _is_stored_by_name(self, module: Module, trail: list[ast.AST]) -> bool:
        """Whether a string that is the attribute's name stands where it stores, or tells what is there."""
        node, above = trail[-1], trail[-2]
        found = stored_by_name(above)
        if found is not None and found.said is node:
            return self.may_be(found.owner, module, trail)
        match above:
            case ast.Call(func=ast.Attribute(value=holder)):
                return self._is_of_state(holder, module, trail)
            case ast.Subscript(value=holder):
                return self._is_of_state(holder, module, trail)
            case ast.Compare(comparators=[holder]):
                return self._is_of_state(holder, module, trail)
            case ast.Dict():
                return self._in_state_method(trail)
        return False

    def _is_of_state(self, holder: ast.expr, module: Module, trail: list[ast.AST]) -> bool:
        owner = owner_of_names(holder)
        if owner is not None:
            return self.may_be(owner, module, trail)
        return isinstance(holder, ast.Name | ast.Attribute) and self._in_state_method(trail)

    def _in_state_method(self, trail: list[ast.AST]) -> bool:
        """Whether a node stands in a method of the kin that copies an object's attributes."""
        return any(
            isinstance(inner, ast.FunctionDef) and inner.name in _STATE_METHODS and id(outer) in self._nodes
            for outer, inner in pairwise(trail)
        )

    def _unnamed(self, name: str) -> Iterator[Store]:
        """The places in methods of the kin that store under names which are not written there."""
        for cls in self.classes:
            for function in functions_in(cls.node.body):
                text = cls.module.text_of(function)
                if function.name in _STATE_METHODS or not any(word in text for word in WORDS):
                    continue
                own = parameters(function)[0].arg if parameters(function) else ""
                for trail in _trails(function, ast.AST):
                    found = stored_by_name(trail[-1])
                    if found is None or found.names is not None or dotted(found.owner) != own:
                        continue
                    if found.said is None or not self._never_says(cls.module, found.said, name):
                        yield Store(cls.module, trail[-1])

    def _never_says(self, module: Module, said: ast.expr, name: str) -> bool:
        """Whether the names that a store by name is told are known, and the attribute's is not among them."""
        for trail in _trails(module.tree, type(said)):
            if trail[-1] is said:
                values = self._values(said, module, trail)
                return all(isinstance(value, Const) and value.value != name for value in values)
        return False

    def _values(self, node: ast.expr, module: Module, trail: list[ast.AST]) -> list[Value]:
        """What an expression is that stands in the last node of a trail."""
        point = self._evaluator.sites.point_of(module, trail)
        return [value for value, _ in self._evaluator.values(node, point)]

    def may_be(self, receiver: ast.expr, module: Module, trail: list[ast.AST]) -> bool:
        """Whether an expression, which stands in the last node of a trail, may be an object of the class, or
        one of its kin."""
        if isinstance(receiver, ast.Name):
            for outer, inner in zip(reversed(trail[:-1]), reversed(trail), strict=False):
                if isinstance(outer, ast.ClassDef) and isinstance(inner, FunctionNode):
                    own = parameters(inner)[:1]
                    if own and own[0].arg == receiver.id and not is_static(inner):
                        return id(outer) in self._nodes
        return any(map(self._may_be, self._values(receiver, module, trail)))

    def may_be_class(self, receiver: ast.expr, module: Module, trail: list[ast.AST]) -> bool:
        """Whether an expression may be the class itself, or one of its kin, and no object of it."""
        match receiver:
            case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type")):
                return True
            case ast.Name(id=name):
                for outer, inner in zip(reversed(trail[:-1]), reversed(trail), strict=False):
                    own = parameters(inner)[:1] if isinstance(inner, FunctionNode) else []
                    if isinstance(outer, ast.ClassDef) and own and own[0].arg == name:
                        return id(outer) in self._nodes and _is_of_class(inner)
        values = self._values(receiver, module, trail)
        return any(isinstance(value, Class) and self.has(value) for value in values)

    def has(self, cls: Class) -> bool:
        """Whether a class is one of the kin."""
        return id(cls.node) in self._nodes

    def _may_be(self, value: Value) -> bool:
        match value:
            case Instance():
                return id(value.cls.node) in self._nodes
            case Class():
                return id(value.node) in self._nodes
            case Made(name=made):
                return made.startswith(_GIVE_BACK)
            case External(owner=owner):
                return owner is not None
        return isinstance(value, Unknown)


def _is_of_class(function: ast.AST) -> bool:
    """Whether what a method is called on is the class."""
    if not isinstance(function, FunctionNode):
        return False
    named = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    return "classmethod" in named or function.name in ("__new__", "__init_subclass__", "__class_getitem__")


def _trails(
    node: ast.AST, kind: type[ast.AST], lines: Sequence[int] | None = None
) -> Iterator[list[ast.AST]]:
    """For every node of a kind below one, the nodes from that down to it; with ``lines`` only those
    on one of these lines (in order)."""
    waiting: list[tuple[ast.AST, ...]] = [(node,)]
    while waiting:
        here = waiting.pop()
        spend(1)
        if isinstance(here[-1], kind) and len(here) > 1:
            yield list(here)
        waiting.extend(
            (*here, child)
            for child in ast.iter_child_nodes(here[-1])
            if lines is None or _has_line(child, lines)
        )


def _has_line(node: ast.AST, lines: Sequence[int]) -> bool:
    first = getattr(node, "lineno", None)
    if first is None:
        return True
    last: int = getattr(node, "end_lineno", None) or first
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last
