"""Whether a process that opens a handle later has what the first one has: the same file, at the same place,
set up in the same way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.fork.handles import handle_of
from dlint.knowledge.processes.handles import NO_FILE, WITHOUT_POSITION, is_descriptor
from dlint.program.program import Program
from dlint.rewriting.each_process.made import Made
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.values import Const, Value
from dlint.values.values import Made as MadeValue

_BY_HAND = "open it in each process, keyed on os.getpid()"
# In the process's own memory, in SQLite's words; an empty name is a file that goes with the connection.
_MEMORY = re.compile(r":memory:|\bmode=memory\b")
_MOVES = frozenset(
    {
        "__next__",
        "decode",
        "demux",
        "grab",
        "next",
        "read",
        "read1",
        "readframes",
        "readinto",
        "readline",
        "readlines",
    }
)
_MOVES_TO = frozenset({"seek", "set", "setpos", "rewind"})
_ENDS = frozenset({"close", "release"})
_EVALUATED = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.SimpleString,
    cst.FormattedString,
    cst.UnaryOperation,
)
_GOES_AWAY = frozenset({"remove", "unlink", "rename", "replace", "rmtree", "move", "rmdir"})
_ABSOLUTE = re.compile(r"\babspath\(|\brealpath\(|\.resolve\(|\.absolute\(|__file__|['\"]/")


def check_opened_later(source: Source, made: Made) -> None:
    """Raise CannotRepair where each process would open something else, or not do to it what is done here."""
    _check_source(source, made)
    with source.surroundings.asking() as program:
        _check_values(source, program, made)
        _check_folder(source, program, made)
        _check_elsewhere(program, made)
    _check_set_up(source, made)
    _check_position(source, made)


def check_as_made(source: Source, made: Made) -> None:
    """Raise CannotRepair where something is done to what is no handle once it is made, at whatever time."""
    with source.surroundings.asking() as program:
        _check_elsewhere(program, made)
    for each in _mentions(source, made):
        if _is_changed(source, each):
            what = source.code(source.statement_of(each)).strip()
            raise CannotRepair(f"it is set up later (`{what}`): do both in each process")


# What is opened


def _check_source(source: Source, made: Made) -> None:
    """Refuse where the text says that what is opened may be gone, or another, at a later time."""
    value, statement = made.value, made.statement
    block = source.enclosing(statement, cst.Try, cst.With, cst.FunctionDef)
    if isinstance(block, cst.Try) and source.encloses(block.body, statement) and block.handlers:
        raise CannotRepair(
            f"errors of opening it are handled here (line {source.range(block.handlers[0])[0][0]}) and would "
            "come later: open it in each process, keyed on os.getpid(), and handle them there"
        )
    said = frozenset().union(*(source.names_in(arg.value) for arg in value.args)) - {"self"}
    around = source.enclosing(statement, cst.With)
    while around is not None:
        if any(item.asname is not None and source.names_in(item.asname) & said for item in around.items):
            raise CannotRepair(
                f"what it opens is there only inside the with of line {source.range(around)[0][0]}: keep it "
                "as long as the object lives, and open it in each process"
            )
        around = source.enclosing(around, cst.With)
    for call in source.descendants(_within(source, made), cst.Call):
        if _method(call) not in _GOES_AWAY or not source.names_in(call) & said:
            continue
        if not _is_later(source, made, call) and not _is_before(source, made, call):
            raise CannotRepair(
                f"what it opens is taken away here (`{source.code(call)}`): keep it as long as workers read "
                "it, and open it in each process"
            )


def _check_values(source: Source, program: Program, made: Made) -> None:
    """Refuse where what is opened is known not to be there for another process."""
    for arg in made.value.args:
        for value in _values(source, program, arg.value):
            if isinstance(value, Const) and _MEMORY.search(str(value.value)):
                raise CannotRepair("what it opens is in this process's memory: fill one in each process")
            if isinstance(value, MadeValue) and is_descriptor(value.name):
                _refuse_number(source, arg.value)
            handle = handle_of(program.evaluator, value)
            if handle is not None:
                raise CannotRepair(
                    f"it reads from {source.code(arg.value)}, {handle.name} of this process: open both in "
                    "each process, keyed on os.getpid()"
                )
            if isinstance(value, Const) and value.value == NO_FILE and _maps(source, made):
                raise CannotRepair("it is a map of no file, but of memory: fill one in each process")
        if any(_method(call) == "fileno" for call in source.calls_in(arg.value)):
            _refuse_number(source, arg.value)


def _refuse_number(source: Source, number: cst.BaseExpression) -> None:
    raise CannotRepair(
        f"{source.code(number)} is a number of this process's: open the file in each process, "
        "keyed on os.getpid(), and take its number there"
    )


def _maps(source: Source, made: Made) -> bool:
    return source.qualified(made.value.func) == "mmap.mmap"


def _values(source: Source, program: Program, node: cst.BaseExpression) -> Iterator[Value]:
    if isinstance(node, _EVALUATED):
        found, point = source.surroundings.point(source, node, ast.expr)
        assert isinstance(found, ast.expr)
        if isinstance(found, ast.JoinedStr):
            yield Const("".join(str(each.value) for each in found.values if isinstance(each, ast.Constant)))
        for value, _ in program.evaluator.values(found, point):
            yield value


def _method(call: cst.Call) -> str:
    func = call.func
    return func.attr.value if isinstance(func, cst.Attribute) else ""


def _check_folder(source: Source, program: Program, made: Made) -> None:
    """Refuse where the program changes the folder that a path may begin in."""
    if _ABSOLUTE.search(source.code(made.value)):
        return
    index, boundaries = program.modules.index, program.boundaries
    home = source.surroundings.module(source).relative
    for relative in index.mentioning("chdir"):
        if relative == home or home in boundaries.imports(relative) or relative in boundaries.imports(home):
            module = program.modules.get(relative)
            for trail in module.paths_to("chdir", called=True) if module is not None else ():
                raise CannotRepair(
                    f"the program changes its folder ({relative}:{getattr(trail[-1], 'lineno', 1)}): keep "
                    f"the path as os.path.abspath(path) when it is given, and {_BY_HAND}"
                )


# What is done to it


def _check_set_up(source: Source, made: Made) -> None:
    """Refuse where something is done to it once it is open, here or in a method that is called here."""
    for each in _mentions(source, made):
        if not _is_later(source, made, each) and _is_changed(source, each):
            _refuse_set_up(source, each)


def _check_elsewhere(program: Program, made: Made) -> None:
    """Refuse where code outside of the class does something to it: ``dataset.db.row_factory = Row``."""
    if made.owner is None:
        return
    for module in program.modules.mentioning(made.name):
        for node in walk(module.tree):
            match node:
                case ast.Assign(targets=targets):
                    stored = [each.value for each in targets if isinstance(each, ast.Attribute)]
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr=name))):
                    stored = [receiver] if name not in _ENDS else []
                case _:
                    continue
            if any(_is_of_object(each, made.name) for each in stored):
                _refuse_elsewhere(module, node)


def _is_of_object(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="self")):
            return False
        case ast.Attribute(attr=attribute):
            return attribute == name
    return False


def _refuse_elsewhere(module: Module, node: ast.stmt) -> None:
    what = ast.unparse(node)
    raise CannotRepair(
        f"it is set up once it is open (`{what}`, {module.relative}:{node.lineno}): do both in each process"
    )


def _refuse_set_up(source: Source, node: cst.CSTNode) -> None:
    what = source.code(source.statement_of(node)).strip()
    if re.search(rf"\.(?:{'|'.join(_ENDS)})\(\)$", what):
        raise CannotRepair(
            f"it is closed here (`{what}`): open it in each process that reads it, keyed on os.getpid(), and "
            "close that one"
        )
    raise CannotRepair(f"it is set up once it is open (`{what}`): do both in each process")


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
    return (
        isinstance(above, cst.Expr) and isinstance(inner, cst.Call) and source.code(inner)[-8:] != ".seek(0)"
    )


# Where it is read


def _check_position(source: Source, made: Made) -> None:
    """Refuse where it is read on from where the code that opened it has left it."""
    if (source.qualified(made.value.func) or "") in WITHOUT_POSITION:
        return
    moves = [each for each in _mentions(source, made) if _move(source, each)]
    first = [each for each in moves if not _is_later(source, made, each)]
    if not first or source.code(source.statement_of(first[-1])).endswith(".seek(0)"):
        return
    begun: set[cst.CSTNode | None] = set()
    for each in moves:
        function = source.function_of(each)
        if _is_later(source, made, each) and function not in begun:
            begun.add(function)
            if _move(source, each) not in _MOVES_TO:
                raise CannotRepair(
                    f"line {source.range(each)[0][0]} reads on from where line "
                    f"{source.range(first[-1])[0][0]} left it: seek to the place before each read, "
                    f"and {_BY_HAND}"
                )


def _move(source: Source, node: cst.CSTNode) -> str:
    """How a mention of the handle moves its position; "" for not at all."""
    parent = source.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.attr.value if parent.attr.value in _MOVES | _MOVES_TO else ""
    if isinstance(parent, cst.For | cst.CompFor):
        return "next" if parent.iter is node else ""
    if isinstance(parent, cst.Arg):
        call = source.parent(parent)
        return "next" if isinstance(call, cst.Call) and source.code(call.func) not in ("len", "print") else ""
    return ""


# Where it is mentioned


def _within(source: Source, made: Made) -> cst.CSTNode:
    return made.method.body if made.method is not None else source.module


def _mentions(source: Source, made: Made) -> list[cst.CSTNode]:
    """The mentions of the handle in its class, or in the module of which it is a name; not its making."""
    around: cst.CSTNode = made.owner.body if made.owner is not None else source.module
    holder = f"self.{made.name}" if made.owner is not None else made.name
    return [
        each
        for each in source.descendants(around, cst.Attribute, cst.Name)
        if source.code(each) == holder
        and not isinstance(source.parent(each), cst.AssignTarget | cst.AnnAssign)
        and (made.owner is not None or _is_of_module(source, each))
    ]


def _is_of_module(source: Source, name: cst.CSTNode) -> bool:
    """Whether a name is the module's: a parameter or a variable of a function may be called so, too."""
    scope = source.metadata(ScopeProvider).get(name)
    return scope is not None and any(isinstance(each.scope, GlobalScope) for each in scope[source.code(name)])


def _is_before(source: Source, made: Made, node: cst.CSTNode) -> bool:
    """Whether code runs once, before the handle is made: what it takes away is made again."""
    loop = source.enclosing(made.statement, cst.For, cst.While, cst.FunctionDef)
    return (
        not isinstance(loop, cst.For | cst.While)
        and source.function_of(node) is source.function_of(made.statement)
        and source.range(node)[1] <= source.range(made.statement)[0]
    )


def _is_later(source: Source, made: Made, node: cst.CSTNode) -> bool:
    """Whether code runs after the code that makes the handle has ended: in a method that it does not call."""
    function = source.function_of(node)
    if made.method is None:
        return function is not None
    if function is made.method or made.owner is None:
        return False
    own = {each.name.value: each for each in made.owner.body.body if isinstance(each, cst.FunctionDef)}
    called: list[cst.FunctionDef] = [made.method]
    for method in called:
        for call in source.descendants(method.body, cst.Call):
            said = source.code(call.func)
            other = own.get(said.removeprefix("self.")) if said.startswith("self.") else None
            if other is not None and other not in called:
                called.append(other)
    return function not in called
