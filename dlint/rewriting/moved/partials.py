"""``functools.partial`` as a file writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import libcst as cst

from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import imports_of, name_for
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.pieces.room import is_row
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_USUAL = 88  # characters a line, where neither a configuration nor the file itself has longer ones
_LONG = 120  # who writes a line as long as this does not break lines
_TOO_LONG = 150  # nor does anybody read such a line
_NONE = cst.SimpleWhitespace("")


def put_bound(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> None:
    """Put a function with keywords bound (given as code) in the place of ``node``.

    Where its line would be too long, the outermost call that has all of itself on the line is broken, as
    black does, or else the one whose arguments the line is; where arguments are aligned with a bracket of the
    line, so is what is bound.
    """
    code = partial_of(source, edits, node, name, given) if given else name
    place = _Place.of(source, node, code)
    if not given or place.is_roomy:
        edits.replace(node, statements.expression(code))
        return
    head, _, inside = code.partition("(")
    items = [name, *map(_given, given)]
    if place.is_aligned:
        edits.replace(node, statements.expression(f"{head}({_in_rows(items, place, len(head) + 1)})"))
        return
    margin, is_long = place.margin, True
    if place.row is not None and not place.calls:
        edits.change(place.row, _one_a_line, "one a line")
        is_long = place.outside(margin, _around(source, place.row, node, code)) > place.columns
    for call in place.calls:
        inner = margin + place.step
        row = _inside(source, call, node, code)
        fits = place.outside(inner, row) <= place.columns
        edits.change(call, partial(_over_lines, margin=margin, inner=inner, in_row=fits), "over lines")
        margin, is_long = inner, place.outside(inner, _around(source, call, node, code)) > place.columns
        if not is_long:
            break
    new = _broken(head, inside[:-1], items, margin, place) if is_long else code
    edits.replace(node, statements.expression(new))


@dataclass(frozen=True)
class _Place:
    """Where code is put: ``columns`` are those that a line may have, ``length`` those that this one would.

    ``calls`` are those that have all of themselves on the line, the outermost first; ``row`` is the one that
    has all its arguments on the line, and nothing else. ``margin`` is how far the line stands in from its
    block, which stands in by ``block``. ``longest`` is the length of the file's longest line.
    """

    columns: int
    before: int
    length: int
    column: int
    margin: str
    block: str
    step: str
    calls: tuple[cst.Call, ...]
    row: cst.Call | None
    is_aligned: bool
    longest: int

    @property
    def is_roomy(self) -> bool:
        """Whether the line need not be broken; in one that is too long already nobody looks for it, unless it
        gets much longer than any other of the file."""
        is_long = self.before > min(self.columns, _LONG)
        return self.length <= self.columns or (is_long and self.length <= max(self.longest, _TOO_LONG))

    def outside(self, margin: str, text: str) -> int:
        """How long a line is that has a text, this much in from the block."""
        return len(f"{self.block}{margin}{text}".expandtabs(4))

    @classmethod
    def of(cls, source: Source, node: cst.CSTNode, code: str) -> _Place:
        """What is around a node that code takes the place of."""
        (first, column), (last, end) = source.range(node)
        lines = source.module.code.splitlines()
        here, tail = lines[first - 1], lines[last - 1][end:]
        block = _block_margin(source, node)
        calls: list[cst.Call] = []
        row: cst.Call | None = None
        is_aligned: bool | None = None
        for above in source.ancestors(node):
            if isinstance(above, cst.BaseStatement):
                break
            (begins, _), (ends, _) = source.range(above)
            if isinstance(above, cst.Call):
                begins = source.range(above.func)[1][0]
                if begins == first and ends == last:
                    calls.insert(0, above)
            if is_aligned is not None or ends == last:
                continue
            if isinstance(above, cst.Call | cst.List | cst.Dict | cst.Set):
                is_aligned = not _hangs(above)
                if isinstance(above, cst.Call) and len(above.args) > 1 and is_row(above):
                    row = above
        text = f"{here[:column]}{code}{tail.partition('  #')[0]}"
        return cls(
            limit_of(source, _USUAL).columns,
            len(here.expandtabs(4)),
            len(text.expandtabs(4)),
            column,
            here[: len(here) - len(here.lstrip())].removeprefix(block),
            block,
            source.module.default_indent,
            tuple(calls),
            row,
            bool(is_aligned),
            max(len(line.expandtabs(4)) for line in lines),
        )


def _hangs(bracket: cst.Call | cst.List | cst.Dict | cst.Set) -> bool:
    """Whether a line ends with the opening bracket."""
    if isinstance(bracket, cst.Call):
        gap = bracket.whitespace_before_args
    elif isinstance(bracket, cst.List):
        gap = bracket.lbracket.whitespace_after
    else:
        gap = bracket.lbrace.whitespace_after
    return isinstance(gap, cst.ParenthesizedWhitespace)


def _inside(source: Source, call: cst.Call, node: cst.CSTNode, code: str) -> str:
    """What stands between the brackets of a call that a node stands in, with code in the place of that."""
    plain = [
        each.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_NONE) for each in call.args
    ]
    texts = [source.code(each) for each in plain]
    at = next(i for i, each in enumerate(call.args) if each.value is node or source.encloses(each, node))
    texts[at] = texts[at].replace(source.code(node), code, 1)
    return ", ".join(texts)


def _around(source: Source, call: cst.Call, node: cst.CSTNode, code: str) -> str:
    """The argument of a call that a node stands in, with code in the place of that, and a comma."""
    argument = next(each for each in call.args if each.value is node or source.encloses(each, node))
    text, inside = source.code(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)), source.code(node)
    return f"{text.rstrip().replace(inside, code, 1)},"


def _broken(head: str, inside: str, items: Sequence[str], margin: str, place: _Place) -> str:
    """A call over several lines: what it is given on one, or each on one of its own."""
    inner = margin + place.step
    if place.outside(inner, inside) > place.columns:
        inside = f",\n{inner}".join(items) + ","
    return f"{head}(\n{inner}{inside}\n{margin})"


def _in_rows(items: Sequence[str], place: _Place, width: int) -> str:
    """What a call is given, aligned with its bracket, as much on a line as it can have."""
    start = place.column + width
    gap = ",\n" + " " * (start - len(place.block))
    text, used = items[0], start + len(items[0])
    for item in items[1:]:
        is_long = used + len(item) + 3 > place.columns
        text += f"{gap if is_long else ', '}{item}"
        used = start + len(item) if is_long else used + len(item) + 2
    return text


def partial_of(
    source: Source, edits: Edits, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]
) -> str:
    """The code of a function with keywords bound."""
    inside = ", ".join([name, *map(_given, given)])
    return f"{_partial(source, edits, node)}({inside})"


def _given(argument: tuple[str, str]) -> str:
    """An argument as it is written, with its keyword where it has one."""
    keyword, value = argument
    return f"{keyword}={value}" if keyword else value


def _block_margin(source: Source, node: cst.CSTNode) -> str:
    (line, column), _ = source.range(source.line_of(node))
    return source.module.code.splitlines()[line - 1][:column]


def _over_lines(call: cst.Call, margin: str, inner: str, in_row: bool) -> cst.Call:
    """The call with its arguments on a line of their own, or each on one."""
    start = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(inner))
    outer = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(margin))
    gap = cst.SimpleWhitespace(" ") if in_row else start
    *before, last = (each.with_changes(whitespace_after_arg=_NONE) for each in call.args)
    comma: cst.Comma | cst.MaybeSentinel = cst.Comma(whitespace_after=outer)
    if in_row or not before:
        comma = cst.MaybeSentinel.DEFAULT
        last = last.with_changes(whitespace_after_arg=outer)
    return call.with_changes(
        whitespace_before_args=start,
        args=[
            *(each.with_changes(comma=cst.Comma(whitespace_after=gap)) for each in before),
            last.with_changes(comma=comma),
        ],
    )


def _one_a_line(call: cst.Call) -> cst.Call:
    """The call, whose arguments are on a line of theirs, with each on one of its own."""
    *before, last = call.args
    gap = call.whitespace_before_args
    closing = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_arg
    comma = cst.Comma(whitespace_after=gap)
    return call.with_changes(
        args=[
            *(each.with_changes(comma=comma) for each in before),
            last.with_changes(comma=cst.Comma(whitespace_after=closing), whitespace_after_arg=_NONE),
        ]
    )


def _partial(source: Source, edits: Edits, node: cst.CSTNode) -> str:
    """What the file calls ``functools.partial``."""
    head = source.module.body[: header.end_of_imports(source.module.body)]
    found: str | None = None
    for each in imports_of(source, "functools.partial"):
        line = source.parent(each.statement)
        if isinstance(each.statement, cst.ImportFrom) and any(line is other for other in head):
            found = each.name or found
    if found is None:
        found = f"{name_for(source, edits, 'functools', 'functools')}.partial"
    root = found.partition(".")[0]
    for function in source.ancestors(node):
        if isinstance(function, cst.FunctionDef | cst.Lambda) and root in _bound_in(source, function):
            raise CannotRepair(f"{root} means something else here: bind what it needs")
    return found


def _bound_in(source: Source, function: cst.CSTNode) -> set[str]:
    names: set[str] = set()
    for each in source.descendants(function, cst.Param, cst.AssignTarget):
        target = each.name if isinstance(each, cst.Param) else each.target
        if isinstance(target, cst.Name):
            names.add(target.value)
    return names
