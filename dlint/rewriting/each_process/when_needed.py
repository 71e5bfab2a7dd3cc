"""What a class opens when it is first needed, and asks for by ``is None``: each process asks whether what is
there is its own."""

from __future__ import annotations

import libcst as cst

from dlint.changes.stores import Kin
from dlint.rewriting.each_process.attribute import is_free, kin_of, lines_of
from dlint.rewriting.each_process.made import Made, StaysShared
from dlint.rewriting.each_process.moved.hints import number_or_none
from dlint.rewriting.each_process.per_process import comment
from dlint.rewriting.each_process.states import forgotten, leave_out
from dlint.rewriting.edits import Edits
from dlint.rewriting.header import Statement, spaced
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.source import Source

# Methods that let go of what is there, or that only the process runs which has made the object.
_NO_WORKERS = frozenset({"__init__", "__post_init__", "__del__", "__exit__", "__getstate__", "close"})


def reopen_in_each_process(source: Source, edits: Edits, made: Made, why: str, *, once: bool = False) -> bool:
    """Have each process make what it needs, where that is made under ``if self.file is None:``; False where
    it is made in another way. ``once``: an inherited one is closed first."""
    if made.owner is None or made.method is None or made.among is not None:
        return False
    nothing = _none_before(source, made)
    guards = [each for each in source.descendants(made.owner.body, cst.If) if _asks(source, each, made)]
    if not nothing or not guards:
        return False
    pid = f"_{made.name.strip('_')}_pid"
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, made.owner)
        _check_stores(source, kin, made, nothing)
        _check_reads(source, made, guards)
        if not is_free(kin, pid):
            raise StaysShared(f"the name {pid} is in use")
        os = name_for(source, edits, "os", "os")
        left_out = forgotten(source, made.owner, made.name)
        more = (
            "" if left_out else leave_out(source, edits, kin, made.owner, made.name, made.name, left="None")
        )
    for guard in guards:
        test = f"{source.code(guard.test)} or self.{pid} != {os}.getpid()"
        edits.replace(guard.test, statements.expression(test))
    _say_why(source, edits, guards[0], why)
    line = source.line_of(made.statement)
    edits.insert_after(line, statements.parse(source, f"self.{pid} = {os}.getpid()\n"))
    if once:
        holder = f"self.{made.name}"
        text = f"if {holder} is not None:\n    {holder}.close()\n"
        edits.insert_before(line, statements.parse(source, text))
    for each in nothing:
        _keep_none(source, edits, each, pid)
    if more:
        _add(source, edits, made.owner, more)
    edits.claim(made.owner)
    return True


def _none_before(source: Source, made: Made) -> list[cst.Assign | cst.AnnAssign]:
    """The lines of the class, or of its constructor, that say that there is nothing yet."""
    assert made.owner is not None
    found = []
    for each in source.descendants(made.owner.body, cst.Assign, cst.AnnAssign):
        if each.value is None or source.code(each.value) != "None":
            continue
        target = each.targets[0].target if isinstance(each, cst.Assign) else each.target
        function = source.function_of(each)
        if function is None:
            mine = source.code(target) == made.name and source.enclosing(each, cst.ClassDef) is made.owner
        else:
            mine = source.code(target) == f"self.{made.name}" and _name(function) in ("__init__",)
        if mine and (isinstance(each, cst.AnnAssign) or len(each.targets) == 1):
            found.append(each)
    return found


def _name(function: cst.CSTNode) -> str:
    return function.name.value if isinstance(function, cst.FunctionDef) else ""


def _asks(source: Source, guard: cst.If, made: Made) -> bool:
    """Whether a test asks whether there is none, to make one."""
    holder = f"self.{made.name}"
    if source.code(guard.test) not in (f"{holder} is None", f"not {holder}"):
        return False
    if source.encloses(guard.body, made.statement):
        return True
    calls = source.descendants(guard.body, cst.Call)
    return any(source.code(call.func) == f"self.{_name_of_maker(made)}" for call in calls)


def _name_of_maker(made: Made) -> str:
    assert made.method is not None
    return made.method.name.value


def _check_stores(source: Source, kin: Kin, made: Made, nothing: list[cst.Assign | cst.AnnAssign]) -> None:
    """Refuse where anything else stores in the attribute, but to let go of what is there."""
    assert made.owner is not None
    here = source.surroundings.module(source)
    changed = (made.statement, *nothing, *_let_go(source, made), *forgotten(source, made.owner, made.name))
    known = [lines_of(source, each) for each in changed]
    for store in kin.stores(made.name):
        line = getattr(store.node, "lineno", 0)
        if store.module is not here or not any(first <= line <= last for first, last in known):
            raise StaysShared(f"{made.name} is also set elsewhere ({store})")
    for cls in kin.classes:
        if cls.node is not kin.cls.node and f"self.{made.name}" in cls.module.text_of(cls.node):
            raise StaysShared(f"the class {cls.name} uses {made.name}, too")


def _let_go(source: Source, made: Made) -> list[cst.Assign]:
    assert made.owner is not None
    return [
        each
        for each in source.descendants(made.owner.body, cst.Assign)
        if source.code(each.value) == "None"
        and [source.code(target.target) for target in each.targets] == [f"self.{made.name}"]
    ]


def _check_reads(source: Source, made: Made, guards: list[cst.If]) -> None:
    """Refuse where a method reads the attribute and has not asked whether it is there."""
    assert made.owner is not None
    asking = {_name(function) for guard in guards if (function := source.function_of(guard)) is not None}
    for read in source.descendants(made.owner.body, cst.Attribute):
        if source.code(read) != f"self.{made.name}" or isinstance(source.parent(read), cst.AssignTarget):
            continue
        function = source.function_of(read)
        if not isinstance(function, cst.FunctionDef):
            raise StaysShared(f"line {source.range(read)[0][0]} reads it in a lambda")
        if function.name.value in _NO_WORKERS or (
            function is made.method and made.method.name.value not in asking
        ):
            continue
        if not any(_is_before(source, each, read, function) for each in guards) and not any(
            source.code(call.func) in {f"self.{name}" for name in asking}
            and source.range(call)[0] < source.range(read)[0]
            for call in source.descendants(function.body, cst.Call)
        ):
            raise StaysShared(f"line {source.range(read)[0][0]} reads it without asking whether it is there")


def _is_before(source: Source, guard: cst.If, read: cst.CSTNode, function: cst.FunctionDef) -> bool:
    if source.encloses(guard, read):
        return True
    return source.parent(guard) is function.body and source.range(guard)[0] < source.range(read)[0]


def _say_why(source: Source, edits: Edits, guard: cst.If, why: str) -> None:
    lines = [
        cst.EmptyLine(comment=cst.Comment(line))
        for line in comment(source, why, source.range(guard)[0][1]).splitlines()
    ]
    edits.change(guard, lambda node: node.with_changes(leading_lines=[*node.leading_lines, *lines]), "why")


def _keep_none(source: Source, edits: Edits, old: cst.Assign | cst.AnnAssign, pid: str) -> None:
    """Say in the next line that no process has made one."""
    holder = "self." if source.function_of(old) is not None else ""
    hint = f": {number_or_none(source, edits)}" if isinstance(old, cst.AnnAssign) else ""
    line = source.line_of(old)
    edits.insert_after(line, statements.parse(source, f"{holder}{pid}{hint} = None\n"))


def _add(source: Source, edits: Edits, owner: cst.ClassDef, text: str) -> None:
    """Put a method behind the constructor of a class, or before its first method."""
    lines = list(owner.body.body)
    methods = [each for each in lines if isinstance(each, cst.FunctionDef)]
    makers = [each for each in methods if each.name.value == "__init__"]
    after = makers[-1] if makers else methods[-1]
    edits.insert_after(after, statements.parse(source, text))
    at = lines.index(after) + 1
    if at < len(lines) and isinstance(lines[at], Statement):
        edits.change(lines[at], lambda node: spaced(node, 1))
