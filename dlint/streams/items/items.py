"""What a loader gets from its dataset: the ``__getitem__`` whose results are its items as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.loading import HAND_ON, is_iterable_dataset, library_entries
from dlint.source.nodes import walk
from dlint.source.statements import dotted, own_names, statements_in
from dlint.streams.items.names import index_names, is_index
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.functions import given_names
from dlint.values.values import Const, External, Function, Instance, Items, Made, Partial, Value, is_none
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FAR = 4
_CHAIN = "torch.utils.data.ChainDataset"


class Reader(NamedTuple):
    """A ``__getitem__``, the object it is of, and the frame in which a loader runs it."""

    function: Function
    node: ast.FunctionDef
    instance: Instance
    frame: Frame
    world: World


def readers(
    evaluator: Evaluator, dataset: Value, world: World, far: int = 0, *, by_library: bool = False
) -> Iterator[Reader]:
    """The methods whose results are, unchanged, the items of a map-style dataset. ``by_library``: also those
    that a library's dataset calls for an item, which a transform may still get."""
    if isinstance(dataset, Instance):
        libraries = evaluator.classes.libraries(dataset.cls)
        if any(is_iterable_dataset(name) for name in libraries):
            return
        if evaluator.classes.member(dataset.cls, "__getitems__"):
            return
        methods = evaluator.classes.methods(dataset, "__getitem__")
        if by_library and not methods:
            entries = {entry for name in libraries for entry in library_entries(name)}
            methods = [each for entry in entries for each in evaluator.classes.methods(dataset, entry)]
        for function in methods:
            if isinstance(function.node, ast.FunctionDef):
                frame = evaluator.calls.enter(function, Arguments(), None, None)
                yield Reader(function, function.node, dataset, frame, world)
    elif isinstance(dataset, Made) and far < _FAR:
        for part, w in inner(evaluator, dataset, world):
            yield from readers(evaluator, part, w, far + 1, by_library=by_library)


def handed_on(evaluator: Evaluator, reader: Reader, far: int = 0) -> Iterator[Reader]:
    """The methods of other datasets whose results a ``__getitem__`` returns as they are: ``return
    self.inner[i % n]``. What it looks at besides it may replace, and an index from a list may be chosen."""
    numbers = index_names(reader.node)
    returned = [
        (statement, statement.value)
        for statement in statements_in(reader.node.body)
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Subscript)
    ]
    if not returned or reader.node.decorator_list or far == _FAR:
        return
    items = [node for node in walk(reader.node) if isinstance(node, ast.Subscript)]
    for statement, item in returned:
        held = dotted(item.value)
        others = [node for node in items if dotted(node.value) == held]
        if held is None or not is_index(item.slice, numbers) or len(others) > 1:
            continue
        evaluator.start()
        point = Point(reader.frame, statement)
        for value, w in evaluator.values(item.value, point, reader.world):
            if are_chosen(evaluator, value, w):
                continue
            for inside in readers(evaluator, value, w):
                yield inside
                yield from handed_on(evaluator, inside, far + 1)


def inner(evaluator: Evaluator, dataset: Made, world: World) -> Iterator[tuple[Value, World]]:
    """The datasets whose items one of torch's hands on."""
    if dataset.name in HAND_ON:
        yield from _datasets_given(evaluator, dataset, world)


def chained(evaluator: Evaluator, dataset: Value, world: World) -> Iterator[tuple[Value, World]]:
    """The streams that a dataset gives one after the other: itself, or those of torch's ChainDataset."""
    if not (isinstance(dataset, Made) and dataset.name == _CHAIN):
        yield dataset, world
        return
    yield from _datasets_given(evaluator, dataset, world)


def _datasets_given(evaluator: Evaluator, dataset: Made, world: World) -> Iterator[tuple[Value, World]]:
    """The dataset that one of torch's is given first, or those in a list of them."""
    for argument in dataset.arguments.positional[:1]:
        for value, w in evaluator.value_of(argument, world):
            for part in value.items if isinstance(value, Items) else (value,):
                yield part, w


def are_chosen(evaluator: Evaluator, dataset: Value, world: World, far: int = 0) -> bool:
    """Whether all items of a dataset are such as the program has looked at and chosen."""
    if not isinstance(dataset, Made) or far == _FAR:
        return False
    if _chooses(dataset):
        return True
    parts = list(inner(evaluator, dataset, world))
    return bool(parts) and all(are_chosen(evaluator, *part, far + 1) for part in parts)


def _chooses(subset: Made) -> bool:
    """Whether the numbers of a subset are those of items that passed a test of their own:
    ``Subset(ds, [i for i in range(len(ds)) if ds[i] is not None])``."""
    given = subset.arguments
    whole = (
        dotted(given.positional[0].expression) if given.positional and given.positional[0].expression else ""
    )
    numbers = given.keywords.get("indices") or next(iter(given.positional[1:2]), None)
    return (
        bool(whole)
        and numbers is not None
        and any(
            isinstance(node, ast.Subscript) and dotted(node.value) == whole
            for comprehension in _comprehensions(numbers)
            for generator in comprehension.generators
            for test in generator.ifs
            for node in walk(test)
        )
    )


def _comprehensions(numbers: Argument) -> Iterator[ast.ListComp]:
    """The list comprehensions that an argument is, or that the variable is set to of which it is the name."""
    given = numbers.expression
    written = [given]
    if isinstance(given, ast.Name) and numbers.point is not None:
        scope = getattr(numbers.point.frame.scope, "body", None)
        written = [
            statement.value
            for statement in statements_in(scope if isinstance(scope, list) else [])
            if isinstance(statement, ast.Assign) and given.id in own_names(statement)
        ]
    yield from (each for each in written if isinstance(each, ast.ListComp))


def is_default_collate(collate: Value | None) -> bool:
    """Whether a ``collate_fn`` is torch's own."""
    if collate is None or is_none(collate):
        return True
    return isinstance(collate, External) and is_default_collates(collate.name)


def is_default_collates(name: str) -> bool:
    """Whether a library's name is that of torch's own ``collate_fn``."""
    return name.startswith("torch.utils.data.") and name.endswith(".default_collate")


def hands_items_on(evaluator: Evaluator, collate: Value | None, batch_size: Value | None) -> bool:
    """Whether the items surely leave the worker as they are, alone or in something, or one of them does; if
    only in batches of a certain size."""
    match collate:
        case None | Const(value=None):
            return is_none(batch_size)
        case External(name=name):
            return name in ("builtins.list", "builtins.tuple")
        case Instance():
            called = evaluator.classes.methods(collate, "__call__")
            return bool(called) and all(_hands_on(each, 0) for each in called)
        case Partial(callee=Function() as function, arguments=given):
            return not (given.spread or given.splats) and _hands_on(function, len(given.positional))
        case Function():
            return _hands_on(collate, 0)
    return False


def _hands_on(function: Function, before: int) -> bool:
    """Whether a function gives the things that it gets, behind so many arguments that it has already."""
    node, names = function.node, given_names(function)[before:]
    if not names:
        return False
    if isinstance(node, ast.Lambda):
        return _has_items(node.body, {names[0]})
    bound = all(dotted(each) in ("staticmethod", "classmethod") for each in node.decorator_list)
    return bound and _gives_items(node.body, {names[0]})


def _gives_items(body: list[ast.stmt], held: set[str]) -> bool:
    """Whether a block gives things that some variables hold, or one of them, and does nothing else."""
    for statement in body:
        match statement:
            case ast.Assert() | ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=item)]) | ast.List(elts=[ast.Name(id=item)])],
                value=ast.Name(id=items),
            ) if items in held:
                held = held | {item}
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _has_items(value, held):
                held = held | {name}
            case ast.Return(value=ast.expr() as given):
                return _has_items(given, held)
            case ast.If(test=test, body=inside, orelse=orelse) if _counts(test, held):
                if _gives_items(inside, held) or _gives_items(orelse, held):
                    return True
                if not all(
                    isinstance(block[-1], ast.Return | ast.Raise) for block in (inside, orelse) if block
                ):
                    return False
            case _:
                return False
    return False


def _counts(test: ast.expr, held: set[str]) -> bool:
    """Whether a test asks how many things there are, and not whether there are any."""
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[_],
            comparators=[ast.Constant(value=int(number))],
        ):
            return name in held and number > 0
    return False


def _has_items(node: ast.expr, held: set[str]) -> bool:
    """Whether an expression is what one of some variables holds, a thing in that, or has either in it."""
    match node:
        case ast.Name(id=given):
            return given in held
        case (
            ast.Subscript(
                value=ast.Name(id=given),
                slice=ast.Constant(value=int())
                | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())),
            )
            | ast.Call(func=ast.Name(id="list" | "tuple"), args=[ast.Name(id=given)], keywords=[])
        ):
            return given in held
        case ast.ListComp(
            elt=ast.Name(id=item),
            generators=[ast.comprehension(target=ast.Name(id=each), iter=ast.Name(id=given))],
        ):
            return given in held and item == each
        case ast.IfExp(test=test, body=body, orelse=orelse) if _counts(test, held):
            return _has_items(body, held) or _has_items(orelse, held)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return any(_has_items(part, held) for part in parts)
    return False
