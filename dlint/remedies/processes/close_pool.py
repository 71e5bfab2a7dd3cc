"""Ends a pool when the block that made it has done with it: by ``with`` where that waits for all work, else
with ``close`` and ``join`` after the last result is read. Threads whose results a round of a loop reads serve
all rounds: the ``with`` stands around the loop."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.finding import Finding
from dlint.knowledge.processes.pools import SUBMITS, WAITS
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import Statement
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.unused import is_of_other
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

# A block would end the tasks of a `ThreadPool` whose results are read behind it: who waits for those hangs.
_BY_HAND = "make the pool once, before the loop, and close and join it once its results are read"
_LAZY = frozenset({"map", "imap", "imap_unordered"})
_READ_ALL = frozenset({"list", "tuple", "set", "dict", "sum", "sorted", "max", "min"})
# What waits for another thread, or lets it go on: tasks may need it before they are done.
_MEETS = frozenset({"acquire", "notify", "notify_all", "put", "release", "set", "wait"})
# What these give reads from what they are given later on.
_PASS_ON = frozenset({"enumerate", "zip", "map", "filter", "iter", "reversed", "tqdm", "islice", "chain"})


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """End the pool that the finding points at. Raises CannotRepair."""
    node = source.at(finding, cst.Call, cst.Assign)
    statement = source.statement_of(node)
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        raise CannotRepair(_BY_HAND)
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name):
        raise CannotRepair(_BY_HAND)
    _, body, index = statements.block_of(source, statement)
    executor = "Executor" in (source.qualified(statement.value.func) or source.code(statement.value.func))
    used = _Used(source, body, index, target, executor)
    called = {used.method(use) for use in used.uses}
    if called & {"terminate", "shutdown", "join"}:
        raise CannotRepair(_BY_HAND)
    last = used.last()
    lines = body[index + 1 : last + 1]
    if "close" not in called and (executor or used.all_read_in_place) and used.stays(lines, returning=True):
        loop = _loop_around(source, statement) if used.all_read_in_place else None
        if loop is not None:
            _around(source, edits, statement, loop, target)
        else:
            _into_with(source, edits, statement, lines, target)
        return
    if not used.stays(lines, returning=False):
        raise CannotRepair(f"the block may be left before the pool has done: {_BY_HAND}")
    wanted = ("shutdown",) if executor else ("close", "join")
    text = "\n".join(f"{target.value}.{method}()" for method in wanted if method not in called)
    edits.insert_after(body[last], statements.parse(source, text), key=("close", target.value))


class _Used:
    """How a block uses a pool that it has made."""

    def __init__(
        self, source: Source, body: Sequence[cst.CSTNode], index: int, target: cst.Name, executor: bool
    ) -> None:
        self._source = source
        self._body = body
        self._index = index
        self._executor = executor
        self._function = source.function_of(target)
        self._around = self._function.body if self._function is not None else source.module
        self.uses = [each for each in self._names(target.value) if each is not target]
        if not self.uses or any(self.method(use) is None for use in self.uses):
            raise CannotRepair(_BY_HAND)
        self.results: set[str] = set()
        self.all_read_in_place = True
        # Whether tasks may still run when the last of them is handed over and all results are read.
        self.some_unread = False
        for use in self.uses:
            self._look_at(use)

    def _names(self, name: str) -> list[cst.Name]:
        names = self._source.descendants(self._around, cst.Name)
        return [each for each in names if each.value == name and not is_of_other(self._source, each)]

    def method(self, use: cst.Name) -> str | None:
        """The method of the pool that is called, None where anything else is done with it."""
        attribute = self._source.parent(use)
        call = self._source.parent(attribute) if isinstance(attribute, cst.Attribute) else None
        if isinstance(attribute, cst.Attribute) and isinstance(call, cst.Call) and call.func is attribute:
            return attribute.attr.value
        return None

    def _look_at(self, use: cst.Name) -> None:
        """Where the results of a call go."""
        source = self._source
        method = self.method(use)
        call = source.parent(source.parent(use) or use)
        assert call is not None
        elsewhere = source.function_of(use) is not self._function
        if elsewhere or source.enclosing(call, cst.GeneratorExp) is not None:
            raise CannotRepair(f"the pool is given work when somebody asks for it: {_BY_HAND}")
        if method == "close" or (method in WAITS and not self._executor):
            return
        if (method in _LAZY and self._is_read(call)) or (method in SUBMITS and self._is_awaited(call)):
            return
        self.all_read_in_place = False
        holder = self._holder(call)
        if holder is None:
            raise CannotRepair(f"the results are read elsewhere: {_BY_HAND}")
        if holder:
            self._hold(holder)
        elif method in SUBMITS:
            self.some_unread = True
        else:
            raise CannotRepair(f"the results are read elsewhere: {_BY_HAND}")

    def _is_read(self, call: cst.CSTNode) -> bool:
        """Whether all that a lazy call gives is read where it stands."""
        parent = self._source.parent(call)
        if isinstance(parent, cst.For | cst.CompFor):
            above = self._source.parent(parent)
            return parent.iter is call and not isinstance(above, cst.GeneratorExp)
        if isinstance(parent, cst.Arg):
            outer = self._source.parent(parent)
            if isinstance(outer, cst.Call):
                called = self._source.code(outer.func)
                if called.rpartition(".")[2] in _PASS_ON:
                    return self._is_read(outer)
                return called in _READ_ALL
        return isinstance(parent, cst.StarredElement)

    def _is_awaited(self, call: cst.CSTNode) -> bool:
        """Whether the one result of a call is asked for where it stands."""
        asked = self._source.parent(call)
        return isinstance(asked, cst.Attribute) and asked.attr.value in ("get", "result", "wait")

    def _holder(self, call: cst.CSTNode) -> str | None:
        """The variable that holds what a call gives, "" where nothing does, None where that is not known."""
        source = self._source
        statement = source.statement_of(call)
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            target = statement.targets[0].target
            return target.value if isinstance(target, cst.Name) else None
        if isinstance(statement, cst.Expr):
            if statement.value is call:
                return ""
            outer = statement.value
            if isinstance(outer, cst.Call) and isinstance(outer.func, cst.Attribute):
                kept = isinstance(outer.func.value, cst.Name) and outer.func.attr.value in ("append", "add")
                if kept and [arg.value for arg in outer.args] == [call]:
                    return str(source.code(outer.func.value))
        return None

    def _hold(self, name: str) -> None:
        """Take a variable for one that holds results to come, and what reads it later for another."""
        if name in self.results:
            return
        self.results.add(name)
        source = self._source
        for each in self._names(name):
            statement = source.statement_of(each)
            if isinstance(statement, cst.Return) or source.enclosing(each, cst.Yield, cst.Lambda) is not None:
                raise CannotRepair(f"the results are read elsewhere: {_BY_HAND}")
            if not isinstance(statement, cst.Assign) or not source.encloses(statement.value, each):
                continue
            lazy = source.enclosing(each, cst.GeneratorExp) is not None
            call = source.enclosing(each, cst.Call)
            lazy |= call is not None and source.code(call.func).rpartition(".")[2] in _PASS_ON
            if lazy or statement.value is each:
                target = statement.targets[0].target
                if not isinstance(target, cst.Name):
                    raise CannotRepair(f"the results are read elsewhere: {_BY_HAND}")
                self._hold(target.value)

    def last(self) -> int:
        """The index of the block's last statement that uses the pool or its results."""
        source = self._source
        ours = [*self.uses]
        for name in self.results:
            ours += [each for each in self._names(name) if not self._is_before(each)]
        lines = [i for use in ours for i, line in enumerate(self._body) if source.encloses(line, use)]
        if len(lines) < len(ours) or min(lines) <= self._index:
            raise CannotRepair(_BY_HAND)
        last = max(lines)
        return self._last_meeting(last) if self.some_unread else last

    def _last_meeting(self, last: int) -> int:
        """The index of the last statement at which the block may wait for the tasks that nobody waits for, or
        they for it."""
        source = self._source
        made = self._body[self._index]
        loop = source.enclosing(made, cst.For, cst.While, cst.FunctionDef)
        for call in source.descendants(self._around, cst.Call):
            if not self._meets(call):
                continue
            at = next((i for i, line in enumerate(self._body) if source.encloses(line, call)), -1)
            before = source.range(call) < source.range(made)
            again = isinstance(loop, cst.For | cst.While) and source.encloses(loop, call)
            if at <= self._index and (again or not before):
                raise CannotRepair(f"the tasks may wait for what comes after the block: {_BY_HAND}")
            last = max(last, at)
        return last

    def _meets(self, call: cst.Call) -> bool:
        """Whether a call may wait for another thread, or be what one waits for."""
        func = call.func
        if not isinstance(func, cst.Attribute) or any(func.value is use for use in self.uses):
            return False
        first = call.args[0] if call.args else None
        # A dict's ``get`` is given the key.
        of_queue = first is None or first.keyword or self._source.code(first.value) in ("True", "False")
        return func.attr.value in _MEETS or (func.attr.value == "get" and bool(of_queue))

    def _is_before(self, name: cst.Name) -> bool:
        """Whether a name stands before the pool is made, as an empty list of results does."""
        return self._source.range(name) < self._source.range(self._body[self._index])

    def stays(self, lines: Sequence[cst.CSTNode], *, returning: bool) -> bool:
        """Whether control leaves the lines at their end only, or (``returning``) by ``return`` and such."""
        source = self._source
        for line in lines:
            for way in source.descendants(line, cst.Return, cst.Yield, cst.Break, cst.Continue):
                if isinstance(way, cst.Yield):
                    return False
                loop = source.enclosing(way, cst.For, cst.While)
                inside = not isinstance(way, cst.Return) and (loop is line or source.encloses(line, loop))
                if not inside and not returning:
                    return False
        return True


def _loop_around(source: Source, statement: cst.Assign) -> cst.For | cst.While | None:
    """The widest loop that a pool of threads may be made before: each round comes to it, and none says how it
    is made. Processes have what there was when they were started, and stay where they are."""
    call = cst.ensure_type(statement.value, cst.Call)
    if not (source.qualified(call.func) or "").endswith(("ThreadPool", "ThreadPoolExecutor")):
        return None
    parts = [each for arg in call.args for each in source.descendants(arg, cst.BaseExpression)]
    if not all(isinstance(each, cst.Name | cst.Attribute | cst.Integer) for each in parts):
        return None
    names = {each.value for each in parts if isinstance(each, cst.Name)}
    best: cst.For | cst.While | None = None
    line = source.line_of(statement)
    while line is not None:
        block = source.parent(line)
        loop = source.parent(block) if block is not None else None
        if (
            not isinstance(loop, cst.For | cst.While)
            or loop.body is not block
            or names & _bound(source, loop)
        ):
            break
        if not isinstance(source.parent(loop), cst.IndentedBlock | cst.Module):
            break
        if any(True for _ in source.descendants(loop, cst.Yield, cst.Await)):
            break
        best = line = loop
    return best


def _bound(source: Source, loop: cst.For | cst.While) -> set[str]:
    """The names that a loop binds, and what it stores attributes and entries of."""
    kinds = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.AsName)
    targets = [
        each.name if isinstance(each, cst.AsName) else each.target
        for each in (loop, *source.descendants(loop, *kinds))
        if not isinstance(each, cst.While)
    ]
    return {
        each.value
        for target in targets
        for each in (target, *source.descendants(target, cst.Name))
        if isinstance(each, cst.Name)
    }


def _around(
    source: Source, edits: Edits, statement: cst.Assign, loop: cst.For | cst.While, target: cst.Name
) -> None:
    """Put the loop into a ``with`` block that makes the pool, which its rounds no longer make."""
    made = source.line_of(statement)
    if not isinstance(made, cst.SimpleStatementLine) or len(made.body) != 1:
        raise CannotRepair(_BY_HAND)
    comments = [each for each in made.leading_lines if each.comment is not None]
    block = cst.ensure_type(source.parent(made), cst.IndentedBlock)
    rest = [each for each in block.body if each is not made]
    if rest and block.body[0] is made and isinstance(rest[0], Statement):
        rest[0] = rest[0].with_changes(leading_lines=_without_blank(rest[0].leading_lines))
    rounds = cst.ensure_type(loop.deep_replace(block, block.with_changes(body=rest)), type(loop))
    inner = statements.without_blank_indents(rounds.with_changes(leading_lines=()))
    item = cst.WithItem(statement.value, cst.AsName(cst.Name(target.value)))
    header = made.trailing_whitespace
    new = cst.With(
        [item],
        cst.IndentedBlock([inner], header=header),
        leading_lines=[*loop.leading_lines, *comments],
    )
    edits.replace(loop, new)


def _into_with(
    source: Source,
    edits: Edits,
    statement: cst.Assign,
    lines: Sequence[cst.CSTNode],
    target: cst.Name,
) -> None:
    """Put the lines into a ``with`` block, in the place of the statement that makes the pool."""
    made = source.line_of(statement)
    if not isinstance(made, cst.SimpleStatementLine) or len(made.body) != 1:
        raise CannotRepair(_BY_HAND)
    first, *rest = (statements.without_blank_indents(line) for line in lines if isinstance(line, Statement))
    inner = [first.with_changes(leading_lines=_without_blank(first.leading_lines)), *rest]
    item = cst.WithItem(statement.value, cst.AsName(cst.Name(target.value)))
    header = made.trailing_whitespace
    new = cst.With([item], cst.IndentedBlock(inner, header=header), leading_lines=made.leading_lines)
    edits.replace(made, new)
    for line in lines:
        edits.claim(line)
        edits.remove(line)


def _without_blank(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    kept = list(lines)
    while kept and kept[0].comment is None:
        kept.pop(0)
    return kept
