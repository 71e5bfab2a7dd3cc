"""Workers shuffle a list each in its own way, and then take their shares of it.

## What it finds

In the `__iter__` of an `IterableDataset`, or what it calls, a list that is shuffled with the global random
numbers of `random`, NumPy or torch (`random.shuffle(self.files)`, `order = torch.randperm(n)`,
`sorted(self.files, key=lambda _: random.random())`, or a list that has no name: `return
random.sample(self.files, len(self.files))`), and after that divided by the number of the worker:
`self.files[info.id :: info.num_workers]`, `islice`, a loop that takes one of so many (it may count them
itself: `seen += 1`), or the files from one number to another; also where a function or method that gets the
list divides it (`self.my_part(self.files)`), be it what another leaves (`by_worker(by_rank(files))`), or
where the function or generator that shuffles hands the list on, and its caller divides that
(`islice(self.shuffled(), info.id, None, info.num_workers)`), be that a property, or the `__iter__` of an
object that is gone through (`islice(self.shards, info.id, None, info.num_workers)`). So is what is put in the
order of shuffled numbers (`[self.files[i] for i in order]`), a piece of what is cut up
(`np.array_split(files, n)[info.id]`), what a method shuffles in its object (`self.mix()`), the rows of a
table (`table.sample(frac=1).iloc[info.id :: info.num_workers]`), and what a generator shuffles that each
worker makes of a seed of its own, or of none (`random.Random(self.seed + info.id)`). Also a list that one
worker shuffles alone, with whatever generator (`if info.id == 0: rng.shuffle(files)`), and one that a
`worker_init_fn` shuffles in its worker's dataset (`random.shuffle(get_worker_info().dataset.files)`).

Also a pipeline of webdataset that shuffles its shards before it divides them
(`wds.DataPipeline(wds.SimpleShardList(urls), wds.shuffle(100), wds.split_by_worker, ...)`), or whose first
stage is a dataset of yours that does. `wds.shuffle` has a generator of its own in each worker, made of the
number of its process and the time, unless it is given one (`rng=`, `seed=`); `wds.detshuffle` has the same in
all of them. Only stages are told that are all known, in one order, up to the dividing.

Not reported: other shuffles with a generator of their own, which may be seeded alike; one after the list was
divided, of the worker's own part; one that runs only where there is one worker (`if info.num_workers == 1:`),
or after which the list is sorted; a generator that shuffles anew without end (`while True:`), of which no
item is lost for good; libraries that worker code seeds alike (with the epoch, say), or with what dlint does
not know; loaders with one worker; NumPy before torch 1.9, whose workers all shuffle in the same way.

## Why is this bad

torch seeds every worker with a number of its own, so each has the list in an order of its own. Shares of
unlike orders do not fit together: some things are in two shares, others in none. As measured with four
workers: of 1,000 items an epoch gives 669 to 701 (676 to 694 where `islice` divides a generator that
shuffles, all or 50 at a time), some of them up to four times. The next epoch leaves out
others. webdataset (1.0) gives 671 to 679 of 1,000 shards where it shuffles them first, and all where it
divides them first. Nothing warns, and the number of items is right; an evaluation is wrong.

## Example

```python
class Shards(IterableDataset):
    def __iter__(self):
        random.shuffle(self.files)
        info = get_worker_info()
        for file in self.files[info.id :: info.num_workers]:
            yield from read(file)
```

Use instead:

```python
class Shards(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        files = sorted(self.files)
        random.Random(info.seed - info.id).shuffle(files)
        for file in files[info.id :: info.num_workers]:
            yield from read(file)
```

`info.seed - info.id` is the same number in all workers, and another one in each epoch, as long as the workers
are made anew for it; in several ranks it is the same only where torch is seeded alike in them. Where one
worker shuffles alone (`if info.id == 0:`), no generator helps: all must shuffle. Or divide first and shuffle
each share, where the shares may stay the same.

## Level

- `error`, silent: items are lost, and others come again.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

No remedy: whether the files may stay with one worker, or go to another in each epoch, is the author's choice.

## References

- https://pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
- https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from dlint.knowledge.iterables import PIPELINE, RANKS
from dlint.knowledge.loading import is_iterable_dataset
from dlint.knowledge.randomness import (
    GENERATORS,
    GIVEN_STATE,
    SEEDS,
    SHUFFLES_ANEW,
    SHUFFLES_IN_PLACE,
    STATE_CALLS,
    draws_from,
    shuffles_unless_told,
)
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.asked import for_events, for_made
from dlint.program.conditions import both, loaded
from dlint.program.program import Program
from dlint.randomness.seed import FRESH, TORCH, WORKER
from dlint.randomness.seeds import seeds_of
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.source.nodes import speaks_of
from dlint.source.statements import FunctionNode, dotted, parameters, self_name, statements_in
from dlint.streams.orders import is_what
from dlint.streams.shares import UNTOLD, Part, Shares, Told
from dlint.streams.sources.staged import shuffled_shares
from dlint.values.frame import Frame, Point
from dlint.values.functions import passed
from dlint.values.places import loops_around, path_to
from dlint.values.values import Const, Function, Instance, Made, Value
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.sharing import nearest
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode
from dlint.workers.worker_dataset import meant

# From here on workers have other numbers of NumPy than their parent and each other.
_SEEDS_NUMPY = (1, 9)
# The methods of generators that put things in an order.
_BY_GENERATOR = frozenset({"permutation", "sample", "shuffle"})
# What gives generators their seeds.
_SEEDED = frozenset(
    {
        *("numpy.random.RandomState", "numpy.random.RandomState().seed", "numpy.random.default_rng"),
        *("random.Random", "random.Random().seed", "torch.Generator().manual_seed", "torch.Generator().seed"),
    }
)
# What gives the same whatever order it is handed.
_UNORDERS = frozenset(
    {"len", "max", "min", "natsorted", "set", "sort", "sort_index", "sort_values", "sorted", "sum"}
)
_LONGEST = 24  # characters of the list in the message
# What functions do with the worker's number, by their id and what is kept of that in their objects.
_Known: TypeAlias = dict[tuple[int, Told], Shares]


def check(program: Program) -> Iterator[Found]:
    """Lists that every worker of a stream shuffles for itself and then divides."""
    if program.modules.index.mentioning(PIPELINE.rpartition(".")[2]):
        yield from _in_pipelines(program)
    if not program.modules.index.mentioning("get_worker_info"):
        return
    shares: _Known = {}
    for use in program.uses:
        if use.dataset is None or not _is_stream(program, use):
            continue
        if use.loader is not None and not _has_several(use.loader):
            continue
        yield from _by_init(program, use, shares)
        for drawn in nearest(use.code.events):
            event, library = _shuffling(drawn)
            function, statement = event.point.frame.scope, event.point.statement
            if not (library or _by_own_state(event)):
                continue
            if statement is None or not isinstance(function, FunctionNode):
                continue
            whole = _ordered(event, statement)
            if whole is None:
                continue
            own = _of(program, shares, use.code, event.point.frame)
            name: str | ast.expr | None = whole if isinstance(whole, ast.Call) else dotted(whole)
            if name is None or own.is_of_lone(event.point):
                continue
            if isinstance(name, str) and own.is_one(name, event.node):
                if event.name in SHUFFLES_IN_PLACE or not isinstance(event.node, ast.expr):
                    continue
                name = whole = event.node  # a part of what it gives has the name
            if not _is_divided(program, shares, use.code, name, event.point) and not (
                own.hands_on(name, event.point)
                and _is_divided_by_caller(program, use.code, event, drawn, shares)
            ):
                left = own.leaves(name, event.point) if isinstance(name, str) else None
                if left is None or not _is_divided_later(program, use.code, event, drawn, left, shares):
                    continue
            unlike = (
                _differs(program, use, library)
                if library is not None
                else _is_unlike(program, use.code, event)
            )
            if own.is_of_one(event.point) or unlike:
                ranks = _is_of_ranks(program, own, name, event.point)
                found = _found(event, whole, own.is_of_some(event.point), ranks, use.loader)
                yield found._replace(condition=loaded(program, use, drawn))


def _by_init(program: Program, use: WorkerUse, shares: _Known) -> Iterator[Found]:
    """Lists of a stream that a ``worker_init_fn`` shuffles in the worker's copy of it, which that divides:
    ``random.shuffle(get_worker_info().dataset.files)``."""
    if use.beside is None or use.loader is None or not isinstance(use.dataset, Instance):
        return
    for event in nearest(use.beside.events):
        function, statement = event.point.frame.scope, event.point.statement
        library = SHUFFLES_IN_PLACE.get(event.name)
        if event.role != "worker_init_fn" or not (library or _by_own_state(event) == "shuffle"):
            continue
        if statement is None or not isinstance(function, FunctionNode) or not _is_only_init(program, use):
            continue
        match _ordered(event, statement):
            case ast.Attribute(value=holder, attr=name) as whole if dotted(whole) is not None:
                pass
            case _:
                continue
        program.evaluator.start()
        held = [value for value, _ in program.evaluator.values(holder, event.point, event.world)]
        own = _of(program, shares, use.beside, event.point.frame)
        if own.is_of_lone(event.point) or own.orders_again(dotted(whole) or "", event.point):
            continue
        if not held or not all(_is_dataset(program, use, each) for each in held):
            continue
        unlike = (
            _differs(program, use, library) if library is not None else _is_unlike(program, use.beside, event)
        )
        if (own.is_of_one(event.point) or unlike) and _is_divided_of(program, use, name, shares):
            ranks = _is_of_ranks(program, own, dotted(whole) or "", event.point)
            found = _found(event, whole, own.is_of_some(event.point), ranks, use.loader)
            yield found._replace(condition=both(loaded(program, use), for_events(program, use.beside, event)))


def _is_only_init(program: Program, use: WorkerUse) -> bool:
    """Whether a use's workers may run the one ``worker_init_fn`` that their loader has."""
    if use.loader is None or use.dataset is None:
        return False
    inits = {value.key for value in use.loader.values("worker_init_fn") if value and _is_given(value)}
    return len(inits) == 1 and any(
        value is not None
        and _is_given(way["worker_init_fn"])
        and use.dataset.key in (value.key, program.like(value, world)[0].key)
        for way, world in use.loader.ways("dataset", "worker_init_fn")
        for value in [way["dataset"]]
    )


def _is_given(value: Value | None) -> bool:
    return value is not None and not (isinstance(value, Const) and value.value is None)


def _is_dataset(program: Program, use: WorkerUse, value: Value) -> bool:
    """Whether something is the dataset of a use, as a worker has it."""
    if isinstance(value, Instance) and isinstance(use.dataset, Instance):
        return value.cls.node is use.dataset.cls.node
    return any(each is use.dataset for each in meant(program.evaluator, use, value) or ())


def _is_divided_of(program: Program, use: WorkerUse, name: str, shares: _Known) -> bool:
    """Whether the methods of a dataset that workers execute take the worker's part of an attribute, as it
    came to them in its order."""
    divided = False
    for visit in use.code.visits:
        function, receiver = visit.function.node, visit.frame.receiver
        if not isinstance(function, FunctionNode) or not isinstance(receiver, Instance):
            continue
        if not isinstance(use.dataset, Instance) or receiver.cls.node is not use.dataset.cls.node:
            continue
        own, start = _of(program, shares, use.code, visit.frame), Point(visit.frame, None)
        whole = f"{self_name(function)}.{name}"
        if own.orders_again(whole, start):
            return False
        divided = divided or _is_divided(program, shares, use.code, whole, start)
    return divided


def _in_pipelines(program: Program) -> Iterator[Found]:
    """The same of stages of webdataset's pipelines."""
    for use in program.uses:
        loader = use.loader
        if use.dataset is None or loader is None or not _has_several(loader):
            continue
        for each in shuffled_shares(program.evaluator, use.dataset, use.world):
            cure = f"put {each.divide} before {each.shuffle}"
            if "__iter__" in each.shuffle:
                cure = f"shuffle after {each.divide}, or with a generator that all workers seed alike"
            yield Found(
                each.module,
                each.node,
                "each worker takes its share of the shards in an order of its own: some items come twice, "
                "others never",
                "silent",
                f"{cure} (loader at {loader.module.relative}:{loader.call.lineno})",
                both(loaded(program, use), for_made(program, each.made) if each.made is not None else None),
                by_hand=cure,
            )


def _of(program: Program, shares: _Known, code: WorkerCode, frame: Frame) -> Shares:
    function = frame.scope
    assert isinstance(function, FunctionNode)
    kept = _kept(code, function, frame.receiver)
    mark = (id(function), kept)
    if mark not in shares:
        shares[mark] = Shares(function, kept, _given(program, function, frame))
    return shares[mark]


def _kept(code: WorkerCode, function: FunctionNode, receiver: Value | None) -> Told:
    """What the methods of a method's object that workers execute keep in it of the worker that they run in:
    ``self.worker_id = info.id``."""
    found = UNTOLD
    if isinstance(receiver, Instance):
        for visit in code.visits:
            other, node = visit.function.receiver, visit.function.node
            if (
                isinstance(node, FunctionNode)
                and node is not function
                and isinstance(other, Instance)
                and other.cls.node is receiver.cls.node
                and "get_worker_info" in visit.function.module.text_of(node)
            ):
                found = found.joined(Shares(node).kept(self_name(function)))
    return found


def _given(program: Program, function: FunctionNode, frame: Frame) -> dict[int, list[Part]]:
    """What a function gets of the worker from other functions of the project: ``me, of = my_slot()``."""
    found: dict[int, list[Part]] = {}
    for statement in statements_in(function.body):
        match statement:
            case ast.Assign(value=ast.Call() as call):
                program.evaluator.start()
                called = [v for v, _ in program.evaluator.values(call.func, Point(frame, statement))]
                nodes = [each.node for each in called if isinstance(each, Function)]
                if len(called) == len(nodes) == 1 and isinstance(nodes[0], FunctionNode):
                    found[id(call)] = Shares(nodes[0]).results()
    return found


def _is_divided(
    program: Program, shares: _Known, code: WorkerCode, whole: str | ast.expr, point: Point
) -> bool:
    """Whether the worker's part is taken of what a call gives, or a name stands for after a statement: there,
    or by a function of the project that gets it."""
    if any(isinstance(loop, ast.While) for loop in loops_around(point)):
        return False  # what this round leaves out, the next may give
    own = _of(program, shares, code, point.frame)
    if own.taken_of(whole, point) if isinstance(whole, str) else own.takes_of(whole):
        return True
    for statement, call in own.calls_with(whole, point):
        at = Point(point.frame, statement)
        if own.is_of_lone(at):
            continue
        program.evaluator.start()
        called = [value for value, _ in program.evaluator.values(call.func, at)]
        if called and all(_takes(code, own, whole, function, call) for function in called):
            return True
        # What takes the share of a rank, or a copy, leaves the order to whoever takes the worker's of it.
        name = own.name_of(call, at)
        through = bool(called) and all(_hands_through(whole, function, call) for function in called)
        if through and (
            _is_divided(program, shares, code, call, at)
            or (
                name is not None
                and not own.is_one(name, call)
                and _is_divided(program, shares, code, name, at)
            )
        ):
            return True
    for statement, made in own.in_order_of(whole, point):
        at = Point(point.frame, statement)
        if not own.is_of_lone(at) and _is_divided(program, shares, code, made, at):
            return True
    return False


def _hands_through(whole: str | ast.expr, function: Value, call: ast.Call) -> bool:
    """Whether a function gives back what a call gives it, or a slice of it, in its order."""
    if not isinstance(function, Function) or not isinstance(function.node, FunctionNode):
        return False
    names = [name for name, each in passed(function, call).items() if is_what(each, whole)]
    return any(Shares(function.node).gives_back(name) for name in names)


def _takes(code: WorkerCode, own: Shares, whole: str | ast.expr, function: Value, call: ast.Call) -> bool:
    """Whether a function takes the worker's part of what a call gives it."""
    if not isinstance(function, Function) or not isinstance(function.node, FunctionNode):
        return False
    given = passed(function, call)
    kept = _kept(code, function.node, function.receiver)
    inside = Shares(function.node, own.telling(given).joined(kept))
    names = [name for name, each in given.items() if is_what(each, whole)]
    if function.receiver is not None and isinstance(call.func, ast.Attribute) and isinstance(whole, str):
        on = dotted(call.func.value)
        if on is not None and whole.startswith(f"{on}."):
            names += [f"{each.arg}{whole[len(on) :]}" for each in parameters(function.node)[:1]]
    return any(inside.taken_of(name, None) for name in names)


def _is_divided_by_caller(
    program: Program, code: WorkerCode, event: Event, drawn: Event, shares: _Known
) -> bool:
    """Whether who calls the function of an event, or goes through its object, takes the worker's part of what
    that gives, or hands it on to one who does: ``islice(self.shuffled(), info.id, None, info.num_workers)``;
    but of one that begins again without end."""
    if any(isinstance(loop, ast.While) for loop in loops_around(event.point)):
        return False
    links = [each.link for each in code.each_way([drawn])]
    # What draws the keys of a sorting is called by that.
    links = links if drawn is event else [each.above for each in links if each.above is not None]
    return any(_is_divided_above(program, code, each, shares) for each in links)


def _is_divided_later(
    program: Program, code: WorkerCode, event: Event, drawn: Event, name: str, shares: _Known
) -> bool:
    """Whether who calls the method of an event takes the worker's part of what that leaves in an attribute of
    its object: ``self.shuffle()``, and then ``self.files[info.id :: info.num_workers]``."""
    if any(isinstance(loop, ast.While) for loop in loops_around(event.point)):
        return False
    for link in (each.link for each in code.each_way([drawn])):
        above = link if drawn is event else link.above
        if above is None or above.caller is None:
            continue
        match above.site:
            case ast.Call(func=ast.Attribute(value=holder)) if (
                isinstance(above.caller.frame.scope, FunctionNode) and dotted(holder) is not None
            ):
                own, whole = _of(program, shares, code, above.caller.frame), f"{dotted(holder)}.{name}"
                if own.is_of_lone(above.caller) or own.is_one(whole, above.site):
                    continue
                if _is_divided(program, shares, code, whole, above.caller):
                    return True
    return False


def _is_divided_above(program: Program, code: WorkerCode, link: Link | None, shares: _Known) -> bool:
    """Whether one of those along a chain of calls takes the worker's part of what it gets by the call that
    leads on, and the others hand that on as it is."""
    while link is not None and isinstance(link.site, ast.expr) and link.caller is not None:
        point, given = link.caller, link.site
        if not isinstance(point.frame.scope, FunctionNode):
            return False
        own = _of(program, shares, code, point.frame)
        if own.is_of_lone(point):
            return False
        name = own.name_of(given, point)
        if name is not None and own.is_one(name, given):
            name = None
        wholes: list[str | ast.expr] = [given] if name is None else [given, name]
        if any(_is_divided(program, shares, code, whole, point) for whole in wholes):
            return True
        begins_again = any(isinstance(loop, ast.While) for loop in loops_around(point))
        if begins_again or not any(own.hands_on(whole, point) for whole in wholes):
            return False
        link = link.above
    return False


def _is_stream(program: Program, use: WorkerUse) -> bool:
    classes = program.evaluator.classes
    return any(
        is_iterable_dataset(library)
        for instance in use.code.instances.values()
        for library in classes.libraries(instance.cls)
    )


def _has_several(loader: Loader) -> bool:
    """Whether a loader may have two workers or more."""
    return any(
        value is not None and not is_zero(value) and not (isinstance(value, Const) and value.value == 1)
        for value in loader.values("num_workers")
    )


def _shuffling(event: Event) -> tuple[Event, str | None]:
    """A call that puts things in an order of chance, and whose numbers it draws: one that draws the key by
    which things are sorted stands for the sorting (``files.sort(key=lambda _: random.random())``)."""
    if _given_generator(event) is not None:
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


def _by_own_state(event: Event) -> str | None:
    """The method by which a generator puts things in an order of chance: ``random.Random(0).shuffle(files)``,
    ``rng.permutation(n)``."""
    if _given_generator(event) is not None:
        return "permutation"
    made, (maker, _, method) = event.owner, event.name.rpartition(".")
    is_own = made is not None and made.name in GENERATORS and maker == f"{made.name}()"
    return method if is_own and method in _BY_GENERATOR else None


def _given_generator(event: Event) -> ast.expr | None:
    """The generator that torch is told to draw an order by: ``torch.randperm(n, generator=g)``."""
    given = event.node.keywords if isinstance(event.node, ast.Call) and event.name == "torch.randperm" else []
    return next((word.value for word in given if word.arg == "generator"), None)


def _is_unlike(program: Program, code: WorkerCode, event: Event) -> bool:
    """Whether a generator is one that worker code makes, of a seed that no two workers have: the number of
    the worker or torch's seed, or nothing at all; torch's own begin all alike, until they are told one."""
    given = _given_generator(event)
    program.evaluator.start()
    values: list[Value | None] = [event.owner]
    if given is not None:
        values = [value for value, _ in program.evaluator.values(given, event.point, event.world)]
    seeding = [
        each
        for value in values
        if isinstance(value, Made)
        for each in code.events
        if each.node is value.node or (each.owner is not None and each.owner.node is value.node)
        if each.name in _SEEDED
    ]
    return bool(seeding) and all(
        len(seed.kinds & {WORKER, TORCH, FRESH}) == 1
        for each in seeding
        for seed in seeds_of(program.evaluator, code, each)
    )


def _ordered(event: Event, statement: ast.stmt) -> ast.expr | None:
    """What a call puts in an order that chance decides, as it is named after that; the call where what that
    gives has no name."""
    call = event.node
    if not isinstance(call, ast.Call):
        return None
    method = _by_own_state(event)
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
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value in (
            *around,
            call,
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
    given = {word.arg: word.value for word in call.keywords}
    match given.get("frac"), call.args:
        case ast.Constant(value=1), []:
            return given.keys() <= {"frac", "axis", "ignore_index", "weights"}
    return False


def _differs(program: Program, use: WorkerUse, library: str) -> bool:
    """Whether workers surely have other random numbers than each other: as torch seeds them, and as what they
    execute does."""
    seeded = False
    for code in filter(None, (use.code, use.beside)):
        for event in code.events:
            if any(event.name.endswith(f".{name}") for name in STATE_CALLS[library]):
                return False
            if library in SEEDS.get(event.name, ""):
                seeded = True
                # The seed of torch less the worker's number is one that all workers have.
                if any(
                    len(seed.kinds & {WORKER, TORCH, FRESH}) != 1
                    for seed in seeds_of(program.evaluator, code, event)
                ):
                    return False
    return seeded or library != "NumPy" or not _is_older(program)


def _is_older(program: Program) -> bool:
    """Whether the project says that it runs on a torch whose workers all have the same numbers of NumPy."""
    said = program.releases.said_torch
    return said is not None and said < _SEEDS_NUMPY


def _is_of_ranks(program: Program, own: Shares, whole: str | ast.expr, point: Point) -> bool:
    """Whether a function, or one that gets what it has in order, speaks of ranks."""
    functions = [
        value.node
        for statement, call in own.calls_with(whole, point)
        for value, _ in program.evaluator.values(call.func, Point(point.frame, statement))
        if isinstance(value, Function)
    ]
    return any(speaks_of(RANKS, each) for each in (point.frame.scope, *functions))


def _cure(some: bool, ranks: bool, *, of_library: bool) -> str:
    alike = (
        "random_state=(info.seed - info.id) % 2**32" if of_library else "random.Random(info.seed - info.id)"
    )
    how = f"in all workers, with {alike}" if some else f"with {alike}, which is the same in all workers"
    if ranks:
        how += f"{'' if some else ' of a rank'} (and in all ranks only where torch is seeded alike there)"
    return f"shuffle {how}, or after dividing"


def _found(event: Event, whole: ast.expr, some: bool, ranks: bool, loader: Loader | None) -> Found:
    assert isinstance(event.node, ast.expr)
    listed = brief(whole, _LONGEST)
    happens = f"each worker takes its share of {listed} in an order of its own"
    if some:
        happens = f"not all workers shuffle {listed} before each takes its share"
    cure = _cure(some, ranks, of_library=shuffles_unless_told(event.name))
    where = f" (loader at {loader.module.relative}:{loader.call.lineno})" if loader else ""
    return Found(
        event.module,
        event.node,
        f"{happens}: some items come twice, others never",
        "silent",
        f"{cure}{where}",
        reach=event.link.steps(event.name, event.module, event.node),
        by_hand=cure,
    )
