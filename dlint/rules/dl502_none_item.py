"""A dataset's __getitem__ can return None, and nothing takes it out of the batch.

## What it finds

A `__getitem__` that returns None for some items, for a loader that makes batches with the default collate
function: `return None` where reading failed or the item is not good enough, an `except` that falls off the
end, attempts that run out.

It is silent where a `collate_fn` takes the items (it may filter them), where the loader makes no batches
(`batch_size=None`), where a helper's None is replaced before it is returned, and where only a mode of the
dataset that nobody chose would get there.

## Why is this bad

`default_collate` does not know what to do with None, and one such item stops the training, perhaps after
days. As measured: `TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or
lists; found <class 'NoneType'>`, and `RuntimeError: Could not infer dtype of NoneType` where a later item of
the batch is None. Filtering all items of a batch away gives an IndexError instead.

## Example

```python
class Pictures(Dataset):
    def __getitem__(self, index):
        try:
            return read_image(self.paths[index])
        except OSError:
            return None
```

Use instead a collate function that leaves None out:

```python
def collate_readable(batch):
    return default_collate([item for item in batch if item is not None])

loader = DataLoader(Pictures(paths), batch_size=8, collate_fn=collate_readable)
```

Or find out before the training which items can be read.

## Fix safety

There is no remedy: what to do with an item that cannot be read is the author's choice.

## References

- https://pytorch.org/docs/stable/data.html#working-with-collate-fn
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from dlint.module.layout import own_names, parameters, statements_in
from dlint.program.endings import endings
from dlint.program.frame import Frame, Point, arguments_of
from dlint.program.items import Reader, is_default_collate, readers
from dlint.program.loaders import Loader
from dlint.program.program import Program
from dlint.program.repetition import places_around
from dlint.program.values import Const, External, Function, Key, World
from dlint.rules.rule import Found

_LOADERS = frozenset({"torch.utils.data.DataLoader", "torchdata.stateful_dataloader.StatefulDataLoader"})
_EXITS = frozenset({"sys.exit", "os._exit", "builtins.exit", "builtins.quit"})
_DEEPEST = 4  # calls followed to what ends the program
_Judged = tuple[Reader, list[tuple[ast.stmt, str]]]
_ENDED = {
    "except": "ends without a return after an exception that it catches",
    "attempts": "ends without a return when its attempts run out",
}


def check(program: Program) -> Iterator[Found]:
    """Items that can be None, for loaders that batch with the default collate function."""
    known: dict[tuple[Key, World], list[_Judged]] = {}
    for loader in program.loaders:
        if loader.inherited or loader.kind.name not in _LOADERS:
            continue
        seen: set[int] = set()
        for way, world in loader.ways("dataset", "collate_fn", "batch_size"):
            batch_size, dataset = way["batch_size"], way["dataset"]
            batches = not (isinstance(batch_size, Const) and batch_size.value is None)
            if dataset is None or not batches or not is_default_collate(way["collate_fn"]):
                continue
            like, as_seen = program.like(dataset, world)
            mark = (like.key, as_seen)
            if mark not in known:
                known[mark] = [
                    (reader, list(_judged(program, reader)))
                    for reader in readers(program.evaluator, like, as_seen)
                ]
            for reader, nones in known[mark]:
                if id(reader.node) not in seen:
                    seen.add(id(reader.node))
                    for node, how in nones:
                        yield _found(loader, reader, node, how)


def _judged(program: Program, reader: Reader) -> Iterator[tuple[ast.stmt, str]]:
    """Where an item is None, and how that comes about."""
    returns = [s for s in statements_in(reader.node.body) if isinstance(s, ast.Return)]
    if all(_gives_none(statement) for statement in returns):
        return  # subclasses say what an item is
    for statement in returns:
        if _gives_none(statement) and _happens(program, reader, statement):
            yield statement, "returns None here"
    # A call that does not return takes endings away: without one of these there is nothing to ask.
    if not any(ending in _ENDED for ending in endings(reader.node.body, lambda _: False)):
        return
    ends = endings(reader.node.body, lambda statement: _never_returns(program, reader, statement))
    for ending, how in _ENDED.items():
        if ending in ends:
            yield reader.node, how
            return


def _gives_none(statement: ast.Return) -> bool:
    return statement.value is None or (
        isinstance(statement.value, ast.Constant) and statement.value.value is None
    )


def _happens(program: Program, reader: Reader, statement: ast.Return) -> bool:
    """Whether it depends on the item that control comes to a statement, and not on a mode of the dataset."""
    program.evaluator.start()
    point = Point(reader.frame, statement)
    if not program.evaluator.flow.reaching(point, reader.world):
        return False
    for place in places_around(point):
        if isinstance(place.owner, ast.ExceptHandler):
            return True
        if isinstance(place.owner, ast.If):
            return _concerns_item(place.owner.test, reader.node)
    return False


def _concerns_item(test: ast.expr, function: ast.FunctionDef) -> bool:
    """Whether a test is about what was read for the item; comparing the index with the length is not."""
    variables = {name for statement in statements_in(function.body) for name in own_names(statement)}
    index = {argument.arg for argument in parameters(function)[1:]}
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id in variables and node.id not in index:
            return True
        if isinstance(node, ast.Call | ast.Subscript) and any(
            isinstance(inner, ast.Name) and inner.id in index for inner in ast.walk(node)
        ):
            return True
    return False


def _never_returns(program: Program, reader: Reader, statement: ast.stmt) -> bool:
    """Whether a statement calls what ends the program or always raises."""
    return _ends(program, statement, Point(reader.frame, statement), reader.world, _DEEPEST)


def _ends_in(program: Program, frame: Frame, world: World, depth: int, statement: ast.stmt) -> bool:
    return _ends(program, statement, Point(frame, statement), world, depth)


def _ends(program: Program, statement: ast.stmt, point: Point, world: World, depth: int) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call) or not depth:
        return False
    call = statement.value
    program.evaluator.start()
    for callee, _ in program.evaluator.values(call.func, point, world):
        if isinstance(callee, External) and callee.name in _EXITS:
            return True
        if isinstance(callee, Function) and isinstance(callee.node, ast.FunctionDef):
            body = callee.node.body
            if any(isinstance(inner, ast.Return) for inner in statements_in(body)):
                continue
            frame = program.evaluator.calls.enter(callee, arguments_of(call, point), call, point)
            if not endings(body, partial(_ends_in, program, frame, world, depth - 1)):
                return True
    return False


def _found(loader: Loader, reader: Reader, node: ast.stmt, how: str) -> Found:
    owner = reader.function.owner.name if reader.function.owner is not None else reader.instance.cls.name
    where = f"{loader.module.relative}:{loader.call.lineno}"
    return Found(
        reader.function.module,
        node,
        f"{owner}.__getitem__ {how}, and the loader at {where} batches with default_collate: one None stops "
        "the training with \"TypeError: ... found <class 'NoneType'>\"; leave None out in a collate_fn",
        by_hand="filter the batch in a collate_fn: default_collate([i for i in batch if i is not None])",
    )
