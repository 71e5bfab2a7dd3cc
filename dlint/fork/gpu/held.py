"""What workers have of the parent's that is on the GPU: in attributes, in globals, in torch's datasets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dlint.calls.parameters.written import written
from dlint.fork.gpu.moves import Put, is_brought_back, may_come_back
from dlint.fork.gpu.networks import is_a_network, uses_of_networks
from dlint.fork.gpu.own_methods import put_by_methods
from dlint.fork.gpu.placed import (
    is_empty_list,
    moved_between,
    moved_in_place,
    of_appended,
    put_of,
    where_put,
)
from dlint.fork.program import Program
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.shipped import attributes
from dlint.knowledge.processes.devices import LOADS_NETWORK, makes_tensor, needs_its_data, stays_there
from dlint.loaders.loaders import is_zero
from dlint.regex import regex
from dlint.source.nodes import children
from dlint.source.statements import FunctionNode, dotted, own_names, parameters, statements_in
from dlint.values.frame import Argument, Frame, Point
from dlint.values.functions import function_body
from dlint.values.places import tests_around
from dlint.values.values import External, Instance, Key, Made
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.source.module import Module
    from dlint.workers.events import Visit
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

# Where worker code uses an attribute, and whether it calls it there.
_Used: TypeAlias = "tuple[Visit, ast.expr, bool]"
_TENSOR_DATASET = "torch.utils.data.TensorDataset"
_PICTURES = "torchvision.datasets."  # which are given nothing of torch's but transforms
# Functions that ask about a thing, and use nothing of it.
_ASK = frozenset({"callable", "getattr", "hasattr", "id", "isinstance", "len", "print", "type"})
# Words without which nothing is put on a GPU.
_WORDS = ("cuda", "device", ".to(")
_ASKS_DEVICE = regex("cuda|device|gpu", re.IGNORECASE)
_IS_THERE = "cuda.is_available()"


class OnGpu(NamedTuple):
    """Something on the GPU that worker code uses: what it is called, what put it there, where worker code
    uses it, and whether it is called there, as networks are."""

    name: str
    put: Put
    visit: Visit | None
    node: ast.expr
    runs: bool = False


def held_on_gpu(program: Program, use: WorkerUse, worlds: list[World]) -> Iterator[OnGpu]:
    """What a use's workers have of the parent's on the GPU, and use there, on some of the ways to workers."""
    worker = {id(visit.function.node) for visit in use.code.visits}
    for part in program.shipped(use):
        match part.value:
            case Instance() as owner:
                yield from _of_object(program, use, owner, worker, worlds)
            case Made(name=name) as made if (
                name == _TENSOR_DATASET or name.startswith(_PICTURES)
            ) and isinstance(made.node, ast.expr):
                puts = (
                    put
                    for argument in made.arguments.all()
                    for world in worlds
                    for put in _given(program.evaluator, argument, world)
                )
                put = next(puts, None)
                if put is not None:
                    of_tensors = name == _TENSOR_DATASET
                    said = "data" if of_tensors else "transform"
                    yield OnGpu(
                        f"{name.rpartition('.')[2]}'s {said}", put, None, made.node, runs=not of_tensors
                    )
    for visit in use.code.visits:
        yield from _globals(program, visit)


def _given(evaluator: Evaluator, argument: Argument, world: World) -> Iterator[Put]:
    """What put an argument on the GPU: where it is written, or where a function made it that gave it."""
    if argument.expression is not None and argument.point is not None:
        put = where_put(evaluator, argument.expression, argument.point, world)
        if put is not None:
            yield put
            return
    for value, w in evaluator.value_of(argument, world):
        put = put_of(evaluator, value, w)
        if put is not None:
            yield put


def ways_with_workers(use: WorkerUse) -> list[World]:
    """The ways to a use's loader on which it has workers: with ``0 if device.type == "cuda" else 4`` those
    without a GPU."""
    if use.loader is None:
        return []
    ways = use.loader.ways("num_workers")
    worlds = [world for way, world in ways if not is_zero(way["num_workers"])]
    written = use.loader.written("num_workers")
    if len(worlds) < len(ways) and written is not None and _asks_device(written, use.loader.point):
        return []  # in a way that cannot be told: `0 if "cuda" in str(device) else 4`
    return worlds


def _asks_device(written: ast.expr, point: Point) -> bool:
    """Whether an expression speaks of a device, or what its name is set to, and when, in its scope."""
    texts = [written]
    if isinstance(written, ast.Name) and written.id in point.frame.layout.binds:
        for statement in statements_in(point.frame.layout.body):
            if isinstance(statement, ast.Assign) and written.id in own_names(statement):
                texts.append(statement.value)
                texts += [test for test, _, _ in tests_around(Point(point.frame, statement))]
    # Whether there is a GPU is told on each way.
    return any(_ASKS_DEVICE.search(ast.unparse(each).replace(_IS_THERE, "")) for each in texts)


def _of_object(
    program: Program, use: WorkerUse, owner: Instance, worker: set[int], worlds: list[World]
) -> Iterator[OnGpu]:
    """The attributes of an object that hold something on the GPU once it is made, and that its methods use in
    workers."""
    used = _uses(program, use.code).get(owner.key, {})
    # For most loaders nothing may be there, whichever way the program comes: that is asked once.
    mark = ("may hold something on the GPU", owner.key, id(use.code))
    if used and mark not in program.answers:
        program.answers[mark] = {name for name, _ in _put(program.evaluator, owner, set(used), HERE)}
    names: set[str] = program.answers[mark] if used else set()
    told: set[str] = set()
    for world in worlds:
        puts = list(_put(program.evaluator, owner, names, world)) if names else []
        others = set(used) - names
        later = [*_moved_later(program.evaluator, use, owner, others, world)]
        if use.loader is not None and others and _speaks_of_gpus(program, owner.cls.module):
            later += put_by_methods(program.evaluator, owner, others, use.loader.point, world)
        for name, put in (*puts, *later):
            if name in told or id(put.point.frame.scope) in worker:
                continue
            told.add(name)
            if (
                left_as_made(program, [use], owner, name)
                and not _moved_back(use, owner, name)
                and not _comes_back(program.evaluator, use, owner, name, world)
            ):
                yield OnGpu(f"{owner.cls.name}.{name}", put, *used[name])


def _uses(program: Program, code: WorkerCode) -> dict[Key, dict[str, _Used]]:
    """The attributes that methods use in worker code so that what they hold has to be there, and that no
    method binds there: by the key of their object and their names."""
    mark = ("attributes that are used", id(code))
    if mark not in program.answers:
        found: dict[Key, dict[str, _Used]] = {}
        bound: dict[Key, set[str]] = {}
        for visit in code.visits:
            receiver = visit.function.receiver
            own = parameters(visit.function.node)[:1]
            if isinstance(receiver, Instance) and own:
                names = {path.partition(".")[2] for path in visit.frame.layout.binds}
                bound.setdefault(receiver.key, set()).update(names)
                for name, node, runs in _used(program, visit.function.node, own[0].arg):
                    found.setdefault(receiver.key, {}).setdefault(name, (visit, node, runs))
                for name, used in _asked(program, code, visit, own[0].arg):
                    found.setdefault(receiver.key, {}).setdefault(name, used)
        program.answers[mark] = {
            key: {name: used for name, used in each.items() if name not in bound[key]}
            for key, each in found.items()
        }
    answer: dict[Key, dict[str, _Used]] = program.answers[mark]
    return answer


def _asked(program: Program, code: WorkerCode, visit: Visit, own: str) -> Iterator[tuple[str, _Used]]:
    """The attributes that hold networks of the program, of which a method calls methods that run their
    layers, or move something to where they are: ``self.model.embed(image)``."""
    if not any(map(program.modules.index.mentioning, ("cuda", "device"))):
        return
    for node in function_body(visit.function.node):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=holder), attr=name) as held)
            ) if holder == own:
                networks = {
                    value.key
                    for value, _ in program.evaluator.values(held, Point(visit.frame, None))
                    if isinstance(value, Instance) and is_a_network(program.evaluator, value)
                }
                uses = uses_of_networks(program.evaluator, code.visits, networks) if networks else iter(())
                if (used := next(uses, None)) is not None:
                    yield name, (visit, held, used[2])


def _moved_back(use: WorkerUse, owner: Instance, name: str) -> bool:
    """Whether code beside the class or the loader moves a network in an attribute to the CPU where it is:
    ``dataset.model.cpu()``."""
    to_cpu = rf"""^\s*[\w.]+\.{name}\.(?:cpu\(\)|to\((?:torch\.device\()?["']cpu["'])"""
    modules = {module.relative: module for module in (owner.cls.module, *use.modules)}
    if use.loader is not None:
        modules[use.loader.module.relative] = use.loader.module
    return any(re.search(to_cpu, module.text, re.MULTILINE) for module in modules.values())


def put_of_attribute(evaluator: Evaluator, owner: Instance, name: str, world: World) -> Iterator[Put]:
    """What puts on the GPU what an object keeps under a name, once it is made."""
    yield from (put for _, put in _put(evaluator, owner, {name}, world))


def _put(evaluator: Evaluator, owner: Instance, names: set[str], world: World) -> Iterator[tuple[str, Put]]:
    """What puts an object's attributes on the GPU: what they hold, their own statements, and those that move
    a module where it is."""
    tensors = set()  # no statement moves a tensor where it is
    for name, value, _ in attributes(evaluator, owner, world, names):
        if isinstance(value, Made) and makes_tensor(value.name.partition("(")[0]):
            tensors.add(name)
        put = put_of(evaluator, value, world)
        if put is not None:
            yield name, put
    for name, path, point, w in evaluator.construction.stores(owner, world, names):
        stored = _stored(evaluator, path, point)
        if stored is not None:
            put = where_put(evaluator, stored, point, w)
            if put is None and is_empty_list(stored):
                put = of_appended(evaluator, path, Point(point.frame, None), w)
            if put is None and name not in tensors:
                put = moved_in_place(evaluator, path, Point(point.frame, None), w)
            if put is not None:
                yield name, put


def _stored(evaluator: Evaluator, path: str, point: Point) -> ast.expr | None:
    """What a statement gives to an attribute, be it one of several: of what a library loads the first is the
    network, the others transform images."""
    match point.statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            at = next((at for at, target in enumerate(targets) if dotted(target) == path), 0)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                return value.elts[at]
            of_network = isinstance(value, ast.Call) and any(
                isinstance(callee, External) and callee.name in LOADS_NETWORK
                for callee, _ in evaluator.values(value.func, point)
            )
            return None if of_network and at else value
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return value
    return None


def _moved_later(
    evaluator: Evaluator, use: WorkerUse, owner: Instance, names: set[str], world: World
) -> Iterator[tuple[str, Put]]:
    """Networks that an object was given and that its maker moves to the GPU after that, before there is a
    loader: ``data = Scored(net); net.cuda()``."""
    for name, network, at, end, w in _given_away(evaluator, use, owner, names, world):
        put = moved_between(evaluator, network, at, end, w)
        if put is not None:
            yield name, put


def _given_away(
    evaluator: Evaluator, use: WorkerUse, owner: Instance, names: set[str], world: World
) -> Iterator[tuple[str, ast.Name, Point, Point, World]]:
    """The attributes of an object that keep what its maker has under a name: that name, where the object is
    made, and where the loader is, in the same scope."""
    if not names or use.loader is None or use.loader.point.statement is None:
        return
    end = use.loader.point
    for name, _, point, w in evaluator.construction.stores(owner, world, names):
        stored = getattr(point.statement, "value", None)
        given = _argument_of(stored.id, point.frame) if isinstance(stored, ast.Name) else None
        if given is None or given.expression is None or given.point is None:
            continue
        held, at = given.expression, given.point
        while (
            isinstance(held, ast.Call)
            and isinstance(held.func, ast.Attribute)
            and stays_there(held.func.attr)
        ):
            held = held.func.value
        if isinstance(held, ast.Name) and at.statement is not None and at.frame.scope is end.frame.scope:
            yield name, held, at, end, w


def _argument_of(name: str, frame: Frame) -> Argument | None:
    """What the call of a function gives to a parameter, where that is written out there."""
    if not isinstance(frame.scope, FunctionNode) or frame.arguments is None:
        return None
    return written(name, frame.scope, frame.arguments, frame.receiver is not None)


def _comes_back(evaluator: Evaluator, use: WorkerUse, owner: Instance, name: str, world: World) -> bool:
    """Whether the maker of an object may move a network that it has given to it to the CPU, before there is a
    loader."""
    return any(
        may_come_back(evaluator, network.id, at.statement.lineno if at.statement else 0, end)
        or is_brought_back(network.id, at, end)
        for _, network, at, end, _ in _given_away(evaluator, use, owner, {name}, world)
    )


def _used(program: Program, method: FunctionNode | ast.Lambda, own: str) -> list[tuple[str, ast.expr, bool]]:
    """The attributes of its object that a method uses so that what they hold has to be there, and whether it
    calls them."""
    mark = ("uses of its own", id(method))
    if mark not in program.answers:
        found: list[tuple[str, ast.expr, bool]] = []
        for above in function_body(method):
            for node in children(above):
                match node:
                    case ast.Attribute(value=ast.Name(id=name), ctx=ast.Load()) if name == own:
                        if _needs_it(above, node):
                            found.append(
                                (node.attr, node, isinstance(above, ast.Call) and above.func is node)
                            )
        program.answers[mark] = found
    answer: list[tuple[str, ast.expr, bool]] = program.answers[mark]
    return answer


def _globals(program: Program, visit: Visit) -> Iterator[OnGpu]:
    """The module's names that stand for something on the GPU, where a function uses them."""
    outer = visit.frame
    while outer.outer is not None:
        outer = outer.outer
    held = _of_module(program, outer)
    if not held:
        return
    body = function_body(visit.function.node)
    told = {parameter.arg for parameter in parameters(visit.function.node)} | visit.frame.layout.binds
    told |= {node.id for node in body if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for above in body:
        for node in ast.iter_child_nodes(above):
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in held and name not in told:
                    if _needs_it(above, node):
                        told.add(name)
                        yield OnGpu(name, held[name], visit, node)


def _of_module(program: Program, frame: Frame) -> dict[str, Put]:
    """The names of a module that hold something on the GPU once it is imported, with what put it there."""
    module = frame.module
    mark = ("names on the GPU", module.relative)
    if mark not in program.answers:
        found: dict[str, Put] = {}
        if isinstance(frame.scope, ast.Module) and _speaks_of_gpus(program, module):
            for statement in statements_in(module.tree.body):
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value):
                        at = Point(frame, statement)
                        put = where_put(program.evaluator, value, at, HERE) or moved_in_place(
                            program.evaluator, name, Point(frame, None), HERE
                        )
                        found.pop(name, None)  # what it was before
                        if put is not None:
                            found[name] = put
        program.answers[mark] = found
    answer: dict[str, Put] = program.answers[mark]
    return answer


def _speaks_of_gpus(program: Program, module: Module) -> bool:
    mark = ("speaks of GPUs", module.relative)
    if mark not in program.answers:
        program.answers[mark] = any(word in module.text for word in _WORDS)
    answer: bool = program.answers[mark]
    return answer


def _needs_it(above: ast.AST, node: ast.expr) -> bool:
    """Whether an expression is used where it stands so that the GPU is needed."""
    match above:
        case ast.Attribute(attr=attr):
            return needs_its_data(attr)
        case ast.Call(func=ast.Name(id=name)) if name in _ASK:
            return False
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) | ast.If() | ast.BoolOp():
            return False
        case ast.IfExp(test=test):
            return node is not test
        case ast.UnaryOp(op=ast.Not()):
            return False
    return True
