"""How a lambda or local function can move to its module: what must be bound, and whether that is safe.

A ``functools.partial`` looks a name up when it is made, a closure when it is called. So only what has its
value by then, and keeps it, is bound; anything else is a reason to leave the function where it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from dlint.changes.around import (
    Around,
    Hoisted,
    Stays,
    fits,
    hands_on,
    is_looked_through,
    sees_names,
    with_defaults,
)
from dlint.changes.by_constructor import is_of_constructor
from dlint.changes.entries import entries, is_in_rounds, is_stored, line_that_names
from dlint.changes.handed_on import HEAVY, Existing, HandedOn, is_constant, is_light
from dlint.changes.mentions import lists_its_names, uses_elsewhere
from dlint.changes.only_called import Fate, fate
from dlint.source.closures import bindings, names_outside_body, names_taken, owner, reads
from dlint.source.desugaring.records import is_record
from dlint.source.nodes import names_in, walk
from dlint.source.settled import unsettled
from dlint.source.statements import parameters
from dlint.values.values import Class, Instance, Made

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module


@dataclass(frozen=True)
class Bound:
    """A parameter that is bound where the function is made: to the value of ``expression`` there.

    ``places`` are the expressions in the function that the parameter takes the place of, where they are
    written otherwise. ``default``: it was a parameter with this default. ``line`` is the one of the function
    that gave it this name, and goes.
    """

    parameter: str
    expression: ast.expr
    places: tuple[ast.expr, ...] = ()
    default: bool = False
    line: ast.Assign | None = None


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


class _Question(Around):
    def __init__(self, program: Program, module: Module, trail: list[ast.AST], node: Hoisted) -> None:
        super().__init__(program, module, trail, node)
        self._imports: list[str] = []
        self._idle: list[ast.stmt] = []
        self._at_top: list[tuple[str, str]] = []
        # Whether what is bound may be something else by then, for all that is known.
        self._risky = False
        # The object of the method around, of which it becomes a method, too.
        self._receiver: str | None = None

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
            bound = (*self._defaults(), *self._taken(variable if own else None))
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

    # What it takes

    def _defaults(self) -> Iterator[Bound]:
        """The defaults, which are evaluated where the function is made, that the module cannot give."""
        by_keyword = {each.arg for each in self._node.args.kwonlyargs}
        for parameter, default in with_defaults(self._node):
            if is_constant(default) or self._is_imported(default):
                continue
            if isinstance(self._node, ast.FunctionDef) and not isinstance(default, ast.Name):
                raise Stays(f"the default of {parameter} is made anew each time")
            if isinstance(self._node, ast.FunctionDef) or parameter not in by_keyword:
                # A partial has it when it is made, and leaves no place to give another.
                raise Stays(f"the default of {parameter} is only known here")
            self._judge(default)
            self._risky = self._risky or not isinstance(default, ast.Name)
            yield Bound(parameter, default, default=True)
        if isinstance(self._node, ast.FunctionDef):
            skipped = {id(name) for _, each in with_defaults(self._node) for name in walk(each)}
            for name in names_outside_body(self._node):
                if id(name) not in skipped and not self._is_there_before(name.id):
                    raise Stays(f"its annotation {name.id} is not defined there")

    def _taken(self, own: str | None) -> Iterator[Bound]:
        names: dict[str, list[ast.Name]] = {}
        for each in names_taken(self._node):
            if each.id != own:
                names.setdefault(each.id, []).append(each)
        used = {*names_in(self._node)}
        used |= {node.arg for node in walk(self._node) if isinstance(node, ast.arg)}
        for name, places in names.items():
            index = owner(name, self._trail)
            if index is None:
                scope: ast.AST = self._module.tree
                if not self._is_of_guard(name):
                    continue
                guarded = self._guarded_imports(name)
                if guarded:
                    self._at_top += guarded
                    continue
                if not self._stands_under_guard():
                    raise Stays(f"it uses {name}, which only the main guard sets")
                index = 0
            else:
                scope = self._trail[index]
            if isinstance(self._node, ast.FunctionDef) and name == self._node.name:
                continue
            line = self._import_line(name, scope)
            if line is not None:
                if not self._has_same_import(line):
                    self._imports.append(line)
                    self._idle += self._idle_import(name, scope)
                    self._risky = True  # it may be the import that the program has first
                continue
            if any(isinstance(each.ctx, ast.Store | ast.Del) for each in places):
                raise Stays(f"it sets {name}")
            reason = unsettled(name, scope, self._trail[index:])
            if reason is not None:
                raise Stays(reason)
            for bound in self._bound_for(name, scope, places, used):
                self._judge(bound.expression)
                used.add(bound.parameter)
                yield bound

    def _bound_for(self, name: str, scope: ast.AST, places: list[ast.Name], used: set[str]) -> list[Bound]:
        """The object that a name stands for, or the entries of it that are used."""
        whole = self._has_all_options(places[0])
        of_entries = entries(self._node, places, self._is_kept) if whole else None
        if of_entries is not None and not any(
            is_stored(self._program, place, self._trail, self._module, self._point) for place, _ in of_entries
        ):
            found: dict[str, list[tuple[ast.expr, str]]] = {}
            for place, last in of_entries:
                found.setdefault(ast.unparse(place), []).append((place, last))
            result: list[Bound] = []
            for same in found.values():
                place, last = same[0]
                named = [line_that_names(self._node, each, self._module.lines) for each, _ in same]
                line = next((each for each in named if each is not None), None)
                parameter = last if last not in used else f"{name}_{last}"
                if line is not None and isinstance(line.targets[0], ast.Name):
                    parameter = line.targets[0].id
                if parameter in {each.parameter for each in result} or (line is None and parameter in used):
                    break
                result.append(Bound(parameter, place, tuple(each for each, _ in same), line=line))
            else:
                in_rounds = any(is_in_rounds(self._node, place) for place, _ in of_entries)
                self._risky = self._risky or in_rounds or not self._is_plain(places[0])
                return result
        if self._is_receiver(name, scope):
            if not self._may_be_method(scope, places[0]):
                raise Stays(f"it uses {name}", "make it a method")
            self._receiver = name
            return []
        if self._is_model(name, scope):
            raise Stays(f"it uses {name}, a model, which each worker would get", "bind what it needs of that")
        return [Bound(name, places[0])]

    def _is_kept(self, called: ast.Attribute) -> bool:
        """Whether what is called is no method of an object, but what its constructor keeps for good: what is
        light, as far as can be seen."""
        if not isinstance(called.value, ast.Name) or HEAVY.search(called.attr):
            return False
        if not is_of_constructor(self._program, self._module, self._trail, called.value.id, called.attr):
            return False
        values = [value for value, _ in self._program.evaluator.values(called, self._point)]
        return all(
            is_light(self._program, value.cls)
            if isinstance(value, Instance)
            else not (isinstance(value, Made) and value.name.startswith("torch."))
            for value in values
        )

    def _is_of_field(self) -> bool:
        """Whether a field of a record is made with it: records are compared, and each had one of its own."""
        return any(
            isinstance(cls, ast.ClassDef) and getattr(inner, "name", "") == "__init__" and is_record(cls)
            for cls, inner in pairwise(self._trail)
        )

    def _may_be_method(self, scope: ast.AST, receiver: ast.Name) -> bool:
        """Whether a function may as well be a method of the object whose method it stands in: workers can be
        sent that, and it is light."""
        if scope is not self._outside() or hands_on(self._node):
            return False
        values = [value for value, _ in self._program.evaluator.values(receiver, self._point)]
        if not values or not all(
            isinstance(value, Instance) and is_light(self._program, value.cls) for value in values
        ):
            return False
        self._judge(receiver, but=self._node)
        return not any(isinstance(value, Instance) and self._keeps_loader(value.cls) for value in values)

    def _keeps_loader(self, cls: Class) -> bool:
        """Whether the objects of a class may keep the loader: they cannot go to its workers with it."""
        makes = f"self.{getattr(self._outside(), 'name', '')}("
        for each in self._program.evaluator.classes.line(cls):
            for node in walk(each.node):
                match node:
                    case ast.Assign(targets=[ast.Attribute()], value=value):
                        said = ast.unparse(value)
                        if makes in said or "DataLoader(" in said:
                            return True
        return False
