"""Opens a file handle in each process that reads it, keyed on the process id, and keeps it out of pickles.

Forked workers share the position of an inherited handle and read each other's bytes; spawned ones cannot
be sent it. What a process may open only once is closed where it was inherited.
"""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.made import Made, made_at
from dlint.rewriting.per_process import PerProcess, as_function
from dlint.rewriting.source import Source
from dlint.rewriting.unpickled import as_unpickled_property

_WHY = "Workers cannot share a handle: each process opens its own."
_ONCE = "LMDB opens nothing twice: a worker closes the inherited one first."


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the handle that the finding points at into one per process."""
    made = made_at(source, finding)
    _check(source, made)
    once = bool(finding.remedy and finding.remedy.data.get("once"))
    why = _ONCE if once else _WHY
    if made.owner is None:
        as_function(source, edits, made, PerProcess(why, source.code(made.value), once=once))
    else:
        as_unpickled_property(source, edits, made, why, "path", once=once)


def _check(source: Source, made: Made) -> None:
    """Refuse where each process would open something else, or not do to it what is done here."""
    value = made.value
    if any(":memory:" in text.value for text in source.descendants(value, cst.SimpleString)):
        raise CannotRepair("what it opens is in this process's memory: fill one in each process, by hand")
    if any(True for arg in value.args for _ in _entries(source, arg.value)):
        raise CannotRepair("what it opens is taken from a list, which may change: keep the path on self")
    within: cst.CSTNode = made.method.body if made.method is not None else source.module
    holder = f"self.{made.name}" if made.owner is not None else made.name
    for each in source.descendants(within, cst.Attribute, cst.Name):
        later = made.method is None and source.function_of(each) is not None
        if not later and source.code(each) == holder and _is_changed(source, each):
            what = source.code(source.statement_of(each)).strip()
            raise CannotRepair(f"it is set up once it is open (`{what}`): do both in each process, by hand")


def _entries(source: Source, node: cst.BaseExpression) -> list[cst.Subscript]:
    return [
        each for each in [node, *source.descendants(node, cst.Subscript)] if isinstance(each, cst.Subscript)
    ]


def _is_changed(source: Source, node: cst.CSTNode) -> bool:
    """Whether something is stored in what a name stands for, or a method is called for what it does to it."""
    inner, above = node, source.parent(node)
    while (
        isinstance(above, cst.Attribute | cst.Subscript | cst.Call)
        and (above.func if isinstance(above, cst.Call) else above.value) is inner
    ):
        inner, above = above, source.parent(above)
    if inner is node:
        return False
    if isinstance(above, cst.AssignTarget | cst.AugAssign | cst.AnnAssign):
        return above.target is inner
    return isinstance(above, cst.Expr) and isinstance(inner, cst.Call)
