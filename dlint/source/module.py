"""One file as the analysis sees it: its path, its text, its tree, and where in the tree a word stands."""

from __future__ import annotations

import ast
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from dlint.budget.budget import spend
from dlint.regex import regex
from dlint.source.statements import Scope

_RETURN = regex(r"\r\n?")
# In a block of more statements those on certain lines are looked up.
_FEW_STATEMENTS = 8
# What may stand between the name of a class and its bases: ``class Source[T: Hashable](Dataset[T])``.
TYPE_PARAMETERS: Final = r"\s*(?:\[[^\n]{0,300}?\]\s*)?"
# ``Source[int](path)`` calls a class by its name.
_TOLD_TYPES = regex(r"\[(?:[^\[\]()\n]|\[[^\[\]()\n]*\])*\]\(")


class Module:
    """A parsed file of the program.

    ``relative`` is its posix path below the program's root, ``is_package`` tells an ``__init__.py``.
    Modules are compared by identity: a program holds one per file.
    """

    __slots__ = (
        "_offsets",
        "_paths",
        "_returns",
        "_said",
        "_shared",
        "is_package",
        "options",
        "path",
        "relative",
        "text",
        "tree",
    )

    def __init__(self, path: Path, relative: str, text: str, tree: ast.Module) -> None:
        self.path = path
        self.relative = relative
        self.text = text
        self.tree = tree
        self.is_package = path.name == "__init__.py"
        self._offsets: array[int] | None = None
        # What was looked for, and the nodes on the ways there: many questions ask for the same names.
        self._paths: dict[tuple[str, bool | None, bool], list[list[ast.AST]]] = {}
        self._returns = "\r" in text
        self._said: dict[re.Pattern[str], bool] = {}
        self._shared: frozenset[str] | None = None
        # The calls that declare an option, with the ways to them, by the option's name (`declared_options`).
        self.options: dict[str | None, list[tuple[ast.Call, list[ast.AST]]]] | None = None

    def __repr__(self) -> str:
        return f"Module({self.relative})"

    @property
    def lines(self) -> list[str]:
        """The lines as Python's parser counts them (form feeds do not end a line); made anew for each who
        asks, since kept they would take as much memory as the text."""
        # A pattern takes ten times as long.
        return re.split(r"\r\n|\r|\n", self.text) if self._returns else self.text.split("\n")

    def says(self, what: re.Pattern[str]) -> bool:
        """Whether something stands anywhere in the text: looked for once, since many questions ask it."""
        known = self._said.get(what)
        if known is None:
            spend(len(self.text) // 1024)
            known = self._said[what] = what.search(self.text) is not None
        return known

    def lines_like(self, what: re.Pattern[str]) -> list[int]:
        """The numbers of the lines on which something stands."""
        return [number for number, line in enumerate(self.lines, 1) if what.search(line)]

    @property
    def shared_names(self) -> frozenset[str]:
        """The names that some function of the file declares as another scope's: ``global step``."""
        if self._shared is None:
            lines = [*self.lines_with("global"), *self.lines_with("nonlocal")]
            declared = [trail[-1] for trail in self.trails_at(lines)]
            self._shared = frozenset(
                name
                for each in declared
                if isinstance(each, ast.Global | ast.Nonlocal)
                for name in each.names
            )
        return self._shared

    def text_of(self, node: Scope | ast.stmt) -> str:
        """The lines that a node stands on."""
        if isinstance(node, ast.Module):
            return self.text
        return self._between(node.lineno, node.end_lineno or node.lineno)

    def _between(self, first: int, last: int) -> str:
        """The text from the beginning of one line to the end of another."""
        ends = self._ends
        start, last = ends[first - 2] if first > 1 else 0, min(last, len(ends))
        if not self._returns:
            return self.text[start : ends[last - 1] - 1]
        written = _RETURN.sub("\n", self.text[start : ends[last - 1]])
        return written[:-1] if last < len(ends) else written

    @property
    def _ends(self) -> array[int]:
        """Where the lines end, with what ends them."""
        if self._offsets is None:
            if self._returns:
                found = [match.end() for match in re.finditer(r"\r\n|\r|\n", self.text)]
                found.append(len(self.text))
            else:
                found = list(accumulate(len(line) + 1 for line in self.text.split("\n")))
            self._offsets = array("q", found)
        return self._offsets

    def column(self, line: int, offset: int) -> int:
        """The column, from 1 and in characters, of a byte offset that :mod:`ast` gave for a line."""
        text = self._between(line, line) if line <= len(self._ends) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode()[:offset].decode(errors="replace")) + 1

    def lines_with(self, word: str, *, called: bool | None = None, stored: bool = False) -> list[int]:
        """The numbers of the lines on which a name stands as a whole word, in order; ``called``: only
        where a parenthesis follows, and it is not a definition's; not ``called``: only where none follows
        at once; ``stored``: only where it may be an attribute that is stored or deleted."""
        found = list(_whole_words(self.text, word))
        spend(len(self.text) // 4096 + len(found))
        if called:
            text, length = self.text, len(word)
            found = [
                at
                for at in found
                if (
                    text[at + length : at + length + 8].lstrip(" ").startswith("(")
                    or (text.startswith("[", at + length) and _TOLD_TYPES.match(text, at + length))
                )
                and not text[max(0, at - 6) : at].endswith(("def ", "class "))
            ]
        elif called is False:
            found = [at for at in found if not self.text.startswith("(", at + len(word))]
        if stored:
            found = [at for at in found if _may_be_stored(self.text, at, at + len(word))]
        if not found:
            return []
        ends = self._ends
        return sorted({bisect_right(ends, offset) + 1 for offset in found})

    def paths_to(
        self, word: str, *, called: bool | None = None, stored: bool = False
    ) -> Iterator[list[ast.AST]]:
        """For every node that names ``word``, the nodes from the tree's root down to it; ``called``: only
        nodes on the lines where it is called need be among them, or where it is not; ``stored``: only those
        where it may be an attribute that is stored or deleted.

        Walks only the statements whose lines mention the word: looking at a whole tree in Python takes
        longer than parsing it. A definition, an import alias, a name, an attribute and a keyword count.
        """
        known = self._paths.get((word, called, stored))
        if known is None:
            lines = self.lines_with(word, called=called, stored=stored)
            known = []
            if lines:
                _descend(self.tree, [self.tree], word, lines, known)
            self._paths[word, called, stored] = known
        spend(1)
        yield from known

    def trails_at(self, lines: list[int]) -> Iterator[list[ast.AST]]:
        """For every statement that begins on one of these lines, the nodes from the root down to it."""
        yield from _statements_at(self.tree, [self.tree], sorted(set(lines)))


def _statements_at(node: ast.AST, trail: list[ast.AST], lines: list[int]) -> Iterator[list[ast.AST]]:
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, field, None)
        for child in block if isinstance(block, list) else ():
            first = getattr(child, "lineno", 0)
            last = getattr(child, "end_lineno", None) or 1 << 30
            spend(1)
            if not _is_any_within(lines, first, last):
                continue
            trail.append(child)
            if isinstance(child, ast.stmt):
                inner = getattr(child, "body", None)
                head = inner[0].lineno if isinstance(inner, list) and inner else last + 1
                # The body of `for x in y: use(x)` stands on the line of its head.
                if _is_any_within(lines, first, max(head - 1, first)):
                    yield list(trail)
            yield from _statements_at(child, trail, lines)
            trail.pop()


def _is_any_within(lines: list[int], first: int, last: int) -> bool:
    """Whether one of these lines, which are in order, lies between two others."""
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last


def _whole_words(text: str, word: str) -> Iterator[int]:
    """Where a word stands by itself; finding it as text first is much faster than a pattern."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield at
        at = text.find(word, end)


def _may_be_stored(text: str, start: int, end: int) -> bool:
    """Whether a word may be an attribute that a statement stores or deletes: by what stands around it."""
    while start and (text[start - 1].isspace() or text[start - 1] == "\\"):
        start -= 1
    if text[start - 1 : start] != ".":
        return False
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    following = text[end : end + 3]
    if following[:1].isalpha() or following[:1] == "_":
        return following[:2] == "in"  # for x.word in
    return not following.startswith(("(", "[", ".", "!", "=="))


def _descend(
    node: ast.AST, trail: list[ast.AST], word: str, lines: list[int], found: list[list[ast.AST]]
) -> None:
    looked_at = 0
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            children = _on_lines(value, lines) if len(value) > _FEW_STATEMENTS else value
        elif isinstance(value, ast.AST):
            children = (value,)
        else:
            continue
        for child in children:
            kind = type(child)
            if not isinstance(child, ast.AST) or kind in _NAMELESS:
                continue
            looked_at += 1
            first = getattr(child, "lineno", None)
            if first is not None:
                # Most children end here: no call is made for them.
                last: int = child.end_lineno  # type: ignore[attr-defined]
                at = bisect_right(lines, last)
                if at == 0 or (lines[at - 1] < first and lines[at - 1] < _first_line(child)):
                    continue
            trail.append(child)
            name = _NAME_OF.get(kind)
            if name is not None and name(child, word):
                found.append(list(trail))
            if kind is not ast.Name:
                _descend(child, trail, word, lines, found)
            trail.pop()
    spend(looked_at)


def _on_lines(block: list[ast.AST], lines: list[int]) -> Sequence[ast.AST]:
    """Of the statements of a long block at least those that stand on some of these lines."""
    if len(lines) * _FEW_STATEMENTS > len(block) or not isinstance(block[0], ast.stmt):
        return block
    wanted: set[int] = set()
    for line in lines:
        at = bisect_right(block, line, key=_first_line) - 1
        while at >= 0 and (block[at].end_lineno or 0) >= line:  # type: ignore[attr-defined]
            wanted.add(at)
            at -= 1
    return [block[at] for at in sorted(wanted)]


def _first_line(node: ast.AST) -> int:
    """The line that a node begins on: a decorator stands above the one that a definition gives as its own."""
    first: int = node.lineno  # type: ignore[attr-defined]
    decorators = getattr(node, "decorator_list", None)
    return min(first, decorators[0].lineno) if decorators else first


def _is_alias_of(node: ast.AST, word: str) -> bool:
    assert isinstance(node, ast.alias)
    return word in (node.name, node.asname) or word in node.name.split(".")


def _is_named(node: ast.AST, word: str) -> bool:
    named: bool = node.name == word  # type: ignore[attr-defined]
    return named


# Whether a node of a kind names a word.
_NAME_OF: dict[type[ast.AST], Callable[[ast.AST, str], bool]] = {
    ast.Name: lambda node, word: node.id == word,  # type: ignore[attr-defined]
    ast.Attribute: lambda node, word: node.attr == word,  # type: ignore[attr-defined]
    ast.keyword: lambda node, word: node.arg == word,  # type: ignore[attr-defined]
    ast.FunctionDef: _is_named,
    ast.AsyncFunctionDef: _is_named,
    ast.ClassDef: _is_named,
    ast.alias: _is_alias_of,
}
# These name nothing, and nothing stands in them.
_NAMELESS = frozenset({ast.Load, ast.Store, ast.Del, ast.Constant, ast.Pass, ast.Break, ast.Continue})
