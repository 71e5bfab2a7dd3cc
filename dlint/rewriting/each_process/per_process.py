"""An attribute or a module-level name that every process makes for itself, keyed on the process id, or every
worker, keyed on its seed.

An object with such a key is right under every start method: a forked worker makes its own instead of using
the inherited one, and a spawned worker does not go by the one that it was sent. What is made by worker stays
what it was in every other process, and in what those copy, pickle and save.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from dlint.rewriting.each_process.made import Made
from dlint.rewriting.each_process.moved.hints import (
    class_of,
    dict_by_worker,
    dict_type,
    is_hinted,
    number_or_none,
)
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import spaced
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.pieces.indenting import open_bracket
from dlint.rewriting.pieces.line_comments import taken_from_line
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# The last line of a property of this kind.
_KEPT = re.compile(r"return (?P<name>self\._\w+_by_(?:pid|worker))(?:\[|\.setdefault\()")
_SHORTEST_LINE = 79
_LONGEST_LINE = 100


@dataclass(frozen=True)
class PerProcess:
    """How each process makes its object: ``lines`` come first (``{held}`` in them stands for the dict of all
    processes' objects), ``value`` is the expression that makes it. ``why`` is the comment that says why.
    ``keys`` are what tells two objects of a process apart. ``once``: an inherited one is closed first.
    ``torch``: only workers make theirs, and this is what torch is called, which tells them. ``stood``: how
    far the expression stood in from its statement, where lines of it may be aligned with a bracket.
    ``said``: a comment that goes with the expression. ``by_threads``: several may ask for the first time
    together, and must get the same."""

    why: str
    value: str
    lines: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    once: bool = False
    torch: str = ""
    stood: int = 0
    said: str = ""
    by_threads: bool = False


def kept_under(name: str, *, by_worker: bool = False) -> str:
    """The attribute that holds the objects of all processes, by process id, or by the worker's seed."""
    return f"_{name.strip('_')}_by_{'worker' if by_worker else 'pid'}"


def as_property(
    source: Source,
    edits: Edits,
    made: Made,
    how: PerProcess,
    *,
    setup: Sequence[cst.BaseSmallStatement] = (),
    more: str = "",
    declared: cst.AnnAssign | None = None,
) -> None:
    """Turn ``self.pool = make()`` into a property ``pool`` that makes one for each process or (``how.torch``)
    one for each worker: what is no worker keeps what it makes now.

    ``setup`` stands before that, ``more`` is the text of further methods. ``declared`` is the line of the
    class that says what the attribute will be.
    """
    owner, method = made.owner, made.method
    assert owner is not None and method is not None
    how = replace(how, stood=stood(source, made))
    by_worker = bool(how.torch)
    kept = kept_under(made.name, by_worker=by_worker)
    os = "" if by_worker else name_for(source, edits, "os", "os")
    entry = f"{{None: {source.code(made.whole or made.value)}}}" if by_worker else "{}"
    annotated = isinstance(made.statement, cst.AnnAssign)
    hinted = (
        made.choice is None and made.part is None and made.either is None and (annotated or is_hinted(method))
    )
    hint = class_of(source, made) if hinted else None
    if declared is not None:
        hint = class_of(source, replace(made, statement=declared))
        held = f"{dict_type(source)}[int, {hint}]" if hint else "dict"
        held = dict_by_worker(source, edits, hint) if by_worker else held
        _declare(source, edits, declared, kept, held)
    if made.among is not None:
        edits.replace(made.among, statements.expression(f"self.{kept}"))
        edits.replace(made.value, statements.expression(entry))
        _break_long(
            source, edits, made, len(kept) + len(entry) - len(made.name) - len(source.code(made.value))
        )
        _insert_setup(source, edits, made.statement, setup)
    else:
        annotation = ""
        if hint is not None and declared is None:
            key = number_or_none(source, edits) if by_worker else "int"
            annotation = f": {dict_type(source)}[{key}, {hint}]"
        text = f"self.{kept}{annotation} = {entry}"
        if by_worker:
            text = entered(source, made.statement, f"self.{kept}{annotation}", entry)
        _replace_statement(source, edits, made.statement, [*setup, statements.small(text)])
        if not by_worker:
            how = replace(how, said=taken_from_line(edits, source.line_of(made.statement)))
    _, body, index = statements.block_of(source, method)
    above = _properties_before(source, made, body[index + 1 :])
    if any(how.why in " ".join(source.code(each).split()) for each in above):
        how = replace(how, why="")
    if hint is not None and hint.partition(".")[0] == made.name:
        hint = None  # to who reads the class, its own name hides the module's
    members = "\n" + property_text(source, made.name, kept, method, how, os, hint) + more
    edits.insert_after(above[-1] if above else method, statements.parse(source, members))
    index += len(above)
    if index + 1 < len(body):
        edits.change(body[index + 1], lambda node: spaced(node, 1))
    edits.claim(owner)


def entered(source: Source, old: cst.CSTNode, place: str, entry: str) -> str:
    """The statement that keeps a dict of one entry where ``old`` stands, of three lines where one is too
    long."""
    text = f"{place} = {entry}"
    column = source.range(source.line_of(old))[0][1]
    if "\n" not in entry and column + len(text) > _columns(source):
        return f"{place} = {{\n{source.module.default_indent}{entry[1:-1]}\n}}"
    return text


def _declare(source: Source, edits: Edits, declared: cst.AnnAssign, kept: str, held: str) -> None:
    """Have a class say what it keeps instead."""
    start = f"{kept}: {held}"
    if declared.value is None:
        edits.replace(declared, statements.small(start))
        return
    start = f"{start} = "
    value = fitted(source, source.code(declared.value), source.range(declared)[0][1], len(start))
    edits.replace(declared, statements.small(start + value))


def _break_long(source: Source, edits: Edits, made: Made, more: int) -> None:
    """Put what an assignment of several things stores each on its line, where its one line gets so much
    longer that it would be too long."""
    assert isinstance(made.statement, cst.Assign)
    (first, _), (last, end) = source.range(made.statement)
    values = made.statement.value
    if (
        first != last
        or end + more <= limit_of(source, _LONGEST_LINE).columns
        or not isinstance(values, cst.Tuple)
    ):
        return
    if not values.lpar:
        edits.change(values, lambda node: _one_a_line(node, source.module.default_indent), "one a line")


def _one_a_line(values: cst.Tuple, step: str) -> cst.Tuple:
    inside = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(step))
    *others, last = values.elements
    rows = [each.with_changes(comma=cst.Comma(whitespace_after=inside)) for each in others]
    closing = cst.ParenthesizedWhitespace(indent=True)
    return values.with_changes(
        elements=[*rows, last.with_changes(comma=cst.Comma(whitespace_after=closing))],
        lpar=[cst.LeftParen(whitespace_after=inside)],
        rpar=[cst.RightParen()],
    )


def _properties_before(source: Source, made: Made, following: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """The properties of this kind right after the method, for what it makes before this, with those of
    parts of that."""
    assert made.method is not None
    inside = source.code(made.method.body)
    here = inside.find(source.code(made.statement))
    if made.among is not None:
        here += source.code(made.statement).find(source.code(made.among))
    found: list[cst.FunctionDef] = []
    for each in following:
        if not isinstance(each, cst.FunctionDef) or not each.decorators:
            break
        body = source.code(each.body)
        held = _KEPT.search(body)
        if held is None and any(f"return self.{other.name.value}[" in body for other in found):
            found.append(each)
            continue
        if held is None or not 0 <= inside.find(held["name"]) < here:
            break
        found.append(each)
    return list(found)


def property_text(
    source: Source,
    name: str,
    kept: str,
    beside: cst.CSTNode,
    how: PerProcess,
    os: str,
    hint: str | None = None,
) -> str:
    """A property that makes its object once in each process, to stand where ``beside`` does in its class."""
    column = source.range(beside)[0][1] + len(source.module.default_indent)
    result = f" -> {hint}" if hint is not None else ""
    body = textwrap.indent(body_text(source, how, f"self.{kept}", os, column), "    ")
    return f"@property\ndef {name}(self){result}:\n{body}"


def body_text(source: Source, how: PerProcess, held: str, os: str, column: int) -> str:
    """The function body that gives this process's object."""
    if how.by_threads:
        return f"{comment(source, how.why, column)}return {held}.setdefault({os}.getpid(), {how.value})\n"
    key = "key" if how.keys or how.torch else "pid"
    lines = [line.replace("{held}", held) for line in how.lines]
    if how.once:
        lines += [f"for inherited in {held}.values():", "    inherited.close()", f"{held}.clear()"]
    stored = f"{held}[{key}] = "
    inside = column + len(source.module.default_indent.expandtabs(4))
    how = replace(how, value=fitted(source, how.value, inside, len(stored)))
    lines.append(stored + _inside(how, len(stored)) + how.said)
    return (
        f"{comment(source, how.why, column)}"
        f"{_key(how, key, os)}"
        f"if {key} not in {held}:\n" + "".join(f"    {line}\n" for line in lines) + f"return {held}[{key}]\n"
    )


def _key(how: PerProcess, key: str, os: str) -> str:
    """The lines that find this process's key."""
    if how.torch:
        return f"worker = {how.torch}.utils.data.get_worker_info()\n{key} = worker.seed if worker else None\n"
    return f"{key} = {', '.join((f'{os}.getpid()', *how.keys))}\n"


def comment(source: Source, text: str, column: int) -> str:
    """A comment no wider than the file's own lines, for a block that begins at a column."""
    width = _width(source) - column - 2
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, max(width, 40)))


def _width(source: Source) -> int:
    """How wide a line of the file may be."""
    own = max((len(line) for line in source.module.code.splitlines()), default=0)
    return min(max(own, _SHORTEST_LINE), _LONGEST_LINE)


def _columns(source: Source) -> int:
    """How wide a line of code may be: as wide as the formatter makes it, where one is in use."""
    limit = limit_of(source)
    return limit.columns if limit.black else _width(source)


def fitted(source: Source, value: str, indent: int, before: int) -> str:
    """An expression, with the arguments of the call that it is on lines of their own where its line would be
    too long."""
    columns = limit_of(source, _LONGEST_LINE).columns
    call = (
        cst.parse_expression(value) if "\n" not in value and indent + before + len(value) > columns else None
    )
    if isinstance(call, cst.ListComp | cst.DictComp):
        return _rows(source, call, indent)
    if isinstance(call, cst.IfExp):
        parts = [cst.Module([]).code_for_node(each) for each in (call.body, call.test, call.orelse)]
        rows = [parts[0], f"if {parts[1]}", f"else {parts[2]}"]
        if indent + 4 + len(" ".join(rows)) <= columns:
            rows = [" ".join(rows)]
        return "(\n" + "".join(f"    {row}\n" for row in rows) + ")"
    if not isinstance(call, cst.Call) or not call.args:
        return value
    args = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in call.args]
    items = [cst.Module([]).code_for_node(each).strip() for each in args]
    row = ", ".join(items)
    if indent + 4 + len(row) > columns:
        row = ",\n    ".join(items) + ","
    return f"{cst.Module([]).code_for_node(call.func)}(\n    {row}\n)"


def _rows(source: Source, node: cst.ListComp | cst.DictComp, indent: int) -> str:
    """A comprehension on a line between its brackets, or in two rows: what it makes, what it goes through."""
    code = cst.Module([]).code_for_node
    key = f"{code(node.key)}: " if isinstance(node, cst.DictComp) else ""
    each = code(node.value if isinstance(node, cst.DictComp) else node.elt)
    left, right = "{}" if isinstance(node, cst.DictComp) else "[]"
    row = f"{key}{each} {code(node.for_in).strip()}"
    if indent + 4 + len(row) <= limit_of(source, _LONGEST_LINE).columns:
        return f"{left}\n    {row}\n{right}"
    first = fitted(source, each, indent + 4, len(key)).replace("\n", "\n    ")
    return f"{left}\n    {key}{first}\n    {code(node.for_in).strip()}\n{right}"


def _inside(how: PerProcess, column: int) -> str:
    """An expression of several lines as it stands one level deeper, behind so much on its line; strings stay
    as they are."""
    first, *others = how.value.split("\n")
    if '"""' in how.value or "'''" in how.value or not others:
        return how.value
    step = "    "  # of the block that it is in
    away = column - how.stood
    bracket = how.stood + open_bracket(first) + 1
    if away > 0 and bracket > how.stood and all(_indent(each) >= bracket for each in others if each.strip()):
        step += " " * away
    return "\n".join([first, *(step + each if each.strip() else each for each in others)])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def stood(source: Source, made: Made) -> int:
    """How far what is made stands in from its statement."""
    value = made.choice or made.either or made.whole or made.value
    return source.range(value)[0][1] - source.range(source.line_of(made.statement))[0][1]


def _replace_statement(
    source: Source, edits: Edits, old: cst.BaseSmallStatement, new: list[cst.BaseSmallStatement]
) -> None:
    """Put several small statements, each on its line, in the place of one."""
    *before, last = new
    line = source.line_of(old)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        edits.replace(old, last)
        _insert_setup(source, edits, old, before)
        return
    small = list(line.body) if isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite) else []
    if small[-1] is not old:
        raise CannotRepair("the statement shares its line with others: make it in each process")
    edits.remove(old)
    edits.change(line, lambda node: node.with_changes(body=[*_unclosed(node.body), *new]))


def _insert_setup(
    source: Source, edits: Edits, old: cst.BaseSmallStatement, new: Sequence[cst.BaseSmallStatement]
) -> None:
    """Put small statements, each on its line, before one that has its line to itself, under what is said
    there."""
    line = source.line_of(old)
    if not new:
        return
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        raise CannotRepair("the statement shares its line with others: make it in each process")
    lines = [cst.SimpleStatementLine([each]) for each in new]
    lines[0] = lines[0].with_changes(leading_lines=line.leading_lines)
    edits.insert_before(line, lines)
    edits.change(line, lambda node: node.with_changes(leading_lines=()))


def _unclosed(body: object) -> list[cst.BaseSmallStatement]:
    all_of_them = list(body)  # type: ignore[call-overload]
    if not all_of_them:
        return []
    return [*all_of_them[:-1], all_of_them[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]
