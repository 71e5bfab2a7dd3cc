"""The oldest torch that a program's own code can run on: by what it is written in, and by the names it uses.

Asked only where nobody says which torch it is, and a finding hangs on that. Which files are parsed for it
is decided by the words in them. What stands in a ``try``, or in a file that asks for the release, may be
missing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from dlint.knowledge.releases import (
    FIRST_PYTHON_WITH,
    FIRST_PYTHON_WITH_BAR,
    FIRST_TORCH_OF_PYTHON,
    FIRST_TORCH_WITH,
    FIRST_TORCH_WITH_WEIGHTS,
    WEIGHTS,
)
from dlint.project.index.index import Index
from dlint.regex import regex
from dlint.source.nodes import is_written_none
from dlint.source.reading import SourceError, decode
from dlint.source.statements import dotted, last_name
from dlint.source.trees.parsing import parse

Release = tuple[int, ...]
_LIBRARIES = ("torch", "torchvision")

# Where the code has two ways, one of which may be for an older torch.
_ASKS = regex(
    rb"\b(?:torch|torchvision)\.__version__|attr\(\s*(?:torch|torchvision|nn|F)\b|version\.parse|parse_version"
    rb"|\bVersion\(|TORCH_(?:VERSION|MAJOR|GE|\d)|torch_version"
)
# By Python, texts that what it took into the grammar cannot do without. Most of them mean something else.
_GRAMMAR = {
    (3, 8): regex(rb":="),
    (3, 10): regex(
        rb"^[ \t]*match\b[^\n]*:[ \t]*(?:#[^\n]*)?\r?$|\|[ \t]*None\b|\bNone[ \t]*\|", re.MULTILINE
    ),
    (3, 11): regex(rb"^[ \t]*except[ \t]*\*", re.MULTILINE),
    (3, 12): regex(
        rb"^[ \t]*type[ \t]+\w[^\n=]*=|^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+\[", re.MULTILINE
    ),
}


class Need(NamedTuple):
    """What needs a torch that is not older than ``torch``, and where it stands."""

    torch: Release
    what: str
    file: str
    line: int


def need_of(index: Index, release: Release | None = None) -> Need | None:
    """What needs the newest torch, or, where a release is named, something that needs no older one; None
    where the code may run on any."""
    least = release or ()
    found = (
        each for each in chain(_by_names(index, least), _by_grammar(index, least)) if each.torch >= least
    )
    if release is not None:
        return next(found, None)
    return max(found, key=lambda need: need.torch, default=None)


def _by_names(index: Index, least: Release) -> Iterator[Need]:
    """The uses of names that came with a release or later, file by file."""
    library = {relative for name in _LIBRARIES for relative in index.naming(name)}
    wanted: dict[str, list[re.Pattern[bytes]]] = {}
    for name, torch in FIRST_TORCH_WITH.items():
        if torch >= least:
            for relative in library.intersection(index.naming(name.rpartition(".")[2])):
                wanted.setdefault(relative, []).append(_written(name))
    if least <= FIRST_TORCH_WITH_WEIGHTS:
        for relative in library.intersection(index.mentioning(WEIGHTS)):
            wanted.setdefault(relative, []).append(re.compile(WEIGHTS.encode()))
    for relative in sorted(wanted):
        data = index.data(relative)
        if (
            index.is_test(relative)
            or _ASKS.search(data)
            or not any(text.search(data) for text in wanted[relative])
        ):
            continue
        tree = _tree(data)
        if tree is not None:
            yield from _Uses(tree, relative).found


def _written(name: str) -> re.Pattern[bytes]:
    """How a name may be written: with the last name before it, or an alias of that, or in an import."""
    parent, _, word = name.rpartition(".")
    base = parent.rpartition(".")[2] if parent in _LIBRARIES else r"\w"
    return re.compile(rf"{base}\s*\.\s*{word}\b|\bfrom\s+{re.escape(parent)}\s+import\b".encode())


def _by_grammar(index: Index, least: Release) -> Iterator[Need]:
    texts = [text for python, text in _GRAMMAR.items() if FIRST_TORCH_OF_PYTHON[python] >= least]
    for relative in index.paths:
        data = index.data(relative)
        if index.is_test(relative) or not any(text.search(data) for text in texts):
            continue
        tree = _tree(data)
        for python, what, line in _pythons(tree) if tree is not None else ():
            torch = FIRST_TORCH_OF_PYTHON[python]
            yield Need(torch, f"{what} (Python {'.'.join(map(str, python))})", relative, line)


def _tree(data: bytes) -> ast.Module | None:
    try:
        return parse(decode(data))
    except SourceError:
        return None


class _Uses(ast.NodeVisitor):
    """The names of torch and torchvision that a file cannot do without."""

    def __init__(self, tree: ast.Module, relative: str) -> None:
        self.found: list[Need] = []
        self._file = relative
        self._bound: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    bound = name.asname or name.name.partition(".")[0]
                    self._bound[bound] = name.name if name.asname else bound
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for name in node.names:
                    self._bound[name.asname or name.name] = f"{node.module}.{name.name}"
        self.visit(tree)

    def visit_Try(self, node: ast.Try) -> None:
        """What raises there is expected."""
        for part in (*node.handlers, *node.orelse, *node.finalbody) if node.handlers else node.finalbody:
            self.visit(part)
        if not node.handlers:
            for statement in node.body:
                self.visit(statement)

    def visit_With(self, node: ast.With) -> None:
        """As above: ``with suppress(ImportError):``."""
        if not any("suppress" in ast.unparse(item.context_expr) for item in node.items):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """What stands there for type checkers is not executed."""
        if last_name(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """``from torch.utils.data import default_collate``."""
        for name in () if node.level else node.names:
            self._meet(f"{node.module}.{name.name}", node.lineno)

    def visit_Import(self, node: ast.Import) -> None:
        """``import torch.nn.functional``."""
        for name in node.names:
            self._meet(name.name, node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``torch.compile``; ``F.mish``."""
        name = dotted(node)
        if name is None:
            self.visit(node.value)
            return
        head, _, rest = name.partition(".")
        if head in self._bound:
            self._meet(f"{self._bound[head]}.{rest}", node.lineno)

    def _meet(self, name: str, line: int) -> None:
        """A name that is used, with all that it is part of."""
        parts = name.split(".")
        if parts[0] not in _LIBRARIES:
            return
        for length in range(2, len(parts) + 1):
            whole = ".".join(parts[:length])
            if whole in FIRST_TORCH_WITH:
                self.found.append(Need(FIRST_TORCH_WITH[whole], whole, self._file, line))
            elif whole.startswith("torchvision.models.") and whole.endswith(WEIGHTS):
                self.found.append(Need(FIRST_TORCH_WITH_WEIGHTS, whole, self._file, line))


def _pythons(tree: ast.Module) -> Iterator[tuple[Release, str, int]]:
    """What is new in the grammar of a file: since which Python, what, and where."""
    late = any(
        isinstance(node, ast.ImportFrom) and any(name.name == "annotations" for name in node.names)
        for node in tree.body
    )
    for node in ast.walk(tree):
        known = FIRST_PYTHON_WITH.get(type(node).__name__)
        if known is not None:
            yield known[0], known[1], getattr(node, "lineno", 1)
        elif getattr(node, "type_params", None):
            yield (3, 12), "type parameters", getattr(node, "lineno", 1)
        elif not late:
            for annotation in _executed(node):
                if any(map(_is_bar, ast.walk(annotation))):
                    yield FIRST_PYTHON_WITH_BAR, ast.unparse(annotation), annotation.lineno


def _executed(node: ast.AST) -> Iterator[ast.expr]:
    """The annotations that are executed where a function is defined, or a class's body runs."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        given = node.args
        several = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        annotations = [*(each.annotation for each in several if each is not None), node.returns]
        yield from (each for each in annotations if each is not None)
    elif isinstance(node, ast.Module | ast.ClassDef):
        yield from (each.annotation for each in node.body if isinstance(each, ast.AnnAssign))


def _is_bar(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and any(map(is_written_none, (node.left, node.right)))
    )
