"""A pool that a method makes for every call becomes one that the object keeps for its process."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import per_process, statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.header import spaced
from dlint.rewriting.imports import name_for
from dlint.rewriting.locals import local_names
from dlint.rewriting.source import Source

_WHY = "Threads are dear to start: one pool for each process, not one for each item."
_BY_HAND = "keep one pool per process, keyed on os.getpid(), instead of one per item, by hand"
_BLOCKING = frozenset({"map", "starmap", "apply"})  # ThreadPool's methods that return when all is done
_LAZY = frozenset({"map", "imap", "imap_unordered"})
_CONSUMERS = frozenset(
    {"list", "tuple", "dict", "set", "sum", "sorted", "max", "min", "np.stack", "torch.stack"}
)
_CLOSING = frozenset({"close", "join", "shutdown", "terminate"})


def keep_pool(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the pool that the finding points at into a property of the object. Raises CannotRepair."""
    call = source.at(finding, cst.Call)
    method = source.function_of(call)
    owner = source.enclosing(call, cst.ClassDef)
    if not isinstance(method, cst.FunctionDef) or owner is None or not _is_method(source, method, owner):
        raise CannotRepair(_BY_HAND)
    if any(name != "self" for name in local_names(source, call)):
        raise CannotRepair(f"the pool's size is decided for every item: {_BY_HAND}")
    defined = {each.name.value for each in source.descendants(owner.body, cst.FunctionDef)}
    if (
        defined & {"__getstate__", "__setstate__", "__reduce__", "__del__"}
        or "__slots__" in source.identifiers
    ):
        raise CannotRepair(_BY_HAND)
    executor = "Executor" in source.code(call.func)
    name = source.free_name(*(("_executor", "_thread_executor") if executor else ("_pool", "_thread_pool")))
    parent = source.parent(call)
    if isinstance(parent, cst.WithItem):
        _unwrap(source, edits, parent, name, executor)
    elif isinstance(parent, cst.Assign):
        _unassign(source, edits, parent, name, executor)
    elif isinstance(parent, cst.Attribute) and not executor:
        edits.replace(call, statements.expression(f"self.{name}"))
    else:
        raise CannotRepair(_BY_HAND)
    _add_members(source, edits, method, name, source.code(call))
    edits.claim(owner)


def _add_members(source: Source, edits: Edits, method: cst.FunctionDef, name: str, made: str) -> None:
    kept, pid = f"{name}_here", f"{name}_pid"
    if {kept, pid} & source.identifiers:
        raise CannotRepair(f"the names {kept} and {pid} are in use: {_BY_HAND}")
    os = name_for(source, edits, "os", "os")
    _, _, index = statements.block_of(source, method)
    text = "\n" if index else ""
    text += f"{kept} = None\n{pid} = None\n\n"
    text += per_process.property_text(name, kept, pid, made, _WHY, os)
    text += per_process.getstate_text(per_process.state_text(source, kept, pid))
    edits.insert_before(method, statements.parse(source, text))
    edits.change(method, lambda node: spaced(node, 1))


def _unwrap(source: Source, edits: Edits, item: cst.WithItem, name: str, executor: bool) -> None:
    """Put the body of ``with ThreadPool() as pool:`` in the place of the statement."""
    block = source.parent(item)
    if (
        not isinstance(block, cst.With)
        or len(block.items) != 1
        or block.asynchronous is not None
        or item.asname is None
        or not isinstance(item.asname.name, cst.Name)
        or not isinstance(block.body, cst.IndentedBlock)
        or block.body.header.comment is not None
        or any(line.comment is not None for line in block.body.footer)
    ):
        raise CannotRepair(_BY_HAND)
    function = source.function_of(block)
    assert isinstance(function, cst.FunctionDef)
    local = item.asname.name
    uses = _uses(source, function.body, local)
    if any(not source.encloses(block.body, use) for use in uses):
        raise CannotRepair(_BY_HAND)
    _rename(source, edits, uses, name, executor)

    def unwrapped(node: cst.With) -> cst.CSTNode:
        first, *rest = node.body.body
        lines = [*node.leading_lines, *first.leading_lines]  # type: ignore[union-attr]
        return cst.FlattenSentinel([first.with_changes(leading_lines=lines), *rest])  # type: ignore[return-value]

    edits.change(block, unwrapped)


def _unassign(source: Source, edits: Edits, assign: cst.Assign, name: str, executor: bool) -> None:
    """Take ``pool = ThreadPool()`` and the closing of it away."""
    target = assign.targets[0].target
    function = source.function_of(assign)
    if (
        len(assign.targets) != 1
        or not isinstance(target, cst.Name)
        or not isinstance(function, cst.FunctionDef)
    ):
        raise CannotRepair(_BY_HAND)
    uses = _uses(source, function.body, target)
    closing = [use for use in uses if _method(source, use) in _CLOSING]
    _rename(source, edits, [use for use in uses if use not in closing], name, executor)
    for use in closing:
        call = source.parent(source.parent(use) or use)
        statement = source.parent(call) if call is not None else None
        if not isinstance(statement, cst.Expr):
            raise CannotRepair(_BY_HAND)
        statements.remove_statement(source, edits, statement)
    statements.remove_statement(source, edits, assign)


def _uses(source: Source, body: cst.CSTNode, local: cst.Name) -> list[cst.Name]:
    return [
        each for each in source.descendants(body, cst.Name) if each.value == local.value and each is not local
    ]


def _method(source: Source, use: cst.Name) -> str | None:
    """The method of the pool that is called, when that is all that is done with it here."""
    attribute = source.parent(use)
    call = source.parent(attribute) if isinstance(attribute, cst.Attribute) else None
    if not (isinstance(attribute, cst.Attribute) and attribute.value is use):
        return None
    return attribute.attr.value if isinstance(call, cst.Call) and call.func is attribute else None


def _rename(source: Source, edits: Edits, uses: Iterable[cst.Name], name: str, executor: bool) -> None:
    """Use the object's pool, where every result is read before the block that made it ended."""
    found = False
    for use in uses:
        found = True
        method = _method(source, use)
        call = source.parent(source.parent(use) or use)
        waits = (method in _BLOCKING and not executor) or (method in _LAZY and _is_consumed(source, call))
        if not waits:
            raise CannotRepair(_BY_HAND)
        edits.replace(use, statements.expression(f"self.{name}"))
    if not found:
        raise CannotRepair(_BY_HAND)


def _is_consumed(source: Source, call: cst.CSTNode | None) -> bool:
    parent = source.parent(call) if call is not None else None
    if isinstance(parent, cst.For):
        return parent.iter is call
    if isinstance(parent, cst.Arg):
        outer = source.parent(parent)
        return isinstance(outer, cst.Call) and source.code(outer.func) in _CONSUMERS | {
            "np.stack",
            "torch.stack",
        }
    return isinstance(parent, cst.StarredElement)


def _is_method(source: Source, method: cst.FunctionDef, owner: cst.ClassDef) -> bool:
    params = method.params.params
    inside = source.parent(source.parent(method) or method) is owner
    return inside and bool(params) and params[0].name.value == "self"
