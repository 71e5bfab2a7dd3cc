"""Which kind of handle a value is: by the call that made it, its mode and its path."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.processes.handles import (
    ASKED_OF_NPZ,
    HANDLES,
    HANDLES_IF_GIVEN,
    IN_MEMORY,
    LMDB_WITHOUT_LOCK,
    NOT_OF_NPZ,
    TAKES_FORMAT,
    WRITES,
    WRITING_FLAGS,
    Handle,
)
from dlint.regex import regex
from dlint.source.nodes import COMPREHENSIONS, is_text, names_in, walk
from dlint.source.statements import FunctionNode, dotted, functions_in, self_name
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.places import path_to, tests_around
from dlint.values.values import Const, Instance, Made, Unknown, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

_FILE_OBJECT = ("fileobj",)
_STORE = {"store"}
_BYTES = ("io.BytesIO", "io.StringIO", "().read", ".read_bytes")
_SUFFIX = regex(r"\.[A-Za-z]\w{1,5}$")
# So many names one after the other.
_FAR = 4
_FINDS = frozenset({"glob", "iglob", "rglob"})
_ASKS_KIND = regex(r"\b(?:endswith|splitext|isinstance|hasattr)\(|\.suffix\b")


def handle_of(evaluator: Evaluator, value: object) -> Handle | None:
    """The kind of handle that a value is, None for anything else and for a file that is written."""
    if not isinstance(value, Made):
        return None
    given = value.arguments
    handle, asked = HANDLES_IF_GIVEN.get(value.name) or (HANDLES.get(value.name), ())
    if handle is None or (asked and not any(_is_on(evaluator, given.keywords.get(word)) for word in asked)):
        return None
    if handle.suffix and not any(
        _names(evaluator, path, handle.suffix) or _is_open(evaluator, path, handle)
        for path in given.positional[:1] or [given.keywords[name] for name in _STORE & given.keywords.keys()]
    ):
        return None
    sources = [
        *given.positional[:1],
        *(given.keywords[name] for name in _FILE_OBJECT & given.keywords.keys()),
    ]
    around = _of_owner(evaluator, value)  # ``fsspec.open(path, mode).open()``
    if (
        _is_given(handle.contents, given)
        or any(_is_memory(value) for source in sources for value, _ in evaluator.value_of(source, HERE))
        or any(_says_memory(value) for told in around[:1] for value, _ in evaluator.value_of(told, HERE))
    ):
        handle = handle._replace(forked="")  # every process has the bytes and the position for itself
    if handle.device and any(
        _is_number(value) for path in sources for value, _ in evaluator.value_of(path, HERE)
    ):
        handle = handle._replace(forked="", cure="")
    modes = [*given.positional[1:2]] if value.name != "pathlib.Path().open" else [*given.positional[:1]]
    modes += around[1:2]
    modes += [given.keywords["mode"]] if "mode" in given.keywords else []
    if value.name.startswith("lmdb."):
        modes = []
        lock = given.keywords.get("lock")
        locks = [v for v, _ in evaluator.value_of(lock, HERE)] if lock is not None else []
        if lock is None and given.splats:
            tables = evaluator.containers.table(Arguments(splats=given.splats), HERE)
            locks = [table.items["lock"] for table, _ in tables if "lock" in table.items]
        if any(isinstance(v, Const) and not v.value for v in locks):
            return LMDB_WITHOUT_LOCK
    if asked or value.name.endswith(TAKES_FORMAT):
        modes = []
    if handle.number and not _only_reads(given):
        return None
    for mode in modes:
        for found, _ in evaluator.value_of(mode, HERE):
            if isinstance(found, Const) and isinstance(found.value, str) and WRITES & set(found.value):
                return None
    return handle


def _is_on(evaluator: Evaluator, given: Argument | None) -> bool:
    """Whether an argument is surely given, and neither None nor False."""
    values = [value for value, _ in evaluator.value_of(given, HERE)] if given is not None else []
    return bool(values) and not any(isinstance(value, Const) and not value.value for value in values)


def read_as_npz(
    evaluator: Evaluator, value: object, owner: Instance, name: str
) -> tuple[Handle, bool] | None:
    """An .npz archive whose path tells nothing, by what the class asks of the attribute that holds it, and
    whether that is sure: the names in it (``self.data.files``), or nothing but what is under names
    (``self.data["x"]``), as an array has its fields."""
    if not isinstance(value, Made) or value.name != "numpy.load":
        return None
    given = value.arguments
    if not NOT_OF_NPZ.isdisjoint(given.keywords) or len(given.positional) != 1:
        return None
    if _says_its_kind(evaluator, given.positional[0]):
        return None
    asked = [
        what
        for above in evaluator.classes.line(owner.cls)
        for function in functions_in(above.node.body)
        for what in _asked_of(function, name)
    ]
    sure = not ASKED_OF_NPZ.isdisjoint(asked)
    if not sure and _ASKS_KIND.search(value.point.frame.module.text_of(value.point.frame.scope)):
        return None
    return (HANDLES[value.name], sure) if asked and (sure or set(asked) == {"[]"}) else None


def _asked_of(function: FunctionNode, name: str) -> Iterator[str]:
    """What a method asks of an attribute of its object: members of it, "[]" for what it has under a text, ""
    for anything else."""
    asked: dict[int, str] = {}
    read: list[ast.Attribute] = []
    for node in walk(function):
        match node:
            case ast.Subscript(value=ast.Attribute() as held, slice=key) if _is_text(key):
                asked[id(held)] = "[]"
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute() as held]):
                if _is_text(key):
                    asked[id(held)] = "[]"
            case ast.Attribute(value=ast.Attribute() as held, attr=member):
                asked[id(held)] = member
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            read.append(node)
    own = self_name(function)
    for each in read:
        if isinstance(each.value, ast.Name) and each.value.id == own:
            yield asked.get(id(each), "")


def _is_text(key: ast.expr) -> bool:
    return isinstance(key, ast.JoinedStr) or is_text(key)


def _says_its_kind(evaluator: Evaluator, path: Argument) -> bool:
    """Whether a path is known to end in some suffix, or may."""
    texts: list[object] = []
    for node in walk(path.expression) if path.expression is not None else ():
        if isinstance(node, ast.Constant):
            texts.append(node.value)
    for value, _ in evaluator.value_of(path, HERE):
        match value:
            case Const(value=written):
                texts.append(written)
            case Unknown(text=(_, end)):
                texts.append(end)
    return any(_SUFFIX.search(str(text)) for text in texts)


def _only_reads(given: Arguments) -> bool:
    """Whether the flags that ``os.open`` is given, as they are written, only read a file."""
    flags = given.positional[1] if len(given.positional) > 1 else given.keywords.get("flags")
    text = ast.unparse(flags.expression) if flags is not None and flags.expression is not None else ""
    return "O_RDONLY" in text and WRITING_FLAGS.search(text) is None


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int)


def _is_memory(value: Value) -> bool:
    return isinstance(value, Made) and value.name.endswith(_BYTES)


def _says_memory(value: Value) -> bool:
    """Whether what fsspec was told is its file system in memory: by name, or before a path."""
    return isinstance(value, Const) and str(value.value).partition(":")[0] == IN_MEMORY


def _is_given(parameter: str, given: Arguments) -> bool:
    """Whether a handle is made of what is in memory: given under a name, or after what it is called; nothing
    at all makes an empty one."""
    return bool(parameter) and (parameter in given.keywords or len(given.positional) != 1)


def _of_owner(evaluator: Evaluator, made: Made) -> list[Argument]:
    """What fsspec was told, where a method of what it gave opens a file: the path, or the kind of system, and
    the mode."""
    if not made.name.startswith("fsspec.") or not isinstance(made.node, ast.Call):
        return []
    found: list[Argument] = []
    if isinstance(made.node.func, ast.Attribute):
        for owner, _ in evaluator.values(made.node.func.value, made.point):
            if isinstance(owner, Made):
                found += owner.arguments.positional
                found += [
                    owner.arguments.keywords[name] for name in ("mode",) & owner.arguments.keywords.keys()
                ]
    return found


def _names(evaluator: Evaluator, path: Argument, suffix: str) -> bool:
    """Whether an argument is, as it is written or by its value, the path of a file of some kind."""
    if path.expression is not None and _ends_in(path.expression, suffix):
        return True
    values = [value for value, _ in evaluator.value_of(path, HERE)]
    if path.point is not None and _ASKS_KIND.search(path.point.frame.module.text_of(path.point.frame.scope)):
        # Code that asks what it has before it takes something out of it tells the kinds apart itself.
        values = [value for value in values if isinstance(value, Const)]
    return (
        any(_is_path_to(value, suffix) for value in values)
        or _is_chosen(path, suffix)
        or any(_are_found_by(evaluator, paths, at, suffix) for paths, at in _gone_through(evaluator, path))
    )


def _is_chosen(path: Argument, suffix: str) -> bool:
    """Whether only names with a suffix come to where a path is made of them, by what a comprehension or the
    statements around ask: ``if name.endswith(".npz")``."""
    node, point = path.expression, path.point
    if node is None or point is None:
        return False
    tests = [(test, outcome) for test, outcome, _ in tests_around(point)]
    for around in path_to(point.statement, node):
        tests += [(test, True) for test in _filters(around)]
    if not tests:
        return False
    names = names_in(node)
    return any(_asks_for(test, outcome, suffix, names) for test, outcome in tests)


def _filters(node: ast.AST) -> Iterator[ast.expr]:
    """The tests of a comprehension."""
    if isinstance(node, COMPREHENSIONS):
        for generator in node.generators:
            yield from generator.ifs


def _asks_for(test: ast.expr, outcome: bool, suffix: str, names: Container[str]) -> bool:
    """Whether a test comes out so only where one of some names ends in a suffix."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _asks_for(inner, not outcome, suffix, names)
        case ast.BoolOp(op=operator, values=parts) if isinstance(operator, ast.And) is outcome:
            return any(_asks_for(part, outcome, suffix, names) for part in parts)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="endswith"), args=[ast.Constant(value=str(end))]
        ):
            return outcome and name in names and end in (suffix, suffix[1:])
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id=name), attr="suffix")
            | ast.Subscript(
                value=ast.Call(
                    func=ast.Name(id="splitext") | ast.Attribute(attr="splitext"), args=[ast.Name(id=name)]
                )
            ),
            ops=[operator],
            comparators=[ast.Constant(value=end)],
        ):
            is_same = isinstance(operator, ast.Eq if outcome else ast.NotEq)
            return is_same and name in names and end == suffix
    return False


def _gone_through(evaluator: Evaluator, path: Argument) -> Iterator[tuple[ast.expr, Point]]:
    """What a loop or a comprehension goes through, each thing of which is a path."""
    point = path.point
    if not isinstance(path.expression, ast.Name) or point is None:
        return
    name = path.expression.id
    local = point.locals.get(name)
    if local is not None:
        if local.element and local.taken is None and local.expression is not None and local.point is not None:
            yield local.expression, local.point
        return
    for statement, _ in evaluator.flow.definitions(name, point, HERE):
        if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            yield statement.iter, Point(point.frame, statement)


def _are_found_by(evaluator: Evaluator, paths: ast.expr, point: Point, suffix: str, far: int = _FAR) -> bool:
    """Whether paths are those of the files of a kind in a folder: ``sorted(Path(root).glob("*.npz"))``."""
    match paths:
        case ast.Call(func=ast.Name(id="sorted" | "list"), args=[found]):
            return _are_found_by(evaluator, found, point, suffix, far)
        case ast.Subscript(value=found, slice=ast.Slice()):
            return _are_found_by(evaluator, found, point, suffix, far)
        case ast.ListComp(elt=made, generators=[ast.comprehension(target=ast.Name(id=name)), *_]):
            asked = any(_asks_for(test, True, suffix, (name,)) for test in _filters(paths))
            return _ends_in(made, suffix) or (asked and name in names_in(made))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[*_, pattern]) if (
            name in _FINDS
        ):
            return _ends_in(pattern, suffix)
        case ast.Name() | ast.Attribute() if far and (path := dotted(paths)) and path not in point.locals:
            bound = evaluator.flow.assigned(path, point, HERE)
            return bound is not None and _are_found_by(evaluator, *bound, suffix, far - 1)
    return False


def _is_open(evaluator: Evaluator, source: Argument, handle: Handle) -> bool:
    """Whether an argument is an open handle of a kind."""
    return any(
        isinstance(value, Made) and (held := HANDLES.get(value.name)) is not None and held.name == handle.name
        for value, _ in evaluator.value_of(source, HERE)
    )


def _is_path_to(value: Value, suffix: str) -> bool:
    match value:
        case Const(value=written):
            return str(written).endswith(suffix)
        case Unknown(text=(_, end)):
            return end.endswith(suffix)
        case Made(node=ast.expr() as node):
            return _ends_in(node, suffix)
    return False


def _ends_in(node: ast.expr, suffix: str) -> bool:
    """Whether the end of a path, as it is written, is a suffix."""
    match node:
        case ast.Constant(value=str() as text):
            return text.endswith(suffix)
        case ast.JoinedStr(values=[*_, last]) | ast.BinOp(op=ast.Add() | ast.Div(), right=last):
            return _ends_in(last, suffix)
        case ast.BinOp(op=ast.Mod(), left=inner) | ast.Subscript(value=inner):
            return _ends_in(inner, suffix)
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return _ends_in(inner, suffix)
        case ast.Call(args=[*_, last]):
            return _ends_in(last, suffix)
        case ast.IfExp(body=body, orelse=orelse):
            return _ends_in(body, suffix) or _ends_in(orelse, suffix)
    return False
