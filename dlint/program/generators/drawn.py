"""The generators that worker code draws from, and that its workers did not make."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.fork.early.per_process import is_for_one_process
from dlint.fork.sides import made_in_parent, names_of
from dlint.knowledge.augmentation import albumentations
from dlint.knowledge.augmentation.augmenters import draws_from_augmenter, is_augmenter, renews
from dlint.knowledge.randomness import GENERATORS, RESEEDS, draws_from_generator
from dlint.program.generators.first_use import is_asked_for, is_kept_from_first, is_made_if_absent
from dlint.program.generators.renewals import restored_by, stores
from dlint.program.program import Program
from dlint.randomness.augmenters import draws_numbers
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, bare_name, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.values import Instance, Key, Made, Value
from dlint.workers.events import Event, Visit
from dlint.workers.repetition import is_only_where_none
from dlint.workers.worker import WorkerCode

_KEYWORDS = ("generator", "rng", "random_state")


def draws_of(program: Program, code: WorkerCode) -> Iterator[tuple[Event, Made, bool]]:
    """The draws from generators that the workers did not make, or (True) that are made at the first use,
    wherever that is, or at that of each process."""
    events = [event for event in code.events if event.role != "worker_init_fn" and _may_draw(event)]
    if not events:
        return
    worker = frozenset(id(visit.function.node) for visit in code.visits)
    stored: dict[Key, bool] = {}
    reseeding: dict[Key, set[int]] = {}
    for event in code.events:
        if event.owner is not None and _reseeds(event):
            reseeding.setdefault(event.owner.key, set()).add(id(event.point.frame.scope))
    restored = {value.key for visit in code.visits for value in _restored(program, visit)}
    keepers: list[Visit] | None = None
    for event in events:
        for made in _generators(program, event):
            if keepers is None:
                keepers = [visit for visit in code.visits if _kept_by_key(visit)]
            if any(_is_of_keeper(program, visit, event, made) for visit in keepers):
                continue
            first = is_kept_from_first(made)
            # What makes it may seed it there and then.
            again = reseeding.get(made.key, set()) - ({id(made.point.frame.scope)} if first else set())
            if again or made.key in restored:
                continue
            if not made_in_parent(program, made, worker):
                if is_augmenter(made.name) or first or is_made_if_absent(made) or is_asked_for(code, made):
                    yield event, made, True
            else:
                if made.key not in stored:
                    stored[made.key] = _stored_in_worker(code, made)
                if not stored[made.key]:
                    yield event, made, False
                elif is_made_if_absent(made) and _keeps_what_is_there(code, made):
                    yield event, made, True


def _may_draw(event: Event) -> bool:
    method = event.name.rpartition(".")[2]
    if event.owner is not None and (
        is_augmenter(event.owner.name) or albumentations.is_transform(event.owner.name)
    ):
        return draws_from_augmenter(method)
    return draws_from_generator(method)


def _reseeds(event: Event) -> bool:
    method = event.name.rpartition(".")[2]
    if event.owner is not None and (
        is_augmenter(event.owner.name) or albumentations.is_transform(event.owner.name)
    ):
        return renews(method)
    return method in RESEEDS


def _restored(program: Program, visit: Visit) -> Iterator[Value]:
    """What worker code sets the state of."""
    node = visit.function.node
    if isinstance(node, ast.Lambda) or "bit_generator" not in visit.function.module.text_of(node):
        return
    for statement in statements_in(node.body):
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            held = restored_by(target)
            if held is not None:
                values = program.evaluator.values(held, Point(visit.frame, statement), visit.world)
                yield from (value for value, _ in values)


def _generators(program: Program, event: Event) -> list[Made]:
    """The generator objects that a call draws from: its receiver, or what it is handed as ``generator``."""
    found = []
    if event.owner is not None and (
        event.owner.name in GENERATORS or draws_numbers(program.evaluator, event.owner)
    ):
        found.append(event.owner)
    if isinstance(event.node, ast.Call) and (event.owner is None or event.owner.name not in GENERATORS):
        for keyword in event.node.keywords:
            if keyword.arg in _KEYWORDS:
                for value, _ in program.evaluator.values(keyword.value, event.point, event.world):
                    if isinstance(value, Made) and value.name in GENERATORS:
                        found.append(value)
    return found


def _stored_in_worker(code: WorkerCode, made: Made) -> bool:
    """Whether worker code itself sets what holds the generator, as where that has a key for each worker."""
    names = names_of(made)
    return any(
        visit.role != "worker_init_fn"
        and getattr(visit.function.node, "name", "") != "__init__"
        and (
            stores(visit.function.node, names, of_others_only=_is_of_another(visit, made))
            or (isinstance(made.point.frame.scope, ast.Module) and _keeps_by_key(visit.function.node, names))
        )
        for visit in code.visits
    )


def _keeps_what_is_there(code: WorkerCode, made: Made) -> bool:
    """Whether worker code sets an attribute only where it holds no generator yet, in any process."""
    names = names_of(made)
    storing = [
        (visit, statement)
        for visit in code.visits
        if isinstance(visit.function.node, FunctionNode)
        for statement in statements_in(visit.function.node.body)
        if any("." in path and path.rpartition(".")[2] in names for path in own_names(statement))
    ]
    return bool(storing) and all(
        is_only_where_none(statement, Point(visit.frame, statement)) and not is_for_one_process([visit])
        for visit, statement in storing
    )


def _keeps_by_key(function: FunctionNode | ast.Lambda, names: set[str]) -> bool:
    """Whether a function stores into a dict of the module under a key that it finds: ``RNGS[pid] = ...``."""
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        and not isinstance(node.slice, ast.Constant)
        for node in walk(function)
    )


def _kept_by_key(visit: Visit) -> set[str]:
    """The attributes in which a function that looks at the process it is in keeps things under a key that it
    finds: ``self.rngs[worker.seed] = ...``."""
    function = visit.function.node
    if not is_for_one_process([visit]) or isinstance(function, ast.Lambda):
        return set()
    return {
        ast.unparse(node.value)
        for node in walk(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Attribute)
        and not isinstance(node.slice, ast.Constant)
    }


def _is_of_keeper(program: Program, visit: Visit, event: Event, made: Made) -> bool:
    """Whether a draw is from what such a function gives, and a generator, wherever it was made, is only what
    it found there: it gives workers others."""
    function, scope = visit.function.node, event.point.frame.scope
    if isinstance(function, ast.Lambda):
        return False
    if scope is not function and not _says(scope, function.name):
        return False
    held = _kept_by_key(visit)
    for statement in statements_in(function.body):
        for node in walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                at = Point(visit.frame, statement)
                if ast.unparse(node.value) in held and any(
                    value.key == made.key for value, _ in program.evaluator.values(node, at, visit.world)
                ):
                    return True
    return False


def _says(scope: ast.AST, name: str) -> bool:
    return any(bare_name(node) == name for node in walk(scope))


def _is_of_another(visit: Visit, made: Made) -> bool:
    """Whether a method's own object is of another class than the one whose method makes a generator."""
    receiver, maker = visit.function.receiver, made.point.frame.receiver
    if not (isinstance(receiver, Instance) and isinstance(maker, Instance)):
        return False
    return receiver.cls.node is not maker.cls.node
