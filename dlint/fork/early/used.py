"""What the main process runs by using a dataset, or what it holds, before workers start: any method,
property or function (``dataset.statistics()``), besides items and the length."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.fork.early.let_go import is_dropped_in_rounds, is_shut, let_go
from dlint.fork.early.reads import is_made_once, loaded_by
from dlint.fork.early.starts import Start, starts
from dlint.fork.ways.run_by import entered, run_by
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import names_in, walk
from dlint.source.statements import Scope, dotted, functions_in, own_names, own_nodes, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.places import loops_around
from dlint.values.values import Instance, Unknown, Value

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.fork.program import Program
    from dlint.loaders.loaders import Loader
    from dlint.workers.uses import WorkerUse

_FAR = 4
_COPY = regex(r"\b(?:deep)?copy\(")
_COPIES = frozenset({"copy", "deepcopy", "copy.copy", "copy.deepcopy"})
_WITHIN = r"\bself\[|\bin self\b|\(self\)"
_ITEM = regex(r"\w\[")
_ITEMS = frozenset({"__getitem__", "__iter__", "__next__", "__len__"})


class Used(NamedTuple):
    """An expression of the main process, where it stands, and the frames that it surely runs."""

    point: Point
    node: ast.expr
    run: list[Frame]

    @property
    def module(self) -> Module:
        return self.point.frame.module

    @property
    def shown(self) -> str:
        """What a reader calls it: ``dataset.statistics()``, ``dataset.file``."""
        node = self.node
        return f"{ast.unparse(node.func)}()" if isinstance(node, ast.Call) else ast.unparse(node)


def used_before(
    program: Program, use: WorkerUse, names: Iterable[str], drops: re.Pattern[str]
) -> Iterator[Used]:
    """What the code around a use's loader, and around the calls that lead there, surely runs while workers
    are still to start, where that comes to functions that speak of one of some names; not where it, or what
    runs later, ``drops`` what it has made."""
    evaluator, loader = program.evaluator, use.loader
    if loader is None:
        return
    objects = [part.value for part in program.shipped(use) if isinstance(part.value, Instance)]
    words, by_items = _leading(evaluator, objects, names)
    for start in starts(evaluator, loader):
        if not _may_load(evaluator, loader, start, use.dataset):
            continue
        for node, point, frame in _entered(program, start):
            if not (isinstance(node, ast.expr) and start.follows(evaluator, node, point)):
                continue
            if _is_constructor(frame) and is_one_of(evaluator, frame.receiver, objects):
                continue  # what it leaves is what its object holds
            text = frame.module.text_of(frame.scope)
            speaks = words.search(text) is not None
            if not speaks and not (by_items and frame.owner is None and _ITEM.search(text)):
                continue
            run = _run(program, frame)
            if not speaks and any(each.scope is loader.point.frame.scope for each in run):
                continue  # what it reads it may read when the workers are done
            if _is_of_copy(evaluator, node, point, run):
                continue
            if is_shut(node, point, start) or _is_dropped(program, node, point, start, run, drops):
                continue
            if start.may_fork_after(evaluator, node, point):
                yield Used(point, node, run)


def _may_load(evaluator: Evaluator, loader: Loader, start: Start, dataset: Value | None) -> bool:
    """Whether what starts workers may hand them a dataset: ``First(a).fit()`` is not about what
    ``Second(b).fit()`` hands to the same loader."""
    loaded = loaded_by(evaluator, loader, start)
    return (
        not isinstance(dataset, Instance)
        or not loaded
        or not all(isinstance(each, Instance) and each.node is not None for each in loaded)
        or is_one_of(evaluator, dataset, [each for each in loaded if isinstance(each, Instance)])
    )


def is_one_of(evaluator: Evaluator, value: object, objects: list[Instance]) -> bool:
    """Whether an object is one of some, be it that these are what the only call of a function makes."""
    return isinstance(value, Instance) and any(
        value.key == each.key or (value.node is each.node is not None and is_made_once(evaluator, each))
        for each in objects
    )


def _leading(
    evaluator: Evaluator, objects: list[Instance], names: Iterable[str]
) -> tuple[re.Pattern[str], bool]:
    """What a text says that may lead to functions of some names, by way of the methods of some objects, and
    whether to ask for an item does."""
    found = set(names)
    functions = {
        id(function): (function.name, above.module.text_of(function))
        for each in objects
        for above in evaluator.classes.line(each.cls)
        for function in functions_in(above.node.body)
    }
    for _ in range(_FAR):
        speaks = _speaking_of(found)
        found |= {name for name, text in functions.values() if name != "__init__" and speaks.search(text)}
    return _speaking_of(found), "__getitem__" in found


def _speaking_of(names: set[str]) -> re.Pattern[str]:
    said = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"\b(?:{said})\b" + (f"|{_WITHIN}" if names & _ITEMS else ""))


def _entered(program: Program, start: Start) -> list[tuple[ast.AST, Point, Frame]]:
    """What a scope surely enters in the runs in which it leads to a loader, but for that; found once."""
    mark = ("surely enters", start.frame.key, id(start.call))
    if mark not in program.answers:
        beside = start.way[0][1] if start.way else None
        program.answers[mark] = [
            each
            for each in entered(program.evaluator, start.frame, surely=True, beside=beside)
            if each[0] is not start.call
        ]
    found: list[tuple[ast.AST, Point, Frame]] = program.answers[mark]
    return found


def _run(program: Program, frame: Frame) -> list[Frame]:
    mark = ("surely run by", frame.key)
    if mark not in program.answers:
        program.answers[mark] = run_by(program.evaluator, [frame], surely=True)
    run: list[Frame] = program.answers[mark]
    return run


def _is_of_copy(evaluator: Evaluator, node: ast.expr, point: Point, run: list[Frame]) -> bool:
    """Whether something is done to a copy, which what is known of values takes for the object itself."""
    names = names_in(node)
    scope = point.frame.scope
    copied = (
        statement.value
        for statement in (statements_in(scope.body) if not isinstance(scope, ast.Lambda) else ())
        if isinstance(statement, ast.Assign) and names.intersection(own_names(statement))
    )
    return any(_COPY.search(ast.unparse(value)) for value in copied) or any(
        _copies_object(evaluator, frame) for frame in run
    )


def _copies_object(evaluator: Evaluator, frame: Frame) -> bool:
    """Whether a function copies what may be an object of the program: ``image.copy()`` copies none."""
    scope = frame.scope
    if _COPY.search(frame.module.text_of(scope)) is None:
        return False
    if isinstance(scope, ast.Lambda):
        return True
    for statement in statements_in(scope.body):
        for call in own_nodes(statement):
            match call:
                case ast.Call(func=ast.Attribute(value=copied, attr="copy"), args=[]):
                    kinds: tuple[type[Value], ...] = (Instance,)
                case ast.Call(func=copying, args=[copied, *_]) if dotted(copying) in _COPIES:
                    kinds = (Instance, Unknown)
                case _:
                    continue
            if any(
                isinstance(value, kinds) for value, _ in evaluator.values(copied, Point(frame, statement))
            ):
                return True
    return False


def _is_dropped(
    program: Program, node: ast.expr, point: Point, start: Start, run: list[Frame], drops: re.Pattern[str]
) -> bool:
    """Whether what runs there, or later and before workers start, lets go of what has been made."""
    if drop(program, run, drops):
        return True
    if any(let_go(held, point, start) for held in walk(node) if isinstance(held, ast.Name | ast.Attribute)):
        return True
    here = (node.lineno, node.col_offset)
    repeated = any(True for _ in loops_around(point))
    dropping: list[ast.stmt] = []
    for later, there, frame in _entered(program, start):
        at = (getattr(later, "lineno", 0), getattr(later, "col_offset", 0))
        ended = start.places is not None and not any(at < each for each in start.places)
        comes = at > here and not ended
        if not (comes or repeated) or not (isinstance(frame.receiver, Instance) or _is_given(later, node)):
            continue
        if drop(program, _run(program, frame), drops):
            if comes:
                return True
            dropping += [there.statement] if there.statement is not None else []
    return is_dropped_in_rounds(here, point, start, dropping)


def _is_given(call: ast.AST, node: ast.expr) -> bool:
    """Whether a function is handed what something has been done to: ``close(dataset)``."""
    names = names_in(node)
    return isinstance(call, ast.Call) and any(
        isinstance(each, ast.Name) and each.id in names for given in call.args for each in walk(given)
    )


def drop(program: Program, run: list[Frame], drops: re.Pattern[str]) -> bool:
    """Whether some of the frames let go of something; that constructors begin with None does not count.
    Much is run by many things: each function is read once."""
    known: dict[Scope, bool] = program.answers.setdefault(("lets go", drops.pattern), {})
    for frame in run:
        scope = frame.scope
        lets_go = known.get(scope)
        if lets_go is None:
            lets_go = known[scope] = any(
                not (found.group().endswith("None") and _is_constructor(frame))
                for found in drops.finditer(frame.module.text_of(scope))
            )
        if lets_go:
            return True
    return False


def _is_constructor(frame: Frame) -> bool:
    return getattr(frame.scope, "name", "") == "__init__"
