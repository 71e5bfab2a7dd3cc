"""What a seed is made of: numbers that stay, the worker's number, or something new in every epoch.

The values of the evaluator forget where an unknown number comes from; a seed is judged by just that. So
this follows the seed's expression back through assignments, parameters, arguments and calls.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from dlint.calls.returned import parts, returned
from dlint.knowledge.randomness import (
    GENERATORS,
    SEED_KEYWORDS,
    TORCH_FILLS,
    draws_from_generator,
    is_environment,
    is_pure,
    sounds_changing,
    sounds_like_settings,
)
from dlint.randomness.seeds.attributes import Attributes
from dlint.randomness.seeds.by_parent import is_made_before, new_at, runs_once
from dlint.randomness.seeds.given import Given
from dlint.randomness.seeds.named_seeds import by_call, by_library_call, by_name, by_value
from dlint.randomness.seeds.seed import (
    CHANGING,
    CLOCK,
    EPOCH_SEED,
    FIXED_SEED,
    FRESH,
    FRESH_SEED,
    NEW,
    NONE_SEED,
    UNKNOWN,
    UNKNOWN_SEED,
    Seed,
    as_part,
    few,
    operate,
)
from dlint.source.nodes import is_written_none
from dlint.source.statements import dotted, given_in, parameters, target_names
from dlint.values.frame import Frame, Point
from dlint.values.values import Const, External, Function, Made, Partial
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.events import Event
    from dlint.workers.reach import Link
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

_DEEPEST = 40
_MOST = 8
# What gives an object's settings as a dict.
_AS_DICT = ("vars", "asdict", "dataclasses.asdict")
# A clock that tells fractions of a second, and what seeds with these, too: NumPy takes none, torch cuts
# them off.
_CLOCK, _TAKES_FLOATS = "time.time", "random.seed"
_WIDTH_KEEPERS = frozenset({"builtins.int", "builtins.abs"})


def seeds_of(
    evaluator: Evaluator,
    code: WorkerCode,
    event: Event,
    uses: Sequence[WorkerUse] = (),
    *,
    copied: bool = False,
) -> list[Seed]:
    """The seeds that a seeding call of worker code may set; where workers of ``uses`` stay, those that they
    were started with. Those that are ``copied`` from the parent have what its modules asked the clock for, or
    drew, when they were imported."""
    call = event.node
    if not isinstance(call, ast.Call):
        return [UNKNOWN_SEED]
    given = next((k.value for k in call.keywords if k.arg in SEED_KEYWORDS), None)
    expression = call.args[0] if call.args else given
    if expression is None:
        return [FRESH_SEED if not call.keywords else UNKNOWN_SEED]
    evaluator.start()
    if event.name == _TAKES_FLOATS and isinstance(expression, ast.Call):
        callees = evaluator.values(expression.func, event.point, event.world)
        if all(isinstance(callee, External) and callee.name == _CLOCK for callee, _ in callees):
            return [FRESH_SEED]
    return _Trace(evaluator, code, uses, event.link, copied).of(expression, event.point, event.world)


class _Trace:
    """Follows one seed back; the entries' own parameters are the worker's number or the item's index."""

    def __init__(
        self,
        evaluator: Evaluator,
        code: WorkerCode,
        uses: Sequence[WorkerUse],
        link: Link | None,
        copied: bool,
    ) -> None:
        self._evaluator = evaluator
        self._copied = copied
        self._inside = {id(visit.function.node) for visit in code.visits}
        self._given = Given(self, evaluator, code, link, self._inside)
        self._attributes = Attributes(self, evaluator, uses, self._inside)
        self._depth = 0
        self._open: set[tuple[object, ...]] = set()

    def of(self, node: ast.expr, point: Point, world: World) -> list[Seed]:
        """The seeds that an expression may be, looked at from a point."""
        mark = (id(node), point.frame.key)
        return self._open_once(mark, lambda: self._of(node, point, world))

    def _open_once(self, mark: tuple[object, ...], look: Callable[[], list[Seed]]) -> list[Seed]:
        """What a look finds, unless it is one inside itself: what a loop counts up."""
        if self._depth > _DEEPEST or mark in self._open or self._evaluator.exhausted:
            return [UNKNOWN_SEED]
        self._depth += 1
        self._open.add(mark)
        try:
            return few(look())
        finally:
            self._depth -= 1
            self._open.discard(mark)

    def _of(self, node: ast.expr, point: Point, world: World) -> list[Seed]:
        match node:
            case ast.Constant(value=None):
                return [FRESH_SEED]
            case ast.Constant(value=value):
                if isinstance(value, float) and value.is_integer():
                    value = int(value)
                return [Seed(FIXED_SEED.kinds, value if type(value) is int else None)]
            case ast.Name():
                return self._name(node, point, world)
            case ast.Attribute():
                return self._attributes.of(node, point, world)
            case ast.BinOp():
                return [
                    operate(node.op, left, right)
                    for left in as_part(self.of(node.left, point, world))
                    for right in as_part(self.of(node.right, point, world))
                ]
            case ast.UnaryOp():
                return [Seed(seed.kinds, None, seed.wide) for seed in self.of(node.operand, point, world)]
            case ast.IfExp():
                return [
                    seed
                    for result, w in self._evaluator.truth(node.test, point, world)
                    if self._may_be(w, point.frame)
                    for seed in self.of(node.body if result else node.orelse, point, w)
                ]
            case ast.BoolOp():
                return [seed for part in node.values for seed in self.of(part, point, world)]
            case ast.NamedExpr() | ast.Starred():
                return self.of(node.value, point, world)
            case ast.Subscript(slice=index):
                if isinstance(index, ast.Slice):
                    return self._joined([node.value], point, world)
                if isinstance(index, ast.Constant) and isinstance(index.value, str):
                    return self._entry(node, node.value, index.value, point, world)
                return self._joined([node.value, index], point, world)
            case ast.Tuple() | ast.List():
                return self._joined(node.elts, point, world)
            case ast.JoinedStr():
                parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
                return self._joined(parts, point, world)
            case ast.Call():
                return self._call(node, point, world)
        return [UNKNOWN_SEED]

    def _entry(self, node: ast.expr, settings: ast.expr, name: str, point: Point, world: World) -> list[Seed]:
        """A named entry of what may be the program's settings, or of the environment."""
        known = [value for value, _ in self._evaluator.values(node, point, world)]
        if known and all(isinstance(value, Const) for value in known):
            return few([by_value(value, name) for value in known])
        held = [value for value, _ in self._evaluator.values(settings, point, world)]
        if held and all(isinstance(value, External) and is_environment(value.name) for value in held):
            return [FIXED_SEED]
        made = self._joined([settings], point, world)
        if isinstance(settings, ast.Call) and dotted(settings.func) in _AS_DICT and len(settings.args) == 1:
            settings = settings.args[0]
        settings = self._whole(settings, point, world)
        if not sounds_like_settings(dotted(settings) or "") or sounds_changing(name):
            return made
        return [by_name(name) if UNKNOWN in seed.kinds else seed for seed in made]

    def _whole(self, part: ast.expr, point: Point, world: World) -> ast.expr:
        """What a part of settings is taken from: `cfg.data["workers"]`, `section = args["seeds"]`."""
        for _ in range(_MOST):
            if sounds_like_settings(dotted(part) or ""):
                break
            match part:
                case ast.Subscript(value=value) | ast.Attribute(value=value):
                    part = value
                case ast.Name(id=name) if name in point.frame.layout.binds:
                    bound = self._evaluator.flow.assigned(name, point, world)
                    if bound is None:
                        break
                    part, point = bound
                case _:
                    break
        return part

    def _joined(self, parts: Iterable[ast.expr], point: Point, world: World) -> list[Seed]:
        """One thing made of several."""
        found = [FIXED_SEED]
        for part in parts:
            found = few(
                [
                    Seed(held.kinds | seed.kinds)
                    for held in found
                    for seed in as_part(self.of(part, point, world))
                ]
            )
        return found

    # Names

    def _may_be(self, world: World, frame: Frame) -> bool:
        """Whether a function may come into a world: workers have a ``get_worker_info()``."""
        return id(frame.scope) not in self._inside or self._evaluator.library.may_be_in_worker(world)

    def _name(self, node: ast.Name, point: Point, world: World) -> list[Seed]:
        local = point.locals.get(node.id)
        if local is not None:
            return self._given.argument(local, world)
        return self._named(node.id, node, point, world)

    def _named(self, name: str, node: ast.expr, point: Point, world: World) -> list[Seed]:
        frame = point.frame
        if isinstance(frame.scope, ast.Module) and self._evaluator.namespaces.declared_global(name, frame):
            return self.by_functions(name, node, frame)
        if name not in frame.layout.binds:
            return self._from_start(name, node, frame, world)
        found: list[Seed] = []
        for statement, w in self._evaluator.flow.definitions(name, point, world, anew=True):
            if not self._may_be(w, frame):
                continue
            if statement is not None:
                found += self._assigned(statement, name, node, frame, w)
            elif frame.outer is not None:
                found += self._from_start(name, node, frame, w)
        return found or [by_name(name)]

    def _from_start(self, name: str, node: ast.expr, frame: Frame, world: World) -> list[Seed]:
        scope = frame.scope
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and any(
            parameter.arg == name for parameter in parameters(scope)
        ):
            return self._given.parameter(name, frame, world)
        outer = frame.outer
        while outer is not None and isinstance(outer.scope, ast.ClassDef):
            outer = outer.outer
        if outer is not None:
            return self._named(name, node, Point(outer, None), world)
        return self._values(node, name, Point(frame, None), world)

    def _assigned(
        self, statement: ast.stmt, name: str, node: ast.expr, frame: Frame, world: World
    ) -> list[Seed]:
        before = Point(frame, statement)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name) and target.id == name:
                        return self.of(value, before, world)
                    if isinstance(target, ast.Tuple | ast.List) and name in target_names(target):
                        return self._unpacked(target, name, value, before, world)
            case ast.AugAssign(op=op, value=value):
                return self._open_once(
                    (id(statement), frame.key),
                    lambda: [
                        operate(op, left, right)
                        for left in few(self._named(name, node, before, world))
                        for right in self.of(value, before, world)
                    ],
                )
            case ast.Import() | ast.ImportFrom():
                return self._values(node, name, Point(frame, None), world)
        return [UNKNOWN_SEED]

    def _unpacked(
        self, target: ast.Tuple | ast.List, name: str, value: ast.expr, before: Point, world: World
    ) -> list[Seed]:
        """What a name among several gets of what they are given together."""
        at = next(index for index, each in enumerate(target.elts) if name in target_names(each))
        inner, starred = target.elts[at], any(isinstance(each, ast.Starred) for each in target.elts)
        found: list[Seed] = []
        for part in parts(self._evaluator, value, at, 0 if starred else len(target.elts), before, world):
            if not self._may_be(part.world, part.point.frame):
                continue
            if not part.is_whole and isinstance(inner, ast.Tuple | ast.List):
                found += self._unpacked(inner, name, part.node, part.point, part.world)
            else:
                seeds = self.of(part.node, part.point, part.world)
                found += [Seed(seed.kinds) for seed in seeds] if part.is_whole else seeds
        return few(found) or [UNKNOWN_SEED]

    def _values(self, node: ast.expr, name: str, point: Point, world: World) -> list[Seed]:
        """By what the evaluator knows of an expression, else by how its name reads."""
        return few([by_value(value, name) for value, _ in self._evaluator.values(node, point, world)])

    def by_functions(self, name: str, node: ast.expr, frame: Frame) -> list[Seed]:
        """What functions store in a name of their module: it does not stay what it begins with."""
        found = [
            seed
            for statement, own in self._evaluator.namespaces.stored_by_functions(name, frame)
            for seed in self._assigned(statement, name, node, own, HERE)
        ]
        return few(found) or [by_name(name)]

    # Calls

    def _call(self, node: ast.Call, point: Point, world: World) -> list[Seed]:
        found: list[Seed] = []
        for callee, w in self._evaluator.values(node.func, point, world)[:_MOST]:
            while isinstance(callee, Partial):
                callee = callee.callee
            if isinstance(callee, Function):
                found += self._returned(callee, node, point, w)
                continue
            plain = isinstance(callee, External) and callee.owner is None  # no method of an object
            match node:
                case ast.Call(
                    func=ast.Attribute(value=settings, attr="get" | "setdefault"),
                    args=[ast.Constant(value=str(name)), *_],
                ) if not plain:
                    found += self._entry(node, settings, name, point, w)
                case _ if isinstance(callee, External):
                    found += self._of_library(callee, node, point, w)
                case _:
                    found.append(by_call(node))
        return found or [UNKNOWN_SEED]

    def _of_library(self, callee: External, node: ast.Call, point: Point, world: World) -> list[Seed]:
        name = callee.name
        arguments = given_in(node)
        if callee.owner is not None and isinstance(node.func, ast.Attribute):
            if callee.owner.name.startswith("torch.") and node.func.attr in TORCH_FILLS and not node.keywords:
                return [new_at(point, self._inside)]
            drawn = self._drawn_by_parent(callee.owner, node.func.attr, node, point, world)
            if drawn:
                return drawn
            receiver = as_part(self.of(node.func.value, point, world))
            if any(seed.kinds & {*NEW, CLOCK, UNKNOWN} for seed in receiver):
                return [Seed(seed.kinds) for seed in receiver]
            return self._joined([node.func.value, *arguments], point, world)
        told = by_library_call(name, bool(arguments), id(point.frame.scope) in self._inside)
        if told is not None:
            if told.kinds & CHANGING and self._runs_once(node, point):
                return [FIXED_SEED]
            return [new_at(point, self._inside) if FRESH in told.kinds else told]
        if name in _WIDTH_KEEPERS and len(arguments) == 1:
            return self.of(arguments[0], point, world)
        return self._joined(arguments, point, world) if is_pure(name) else [UNKNOWN_SEED]

    def _drawn_by_parent(
        self, made: Made, method: str, call: ast.Call, point: Point, world: World
    ) -> list[Seed]:
        """What the parent draws from a generator: another number each time from one that was made before
        (``rng.integers()`` in a loop), and what the generator is made of from one that is made for it."""
        outside = id(point.frame.scope) not in self._inside
        if not outside or made.name not in GENERATORS or not draws_from_generator(method):
            return []
        if self._runs_once(call, point):
            return [FIXED_SEED]
        given = list(made.arguments.all()) if made.arguments is not None else []
        if is_made_before(made, point) or not given:
            return [EPOCH_SEED]
        return [Seed(seed.kinds) for each in given for seed in self._given.argument(each, world)]

    def _runs_once(self, call: ast.Call, point: Point) -> bool:
        return runs_once(self._evaluator, call, point, self._inside, copied=self._copied)

    def _returned(self, function: Function, node: ast.Call, point: Point, world: World) -> list[Seed]:
        found = [
            seed
            for value, at, w in returned(self._evaluator, function, node, point, world)
            for seed in ([NONE_SEED] if is_written_none(value) else self.of(value, at, w))
        ]
        if isinstance(function.node, ast.Lambda):
            return found
        return [by_call(node) if seed.kinds == UNKNOWN_SEED.kinds else seed for seed in found] or [
            UNKNOWN_SEED
        ]
