"""Keywords added to and taken from calls, in the layout that the call already has."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from dlint.rewriting.pieces.room import Gap, Room, gaps_of, is_simple, without_comments


def keyword(call: cst.Call, name: str) -> cst.Arg | None:
    """The argument that the call gives by this keyword."""
    return next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value == name), None)


def argument_index(call: cst.Call, name: str, signature: Sequence[str]) -> int | None:
    """Where a call gives an argument, by keyword or by its place in the signature; None if it does not."""
    for index, arg in enumerate(call.args):
        if arg.keyword is not None and arg.keyword.value == name:
            return index
    if name in signature and not any(arg.star for arg in call.args):
        position = signature.index(name)
        if position < len(call.args) and call.args[position].keyword is None:
            return position
    return None


def both(wanted: cst.BaseExpression, condition: cst.BaseExpression) -> cst.BooleanOperation:
    """``wanted and condition``: what binds less than ``and`` stands in brackets of its own."""
    loose = isinstance(wanted, cst.BooleanOperation) and isinstance(wanted.operator, cst.Or)
    return cst.BooleanOperation(_bracketed(wanted) if loose else alone(wanted), cst.And(), condition)


def alone(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression for another place: what binds less than a condition stands in brackets of its own."""
    return _bracketed(node) if isinstance(node, cst.IfExp | cst.Lambda | cst.NamedExpr) else node.deep_clone()


def _bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    new = node.deep_clone()
    return new if node.lpar else new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def with_keyword(call: cst.Call, name: str, value: cst.BaseExpression, room: Room | None = None) -> cst.Call:
    """The call with ``name=value`` after its other keywords, before any ``**``.

    ``room`` tells what fits beside the call, and how the file breaks what does not.
    """
    new = cst.Arg(
        value,
        cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )
    fits = room is None or room.fits(cst.Module([]).code_for_node(new))
    args = list(call.args)
    splat = next((i for i, arg in enumerate(args) if arg.star == "**"), None)
    if room is not None and not fits and room.in_one_line:
        args.insert(len(args) if splat is None else splat, new)
        return room.broken(call, args)
    separator = _separator(call, fits=fits)
    if splat is not None:
        comma = cst.Comma(whitespace_after=separator)
        return call.with_changes(args=[*args[:splat], new.with_changes(comma=comma), *args[splat:]])
    if not args:
        return call.with_changes(args=[new])
    last = args[-1]
    if isinstance(last.comma, cst.Comma):  # a trailing comma: the new argument gets one too
        closing = last.comma.whitespace_after
        args[-1] = last.with_changes(
            comma=last.comma.with_changes(whitespace_after=_join(closing, separator))
        )
        new = new.with_changes(comma=cst.Comma(whitespace_after=without_comments(closing)))
    else:
        closing = last.whitespace_after_arg
        comma = cst.Comma(whitespace_after=_join(closing, separator))
        args[-1] = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
        new = new.with_changes(whitespace_after_arg=without_comments(closing))
    return call.with_changes(args=[*args, new])


def without_arguments(call: cst.Call, indices: Collection[int]) -> cst.Call:
    """The call without the arguments at these positions; every comment between them stays."""
    args = list(call.args)
    before = call.whitespace_before_args
    for index in sorted(indices, reverse=True):
        gone = args.pop(index)
        after: Gap = gone.whitespace_after_arg
        if isinstance(gone.comma, cst.Comma):
            after = gone.comma.whitespace_after
        last = index == len(args)
        if index == 0:
            before = _merge(before, after, layout=after if last else before)
            continue
        previous = args[index - 1]
        assert isinstance(previous.comma, cst.Comma)  # something followed it
        gap = previous.comma.whitespace_after
        merged = _merge(gap, after, layout=after if last or is_simple(gap) else gap)
        if last and not isinstance(gone.comma, cst.Comma):
            args[index - 1] = previous.with_changes(
                comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=merged
            )
        else:
            # Behind a backslash each line has its own space before it.
            kept = gap if "\\" in _text(gap) and "\\" in _text(after) else merged
            args[index - 1] = previous.with_changes(comma=previous.comma.with_changes(whitespace_after=kept))
    return call.with_changes(args=args, whitespace_before_args=before)


def _separator(call: cst.Call, *, fits: bool) -> Gap:
    """What stands between two arguments of this call: a space or a new line."""
    gaps = gaps_of(call)
    broken = [gap for gap in gaps if not is_simple(gap)]
    if not broken and not is_simple(call.whitespace_before_args):
        broken = [call.whitespace_before_args]
        gaps = gaps or broken
    if broken and (len(broken) == len(gaps) or not fits):
        return without_comments(broken[-1])
    return cst.SimpleWhitespace(" ")


def _join(closing: Gap, between: Gap) -> Gap:
    """``between``, with the comments that stood after the argument that was last."""
    if not isinstance(closing, cst.ParenthesizedWhitespace) or not _comments(closing):
        return between
    if isinstance(between, cst.ParenthesizedWhitespace):
        return closing.with_changes(indent=between.indent, last_line=between.last_line)
    return closing


def _merge(first: Gap, second: Gap, layout: Gap) -> Gap:
    """The gap that is left between two arguments when the one between the gaps has gone."""
    kept: Sequence[cst.EmptyLine] = ()
    if isinstance(second, cst.ParenthesizedWhitespace):
        kept = [
            cst.EmptyLine(indent=second.indent, whitespace=second.last_line, comment=c)
            for c in _comments(second)
        ]
    if isinstance(first, cst.ParenthesizedWhitespace) and _comments(first):
        base = layout if isinstance(layout, cst.ParenthesizedWhitespace) else first
        kept = [line.with_changes(indent=first.indent, whitespace=first.last_line) for line in kept]
        return first.with_changes(
            empty_lines=[*first.empty_lines, *kept], indent=base.indent, last_line=base.last_line
        )
    if not kept:
        return without_comments(layout)
    assert isinstance(second, cst.ParenthesizedWhitespace)
    if isinstance(first, cst.ParenthesizedWhitespace):
        kept = [line.with_changes(indent=first.indent, whitespace=first.last_line) for line in kept]
        return first.with_changes(
            empty_lines=[*first.empty_lines, *kept],
            indent=layout.indent if isinstance(layout, cst.ParenthesizedWhitespace) else first.indent,
            last_line=layout.last_line
            if isinstance(layout, cst.ParenthesizedWhitespace)
            else first.last_line,
        )
    return second


def _text(gap: Gap) -> str:
    return gap.value if isinstance(gap, cst.SimpleWhitespace) else ""


def _comments(gap: cst.ParenthesizedWhitespace) -> list[cst.Comment]:
    lines = [gap.first_line.comment, *(line.comment for line in gap.empty_lines)]
    return [comment for comment in lines if comment is not None]
