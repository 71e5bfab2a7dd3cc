"""The two sides of a fork: what the parent makes and reads, and what workers run."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.fork.order import comes_before
from dlint.fork.start_method import STARTS_ANEW, start_method_of
from dlint.fork.together import beside
from dlint.knowledge.trainers import HOOKED, MAKES_READY, is_asked_for_loader
from dlint.regex import regex
from dlint.source.desugaring.records import AFTER_INIT
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import bare_name, statements_in
from dlint.values.frame import Point
from dlint.values.values import Class, Function, Instance, Partial, Unknown, Value
from dlint.workers.worker import WorkerCode
from dlint.workers.worker_dataset import may_be_of

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.values.values import Made
    from dlint.workers.events import Visit
    from dlint.workers.uses import WorkerUse

_BY_MAKING = frozenset({"__init__", *AFTER_INIT})
_REGISTERS = "register_at_fork"
_BY_ANOTHER_NAME = regex(rb"\w\s*=\s*os\.register_at_fork\b(?!\s*\()|\bgetattr\([^()]*\bregister_at_fork\b")

_JOINS = regex(rb"\.join\(\s*(?:timeout\b|\))")


def worker_functions(program: Program) -> frozenset[int]:
    """The functions, by id of their node, that workers of some loader execute."""
    return frozenset(id(visit.function.node) for use in program.uses for visit in use.code.visits)


def functions_of(program: Program, use: WorkerUse) -> frozenset[int]:
    """The functions that the workers of one use execute, those of its loader's own callables among them."""
    found = {id(visit.function.node) for visit in use.code.visits}
    if use.loader is not None and use.dataset is not None:
        for own in program.uses_of(use.loader):
            if own.dataset is None:
                found |= {id(visit.function.node) for visit in own.code.visits}
    return frozenset(found)


def made_in_parent(program: Program, made: Made, worker: frozenset[int]) -> bool:
    """Whether a library's object is made outside worker code: at import, in ``__init__``, in main, or in a
    method that the parent is seen to call, or a trainer's library calls there (``setup``)."""
    frame = made.point.frame
    scope = frame.scope
    if getattr(scope, "name", "") == "__setstate__":
        return False
    if isinstance(scope, ast.Module | ast.ClassDef):
        return True
    if id(scope) in worker:
        return False
    if frame.owner is None or not isinstance(scope, ast.FunctionDef) or scope.name in _BY_MAKING:
        return True
    is_hook = scope.name in MAKES_READY or is_asked_for_loader(scope.name)
    if is_hook and not HOOKED.isdisjoint(program.evaluator.classes.libraries(frame.owner)):
        return True
    return any(id(site.point.frame.scope) not in worker for site in program.evaluator.sites.of(scope, frame))


def renewed(program: Program, use: WorkerUse, made: Made) -> bool:
    """Whether the loader's ``worker_init_fn`` makes a thing anew: sets the attribute or global that holds it,
    or calls the method that makes it."""
    visits = init_visits(program, use)
    if not visits:
        return False
    names, keys = names_of(made), _keys_of(made)
    frame = made.point.frame
    maker = getattr(frame.scope, "name", "")
    holder = frame.receiver.cls if isinstance(frame.receiver, Instance) else frame.owner
    return any(
        _sets(program, use, visit, names, holder)
        or maker in _called(visit.function.node)
        or (keys and not keys.isdisjoint(_keys_stored(visit.function.node)))
        for visit in visits
    )


def _keys_of(made: Made) -> set[object]:
    """The keys that the statement which makes a thing puts it under: ``{"file": open(path)}``."""
    found: set[object] = set()
    for node in walk(made.point.statement) if made.point.statement is not None else ():
        match node:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                found |= {
                    key.value for key, value in pairs if isinstance(key, ast.Constant) and value is made.node
                }
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value):
                found |= {key} if value is made.node else set()
            case ast.keyword(arg=str(name), value=value) if value is made.node:
                found.add(name)
    return found


def _keys_stored(function: ast.AST) -> set[object]:
    """The keys under which a function stores something."""
    return {
        node.slice.value
        for node in walk(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.slice, ast.Constant)
    }


def names_of(made: Made) -> set[str]:
    """The last names of the variables and attributes that the statement which makes a thing sets."""
    statement = made.point.statement
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    value = getattr(statement, "value", None)
    return {name for target in targets if (name := bare_name(_paired(target, value, made.node)))}


def _paired(target: ast.expr | None, value: ast.expr | None, node: ast.AST) -> ast.expr | None:
    """What of a target gets a part of a value: ``self.n, self.rng = n, default_rng(seed)``."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for own, part in zip(targets, values, strict=True):
                if any(each is node for each in walk(part)):
                    return own
    return target


def init_visits(program: Program, use: WorkerUse) -> list[Visit]:
    """The functions that the ``worker_init_fn`` of a use's loader runs, and what each process runs first that
    is forked."""
    return [
        *(
            visit
            for own in (program.uses_of(use.loader) if use.loader is not None else ())
            for visit in own.code.visits
            if visit.role == "worker_init_fn"
        ),
        *after_fork(program, use),
    ]


def after_fork(program: Program, use: WorkerUse) -> list[Visit]:
    """The functions that ``os.register_at_fork`` has each forked worker of a use run before anything else."""
    return [visit for visits, _ in _at_fork(program, use) for visit in visits]


def is_all_known_after_fork(program: Program, use: WorkerUse) -> bool:
    """Whether nothing else may be run there: a function that nobody knows."""
    return all(known for _, known in _at_fork(program, use))


def _at_fork(program: Program, use: WorkerUse) -> list[tuple[list[Visit], bool]]:
    """What is registered to be run in each forked worker of a use, and whether that is all."""
    mark = ("run after a fork",)
    if mark not in program.answers:
        found = [
            (module.relative, *_run_in_child(program, keyword.value, point))
            for module, call, point in calls_named(program, _REGISTERS, everywhere=True)
            for keyword in call.keywords
            if keyword.arg in ("after_in_child", None)
        ]
        index = program.modules.index
        for relative in index.mentioning(_REGISTERS):
            if _BY_ANOTHER_NAME.search(index.data(relative)):
                found.append((relative, [], False))
        program.answers[mark] = found
    known: list[tuple[str, list[Visit], bool]] = program.answers[mark]
    if not known or start_method_of(program, use) in STARTS_ANEW:
        return []
    return [
        (visits, all_known)
        for relative, visits, all_known in known
        if any(relative in beside(program, module.relative) for module in use.modules)
    ]


def _run_in_child(program: Program, given: ast.expr, point: Point) -> tuple[list[Visit], bool]:
    """The functions that are run where one is given to be called, and whether those are all: one that is no
    file's here may do anything. A method of a library's object, as ``ARCHIVES.clear``, counts as one that
    calls it."""
    code = WorkerCode(program.evaluator)
    callees = [value for value, _ in program.evaluator.values(given, point)]
    known = bool(callees) and all(
        isinstance(value, Function | Partial) or getattr(value, "owner", None) is not None
        for value in callees
    )
    if isinstance(given, ast.Attribute):
        nothing = ast.arguments([], [], None, [], [], None, [])
        calling = ast.copy_location(ast.Lambda(nothing, ast.Call(given, [], [])), given)
        callees.append(Function(calling, point.frame))
    for callee in callees:
        code.add_callable(callee, "after_in_child", point.frame.module, given.lineno)
    return code.visits, known


def asks_for(nodes: Iterable[ast.AST], methods: Collection[str]) -> bool:
    """Whether a method of one of these names is called, or had by its name to be called."""
    for node in nodes:
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()) if name in methods:
                return True
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
                if name in methods:
                    return True
    return False


def _sets(program: Program, use: WorkerUse, visit: Visit, names: set[str], holder: Class | None) -> bool:
    """Whether a function stores into a global, or an attribute of what may be an object of a class, of one of
    these names."""
    node = visit.function.node
    if isinstance(node, ast.Lambda):
        return False
    if any(isinstance(each, ast.Global) and not names.isdisjoint(each.names) for each in walk(node)):
        return True
    into: dict[int, tuple[ast.expr, Point]] = {}  # by the innermost statement, which comes last
    for statement in statements_in(node.body):
        for each in walk(statement):
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and each.attr in names:
                into[id(each)] = (each.value, Point(visit.frame, statement))
    return any(
        may_be_of(
            program.evaluator,
            use,
            [value for value, _ in program.evaluator.values(held, at, visit.world)],
            holder,
        )
        for held, at in into.values()
    )


def _called(function: ast.AST) -> set[str]:
    """The names of the methods that a function calls."""
    calls = (node.func for node in walk(function) if isinstance(node, ast.Call))
    return {callee.attr for callee in calls if isinstance(callee, ast.Attribute)}


class ParentThread:
    """A thread that code outside workers makes, and the functions that it may run."""

    def __init__(self, call: ast.Call, point: Point, targets: list[Value]) -> None:
        self.call = call
        self.point = point
        self.targets = targets

    @property
    def module(self) -> Module:
        return self.point.frame.module

    def ends_before(self, program: Program, use: WorkerUse) -> bool:
        """Whether the parent joins the thread before the workers of a use can start: in the function that
        makes it, or elsewhere on the way to the loader (``dataset.wait()``)."""
        scope = self.point.frame.scope
        loader = use.loader
        after = loader.call.lineno if loader is not None and loader.point.frame.scope is scope else 1 << 30
        if any(
            node.lineno < after
            for node in walk(scope)
            if isinstance(node, ast.Call) and _joined(node) is not None
        ):
            return True
        return any(
            at.frame.scope is not scope and comes_before(program.evaluator, at, use)
            for at in self._joins(program)
        )

    def _joins(self, program: Program) -> list[Point]:
        """Where the thread, or what may be it in its file, is joined."""
        mark = ("joins", id(self.call))
        if mark not in program.answers:
            index = program.modules.index
            files = [each for each in index.mentioning("join") if _JOINS.search(index.data(each))]
            program.answers[mark] = [
                at
                for module in program.modules.each(files)
                for trail in module.paths_to("join", called=True)
                if len(trail) > 1 and (held := _joined(trail[-2])) is not None
                for at in [program.evaluator.sites.point_of(module, trail)]
                if any(
                    getattr(value, "node", None) is self.call
                    or (isinstance(value, Unknown) and module is self.module)
                    for value, _ in program.evaluator.values(held, at)
                )
            ]
        found: list[Point] = program.answers[mark]
        return found


def _joined(node: ast.AST) -> ast.expr | None:
    """What a call waits for the end of."""
    match node:
        case ast.Call(func=ast.Attribute(value=held, attr="join"), args=[]):
            return held
    return None


def parent_threads(program: Program, names: frozenset[str], worker: frozenset[int]) -> list[ParentThread]:
    """The threads (``names``: the classes that make them) of the program that no worker code makes."""
    found = []
    for word in sorted({name.rpartition(".")[2] for name in names}):
        for _, call, point in calls_named(program, word, everywhere=True):
            if id(point.frame.scope) in worker:
                continue
            callees = program.evaluator.values(call.func, point)
            if any(getattr(value, "name", None) in names for value, _ in callees):
                found.append(ParentThread(call, point, _targets(program, call, point)))
    for word in _thread_classes(program, names):
        for _, call, point in calls_named(program, word, everywhere=True):
            if id(point.frame.scope) not in worker:
                runs = [
                    method
                    for value, _ in program.evaluator.values(call, point)
                    if isinstance(value, Instance) and program.evaluator.classes.libraries(value.cls) & names
                    for method in program.evaluator.classes.methods(value, "run")
                ]
                if runs:
                    found.append(ParentThread(call, point, [*runs]))
    return found


def _thread_classes(program: Program, names: frozenset[str]) -> list[str]:
    """The names of the program's classes that are derived from a class of threads."""
    words = sorted({name.rpartition(".")[2] for name in names})
    found = list(words)
    for word in found:  # grows meanwhile
        for module in program.modules.deriving(word):
            for trail in module.paths_to(word):
                for node in trail[-3:-1]:
                    if isinstance(node, ast.ClassDef) and node.name not in found:
                        found.append(node.name)
    return found[len(words) :]


def _targets(program: Program, call: ast.Call, point: Point) -> list[Value]:
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("target", "function")]
    given = given or call.args[1:2]
    return [
        value
        for expression in given
        for value, _ in program.evaluator.values(expression, point)
        if isinstance(value, Function | Partial)
    ]


def calls_named(
    program: Program, word: str, *, everywhere: bool = False, only: str | None = None
) -> Iterator[tuple[Module, ast.Call, Point]]:
    """This block's calls of something whose last name is a word, or that is imported under another;
    ``everywhere``: all of the program's; ``only``: those of one file."""
    called = re.compile(rb"\b%s\s*(?:\(|as\s)" % word.encode())
    index = program.modules.index
    files = (
        relative
        for relative in ([only] if only is not None else index.mentioning(word))
        if (everywhere or program.mine(relative)) and called.search(index.data(relative))
    )
    for module in program.modules.each(files):
        for name in [word, *_aliases(module, word)]:
            for trail in module.paths_to(name):
                call = trail[-2] if len(trail) > 1 else None
                if isinstance(call, ast.Call) and call.func is trail[-1]:
                    program.evaluator.start()
                    yield module, call, program.evaluator.sites.point_of(module, trail)


def _aliases(module: Module, word: str) -> list[str]:
    return [
        node.asname
        for node in (trail[-1] for trail in module.paths_to(word))
        if isinstance(node, ast.alias) and node.asname and node.name == word
    ]
