"""Protections: calls that make a hazard harmless, and for which loaders they run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.reflection import BY_NAME
from dlint.module.source import Module
from dlint.program.boundaries import Boundaries, is_guarded, runs_in_main_only
from dlint.program.frame import Frame, Point
from dlint.program.repetition import tests_around
from dlint.program.values import Const, External

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator
    from dlint.program.uses import WorkerUse

_FAR = 4


class Effect(NamedTuple):
    """Where a protecting call takes effect: at import of a module, in its main guard, or in a function."""

    call: ast.Call
    module: Module
    kind: str  # import, guard or function
    at: Module
    function: ast.AST | None = None


class Shelter(NamedTuple):
    """The protection that a worker use has: the call, and whether spawned workers have it too."""

    effect: Effect
    spawned: bool


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
        self._effects: list[Effect] | None = None

    @property
    def effects(self) -> list[Effect]:
        """Every place where the program makes the call, up to the functions that lead to it."""
        if self._effects is None:
            self._effects = []
            word = self._name.rpartition(".")[2]
            for module in self._evaluator.modules.naming(word):
                for trail in _mentions(module, word):
                    call = trail[-2] if len(trail) > 1 else None
                    if isinstance(call, ast.Call) and call.func is trail[-1]:
                        self._evaluator.start()
                        point = self._evaluator.sites.point_of(module, trail)
                        if self.is_call(call, point):
                            self._spread(call, module, point.frame, point.statement, 0)
        return self._effects

    def is_call(self, call: ast.Call, point: Point) -> bool:
        """Whether a call is the protecting one."""
        callees = self._evaluator.values(call.func, point)
        if not any(isinstance(value, External) and value.name == self._name for value, _ in callees):
            return False
        written = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not written:
            return False
        given = self._evaluator.values(written[0], point)
        return any(
            (isinstance(value, Const) and value.value in self._values)
            or (isinstance(value, External) and value.name in self._values)
            or (self._unknown and not isinstance(value, Const) and not _counts_cpus(written[0]))
            for value, _ in given
        )

    def _spread(
        self, call: ast.Call, module: Module, frame: Frame, statement: ast.stmt | None, far: int
    ) -> None:
        assert self._effects is not None
        scope = frame.scope
        if self._always and _is_conditional(Point(frame, statement)):
            return
        if isinstance(scope, ast.Module):
            kind = "guard" if runs_in_main_only(frame, statement) else "import"
            self._effects.append(Effect(call, module, kind, frame.module))
        elif isinstance(scope, ast.ClassDef) and frame.outer is not None:
            self._spread(call, module, frame.outer, scope, far)
        elif isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            self._effects.append(Effect(call, module, "function", frame.module, scope))
            if far < _FAR:
                for site in self._evaluator.sites.of(scope, frame)[:12]:
                    self._spread(call, module, site.point.frame, site.point.statement, far + 1)

    def shelter(self, use: WorkerUse, modules: Iterable[Module]) -> Shelter | None:
        """The protection of a worker use whose worker code lies in the given modules, if it has one.

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
            on_way = self._on_way(effects, way.functions, way.module, way.guarded)
            if on_way is None and not way.whole:
                on_way = self._lenient(effects, [use.loader.module])
            if on_way is None:
                return None
            found = on_way if found is None or not on_way.spawned else found
        return found

    def _on_way(
        self, effects: list[Effect], functions: tuple[ast.AST, ...], start: Module, guarded: bool
    ) -> Shelter | None:
        imported = self._boundaries.imports(start.relative)
        through = {id(function) for function in functions}
        for effect in effects:
            if effect.kind == "import" and effect.at.relative in imported:
                return Shelter(effect, True)
        for effect in effects:
            if effect.kind == "function" and id(effect.function) in through:
                return Shelter(effect, False)
            if effect.kind == "guard" and guarded and effect.at is start:
                return Shelter(effect, False)
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


def _is_conditional(point: Point) -> bool:
    """Whether a test decides if control comes to a place, other than the main guard and one that only asks
    whether the call was made already (``if get_start_method(allow_none=True) is None:``)."""
    return not is_guarded(point.frame, point.statement) and any(
        "get_start_method" not in ast.unparse(test) for test, _, _ in tests_around(point)
    )


def _counts_cpus(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and "cpu" in ast.unparse(node.func).lower()
