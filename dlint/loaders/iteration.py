"""Iterations over loaders: where the program starts workers, and what leads there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.questions import begun
from dlint.finding import ReachStep
from dlint.knowledge.callbacks import RUNNERS
from dlint.knowledge.loading import GIVES_NO_BATCHES, GOES_THROUGH, LOADERS
from dlint.knowledge.trainers import PASSES
from dlint.loaders.finder import set_behind
from dlint.loaders.loaders import Loader
from dlint.loaders.trainers import asked_of
from dlint.objects.initialisers import base_init_calls
from dlint.project.main_guards import guarded_role
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import COMPREHENSIONS, walk
from dlint.source.statements import FunctionNode, bare_name, blocks, expressions, given_in
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.functions import display_name, is_generator
from dlint.values.values import Class, External, Function, Instance, Items, Key, Made, Partial, Super, Value
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.program import Program

# What goes through its arguments when it is gone through itself.
_PASSES = frozenset(
    {"enumerate", "zip", "tqdm", "islice", "cycle", "iter", "track", "prange", "chain", "map"}
)
# What goes through its arguments at once; iter() starts a loader's workers.
_CONSUMES = frozenset({"iter", "list", "tuple", "set", "sum", "max", "min", "any", "all", "sorted", "dict"})
# Those of them that come to the end, and what goes through no more than it is told to.
_ENDS = _CONSUMES - {"iter", "any", "all"}
_PART_OF = frozenset({"islice", "zip"})
# What runs the generators and coroutines that it gets.
_RUNS = (_CONSUMES - {"iter"}) | {"next", "deque", "run", "run_until_complete", "gather", "create_task"}
_ITERATES = regex(r"\bfor\b.{0,500}\bin\b|\biter\(|\byield\s+from\b")
_FAR = 5
_MOST_FUNCTIONS = 150


class Iteration(NamedTuple):
    """A place that iterates over a loader; ``calls`` lead there from where the search began, and ``to_end``
    says that the expression alone goes through all batches."""

    node: ast.expr
    point: Point
    loader: Loader
    calls: tuple[tuple[str, Module, ast.AST], ...] = ()
    to_end: bool = False

    @property
    def module(self) -> Module:
        return self.point.frame.module

    @property
    def is_loop(self) -> bool:
        """Whether a ``for`` statement goes through the loader, batch by batch."""
        statement = self.point.statement
        return isinstance(statement, ast.For | ast.AsyncFor) and statement.iter is self.node

    @property
    def steps(self) -> tuple[ReachStep, ...]:
        """The calls that lead to the place, as data."""
        found = [
            ReachStep(name, module.relative, getattr(node, "lineno", 1)) for name, module, node in self.calls
        ]
        return (*found, ReachStep("the loader's iteration", self.module.relative, self.node.lineno))


class Iterations:
    """Finds iterations over the loaders of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._evaluator = program.evaluator
        # By object: the loaders that its methods of iteration go through.
        self._inside: dict[Key, list[Loader]] = {}
        # By module, and what is left out of it.
        self._in_modules: dict[tuple[str, Callable[[Point], bool] | None], list[Iteration]] = {}

    def loaders_of(self, node: ast.expr, point: Point) -> Iterator[Loader]:
        """The loaders that an iterable goes through: itself, or inside ``enumerate`` and the like."""
        found = [
            loader for value, _ in self._evaluator.values(node, point) for loader in self._gone_through(value)
        ]
        if found:
            yield from found
            return
        if isinstance(node, ast.Call) and bare_name(node.func) in _PASSES:
            for argument in node.args[:4]:
                yield from self.loaders_of(argument, point)
        elif isinstance(node, ast.Name) and node.id in point.frame.layout.binds and not point.locals:
            for statement, _ in self._evaluator.flow.definitions(node.id, point, HERE):
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                    call = statement.value
                    if bare_name(call.func) in _PASSES and statement is not point.statement:
                        yield from self.loaders_of(call, point.before(statement))

    def _gone_through(self, value: Value) -> list[Loader]:
        """The loaders that iterating over a value goes through: itself, or those in its ``__iter__``."""
        loader = self.loader(value)
        if loader is not None or not isinstance(value, Instance):
            return [] if loader is None else [loader]
        loader = self._program.made_by(value.node) if value.node is not None else None
        if loader is not None and not loader.inherited:
            return [loader]
        known = self._inside.get(value.key)
        if known is None:
            with begun(self._inside, value.key, list[Loader]()) as known:
                for name in ("__iter__", "__next__"):
                    for method in self._evaluator.classes.methods(value, name):
                        if isinstance(method.node, ast.FunctionDef):
                            frame = self._evaluator.calls.enter(method, Arguments(), None, None)
                            known += [each.loader for each in self.from_block(method.node.body, frame)]
        return known

    def is_loader(self, node: ast.expr, point: Point) -> bool:
        """Whether an expression is a loader itself, or has all that one has."""
        is_wrapped = self._evaluator.prepared.is_wrapped
        return any(
            self.loader(value) is not None and not is_wrapped(value)
            for value, _ in self._evaluator.values(node, point)
        )

    def calls(self, call: ast.Call, point: Point, function: ast.AST) -> bool:
        """Whether a call is one of a function."""
        return any(
            isinstance(value, Function) and value.node is function
            for value, _ in self._evaluator.values(call.func, point)
        )

    def may_go_round(self, node: ast.expr, point: Point) -> bool:
        """Whether what is called may have a loop in it: a function of the program has, or nobody can see."""
        found = [
            value.node for value, _ in self._evaluator.values(node, point) if isinstance(value, Function)
        ]
        return not found or any(
            isinstance(inner, ast.For | ast.While) for function in found for inner in walk(function)
        )

    def loader(self, value: Value) -> Loader | None:
        """The loader that a value is, with the arguments of the very call that made it."""
        prepared = self._evaluator.prepared.is_prepared(value)
        loader: Loader | None = None
        if isinstance(value, Made) and value.name in LOADERS and isinstance(value.node, ast.Call):
            given = set_behind(value.node, value.point, value.arguments)
            loader = Loader(self._evaluator, value.node, value.point, LOADERS[value.name], given)
        elif isinstance(value, Instance) and value.node is not None:
            # A loader class that says itself how it is iterated may keep its workers.
            own = self._evaluator.classes.member(value.cls, "__iter__") and not prepared
            made = None if own else self._program.made_by(value.node) or self._named(value)
            loader = None if made is None or made.inherited else made
        return loader.put_on_device() if loader is not None and prepared else loader

    def _named(self, value: Instance) -> Loader | None:
        """The loader that an object of a class is that is only made by its name: its constructor's own."""
        for _, frame in self._evaluator.initialisers.of(value):
            for call, _ in base_init_calls(frame):
                loader = self._program.made_by(call)
                if loader is not None and loader.named:
                    return loader
        return None

    def trainers(self, method: ast.Attribute, point: Point) -> Iterator[Loader]:
        """The trainers, as the loaders that they make themselves, whose library's method is called."""
        if self._program.trainers:
            for value, _ in self._evaluator.values(method.value, point):
                made = value.receiver if isinstance(value, Super) else value
                if isinstance(value, Instance) and self._evaluator.classes.member(value.cls, method.attr):
                    continue  # the program's own
                if isinstance(made, Made | Instance):
                    yield from (each for each in self._program.trainers if each.call is made.node)

    def from_body(self, module: Module) -> Iterator[Iteration]:
        """What importing or running a module iterates over, the main guard left aside."""
        yield from self.from_block(module.tree.body, self._program.modules.frame(module))

    def from_block(self, statements: list[ast.stmt], frame: Frame) -> Iterator[Iteration]:
        """What running a block iterates over, in the functions that it calls as well."""
        yield from _Walk(self, self._evaluator).block(statements, frame, ())

    def in_module(self, module: Module, leaves_out: Callable[[Point], bool] | None = None) -> list[Iteration]:
        """Every iteration of a module, in whatever function, but for those at places that are left out."""
        mark = (module.relative, leaves_out)
        known = self._in_modules.get(mark)
        if known is None:
            known = self._in_modules[mark] = list(self._find_in_module(module, leaves_out))
        return known

    def _find_in_module(
        self, module: Module, leaves_out: Callable[[Point], bool] | None
    ) -> Iterator[Iteration]:
        for trail in module.trails_at(module.lines_like(_ITERATES)):
            statement = trail[-1]
            if isinstance(statement, ast.stmt) and not isinstance(statement, ast.ClassDef | ast.FunctionDef):
                self._evaluator.start()
                point = self._evaluator.sites.point_of(module, trail)
                if leaves_out is not None and leaves_out(point):
                    continue
                yield from _Walk(self, self._evaluator, enters=False).own(statement, point)


class _Walk:
    """Follows statements and, where asked to, the calls of the program's functions."""

    def __init__(self, iterations: Iterations, evaluator: Evaluator, *, enters: bool = True) -> None:
        self._iterations = iterations
        self._evaluator = evaluator
        self._enters = enters
        self._seen: set[int] = set()
        # Generators and coroutines, which run nothing until somebody asks them to: by what their call gave,
        # and by the attribute that keeps it.
        self._waiting: dict[Key | str, tuple[FunctionNode, str, Frame]] = {}

    def block(
        self, statements: list[ast.stmt], frame: Frame, calls: tuple[tuple[str, Module, ast.AST], ...]
    ) -> Iterator[Iteration]:
        for statement in statements:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            self._evaluator.start()
            yield from self.own(statement, Point(frame, statement), calls)
            guarded = None
            if isinstance(statement, ast.If) and frame.outer is None:
                guarded = guarded_role(statement.test, frame.layout)
            for role, inner, _ in blocks(statement):
                if role != guarded:
                    yield from self.block(inner, frame, calls)

    def own(
        self, statement: ast.stmt, point: Point, calls: tuple[tuple[str, Module, ast.AST], ...] = ()
    ) -> Iterator[Iteration]:
        """The iterations of a statement itself, its inner blocks left aside."""
        if isinstance(statement, ast.For | ast.AsyncFor):
            yield from self._iterated(statement.iter, point, calls)
        for expression in expressions(statement):
            yield from self._expression(expression, point, calls)
        if isinstance(statement, ast.For | ast.AsyncFor):
            yield from self._run(statement.iter, point, calls)

    def _iterated(
        self,
        node: ast.expr,
        point: Point,
        calls: tuple[tuple[str, Module, ast.AST], ...],
        *,
        to_end: bool = False,
    ) -> Iterator[Iteration]:
        if isinstance(node, ast.Call) and bare_name(node.func) in GIVES_NO_BATCHES:
            return
        if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            to_end = to_end and not (isinstance(node, ast.Call) and bare_name(node.func) in _PART_OF)
            for loader in self._iterations.loaders_of(node, point):
                yield Iteration(node, point, loader, calls, to_end)

    def _expression(
        self, node: ast.expr, point: Point, calls: tuple[tuple[str, Module, ast.AST], ...]
    ) -> Iterator[Iteration]:
        if isinstance(node, ast.Lambda | ast.Constant | ast.Name):
            return
        inside = point
        if isinstance(node, COMPREHENSIONS):
            at_once = not isinstance(node, ast.GeneratorExp)
            for generator in node.generators:
                yield from self._iterated(generator.iter, point, calls, to_end=at_once)
                yield from self._expression(generator.iter, point, calls)
                yield from self._run(generator.iter, point, calls)
            inside = self._evaluator.inside(node, point)
        for child in _unguarded(node, point.frame):
            part = child.value if isinstance(child, ast.keyword) else child
            if isinstance(part, ast.expr):
                yield from self._expression(part, inside, calls)
        if isinstance(node, ast.YieldFrom):
            yield from self._iterated(node.value, point, calls)
        if isinstance(node, ast.YieldFrom | ast.Await | ast.Starred):
            yield from self._run(node.value, inside, calls)
        if isinstance(node, ast.Call):
            if bare_name(node.func) in _RUNS:
                for argument in node.args:
                    yield from self._run(argument, inside, calls)
            if isinstance(node.func, ast.Name) and node.func.id in _CONSUMES:
                for argument in node.args[:1]:
                    yield from self._iterated(argument, point, calls, to_end=node.func.id in _ENDS)
            if self._enters:
                yield from self._handed_over(node, inside, calls)
            if self._enters and len(calls) < _FAR:
                yield from self._called(node, inside, calls)

    def _handed_over(
        self, node: ast.Call, point: Point, calls: tuple[tuple[str, Module, ast.AST], ...]
    ) -> Iterator[Iteration]:
        """What a library's call goes through: each loader among its arguments, those that it asks other
        arguments for, and those that a trainer makes itself."""
        found: list[Loader] = []
        if any(
            getattr(value, "name", "") in GOES_THROUGH
            for value, _ in self._evaluator.values(node.func, point)
        ):
            given = given_in(node)
            for each in [part for one in given for part in getattr(one, "elts", [one])]:
                found += self._iterations.loaders_of(each, point)
        asked = [] if found else asked_of(self._evaluator, node, point)
        found += [loader for value in asked if (loader := self._iterations.loader(value)) is not None]
        if isinstance(node.func, ast.Attribute) and node.func.attr in PASSES:
            found += self._iterations.trainers(node.func, point)
        for loader in found:
            yield Iteration(node, point, loader, calls, to_end=True)

    def _called(
        self, node: ast.Call, point: Point, calls: tuple[tuple[str, Module, ast.AST], ...]
    ) -> Iterator[Iteration]:
        arguments = arguments_of(node, point)
        for value, _ in self._evaluator.values(node.func, point):
            for function, given in self._functions(value, node, point, arguments):
                if id(function.node) in self._seen or len(self._seen) > _MOST_FUNCTIONS:
                    continue
                frame = self._evaluator.calls.enter(function, given, node, point)
                if isinstance(function.node, ast.Lambda):
                    self._seen.add(id(function.node))
                    step = (display_name(function), point.frame.module, node)
                    yield from self._expression(function.node.body, Point(frame, None), (*calls, step))
                    continue
                if _waits(function.node):
                    keys: list[Key | str] = [made.key for made, _ in self._evaluator.values(node, point)]
                    keys += [
                        each.attr for each in _targets(point.statement) if isinstance(each, ast.Attribute)
                    ]
                    self._waiting.update(dict.fromkeys(keys, (function.node, display_name(function), frame)))
                    continue
                self._seen.add(id(function.node))
                step = (display_name(function), point.frame.module, node)
                yield from self.block(function.node.body, frame, (*calls, step))

    def _run(
        self, node: ast.expr, point: Point, calls: tuple[tuple[str, Module, ast.AST], ...]
    ) -> Iterator[Iteration]:
        """What a generator or a coroutine goes through where it is run."""
        if not self._waiting or len(calls) >= _FAR:
            return
        if isinstance(node, ast.Call) and bare_name(node.func) in _PASSES:
            for argument in node.args:
                yield from self._run(argument, point, calls)
            return
        keys: list[Key | str] = [node.attr] if isinstance(node, ast.Attribute) else []
        for value, _ in self._evaluator.values(node, point):
            keys.append(value.key)
            if isinstance(value, Made) and value.name.rpartition(".")[2] in _PASSES:
                for given in value.arguments.all():
                    keys += [each.key for each, _ in self._evaluator.value_of(given, HERE)]
        for key in keys:
            if key in self._waiting and id(self._waiting[key][0]) not in self._seen:
                function, name, frame = self._waiting[key]
                self._seen.add(id(function))
                yield from self.block(function.body, frame, (*calls, (name, point.frame.module, node)))

    def _functions(
        self, value: Value, node: ast.Call, point: Point, arguments: Arguments
    ) -> Iterator[tuple[Function, Arguments]]:
        if isinstance(value, Partial):
            yield from self._functions(value.callee, node, point, arguments.after(value.arguments))
        elif isinstance(value, Function):
            yield value, arguments
        elif isinstance(value, Class):
            made = Instance(value, arguments, node, point.key)
            for method in self._evaluator.classes.methods(made, "__init__"):
                yield method, arguments
        elif isinstance(value, Instance):
            for method in self._evaluator.classes.methods(value, "__call__"):
                yield method, arguments
        elif isinstance(value, External) and value.name in RUNNERS and node.args:
            for run, _ in self._evaluator.values(node.args[0], point):
                for each in run.items if isinstance(run, Items) else [run]:
                    if isinstance(each, Function):
                        yield each, Arguments()
        for command in self._evaluator.apps.commands(value):
            yield command, Arguments()


def _unguarded(node: ast.expr, frame: Frame) -> Iterator[ast.AST]:
    """The parts of an expression, without those that the main guard holds: ``IS_MAIN and main()`` and
    ``main() if IS_MAIN else None``."""
    for name, child in ast.iter_fields(node):
        parts = child if isinstance(child, list) else [child]
        if frame.outer is None and isinstance(node, ast.IfExp):
            parts = [] if guarded_role(node.test, frame.layout) == name else parts
        for part in parts:
            if isinstance(part, ast.AST):
                yield part
            if frame.outer is None and isinstance(node, ast.BoolOp) and isinstance(part, ast.expr):
                # What follows comes to its turn where the test is true (and), or false (or).
                held = "body" if isinstance(node.op, ast.And) else "orelse"
                if guarded_role(part, frame.layout) == held:
                    return


def _targets(statement: ast.stmt | None) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _waits(function: FunctionNode) -> bool:
    """Whether a call of a function runs nothing yet. What a decorator makes of it is not known."""
    return not function.decorator_list and (
        isinstance(function, ast.AsyncFunctionDef) or is_generator(function)
    )
