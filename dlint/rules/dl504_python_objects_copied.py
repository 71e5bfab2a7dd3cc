"""A long list or dict of Python objects is on the dataset, and every worker copies it.

Off by default: whether the memory matters depends on the size of the data.

## What it finds

A list, set or dict on a dataset with an entry for each item of the data (a comprehension, a list or dict
filled in a loop, `glob.glob`, `os.listdir`, `json.load`, `table["path"].tolist()` of pandas), or a NumPy
array of dtype object, that the dataset takes its length from or reads by index in worker code, for a loader
with workers.

Short containers (class names, transforms), those of constant length, lists of the same few objects again and
again (`["leaf"] * n`), tensors and arrays of numbers or bytes, and lists of these are left alone.

## Why is this bad

A forked worker shares the parent's memory until somebody writes to it, and Python writes to an object each
time it is used: it counts the references there. So each worker ends up with a copy of its own. As measured
with 2 million objects: a worker's private memory grows from 13 MB to 72-87 MB in one epoch, with NumPy arrays
of bytes or numbers from 10 to 11 MB.

## Example

```python
class Files(Dataset):
    def __init__(self, folder):
        self.paths = [str(path) for path in folder.rglob("*.jpg")]
```

Use instead:

```python
class Files(Dataset):
    def __init__(self, folder):
        self.paths = np.array([str(path) for path in folder.rglob("*.jpg")], dtype=np.bytes_)
```

## Level

- `note`, cost: memory; this rule is off by default.

## Fix safety

No remedy: everything that reads the container changes with it (`.decode()` for bytes).

## References

- https://github.com/pytorch/pytorch/issues/13246
- https://docs.python.org/3/c-api/refcounting.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlint.knowledge.processes.objects import gives_list
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.source.statements import FunctionNode, dotted, last_name, parameters, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.functions import function_body
from dlint.values.values import Const, External, Instance, Items, Made, Table, Value
from dlint.values.worlds import HERE, World
from dlint.workers.sharing import by_dataset
from dlint.workers.worker import WorkerCode

ON_BY_DEFAULT = False

_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
_OBJECTS = frozenset({"builtins.object", "numpy.object_"})
_SHORT = 1000


def check(program: Program) -> Iterator[Found]:
    """Containers of Python objects that worker code reads item by item."""
    for use, *_ in by_dataset(program.uses):
        for instance in use.code.instances.values():
            read = _read_by_item(program, use.code, instance)
            if read:
                for _, frame in program.evaluator.initialisers.of(instance):
                    yield from _in_initialiser(program, use.world, instance, frame, read)


def _read_by_item(program: Program, code: WorkerCode, instance: Instance) -> set[str]:
    """The attributes that a dataset's length is that of, or that its items are read from by index."""
    found: set[str] = set()
    for method in program.evaluator.classes.methods(instance, "__len__"):
        found |= _measured(method.node)
    for visit in code.visits:
        receiver, node = visit.function.receiver, visit.function.node
        if receiver is None or receiver.key != instance.key or not isinstance(node, ast.FunctionDef):
            continue
        if node.name == "__getitem__":
            found |= _indexed(node)
    return found


def _measured(node: FunctionNode | ast.Lambda) -> set[str]:
    """The attributes whose ``len`` a method asks."""
    return {
        _attribute(call.args[0], node)
        for call in function_body(node)
        if isinstance(call, ast.Call) and dotted(call.func) == "len" and len(call.args) == 1
    } - {""}


def _indexed(node: ast.FunctionDef) -> set[str]:
    """The attributes that a ``__getitem__`` reads at its index."""
    index = {argument.arg for argument in parameters(node)[1:2]}
    return {
        _attribute(inner.value, node)
        for inner in function_body(node)
        if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Name) and inner.slice.id in index
    } - {""}


def _attribute(node: ast.expr, function: FunctionNode | ast.Lambda) -> str:
    """The name of an attribute of self, empty for anything else."""
    own = self_name(function)
    if isinstance(node, ast.Attribute) and dotted(node.value) == own:
        return node.attr
    return ""


def _in_initialiser(
    program: Program, in_world: World, instance: Instance, frame: Frame, read: set[str]
) -> Iterator[Found]:
    assert isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef)
    told: set[str] = set()
    for statement in statements_in(frame.scope.body):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name = _attribute(statement.targets[0], frame.scope)
            if (
                name not in read
                or name in told
                or _is_short(program, statement.value, Point(frame, statement))
                or _is_of_few(program, statement, Point(frame, statement), instance)
                or _takes_arrays(program, frame, statement)
            ):
                continue
            program.evaluator.start()
            held = program.evaluator.attributes.held(instance, name, in_world)
            if (
                any(_is_long(program, value, world) for value, world in held)
                or _is_filled(frame, statement)
                or _is_column(program, statement.value, Point(frame, statement))
            ):
                told.add(name)
                yield _found(instance, frame, statement, name)


def _is_of_few(program: Program, statement: ast.Assign, point: Point, instance: Instance) -> bool:
    """Whether a list holds the same few objects again and again (``["leaf"] * count``), and its class puts no
    others in their places: whoever reads it writes to these alone."""
    name = last_name(statement.targets[0])
    stores = re.compile(rf"\.{name}\[[^\]\n]{{0,300}}\]\s*=(?!=)|\.{name}\.\w+\(|\.{name}\s*\+=")
    return _repeats(program, statement.value, point) and not any(
        stores.search(above.module.text_of(above.node))
        for above in program.evaluator.classes.line(instance.cls)
    )


def _repeats(program: Program, node: ast.expr, point: Point) -> bool:
    """Whether an expression is a list that is written out and repeated, or several of them."""
    if isinstance(node, ast.Name):
        bound = program.evaluator.flow.assigned(node.id, point, HERE)
        return bound is not None and not isinstance(bound[0], ast.Name) and _repeats(program, *bound)
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _repeats(program, left, point) and _repeats(program, right, point)
        case (
            ast.BinOp(left=ast.List(elts=[_, *_] as several), op=ast.Mult())
            | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[_, *_] as several))
        ):
            return not any(isinstance(each, ast.Starred) for each in several)
    return False


def _is_column(program: Program, node: ast.expr, point: Point) -> bool:
    """Whether a column of a table of pandas is made a list: ``table["path"].values.tolist()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=column, attr="tolist" | "to_list"), args=[]):
            if isinstance(column, ast.Attribute) and column.attr == "values":
                column = column.value
            return isinstance(column, ast.Subscript) and any(
                isinstance(value, Made) and value.name.startswith("pandas.")
                for value, _ in program.evaluator.values(column.value, point)
            )
    return False


def _is_filled(frame: Frame, statement: ast.Assign) -> bool:
    """Whether a statement sets an empty list or dict that a later loop of the same scope fills."""
    path = dotted(statement.targets[0])
    empty = isinstance(statement.value, ast.List | ast.Dict)
    body = statements_in(frame.scope.body if isinstance(frame.scope, ast.FunctionDef) else [])
    replaced = any(
        isinstance(later, ast.Assign)
        and later.lineno > statement.lineno
        and path in map(dotted, later.targets)
        and not isinstance(later.value, ast.List | ast.Dict)
        for later in body
    )
    return (
        empty
        and not replaced
        and any(
            path in frame.layout.bound_by(loop) and loop.lineno > statement.lineno
            for loop in statements_in(frame.scope.body if isinstance(frame.scope, ast.FunctionDef) else [])
            if isinstance(loop, ast.For | ast.While)
        )
    )


def _takes_arrays(program: Program, frame: Frame, statement: ast.Assign) -> bool:
    """Whether all that the scope puts into an empty list or dict are arrays and tensors: of these a reader
    writes to the head only."""
    added = list(_added(dotted(statement.targets[0]), frame))
    return bool(added) and all(_gives_array(program, each, Point(frame, at)) for each, at in added)


def _gives_array(program: Program, node: ast.expr, point: Point) -> bool:
    if isinstance(node, ast.BinOp):
        return _gives_array(program, node.left, point) or _gives_array(program, node.right, point)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return any(isinstance(each, ast.Slice) for each in node.slice.elts)  # `points[:, 3:]`
    return all(_is_array(value) for value, _ in program.evaluator.values(node, point))


def _added(path: str | None, frame: Frame) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """What the statements of a scope put into a list or dict."""
    for statement in statements_in(frame.scope.body if isinstance(frame.scope, ast.FunctionDef) else []):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner), args=[*_, last])):
                if dotted(owner) == path:
                    yield last, statement
            case ast.AugAssign(target=target, value=value) if dotted(target) == path:
                for each in value.elts if isinstance(value, ast.List) else [value]:
                    yield each, statement
            case ast.Assign(targets=[ast.Subscript(value=owner)], value=value) if dotted(owner) == path:
                yield value, statement


def _is_short(program: Program, node: ast.expr, point: Point) -> bool:
    """Whether a comprehension goes over something short."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
        return False
    sources = [value for value, _ in program.evaluator.values(node.generators[0].iter, point)]
    return bool(sources) and all(_is_short_source(program, value) for value in sources)


def _is_short_source(program: Program, value: Value) -> bool:
    if isinstance(value, Items):
        return not value.open
    if isinstance(value, Made) and value.name == "builtins.range":
        ends = [
            end
            for argument in value.arguments.positional
            for end, _ in program.evaluator.value_of(argument, HERE)
        ]
        return all(
            isinstance(end, Const) and isinstance(end.value, int) and end.value < _SHORT for end in ends
        )
    return False


def _is_long(program: Program, value: Value, world: World) -> bool:
    """Whether a value is a container of as many Python objects as there is data."""
    match value:
        case Items(items=items):
            return value.open and not any(_is_array(item) for item in items)
        case Table(items=table):
            return value.open and not any(_is_array(item) for item in table.values())
        case Made(name=name) if name in _ARRAYS:
            dtype = value.arguments.keywords.get("dtype")
            kinds = [] if dtype is None else program.evaluator.value_of(dtype, world)
            return any(
                (isinstance(kind, Const) and kind.value in ("object", "O"))
                or (isinstance(kind, External) and kind.name in _OBJECTS)
                for kind, _ in kinds
            )
        case Made(name=name):
            return gives_list(name)
    return False


def _is_array(value: Value) -> bool:
    return isinstance(value, Made) and value.name.startswith(("torch.", "numpy.", "cv2."))


def _found(instance: Instance, frame: Frame, statement: ast.stmt, name: str) -> Found:
    return Found(
        frame.module,
        statement,
        f"{instance.cls.name}.{name} holds a Python object for each item: every worker comes to copy them",
        "cost",
        "keep them in an array of numbers or bytes: reading an object counts references, and copies its page",
        by_hand="keep strings in np.array(..., dtype=np.bytes_), numbers in an array or tensor",
    )
