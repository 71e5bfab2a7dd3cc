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
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dlint.finding import Remedy
from dlint.fork.sides import made_in_parent, worker_functions
from dlint.fork.start_method import surely_starts_anew
from dlint.knowledge.iterables import DIVIDES
from dlint.knowledge.randomness import SEEDS, SETS_STATE, may_draw, sounds_changing
from dlint.program.asked import for_event
from dlint.program.conditions import both, executed
from dlint.program.modes import is_for_evaluation, mode_of
from dlint.program.program import Program
from dlint.randomness.put_back import is_kept, is_put_back_after, is_put_back_by, libraries_of
from dlint.randomness.reseeds import is_for_first, is_once_a_pass, place_of_seeding
from dlint.randomness.seeds.seed import CLOCK, FIXED, NEW, TORCH, UNKNOWN, WORKER, Seed
from dlint.randomness.seeds.seeds import seeds_of
from dlint.randomness.torchvision_draws import is_drawn_by
from dlint.rules.rule import Found
from dlint.rules.wording import brief, listed
from dlint.source.nodes import speaks_of, walk
from dlint.source.statements import given_in
from dlint.values.places import tests_around
from dlint.values.values import Made
from dlint.workers.events import Event
from dlint.workers.sharing import by_code
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

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
    if _once(event) or is_kept(event):
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
    if all(UNKNOWN in seed.kinds for seed in seeds) and is_for_evaluation(event):
        return None
    if (
        is_kept(event)
        or is_put_back_after(program.evaluator, event)
        or is_put_back_by(program.evaluator, code, event)
    ):
        return None
    return _Repeating(event, seeds, once)


def _names_in(call: ast.Call) -> Iterator[str]:
    for argument in given_in(call):
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


def _mode(event: Event) -> str | None:
    """The condition of a call that a test of the mode lets through."""
    told = mode_of(event)
    return f"{brief(told[0])} is {told[1]}" if told is not None else None


def _asked_for(program: Program, together: list[_Repeating]) -> str | None:
    """That the option is given without which none of these calls is come to."""
    found = [for_event(program, each.event) for each in together]
    return None if None in found else found[0]


def _found(program: Program, code: WorkerCode, together: list[_Repeating]) -> Found:
    """The finding for what one call seeds: of several libraries those that worker code draws from."""
    drawing = [each for each in together if _is_drawn(program, code, each.event)]
    # A way there that no test of the mode lets through alone tells more than the shortest.
    event, seeds, once = min(drawing or together, key=lambda each: mode_of(each.event) is not None)
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
        event.reach(),
        Remedy("remove_reseed", "unsafe", _summary(event, once), {} if cure == _LOCAL else {"cure": cure})
        if is_own
        else None,
        by_hand=None if is_own else _by_hand(call, libraries[0], cure),
    )


def _found_state(program: Program, code: WorkerCode, event: Event) -> Found:
    """The finding for a state that is set again, at its call."""
    assert isinstance(event.node, ast.Call)
    return Found(
        event.module,
        event.node,
        f"{brief(event.node)} runs in worker code: every draw from {libraries_of(event)} after it repeats",
        "silent",
        _TAKE_BACK,
        both(executed(program, code), for_event(program, event), _mode(event)),
        event.reach(),
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
    libraries = libraries_of(event).replace(" and ", ", ").split(", ")
    for each in code.events:
        if each.role != "worker_init_fn" and each.name not in SEEDS:
            yield from ((each, library) for library in libraries)
