"""Who makes or seeds a generator anew: ``worker_init_fn``, or the parent by a method, in each epoch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.fork.sides import after_fork, asks_for, functions_of, init_visits, names_of, renewed
from dlint.knowledge.augmentation.augmenters import renews
from dlint.knowledge.epochs import TELLS
from dlint.knowledge.randomness import BIT_GENERATORS, RESEEDS
from dlint.loaders.loaders import Loader, is_given, is_zero
from dlint.loaders.trainers import TrainerLoader
from dlint.program.program import Program
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, bare_name, functions_in, self_name
from dlint.values.frame import Arguments, Point, layout_of
from dlint.values.functions import function_body
from dlint.values.places import loops_that_repeat
from dlint.values.values import Const, External, Instance, Made, Value
from dlint.workers.events import Visit
from dlint.workers.uses import WorkerUse
from dlint.workers.worker_dataset import meant


def _renewed_by_call(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the loader's ``worker_init_fn`` seeds the generator again, or calls a method that makes or
    seeds it anew."""
    owner = _class_of(made)
    visits = init_visits(program, use)
    names = names_of(made)
    if any(_seeds_again(program, visit, names) or _seeds_it(program, use, visit, made) for visit in visits):
        return True
    if owner is None or not visits:
        return False
    methods = _renewing(owner, names)
    above = [
        function
        for instance in use.code.instances.values()
        for cls in program.evaluator.classes.line(instance.cls)
        for function in functions_in(cls.node.body)
    ]
    for _ in range(3):  # a method that calls one of them renews it, too
        methods |= {function.name for function in above if asks_for(function_body(function), methods)}
    return any(asks_for(function_body(visit.function.node), methods) for visit in visits)


def lacks_init(program: Program, loader: Loader, uses: list[WorkerUse]) -> bool:
    """Whether a loader has workers that matter and surely no worker_init_fn, for a dataset of some use. Where
    one is passed on a condition (`init_fn if seed is not None else None`), its author has thought of it; one
    that another caller passes does nothing for the caller who passes such a dataset, and none."""
    ways = [
        each
        for each in loader.ways("num_workers", "worker_init_fn", "shuffle")
        if not (is_zero(each[0]["num_workers"]) or _is_lone(each[0]))
    ]
    without = [each for each in ways if not is_given(each[0]["worker_init_fn"])]
    missing = [world for _, world in without]
    given = [world for way, world in ways if is_given(way["worker_init_fn"])]
    if not given or not missing:
        return bool(missing)
    alone = [each for each in without if all(map(each[1].is_of_other_caller, given))]
    asked = {(use.dataset.key, id(use.world)) for use in uses if use.dataset is not None}
    for way, world in loader.ways("dataset"):
        dataset = way["dataset"]
        own = all(map(world.is_of_other_caller, given))
        if dataset is None or (not own and _is_set_from_outside(program, dataset)):
            continue
        # What that caller has the dataset made with may be what another does not: `Slices(part)`. One that
        # reads in order what others shuffle and seed is an evaluation.
        for called, each in alone:
            there = world.joined(each) if world.is_together_with(each) else None
            if there is not None and (own or not _is_in_order(called)):
                like, as_seen = program.like(dataset, world if own else there)
                if (like.key, id(as_seen)) in asked:
                    return True
    return False


def _is_set_from_outside(program: Program, dataset: Value) -> bool:
    """Whether others may store in a dataset what only some callers have there."""
    return isinstance(dataset, Instance) and bool(program.evaluator.attributes.set_from_outside(dataset))


def _is_lone(way: dict[str, Value | None]) -> bool:
    """One worker that reads in order: an evaluation, which no other worker repeats and which may well draw
    the same numbers every time."""
    workers = way["num_workers"]
    return isinstance(workers, Const) and workers.value == 1 and _is_in_order(way)


def _is_in_order(way: dict[str, Value | None]) -> bool:
    shuffle = way["shuffle"]
    return isinstance(shuffle, Const) and shuffle.value is False


def renewed_by_parent(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether a loop of the parent calls a method that makes or seeds a generator of the dataset anew:
    ``dataset.set_epoch(epoch)``."""
    owner, evaluator = _class_of(made), program.evaluator
    methods = _renewing(owner, names_of(made)) if owner is not None else ()
    if not methods:
        return False
    if TELLS in methods and isinstance(use.loader, TrainerLoader):
        return True
    worker = functions_of(program, use)
    for instance in use.code.instances.values():
        for name in methods:
            for method in evaluator.classes.methods(instance, name):
                if id(method.node) in worker or isinstance(method.node, ast.Lambda):
                    continue
                frame = evaluator.calls.enter(method, Arguments(), None, None)
                for site in evaluator.sites.of(method.node, frame):
                    if id(site.point.frame.scope) not in worker and any(loops_that_repeat(site.point)):
                        return True
    return False


def _renewing(owner: ast.ClassDef, names: set[str]) -> set[str]:
    """The methods of a class that set what has one of these names, or seed it, after the constructor."""
    return {
        function.name
        for function in functions_in(owner.body)
        if function.name != "__init__" and (stores(function, names) or any(_seedings(function, names)))
    }


def stores(function: FunctionNode | ast.Lambda, names: set[str], *, of_others_only: bool = False) -> bool:
    """Whether a function sets an attribute of one of these names, be it only one of other objects than its
    own."""
    own = self_name(function) if of_others_only else None
    holders = [path.rpartition(".")[::2] for path in layout_of(function).binds]
    return any(holder and holder != own and name in names for holder, name in holders)


def _class_of(made: Made) -> ast.ClassDef | None:
    """The class whose method, or whose body, makes a generator."""
    frame = made.point.frame
    if isinstance(frame.scope, ast.ClassDef):
        return frame.scope
    return frame.owner.node if frame.owner is not None else None


def _seeds_again(program: Program, visit: Visit, names: set[str]) -> bool:
    """Whether a function seeds what goes by one of these names: ``self.random.seed(...)``, where
    ``np.random.seed(...)`` seeds a library."""
    at = Point(visit.frame, None)
    return any(
        not values or any(not isinstance(value, External) or value.owner is not None for value in values)
        for held in _seedings(visit.function.node, names)
        for values in [[value for value, _ in program.evaluator.values(held, at, visit.world)]]
    )


def _seeds_it(program: Program, use: WorkerUse, visit: Visit, made: Made) -> bool:
    """Whether a function seeds a very generator by way of the worker's dataset, wherever that was made:
    ``get_worker_info().dataset.transform.set_random_seed(...)``."""
    at = Point(visit.frame, None)
    return any(
        value.key == made.key
        for held in _seedings(visit.function.node, None)
        for holder, _ in program.evaluator.values(held, at, visit.world)
        for value in meant(program.evaluator, use, holder) or ()
    )


def _seedings(function: ast.AST, names: set[str] | None) -> Iterator[ast.expr]:
    """What a function calls a method of that seeds, or sets the state of, where it goes by one of these names
    (None: by any). With a number that is written out, each worker and each epoch begins alike again."""
    alike = {id(node.func) for node in walk(function) if isinstance(node, ast.Call) and _is_same_seed(node)}
    for node in walk(function):
        held: ast.expr | None = restored_by(node)
        if isinstance(node, ast.Attribute) and (
            (node.attr in RESEEDS and id(node) not in alike) or renews(node.attr)
        ):
            held = node.value
        if held is not None and (names is None or bare_name(held) in names):
            yield held


def _is_same_seed(call: ast.Call) -> bool:
    match call:
        case (
            ast.Call(args=[ast.Constant(value=seed)], keywords=[])
            | ast.Call(args=[], keywords=[ast.keyword(arg=str(), value=ast.Constant(value=seed))])
        ):
            return seed is not None
    return False


def restored_by(node: ast.AST) -> ast.expr | None:
    """The generator whose state is set where a place is assigned to: ``rng.bit_generator.state``."""
    match node:
        case ast.Attribute(value=ast.Attribute(value=held, attr=name), attr="state", ctx=ast.Store()):
            return held if name in BIT_GENERATORS else None
    return None


def is_renewed(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the workers of a use get another generator where they start, whoever has the loader made."""
    if not (renewed(program, use, made) or _renewed_by_call(program, use, made)):
        return False
    if use.loader is None or after_fork(program, use):  # which serves every loader
        return True
    return not lacks_init(program, use.loader, [use])
