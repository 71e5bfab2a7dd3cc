"""How a lambda or local function can move to its module, what changes with it, and whether that is safe."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from dlint.changes.hoisting.around import (
    Hoisted,
    Stays,
    fits,
    is_looked_through,
    sees_names,
)
from dlint.changes.hoisting.entries import is_stored
from dlint.changes.hoisting.handed_on import Existing, HandedOn
from dlint.changes.hoisting.taken import Bound, Taken
from dlint.changes.mentions import lists_its_names, uses_elsewhere
from dlint.changes.only_called import Fate, fate
from dlint.source.closures import bindings, owner, reads
from dlint.source.desugaring.records import is_record
from dlint.source.nodes import walk
from dlint.source.settled import unsettled
from dlint.source.statements import parameters

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module


@dataclass(frozen=True)
class Hoist:
    """What moving a function takes.

    ``variable`` is the name that stands for it and for nothing else, ``uses`` the places where that is read
    outside the function, ``own`` those inside. ``imports`` are those of the function around that it uses
    (``idle`` the statements that nothing else there needs),
    ``at_top`` the modules (each with its name here) that it uses and only the main guard imports.
    ``role`` is what the function that takes it calls it.
    ``at_uses``: what is bound may as well be bound where the variable is used. ``can_go``: nothing asks
    whether the variable is there. ``receiver``: it becomes a method of the object that this name stands for.
    """

    node: Hoisted
    bound: tuple[Bound, ...] = ()
    own: tuple[ast.Name, ...] = ()
    imports: tuple[str, ...] = ()
    idle: tuple[ast.stmt, ...] = ()
    variable: str | None = None
    uses: tuple[tuple[ast.AST, ...], ...] = ()
    at_top: tuple[tuple[str, str], ...] = ()
    role: str | None = None
    at_uses: bool = False
    can_go: bool = False
    existing: Existing | None = None
    receiver: str | None = None
    safe: bool = field(default=False, compare=False)


def hoist(program: Program, module: Module, trail: Sequence[ast.AST]) -> Hoist:
    """How the function at the end of a trail can move to its module. Raises :class:`Stays`."""
    node = trail[-1]
    assert isinstance(node, ast.Lambda | ast.FunctionDef)
    mark = ("hoist", id(node))
    answer = program.answers.get(mark)
    if answer is None:
        try:
            answer = _Question(program, module, list(trail), node).answer()
        except Stays as reason:
            answer = reason
        program.answers[mark] = answer
    if isinstance(answer, Stays):
        raise answer.with_traceback(None)
    assert isinstance(answer, Hoist)
    return answer


class _Question(Taken):
    def answer(self) -> Hoist:
        self._refuse_forms()
        variable, scope, above = self._variable()
        own: tuple[ast.Name, ...] = ()
        every = [self._trail]
        uses: tuple[tuple[ast.AST, ...], ...] = ()
        if isinstance(self._node, ast.FunctionDef):
            every = list(reads(self._node.name, scope, above))
            if variable is None and any(step is self._node for each in every for step in each):
                raise Stays(f"{self._node.name} is not always this function")
        if variable is not None:
            every = list(reads(variable, scope, above))
            own = tuple(each[-1] for each in every if any(step is self._node for step in each))  # type: ignore[misc]
            uses = tuple(tuple(each) for each in every if not any(step is self._node for step in each))
        what = fate(self._program, self._module, every)
        handed_on = HandedOn(self._program, self._module, self._trail, self._node)
        existing = handed_on.find() if all(fits(call, self._node) for call in what.calls) else None
        if existing is not None:
            self._risky = self._risky or handed_on.risky
            bound: tuple[Bound, ...] = ()
        else:
            bound = (
                *self._defaults(what.role if not what.calls else None),
                *self._taken(variable if own else None),
            )
            if own and (bound or self._receiver):
                raise Stays("it calls itself, and what it needs must be bound")
        self._refuse_fates(what, bound, existing)
        self._risky = self._risky or self._receiver is not None or self._is_of_field()
        safe = not (self._risky or what.seen or self._is_known_elsewhere(variable))
        if (bound or (existing and not existing.is_type)) and self._may_be_copied():
            safe = False  # a copy of a partial has copies of what is bound
        return Hoist(
            self._node,
            bound,
            own,
            tuple(self._imports),
            tuple(self._idle),
            variable,
            uses,
            tuple(self._at_top),
            what.role,
            bool(uses) and all(self._is_settled_at(each, bound) for each in uses),
            not isinstance(scope, ast.Module) or self._stands_under_guard(),
            existing,
            self._receiver,
            safe,
        )

    # The function itself

    def _refuse_forms(self) -> None:
        node = self._node
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            raise Stays("it is decorated")
        if node.args.kwarg is not None or node.args.posonlyargs:
            raise Stays("it takes arguments that a parameter more could be mistaken for")
        if isinstance(self._outside(), ast.ClassDef) and isinstance(node, ast.FunctionDef):
            raise Stays("it stands in a class")
        in_class = any(isinstance(each, ast.ClassDef) for each in self._trail)
        for each in walk(node):
            match each:
                case ast.Nonlocal(names=names):
                    raise Stays(f"it sets {names[0]} of the function around it")
                case ast.Name(id="super" | "__class__"):
                    raise Stays("it uses its class")
                case ast.Yield() | ast.YieldFrom() | ast.Await() if isinstance(node, ast.Lambda):
                    raise Stays("it is a generator")
                case ast.Call() if sees_names(each):
                    raise Stays(f"it uses {ast.unparse(each.func)}()")
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if in_class:
                    if name.startswith("__") and not name.endswith("__"):
                        raise Stays(f"it uses {name}, which has another name outside the class")

    # The name that it has

    def _variable(self) -> tuple[str | None, ast.AST, list[ast.AST]]:
        """The name that stands for the function alone, and the scope that has it."""
        scope = self._outside()
        above = self._down_to(scope)
        if isinstance(self._node, ast.FunctionDef):
            name: str | None = self._node.name
        else:
            match self._trail[-2]:
                case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
                    name = found
                case _:
                    name = None
        if name is None or isinstance(scope, ast.ClassDef):
            return None, scope, above
        places = [each for each in bindings(scope) if each.name == name]
        declared = any(
            isinstance(each, ast.Nonlocal | ast.Global) and name in each.names for each in walk(above[0])
        )
        if len(places) == 1 and not declared and not is_looked_through(scope):
            return name, scope, above
        if isinstance(self._node, ast.FunctionDef) and (declared or not self._is_for_none(scope, name)):
            raise Stays(f"{name} is not always this function")
        return None, scope, above

    def _is_for_none(self, scope: ast.AST, name: str) -> bool:
        """Whether a function is made for a parameter that was not given, and nothing else is bound to that:
        ``if collate is None: def collate(batch): ...``."""
        if not isinstance(scope, ast.FunctionDef) or name not in {each.arg for each in parameters(scope)}:
            return False
        match self._trail[-2]:
            case ast.If(test=ast.Compare(left=ast.Name(id=asked), ops=[ast.Is()], comparators=[nothing])):
                is_none = isinstance(nothing, ast.Constant) and nothing.value is None
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=asked))):
                is_none = True
            case _:
                return False
        return is_none and asked == name and [each.name for each in bindings(scope)].count(name) == 2

    def _refuse_fates(self, what: Fate, bound: Sequence[Bound], existing: Existing | None) -> None:
        """Refuses what is sure to be another thing where the function goes."""
        if what.changed:
            raise Stays("attributes of it are set, which every call would then share")
        if (bound or existing or self._receiver) and what.on_class:
            why = "it is stored on a class, where a function becomes a method and a partial does not"
            raise Stays(why, "make it a method")
        if (bound or existing or self._receiver) and what.looked_at:
            raise Stays("its name, its parameters or its type are asked for")
        for call in what.calls:
            for each in bound:
                if each.parameter in {keyword.arg for keyword in call.keywords}:
                    raise Stays(f"it may be given {each.parameter} by whoever calls it")
            self._risky = self._risky or (bool(bound) and any(each.arg is None for each in call.keywords))
        if what.told_apart and not isinstance(self._outside(), ast.Module):
            raise Stays("it is compared with other functions, or a key")

    def _is_known_elsewhere(self, variable: str | None) -> bool:
        """Whether other files may have to do with the function, which is a variable of its module, or with
        all that the module has."""
        if variable is not None and isinstance(self._outside(), ast.Module):
            index, home = self._program.modules.index, self._module.relative
            if index.storing(variable) or any(True for _ in uses_elsewhere(self._program, home, variable)):
                return True
        return lists_its_names(self._program, self._module)

    def _is_settled_at(self, use: Sequence[ast.AST], bound: Sequence[Bound]) -> bool:
        """Whether what is bound can be bound at a use, as an argument or as what is given back."""
        if not isinstance(use[-2], ast.Call | ast.keyword | ast.Return):
            return False
        if getattr(use[-2], "func", None) is use[-1]:
            return False
        for each in bound:
            for name in walk(each.expression):
                if isinstance(name, ast.Name):
                    here, there = owner(name.id, self._trail), owner(name.id, use)
                    if here is None and there is None:
                        continue
                    if here is None or there is None or self._trail[here] is not use[there]:
                        return False
                    if unsettled(name.id, use[there], use[there:]) is not None:
                        return False
                elif not isinstance(name, ast.Attribute | ast.Subscript | ast.Constant | ast.expr_context):
                    return False
            if each.places and is_stored(self._program, each.expression, use, self._module, self._point):
                return False
        return True

    def _is_of_field(self) -> bool:
        """Whether a field of a record is made with it: records are compared, and each had one of its own."""
        return any(
            isinstance(cls, ast.ClassDef) and getattr(inner, "name", "") == "__init__" and is_record(cls)
            for cls, inner in pairwise(self._trail)
        )
