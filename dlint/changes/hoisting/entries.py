"""The entries of an object that a function uses: read at once, where nobody stores them later."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.changes.by_name import may_be_stored_in, stores_around
from dlint.changes.hoisting.by_constructor import is_of_constructor
from dlint.changes.mentions import Mention, mentions
from dlint.source.closures import Callable_, bindings, owner, trail_to
from dlint.source.nodes import walk
from dlint.source.settled import is_before, share_a_loop
from dlint.source.statements import MUTATORS, last_name, parameters
from dlint.values.values import Instance, Made

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module
    from dlint.values.frame import Point

# What may store under a key. Where so much of the line follows, that counts as well: no line is gone through
# once for each word in it.
_MAY_STORE = (
    rb"""['"]%b['"]\s*\](?:[^\n=]{0,300}=(?!=)|[^\n=]{300})"""
    rb"""|\b(?:for|as|del)\b(?:[^\n]{0,300}['"]%b|[^\n]{300})"""
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOST_FILES = 60  # to be looked through for who stores an entry
# What is inside these may never be evaluated; what is inside the others is, for a batch of one at least.
_SOMETIMES = (*_FUNCTIONS, ast.While, ast.Try, ast.Match, ast.ExceptHandler)
_ROUNDS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.For, ast.AsyncFor)


def entries(
    function: Callable_, names: Sequence[ast.Name], is_kept: Callable[[ast.Attribute], bool]
) -> list[tuple[ast.expr, str]] | None:
    """What a function uses of the object that these names in it stand for, each place with the entry's own
    name; None where it uses the object itself, or an entry only sometimes. What is called is a method, unless
    it ``is_kept`` by the object."""
    parents = {id(child): node for node in walk(function) for child in ast.iter_child_nodes(node)}
    found: list[tuple[ast.expr, str]] = []
    for name in names:
        place: ast.expr = name
        last = ""
        while True:
            above = parents[id(place)]
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                called = parents[id(above)]
                is_called = isinstance(called, ast.Call) and called.func is above
                if is_called and not (place is name and is_kept(above)):
                    break
                place, last = above, above.attr
            elif isinstance(above, ast.Subscript) and above.value is place and _key(above) is not None:
                place, last = above, _key(above) or ""
            else:
                break
        if place is name or not last.isidentifier() or not _is_always(place, function, parents):
            return None
        found.append((place, last))
    return found


def _key(node: ast.Subscript) -> str | None:
    """The key of ``x["key"]``, where it is a string that is only read."""
    key = node.slice
    if isinstance(node.ctx, ast.Load) and isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    return None


def _is_always(place: ast.expr, function: Callable_, parents: dict[int, ast.AST]) -> bool:
    """Whether every call of a function that comes to its end, and has something to go through, evaluates a
    place."""
    node: ast.AST = place
    while True:
        above = parents[id(node)]
        if above is function:
            body = [function.body] if isinstance(function, ast.Lambda) else function.body
            at = next((i for i, each in enumerate(body) if each is node), 0)
            early = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
            return not any(isinstance(inner, early) for each in body[:at] for inner in _run(each))
        if isinstance(above, ast.comprehension) and above.iter is not node:
            return False
        if isinstance(above, _ROUNDS) and _skips(above, node):
            return False
        if isinstance(above, _SOMETIMES):
            return False
        if isinstance(above, ast.If | ast.IfExp) and above.test is not node:
            return False
        if isinstance(above, ast.BoolOp) and above.values[0] is not node:
            return False
        if isinstance(above, ast.Compare) and len(above.ops) > 1:
            return False
        node = above


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, but for what stands in functions that are only made there."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, _FUNCTIONS):
            yield from _run(child)


def line_that_names(function: Callable_, place: ast.expr, lines: Sequence[str]) -> ast.Assign | None:
    """The line of a function, of those of its file, that does nothing but give an entry a name: ``size =
    options["size"]``, where nothing else is bound to that name and there is more that the function does."""
    body = [] if isinstance(function, ast.Lambda) else function.body
    for line in body:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is place:
                names = [*(each.name for each in bindings(function)), *_declared(function)]
                above = lines[line.lineno - 2].lstrip() if line.lineno > 1 else ""
                written = " ".join(lines[line.lineno - 1 : line.end_lineno])
                alone = "#" not in written and ";" not in written and not above.startswith("#")
                rest = body[1:] if ast.get_docstring(function) is not None else body  # type: ignore[arg-type]
                return line if names.count(name) == 1 and alone and rest != [line] else None
    return None


def _declared(function: Callable_) -> list[str]:
    found = [each.names for each in walk(function) if isinstance(each, ast.Global | ast.Nonlocal)]
    return [name for names in found for name in names]


def is_in_rounds(function: Callable_, place: ast.expr) -> bool:
    """Whether a place is evaluated once a round of something: not at all where there is none."""
    return any(
        isinstance(node, _ROUNDS) and any(each is place for each in walk(node)) for node in walk(function)
    )


def _skips(rounds: ast.AST, node: ast.AST) -> bool:
    """Whether a loop may leave out a part of itself even where it goes round."""
    if isinstance(rounds, ast.For | ast.AsyncFor):
        before = rounds.body[: next((i for i, each in enumerate(rounds.body) if each is node), 0)]
        leaves = (ast.Continue, ast.Break, ast.Return, ast.Raise)
        return node in rounds.orelse or any(isinstance(each, leaves) for one in before for each in walk(one))
    generators: list[ast.comprehension] = rounds.generators  # type: ignore[attr-defined]
    inner = [each for each in generators[1:] if each is not node] if node is not generators[0] else []
    return node is not generators[0] and (bool(inner) or any(each.ifs for each in generators))


def is_stored(
    program: Program, place: ast.expr, trail: Sequence[ast.AST], module: Module, point: Point
) -> bool:
    """Whether some code may store an entry after the last node of a trail has been evaluated."""
    node = place
    root = next((each.id for each in walk(place) if isinstance(each, ast.Name)), "")
    of_object = False
    while isinstance(node, ast.Attribute | ast.Subscript):
        base = node.value
        if isinstance(node, ast.Attribute):
            own = [value for value, _ in program.evaluator.values(base, point)]
            if _is_computed(program, own, node.attr):
                return True
            if isinstance(base, ast.Name) and is_of_constructor(program, module, trail, base.id, node.attr):
                of_object = True
                break
            plain = bool(own) and all(isinstance(value, Made) for value in own)
            stores = _stores(program, node.attr)
            if stores is None:
                return True
            for other, there in stores:
                # What methods of the program's classes store in their own objects is in none of a library's.
                if not ((plain and _is_own(there)) or _is_earlier(module, other, trail, there)):
                    return True
        elif _is_changed(program, module, trail, base, _key(node) or "", root):
            return True
        node = base
    by_name = [] if of_object else _changed_by_name(program, module, root)
    return any(not _is_over(program, module, other, trail, there, root) for other, there in by_name)


def _is_computed(program: Program, own: Sequence[object], attribute: str) -> bool:
    """Whether a property, or a method of its own, gives the attribute."""
    special = ("__getattr__", "__getattribute__")
    return any(
        program.evaluator.classes.member(value.cls, name)
        for value in own
        if isinstance(value, Instance)
        for name in (attribute, *special)
    )


def _stores(program: Program, attribute: str) -> list[tuple[Module, list[ast.AST]]] | None:
    """Every place that stores or deletes an attribute; None where there are too many files to look at."""
    mark = ("stores", attribute)
    if mark not in program.answers:
        program.answers[mark] = _found_stores(program, attribute)
    found: list[tuple[Module, list[ast.AST]]] | None = program.answers[mark]
    return found


def _found_stores(program: Program, attribute: str) -> list[tuple[Module, list[ast.AST]]] | None:
    index = program.modules.index
    word = re.escape(attribute).encode()
    # `x.size = 1`, `x.size += 1`, `x.size, y = 1, 2`; `for x.size in`; `with y as x.size`; `del x.size`
    written = re.compile(rb"\.%b\b[^=\n(]{0,300}=(?!=)|\b(for|as|del)\b[^\n]{0,300}\.%b\b" % (word, word))
    dotted = b"." + attribute.encode()
    files = [
        relative
        for relative in index.naming(attribute)
        if dotted in (data := index.data(relative)) and written.search(data)
    ]
    if len(files) > _MOST_FILES:
        return None
    return [
        (module, trail)
        for module in program.modules.each(files)
        for trail in module.paths_to(attribute, stored=True)
        if isinstance(trail[-1], ast.Attribute) and not isinstance(trail[-1].ctx, ast.Load)
    ]


def _is_own(trail: Sequence[ast.AST]) -> bool:
    """Whether a store is one that a method of a class of the program makes in its own object."""
    node = trail[-1]
    methods = [each for each in trail if isinstance(each, ast.FunctionDef)]
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and any(isinstance(each, ast.ClassDef) for each in trail)
        and any([each.arg for each in parameters(method)][:1] == [node.value.id] for method in methods[:1])
    )


def _is_earlier(module: Module, other: Module, trail: Sequence[ast.AST], there: Sequence[ast.AST]) -> bool:
    """Whether a store stands before a place, in the same run of the function around both."""
    shared = [a for a, b in zip(trail, there, strict=False) if a is b]
    scopes = [each for each in there if isinstance(each, _FUNCTIONS)]
    return (
        other is module
        and bool(scopes)
        and all(any(scope is each for each in shared) for scope in scopes)
        and not share_a_loop(trail, there)
        and is_before(there, trail)
    )


def _is_changed(
    program: Program, home: Module, trail: Sequence[ast.AST], base: ast.expr, key: str, root: str
) -> bool:
    """Whether some code that is run together with a place may change an entry of a dict later: what it is
    called, or the same key of any."""
    together = _together(program, home)
    name = last_name(base)
    index = program.modules.index
    written = re.compile(_MAY_STORE % ((re.escape(key).encode(),) * 2))
    files = [
        each for each in together.intersection(index.mentioning(key)) if written.search(index.data(each))
    ]
    if len(files) > _MOST_FILES:
        return True
    changes: list[tuple[Module, list[ast.AST]]] = []
    for module in program.modules.each(sorted(files)):
        for node in walk(module.tree):
            match node:
                case ast.Subscript(slice=ast.Constant(value=value), ctx=ast.Store() | ast.Del()):
                    if value == key:
                        changes.append((module, trail_to(module.tree, node) or [node]))
    for each in mentions(program, name):
        if each.module.relative in together and _changes_any(each.trail):
            changes.append((each.module, each.trail))
    return any(not _is_over(program, home, module, trail, there, root) for module, there in changes)


def _changes_any(trail: Sequence[ast.AST]) -> bool:
    """Whether any entry of the dict at the end of a trail may be changed there."""
    node = trail[-1]
    match trail[-2] if len(trail) > 1 else None:
        case ast.Attribute(attr=called):
            return called in MUTATORS | {"popitem"}
        case ast.Subscript(value=held, slice=key, ctx=context):
            return held is node and not isinstance(context, ast.Load) and not isinstance(key, ast.Constant)
        case ast.AugAssign(target=target):
            return target is node
    return False


def _is_over(
    program: Program,
    home: Module,
    other: Module,
    trail: Sequence[ast.AST],
    there: Sequence[ast.AST],
    root: str,
) -> bool:
    """Whether what changes an entry stands before a place, or before the only call of the function around, in
    a function whose every run has a dict of its own."""
    if _is_made(root, trail):
        return _is_earlier(home, other, trail, there)
    match trail[1:2]:
        case [ast.FunctionDef(name=name) as function]:
            together = _together(program, home)
            said = (each for each in mentions(program, name) if each.node is not function)
            calls = [each for each in said if each.module.relative in together]
            given = _given(calls[0], home, function, root) if len(calls) == 1 else None
            return (
                given is not None
                and _is_made(given, calls[0].trail)
                and _is_earlier(home, other, calls[0].trail, there)
            )
    return False


def _is_made(name: str, trail: Sequence[ast.AST]) -> bool:
    """Whether a name is a variable of a function around that each of its runs makes anew."""
    index = owner(name, trail)
    scope = trail[index] if index is not None else None
    if not isinstance(scope, ast.FunctionDef):
        return False
    places = [each for each in bindings(scope) if each.name == name]
    return len(places) == 1 and any(
        isinstance(each, ast.Assign) and isinstance(each.value, ast.Call | ast.Dict)
        for each in places[0].trail[-2:]
    )


def _given(mention: Mention, home: Module, function: ast.FunctionDef, parameter: str) -> str | None:
    """The variable that a call gives a function of the module; None where it is no such call."""
    call = mention.trail[-2]
    if mention.module is not home or not isinstance(call, ast.Call) or call.func is not mention.node:
        return None
    names = [each.arg for each in function.args.args]
    by_place = dict(zip(names, call.args, strict=False))
    by_name = {each.arg: each.value for each in call.keywords}
    value = by_place.get(parameter, by_name.get(parameter))
    return value.id if isinstance(value, ast.Name) else None


def _together(program: Program, home: Module) -> frozenset[str]:
    """The files that are in one process with a file: what it imports, and what those do that import it."""
    mark = ("together", home.relative)
    if mark not in program.answers:
        boundaries = program.boundaries
        starts = (home.relative, *boundaries.importers(home.relative))
        program.answers[mark] = frozenset().union(*map(boundaries.imports, starts))
    found: frozenset[str] = program.answers[mark]
    return found


def _stored_by_name(program: Program, relative: str) -> frozenset[str]:
    """The names in what goes by which a file may store by name."""
    mark = ("stores by name", relative)
    if mark not in program.answers:
        program.answers[mark] = may_be_stored_in(program.modules.index.data(relative))
    found: frozenset[str] = program.answers[mark]
    return found


def _near(program: Program, home: Module) -> frozenset[str]:
    """A file, those that it imports and those that import it."""
    mark = ("near", home.relative)
    if mark not in program.answers:
        imports, importers = program.boundaries.imports, program.boundaries.importers
        program.answers[mark] = imports(home.relative).union(importers(home.relative))
    near: frozenset[str] = program.answers[mark]
    return near


def _changed_by_name(program: Program, home: Module, name: str) -> list[tuple[Module, list[ast.AST]]]:
    """Where some code sets attributes of what goes by this name without writing them, in the file or in one
    that it imports or that imports it."""
    mark = ("sets by name", home.relative, name)
    if mark not in program.answers:
        naming = program.modules.index.naming(name)
        program.answers[mark] = [
            (module, trail)
            for relative in sorted(_near(program, home).intersection(naming))
            if name in _stored_by_name(program, relative)
            and (module := program.modules.get(relative)) is not None
            for trail in module.paths_to(name)
            if _sets_by_name(trail)
        ]
    found: list[tuple[Module, list[ast.AST]]] = program.answers[mark]
    return found


def _sets_by_name(trail: Sequence[ast.AST]) -> bool:
    node, above = trail[-1], trail[-2]
    updated = isinstance(above, ast.Attribute) and above.attr == "update"
    return updated or any(store.owner is node for store in stores_around(trail))
