"""Protections: calls that make a hazard harmless, and for which loaders they run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.implicit_calls import runs_of
from dlint.fork.boundaries import Boundaries, Way
from dlint.knowledge.words.reflection import BY_NAME
from dlint.project.main_guards import guarded_role, runs_in_main_only
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import given_in, last_name, own_names
from dlint.values.frame import Point
from dlint.values.places import places_around, spelled, tests_at
from dlint.values.values import Const, External

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse

_FAR = 4
# Calls by which a function says why it does nothing.
_SAYS = frozenset({"print", "debug", "info", "warning", "warn", "error", "print_help", "format", "str"})


class Effect(NamedTuple):
    """Where a protecting call takes effect: at import of a module, in its main guard, or in a function.

    ``order``: the lines that lead from there to the call, outermost first; of two effects at one place the
    greater takes place later.
    """

    call: ast.Call
    module: Module
    kind: str  # import, guard or function
    at: Module
    function: ast.AST | None
    order: tuple[int, ...]


class Shelter(NamedTuple):
    """The protection that a worker use has: the call, and whether spawned workers have it too. ``lost``: the
    process that makes the loader has not even itself what the call sets, as it is started anew."""

    effect: Effect
    spawned: bool
    lost: bool = False


class Protections:
    """The calls of one name with one of some constant arguments, such as ``cv2.setNumThreads(0)``.

    A library's own constant is given by its name (``"torch.float64"``). ``unknown``: what nobody can tell
    (a setting) counts as well. ``always``: a call that stands on a condition does not.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        boundaries: Boundaries,
        name: str,
        values: tuple[object, ...],
        *,
        unknown: bool,
        always: bool = False,
    ) -> None:
        self._evaluator = evaluator
        self._boundaries = boundaries
        self._name = name
        self._values = values
        self._unknown = unknown
        self._always = always
        # Functions on the way to a call that nobody is seen to call, by the id of their node.
        self._uncalled: set[int] = set()

    @cached_property
    def effects(self) -> list[Effect]:
        """Every place where the program makes the call, up to the functions that lead to it."""
        return self._places_of(True, self._always)

    @cached_property
    def _takers(self) -> list[Effect]:
        """Every place where it makes the call with what takes protection back, on no condition."""
        return self._places_of(False, True)

    def _places_of(self, protects: bool, always: bool) -> list[Effect]:
        found: list[Effect] = []
        for call, point in self.calls(protects):
            self._spread(found, always, call, point.frame.module, point, ())
        return found

    def calls(self, protects: bool = True) -> Iterator[tuple[ast.Call, Point]]:
        """Where the program makes the call as it protects, or with what takes protection back."""
        word = self._name.rpartition(".")[2]
        for module in self._evaluator.modules.naming(word):
            for mention in _mentions(module, word):
                for call, trail in _calls_of(mention):
                    self._evaluator.start()
                    point = self._evaluator.sites.point_of(module, trail)
                    if self._protects(call, point) is protects:
                        yield call, point

    def is_call(self, call: ast.Call, point: Point) -> bool:
        """Whether a call is the protecting one."""
        return self._protects(call, point) is True

    def _protects(self, call: ast.Call, point: Point) -> bool | None:
        """Whether a call protects or takes protection back; None for other calls."""
        called = [
            world
            for value, world in self._evaluator.values(call.func, point)
            if isinstance(value, External) and value.name == self._name
        ]
        written = given_in(call)
        if not called or not written:
            return None
        given = [
            (self._evaluator.options.default(value, world) or value, world)  # what the user need not ask for
            for world in called
            for value, world in self._evaluator.values(written[0], point, world)
        ]
        counted = _counts_cpus(written[0])
        if any(
            (isinstance(value, Const) and value.value in self._values)
            or (isinstance(value, External) and value.name in self._values)
            or (self._unknown and not isinstance(value, Const) and not counted)
            for value, _ in given
        ):
            return True
        return False if counted or any(isinstance(value, Const) for value, _ in given) else None

    def _spread(
        self,
        into: list[Effect],
        always: bool,
        call: ast.Call,
        module: Module,
        point: Point,
        inner: tuple[int, ...],
    ) -> None:
        """Note the effects of a call, from a point on the way to it. ``always``: unless on a condition."""
        scope = point.frame.scope
        if always and _is_conditional(point):
            return
        at = point.frame.module
        returned = always and _may_have_returned(point)
        order = (point.statement.lineno if point.statement is not None else 0, *inner)
        if isinstance(scope, ast.Module):
            kind = "guard" if runs_in_main_only(point.frame, point.statement) else "import"
            into.append(Effect(call, module, kind, at, None, order))
        elif isinstance(scope, ast.ClassDef) and point.frame.outer is not None:
            self._spread(into, always, call, module, Point(point.frame.outer, scope), order)
        elif isinstance(scope, ast.Lambda):
            # Where it is called nobody knows; that is seldom before it is made, or elsewhere.
            into.append(Effect(call, module, "function", at, scope, order))
            around = point.frame.outer
            if around is not None and len(inner) < _FAR:
                self._spread(into, always, call, module, Point(around, point.statement), order)
        elif isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            into.append(Effect(call, module, "function", at, scope, order))
            if len(inner) < _FAR and not returned:  # else whoever calls it may not have it
                sites = self._evaluator.sites.of(scope, point.frame)
                if not sites:
                    self._uncalled.add(id(scope))
                for site in sites[:12]:
                    self._spread(into, always, call, module, site.point, order)
                for running in runs_of(self._evaluator, scope, point.frame):
                    if running.around is not None:
                        near = running.point.frame.module
                        into.append(Effect(call, module, "function", near, running.around, order))
                    else:
                        self._spread(into, always, call, module, running.point, order)

    def shelter(self, use: WorkerUse, modules: Iterable[Module], script: str | None = None) -> Shelter | None:
        """The protection of a worker use whose worker code lies in the given modules, if it has one; that of
        one ``script`` where others use the same loader.

        It counts when every whole way from a script to the loader passes one.
        """
        effects = self.effects
        if not effects:
            return None
        imported = self._imported(modules)
        for effect in effects:
            if effect.kind == "import" and effect.at.relative in imported:
                return Shelter(effect, True)
        for effect in effects:
            if effect.function is not None and id(effect.function) in use.worker_functions:
                return Shelter(effect, True)
        for effect in effects:
            if effect.function is not None and id(effect.function) in use.makers:
                return Shelter(effect, False)
        if use.loader is None:
            return self._lenient(effects, modules)
        ways = self._boundaries.ways_to(use.loader.point)
        found: Shelter | None = None
        for way in ways:
            if script not in (None, way.module.relative):
                continue
            on_way = self._on_way(effects, way)
            if on_way is None and not way.whole:
                on_way = self._lenient(effects, [use.loader.module])
            if on_way is None:
                return None
            if found is None or on_way.lost or not (on_way.spawned or found.lost):
                found = on_way
        return found

    def taken_back(self, use: WorkerUse, modules: Iterable[Module]) -> Effect | None:
        """What takes the protection of a use's forked workers back in the main process, or would take back
        one that modules gave at their import (``cv2.setNumThreads(8)`` in main): a call that is made on some
        way to the loader, on no condition, after every protecting one."""
        if not self._takers or use.loader is None:
            return None
        if any(id(effect.function) in use.worker_functions | use.makers for effect in self.effects):
            return None
        wanted = {module.relative for module in modules}
        for way in self._boundaries.ways_to(use.loader.point):
            last = self._last_on_way(way) or self._last_import(way.module, wanted)
            if last is not None and any(last is each for each in self._takers):
                return last
        return None

    def unfollowed(self, use: WorkerUse, modules: Iterable[Module]) -> tuple[Module, ast.expr] | None:
        """What may take the protection of a use's forked workers back in a way that cannot be followed: a
        call in a function that is handed on, or the setting function itself, handed on."""
        if use.loader is None or not self._unfollowed:
            return None
        near = {relative for module in modules for relative in self._boundaries.imports(module.relative)}
        for way in self._boundaries.ways_to(use.loader.point):
            near |= self._boundaries.imports(way.module.relative)
        return next((each for each in self._unfollowed if each[0].relative in near), None)

    @cached_property
    def _unfollowed(self) -> list[tuple[Module, ast.expr]]:
        found: list[tuple[Module, ast.expr]] = []
        ended = {id(effect.call) for effect in self._takers if effect.function is None}
        for effect in self._takers:
            scope = effect.function
            if id(effect.call) not in ended and scope is not None and self._is_handed_on(scope):
                found.append((effect.module, effect.call))
        word = self._name.rpartition(".")[2]
        for module in self._evaluator.modules.naming(word):
            for trail in _mentions(module, word):
                said = trail[-1]
                if isinstance(said, ast.Name | ast.Attribute) and not list(_calls_of(trail)):
                    point = self._evaluator.sites.point_of(module, trail)
                    values = self._evaluator.values(said, point)
                    if any(isinstance(each, External) and each.name == self._name for each, _ in values):
                        found.append((module, said))
        return found

    def _is_handed_on(self, scope: ast.AST) -> bool:
        """Whether a function that nobody is seen to call is called by Python, or said by somebody."""
        if id(scope) not in self._uncalled or not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        if scope.name.startswith("__") and scope.name.endswith("__"):
            return True
        return any(
            trail[-1] is not scope
            for module in self._evaluator.modules.naming(scope.name)
            for trail in module.paths_to(scope.name)
        )

    def _last_on_way(self, way: Way) -> Effect | None:
        """What is called last, in the script or else in the outermost function that calls any of it."""
        every = [*self.effects, *self._takers]
        own = [
            effect
            for effect in every
            if effect.at is way.module
            and (effect.kind == "import" or (effect.kind == "guard" and way.guarded and way.anew is None))
        ]
        run = reversed(way.functions[: way.anew])
        inner = [[e for e in every if e.function is function] for function in run]
        level = own
        if not any(effect.kind == "guard" or len(effect.order) > 1 for effect in own):
            level = next((called for called in inner if called), own)
        return max(level, key=lambda effect: effect.order, default=None)

    def _last_import(self, start: Module, wanted: set[str]) -> Effect | None:
        """What takes protection back at import of a module that has imported all that protects by then."""
        imported = self._boundaries.imports(start.relative)
        effects, back = (
            [effect for effect in found if effect.kind == "import" and effect.at.relative in imported]
            for found in (self.effects, self._takers)
        )
        for taking in back:
            before = self._boundaries.imports(taking.at.relative)
            if not (wanted - {taking.at.relative}) & before:
                continue
            if all(
                effect.order < taking.order
                if effect.at is taking.at
                else effect.at.relative in before
                and taking.at.relative not in self._boundaries.imports(effect.at.relative)
                for effect in effects
            ):
                return taking
        return None

    def _on_way(self, effects: list[Effect], way: Way) -> Shelter | None:
        imported = self._boundaries.imports(way.module.relative)
        for effect in effects:
            if effect.kind == "import" and effect.at.relative in imported:
                return Shelter(effect, True)
        for lost in (False, True) if way.anew is not None else (False,):
            through = {id(function) for function in way.functions[: None if lost else way.anew]}
            guarded = way.guarded and (lost or way.anew is None)
            for effect in effects:
                if effect.kind == "function" and id(effect.function) in through:
                    return Shelter(effect, False, lost)
                if effect.kind == "guard" and guarded and effect.at is way.module:
                    return Shelter(effect, False, lost)
        return None

    def _lenient(self, effects: list[Effect], modules: Iterable[Module]) -> Shelter | None:
        """Where the way to the loader cannot be followed: a script that imports it and protects counts."""
        wanted = {module.relative for module in modules}
        for effect in effects:
            if wanted & self._boundaries.imports(effect.at.relative):
                return Shelter(effect, effect.kind == "import")
        scripts = self._evaluator.modules.index.mentioning("__main__")
        for relative in wanted:
            if relative in scripts or any(other in scripts for other in self._boundaries.importers(relative)):
                return None
        for effect in effects:
            if effect.kind != "function" and self._imports_by_name(effect.at):
                return Shelter(effect, effect.kind == "import")
        return None

    def _imports_by_name(self, module: Module) -> bool:
        """Whether a program that starts in a module finds other modules by names that only it knows."""
        index = self._evaluator.modules.index
        reflective = {relative for word in BY_NAME for relative in index.mentioning(word)}
        return bool(reflective & self._boundaries.imports(module.relative))

    def _imported(self, modules: Iterable[Module]) -> set[str]:
        found: set[str] = set()
        for module in modules:
            found |= self._boundaries.imports(module.relative)
        return found


def _mentions(module: Module, word: str) -> Iterator[list[ast.AST]]:
    """What names a function in a module, under the other names that its imports give it, too."""
    for trail in module.paths_to(word):
        yield trail
        match trail[-1]:
            case ast.alias(name=name, asname=str(other)) if name == word != other:
                yield from module.paths_to(other)


def _calls_of(mention: list[ast.AST]) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """The call of a function that is named, and those in the body of a loop over such functions
    (``for call, given in ((setNumThreads, 0), ...): call(given)``), with the nodes down to the function or
    the call."""
    above = mention[-2] if len(mention) > 1 else None
    if isinstance(above, ast.Call) and above.func is mention[-1]:
        yield above, mention
        return
    for at, (outer, inner) in enumerate(pairwise(mention), 1):
        if isinstance(outer, ast.For) and outer.iter is inner:
            bound = own_names(outer)
            for statement in outer.body:
                match statement:
                    case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if name in bound:
                        yield call, [*mention[:at], statement, call]


def _is_conditional(point: Point) -> bool:
    """Whether a test decides if control comes to a place and to what follows it, other than the main guard
    and one that only asks whether the call was made already (``if get_start_method(allow_none=True) is
    None:``)."""
    return any(not _may_leave(guard) for guard in _tests(point))


def _may_have_returned(point: Point) -> bool:
    """Whether a test before a place may have left the function, and then all that follows there as well."""
    return any(
        isinstance(guard, ast.If) and isinstance(guard.body[-1], ast.Return) for guard in _tests(point)
    )


def _tests(point: Point) -> Iterator[ast.If | None]:
    """For each test that decides whether control comes to a place the statement before it that leaves, or
    None where it stands around the place."""
    for place in places_around(point):
        guards = [each for each in place.block[: place.at] if isinstance(each, ast.If)]
        for test, _, leaves in tests_at(place):
            said = spelled(test, point)
            if guarded_role(said, point.frame.layout) is None and "get_start_method" not in ast.unparse(said):
                yield next((each for each in guards if leaves and each.test is test), None)


def _may_leave(guard: ast.If | None) -> bool:
    """Whether a statement only leaves the function, and says so, or does nothing: no loader is made there."""
    return (
        guard is not None
        and not guard.orelse
        and isinstance(guard.body[-1], ast.Return | ast.Raise)
        and not any(
            isinstance(node, ast.Call) and last_name(node.func) not in _SAYS
            for each in guard.body
            if not isinstance(each, ast.Raise)
            for node in walk(each)
        )
    )


def _counts_cpus(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and "cpu" in ast.unparse(node.func).lower()
