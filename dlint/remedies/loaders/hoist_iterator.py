"""Makes the iterator of a loader once, before the loop, and again when it has run out.

``next(iter(loader))`` in a loop starts new workers for one batch every time.
"""

from __future__ import annotations

import re

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.statements import parts_bound
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "make the iterator once before the loop, and again on StopIteration"
_PARTS = ("dataset", "sampler", "batch_sampler")
_SEEDS = re.compile(r"(?:^|\.)(?:manual_seed(?:_all)?|seed|set_seed|seed_everything)$")
_SAME = re.compile(r"\b(?:always|first|fixed|same)\b", re.IGNORECASE)
# What stands around the call in its statement and evaluates it once, at that moment.
_PLAIN = (
    cst.Arg,
    cst.Call,
    cst.Attribute,
    cst.Subscript,
    cst.Await,
    cst.Tuple,
    cst.Element,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Expr,
    cst.Return,
)


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Hoist ``iter(loader)`` out of the loop that the finding stands in."""
    call = source.at(finding, cst.Call)
    loader = _loader(source, call)
    statement = source.statement_of(call)
    line = source.line_of(call)
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise CannotRepair(_BY_HAND)
    if not isinstance(loader, cst.Name | cst.Attribute):
        raise CannotRepair(_BY_HAND)
    if any(_SAME.search(comment.value) for comment in _said(line)):
        raise CannotRepair(
            "a comment says that each round is to have the same batch: draw it before the loop"
        )
    text = source.code(loader)
    loop = _outermost_loop(source, call, text)
    _check_draws(source, statement, loop)
    if _touches_dataset(source, loop, text):
        raise CannotRepair(
            f"the loop does something to the dataset or the order, which workers that live on would not see: "
            f"{_BY_HAND}"
        )
    name = _name_of_iterator(source, edits, loop, text)
    begin = f"{name} = iter({text})"
    before = cst.ensure_type(statements.parse(source, begin)[0], cst.SimpleStatementLine)
    edits.insert_before(loop, [before.with_changes(leading_lines=_blank(loop))])
    edits.change(loop, lambda node: node.with_changes(leading_lines=_comments(node)))
    drawn = cst.Call(cst.Name("next"), [cst.Arg(cst.Name(name))])
    if isinstance(statement, cst.Assign) and statement.value is call:
        edits.replace(line, _tried(source, statement.with_changes(value=drawn), line, begin))
        return
    _check_order(source, statement, call)
    batch = _free_name(source, edits, loop, "batch", "next_batch", "drawn_batch")
    draw = cst.Assign([cst.AssignTarget(cst.Name(batch))], drawn)
    rest = statement.deep_replace(call, cst.Name(batch))
    assert isinstance(rest, cst.BaseSmallStatement)
    edits.replace(line, line.with_changes(body=[rest], leading_lines=()))
    bare_line = line.with_changes(trailing_whitespace=cst.TrailingWhitespace())
    edits.insert_before(line, [_tried(source, draw, bare_line, begin)])


def _said(line: cst.SimpleStatementLine) -> list[cst.Comment]:
    """The comments over a line and behind it."""
    found = [*(each.comment for each in line.leading_lines), line.trailing_whitespace.comment]
    return [comment for comment in found if comment is not None]


def _tried(
    source: Source, draw: cst.BaseSmallStatement, line: cst.SimpleStatementLine, begin: str
) -> cst.Try:
    """The statement that draws a batch, and again from a new iterator where the old one has run out."""
    tried = cst.SimpleStatementLine([draw], trailing_whitespace=line.trailing_whitespace)
    restarted = [*statements.parse(source, begin), cst.SimpleStatementLine([draw])]
    handler = cst.ExceptHandler(cst.IndentedBlock(restarted), cst.Name("StopIteration"))
    return cst.Try(cst.IndentedBlock([tried]), [handler], leading_lines=line.leading_lines)


def _check_order(source: Source, statement: cst.CSTNode, call: cst.Call) -> None:
    """Refuse where the statement may not come to the call, or does something before it."""
    around = []
    for each in source.ancestors(call):
        if not isinstance(each, _PLAIN):
            raise CannotRepair(_BY_HAND)
        around.append(each)
        if each is statement:
            break
    calls = source.descendants(statement, cst.Call, cst.Await, cst.NamedExpr)
    for each in calls:
        inside = each is call or source.encloses(call, each)
        if not inside and not any(each is one for one in around) and _precedes(source, each, call):
            raise CannotRepair(_BY_HAND)


def _precedes(source: Source, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    return source.range(one)[0] < source.range(other)[0]


def _check_draws(source: Source, statement: cst.CSTNode, loop: cst.For | cst.While) -> None:
    """Refuse where a fresh iterator is what the loop is about: its end is handled, or it is seeded."""
    around: cst.Try | None = source.enclosing(statement, cst.Try)
    while around is not None and source.encloses(loop, around):
        for handler in around.handlers if source.encloses(around.body, statement) else ():
            caught = source.code(handler.type) if handler.type is not None else ""
            if "StopIteration" in caught:
                raise CannotRepair(
                    f"line {source.range(handler)[0][0]} handles the end of the loader, which only an empty "
                    "one has here: make the iterator before the loop, and begin again or leave there"
                )
        around = source.enclosing(around, cst.Try)
    for call in source.descendants(loop, cst.Call):
        if _SEEDS.search(source.code(call.func)):
            raise CannotRepair(
                f"the loop seeds what a fresh iterator draws from (line {source.range(call)[0][0]}): "
                f"{_BY_HAND}"
            )


def _name_of_iterator(source: Source, edits: Edits, loop: cst.For | cst.While, loader: str) -> str:
    """What the iterator is called: by its loader where the file has several, and the same in like loops."""
    bare = loader.rpartition(".")[2]
    of_loaders = {
        source.code(each.args[0].value)
        for each in source.descendants(source.module, cst.Call)
        if source.code(each.func) == "iter" and each.args
    }
    values = _values_of(source, source.module, "batches")
    alone = len(of_loaders) == 1 and all(value.startswith("iter(") for value in values)
    wished = ["batches"] if alone else []
    wished += [f"{bare}_iterator", f"{bare}_batches"]
    function = source.function_of(loop)
    for name in wished[:1]:
        before = _values_of(source, function or source.module, name)
        if before and set(before) == {f"iter({loader})"} and not _binds_inside(source, loop, name):
            return name
    return _free_name(source, edits, loop, *wished)


def _values_of(source: Source, around: cst.CSTNode, name: str) -> list[str]:
    """The texts of what is stored under a name; an empty one for what is no plain assignment."""
    found = []
    for each in source.descendants(around, cst.Name):
        above = source.parent(each)
        if each.value == name and isinstance(above, cst.AssignTarget):
            assign = source.parent(above)
            found.append(source.code(assign.value) if isinstance(assign, cst.Assign) else "")
        elif each.value == name and isinstance(above, cst.Param | cst.For | cst.Element | cst.CompFor):
            found.append("")
    return found


def _binds_inside(source: Source, loop: cst.For | cst.While, name: str) -> bool:
    """Whether the same name goes on over this loop: it is set in it, or in one around it."""
    outer: cst.CSTNode = loop
    for each in source.ancestors(loop):
        if isinstance(each, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
        if isinstance(each, cst.For | cst.While):
            outer = each
    return bool(_values_of(source, outer, name))


def _free_name(source: Source, edits: Edits, loop: cst.For | cst.While, *wished: str) -> str:
    """A name that the loop's function does not say."""
    function = source.function_of(loop)
    taken = source.identifiers if function is None else source.names_in(function)
    name = next((each for each in wished if each not in taken), None) or source.free_name(*wished)
    place = "" if function is None else f" in line {source.range(function)[0][0]}"
    edits.define(f"{name}{place}")
    return name


def _blank(loop: cst.For | cst.While) -> list[cst.EmptyLine]:
    return [] if not loop.leading_lines or loop.leading_lines[0].comment else [cst.EmptyLine(indent=False)]


def _comments(loop: cst.For | cst.While) -> list[cst.EmptyLine]:
    lines = list(loop.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return lines


def _loader(source: Source, call: cst.Call) -> cst.BaseExpression:
    """The loader of ``next(iter(loader))``."""
    if source.code(call.func) == "next" and len(call.args) == 1:
        inner = call.args[0].value
        if isinstance(inner, cst.Call) and source.code(inner.func) == "iter" and len(inner.args) == 1:
            return inner.args[0].value
    raise CannotRepair(_BY_HAND)


def _outermost_loop(source: Source, call: cst.Call, loader: str) -> cst.For | cst.While:
    """The widest loop of the function in which the loader stays the same."""
    best: cst.For | cst.While | None = None
    inner: cst.CSTNode = call
    for each in source.ancestors(call):
        if isinstance(each, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
        if isinstance(each, cst.For | cst.While):
            if inner is not each.body or _sets(source, each, loader):
                break
            best = each
        inner = each
    if best is None or isinstance(source.parent(best), cst.SimpleStatementSuite):
        raise CannotRepair(_BY_HAND)
    return best


def _touches_dataset(source: Source, loop: cst.For | cst.While, loader: str) -> bool:
    """Whether the loop, or a method that it calls, says more of the loader's dataset or samplers than how
    long they are: a worker that lives on keeps the copy that it has."""
    names = {f"{loader}.{each}" for each in _PARTS}
    for each in source.descendants(source.module, cst.Assign):
        if any(source.code(target.target) == loader for target in each.targets):
            for index, arg in enumerate(each.value.args if isinstance(each.value, cst.Call) else ()):
                if (arg.keyword is None and index == 0) or (arg.keyword and arg.keyword.value in _PARTS):
                    names.add(source.code(arg.value))
    return any(
        _is_touched(source, mention)
        for block in [loop, *_methods_called(source, loop)]
        for mention in source.descendants(block, cst.Name, cst.Attribute)
        if source.code(mention) in names
    )


def _is_touched(source: Source, mention: cst.CSTNode) -> bool:
    call = source.enclosing(mention, cst.Call)
    return call is None or source.code(call.func) not in ("len", "print")


def _methods_called(source: Source, loop: cst.For | cst.While) -> list[cst.CSTNode]:
    """The methods of the same class that a loop calls."""
    owner: cst.ClassDef | None = source.enclosing(loop, cst.ClassDef)
    if owner is None:
        return []
    called = {source.code(call.func) for call in source.descendants(loop, cst.Call)}
    return [
        each.body
        for each in owner.body.body
        if isinstance(each, cst.FunctionDef) and f"self.{each.name.value}" in called
    ]


def _sets(source: Source, loop: cst.For | cst.While, loader: str) -> bool:
    """Whether the loop binds the loader, or what it is an attribute of."""
    parts = loader.split(".")
    paths = {".".join(parts[: end + 1]) for end in range(len(parts))}
    kinds = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.Del, cst.AsName)
    for each in (loop, *source.descendants(loop, *kinds)):
        match each:
            case (
                cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.AugAssign(target=target)
            ):
                pass
            case cst.For(target=target) | cst.NamedExpr(target=target) | cst.Del(target=target):
                pass
            case cst.AsName(name=target):
                pass
            case _:
                continue
        if paths & {source.code(part) for part in parts_bound(target)}:
            return True
    return False
