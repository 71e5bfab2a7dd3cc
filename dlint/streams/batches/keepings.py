"""What statements keep of the batches that they go through: in the rounds of a loop, by a comprehension, or
all at once (``list(loader)``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.tensors import JOINS
from dlint.loaders.iteration import Iterations
from dlint.loaders.loaders import Loader
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import bare_name, dotted, expressions, last_name
from dlint.streams.batches.by_next import ByNext, Rounds, measured, rounds_of
from dlint.streams.batches.kept import (
    Kept,
    gives_nothing,
    kept_by,
    kept_by_comprehension,
    may_keep,
    puts_nothing,
)
from dlint.streams.batches.kinds import are_items_numbers
from dlint.streams.batches.rounds import batch_in, goes_through_all, hands_on_all
from dlint.streams.batches.spot import Spot
from dlint.streams.batches.treated import Tensors, places_in, tensors_in
from dlint.streams.memory.held import Held
from dlint.streams.memory.places import Named, Place, View, named
from dlint.values.values import Const, External

if TYPE_CHECKING:
    from dlint.loaders.program import Program

# What keeps all that it is given at once, by its name, or gives it again.
GATHERS = {
    "dict": "builtins.dict",
    "list": "builtins.list",
    "tuple": "builtins.tuple",
    "cycle": "itertools.cycle",
}
LOADER = regex(r"load|(?:^|[._])dl(?:$|[._])|_dl|batch|iter", re.IGNORECASE)
_DATA = regex(rf"{LOADER.pattern}|data(?!frame)|train|test|val(?!ues)|eval|generator", re.IGNORECASE)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
# So many tensors leave room for the files that a program has open anyway.
FEW = 900


class Keeping(NamedTuple):
    """What is kept, the batches it is of, and what the code around it takes for tensors."""

    kept: Kept
    source: ast.expr
    tensors: Tensors
    beside: tuple[ast.expr, ...] = ()  # what is gone through with it, and may end first
    within: Spot | None = None  # where the batches are gone through, should that be in a generator

    def loaders(self, spot: Spot, iterations: Iterations) -> list[Loader]:
        """The loaders whose batches are kept at a spot."""
        return (self.within or spot).loaders(iterations, self.source)


def keepings(program: Program, spot: Spot, iterations: Iterations, statement: ast.stmt) -> Iterator[Keeping]:
    """What a statement keeps, should it go through the batches of a loader."""
    if isinstance(statement, ast.For):
        yield from _kept_in_rounds(program, spot, iterations, statement)
    run = spot.by_engine(statement)
    if run is not None:
        yield from _kept_in_rounds(program, spot, iterations, run)
    if isinstance(statement, ast.For | ast.While):
        for by_next in spot.by_next(statement):
            ends = _rounds_of(spot, iterations, by_next)
            if ends is not None:
                for keeping in _kept_in_rounds(program, spot, iterations, by_next.loop):
                    yield keeping._replace(beside=ends)
    for expression in expressions(statement):
        beside = _beside(expression)
        for node in walk(expression):
            if isinstance(node, ast.ListComp) and (loader := _taken_by_number(spot, node)) is not None:
                kept = Kept(node.elt, (View(node.elt, Named(())),), None)
                yield Keeping(kept, loader, Tensors(frozenset(), frozenset()))
            elif isinstance(node, _COMPREHENSIONS) and len(node.generators) == 1:
                generator = node.generators[0]
                sounds = _sounds(generator.iter) or _is_data_made_there(spot, generator.iter)
                sounds = sounds or (_is_given_data(spot, generator.iter) and _is_joined(node, expression))
                batch = batch_in(generator.target, generator.iter, spot.assigned) if sounds else None
                for kept in kept_by_comprehension(node, batch, spot, spot.gives) if batch is not None else ():
                    yield Keeping(kept, generator.iter, _tensors_of(kept, tensors_in([node])))
            elif isinstance(node, ast.expr) and (source := _gathered(spot, node)) is not None:
                others = beside.get(id(node), ()) if is_cycle(node) else ()
                if others is not None:
                    kept = Kept(node, (View(node, Named(())),), None)
                    yield Keeping(kept, source, Tensors(frozenset(), frozenset()), others)


def _kept_in_rounds(program: Program, spot: Spot, iterations: Iterations, loop: ast.For) -> Iterator[Keeping]:
    """What the rounds of a loop keep, should it go through the batches of a loader."""
    batch = batch_in(loop.target, loop.iter, spot.assigned)
    if batch is None:
        return
    # What a helper does is worth asking only of what is called as loaders are, or batches.
    asks = any(map(_sounds, (loop.iter, loop.target))) or _is_made_there(spot, loop.iter)
    puts_by, gives = (spot.puts_by, spot.gives) if asks else (puts_nothing, gives_nothing)
    tensors = tensors_in(loop.body)
    called = _called(loop.iter)
    may_yield = (asks or _is_own_generator(spot, called)) and may_keep(loop, puts_by is not puts_nothing)
    yielded = spot.yielded(called) if may_yield else None
    asks = asks or yielded is not None
    source, within = loop.iter, None
    begun = Held(named(batch, Named(())), spot)
    if yielded is not None:
        source, within = yielded.source, yielded.spot
        begun = yielded.held.told(batch, yielded.value, spot)

    def are_numbers(place: Place) -> bool:
        sending = (within or spot).loaders(iterations, source) if asks else []
        return bool(sending) and all(are_items_numbers(program, each, place) for each in sending)

    def matters(kept: Kept) -> bool:
        keeping = Keeping(kept, source, _tensors_of(kept, tensors), within=within)
        return may_be_loader(spot, keeping) and any(map(sends_files, keeping.loaders(spot, iterations)))

    found = kept_by(loop, begun, puts_by, gives, spot.overwrites, spot.empties, are_numbers, spot, matters)
    if found:
        shown = places_in(loop.body, begun.copy())
        tensors = tensors._replace(places=frozenset(shown))
    for kept in found:
        yield Keeping(kept, source, _tensors_of(kept, tensors), within=within)


def _called(iterable: ast.expr) -> ast.expr:
    """What is gone through, past ``enumerate`` and a bar of progress."""
    while isinstance(iterable, ast.Call) and iterable.args and hands_on_all(iterable):
        iterable = iterable.args[0]
    return iterable


def _is_own_generator(spot: Spot, called: ast.expr) -> bool:
    """Whether a method of the object at hand is called, in a file that has generators."""
    match called:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            return "yield" in spot.module.text
    return False


def _rounds_of(spot: Spot, iterations: Iterations, by_next: ByNext) -> tuple[ast.expr, ...] | None:
    """What else ends a loop that asks an iterator for each batch, None where it may be meant to take a few
    of them: it does not go through a loader, nor count to the length of one, or to a large number."""
    if by_next.rounds is None:
        return ()
    ends: list[ast.expr] = []
    for told_by, is_number, begin in _told_by_name(spot, by_next):
        if is_number:
            begins = spot.numbers(begin) if begin is not None else [0]
            if not begins:
                return None
            if any(number - min(begins) >= FEW for number in spot.numbers(told_by)):
                return ()
            counted = [*spot.assigned(told_by.id)] if isinstance(told_by, ast.Name) else [told_by]
            ends += [of for each in counted for of in measured(each)]
        elif _sounds(told_by) or _is_made_there(spot, told_by):
            ends.append(told_by)
    through = [each for each in ends if goes_through_all(each) and spot.loaders(iterations, each)]
    return tuple(through) if through and len(through) == len(ends) else None


def _told_by_name(spot: Spot, by_next: ByNext) -> list[Rounds]:
    """What tells the rounds of a loop, by its name what that was given: ``bar = tqdm(range(n))``."""
    rounds = by_next.rounds
    if rounds is None:
        return []
    if not rounds.is_number and isinstance(rounds.told_by, ast.Name):
        given = [rounds_of(each) for each in spot.assigned(rounds.told_by.id)]
        if given and all(each.is_number for each in given):
            return given
    return [rounds]


def _tensors_of(kept: Kept, around: Tensors) -> Tensors:
    """What is taken for tensors by the code that something kept stands in."""
    function = kept.given_by or (kept.inside.function if kept.inside is not None else None)
    return around if function is None else tensors_in(function.body)._replace(places=around.places)


def _taken_by_number(spot: Spot, made: ast.ListComp) -> ast.expr | None:
    """The loader whose batches a list is made of, as many as it has: after ``it = iter(loader)`` the
    comprehension ``[next(it) for _ in range(len(loader))]``."""
    match made:
        case ast.ListComp(
            elt=ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)]),
            generators=[
                ast.comprehension(
                    iter=ast.Call(
                        func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[loader])]
                    ),
                    ifs=[],
                )
            ],
        ) if _is_whole(spot, loader):
            begun = [ast.unparse(value) for value in spot.assigned(name)]
            return loader if begun == [f"iter({ast.unparse(loader)})"] else None
    return None


def _beside(expression: ast.AST) -> dict[int, tuple[ast.expr, ...] | None]:
    """For what a call takes things from, what it goes through beside it (``zip``), and None where it takes
    only some of it."""
    found: dict[int, tuple[ast.expr, ...] | None] = {}
    for node in walk(expression):
        if isinstance(node, ast.Call):
            match last_name(node.func):
                case "zip":
                    found.update(
                        (id(each), tuple(o for o in node.args if o is not each)) for each in node.args
                    )
                case "islice" | "next":
                    found.update((id(each), None) for each in node.args)
    return found


def is_cycle(node: ast.expr) -> bool:
    """Whether an expression gives again what it has kept: ``itertools.cycle``."""
    return isinstance(node, ast.Call) and last_name(node.func) == "cycle"


def _sounds(iterable: ast.expr) -> bool:
    """Whether what is gone through has a name as loaders have: most lists that are copied are none."""
    return LOADER.search(ast.unparse(iterable)) is not None


def _is_made_there(spot: Spot, iterable: ast.expr) -> bool:
    """Whether what is gone through is made, in the same function, of what has a loader's name, or the name of
    what makes one: ``val = DataLoader(rows)``, ``progress = tqdm(train_loader)``."""
    name = _gone_through(iterable)
    return bool(name) and any(_sounds(value) for value in spot.assigned(name))


def _is_data_made_there(spot: Spot, iterable: ast.expr) -> bool:
    """Whether what is gone through is called as data are, and made so."""
    return _DATA.search(_gone_through(iterable)) is not None and _is_made_there(spot, iterable)


def _gone_through(iterable: ast.expr) -> str:
    """What is gone through, by its name, in calls too (``enumerate(progress)``); "" where it has none."""
    while isinstance(iterable, ast.Call) and iterable.args and dotted(iterable.func) != "range":
        iterable = iterable.args[0]
    return dotted(iterable) or ""


def _is_given_data(spot: Spot, iterable: ast.expr) -> bool:
    """Whether what is gone through is called as data are, and the function around is given it: worth a search
    of all callers only where tensors are made of it."""
    return (
        isinstance(iterable, ast.Name)
        and _DATA.search(iterable.id) is not None
        and spot.is_given(iterable.id)
    )


def _is_joined(made: ast.expr, expression: ast.AST) -> bool:
    """Whether a part of an expression is taken for a list of tensors: ``torch.cat([...])``."""
    return any(
        isinstance(node, ast.Call) and node.args[:1] == [made] and f"torch.{last_name(node.func)}" in JOINS
        for node in walk(expression)
    )


def _gathered(spot: Spot, node: ast.expr) -> ast.expr | None:
    """What an expression keeps all of, be it to give it again: ``list(loader)``, ``[*loader]``."""
    match node:
        case ast.Call(func=func, args=[ast.Starred(value=source)]):
            names = {"zip": "builtins.zip"}
        case ast.Call(func=func, args=[source]):
            names = GATHERS
            if getattr(func, "id", "") == "dict" and not _is_numbered(source):
                return None  # a batch has no key
        case ast.List(elts=[ast.Starred(value=source)]) | ast.Tuple(elts=[ast.Starred(value=source)]):
            return source if isinstance(node.ctx, ast.Load) and _is_whole(spot, source) else None
        case _:
            return None
    name = bare_name(func)
    # What cycles is seldom anything but a loader, whatever that is called.
    if name not in names or not (_is_whole(spot, source) or (name == "cycle" and goes_through_all(source))):
        return None
    values = spot.values(func)
    known = all(isinstance(value, External) and value.name == names[name] for value in values)
    return source if values and known else None


def _is_numbered(source: ast.expr) -> bool:
    return isinstance(source, ast.Call) and dotted(source.func) == "enumerate"


def _is_whole(spot: Spot, source: ast.expr) -> bool:
    return goes_through_all(source) and (_sounds(source) or _is_data_made_there(spot, source))


def may_be_loader(spot: Spot, keeping: Keeping) -> bool:
    """Whether the name of what is gone through or kept of it, or what is done with that, speaks for a loader:
    finding out what a parameter is costs a search of all callers."""
    if is_cycle(keeping.kept.node):
        return True
    return (
        _DATA.search(ast.unparse(keeping.source)) is not None
        or any(
            view.known.is_tensor or keeping.tensors.hold(view.given or view.node) or _sounds(view.node)
            for view in keeping.kept.views
        )
        or _is_made_there(keeping.within or spot, keeping.source)
    )


def sends_files(loader: Loader) -> bool:
    """Whether a loader has workers, and gives their tensors as they come: pinned ones, and those on a
    GPU, are copies."""
    return (
        loader.may_have_workers
        and not loader.on_device
        and all(
            value is None or (isinstance(value, Const) and not value.value)
            for value in loader.values("pin_memory")
        )
    )
