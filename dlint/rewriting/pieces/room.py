"""Whether another argument fits on a call's line, and how the file breaks the calls that are too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import libcst as cst

from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.line_length import Limit, limit_of
from dlint.rewriting.source import Source

Gap = cst.BaseParenthesizableWhitespace

_LONG = 100  # what a line may have before one that is only changed is broken, where nobody says
_NONE = cst.SimpleWhitespace("")


def is_simple(gap: Gap) -> bool:
    """Whether there is no end of line in what stands between two arguments."""
    return not isinstance(gap, cst.ParenthesizedWhitespace)


@dataclass(frozen=True)
class Room:
    """The lines of a call as they are: whether one has all arguments, the ``length`` of the last one with
    any, the ``column`` behind its parenthesis, and how far the call's first line (``indent``) and its
    statement (``block``) are indented."""

    limit: Limit
    in_one_line: bool
    length: int
    column: int
    indent: str
    block: str
    unit: str
    hanging: bool

    @classmethod
    def of(cls, source: Source, call: cst.Call) -> Room:
        """What is around a call."""
        lines = source.module.code.splitlines()
        (first, _), (end, _) = source.range(call)
        last = source.range(call.args[-1])[1][0] if call.args else end
        _, (_, after) = source.range(call.func)
        (line, _) = source.range(source.line_of(call))[0]
        limit = limit_of(source)
        unit = source.module.default_indent
        return cls(
            limit,
            first == end or is_row(call),
            len(lines[last - 1].expandtabs(4)),
            after + 1,
            _indent(lines[first - 1]),
            _indent(lines[line - 1]),
            unit,
            limit.black or "\t" in unit or is_row(call) or _hangs(source),
        )

    def fits(self, argument: str) -> bool:
        """Whether one more argument keeps the line within the limit; in a line that is too long already
        nobody looks for it."""
        return self.length > self.limit.columns or self.length + len(f", {argument}") <= self.limit.columns

    def broken(self, call: cst.Call, args: Sequence[cst.Arg]) -> cst.Call:
        """The call with these arguments on more than one line."""
        if not self.hanging:
            at = len(args) - (2 if args[-1].star == "**" else 1)  # the new argument begins the second line
            gap = _new_line(" " * (self.column - len(self.block)))
            space = cst.SimpleWhitespace(" ")
            spaced = [self._with_comma(arg, gap if i + 1 == at else space) for i, arg in enumerate(args[:-1])]
            return call.with_changes(args=[*spaced, _last(args[-1])])
        own = self.indent.removeprefix(self.block)
        inner, outer = _new_line(own + self.unit), _new_line(own)
        *others, new = args
        row = ", ".join(cst.Module([]).code_for_node(_last(arg)) for arg in args)
        if self.limit.black and len((self.indent + self.unit).expandtabs(4)) + len(row) <= self.limit.columns:
            spaced = [self._with_comma(arg, cst.SimpleWhitespace(" ")) for arg in others]
            end = _last(new).with_changes(whitespace_after_arg=outer)
            return call.with_changes(whitespace_before_args=inner, args=[*spaced, end])
        spaced = [self._with_comma(arg, inner) for arg in others]
        return call.with_changes(
            whitespace_before_args=inner, args=[*spaced, self._with_comma(_last(new), outer)]
        )

    @staticmethod
    def _with_comma(arg: cst.Arg, gap: Gap) -> cst.Arg:
        return arg.with_changes(comma=cst.Comma(whitespace_after=gap), whitespace_after_arg=_NONE)


def gaps_of(call: cst.Call) -> list[Gap]:
    """What stands behind the commas between the arguments of a call."""
    return [arg.comma.whitespace_after for arg in call.args[:-1] if isinstance(arg.comma, cst.Comma)]


def is_row(call: cst.Call) -> bool:
    """Whether all arguments stand on one line of their own."""
    before = call.whitespace_before_args
    gaps = gaps_of(call)
    return (
        isinstance(before, cst.ParenthesizedWhitespace)
        and before.first_line.comment is None
        and all(map(is_simple, gaps))
    )


def join_row(source: Source, edits: Edits, call: cst.Call) -> None:
    """Have the arguments of a call that stand on one line of their own stand beside it, once it has become
    shorter, where the formatter in use would put them there."""
    limit = limit_of(source)
    if not limit.black or not is_row(call) or not call.args or isinstance(call.args[-1].comma, cst.Comma):
        return
    lines = source.module.code.splitlines()
    _, (last, end) = source.range(call)
    _, (line, begin) = source.range(call.func)
    around = len(lines[line - 1][:begin].expandtabs(4)) + len(lines[last - 1]) - end
    edits.change(call, partial(joined, limit.columns - around), key="joined")


def joined(columns: int, call: cst.Call) -> cst.Call:
    """The call with its arguments beside it, if that takes no more columns than these."""
    if not is_row(call) or not call.args or _has_comment(call.args[-1].whitespace_after_arg):
        return call
    row = call.with_changes(whitespace_before_args=_NONE, args=[*call.args[:-1], _last(call.args[-1])])
    text = cst.Module([]).code_for_node(row.with_changes(func=cst.Name("f")))
    return row if "\n" not in text and len(text) - 1 <= columns else call


def _has_comment(gap: Gap) -> bool:
    return isinstance(gap, cst.ParenthesizedWhitespace) and (
        gap.first_line.comment is not None or any(line.comment is not None for line in gap.empty_lines)
    )


def _last(arg: cst.Arg) -> cst.Arg:
    return arg.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_NONE)


def _new_line(indent: str) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _hangs(source: Source) -> bool:
    """Whether most calls of the file that take several lines begin with the end of one."""
    hanging = aligned = 0
    for call in source.descendants(source.module, cst.Call):
        if not is_simple(call.whitespace_before_args):
            hanging += 1
        elif any(
            isinstance(a.comma, cst.Comma) and not is_simple(a.comma.whitespace_after) for a in call.args
        ):
            aligned += 1
    return hanging > aligned


def refit(source: Source, edits: Edits, call: cst.Call, grown: Mapping[int, int]) -> None:
    """Break a line of a call that would be too long, as the file breaks such ones; ``grown`` has how much
    longer arguments become, by their place in the call."""
    room = Room.of(source, call)
    at = _first_outside(source, call, grown, limit_of(source, _LONG).columns, in_one_line=room.in_one_line)
    if at is None:
        return
    if room.in_one_line and room.hanging:
        edits.change(call, lambda node: room.broken(node, node.args), key="refit")
        return
    gaps = gaps_of(call)
    broken = [each for each in gaps if not is_simple(each)]
    inner = " " * (room.column - len(room.block))
    gap = without_comments(broken[-1]) if broken else _new_line(inner)
    edits.change(call, lambda node: _broken_before(node, at, gap), key="refit")


def _first_outside(
    source: Source, call: cst.Call, grown: Mapping[int, int], columns: int, *, in_one_line: bool
) -> int | None:
    """The argument, not the first of its line, that a line which fits now would end outside of."""
    lines = source.module.code.splitlines()
    line, more = 0, 0
    for index, arg in enumerate(call.args):
        (first, _), (last, end) = source.range(arg)
        begins = first != line
        if begins:
            line, more = first, 0
        more += grown.get(index, 0)
        here = lines[last - 1]
        fits = len(here.expandtabs(4)) <= columns
        closing = source.range(call)[1][1] if index + 1 == len(call.args) else end + 1
        if fits and more and len(here[:closing].rstrip().expandtabs(4)) + more > columns:
            return index if not begins or in_one_line else None
    return None


def _broken_before(call: cst.Call, at: int, gap: Gap) -> cst.Call:
    args = list(call.args)
    if not at:
        return call.with_changes(whitespace_before_args=gap)
    comma = args[at - 1].comma
    if isinstance(comma, cst.Comma):
        args[at - 1] = args[at - 1].with_changes(comma=comma.with_changes(whitespace_after=gap))
    return call.with_changes(args=args)


def without_comments(gap: Gap) -> Gap:
    """The same end of line, without what is said there."""
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return gap
    return gap.with_changes(first_line=cst.TrailingWhitespace(newline=gap.first_line.newline), empty_lines=())
