"""Where the parts of a dataset's items come from: what is kept in memory, or what is read for each item.

This follows the expressions of the dataset's ``__getitem__`` back by their names, whatever way the function
takes to where it ends: values forget what an unknown thing was made of, and a part is judged by just that.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.knowledge.loading import is_dataset
from dlint.knowledge.parts import (
    FILE_OF_ARRAYS,
    READS_HEADER,
    decodes,
    has_files,
    has_label,
    is_looked_up,
    sounds_like_data,
)
from dlint.knowledge.processes.handles import HANDLES
from dlint.source.desugaring.records import AFTER_INIT, is_record
from dlint.source.nodes import children, is_text
from dlint.source.statements import dotted, given_in, statements_in
from dlint.streams.items.definitions import Place, argument_of, constant_part, definitions_of
from dlint.streams.items.items import inner, readers
from dlint.streams.items.stages import functions_run
from dlint.streams.memory.stored import Field
from dlint.values.frame import Frame, Point, arguments_of
from dlint.values.functions import given_names, passed
from dlint.values.places import tests_around
from dlint.values.values import Class, External, Function, Instance, Key, Made, Value, is_none
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator


_FAR = 6


class Parts:
    """Tells whether a part of a dataset's items is read or decoded with every item."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._seen: set[tuple[object, ...]] = set()
        self._past_headers = False
        self._has_key = False
        self._past_columns = False
        self._by_decoders = False
        # By a frame of one of several transforms: the part of what it is given that it may be asked for.
        self._stages: dict[Key, Place] = {}

    def is_apart(self, dataset: Value, index: Place) -> bool:
        """Whether a part can be read without the rest, for all items, and the first takes reading: both are
        in a file of arrays that stays open."""
        self._past_columns = True
        try:
            apart = not self.is_read(dataset, index)
        finally:
            self._past_columns = False
        return apart and self.is_read(dataset, 0)

    def is_decoded(self, dataset: Value, index: Place) -> bool:
        """Whether a part takes more than the header of a file, which is read where it is opened."""
        self._past_headers = True
        try:
            return self.is_read(dataset, index)
        finally:
            self._past_headers = False

    def is_decoded_from_file(self, dataset: Value, index: Place) -> bool:
        """Whether a part surely is decoded from a file that says in its header how large it is: an image or a
        sound, be it worked on since; a text must be read to know."""
        self._by_decoders = True
        try:
            return self.is_decoded(dataset, index)
        finally:
            self._by_decoders = False

    def is_read(self, dataset: Value, index: Place) -> bool:
        """Whether a part, by its place or key in the item (None: the whole), takes reading or decoding. What
        has a key may be anything: where something unknown works it out, that may be work."""
        before, self._has_key = self._has_key, self._has_key or isinstance(index, str | Field)
        try:
            return self._is_read(dataset, index)
        finally:
            self._has_key = before

    def has_field(self, dataset: Value, name: str) -> bool:
        """Whether the items of a dataset surely are records that keep something as it was given to them,
        under a name."""
        if isinstance(dataset, Made):
            parts = list(inner(self._evaluator, dataset, HERE))
            return bool(parts) and all(self.has_field(part, name) for part, _ in parts)
        items = [
            item
            for reader in readers(self._evaluator, dataset, HERE)
            for statement in statements_in(reader.frame.layout.body)
            if isinstance(statement, ast.Return) and statement.value is not None
            for item, _ in self._evaluator.values(statement.value, Point(reader.frame, statement))
        ]
        return bool(items) and all(
            isinstance(item, Instance) and name in self._fields(item) and self._keeps(item.cls, name)
            for item in items
        )

    def _keeps(self, cls: Class, name: str) -> bool:
        """Whether a record gives what it was given under a name, and does nothing more when it is made."""
        member = self._evaluator.classes.member
        worked_out = any(isinstance(value, Function) for value, _ in member(cls, name))
        return not worked_out and not any(member(cls, each) for each in AFTER_INIT)

    def _fields(self, item: Instance) -> list[str]:
        """What a record is made of."""
        if not is_record(item.cls.node):
            return []
        made = self._evaluator.classes.methods(item, "__init__")
        return [name for method in made[:1] for name in given_names(method)]

    def _of_record(self, item: Instance, node: ast.Call, index: int | Field, point: Point, far: int) -> bool:
        """Whether what a call gives to one field of a record is read."""
        fields = self._fields(item)
        name = index.name if isinstance(index, Field) else fields[index] if index < len(fields) else ""
        given = [
            each
            for method in self._evaluator.classes.methods(item, "__init__")[:1]
            if (each := passed(method, node).get(name)) is not None
        ]
        return any(self._of(each, None, point, far) for each in given)

    def _is_read(self, dataset: Value, index: Place) -> bool:
        if isinstance(dataset, Made):
            parts = list(inner(self._evaluator, dataset, HERE))
            if parts:
                return any(self.is_read(part, index) for part, _ in parts)
            if self._by_decoders and not has_files(dataset.name):
                return False
            return is_dataset(dataset.name) and not _is_label(dataset.name, index)
        return any(
            self._returned(reader.frame, index, 0) for reader in readers(self._evaluator, dataset, HERE)
        )

    def _returned(self, frame: Frame, index: Place, far: int) -> bool:
        """Whether what a function gives, or a part of it, is read, as its object is: where that has labels,
        it does not come to where it gives the image alone."""
        mark = (frame.key, index)
        if far > _FAR:
            return not self._by_decoders  # who knows
        if mark in self._seen:
            return False
        self._seen.add(mark)
        found = any(
            (self._of(statement.value, index, at, far) or self._is_asked_for(at, far))
            and self._evaluator.flow.reaching(at, HERE)
            for statement in statements_in(frame.layout.body)
            if isinstance(statement, ast.Return) and statement.value is not None
            for at in [Point(frame, statement)]
        )
        self._seen.discard(mark)
        return found

    def _of(self, node: ast.expr, index: Place, point: Point, far: int) -> bool:
        match node:
            case ast.Dict(keys=keys, values=held) if isinstance(index, str):
                return any(
                    self._of(each, index if key is None else None, point, far)
                    for key, each in zip(keys, held, strict=True)
                    if not isinstance(key, ast.Constant) or key.value == index
                )
            case ast.Tuple(elts=items) | ast.List(elts=items) if isinstance(index, int):
                if any(isinstance(item, ast.Starred) for item in items):
                    return self._of_starred(items, index, point, far)
                return index < len(items) and self._of(items[index], None, point, far)
            case ast.IfExp(body=body, orelse=orelse):
                return self._of(body, index, point, far) or self._of(orelse, index, point, far)
            case ast.Name(id=name):
                return self._of_name(name, index, point, far)
            case ast.Call():
                return self._of_call(node, index, point, far)
            case ast.Subscript(value=base, slice=at):
                values = [value for value, _ in self._evaluator.values(base, point)]
                if any(isinstance(value, Instance) or _is_dataset(value) for value in values):
                    return any(self.is_read(value, index) for value in values)
                if values and all(_is_whole_array(value) for value in values) and not is_text(at):
                    return False
                if (
                    self._past_columns
                    and isinstance(at, ast.Name | ast.Subscript)
                    and self._is_column(base, point)
                ):
                    return False
                if self._of(base, constant_part(at), point, far):
                    return True
                return not self._by_decoders and self._of(at, None, point, far)
            case ast.Attribute(value=ast.Name(id="self")):
                values = [value for value, _ in self._evaluator.values(node, point)]
                if self._past_headers:
                    return False  # what a file of arrays holds is read when it is gone into
                return any(isinstance(value, Made) and value.name in HANDLES for value in values)
            case ast.Lambda():
                return False
        return any(
            self._of(child, None, point, far)
            for part in children(node)
            for child in ([part.iter] if isinstance(part, ast.comprehension) else [part])
            if isinstance(child, ast.expr)
        )

    def _is_column(self, node: ast.expr, point: Point) -> bool:
        """Whether an expression is what a file of arrays, which the dataset keeps open, has of every item
        under a name of its own: it can be read without the rest of the items."""
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id="self")) as file, slice=ast.Constant(value=str(name))
            ) if not sounds_like_data(name):
                values = [value for value, _ in self._evaluator.values(file, point)]
                return bool(values) and all(
                    isinstance(value, Made) and value.name == FILE_OF_ARRAYS for value in values
                )
        return False

    def _of_starred(self, items: list[ast.expr], index: int, point: Point, far: int) -> bool:
        """The same of ``(*parts, more)[index]``: which of them that is may depend on how many there are."""
        at = next(at for at, item in enumerate(items) if isinstance(item, ast.Starred))
        if 0 <= index < at:
            return self._of(items[index], None, point, far)
        spread = items[at]
        assert isinstance(spread, ast.Starred)
        if index >= at and self._surely_has(spread.value, index - at, point, far):
            return self._of(spread.value, index - at, point, far)
        return any(self._of(item, None, point, far) for item in items)

    def _surely_has(self, node: ast.expr, index: int, point: Point, far: int) -> bool:
        """Whether something surely has a part with a number: items of torchvision's datasets have a label."""
        match node:
            case ast.Tuple(elts=items):
                for at, item in enumerate(items[: index + 1]):
                    if isinstance(item, ast.Starred):
                        return self._surely_has(item.value, index - at, point, far)
                return index < len(items)
            case ast.Subscript(value=base):
                values = [value for value, _ in self._evaluator.values(base, point)]
                return bool(values) and all(self._items_have(value, index, far) for value in values)
        return False

    def _items_have(self, dataset: Value, index: int, far: int) -> bool:
        if isinstance(dataset, Made):
            parts = [part for part, _ in inner(self._evaluator, dataset, HERE)]
            if parts:
                return far < _FAR and all(self._items_have(part, index, far + 1) for part in parts)
            torchvisions = dataset.name.startswith("torchvision.datasets.")
            return torchvisions and index < 2 and has_label(dataset.name, 1)
        given = [
            (statement.value, Point(reader.frame, statement))
            for reader in readers(self._evaluator, dataset, HERE)
            for statement in statements_in(reader.frame.layout.body)
            if isinstance(statement, ast.Return) and statement.value is not None
        ]
        return far < _FAR and bool(given) and all(self._surely_has(n, index, p, far + 1) for n, p in given)

    def _of_name(self, name: str, index: Place, point: Point, far: int) -> bool:
        mark, frame = (point.frame.key, name, index), point.frame
        if mark in self._seen:
            return False
        self._seen.add(mark)
        given = argument_of(frame, name)
        # What the dataset was given decides which of them there are: a transform, or none.
        found = any(
            (self._of(node, part, at, far) or self._is_asked_for(at, far))
            and self._evaluator.flow.reaching(at, HERE)
            for node, part, at in (definitions_of(name, index, frame) if name in frame.layout.binds else ())
        )
        if given is not None and given.expression is not None and given.point is not None and not found:
            found = self._stages.get(frame.key, index) != index or self._of(
                given.expression, index, given.point, far
            )
        self._seen.discard(mark)
        return found

    def _is_asked_for(self, point: Point, far: int) -> bool:
        """Whether a function that an item, or a part of it, is handed to must read that to know whether it
        comes to a place."""
        if self._by_decoders or point.frame.caller is None:
            return False
        return any(self._of_test(test, point, far) for test, _, _ in tests_around(point))

    def _of_test(self, test: ast.AST, point: Point, far: int) -> bool:
        """Whether a test is about what is read: what it calls says nothing of that, but what it is given."""
        match test:
            case ast.Call(func=func, args=args, keywords=told):
                on = [func.value] if isinstance(func, ast.Attribute) else []
                return any(
                    self._of_test(each, point, far) for each in (*on, *args, *(word.value for word in told))
                )
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self._of(test, None, point, far)
        return any(self._of_test(each, point, far) for each in children(test))

    def _of_call(self, node: ast.Call, index: Place, point: Point, far: int) -> bool:
        if isinstance(index, int | Field) and not _is_spread(node):
            made = [value for value, _ in self._evaluator.values(node, point)]
            records = [each for each in made if isinstance(each, Instance) and each.node is node]
            if made and len(records) == len(made) and all(map(self._fields, records)):
                return any(self._of_record(each, node, index, point, far) for each in records)
        found = None if index is None else self._of_result(node, index, point, far)
        if found is not None:
            return found
        for value, _ in self._evaluator.values(node.func, point):
            if isinstance(value, External) and self._by_decoders:
                if decodes(value.name) and not any(each.arg == "mmap_mode" for each in node.keywords):
                    return True
            elif isinstance(value, External):
                dataset = value.name.removesuffix(".__getitem__")
                if dataset != value.name and is_dataset(dataset):
                    if not _is_label(dataset, index):
                        return True
                elif not is_looked_up(value.name) and not (self._past_headers and value.name in READS_HEADER):
                    return True
            elif isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
                frame = self._evaluator.calls.enter(value, arguments_of(node, point), node, point)
                if self._returned(frame, index, far + 1):
                    return True
            elif self._has_key and not self._by_decoders and not isinstance(value, Class | Function):
                return True
        if isinstance(index, str) and dotted(node.func) == "dict" and not node.args:
            parts = [keyword for keyword in node.keywords if keyword.arg in (None, index)]
            return any(self._of(each.value, None if each.arg else index, point, far) for each in parts)
        given = given_in(node)
        if isinstance(node.func, ast.Attribute):
            given.append(node.func.value)
        # What an item is handed to may work on each of its parts: one is surely decoded where that one was.
        part = index if self._by_decoders and isinstance(index, str) else None
        return any(self._of(each, part, point, far) for each in given)

    def _of_result(self, node: ast.Call, index: int | str | Field, point: Point, far: int) -> bool | None:
        """Whether a part of what functions of the program make of what they are given is read; None where
        anything else may be called."""
        if _is_spread(node) or far >= _FAR:
            return None
        called = [value for value, _ in self._evaluator.values(node.func, point)]
        ways = [functions_run(self._evaluator, value) for value in called if not is_none(value)]
        if not ways or not all(ways):
            return None
        for functions in ways:
            for function in functions:
                frame = self._evaluator.calls.enter(function, arguments_of(node, point), node, point)
                if len(functions) > 1:
                    self._stages[frame.key] = index
                found = self._returned(frame, index, far + 1)
                self._stages.pop(frame.key, None)
                if found:
                    return True
        return False


def _is_spread(node: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    )


def _is_label(dataset: str, index: Place) -> bool:
    """Whether a part of what a dataset of a library gives is the label."""
    return isinstance(index, int) and has_label(dataset, index)


def _is_whole_array(value: Value) -> bool:
    """Whether something is an array that ``numpy.load`` has read as a whole, should it have numbers for keys:
    an archive of arrays has names."""
    return (
        isinstance(value, Made)
        and value.name == "numpy.load"
        and len(value.arguments.positional) == 1
        and "mmap_mode" not in value.arguments.keywords
        and not value.arguments.splats
    )


def _is_dataset(value: Value) -> bool:
    return isinstance(value, Made) and is_dataset(value.name)
