"""Keys that are new in each round: what counts the rounds, and the numbers of items."""

from __future__ import annotations

import ast
from collections.abc import Callable

from dlint.knowledge.parts import tells_items_apart
from dlint.source.nodes import children, is_text
from dlint.source.statements import own_names
from dlint.streams.batches.rounds import counters
from dlint.streams.memory.held import Held
from dlint.streams.memory.loops import each_gone_through
from dlint.streams.memory.places import Place, View

# Whether what stands at a place of the batches are the numbers of the items.
AreNumbers = Callable[[Place], bool]


class Keys:
    """The keys by which the body of a loop stores, statement by statement."""

    def __init__(self, loop: ast.For, are_numbers: AreNumbers) -> None:
        self._are_numbers = are_numbers
        self._counters = counters(loop)
        # Names of numbers, with the parts of the batch that they were read of.
        self._numbers: dict[str, View] = {}

    def are_new(self, key: ast.expr, held: Held) -> bool:
        """Whether a key surely is another one in each round: it is, or has in it, what counts the rounds, a
        part of the batch itself or the number of one that is called as what tells items apart
        (``image_id.item()``), or that the dataset gives as such. What else is worked out from one (a label's
        number) may come again, and what is left of a division (``step % 20``) does.
        """
        if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Mod | ast.FloorDiv):
            return is_text(key.left)
        if isinstance(key, ast.Name):
            if key.id in self._counters or key.id in held.names:
                return True
            number = self._numbers.get(key.id)
        else:
            number = _number_of(key, held)
        if number is not None:
            place = number.known.place
            return tells_items_apart(_called(number.node)) or (place is not None and self._are_numbers(place))
        return not isinstance(key, ast.Call | ast.Subscript | ast.Slice) and any(
            self.are_new(each, held) for each in children(key) if isinstance(each, ast.expr)
        )

    def learn(self, statement: ast.stmt, held: Held) -> None:
        """Learn which names a statement gives to numbers of the batch."""
        given: list[tuple[ast.expr, ast.expr]] = []
        match statement:
            case ast.Assign(targets=[target], value=value):
                given = [(target, value)]
            case ast.For(target=target, iter=through):
                given = list(each_gone_through(target, through))
        for name in own_names(statement):
            self._numbers.pop(name, None)
        for part, source in given:
            number = _number_of(source, held) if isinstance(part, ast.Name) else None
            if isinstance(part, ast.Name) and number is not None:
                self._numbers[part.id] = number


def _number_of(node: ast.expr, held: Held) -> View | None:
    """The part of a batch of which an expression is the number, or the numbers."""
    match node:
        case ast.Call(func=ast.Attribute(value=part, attr="item" | "tolist"), args=[]):
            pass
        case ast.Call(func=ast.Name(id="int" | "str"), args=[part]):
            number = _number_of(part, held)
            if number is not None:
                return number
        case ast.Subscript(value=part, slice=ast.Constant(value=int())):
            return _number_of(part, held)
        case _:
            return None
    return held.view(part)


def _called(node: ast.expr) -> str:
    """What something is called: by its variable, attribute or key."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Subscript(value=whole) | ast.Call(func=ast.Attribute(value=whole)):
            return _called(whole)
    return ""
