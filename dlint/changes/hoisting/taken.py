"""What a function that moves to its module takes from the one around it: what must be bound where it is made.

A ``functools.partial`` looks a name up when it is made, a closure when it is called. So only what has its
value by then, and keeps it, is bound; anything else is a reason to leave the function where it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.changes.hoisting.around import Around, Hoisted, Stays, hands_on, with_defaults
from dlint.changes.hoisting.by_constructor import is_of_constructor
from dlint.changes.hoisting.entries import entries, is_in_rounds, is_stored, line_that_names
from dlint.changes.hoisting.handed_on import HEAVY, is_constant, is_light
from dlint.source.closures import names_outside_body, names_taken, owner
from dlint.source.nodes import names_in, walk
from dlint.source.settled import unsettled
from dlint.values.values import Class, Instance, Made

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

# What loaders call with one argument.
_OF_ONE = ("collate_fn", "worker_init_fn")


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


class Taken(Around):
    """What the function takes, and which of its parts the module must have for it."""

    def __init__(self, program: Program, module: Module, trail: list[ast.AST], node: Hoisted) -> None:
        super().__init__(program, module, trail, node)
        self._imports: list[str] = []
        self._idle: list[ast.stmt] = []
        self._at_top: list[tuple[str, str]] = []
        # Whether what is bound may be something else by then, for all that is known.
        self._risky = False
        # The object of the method around, of which it becomes a method, too.
        self._receiver: str | None = None

    def _defaults(self, role: str | None) -> Iterator[Bound]:
        """The defaults, which are evaluated where the function is made, that the module cannot give. ``role``
        is what the loader calls the function."""
        by_keyword = {each.arg for each in self._node.args.kwonlyargs}
        if role in _OF_ONE:  # nobody gives more by place
            by_keyword |= {each.arg for each in self._node.args.args[1:]}
        for parameter, default in with_defaults(self._node):
            if is_constant(default) or self._is_imported(default):
                continue
            if isinstance(self._node, ast.FunctionDef) and not isinstance(default, ast.Name):
                raise Stays(f"the default of {parameter} is made anew each time")
            if parameter not in by_keyword or (
                isinstance(self._node, ast.FunctionDef) and role not in _OF_ONE
            ):
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
