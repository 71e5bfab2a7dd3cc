"""The methods that end an object which each process makes for itself: they end what is there, and make none.

``self.pool.close()`` would ask the property for a pool, and make one, only to close it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import libcst as cst

from dlint.rewriting.each_process.made import Made
from dlint.rewriting.each_process.per_process import kept_under
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_ENDS = frozenset({"close", "join", "shutdown", "terminate"})


@dataclass(frozen=True)
class Ending:
    """The ``lines`` of a method that end the object and forget it. ``asks`` is the ``if`` around them that
    asks whether there is one."""

    method: cst.FunctionDef
    lines: tuple[cst.SimpleStatementLine, ...]
    asks: cst.If | None


def endings(source: Source, made: Made) -> list[Ending]:
    """Where methods of the class do nothing with the object but end it. Raises CannotRepair where one ends it
    in a way that cannot be written anew."""
    assert made.owner is not None
    found = []
    for method in made.owner.body.body:
        if isinstance(method, cst.FunctionDef) and method is not made.method:
            uses = [
                each
                for each in source.descendants(method.body, cst.Attribute)
                if source.code(each) == f"self.{made.name}"
            ]
            ended = [use for use in uses if _is_ended(source, use)]
            asked = [_asking(source, use) for use in uses]
            if ended and all(
                use in ended or if_ is not None or _is_forgotten(source, use)
                for use, if_ in zip(uses, asked, strict=True)
            ):
                found.append(_ending(source, made, method, uses))
    return found


def _ending(source: Source, made: Made, method: cst.FunctionDef, uses: list[cst.Attribute]) -> Ending:
    name = f"{method.name.value}()"
    by_hand = CannotRepair(
        f"how {name} ends self.{made.name} cannot be written anew for one of each process: make it in each "
        f"process, keyed on os.getpid(), and have {name} end the one of its own"
    )
    lines = [source.line_of(source.statement_of(use)) for use in uses if _asking(source, use) is None]
    if not all(isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 for line in lines):
        raise by_hand
    block, body, index = statements.block_of(source, lines[0])
    if body[index : index + len(lines)] != lines:
        raise by_hand
    around = source.parent(block)
    asks = around if isinstance(around, cst.If) and _asks(source, around, made.name) else None
    asked = [if_ for use in uses if (if_ := _asking(source, use)) is not None]
    if any(if_ is not asks for if_ in asked) or (asks is not None and len(body) != len(lines)):
        raise by_hand
    return Ending(method, tuple(lines), asks)  # type: ignore[arg-type]


def end_what_is_there(source: Source, edits: Edits, made: Made, ending: Ending) -> None:
    """Have a method end the object of its process, where there is one."""
    os = name_for(source, edits, "os", "os")
    place = ending.asks or ending.lines[0]
    local = _free_local(source, ending.method, made.name.strip("_"))
    kept = f"self.{kept_under(made.name)}"
    if ending.asks is not None and source.code(ending.asks.test).startswith(("hasattr", "getattr")):
        kept = f"getattr(self, {source.quote}{kept_under(made.name)}{source.quote}, {{}})"
    text = f"{local} = {kept}.pop({os}.getpid(), None)\nif {local} is not None:\n    pass\n"
    taken, asked = statements.parse(source, text)
    assert isinstance(asked, cst.If)
    inner = [_with_local(line, local) for line in ending.lines if isinstance(line.body[0], cst.Expr)]
    if ending.asks is None:
        inner[0] = inner[0].with_changes(leading_lines=())
    block = (ending.asks or asked).body
    new = asked.with_changes(body=block.with_changes(body=inner))
    for line in ending.lines:
        if not isinstance(line.body[0], cst.Expr):
            for comment in statements.comments_in(source, line):
                edits.drop_comment(comment)
    first = taken.with_changes(leading_lines=place.leading_lines)

    def written(_old: cst.CSTNode) -> cst.CSTNode:
        return cst.FlattenSentinel([first, new])  # type: ignore[return-value]

    edits.change(place, written)
    edits.claim(ending.method)
    if ending.asks is None:
        for line in ending.lines[1:]:
            edits.remove(line)


def _with_local(line: cst.SimpleStatementLine, local: str) -> cst.SimpleStatementLine:
    """A line ``self.pool.close()`` that says it of a variable."""
    statement = line.body[0]
    assert isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call)
    return line.with_deep_changes(statement.value.func, value=cst.Name(local))


def _free_local(source: Source, method: cst.FunctionDef, wished: str) -> str:
    said = {
        each.value
        for each in source.descendants(method, cst.Name)
        if not isinstance(source.parent(each), cst.Attribute)
    }
    return wished if wished not in said else f"own_{wished}"


def _is_ended(source: Source, use: cst.Attribute) -> bool:
    """Whether a use is the whole of a statement ``self.pool.close()``."""
    held = source.parent(use)
    if not isinstance(held, cst.Attribute) or held.value is not use or held.attr.value not in _ENDS:
        return False
    call = source.parent(held)
    statement = source.parent(call) if isinstance(call, cst.Call) and call.func is held else None
    return isinstance(statement, cst.Expr)


def _is_forgotten(source: Source, use: cst.Attribute) -> bool:
    """Whether a use is ``self.pool = None`` or ``del self.pool``."""
    above = source.parent(use)
    if isinstance(above, cst.Del):
        return True
    statement = source.parent(above) if isinstance(above, cst.AssignTarget) else None
    return isinstance(statement, cst.Assign) and source.code(statement) == f"{source.code(use)} = None"


def _asking(source: Source, use: cst.Attribute) -> cst.If | None:
    """The ``if`` whose test a use is part of."""
    if_: cst.If | None = source.enclosing(use, cst.If)
    if if_ is None or not (if_.test is use or source.encloses(if_.test, use)):
        return None
    return if_


def _asks(source: Source, if_: cst.If, name: str) -> bool:
    """Whether an ``if`` without an ``else`` asks whether there is the object, and nothing else."""
    if if_.orelse is not None or not isinstance(if_.body, cst.IndentedBlock):
        return False
    it, quoted = rf"self\.{name}", rf"self, ['\"]{name}['\"]"
    asked = rf"{it}|{it} is not None|hasattr\({quoted}\)|getattr\({quoted}, None\)(?: is not None)?"
    return re.fullmatch(asked, source.code(if_.test)) is not None
