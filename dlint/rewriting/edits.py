"""Changes to a tree, collected first and applied together, so that remedies of one file do not disturb
each other's positions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libcst as cst

from dlint.rewriting import header

if TYPE_CHECKING:
    from dlint.rewriting.source import Source

Change = Callable[[Any], cst.CSTNode]


@dataclass
class _OfNode:
    """What happens to one node: its own changes, statements before and after it, or its removal."""

    changes: list[tuple[Hashable, Change]] = field(default_factory=list)
    before: list[tuple[Hashable, cst.CSTNode]] = field(default_factory=list)
    after: list[tuple[Hashable, cst.CSTNode]] = field(default_factory=list)
    removed: bool = False
    exclusive: bool = False


class Edits:
    """The changes that one remedy (or, merged, several) makes to a :class:`Source`.

    A change is a function of the node as the changes inside it have left it, so nested changes compose.
    A change with a ``key`` is made once, however many remedies ask for it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._of: dict[cst.CSTNode, _OfNode] = {}
        self._imports: dict[tuple[str, str], None] = {}
        self._after_imports: dict[str, Sequence[header.Statement]] = {}
        self._defined: set[str] = set()
        self._extended: set[Hashable] = set()
        self._built_on: set[Hashable] = set()
        self.others: dict[Path, Edits] = {}
        self.dropped: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._of or self._imports or self._after_imports or any(self.others.values()))

    def elsewhere(self, source: Source) -> Edits:
        """The changes to another file that belong to these: both are made, or none."""
        if source.path == self.source.path:
            return self
        return self.others.setdefault(source.path, Edits(source))

    def add_import(self, module: str, name: str) -> None:
        """Import ``module`` as ``name`` in the module's import block."""
        self._imports[module, name] = None

    @property
    def imported(self) -> list[str]:
        """The modules that the file does not import yet, and will."""
        return [module for module, _ in self._imports]

    def add_after_imports(self, key: str, statements: Sequence[header.Statement]) -> None:
        """Put statements after the module's import block, once for every ``key``."""
        self._after_imports.setdefault(key, statements)

    def change(self, node: cst.CSTNode, change: Change, key: Hashable = None) -> None:
        """Pass ``node``, as changed so far, through ``change``."""
        self._at(node).changes.append((key, change))

    def replace(self, node: cst.CSTNode, new: cst.CSTNode, key: Hashable = None) -> None:
        """Put ``new`` in the place of ``node``; nothing else may touch what is inside ``node``."""
        self._at(node).exclusive = True
        self.change(node, lambda _old: new, key)

    def claim(self, node: cst.CSTNode) -> None:
        """Have no other remedy touch ``node`` or what is inside it this time."""
        self._at(node).exclusive = True

    def remove(self, node: cst.CSTNode) -> None:
        """Take ``node`` away; for statements there is ``pieces.statements.remove_statement``."""
        self._at(node).removed = True

    def drop_comment(self, comment: cst.Comment) -> None:
        """Let a comment go with what it speaks of; every other comment must stay."""
        self.dropped.append(comment.value)

    def insert_before(self, node: cst.CSTNode, new: Iterable[cst.CSTNode], key: Hashable = None) -> None:
        """Put statements before the statement ``node``."""
        self._at(node).before.extend(((key, index), each) for index, each in enumerate(new))

    def insert_after(self, node: cst.CSTNode, new: Iterable[cst.CSTNode], key: Hashable = None) -> None:
        """Put statements after the statement ``node``."""
        self._at(node).after.extend(((key, index), each) for index, each in enumerate(new))

    def define(self, name: str) -> None:
        """Take a module-level name that the file does not have; no other remedy may take it this time."""
        self._defined.add(name)

    def extend(self, what: Hashable, built_on: Iterable[Hashable]) -> None:
        """Extend something, as a class, by what depends on what others have, wherever these stand; no other
        remedy may extend those this time."""
        self._extended.add(what)
        self._built_on.update(built_on)

    def merge(self, other: Edits) -> bool:
        """Take over the changes of ``other`` to this file, or none and False where the two collide."""
        if self.is_at_odds_with(other):
            return False
        self._defined |= other._defined
        self._extended |= other._extended
        self._built_on |= other._built_on
        for node, whats in other._of.items():
            ours = self._at(node)
            for mine, new in (
                (ours.changes, whats.changes),
                (ours.before, whats.before),
                (ours.after, whats.after),
            ):
                _extend(mine, new)
            ours.removed |= whats.removed
            ours.exclusive |= whats.exclusive
        self.dropped += other.dropped
        self._imports |= other._imports
        self._after_imports = {**other._after_imports, **self._after_imports}
        return True

    def is_at_odds_with(self, other: Edits) -> bool:
        """Whether the changes that the two make to this file spoil each other."""
        return bool(self._defined & other._defined) or self._collides(other)

    def are_built_on(self, other: Edits) -> bool:
        """Whether the one extends what the other depends on, be it in another file."""
        return bool(self._extended & other._built_on or self._built_on & other._extended)

    def apply(self) -> cst.Module:
        """The tree with all changes made."""
        module = _apply(self.source.module, self._of)
        for name, alias in self._imports:
            module = header.with_import(module, name, alias, self.source.path.parent.parts)
        for statements in self._after_imports.values():
            module = header.with_statements_after_imports(module, statements)
        return module

    def _at(self, node: cst.CSTNode) -> _OfNode:
        return self._of.setdefault(node, _OfNode())

    def _collides(self, other: Edits) -> bool:
        return any(
            self._touches(mine, what, theirs, whats) or self._touches(theirs, whats, mine, what)
            for mine, what in self._of.items()
            for theirs, whats in other._of.items()
        )

    def _touches(self, node: cst.CSTNode, what: _OfNode, other: cst.CSTNode, whats: _OfNode) -> bool:
        """Whether replacing or removing ``node`` spoils what is done to ``other``."""
        if not (what.exclusive or what.removed):
            return False
        if node is other:
            return _keys(what) != _keys(whats) or what.removed != whats.removed
        return self.source.encloses(node, other)


def _keys(what: _OfNode) -> object:
    keys = [key for key, _ in what.changes]
    return keys if keys and None not in keys else id(what)


def _extend(mine: list[tuple[Hashable, Any]], new: Sequence[tuple[Hashable, Any]]) -> None:
    known = {_identity(key) for key, _ in mine}
    mine.extend((key, value) for key, value in new if _identity(key) not in known)


def _identity(key: Hashable) -> Hashable:
    """A key that equals no other when the change has none of its own."""
    unnamed = key is None or (isinstance(key, tuple) and len(key) == 2 and key[0] is None)
    return object() if unnamed else key


def _apply(module: cst.Module, of: dict[cst.CSTNode, _OfNode]) -> cst.Module:
    result = module.visit(_Apply(of))
    assert isinstance(result, cst.Module)
    return result


class _Apply(cst.CSTTransformer):
    def __init__(self, of: dict[cst.CSTNode, _OfNode]) -> None:
        super().__init__()
        self._of = of

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        what = self._of.get(original_node)
        if what is None:
            return updated_node
        node: cst.CSTNode = updated_node
        for _, change in what.changes:
            node = change(node)
        if not (what.before or what.after):
            return cst.RemoveFromParent() if what.removed else node
        kept = () if what.removed else (node,)
        before = (each for _, each in what.before)
        after = (each for _, each in what.after)
        return cst.FlattenSentinel([*before, *kept, *after])
