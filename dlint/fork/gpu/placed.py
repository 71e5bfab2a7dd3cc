"""What puts a tensor or a module on the GPU, and where something that is there was put there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import written
from dlint.evaluation.options.option import setting_of
from dlint.fork.gpu.moves import Put, is_only_asked, last_move, may_come_back, move_between
from dlint.fork.gpu.networks import gives_there, is_a_network, moved_by_trainer
from dlint.fork.gpu.told import asks_for_worker, chooses_gpu, is_mapped, may_name_device, told_devices
from dlint.knowledge.callbacks import runs_parts
from dlint.knowledge.names import ENVIRONMENT
from dlint.knowledge.processes.devices import (
    CHOOSE_DEVICE,
    DEVICE,
    DEVICE_KEYWORDS,
    DEVICE_NAMES,
    LOADS_NETWORK,
    MOVES,
    PRESENT_GPU,
    TYPED,
    asks_place,
    is_cuda,
    is_number_of_gpu,
    leaves_result,
    leaves_there,
    makes_cuda_tensor,
    may_run_network,
    part_stays_there,
    runs_network,
    stays_there,
    takes_default_device,
)
from dlint.knowledge.tensors import JOINS
from dlint.source.statements import FunctionNode, dotted, parameters
from dlint.values.frame import Frame, Point, arguments_of, layout_of
from dlint.values.places import places_around
from dlint.values.values import Const, External, Function, Items, Made, Unknown, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# So many names, calls and parts are gone through from a use to what put it on the GPU.
_FAR = 14
# So many calls, one in the other, are gone into for what they give back.
_DEEPEST = 6
# So many callers of a function are asked what they give.
_MOST_CALLERS = 6


def uses_gpu(evaluator: Evaluator, call: ast.Call, point: Point, world: World, far: int = 0) -> bool:
    """Whether a call puts something on the GPU: by its method, or by a device that may be CUDA."""
    callees = [value for value, _ in evaluator.values(call.func, point, world)]
    if any(isinstance(callee, Function) for callee in callees):
        return False  # the program's own method of that name: what it does is looked at there
    if any(isinstance(callee, External) and makes_cuda_tensor(callee.name) for callee in callees):
        return True
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    if isinstance(call.func, ast.Attribute) and call.func.attr == TYPED:
        return any(
            isinstance(kind, External) and makes_cuda_tensor(kind.name)
            for each in call.args[:1]
            for kind, _ in evaluator.values(each, point, world)
        )
    of_torch = any(
        isinstance(callee, External) and (callee.name.startswith("torch") or callee.name in LOADS_NETWORK)
        for callee in callees
    )
    moves = isinstance(call.func, ast.Attribute) and call.func.attr in MOVES
    if not (of_torch or moves):
        return False
    # Of an object of another library nobody knows what a number means.
    of_others = any(isinstance(callee, External) for callee in callees)
    given = [
        keyword.value for keyword in call.keywords if keyword.arg is None or keyword.arg in DEVICE_KEYWORDS
    ]
    given += call.args[:1] if moves else []
    return any(moved_by_trainer(evaluator, argument, point, world) for argument in given) or any(
        may_be_cuda(evaluator, each, w, of_torch or not of_others, far)
        for argument in given
        if not asks_for_worker(evaluator, argument, point)
        for value, w in evaluator.values(argument, point, world)
        for each in told_devices(value)
    )


def names_gpu(evaluator: Evaluator, node: ast.expr, point: Point, world: World) -> bool:
    """Whether an expression may name the GPU: a device, or a type of tensors there."""
    return any(
        may_be_cuda(evaluator, value, w)
        or (isinstance(value, External) and makes_cuda_tensor(value.name))
        or (isinstance(value, Const) and isinstance(value.value, str) and makes_cuda_tensor(value.value))
        for value, w in evaluator.values(node, point, world)
    )


def may_be_cuda(
    evaluator: Evaluator, value: Value, world: World, numbered: bool = True, far: int = 0
) -> bool:
    """Whether a device is CUDA on this way; ``numbered``: where devices are told by their numbers as well, a
    number is that of a GPU."""
    if isinstance(value, Const):
        return is_cuda(value.value) or (numbered and is_number_of_gpu(value.value))
    if isinstance(value, Unknown):
        # ``"cuda:%d" % rank``: which one is not known.
        of_cuda = value.text is not None and value.text[0].startswith("cuda:")
        return of_cuda or (numbered and value.key in evaluator.sites.ranks)
    if isinstance(value, External):
        return _asked_for(evaluator, value, world) or _of_device(evaluator, value, world, far)
    if isinstance(value, Made) and value.name == DEVICE:
        words = value.arguments.keywords
        given = value.arguments.positional[:1] or [words[name] for name in DEVICE_NAMES if name in words]
        return any(
            may_be_cuda(evaluator, name, w)
            for argument in given
            for name, w in evaluator.value_of(argument, world)
        )
    if isinstance(value, Made) and value.name in ENVIRONMENT:
        beside = evaluator.options.unasked(value)
        return beside is not None and beside.default is not None and is_cuda(beside.default.value)
    return isinstance(value, Made) and value.name in PRESENT_GPU and numbered


def _asked_for(evaluator: Evaluator, value: External, world: World) -> bool:
    """Whether an option or a setting is a GPU by its default, unless the program has asked before what the
    user wants."""
    default = evaluator.options.written_default(value, world)
    chosen = [default.body, default.orelse] if isinstance(default, ast.IfExp) else [default]
    names = [each.value for each in chosen if isinstance(each, ast.Constant)]
    if setting_of(value) is not None:
        held = evaluator.options.set_by_default(value)
        if isinstance(held, Made):
            return may_be_cuda(evaluator, held, world)
        names += [held.value] if isinstance(held, Const) else []
    return any(
        result
        for name in names
        if is_cuda(name)
        for result, _ in evaluator.truths.same(value, Const(name), world)
    )


def _of_device(evaluator: Evaluator, value: External, world: World, far: int) -> bool:
    """Whether a value is the device of what was put on the GPU before (``model.device``), or of what chooses
    one itself (``accelerator.device``)."""
    made = value.owner
    if made is None or far > _FAR or not value.name.endswith("().device"):
        return False
    if made.name in CHOOSE_DEVICE:
        return chooses_gpu(evaluator, value, world)
    far += _FAR // 3
    if put_of(evaluator, made, world, far) is not None:
        return True
    match made.point.statement:
        case ast.Assign(targets=[target], value=whole) if whole is made.node and dotted(target):
            path = dotted(target) or ""
            frame = made.point.frame
            put = moved_in_place(evaluator, path, Point(frame, None), world, far)
            asked = [
                node.lineno
                for node in frame.layout.nodes
                if isinstance(node, ast.Attribute) and dotted(node) == f"{path}.device"
            ]
            return put is not None and put.call.lineno < min(asked, default=0)
    return False


def put_of(evaluator: Evaluator, value: Value, world: World, far: int = 0) -> Put | None:
    """What put a value on the GPU, as far as that shows in how a library has made it; of a list, one of the
    things in it."""
    if far > _FAR:
        return None
    if isinstance(value, Items):
        return next((put for item in value.items if (put := put_of(evaluator, item, world, far + 1))), None)
    if isinstance(value, Made) and isinstance(value.node, ast.expr):
        put = where_put(evaluator, value.node, value.point, world, far + 1)
        return None if put is not None and _comes_back(evaluator, value, put, world, far) else put
    return None


def _comes_back(evaluator: Evaluator, made: Made, put: Put, world: World, far: int) -> bool:
    """Whether what was put on the GPU where it is made is moved back in place after that: ``net.cpu()``."""
    match made.point.statement:
        case ast.Assign(targets=[target], value=whole) if whole is made.node:
            path, end = dotted(target) or "", Point(made.point.frame, None)
            moved = last_move(path, end)
            if moved is not None and moved.call.lineno > put.call.lineno:
                return not uses_gpu(evaluator, *moved, world, far)
            return may_come_back(evaluator, path, whole.lineno, end)
    return False


def where_put(evaluator: Evaluator, node: ast.expr, point: Point, world: World, far: int = 0) -> Put | None:
    """What put the value of an expression on the GPU; None where it is not seen to be there."""
    if far > _FAR:
        return None
    match node:
        case ast.Call(func=func):
            named = may_name_device(node) and uses_gpu(evaluator, node, point, world, far)
            if named or is_mapped(evaluator, node, point, world):
                return Put(node, point)
            callees = [value for value, _ in evaluator.values(func, point, world)]
            names = [callee.name for callee in callees if isinstance(callee, External)]
            if any(takes_default_device(name) for name in names) and _in_block(evaluator, node, point, world):
                return Put(node, point)
            if any(name in JOINS or leaves_there(name) for name in names):
                return _first(evaluator, node.args[:1], point, world, far)
            if any(map(runs_parts, names)):
                return _first(evaluator, node.args, point, world, far)
            if isinstance(func, ast.Attribute) and stays_there(func.attr):
                return where_put(evaluator, func.value, point, world, far + 1)
            if any(isinstance(callee, Function) for callee in callees):
                return _returned(evaluator, node, point, world, far)
            return _run_there(evaluator, node, point, world, far)
        case ast.Attribute(value=whole, attr=part) if part_stays_there(part):
            return where_put(evaluator, whole, point, world, far + 1)
        case ast.Subscript(value=whole):
            return where_put(evaluator, whole, point, world, far + 1)
        case ast.UnaryOp(operand=whole, op=ast.USub() | ast.Invert()):
            return where_put(evaluator, whole, point, world, far + 1)
        case ast.BinOp(left=left, right=right):
            return _first(evaluator, [left, right], point, world, far)
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Dict(values=inner):
            return _first(evaluator, inner, point, world, far)
        case ast.ListComp(elt=each) | ast.DictComp(value=each):
            return where_put(evaluator, each, evaluator.inside(node, point), world, far + 1)
        case ast.Name(id=name):
            return _of_name(evaluator, name, point, world, far)
    return None


def _in_block(evaluator: Evaluator, call: ast.Call, point: Point, world: World) -> bool:
    """Whether a call that tells no device stands in a block that says the GPU: ``with torch.device("cuda")``;
    the innermost block decides."""
    if any(keyword.arg is None or keyword.arg in DEVICE_KEYWORDS for keyword in call.keywords):
        return False
    for place in places_around(point):
        for item in place.owner.items if isinstance(place.owner, ast.With) else ():
            at = Point(point.frame, place.owner) if isinstance(place.owner, ast.stmt) else point
            said = [value for value, _ in evaluator.values(item.context_expr, at, world)]
            if any(isinstance(value, Made) and value.name == DEVICE for value in said):
                return names_gpu(evaluator, item.context_expr, at, world)
    return False


def _returned(evaluator: Evaluator, call: ast.Call, point: Point, world: World, far: int) -> Put | None:
    """What put on the GPU what a function of the program gives back."""
    for callee, w in evaluator.values(call.func, point, world):
        if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
            continue
        returns, _, yields = evaluator.calls.shape(callee.node)
        if yields or not all(map(_only_runs, callee.node.decorator_list)) or _asks_place(callee.node):
            continue
        frame = evaluator.calls.enter(callee, arguments_of(call, point), call, point)
        for each in returns if frame.depth <= _DEEPEST else ():
            at = Point(frame, each)
            for v in evaluator.flow.reaching(at, w) if each.value is not None else ():
                assert each.value is not None
                put = where_put(evaluator, each.value, at, v, far + 1)
                if put is not None:
                    return put
    return None


def _asks_place(function: ast.FunctionDef) -> bool:
    """Whether a function does otherwise with a tensor on the GPU than with one that is not there."""
    tests = (each.test for each in layout_of(function).nodes if isinstance(each, ast.If | ast.IfExp))
    return any(asks_place(ast.unparse(test)) for test in tests)


def _only_runs(decorator: ast.expr) -> bool:
    """Whether a decorator says how a function is run, and gives what that gives."""
    return leaves_result(ast.unparse(decorator))


def _run_there(evaluator: Evaluator, call: ast.Call, point: Point, world: World, far: int) -> Put | None:
    """A call that runs a network which is on the GPU, and gives what is there: so was what it is given."""
    network, method = call.func, None
    match network:
        case ast.Attribute(value=whole, attr=name) if may_run_network(name):
            network, method = whole, name
    if not isinstance(network, ast.Name) or not call.args:
        return None
    put = where_put(evaluator, network, point, world, far + 1)
    moved = put.call.func if put is not None else None
    if put is None or not isinstance(moved, ast.Attribute) or moved.attr not in MOVES:
        return None
    if put.point.frame.scope is point.frame.scope and is_only_asked(put.point, point):
        return None
    run = [value for value, _ in evaluator.values(moved.value, put.point, world)]
    if method is not None and not all(
        isinstance(each, Made) and runs_network(method, each.name) for each in run
    ):
        return None
    return Put(call, point) if run and all(gives_there(evaluator, each) for each in run) else None


def _first(evaluator: Evaluator, nodes: list[ast.expr], point: Point, world: World, far: int) -> Put | None:
    return next((put for node in nodes if (put := where_put(evaluator, node, point, world, far + 1))), None)


def _of_name(evaluator: Evaluator, name: str, point: Point, world: World, far: int) -> Put | None:
    """What put on the GPU what a name stands for: its statement, one that moves it there in place, as modules
    can be, or what a caller gives."""
    frame = point.frame
    if name in frame.layout.binds:
        for statement, w in evaluator.flow.definitions(name, point, world, anew=True):
            match statement:
                case None:
                    found = _given(evaluator, name, frame, world, far)
                case ast.Assign(targets=[ast.Name()], value=value):
                    found = where_put(evaluator, value, Point(frame, statement), w, far + 1)
                    if found is None and is_empty_list(value):
                        found = of_appended(evaluator, name, point, w, far)
                case ast.AugAssign(target=ast.Name() as before):
                    found = where_put(evaluator, before, Point(frame, statement), w, far + 1)
                case _:
                    found = None
            after = statement.lineno if statement is not None else 0
            moved = last_move(name, point)
            if moved is not None and moved.call.lineno > after:
                found, after = moved if uses_gpu(evaluator, *moved, world, far) else None, moved.call.lineno
            if found is not None and not may_come_back(evaluator, name, after, point):
                return found
        return None
    if isinstance(frame.scope, FunctionNode) and name in {each.arg for each in parameters(frame.scope)}:
        if last_move(name, point) is not None:
            return moved_in_place(evaluator, name, point, world, far)
        given = _given(evaluator, name, frame, world, far)
        return None if given is not None and may_come_back(evaluator, name, 0, point) else given
    return _of_name(evaluator, name, Point(frame.outer, None), world, far + 1) if frame.outer else None


def is_empty_list(node: ast.expr) -> bool:
    """Whether an expression makes a list with nothing in it."""
    match node:
        case ast.List(elts=[]) | ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
            return True
    return False


def of_appended(evaluator: Evaluator, path: str, point: Point, world: World, far: int = 0) -> Put | None:
    """What put on the GPU what a scope appends to a list of its own, or of its object:
    ``features.append(net(x))``; None where it may put something else in the place of that."""
    if f"{path}.append(" not in point.frame.module.text_of(point.frame.scope):
        return None
    end = point.statement.lineno if point.statement is not None else 1 << 30
    before = [node for node in point.frame.layout.nodes if getattr(node, "lineno", end) < end]
    if any(_changes_entries(node, path) for node in before):
        return None
    for node in before:
        match node:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name() | ast.Attribute() as held, attr="append"), args=[item]
                )
            ) if dotted(held) == path:
                put = where_put(evaluator, item, Point(point.frame, node), world, far + 1)
                if put is not None:
                    return put
    return None


def _changes_entries(node: ast.AST, path: str) -> bool:
    """Whether a node stores into entries of a list, or takes some out: ``features[i] = moved``."""
    match node:
        case ast.Subscript(value=ast.Name() | ast.Attribute() as held, ctx=ast.Store() | ast.Del()):
            return dotted(held) == path
        case ast.Attribute(value=ast.Name() | ast.Attribute() as held, attr="pop" | "clear" | "remove"):
            return dotted(held) == path
    return False


def _given(evaluator: Evaluator, name: str, frame: Frame, world: World, far: int) -> Put | None:
    """What put on the GPU what a call gives to a parameter, where that is written out there; in a function
    that is looked at without a certain call, what each caller gives."""
    scope, method = frame.scope, frame.receiver is not None
    if not isinstance(scope, FunctionNode):
        return None
    calls = [frame.arguments] if frame.arguments is not None else []
    if frame.arguments is None and far <= _FAR:
        calls = [site.arguments for site in evaluator.sites.of(scope, frame)]
    puts: list[Put] = []
    for each in calls[: _MOST_CALLERS + 1]:
        given = written(name, scope, each, method)
        if given is None or given.expression is None or given.point is None or len(puts) == _MOST_CALLERS:
            return None
        put = where_put(evaluator, given.expression, given.point, world, far + 1)
        if put is None:
            return None
        puts.append(put)
    return next(iter(puts), None)


def moved_between(
    evaluator: Evaluator, given: ast.Name, start: Point, end: Point, world: World
) -> Put | None:
    """What moves a network to the GPU that a scope has given away by its name, before another of its
    statements; None where it may be moved back, or another may have the name."""
    last = move_between(given.id, start, end)
    if last is None or not uses_gpu(evaluator, *last, world):
        return None
    found = [value for value, _ in evaluator.values(given, start, world)]
    if not found or not all(is_a_network(evaluator, each) for each in found):
        return None
    return None if may_come_back(evaluator, given.id, last.call.lineno, end) else last


def moved_in_place(evaluator: Evaluator, path: str, point: Point, world: World, far: int = 0) -> Put | None:
    """The statement ``model.to(device)`` of a scope before a point, the last such one: it moves a module
    where it is, and does nothing to a tensor."""
    last = last_move(path, point)
    if last is None or not uses_gpu(evaluator, *last, world, far):
        return None
    return None if may_come_back(evaluator, path, last.call.lineno, point) else last
