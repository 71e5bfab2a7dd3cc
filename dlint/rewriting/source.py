"""One file as it is edited: its text, its tree, where each node stands and what its names mean."""

from __future__ import annotations

import io
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import (
    CodeRange,
    MetadataWrapper,
    PositionProvider,
    QualifiedNameProvider,
    QualifiedNameSource,
    ScopeProvider,
)

from dlint.finding import Finding
from dlint.rewriting.graft import Graft
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.surroundings import Surroundings
from dlint.source.trees.parsing import is_deep

_BOM = b"\xef\xbb\xbf"

Function = cst.FunctionDef | cst.Lambda


class Source:
    """A file's bytes, parsed. Raises :class:`CannotRepair` when they cannot be decoded or parsed."""

    def __init__(self, path: Path, data: bytes, surroundings: Surroundings | None = None) -> None:
        self.path = path
        self._surroundings = surroundings
        self.data = data
        self._bom = _BOM if data.startswith(_BOM) else b""
        body = data[len(self._bom) :]
        self.encoding = _encoding(body)
        text = body.decode(self.encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if is_deep(text):  # libcst goes down by recursion, and takes minutes for what is very deep
                raise CannotRepair("something in the file is nested too deeply to be edited")
        try:
            module = cst.parse_module(text)
        except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError) as error:
            raise CannotRepair(f"libcst cannot parse the file: {str(error).splitlines()[0]}") from error
        self._wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = module
        self._graft = Graft(text, module.code) if module.code != text else None

    @cached_property
    def surroundings(self) -> Surroundings:
        """The program around the file; one of this file alone where none was given."""
        if self._surroundings is not None:
            return self._surroundings
        path = self.path if self.path.is_absolute() else Path("/") / self.path
        self.path = path

        def opened(_: Path) -> Source:
            raise CannotRepair("no other file may be edited")

        return Surroundings(path.parent, [path], {path: self.data}, opened)

    def encode(self, module: cst.Module) -> bytes:
        """The bytes of the file with ``module`` for a tree. Raises CannotRepair if it cannot say them."""
        text = module.code if self._graft is None else self._graft.carry(module.code)
        if text is None:
            raise CannotRepair("libcst would change blank space beside the edit")
        try:
            return self._bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise CannotRepair(f"the file's encoding {self.encoding} cannot hold the new text") from error

    # Places

    @cached_property
    def _ranges(self) -> dict[cst.CSTNode, CodeRange]:
        return dict(self._wrapper.resolve(PositionProvider))

    @cached_property
    def _children(self) -> dict[cst.CSTNode, Sequence[cst.CSTNode]]:
        """libcst finds the children of a node anew, and slowly, every time it is asked."""
        children: dict[cst.CSTNode, Sequence[cst.CSTNode]] = {}
        waiting: list[cst.CSTNode] = [self.module]
        while waiting:
            node = waiting.pop()
            children[node] = node.children
            waiting.extend(children[node])
        return children

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        return {child: node for node, children in self._children.items() for child in children}

    def range(self, node: cst.CSTNode) -> tuple[tuple[int, int], tuple[int, int]]:
        """Start and end of ``node`` as (line from 1, column from 0 in characters), end exclusive."""
        where = self._ranges[node]
        return (where.start.line, where.start.column), (where.end.line, where.end.column)

    def at(self, finding: Finding, *types: type[Any]) -> Any:
        """The node of one of ``types`` that the finding points at.

        That is the one that spans the same characters, else the largest that starts there, else the
        smallest around it. Raises CannotRepair when there is none.
        """
        start = (self._line(finding.line), finding.column - 1)
        end = (self._line(finding.end_line), finding.end_column - 1)
        best: cst.CSTNode | None = None
        rank: tuple[int, int, int] | None = None
        for node, where in self._ranges.items():
            if not isinstance(node, types):
                continue
            begins = (where.start.line, where.start.column)
            ends = (where.end.line, where.end.column)
            size = (ends[0] - begins[0]) * 10_000 + ends[1] - begins[1]
            if begins == start and ends == end:
                mine = (0, 0, size)
            elif begins == start:
                mine = (1, 0, -size)
            elif begins <= start and end <= ends:
                mine = (2, 0, size)
            else:
                continue
            if rank is None or mine < rank:
                best, rank = node, mine
        if best is None:
            raise CannotRepair("the code at this place is not of a shape that dlint can edit")
        return best

    def _line(self, line: int) -> int:
        """The line of the tree's text that is this line of the file's."""
        return line if self._graft is None else self._graft.line(line) or line

    def line_in_file(self, line: int) -> int:
        """The line of the file that is this line of the tree's text."""
        return line if self._graft is None else self._graft.line_in_original(line) or line

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that ``node`` is a child of."""
        return self._parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around ``node``, from the inside out, the module last."""
        above = self._parents.get(node)
        while above is not None:
            yield above
            above = self._parents.get(above)

    def enclosing(self, node: cst.CSTNode, *types: type[Any]) -> Any:
        """The innermost node of ``types`` around ``node``."""
        return next((each for each in self.ancestors(node) if isinstance(each, types)), None)

    def encloses(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether ``outer`` is somewhere above ``inner``."""
        return any(each is outer for each in self.ancestors(inner))

    def function_of(self, node: cst.CSTNode) -> Function | None:
        """The innermost function or lambda around ``node``."""
        function: Function | None = self.enclosing(node, cst.FunctionDef, cst.Lambda)
        return function

    def statement_of(self, node: cst.CSTNode) -> cst.BaseStatement | cst.BaseSmallStatement:
        """The small or compound statement that ``node`` is or stands in."""
        wanted = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
        if isinstance(node, wanted):
            return node
        found: cst.BaseStatement | cst.BaseSmallStatement = self.enclosing(node, *wanted)
        return found

    def line_of(self, node: cst.CSTNode) -> cst.BaseStatement | cst.SimpleStatementSuite:
        """The statement line (or one-line suite, or compound statement) that ``node`` stands in."""
        wanted = (cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.BaseCompoundStatement)
        if isinstance(node, wanted):
            return node
        found: cst.BaseStatement | cst.SimpleStatementSuite = self.enclosing(node, *wanted)
        return found

    def top_level(self, node: cst.CSTNode) -> cst.BaseStatement | cst.SimpleStatementLine:
        """The statement of the module's body that ``node`` is or stands in."""
        chain = [node, *self.ancestors(node)]
        found = chain[-2]
        assert isinstance(found, cst.SimpleStatementLine | cst.BaseCompoundStatement)
        return found

    def descendants(self, node: cst.CSTNode, *types: type[Any]) -> Iterator[Any]:
        """The nodes of ``types`` inside ``node`` in the order of the text."""
        waiting = list(reversed(self._children[node]))
        while waiting:
            child = waiting.pop()
            if isinstance(child, types):
                yield child
            waiting.extend(reversed(self._children[child]))

    def calls_in(self, node: cst.BaseExpression) -> list[cst.Call]:
        """The calls in an expression, itself among them, in the order of the text."""
        return [each for each in [node, *self.descendants(node, cst.Call)] if isinstance(each, cst.Call)]

    def has_comments(self, node: cst.CSTNode) -> bool:
        """Whether there is a comment inside ``node``."""
        return any(True for _ in self.descendants(node, cst.Comment))

    # Names

    def metadata(self, provider: type[Any]) -> Mapping[cst.CSTNode, Any]:
        """libcst's metadata of the tree, by provider."""
        found: Mapping[cst.CSTNode, Any] = self._wrapper.resolve(provider)
        return found

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Every name that the file mentions, in whatever part."""
        return frozenset(node.value for node in self.descendants(self.module, cst.Name))

    def names_in(self, node: cst.CSTNode) -> frozenset[str]:
        """Every name in ``node`` (attribute names too)."""
        names = [node, *self.descendants(node, cst.Name)]
        return frozenset(each.value for each in names if isinstance(each, cst.Name))

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """Every name that the file binds in some scope: imports, assignments, definitions, parameters."""
        scopes = {id(scope): scope for scope in self.metadata(ScopeProvider).values() if scope is not None}
        return frozenset(each.name for scope in scopes.values() for each in scope.assignments)

    def free_name(self, *wished: str) -> str:
        """The first of the wished names that the file does not mention, else the first with a number."""
        for name in wished:
            if name not in self.identifiers:
                return name
        number = 2
        while f"{wished[0]}_{number}" in self.identifiers:
            number += 1
        return f"{wished[0]}_{number}"

    @cached_property
    def _qualified(self) -> dict[cst.CSTNode, object]:
        return dict(self._wrapper.resolve(QualifiedNameProvider))

    def qualified(self, node: cst.CSTNode) -> str | None:
        """What an expression's dotted name stands for (``numpy.random.seed``), None where it is unknown.

        Follows imports under any alias and module-level names for them (``npr = np.random``).
        """
        names = self._qualified.get(node, ())
        if callable(names):  # libcst resolves lazily
            names = names()
        sources = {name.source for name in names}  # type: ignore[attr-defined]
        values = {name.name for name in names}  # type: ignore[attr-defined]
        if len(values) != 1:
            return None
        (value,) = values
        if QualifiedNameSource.IMPORT in sources:
            return str(value)
        first, _, rest = str(value).partition(".")
        renamed = self._module_aliases.get(first)
        return None if renamed is None else f"{renamed}.{rest}" if rest else renamed

    @cached_property
    def _module_aliases(self) -> dict[str, str]:
        """Module-level names that stand for an imported module or attribute: ``npr = np.random``."""
        aliases: dict[str, str] = {}
        for line in self.module.body:
            if not isinstance(line, cst.SimpleStatementLine):
                continue
            for small in line.body:
                if not (isinstance(small, cst.Assign) and len(small.targets) == 1):
                    continue
                target = small.targets[0].target
                if isinstance(target, cst.Name) and isinstance(small.value, cst.Attribute | cst.Name):
                    meant = self._imported(small.value)
                    if meant is not None:
                        aliases[target.value] = meant
        return aliases

    def _imported(self, node: cst.CSTNode) -> str | None:
        names = self._qualified.get(node, ())
        if callable(names):
            names = names()
        values = {n.name for n in names if n.source is QualifiedNameSource.IMPORT}  # type: ignore[attr-defined]
        return str(values.pop()) if len(values) == 1 else None

    @cached_property
    def quote(self) -> str:
        """The quote that most of the file's plain strings use."""
        strings = [each.quote for each in self.descendants(self.module, cst.SimpleString)]
        return "'" if strings.count("'") > strings.count('"') else '"'

    def code(self, node: cst.CSTNode) -> str:
        """The text of ``node``."""
        return self.module.code_for_node(node)


def _encoding(body: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(body).readline)
        body.decode(encoding)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise CannotRepair(f"the file cannot be decoded: {error}") from error
    return encoding
