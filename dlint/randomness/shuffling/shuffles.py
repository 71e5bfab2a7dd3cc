"""The calls that put things in an order of chance: whose numbers they draw, and what has that order then."""

from __future__ import annotations

import ast

from dlint.knowledge.randomness import (
    GENERATORS,
    GIVEN_STATE,
    SHUFFLES_ANEW,
    SHUFFLES_IN_PLACE,
    STATE_CALLS,
    draws_from,
    shuffles_unless_told,
)
from dlint.source.statements import given_by_name
from dlint.values.places import path_to
from dlint.workers.events import Event

# The methods of generators that put things in an order.
_BY_GENERATOR = frozenset({"permutation", "sample", "shuffle"})
# What gives the same whatever order it is handed.
_UNORDERS = frozenset(
    {"len", "max", "min", "natsorted", "set", "sort", "sort_index", "sort_values", "sorted", "sum"}
)


def shuffling(event: Event) -> tuple[Event, str | None]:
    """A call that puts things in an order of chance, and whose numbers it draws: one that draws the key by
    which things are sorted stands for the sorting (``files.sort(key=lambda _: random.random())``)."""
    if given_generator(event) is not None:
        return event, None
    library = SHUFFLES_IN_PLACE.get(event.name) or SHUFFLES_ANEW.get(event.name) or _of_numpy(event)
    link = event.link
    key, caller, above = link.site, link.caller, link.above
    if library or not isinstance(key, ast.Lambda) or isinstance(key.body, ast.IfExp | ast.Tuple):
        return event, library
    drawn = next((each for each in STATE_CALLS if draws_from(event.name, each)), None)
    if drawn is None or caller is None or caller.statement is None or above is None:
        return event, None
    for node in path_to(caller.statement, key):
        match node:
            case ast.Call(func=ast.Name(id="sorted") | ast.Attribute(attr="sort"), keywords=given) if any(
                each.arg == "key" and each.value is key for each in given
            ):
                return Event(event.name, None, node, caller, event.world, above, event.role), drawn
    return event, None


def _of_numpy(event: Event) -> str | None:
    """NumPy, where a library puts things in an order of its global numbers, as it does unless it is told:
    ``table.sample(frac=1)``."""
    match event.node:
        case ast.Call(args=[] | [_], keywords=told) if shuffles_unless_told(event.name) and not any(
            word.arg is None or word.arg in GIVEN_STATE for word in told
        ):
            return "NumPy"
    return None


def by_own_state(event: Event) -> str | None:
    """The method by which a generator puts things in an order of chance: ``random.Random(0).shuffle(files)``,
    ``rng.permutation(n)``."""
    if given_generator(event) is not None:
        return "permutation"
    made, (maker, _, method) = event.owner, event.name.rpartition(".")
    is_own = made is not None and made.name in GENERATORS and maker == f"{made.name}()"
    return method if is_own and method in _BY_GENERATOR else None


def given_generator(event: Event) -> ast.expr | None:
    """The generator that torch is told to draw an order by: ``torch.randperm(n, generator=g)``."""
    given = event.node.keywords if isinstance(event.node, ast.Call) and event.name == "torch.randperm" else []
    return next((word.value for word in given if word.arg == "generator"), None)


def ordered(event: Event, statement: ast.stmt) -> ast.expr | None:
    """What a call puts in an order that chance decides, as it is named after that; the call where what that
    gives has no name."""
    call = event.node
    if not isinstance(call, ast.Call):
        return None
    method = by_own_state(event)
    if event.name in SHUFFLES_IN_PLACE or method == "shuffle":
        return call.args[0] if len(call.args) == 1 and not call.keywords else None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "sort":
        return call.func.value
    samples = "sample" in (method, event.name.rpartition(".")[2])
    if samples and not (_takes_all(call) or (_of_numpy(event) and _takes_table(call))):
        return None
    around = path_to(statement, call)
    if any(map(_unorders, around)):
        return None
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if (
            value is call or value in around
        ):
            return target
        case ast.Assign() | ast.AugAssign():
            return None
    return call


def _unorders(node: ast.AST) -> bool:
    """``sorted(...)``, ``np.sort(...)``, ``torch.randperm(n).sort()``."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _UNORDERS
    return False


def _takes_all(call: ast.Call) -> bool:
    """``random.sample(files, len(files))``."""
    match [*call.args, *(word.value for word in call.keywords if word.arg == "k")]:
        case [whole, ast.Call(func=ast.Name(id="len"), args=[counted])]:
            return ast.dump(whole) == ast.dump(counted)
    return False


def _takes_table(call: ast.Call) -> bool:
    """``table.sample(frac=1)``."""
    given = given_by_name(call)
    match given.get("frac"), call.args:
        case ast.Constant(value=1), []:
            return given.keys() <= {"frac", "axis", "ignore_index", "weights"}
    return False
