"""How a lambda or local function can move to its module: what must be bound, and whether that is safe.

A ``functools.partial`` looks a name up when it is made, a closure when it is called. So only what has its
value by then, and keeps it, is bound; anything else is a reason to leave the function where it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlint.knowledge.by_name import is_found_by_name
from dlint.module.layout import dotted, parameters
from dlint.module.nodes import walk
from dlint.program.around import Around, Hoisted, Stays
from dlint.program.boundaries import is_guarded
from dlint.program.closures import (
    bindings,
    is_before,
    names_outside_body,
    names_taken,
    owner,
    reads,
    unsettled,
)
from dlint.program.entries import entries, is_in_rounds, is_stored
from dlint.program.mentions import mentions
from dlint.program.only_called import only_called
from dlint.program.values import Class, External, Function

if TYPE_CHECKING:
    from dlint.module.source import Module
    from dlint.program.program import Program

_RUNS_TEXT = frozenset({"eval", "exec"})
_LOOKS_AROUND = frozenset({"locals", "vars", "dir"})  # where they are given nothing


@dataclass(frozen=True)
class Bound:
    """A parameter that is bound where the function is made: to the value of ``expression`` there.

    ``places`` are the expressions in the function that the parameter takes the place of, where they are
    written otherwise. ``default``: it was a parameter with this default.
    """

    parameter: str
    expression: ast.expr
    places: tuple[ast.expr, ...] = ()
    default: bool = False


@dataclass(frozen=True)
class Existing:
    """What a lambda only hands its arguments to, with what else it gives it."""

    function: ast.expr
    keywords: tuple[tuple[str, ast.expr], ...]


@dataclass(frozen=True)
class Hoist:
    """What moving a function takes.

    ``variable`` is the name that stands for it and for nothing else, ``uses`` the places where that is read
    outside the function, ``own`` those inside. ``imports`` are those of the function around that it uses
    (``idle`` the statements that nothing else there needs),
    ``at_top`` the modules (each with its name here) that it uses and only the main guard imports.
    ``at_uses``: what is bound may as well be bound where the variable is used. ``can_go``: nothing asks
    whether the variable is there.
    """

    node: Hoisted
    bound: tuple[Bound, ...] = ()
    own: tuple[ast.Name, ...] = ()
    imports: tuple[str, ...] = ()
    idle: tuple[ast.stmt, ...] = ()
    variable: str | None = None
    uses: tuple[tuple[ast.AST, ...], ...] = ()
    at_top: tuple[tuple[str, str], ...] = ()
    at_uses: bool = False
    can_go: bool = False
    existing: Existing | None = None
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

    def answer(self) -> Hoist:
        self._refuse_forms()
        variable, scope, above = self._variable()
        own: tuple[ast.Name, ...] = ()
        uses: tuple[tuple[ast.AST, ...], ...] = ()
        if variable is not None:
            every = list(reads(variable, scope, above))
            own = tuple(each[-1] for each in every if any(step is self._node for step in each))  # type: ignore[misc]
            uses = tuple(tuple(each) for each in every if not any(step is self._node for step in each))
            if self._is_seen_otherwise(variable, uses):
                raise Stays(f"attributes of {variable} are set, which every call would then share")
        existing = self._existing()
        if existing is not None:
            bound: tuple[Bound, ...] = ()
        else:
            bound = (*self._defaults(), *self._taken(variable if own else None))
            if own and bound:
                raise Stays("it calls itself, and what it needs must be bound")
        safe = not self._risky and self._is_only_called(variable, uses)
        if (bound or existing) and self._may_be_copied():
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
            bool(uses) and all(self._is_settled_at(each, bound) for each in uses),
            not isinstance(scope, ast.Module) or self._stands_under_guard(),
            existing,
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
                case ast.Call() if _sees_names(each):
                    raise Stays(f"it uses {ast.unparse(each.func)}()")
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if in_class:
                    if name.startswith("__") and not name.endswith("__"):
                        raise Stays(f"it uses {name}, which has another name outside the class")

    # The name that it has

    def _variable(self) -> tuple[str | None, ast.AST, list[ast.AST]]:
        """The name that stands for the function alone, and the scope that has it."""
        scope = self._outside()
        above = self._trail[: next(i for i, each in enumerate(self._trail) if each is scope) + 1]
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
        if len(places) == 1 and not declared and not _is_looked_through(scope):
            return name, scope, above
        if isinstance(self._node, ast.FunctionDef):
            raise Stays(f"{name} is not always this function")
        return None, scope, above

    def _is_seen_otherwise(self, variable: str, uses: Sequence[Sequence[ast.AST]]) -> bool:
        """Whether attributes of the function are set: two functions made by two calls have their own."""
        for each in uses:
            match each[-2]:
                case ast.Attribute(ctx=ast.Store() | ast.Del()):
                    return True
                case ast.Call(func=ast.Name(id="setattr"), args=[first, *_]) if first is each[-1]:
                    return True
        return False

    def _is_only_called(self, variable: str | None, uses: Sequence[Sequence[ast.AST]]) -> bool:
        if variable is None:
            return only_called(self._program, self._module, self._trail)
        if isinstance(self._outside(), ast.Module) and self._program.modules.index.storing(variable):
            return False
        return all(only_called(self._program, self._module, each) for each in uses)

    def _is_settled_at(self, use: Sequence[ast.AST], bound: Sequence[Bound]) -> bool:
        """Whether what is bound can be bound at a use, which is an argument of a call."""
        if not isinstance(use[-2], ast.Call | ast.keyword) or getattr(use[-2], "func", None) is use[-1]:
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
        for parameter, default in _with_defaults(self._node):
            if _is_constant(default) or self._is_imported(default):
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
            skipped = {id(name) for _, each in _with_defaults(self._node) for name in walk(each)}
            for name in names_outside_body(self._node):
                if id(name) not in skipped and not self._is_there_before(name.id):
                    raise Stays(f"its annotation {name.id} is not defined there")

    def _taken(self, own: str | None) -> Iterator[Bound]:
        names: dict[str, list[ast.Name]] = {}
        for each in names_taken(self._node):
            if each.id != own:
                names.setdefault(each.id, []).append(each)
        used = {node.id for node in walk(self._node) if isinstance(node, ast.Name)}
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
        of_entries = entries(self._node, places)
        if of_entries is not None and not any(
            is_stored(self._program, place, self._trail, self._module, self._point) for place, _ in of_entries
        ):
            found: dict[str, list[tuple[ast.expr, str]]] = {}
            for place, last in of_entries:
                found.setdefault(ast.unparse(place), []).append((place, last))
            result: list[Bound] = []
            for same in found.values():
                place, last = same[0]
                parameter = last if last not in used else f"{name}_{last}"
                if parameter in used | {each.parameter for each in result}:
                    break
                result.append(Bound(parameter, place, tuple(each for each, _ in same)))
            else:
                in_rounds = any(is_in_rounds(self._node, place) for place, _ in of_entries)
                self._risky = self._risky or in_rounds or not self._is_plain(places[0])
                return result
        if self._is_receiver(name, scope):
            raise Stays(f"it uses {name}", "make it a method")
        if self._is_model(name, scope):
            raise Stays(f"it uses {name}, a model, which each worker would get", "bind what it needs of that")
        return [Bound(name, places[0])]

    # What is there already

    def _existing(self) -> Existing | None:
        """The function that a lambda only hands its arguments to, where it can be given to all instead."""
        node = self._node
        if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.Call):
            return None
        call, own = node.body, [each.arg for each in node.args.args]
        if len(own) != len(parameters(node)) or node.args.defaults or not own or len(call.args) < len(own):
            return None
        if [each.id if isinstance(each, ast.Name) else "" for each in call.args[: len(own)]] != own:
            return None
        if any(isinstance(each, ast.Starred) for each in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            return None
        names = self._found_by_name(call.func)
        if names is None:
            return None
        more, first = call.args[len(own) :], len(own)
        if len(names) < first + len(more) and (more or names):
            return None
        keywords = [
            *zip(names[first:], more, strict=False),
            *((each.arg or "", each.value) for each in call.keywords),
        ]
        if not all(self._can_be_bound(value) for _, value in keywords):
            return None
        if any(name != other and self._is_given_by_keyword(name) for name, other in _pairs(own, names)):
            return None
        return Existing(call.func, tuple(keywords))

    def _is_given_by_keyword(self, name: str) -> bool:
        """Whether some call that may be one of the function gives an argument by this name."""
        for mention in mentions(self._program, name):
            call = mention.trail[-2] if len(mention.trail) > 1 else None
            if isinstance(mention.node, ast.keyword) and isinstance(call, ast.Call):
                self._program.evaluator.start()
                point = self._program.evaluator.sites.point_of(mention.module, mention.trail[:-1])
                callees = [value for value, _ in self._program.evaluator.values(call.func, point)]
                if not callees or not all(isinstance(each, External | Class) for each in callees):
                    return True
        return False

    def _found_by_name(self, function: ast.expr) -> list[str] | None:
        """The parameters of what a worker finds by its name (none of a library's); None for other things."""
        path = dotted(function)
        root = path.partition(".")[0] if path else ""
        if not root or owner(root, self._trail) is not None or self._is_of_guard(root):
            return None
        places = [each for each in bindings(self._module.tree) if each.name == root]
        frame = self._program.evaluator.modules.frame(self._module)
        if len(places) > 1 or self._program.evaluator.namespaces.declared_global(root, frame):
            return None
        if places and not is_before(places[0].trail, self._trail):
            return None
        if any(map(self._program.modules.index.stored_elsewhere, (path or "").split("."))):
            return None
        values = [value for value, _ in self._program.evaluator.values(function, self._point)]
        match values:
            case [External(name=name)] if is_found_by_name(name):
                return []
            case [Function(receiver=None, owner=None, node=ast.FunctionDef() as node) as value]:
                if isinstance(value.frame.scope, ast.Module) and not is_guarded(value.frame, node):
                    if node.decorator_list or node.args.posonlyargs or node.args.vararg:
                        return None
                    return [each.arg for each in node.args.args]
        return None

    def _can_be_bound(self, value: ast.expr) -> bool:
        """Whether an argument of a call is the same when it is looked at earlier."""
        if _is_constant(value):
            return True
        names = [each for each in walk(value) if isinstance(each, ast.Name)]
        if len(names) != 1 or dotted(_base(value)) is None:
            return False
        name = names[0].id
        index = owner(name, self._trail)
        if index is None or name in {each.arg for each in parameters(self._node)}:
            return False
        scope = self._trail[index]
        if value is names[0] and self._is_receiver(name, scope):
            return False
        if (
            self._import_line(name, scope) is not None
            or unsettled(name, scope, self._trail[index:]) is not None
        ):
            return False
        if value is not names[0]:
            if is_stored(self._program, value, self._trail, self._module, self._point):
                return False
            self._risky = self._risky or not self._is_plain(names[0])
        self._judge(value)
        return True


def _pairs(own: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parameters of a lambda with those of the function that it calls; a library's have no name here."""
    for index, name in enumerate(own):
        yield name, names[index] if index < len(names) else ""


def _base(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    return node


def _with_defaults(node: Hoisted) -> Iterator[tuple[str, ast.expr]]:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        yield parameter.arg, default
    for parameter, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if value is not None:
            yield parameter.arg, value


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return _is_constant(operand)
        case ast.Tuple(elts=items):
            return all(map(_is_constant, items))
    return False


def _is_looked_through(scope: ast.AST) -> bool:
    """Whether something in a scope may see which names it has."""
    return any(isinstance(each, ast.Call) and _sees_names(each) for each in walk(scope))


def _sees_names(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Name):
        return False
    return call.func.id in _RUNS_TEXT or (call.func.id in _LOOKS_AROUND and not call.args)
