"""What an expression has of a batch's memory, by what is known of names: a part of it, or another view."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Protocol

from dlint.knowledge.tensors import MAKE_ARRAYS, VARIABLE, is_view, tells_tensor
from dlint.source.statements import bare_name
from dlint.streams.memory.entries import Entries
from dlint.streams.memory.places import Named, Place, View
from dlint.streams.memory.same import as_shaped, copies, is_cpu, is_in_order, is_plain, type_told
from dlint.streams.memory.stored import ANY, Field

_MAKE_TENSORS = frozenset({"as_tensor", "from_numpy", VARIABLE})
# What may be told a function that gives the memory of its first argument.
_LEAVES_MEMORY = frozenset({"dim", "requires_grad", "volatile"})


class Callees(Protocol):
    """What calls do with the memory that they are given: asked with what is called."""

    def hands_on(self, callee: ast.expr) -> bool:
        """Whether a call hands on the memory of its first argument."""

    def is_record(self, callee: ast.expr) -> bool:
        """Whether a call makes an object that holds its arguments, as they are."""

    def keys_in(self, node: ast.expr) -> list[str | int]:
        """All that something holds, in order, where these are known keys."""


class Views:
    """The names that have a batch's memory, with their places in it, and the entries that are overwritten."""

    def __init__(
        self,
        names: Iterable[tuple[str, Named]] = (),
        callees: Callees | None = None,
    ) -> None:
        self.names = dict(names)
        self.entries = Entries()
        # Names of whole numbers, by which one part is taken.
        self.counts: set[str] = set()
        # Names of tuples that were written out with such things in them, with what stands where.
        self.tuples: dict[str, list[View | None]] = {}
        # Names of the keys of a dict that a loop goes through: where it is, and which keys they are.
        self.keys: dict[str, Place] = {}
        # Names of keys that are written out, and the one that each stands for in this round.
        self.written: dict[str, str | int] = {}
        self._callees = callees

    def view(self, node: ast.expr) -> View | None:
        """What an expression has of a batch, None where it has none of its memory or nobody can tell."""
        match node:
            case ast.Name(id=name):
                if name not in self.names:
                    return None
                known = self.names[name]
                return View(node, known, from_array=known.is_array)
            case ast.Attribute(value=base, attr=attribute):
                below = self.view(base)
                if below is None or attribute == "numpy":
                    return None
                if not is_view(attribute):
                    return self._field(node, below.known)
                known = below.known
                in_order = known.in_order and is_in_order(attribute, [], [])
                return below._replace(node=node, known=known._replace(in_order=in_order))
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(number))) if (
                name in self.tuples
            ):
                held = self.tuples[name][number : number + 1] if number >= 0 else []
                return (
                    View(node, held[0].known, from_array=held[0].known.is_array) if held and held[0] else None
                )
            case ast.Subscript(value=base, slice=at):
                return self._part(node, base, at)
            case ast.Call(
                func=ast.Attribute(value=base, attr="get" | "pop"), args=[ast.Constant(value=str()) as at, *_]
            ):
                return self._part(node, base, at)
            case ast.Call(func=ast.Attribute(value=base)) if (below := self.view(base)) is not None:
                return self._of_method(node, below)
        if (
            isinstance(node, ast.Call)
            and node.args
            and all(keyword.arg in _LEAVES_MEMORY for keyword in node.keywords)
            and self._callees is not None
        ):
            below = self.view(node.args[0])
            if below is not None and self._callees.hands_on(node.func):
                name = bare_name(node.func)
                known = below.known
                if copies(known, name):
                    return None
                is_array = known.is_array
                if name in MAKE_ARRAYS or name in _MAKE_TENSORS:
                    is_array = name in MAKE_ARRAYS
                in_order = known.in_order and is_in_order(name, node.args[1:], node.keywords)
                known = as_shaped(known, name)._replace(is_array=is_array, in_order=in_order)
                if name == VARIABLE:
                    return below._replace(node=node, known=known._replace(is_tensor=True))
                return below._replace(node=node, known=known, given=below.given or below.node)
        return None

    def _of_method(self, node: ast.Call, below: View) -> View | None:
        """What a method of something that has of the batch gives."""
        assert isinstance(node.func, ast.Attribute)
        method, args, keywords, known = node.func.attr, node.args, node.keywords, below.known
        to = type_told(method, args, keywords)
        if to is not None and known.is_array is False:
            known = known._replace(is_tensor=True, casts=known.casts | {to})
            return below._replace(node=node, known=known)
        if not (is_view(method) or (method == "to" and is_cpu(args, keywords))) or copies(known, method):
            return None
        known = as_shaped(known, method)._replace(
            is_tensor=known.is_tensor or tells_tensor(method),
            is_array=True if method == "numpy" else known.is_array,
            in_order=known.in_order and is_in_order(method, args, keywords),
        )
        return below._replace(node=node, known=known)

    def _part(self, node: ast.expr, base: ast.expr, at: ast.expr) -> View | None:
        below = self.view(base)
        if isinstance(at, ast.Name) and at.id in self.written:
            at = ast.Constant(self.written[at.id])
        counted = isinstance(at, ast.Name) and at.id in self.counts
        if below is None:
            return None
        known = below.known
        if isinstance(at, ast.Name) and known.place is not None and not known.is_one:
            below_key = self.keys.get(at.id)
            if below_key is not None and below_key[:-1] == known.place:
                return self._at(node, below_key, in_order=known.in_order)
        if not (counted or is_plain(at)):
            return None
        if known.place is None or known.is_one or not (counted or isinstance(at, ast.Constant)):
            skips = isinstance(at, ast.Tuple) or (isinstance(at, ast.Slice) and at.step is not None)
            known = known._replace(in_order=known.in_order and not skips)
            for each in at.elts if isinstance(at, ast.Tuple) else [at]:
                if not isinstance(each, ast.Slice):
                    known = known.rows()
            return below._replace(node=node, known=known)
        place = (*known.place, at.value if isinstance(at, ast.Constant) else ANY)
        if isinstance(place[-1], str) and known.place in self.entries.moved:
            return None
        return self._at(node, place, in_order=known.in_order)

    def _field(self, node: ast.Attribute, known: Named) -> View | None:
        """What an attribute has of the batch, where that is an object."""
        is_whole = known.place == () and known.place not in self.entries.told and not known.is_one
        return self._at(node, (Field(node.attr),)) if is_whole else None

    def _at(self, node: ast.expr, place: Place, *, in_order: bool = True) -> View | None:
        """What is at a place of the batch, if that is there still."""
        if not self.entries.are_there(place):
            return None
        is_array = self.entries.stored_as_array(place)
        return View(node, Named(place, is_array=is_array, in_order=in_order), from_array=is_array)
