"""Worker code seeds a global random state, so items repeat.

## What it finds

`np.random.seed(...)`, `random.seed(...)` or `torch.manual_seed(...)` in worker code other than
`worker_init_fn`: in `__getitem__`, `collate_fn`, a transform, or what these reach in any file, decorators of
these functions among it. For a function that is there to seed, which main may call rightly, the finding
stands at its call in worker code, once for all states that it sets. A state that the constructor has read, or
the module at import, and that worker code sets (`random.setstate(self.state)`) seeds as a number does. Where
the state is put back afterwards, or seeded afresh, by whatever means (`fork_rng`, a context manager or a
decorator of the project, a helper), it is silent. Seeds in the dataset's `__init__`, in main and in
`worker_init_fn` are fine (DL204 looks at the last), and so are seeds that the epoch goes into, also by way of
an attribute that `set_epoch` sets, or that the main process sets to another number in each round of a loop,
itself or by a method of any name (`dataset.refresh(rng.integers(2**31))`; workers that persist never see
that), and the seed that torch gave the worker (`get_worker_info().seed`, `torch.initial_seed()`) where
`__iter__` seeds once, itself or by a helper or the constructor of a reader that it calls outside loops. Nor
are seeds that the item's index goes into where a test lets only evaluations come to them (`if self.split ==
"test": np.random.seed(index)`): each of their items gets numbers of its own, and the same each time. Nor is
`random.seed(time.time())`, which takes the fractions of the second too (NumPy refuses
them, torch drops them): 400 distinct values of 400 draws in four workers.

## Why is this bad

The call sets the state for everything that the worker does from then on. Measured with a constant (and the
same with `int(time.time())`): 1 distinct value of 24 draws. All augmentation of that library is one and the
same. With the item's index in the seed every item gets the same numbers in every epoch, and so does all
augmentation after it; with the worker's number, seeded once, every epoch repeats.

## Example

```python
def __getitem__(self, index):
    np.random.seed(0)
    return self.images[index] + np.random.randn(3)
```

Use instead, where every item should get the same numbers in every epoch:

```python
def __getitem__(self, index):
    rng = np.random.default_rng([0, index])
    return self.images[index] + rng.standard_normal(3)
```

(`np.random.RandomState(0)` gives the very numbers that came after `np.random.seed(0)`.)

Otherwise remove the call: every worker has its own state.

## Level

- `error`, silent: the numbers repeat.
- `warning`, silent: worker code is not seen to draw from the library, but from another that is seeded
  beside it.
- `warning`, silent: a constant seeds under a test of the split or the mode (`self.split == "test"`): an
  evaluation may well be the same each time.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: what else draws from the library is no longer set back. Where the same numbers may be what is wanted
(the item goes into the seed, or names and conditions speak of evaluation), draws that follow the seed in its
own function get a local generator with the same seed (`np.random.RandomState(seed)`, `random.Random(seed)`,
`torch.Generator().manual_seed(seed)`), and so the same numbers to the last bit; behind a condition
(`if self.fixed: np.random.seed(index)`) one that is the library's own state where that does not hold. The
finding is left, with the reason, where something that is called later draws too, or may, and where one with
the same seed would draw alike for every item, or in each epoch. Elsewhere a seed that is that of every
item goes, as do the time and a seed that nothing draws with: the draws then follow the stream that the loader
seeded for the worker. The finding is left where the parent calls that function as well (a split that the
constructor makes): what it draws would be other in each run. `get_worker_info().id` in a seed that a worker
sets once becomes `.seed`.

## References

- https://numpy.org/doc/stable/reference/random/generator.html
- https://pytorch.org/docs/stable/notes/randomness.html#dataloader
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from dlint.finding import Remedy
from dlint.fork.sides import made_in_parent, worker_functions
from dlint.fork.start_method import surely_starts_anew
from dlint.knowledge.iterables import DIVIDES
from dlint.knowledge.randomness import (
    KEEPS_STATE,
    SEEDS,
    SETS_STATE,
    STATE_CALLS,
    may_draw,
    sounds_changing,
)
from dlint.program.asked import for_event
from dlint.program.conditions import both, executed
from dlint.program.program import Program
from dlint.randomness.reseeds import is_for_first, is_once_a_pass, place_of_seeding
from dlint.randomness.seeds.seed import CLOCK, FIXED, NEW, TORCH, UNKNOWN, WORKER, Seed
from dlint.randomness.seeds.seeds import seeds_of
from dlint.randomness.torchvision_draws import is_drawn_by
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed
from dlint.source.nodes import speaks_of, walk
from dlint.values.frame import Point
from dlint.values.functions import function_body
from dlint.values.places import places_around, tests_around
from dlint.values.values import External, Function, Made
from dlint.values.worlds import World
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.sharing import by_code
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_MODE = re.compile(r"\b(split|mode|phase|subset|(is_?)?(train|test|eval|val)\w*)\b")
_TRAINS = re.compile("train")
_EVALUATES = re.compile(
    r"(?<![a-z])(?:is_?)?(?:test(?:ing)?|val(?:id(?:ation)?)?|eval(?:uat\w+)?|infer\w*|predict\w*)(?![a-z])",
    re.IGNORECASE,
)
_SUMMARY = "Remove the seeding, or draw from a local generator"
_LOCAL = "draw from a local generator made from that seed"
_TAKE_BACK = "remove it, or put back afterwards the state that was there"
_TAKE_OUT = "take this call out of worker code: the function is there to seed, and main may call it rightly"
_GENERATORS: dict[str, Callable[[str], str]] = {
    "NumPy": "np.random.default_rng({})".format,
    "random": "random.Random({})".format,
    "torch": "torch.Generator().manual_seed({})".format,
}


class _Repeating(NamedTuple):
    """A seeding call after which numbers repeat: its seeds, and whether it runs once."""

    event: Event
    seeds: list[Seed]
    once: bool


def check(program: Program) -> Iterator[Found]:
    """Seeding calls in worker code; for a function that only seeds, the call of it."""
    for uses in by_code(program.uses):
        code = uses[0].code
        seeding = [
            event
            for event in code.events
            if event.name in SEEDS and event.role != "worker_init_fn" and event.owner is None
        ]
        together: dict[int, list[_Repeating]] = {}
        for event in code.each_way(seeding):
            repeating = _judged(program, uses, event)
            if repeating is not None:
                _, node = place_of_seeding(event, code)
                together.setdefault(id(node), []).append(repeating)
        for each in together.values():
            yield _found(program, code, each)
        for event in code.events:
            if event.name in SETS_STATE and _sets_kept(program, event) and _is_drawn(program, code, event):
                yield _found_state(program, code, event)


def _sets_kept(program: Program, event: Event) -> bool:
    """Whether a call sets a state that the parent has read, and leaves it so."""
    if event.role == "worker_init_fn" or not isinstance(event.node, ast.Call) or not event.node.args:
        return False
    if _once(event) or _kept(event):
        return False
    program.evaluator.start()
    worker = worker_functions(program)
    values = [value for value, _ in program.evaluator.values(event.node.args[0], event.point, event.world)]
    return bool(values) and all(
        isinstance(value, Made)
        and value.name == SETS_STATE[event.name][1]
        and made_in_parent(program, value, worker)
        for value in values
    )


def _judged(program: Program, uses: list[WorkerUse], event: Event) -> _Repeating | None:
    assert isinstance(event.node, ast.Call)
    code = uses[0].code
    once = _once(event) or _of_stream(event) or is_once_a_pass(event)
    # What their modules drew at import is new in workers that start anew, and one and the same for all items.
    copied = not once or not all(surely_starts_anew(program, use) for use in uses)
    seeds = seeds_of(program.evaluator, code, event, uses, copied=copied)
    if any(NEW & seed.kinds for seed in seeds) or (once and any(TORCH in seed.kinds for seed in seeds)):
        return None
    if any(sounds_changing(name) and "time" not in name for name in _names_in(event.node)):
        return None
    # Numbers of its own for each item of an evaluation, in every epoch: what makes its results comparable.
    if all(UNKNOWN in seed.kinds for seed in seeds) and _is_for_evaluation(event):
        return None
    if _kept(event) or _put_back_after(program, event) or _put_back_by(program, code, event):
        return None
    return _Repeating(event, seeds, once)


def _names_in(call: ast.Call) -> Iterator[str]:
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for node in walk(argument):
            if isinstance(node, ast.Name):
                yield node.id.lower()
            elif isinstance(node, ast.Attribute):
                yield node.attr.lower()


def _once(event: Event) -> bool:
    """Whether a test that the block behind it changes lets it run once only: ``if not self.seeded:``."""
    layout = event.point.frame.layout
    return any(is_for_first(test, block, layout) for test, _, block in tests_around(event.point))


def _of_stream(event: Event) -> bool:
    """Whether the call stands in ``__iter__``: it runs once an epoch in each worker."""
    return getattr(event.point.frame.scope, "name", "") == "__iter__"


def _kept(event: Event) -> bool:
    """Whether the state is read before and put back after, in a function on the way to the call."""
    for library, calls in STATE_CALLS.items():
        if library not in _libraries(event):
            continue
        link: Link | None = event.link
        while link is not None:
            if link.function is not None and _calls_all(link.function, calls):
                break
            link = link.above
        if link is None:
            return False
    return True


def _calls_all(function: Function, names: tuple[str, ...]) -> bool:
    nodes = list(function_body(function.node))
    if function.owner is not None and getattr(function.node, "name", "") == "__enter__":
        nodes = list(walk(function.owner.node))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return found.issuperset(names)


def _put_back_after(program: Program, event: Event) -> bool:
    """Whether a library's block around the call, or around a call that led to it, puts the state back."""
    libraries = SEEDS[event.name]
    link: Link | None = event.link
    while link is not None:
        function = link.function
        for decorator in getattr(function.node, "decorator_list", ()) if function is not None else ():
            if isinstance(decorator, ast.Call):
                assert function is not None
                outside = Point(function.frame, None)
                if _keeps(program, decorator.func, outside, event.world, libraries):
                    return True
        link = link.above
    for point in event.places():
        for place in places_around(point):
            if isinstance(place.owner, ast.With) and place.role == "body":
                for item in place.owner.items:
                    if isinstance(item.context_expr, ast.Call) and _keeps(
                        program, item.context_expr.func, point, event.world, libraries
                    ):
                        return True
    return False


def _put_back_by(program: Program, code: WorkerCode, event: Event) -> bool:
    """Whether something else in worker code puts the state back, or seeds afresh, after what the seeding is
    for: a context around it, a decorator, a function that is called later on."""
    libraries = SEEDS[event.name]
    states = [calls for library, calls in STATE_CALLS.items() if library in libraries]
    restoring = {calls[-1] for calls in states}
    places = {id(point.frame.scope): point for point in event.places()}
    functions = set(places)
    link: Link | None = event.link
    while link is not None:
        if link.function is not None:
            functions.add(id(link.function.node))
        link = link.above
    others = [
        other
        for other in code.events
        if other.name.rpartition(".")[2] in restoring
        or (
            other is not event
            and not (other.node is event.node and _is_come_to_again(other))
            and SEEDS.get(other.name) == libraries
            and any(NEW & seed.kinds for seed in seeds_of(program.evaluator, code, other))
        )
    ]
    for other in code.each_way(others):
        # What saves the state itself puts that back: it must be around the seeding, not behind it.
        scope = other.point.frame.scope
        text = other.module.text_of(scope)
        apart = id(scope) not in places and any(calls[0] in text for calls in states)
        for point in other.places():
            if id(point.statement) in functions:
                return True  # a decorator of the function
            mine = places.get(id(point.frame.scope))
            if mine is None:
                continue
            if _is_around(point, mine) or (
                not apart and _is_behind(point, mine) and not _is_saved_behind(code, other, point, mine)
            ):
                return True
    return False


def _is_saved_behind(code: WorkerCode, restoring: Event, at: Point, seeding: Point) -> bool:
    """Whether the state that a call puts back ``at`` a place is read after a seeding, and not before it: by
    the same block or object (``with restored():``)."""
    calls = next((each for each in STATE_CALLS.values() if restoring.name.endswith(each[-1])), None)
    if calls is None:
        return False
    read = _statements(code, restoring, calls[0], seeding)
    if id(at.statement) in read:
        return True
    # What one statement reads and puts back is its own.
    for own in read.keys() & _statements(code, restoring, calls[-1], seeding).keys():
        del read[own]
    return bool(read) and all(_is_behind(point, seeding) for point in read.values())


def _statements(code: WorkerCode, restoring: Event, name: str, point: Point) -> dict[int, Point]:
    """The statements of a point's function that come to a call of a library, of a name."""
    named = f"{restoring.name.rpartition('.')[0]}.{name}"
    return {
        id(place.statement): place
        for event in code.each_way(each for each in code.events if each.name == named)
        for place in event.places()
        if place.frame.scope is point.frame.scope
    }


def _is_come_to_again(event: Event) -> bool:
    """Whether a function on the way to a call has called itself: an item that asks for another."""
    functions: set[int] = set()
    link: Link | None = event.link
    while link is not None:
        if link.function is not None:
            if id(link.function.node) in functions:
                return True
            functions.add(id(link.function.node))
        link = link.above
    return False


def _is_around(point: Point, inside: Point) -> bool:
    """Whether a place is the ``with`` that another of the same function stands in."""
    return isinstance(point.statement, ast.With) and any(
        place.owner is point.statement for place in places_around(inside)
    )


def _is_behind(point: Point, before: Point) -> bool:
    """Whether control comes to a place after another of the same function, whatever branch that stands in:
    it is in the ``finally`` of its ``try``, or behind it or what it is part of."""
    for place in places_around(before):
        later = [*place.block[place.at + 1 :], *getattr(place.owner, "finalbody", ())]
        if any(statement is point.statement for statement in later):
            return True
    return False


def _keeps(program: Program, manager: ast.expr, point: Point, world: World, libraries: str) -> bool:
    program.evaluator.start()
    return any(
        isinstance(value, External) and libraries in KEEPS_STATE.get(value.name, "")
        for value, _ in program.evaluator.values(manager, point, world)
    )


def _mode(event: Event) -> str | None:
    """The test on the way to a call that asks for the part of the data, or what the program does with it:
    ``self.split == "test"``. An evaluation may well be the same each time."""
    for point in event.places():
        for test, outcome, _ in tests_around(point):
            if _MODE.search(ast.unparse(test)) and not _is_training(test, outcome):
                return f"{brief(test)} is {outcome}"
    return None


def _is_for_evaluation(event: Event) -> bool:
    """Whether a test on the way to a call lets evaluations through, and nothing else."""
    return any(
        _MODE.search(ast.unparse(test)) and _part_of(test, outcome) == "evaluation"
        for point in event.places()
        for test, outcome, _ in tests_around(point)
    )


def _is_training(test: ast.expr, outcome: bool) -> bool:
    """Whether a test's outcome is what training takes: ``self.is_test`` is False."""
    return _part_of(test, outcome) == "training"


def _part_of(test: ast.expr, outcome: bool) -> Literal["training", "evaluation"] | None:
    """What a test's outcome is taken by, as far as it says that."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, outcome = test.operand, not outcome
    if isinstance(test, ast.BoolOp):
        # Where all parts are so, one of them may tell: `self.mode == "train" and mask.sum() == 0`.
        parts = [_part_of(part, outcome) for part in test.values]
        told = {part for part in parts if part is not None}
        every = isinstance(test.op, ast.And) is outcome
        return told.pop() if len(told) == 1 and (every or None not in parts) else None
    match test:
        case ast.Compare(comparators=[ast.Constant(value=None | False | 0)]):
            return None
        case ast.Compare(ops=[ast.NotEq() | ast.IsNot() | ast.NotIn()]):
            outcome = not outcome
        case ast.Compare(ops=[ast.Eq() | ast.Is() | ast.In()]):
            pass
        case ast.Compare():
            return None
    words = ast.unparse(test)
    trains, evaluates = _TRAINS.search(words) is not None, _EVALUATES.search(words) is not None
    if trains == evaluates:
        return None
    return "training" if trains is outcome else "evaluation"


def _asked_for(program: Program, together: list[_Repeating]) -> str | None:
    """That the option is given without which none of these calls is come to."""
    found = [for_event(program, each.event) for each in together]
    return None if None in found else found[0]


def _found(program: Program, code: WorkerCode, together: list[_Repeating]) -> Found:
    """The finding for what one call seeds: of several libraries those that worker code draws from."""
    drawing = [each for each in together if _is_drawn(program, code, each.event)]
    # A way there that no test of the mode lets through alone tells more than the shortest.
    event, seeds, once = min(drawing or together, key=lambda each: _mode(each.event) is not None)
    point, call = place_of_seeding(event, code)
    is_own = call is event.node
    libraries = list(dict.fromkeys(SEEDS[each.event.name] for each in drawing or together))
    library = listed(libraries)
    kinds = frozenset().union(*(seed.kinds for seed in seeds))
    cure = "remove it"
    # Workers that divide what they shuffle must draw its order alike.
    apart = _of_stream(event) and speaks_of(DIVIDES, event.point.frame.scope)
    if kinds == {FIXED} or CLOCK in kinds:
        happens = f"every draw from {library} after it repeats"
        which = "the seed and the epoch" if apart else "the seed and the index"
        cure = f"{'' if apart else 'remove it, or '}draw from a local generator made from {which}"
    elif once and kinds <= {FIXED, WORKER}:
        happens = f"every epoch draws the same from {library} again, in new workers"
        cure = "remove it, or seed from get_worker_info().seed"
    elif kinds <= {FIXED, WORKER, TORCH}:
        happens = f"all items of a worker draw the same from {library}"
    else:
        draw = "draws" if len(libraries) == 1 else "draw"
        happens = f"{library} {draw} the same for the same seed in every epoch"
        cure = _LOCAL
    return Found(
        point.frame.module,
        call,
        f"{brief(call)} runs in worker code: {happens}",
        "silent",
        cure,
        both(
            executed(program, code),
            _asked_for(program, drawing or together),
            _mode(event),
            None if drawing else _undrawn(program, code, event),
        ),
        event.link.steps(event.name, event.module, event.node),
        Remedy("remove_reseed", "unsafe", _summary(event, once), {} if cure == _LOCAL else {"cure": cure})
        if is_own
        else None,
        by_hand=None if is_own else _by_hand(call, libraries[0], cure),
    )


def _libraries(event: Event) -> str:
    """The libraries whose state a call sets."""
    return SEEDS[event.name] if event.name in SEEDS else SETS_STATE[event.name][0]


def _found_state(program: Program, code: WorkerCode, event: Event) -> Found:
    """The finding for a state that is set again, at its call."""
    assert isinstance(event.node, ast.Call)
    return Found(
        event.module,
        event.node,
        f"{brief(event.node)} runs in worker code: every draw from {_libraries(event)} after it repeats",
        "silent",
        _TAKE_BACK,
        both(executed(program, code), for_event(program, event), _mode(event)),
        event.link.steps(event.name, event.module, event.node),
        by_hand=_TAKE_BACK,
    )


def _summary(event: Event, once: bool) -> str:
    """What the repair does: where the worker's number seeds once, and alone, its seed takes the place."""
    match event.node:
        case ast.Call(args=[ast.Attribute(value=ast.Name(id=info), attr="id")]) if (
            once and "info" in info.lower()
        ):
            return f"Seed from {info}.seed in place of {info}.id"
    return _SUMMARY


def _by_hand(call: ast.expr, library: str, cure: str) -> str:
    """What is to be done about a call of a function that seeds: where the seed is what each item is to draw
    by, only its draws can take it."""
    if cure != _LOCAL:
        return _TAKE_OUT
    seed = brief(call.args[0]) if isinstance(call, ast.Call) and call.args else "that seed"
    return f"hand {_GENERATORS.get(library, _GENERATORS['NumPy'])(seed)} to what draws, in place of this call"


def _undrawn(program: Program, code: WorkerCode, event: Event) -> str | None:
    """The condition for a state that worker code is not seen to draw from, where it draws from another that
    is seeded beside it."""
    beside = [
        each
        for each in code.events
        if each.name in SEEDS and each.point.frame.scope is event.point.frame.scope and each is not event
    ]
    may_be = any(may_draw(each.name, library) for each, library in _other_calls(code, event))
    if may_be or not any(_is_drawn(program, code, each) for each in beside):
        return None
    return f"worker code draws from {SEEDS[event.name]}"


def _is_drawn(program: Program, code: WorkerCode, event: Event) -> bool:
    """Whether worker code draws from a state that a call seeds."""
    return any(is_drawn_by(program.evaluator, each, library) for each, library in _other_calls(code, event))


def _other_calls(code: WorkerCode, event: Event) -> Iterator[tuple[Event, str]]:
    """The calls of worker code that seed nothing, each with every library whose state a call seeds."""
    libraries = _libraries(event).replace(" and ", ", ").split(", ")
    for each in code.events:
        if each.role != "worker_init_fn" and each.name not in SEEDS:
            yield from ((each, library) for library in libraries)
