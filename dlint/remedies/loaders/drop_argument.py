"""Takes away the keyword that makes a loader's constructor raise, and what is said of it and used for it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.loading import SIGNATURE
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import argument_index, without_arguments
from dlint.rewriting.pieces.options import Options, as_call, as_options, options_of
from dlint.rewriting.pieces.room import join_row
from dlint.rewriting.pieces.unused import remove_unused
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# What an argument that DataLoader takes by position is when it is not given; None for the others.
_DEFAULTS = {"batch_size": "1", "shuffle": "False", "drop_last": "False", "timeout": "0"}

Gap = cst.BaseParenthesizableWhitespace


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Drop ``data["arguments"]`` from the call that the finding points at."""
    call = source.at(finding, cst.Call)
    names = list(finding.remedy.data.get("arguments", ())) if finding.remedy else []
    gone: dict[str, int] = {}
    for name in names:
        index = argument_index(call, name, SIGNATURE)
        if index is None:
            _drop_option(source, edits, options_of(source, call, name), name)
        else:
            gone[name] = index
    kept = [name for name, index in gone.items() if _stays(call, index, gone.values())]
    for name in kept:
        arg = call.args[gone.pop(name)]
        _to_default(edits, arg, name)
        remove_unused(source, edits, arg.value)
    # Each by itself and by its name: another finding may take some of them away from the same call.
    for name in sorted(gone, key=gone.__getitem__, reverse=True):
        edits.change(call, _drop(edits, call, gone[name], name), key=("without", name))
        remove_unused(source, edits, call.args[gone[name]])
    if gone:
        join_row(source, edits, call)
        _close_up(source, edits, call)


def _close_up(source: Source, edits: Edits, call: cst.Call) -> None:
    """Have a comment that has come to stand before the bracket at the end of a line stand behind it."""
    line = source.line_of(call)
    if (
        isinstance(line, cst.SimpleStatementLine)
        and source.parent(source.parent(call) or call) is line
        and source.parent(call) is line.body[-1]
        and not _ends_on_its_line(call)
    ):
        edits.change(line, _closed_up, key="close up")


def _ends_on_its_line(call: cst.Call) -> bool:
    """Whether the bracket stands on a line of its own, as it is to be."""
    last = call.args[-1]
    end = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_arg
    return isinstance(end, cst.ParenthesizedWhitespace)


def _closed_up(line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
    call = getattr(line.body[-1], "value", None)
    behind = line.trailing_whitespace
    if not isinstance(call, cst.Call) or not call.args or behind.comment is not None:
        return line
    last = call.args[-1]
    end = last.whitespace_after_arg
    if (
        isinstance(last.comma, cst.Comma)
        or not isinstance(end, cst.ParenthesizedWhitespace)
        or end.first_line.comment is None
        or any(each.comment is not None for each in end.empty_lines)
    ):
        return line
    closed = last.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
    behind = end.first_line.with_changes(newline=behind.newline)
    return line.with_deep_changes(call, args=[*call.args[:-1], closed]).with_changes(
        trailing_whitespace=behind
    )


def _drop_option(source: Source, edits: Edits, options: Options | None, name: str) -> None:
    """The same for an entry of a dict that the call alone takes."""
    if options is None:
        raise CannotRepair(f"{name} is not set in this call: take it away where it is set")
    call = as_call(options)
    index = next(i for i, arg in enumerate(call.args) if arg.keyword and arg.keyword.value == name)
    if len(call.args) == 1:
        raise CannotRepair(f"nothing else stands in the dict that has {name}: take the dict away")
    change = _drop(edits, call, index, name)
    edits.change(options, change if options is call else as_options(change), key=("without", name))
    remove_unused(source, edits, call.args[index].value)


def _drop(edits: Edits, call: cst.Call, index: int, name: str) -> Callable[[cst.Call], cst.Call]:
    """The change that takes an argument away, and what is said of it."""
    comments = _comments_on(call, index, name)
    for comment in comments:
        edits.drop_comment(comment)
    return partial(_without, name, frozenset(comment.value for comment in comments))


def _stays(call: cst.Call, index: int, gone: Collection[int] = ()) -> bool:
    """Whether another argument by position follows that is not to go: it would take this one's place."""
    return call.args[index].keyword is None and any(
        arg.keyword is None and arg.star != "**" and at not in gone
        for at, arg in enumerate(call.args)
        if at > index
    )


def _without(name: str, said: frozenset[str], call: cst.Call) -> cst.Call:
    index = argument_index(call, name, SIGNATURE)
    if index is None or _stays(call, index):  # as it does where another finding keeps what follows
        return call
    return without_arguments(_silent(call, index, said) if said else call, (index,))


def _to_default(edits: Edits, arg: cst.Arg, name: str) -> None:
    """Write the default in the place of an argument that others follow by position."""
    edits.replace(arg.value, cst.parse_expression(_DEFAULTS.get(name, "None")), key="default")


def _gaps(call: cst.Call, index: int) -> tuple[Gap, Gap]:
    """What stands before and after an argument."""
    arg = call.args[index]
    before: Gap = call.whitespace_before_args
    if index:
        comma = call.args[index - 1].comma
        assert isinstance(comma, cst.Comma)
        before = comma.whitespace_after
    after = arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else arg.whitespace_after_arg
    return before, after


def _comments_on(call: cst.Call, index: int, name: str) -> list[cst.Comment]:
    """The comments that speak of an argument: on its own line, and over it where they speak of no other."""
    before, after = _gaps(call, index)
    found: list[cst.Comment] = []
    alone = isinstance(before, cst.ParenthesizedWhitespace) and isinstance(after, cst.ParenthesizedWhitespace)
    if isinstance(after, cst.ParenthesizedWhitespace) and after.first_line.comment is not None:
        comment = after.first_line.comment
        if alone or name in comment.value:
            found.append(comment)
    if alone:
        assert isinstance(before, cst.ParenthesizedWhitespace)
        assert isinstance(after, cst.ParenthesizedWhitespace)
        last = index == len(call.args) - 1
        next_has_its_own = any(line.comment is not None for line in after.empty_lines)
        for line in before.empty_lines:
            if line.comment is not None and (last or next_has_its_own or name in line.comment.value):
                found.append(line.comment)
    return found


def _silent(call: cst.Call, index: int, said: frozenset[str]) -> cst.Call:
    """The call without the comments that speak of an argument."""
    before, after = _gaps(call, index)
    over, own = _quiet(before, said, of_lines=True), _quiet(after, said, of_lines=False)
    args = list(call.args)
    arg = args[index]
    if isinstance(arg.comma, cst.Comma):
        args[index] = arg.with_changes(comma=arg.comma.with_changes(whitespace_after=own))
    else:
        args[index] = arg.with_changes(whitespace_after_arg=own)
    if not index:
        return call.with_changes(args=args, whitespace_before_args=over)
    previous = args[index - 1]
    assert isinstance(previous.comma, cst.Comma)
    args[index - 1] = previous.with_changes(comma=previous.comma.with_changes(whitespace_after=over))
    return call.with_changes(args=args)


def _quiet(gap: Gap, said: frozenset[str], *, of_lines: bool) -> Gap:
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return gap
    if of_lines:
        lines = [line for line in gap.empty_lines if line.comment is None or line.comment.value not in said]
        return gap.with_changes(empty_lines=lines)
    comment = gap.first_line.comment
    if comment is None or comment.value not in said:
        return gap
    return gap.with_changes(first_line=cst.TrailingWhitespace(newline=gap.first_line.newline))
