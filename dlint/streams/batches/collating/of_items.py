"""Which part of the items stands where in a batch, by what a program's ``collate_fn`` does with the list of
them: ``images, targets = zip(*items)``, ``[item["boxes"] for item in items]``, ``targets.append(item[1])``.

A function is read from above, and each of its names stands for a *form*: what it has of the items, None where
that is nothing, or nobody can tell.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from dlint.source.nodes import is_written_none
from dlint.source.statements import as_try, dotted, given_in, own_names, own_nodes, target_names
from dlint.streams.batches.collating.forms import (
    EMPTY,
    ByKey,
    Collated,
    Column,
    Columns,
    Each,
    Form,
    Key,
    Part,
    Written,
    any_of,
    either,
    join,
)
from dlint.streams.memory.places import Place
from dlint.streams.memory.stored import ANY, TOLD, key_of, stores

# The entries of its arguments that a call overwrites, asked with the statement of the call.
Overwrites = Callable[["ast.Call", "ast.stmt | None"], "list[tuple[ast.expr, object]]"]
# Methods that only read, and those that change the order of a list, which is the same of each item still.
_READ = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
_ORDER = frozenset({"reverse", "sort"})
_ADDS = frozenset({"append", "extend", "insert"})
# Whether something that is called is torch's own ``default_collate``: asked with the statement of the call.
IsDefault = Callable[["ast.expr", "ast.stmt | None"], bool]
_Names: TypeAlias = "Mapping[str, Form | None]"


class OfItems(NamedTuple):
    """A part of the items; whether it is meant of many, as a list; and whether torch has collated these."""

    place: Place
    is_list: bool = False
    is_collated: bool = False


def of_items(
    function: ast.AST, given: str, place: Place, is_default: IsDefault, overwrites: Overwrites
) -> list[OfItems | None]:
    """What stands at a place of what a function returns that is given the items under a name: for each of its
    returns, None where that is nothing of theirs or nobody can tell."""
    reading = _read(function, given, is_default, overwrites)
    return [reading.at(form, place) for form in reading.returned]


def handed_on(function: ast.AST, given: str, is_default: IsDefault, overwrites: Overwrites) -> list[Place]:
    """The parts that a function returns, wherever that is and by each of its returns, of the items that it is
    given under a name."""
    reading = _read(function, given, is_default, overwrites)
    ways = [list(reading.parts(form)) for form in reading.returned]
    return [place for place in ways[0] if all(place in way for way in ways)] if ways else []


def _read(function: ast.AST, given: str, is_default: IsDefault, overwrites: Overwrites) -> _Reading:
    reading = _Reading(is_default, overwrites)
    names: dict[str, Form | None] = {given: Each(Part(()))}
    if isinstance(function, ast.Lambda):
        reading.returned.append(reading.form(function.body, names))
    elif isinstance(function, ast.FunctionDef):
        reading.read(function.body, names)
    return reading


class _Reading:
    """Reads one function."""

    def __init__(self, is_default: IsDefault, overwrites: Overwrites) -> None:
        self._is_default = is_default
        self._overwrites = overwrites
        self._statement: ast.stmt | None = None
        # Parts of the items in which something else was stored.
        self._gone: set[Place] = set()
        # For each loop around: what names stand for where it is left, or its next round begun.
        self._left: list[list[dict[str, Form | None]]] = []
        self.returned: list[Form | None] = []

    def at(self, form: Form | None, place: Place) -> OfItems | None:
        """What stands at a place of a form."""
        for step, key in enumerate(place):
            match form:
                case Part(place=above):
                    return self._part((*above, *place[step:]))
                case Collated(of=Part(place=above)):
                    return self._part((*above, *place[step:]), is_collated=True)
            form = self._entry(form, key)
        match form:
            case Part(place=whole):
                return self._part(whole)
            case Each(of=Part(place=whole)):
                return self._part(whole, is_list=True)
            case Columns(row=Part(place=whole)):
                return self._part(whole, is_list=True)
            case Collated(of=Part(place=whole)):
                return self._part(whole, is_collated=True)
        return None

    def parts(self, form: Form | None) -> Iterator[Place]:
        """The parts of the items that a form has in it as they are, all of each."""
        match form:
            case Part(place=place):
                is_whole = not any(gone[: len(place)] == place for gone in self._gone)
                if is_whole and self._part(place) is not None:
                    yield place
            case Each(of=inner) | Columns(row=inner) | Column(row=inner):
                yield from self.parts(inner)
            case Written(entries=entries, others=others):
                for each in (*(entry for _, entry in entries), others):
                    yield from self.parts(each)

    def _part(self, place: Place, *, is_list: bool = False, is_collated: bool = False) -> OfItems | None:
        for gone in self._gone:
            if len(gone) <= len(place) and all(
                one == other or ANY in (one, other) for one, other in zip(gone, place, strict=False)
            ):
                return None
        return OfItems(place, is_list, is_collated)

    def read(self, block: list[ast.stmt], names: dict[str, Form | None]) -> bool:
        """Read a block, and keep what its names stand for up to date; whether control comes to its end."""
        for statement in block:
            self._statement = statement
            self._tell(statement, names)
            attempt = as_try(statement)
            if attempt is not None and not self._attempt(attempt, names):
                return False
            match statement:
                case ast.Return(value=value):
                    # It may give nothing where nothing is left of the items.
                    if value is not None and not is_written_none(value):
                        self.returned.append(self.form(value, names))
                    return False
                case ast.Continue() | ast.Break():
                    for left in self._left[-1:]:
                        left.append(dict(names))
                    return False
                case ast.Raise():
                    return False
                case ast.For() | ast.While():
                    self._loop(statement, names)
                case ast.If(body=body, orelse=orelse):
                    if not self._branch([body, orelse], names):
                        return False
                case ast.Match(cases=cases):
                    if not self._branch([[], *(case.body for case in cases)], names):
                        return False
                case ast.With(body=body):
                    self._step(statement, names)
                    if not self.read(body, names):
                        return False
                case _:
                    self._step(statement, names)
        return True

    def _branch(self, branches: list[list[ast.stmt]], names: dict[str, Form | None]) -> bool:
        """Read blocks of which one runs; whether control comes to the end of any."""
        ways: list[dict[str, Form | None]] = []
        for block in branches:
            way = dict(names)
            if self.read(block, way):
                ways.append(way)
        return join(names, ways)

    def _loop(self, loop: ast.For | ast.While, names: dict[str, Form | None]) -> None:
        each = any_of(self.form(loop.iter, names)) if isinstance(loop, ast.For) else None
        self._left.append([])
        for _ in range(2):  # what one round leaves behind, the next one finds
            way = dict(names)
            if isinstance(loop, ast.For):
                self._name(loop.target, each, way)
            join(names, [*([way] if self.read(loop.body, way) else ()), *self._left[-1]])
        self._left.pop()
        if loop.orelse:
            way = dict(names)
            join(names, [dict(names), way] if self.read(loop.orelse, way) else [dict(names)])

    def _attempt(self, attempt: ast.Try, names: dict[str, Form | None]) -> bool:
        """Read a ``try``: what comes to its handlers may have begun the body, or be at its end."""
        tried = dict(names)
        comes = self.read(attempt.body, tried)
        begun = dict(names)
        join(begun, [names, tried])
        ways: list[dict[str, Form | None]] = []
        if comes and self.read(attempt.orelse, tried):
            ways.append(tried)
        for handler in attempt.handlers:
            way = dict(begun)
            if self.read(handler.body, way):
                ways.append(way)
        comes = join(names, ways)
        return self.read(attempt.finalbody, names) and comes

    def _tell(self, statement: ast.stmt, names: dict[str, Form | None]) -> None:
        """Learn what calls do to the lists and items whose methods they are, or that they are given."""
        for node in own_nodes(statement):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr not in _READ:
                alone = isinstance(statement, ast.Expr) and statement.value is node
                self._tell_method(node, node.func.value, node.func.attr, names, alone=alone)
                if node.func.attr in _ADDS:
                    continue
            given = given_in(node)
            if any(
                self.form(each, names) is not None for each in given if not isinstance(each, ast.Constant)
            ):
                for held, key in self._overwrites(node, self._statement):
                    self._forget(held, key, names)

    def _tell_method(
        self, call: ast.Call, held: ast.expr, method: str, names: dict[str, Form | None], *, alone: bool
    ) -> None:
        """Learn what a method does to what it is called of; ``alone`` where nothing is done with its result.
        What it gives of a part of an item may be another, and what a tensor does in place keeps it."""
        form = self.form(held, names)
        match call.args:
            case [ast.Constant(value=str()), *_] if method == "pop":
                return
        if isinstance(form, Part):
            if method == "pop" or (alone and method != "update" and not method.endswith("_")):
                self._gone.add((*form.place, ANY))
            return
        # What is added by a statement is looked at there.
        is_step = alone and method in ("append", "extend", "update")
        if form is not None and not is_step and not (method in _ORDER and isinstance(form, Each)):
            self._forget(held, ANY, names)

    def _forget(self, held: ast.expr, key: object, names: dict[str, Form | None]) -> None:
        """Forget an entry of what an expression stands for."""
        form = self.form(held, names)
        if isinstance(form, Part):
            self._gone.add((*form.place, ANY if key is TOLD else key))
        elif isinstance(form, Each) and isinstance(form.of, Part):
            self._gone.add((*form.of.place, ANY))
        root = dotted(held)
        if key is TOLD or form is None or isinstance(form, Part):
            return
        while root is None and isinstance(held, ast.Subscript | ast.Attribute):
            held = held.value
            root = dotted(held)
        if root is not None and root in names:
            names[root] = None

    def _step(self, statement: ast.stmt, names: dict[str, Form | None]) -> None:
        """What a statement by itself makes of the names."""
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Tuple() | ast.List() as target], value=value):
                self._name(target, self.form(value, names), names)
                return
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[given])
            ) if method in ("append", "extend") and name in names:
                put = self.form(given, names)
                put = any_of(put) if method == "extend" else put
                held = names[name]
                if held == EMPTY:
                    names[name] = Each(put) if put is not None else None
                elif held != Each(put):
                    names[name] = None
                return
        for stored in stores(statement):
            root = dotted(stored.held)
            held, key = self.form(stored.held, names), key_of(stored.key)
            if isinstance(held, Written | Columns) and root in names and root is not None:
                names[root] = self._with(held, key, self.form(stored.value, names))
            elif isinstance(held, Part):
                self._gone.add((*held.place, key))
            elif root in names and root is not None:
                names[root] = None
        for name in own_names(statement):
            names[name] = None

    def _with(self, held: Written | Columns, key: object, value: Form | None) -> Form | None:
        """The same with something stored in it, None where nobody knows under which key."""
        if key is ANY:
            return None
        if isinstance(held, Columns):
            return Written(((key, value),), held)
        return Written((*((k, v) for k, v in held.entries if k != key), (key, value)), held.others)

    def form(self, node: ast.expr, names: _Names) -> Form | None:
        """What an expression has of the items."""
        match node:
            case ast.Name(id=name):
                return names.get(name)
            case ast.Constant(value=value):
                return Key(value)
            case ast.List(elts=[]):
                return EMPTY
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if any(isinstance(part, ast.Starred) for part in parts):
                    return None
                return Written(tuple((at, self.form(part, names)) for at, part in enumerate(parts)))
            case ast.Dict(keys=keys, values=values):
                return Written(
                    tuple(
                        (key.value, self.form(value, names))
                        for key, value in zip(keys, values, strict=True)
                        if isinstance(key, ast.Constant)
                    )
                )
            case ast.Subscript(value=base, slice=ast.Slice()):
                form = self.form(base, names)
                return form if isinstance(form, Each) else None
            case ast.Subscript(value=base, slice=at):
                key = self.form(at, names)
                return self._entry(self.form(base, names), key.value if isinstance(key, Key) else ANY)
            case ast.IfExp(body=body, orelse=orelse):
                return either(self.form(body, names), self.form(orelse, names))
            case (
                ast.ListComp(elt=each, generators=generators)
                | ast.GeneratorExp(elt=each, generators=generators)
            ):
                return self._comprehension(each, generators, names)
            case ast.DictComp(key=ast.Name(id=key_name), value=value, generators=[generator]):
                if key_name in target_names(generator.target):
                    inside = dict(names)
                    self._name(generator.target, None, inside)
                    return ByKey(key_name, value, tuple(inside.items()), self._statement)
            case ast.Call():
                return self._called(node, names)
        return None

    def _comprehension(
        self, each: ast.expr, generators: list[ast.comprehension], names: _Names
    ) -> Form | None:
        inside = dict(names)
        through: Form | None = None
        for generator in generators:
            through = self.form(generator.iter, inside)
            self._name(generator.target, any_of(through), inside)
        found = self.form(each, inside)
        if isinstance(found, Column):
            # Nobody knows which columns a test leaves.
            is_each = len(generators) == 1 and not generators[0].ifs and isinstance(through, Columns)
            return Columns(found.row) if is_each else None
        return Each(found) if found is not None else None

    def _called(self, node: ast.Call, names: _Names) -> Form | None:
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[ast.Starred(value=rows)]):
                row = any_of(self.form(rows, names))
                return Columns(row) if row is not None else None
            case ast.Call(func=ast.Name(id="zip"), args=sources) if len(sources) > 1:
                each = [any_of(self.form(source, names)) for source in sources]
                return Each(Written(tuple(enumerate(each))))
            case ast.Call(func=ast.Name(id="enumerate"), args=[source, *_]):
                return Each(Written(((0, None), (1, any_of(self.form(source, names))))))
            case ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
                return EMPTY
            case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "reversed"), args=[source]):
                form = self.form(source, names)
                # What a tensor is made a list of are its rows.
                return form if not isinstance(form, Part | Collated) else None
            case ast.Call(func=ast.Name(id="filter"), args=[_, source]):
                form = self.form(source, names)
                return form if isinstance(form, Each) else None
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="list" | "tuple"), source]):
                form = self.form(source, names)
                return form if isinstance(form, Columns) else None
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
                return Written(
                    tuple((each.arg, self.form(each.value, names)) for each in keywords if each.arg)
                )
            case ast.Call(
                func=ast.Attribute(value=base, attr="get" | "pop"), args=[ast.Constant(value=str(key)), *_]
            ):
                return self._entry(self.form(base, names), key)
            case ast.Call(args=[given], keywords=[]):
                form = self.form(given, names)
                if (
                    isinstance(form, Each)
                    and form.of is not None
                    and self._is_default(node.func, self._statement)
                ):
                    return Collated(form.of)
        return None

    def _name(self, target: ast.expr, form: Form | None, names: dict[str, Form | None]) -> None:
        """Give a form, or its parts, to the names of a target."""
        match target:
            case ast.Name(id=name):
                names[name] = form
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if not any(
                isinstance(part, ast.Starred) for part in parts
            ):
                for at, part in enumerate(parts):
                    self._name(part, self._entry(form, at), names)
            case _:
                names.update(dict.fromkeys(target_names(target)))

    def _entry(self, form: Form | None, key: object) -> Form | None:
        """What is under a key of a form."""
        match form:
            case Part(place=place):
                return Part((*place, key))
            case Each(of=of):
                return of if key is ANY or isinstance(key, int) else None
            case Columns(row=row) if isinstance(key, int):
                part = self._entry(row, key)
                return Each(part) if part is not None else None
            case Written(entries=entries, others=others) if key is not ANY:
                written = dict(entries)
                return written[key] if key in written else self._entry(others, key)
            case ByKey(key=name, value=value, names=names, at=at) if isinstance(key, str):
                here, self._statement = self._statement, at
                entry = self.form(value, {**dict(names), name: Key(key)})
                self._statement = here
                return entry
            case Collated(of=of):
                part = self._entry(of, key)
                return Collated(part) if part is not None else None
        return None
