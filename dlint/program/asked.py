"""What the user must ask for: the options, off by default, that a loader, what it is given and what its
workers do hang on.

A condition names an option only where the program does something else by default: one without which it ends
(``raise``) is given in any case.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from dlint.evaluation.options.by_default import asked_by, comes_out
from dlint.evaluation.options.option import is_asked_for, option_of, setting_of
from dlint.fork.shipped import attributes
from dlint.loaders.loaders import is_zero
from dlint.source.statements import FunctionNode, ends, statement_at
from dlint.values.frame import Point
from dlint.values.places import path_to, places_around
from dlint.values.values import Const, Function, Instance, Partial, Unknown
from dlint.values.worlds import HERE
from dlint.workers.events import ways

if TYPE_CHECKING:
    from dlint.evaluation.options.options import Asked
    from dlint.fork.held_handles import Held
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program
    from dlint.source.layout import Place
    from dlint.values.values import Key, Made, Value
    from dlint.values.worlds import World
    from dlint.workers.events import Event, Visit
    from dlint.workers.reach import Link
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

    # A world, and the keys of the options and settings that are not their defaults in it.
    _There: TypeAlias = tuple[World, set[Key]]

_OWN_FUNCTIONS = ("collate_fn", "worker_init_fn")
# Calls that are followed from a loader to whoever has it made.
_FAR = 6


def for_loader(program: Program, loader: Loader) -> str | None:
    """That the options are given without which nobody comes to where a loader is made."""
    mark = ("asked for", loader.point.key, id(loader.call))
    if mark not in program.answers:
        program.answers[mark] = for_place(program, loader.point, loader.call)
    known: str | None = program.answers[mark]
    return known


def for_place(program: Program, point: Point, node: ast.AST) -> str | None:
    """The same of any other place."""
    found = _on_all_ways(program, point, node, frozenset())
    return " or ".join(sorted(found)) if found else None


def for_calls(program: Program, calls: Iterable[tuple[ast.Call, Point]]) -> bool:
    """Whether an option must be given for the program to come to any of some calls."""
    return all(_on_all_ways(program, point, call, frozenset()) for call, point in calls)


def _on_all_ways(program: Program, point: Point, node: ast.AST, seen: frozenset[int]) -> set[str] | None:
    """What is asked for on each way to a place; None where one asks for nothing."""
    given = _at(program, point, node, HERE)
    if given is not None:
        return {given}
    scope, sites = point.frame.scope, program.evaluator.sites
    if id(scope) in seen:
        return set()  # from itself, to which others come
    if not isinstance(scope, FunctionNode) or len(seen) >= _FAR or _is_hook(program, scope, point):
        return None
    found: set[str] = set()
    program.evaluator.start()
    for site in sites.of(scope, point.frame):
        above = _on_all_ways(program, site.point, site.call, seen | {id(scope)})
        if above is None:
            return None
        found |= above
    return found if found and sites.are_all(scope) else None


def _is_hook(program: Program, scope: FunctionNode, point: Point) -> bool:
    """Whether others than the program may call a method: Python, or the library that its class is derived
    from (``val_dataloader``)."""
    owner = point.frame.owner
    if owner is None:
        return False
    own = scope.name == "__init__" or not scope.name.startswith("__")
    return not own or bool(program.evaluator.classes.libraries(owner))


def for_event(program: Program, event: Event) -> str | None:
    """That the option is given without which worker code does not come to a call, by the chain of calls that
    the event has."""
    return _by_link(program, event.point, event.node, event.world, event.link)


def for_events(program: Program, code: WorkerCode, event: Event) -> str | None:
    """The same for all chains of calls that lead to an event of worker code."""
    return _by_all([for_event(program, each) for each in code.each_way([event])])


def for_visit(program: Program, visit: Visit, node: ast.AST) -> str | None:
    """The same for a part of a function that workers execute."""
    statement = node if isinstance(node, ast.stmt) else None
    if isinstance(node, ast.expr):
        statement = statement_at(visit.function.node, node)
    point = Point(visit.frame, statement)
    return _by_all([_by_link(program, point, node, visit.world, link) for link in ways(visit)])


def _by_link(
    program: Program, point: Point, node: ast.AST | None, world: World, link: Link | None
) -> str | None:
    at: Point | None = point
    while True:
        given = _at(program, at, node, world) if at is not None else None
        if given is not None or link is None:
            return given
        at, node, link = link.caller, link.site, link.above


def _by_all(found: list[str | None]) -> str | None:
    return None if None in found else min(filter(None, found), default=None)


def for_entry(program: Program, use: WorkerUse, role: str, links: Iterable[Link]) -> str | None:
    """That the option is given without which a loader gets another function of its own than those by which
    some chains of calls begin: ``collate_fn=OnGpu() if args.on_gpu else None``."""
    if use.loader is None or role not in _OWN_FUNCTIONS:
        return None
    entries: dict[int, Function] = {}
    for link in links:
        first: Link | None = link
        entry = None
        while first is not None:
            entry, first = first.function or entry, first.above
        if entry is None:
            return None
        entries[id(entry.node)] = entry
    return _by_all([for_function(program, use.loader, role, entry) for entry in entries.values()])


def for_made(program: Program, made: Made) -> str | None:
    """That the option is given without which a function does not come to make something."""
    return _at(program, made.point, made.node, HERE)


def for_held(program: Program, owner: Instance, held: Held) -> str | None:
    """That the option is given without which an attribute of an object holds something else once it is made,
    which is stored there instead, or later: ``self.images = file["images"][:]``."""
    evaluator = program.evaluator
    others = [
        w
        for _, path, point, world in evaluator.construction.stores(owner, HERE, (held.name,))
        if point.statement is not None
        for value, w in evaluator.names.defined(point.statement, path, point.frame, world)
        if value.key != held.value.key
    ]
    return _choosing(program, [held.world], others)


def _at(program: Program, point: Point, node: ast.AST | None, world: World) -> str | None:
    """What is asked for by the tests around a place, within its scope, the nearest first."""
    for test, wanted in _inside(point, node):
        given = _needed(program, test, wanted, point, world)
        if given is not None:
            return given
    for place in places_around(point):
        before = point.before(place.block[place.at])
        for test, wanted, otherwise in _leading(place):
            given = _needed(program, test, wanted, before, world)
            if given is not None and not _ends(program, otherwise, before, world):
                return given
    return None


def _inside(point: Point, node: ast.AST | None) -> Iterator[tuple[ast.expr, bool]]:
    """The tests within a statement that lead to a part of it, the nearest first."""
    around = [*path_to(point.statement, node), node] if node is not None else []
    for at in range(len(around) - 2, -1, -1):
        match around[at]:
            case ast.IfExp(test=test, body=body) if around[at + 1] is not test:
                yield test, around[at + 1] is body
            case ast.BoolOp(op=op, values=values):
                for value in values:
                    if value is around[at + 1]:
                        break
                    yield value, isinstance(op, ast.And)


def _leading(place: Place) -> Iterator[tuple[ast.expr, bool, list[ast.stmt]]]:
    """The tests that lead to a place in a block, and to the block: each with the outcome that leads there and
    the statements that are come to otherwise, where they are known."""
    for before in place.block[: place.at]:
        if isinstance(before, ast.If) and isinstance(before.body[-1], ast.Return | ast.Raise | ast.Continue):
            yield before.test, False, before.body
    owner = place.owner
    if isinstance(owner, ast.If):
        body = place.role == "body"
        yield owner.test, body, owner.orelse if body else owner.body


def _ends(program: Program, block: list[ast.stmt], point: Point, world: World) -> bool:
    """Whether the program surely ends where, by default, it comes to a block: without the option it does
    nothing at all."""
    match block:
        case [ast.If(test=test, orelse=orelse)] if orelse:
            if _needed(program, test, True, point, world) is None:
                return False
            return _ends(program, orelse, point, world)
        case [*_, ast.Raise()]:
            return True
        case [*others, ast.Expr()]:
            return ends(block) and all(map(_tells, others))
        case [*others, ast.Return(value=given)] if others:
            failed = isinstance(given, ast.Constant) and isinstance(given.value, int) and given.value != 0
            return all(map(_tells, others)) and (failed or any(map(_tells_usage, others)))
    return False


def _tells(statement: ast.stmt) -> bool:
    """Whether a statement only tells the user something: ``print(...)``, ``parser.print_help()``."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name.startswith("print")
    return False


def _tells_usage(statement: ast.stmt) -> bool:
    """Whether a statement tells how the program is called."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="print_help" | "print_usage"))):
            return True
    return False


def _needed(program: Program, test: ast.expr, outcome: bool, point: Point, world: World) -> str | None:
    """That the option is given without which a test does not come out so."""
    for part, wanted in _sure_parts(test, outcome):
        given = _off_by_default(program, part, wanted, point, world)
        if given is not None:
            return given
    return None


def _sure_parts(test: ast.expr, outcome: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The variables, attributes and comparisons in a test whose outcome is sure where that of the test is."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _sure_parts(operand, not outcome)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is outcome:
            for value in values:
                yield from _sure_parts(value, outcome)
        case ast.Name() | ast.Attribute() | ast.Compare():
            yield test, outcome


def _off_by_default(program: Program, part: ast.expr, wanted: bool, point: Point, world: World) -> str | None:
    """That the option which a part of a test asks about is given, where by all that it may be and by its
    default the part comes out otherwise: it is the option, or what there is only where the user asks for one
    (``self.noise = Noise(path) if path is not None else None``)."""
    asked = asked_by(part)
    if asked is None:
        return None
    # Asked elsewhere, it may mean another thing, which would be remembered for whoever asks next.
    statement = statement_at(point.frame.scope, asked)
    point = point.before(statement) if statement is not None else point
    program.evaluator.start()
    options = program.evaluator.options
    found: list[set[str]] = []
    others: list[_There] | None = None
    for value, w in program.evaluator.values(asked, point, world):
        default, given = None, ""
        if is_asked_for(value):
            default = options.default(value, w)
            given = _given(value, default) if default is not None else ""
        elif isinstance(asked, ast.Attribute):  # what an object keeps; a variable may be a part of an item
            beside = options.unasked(value)
            if beside is not None and beside.default is not None:
                default, given = beside.default, f"{beside.words} is not {beside.default.value}"
        if not _fails(part, default or value, wanted):
            if others is None:
                values = program.evaluator.values(asked, point, HERE)
                others = _there(program, [v for each, v in values if _fails(part, each, wanted)])
            found.append({_given(each.value, each.default) for each in _deciding(program, w, others)})
        elif default is not None:
            found.append({given})
    return min(set.intersection(*found), default=None) if found else None


def _given(value: Value, default: Const) -> str:
    """What is so where an option or a setting is not its default."""
    setting = setting_of(value)
    if setting is not None:
        return f"the setting {setting} is not {default.value}"
    return f"the option {option_of(value)} is {'off' if default.value is True else 'given'}"


def _fails(part: ast.expr, held: Value | None, wanted: bool) -> bool:
    return isinstance(held, Const) and comes_out(part, held.value) is (not wanted)


def for_dataset(program: Program, use: WorkerUse) -> str | None:
    """That an option is given which has a loader read the dataset of a use, where another one is read by
    default: ``Pairs() if args.pairs else Faces()``."""
    if use.loader is None or use.dataset is None:
        return None
    mine: list[World] = []
    others: list[World] = []
    for way, world in use.loader.ways("num_workers", "dataset"):
        if way["dataset"] is not None and not is_zero(way["num_workers"]):
            like, as_seen = program.like(way["dataset"], world)
            if like.key == use.dataset.key and as_seen is use.world:
                mine.append(world)
            elif not isinstance(like, Unknown):  # or there is none, and the program ends
                others.append(world)
    return _choosing(program, mine, others)


def for_workers(program: Program, loader: Loader) -> str | None:
    """That an option is given which has a loader have workers, where it has none by default."""
    ways = loader.ways("num_workers")
    mine = [world for way, world in ways if not is_zero(way["num_workers"])]
    others = _there(program, [world for way, world in ways if is_zero(way["num_workers"])])
    found = [{_given(each.value, each.default) for each in _deciding(program, w, others)} for w in mine]
    return min(set.intersection(*found), default=None) if found else None


def for_holder(program: Program, use: WorkerUse, held: Value) -> str | None:
    """That an option is given which has a dataset, or what it holds, keep an object in an attribute, where it
    keeps another one by default: ``self.store = STORES[args.store](path)``."""
    parts = {part.value.key: part for part in program.shipped(use)}
    seen: set[Key] = set()
    while held.key in parts and held.key not in seen:
        seen.add(held.key)
        into = parts[held.key].into
        holder = parts.get(into[0]) if into is not None else None
        if into is None or holder is None or not isinstance(holder.value, Instance):
            break
        mine: list[World] = []
        others: list[World] = []
        for _, value, world in attributes(program.evaluator, holder.value, holder.world, {into[1]}):
            if value.key == held.key:
                mine.append(world)
            elif not isinstance(value, Unknown):
                others.append(world)
        given = _choosing(program, mine, others)
        if given is not None:
            return given
        held = holder.value
    return None


def for_function(program: Program, loader: Loader, name: str, function: Function) -> str | None:
    """That an option is given which has a loader get a function, where it gets none, or another one, by
    default: ``worker_init_fn=partial(init, seed) if seed is not None else None``."""
    mine: list[World] = []
    others: list[World] = []
    for way, world in loader.ways("num_workers", name):
        if not is_zero(way["num_workers"]):
            value = way[name]
            while isinstance(value, Partial):
                value = value.callee
            called = (
                program.evaluator.classes.methods(value, "__call__")
                if isinstance(value, Instance)
                else [value]
            )
            mean = any(isinstance(each, Function) and each.node is function.node for each in called)
            (mine if mean else others).append(world)
    return _choosing(program, mine, others)


def _choosing(program: Program, mine: list[World], others: list[World]) -> str | None:
    """That the option is given which tells some worlds apart from others. A setting that is one thing or
    another is as often this as that in the files that users write; it counts where it is off."""
    there = _there(program, others) if mine else []
    found = [
        {
            _given(each.value, each.default)
            for each in _deciding(program, world, there)
            if not each.default.value or setting_of(each.value) is None
        }
        for world in mine
    ]
    return min(set.intersection(*found), default=None) if found else None


def _there(program: Program, worlds: list[World]) -> list[_There]:
    asked = program.evaluator.options.asked
    return [(world, {each.value.key for each in asked(world)}) for world in worlds]


def _deciding(program: Program, world: World, others: list[_There]) -> list[Asked]:
    """The options that are not their defaults in a world, and are that in others which they tell apart from
    it. What is asked for in any case decides nothing: ``args.train`` that leads to all of this, or
    ``args.stage`` that says which data there is, and has no default."""
    return [
        each
        for each in program.evaluator.options.asked(world)
        if any(each.value.key not in names and not each.alone.agrees(other) for other, names in others)
    ]
