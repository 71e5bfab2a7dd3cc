"""Seeds that objects keep: what their constructors store, and what they are told before a pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from dlint.knowledge.randomness import WORKER_INFO, sounds_changing
from dlint.randomness.seeds.by_parent import new_at
from dlint.randomness.seeds.interface import Trace
from dlint.randomness.seeds.named_seeds import by_name, by_value
from dlint.randomness.seeds.seed import CLOCK, EPOCH_SEED, FIXED_SEED, OWN_NUMBER, TORCH, UNKNOWN_SEED, Seed
from dlint.randomness.seeds.told import told_in_rounds
from dlint.source.statements import dotted, own_names, self_name, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import External, Instance, Made, ModuleValue, Value
from dlint.values.worlds import HERE, World
from dlint.workers.worker_dataset import meant

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.uses import WorkerUse


class Attributes:
    """What attributes are; ``inside`` are the functions that workers execute. Workers of ``uses`` stay."""

    def __init__(
        self, trace: Trace, evaluator: Evaluator, uses: Sequence[WorkerUse], inside: Set[int]
    ) -> None:
        self._trace = trace
        self._evaluator = evaluator
        self._uses = uses
        self._inside = inside

    def of(self, node: ast.Attribute, point: Point, world: World) -> list[Seed]:
        """What an attribute of something may be."""
        if self._is_told(node, point, world):
            return [EPOCH_SEED]
        of_module = self._of_module(node, point, world)
        if of_module is not None:
            return of_module
        found: list[Seed] = []
        for value, _ in self._evaluator.values(node, point, world):
            if isinstance(value, External) and value.owner is not None:
                found += self._of_object(value, node, world)
            else:
                found.append(self._value_of_attribute(value, node))
        if any(seed.kinds == UNKNOWN_SEED.kinds for seed in found) and not sounds_changing(node.attr):
            return self._constructed(node, point, world) or found
        return found

    def _of_module(self, node: ast.Attribute, point: Point, world: World) -> list[Seed] | None:
        """What an attribute is that is a name of a module which its functions declare global; None for any
        other."""
        modules, namespaces = self._evaluator.modules, self._evaluator.namespaces
        for holder, _ in self._evaluator.values(node.value, point, world):
            if isinstance(holder, ModuleValue) and holder.module is not None:
                frame = modules.frame(holder.module)
                if namespaces.declared_global(node.attr, frame):
                    return self._trace.by_functions(node.attr, node, frame)
        return None

    def _constructed(self, node: ast.Attribute, point: Point, world: World) -> list[Seed]:
        """What constructors store in an attribute of their objects, whatever its name says; nothing where
        others may store something there."""
        attributes, found = self._evaluator.attributes, list[Seed]()
        for holder, w in self._holders(node, point, world):
            if not isinstance(holder, Instance) or attributes.is_set_from_outside(holder, node.attr):
                return []
            storing = {id(function) for _, function in attributes.stored.storing(holder, node.attr)}
            frames = [
                frame for _, frame in self._evaluator.initialisers.of(holder) if id(frame.scope) in storing
            ]
            if not frames or len(frames) != len(storing):
                return []
            for frame in frames:
                stored = _stored(frame, node.attr)
                if stored is None:
                    return []
                for value, at in stored:
                    found += self._trace.of(value, at, w)
        return found

    def _holders(self, node: ast.Attribute, point: Point, world: World) -> Iterator[tuple[Value, World]]:
        """What has the attribute; what a worker asks for as its dataset is one that a loader has sent."""
        for holder, w in self._evaluator.values(node.value, point, world):
            sent = [value for use in self._uses for value in meant(self._evaluator, use, holder) or ()]
            yield from ((value, w) for value in sent or [holder])

    def _is_told(self, node: ast.Attribute, point: Point, world: World) -> bool:
        """Whether a method of the object that is told the epoch (``set_epoch``) sets the attribute, or the
        parent does in each round of a loop, and not surely to the same."""
        held = self._holders(node, point, world)
        holders = [holder for holder, _ in held if isinstance(holder, Instance)]
        return any(
            function.name != "__init__" and sounds_changing(function.name)
            for holder in holders
            for _, function in self._evaluator.attributes.stored.storing(holder, node.attr)
        ) or any(
            told.value is None
            or any(not seed.repeats for seed in self._trace.of(told.value, told.point, HERE))
            for holder in holders
            for told in told_in_rounds(self._evaluator, holder, node.attr, self._inside, self._uses)
        )

    def _of_object(self, value: External, node: ast.Attribute, world: World) -> list[Seed]:
        """An attribute of what a library's call gave."""
        assert value.owner is not None
        if value.owner.name == WORKER_INFO:
            if value.name.endswith("().seed"):
                return [Seed(frozenset({TORCH}), None, True)]
            if value.name.endswith("().num_workers"):
                return [Seed(FIXED_SEED.kinds)]
            return [OWN_NUMBER] if value.name.endswith("().id") else [UNKNOWN_SEED]
        made = [Seed(seed.kinds) for seed in self._made(value.owner, world)]
        if node.attr == "microsecond" and any(CLOCK in seed.kinds for seed in made):
            return [new_at(value.owner.point, self._inside)]
        # An object may keep it under another name than it has among the settings: `Init(cfg.seed).base`.
        option = value if not any(self._evaluator.modules.index.storing(node.attr)) else None
        named = by_name(f"{node.attr} {value.name.rpartition('.')[2]}", option)
        return [named if seed.kinds == UNKNOWN_SEED.kinds else seed for seed in made]

    def _value_of_attribute(self, value: Value, node: ast.Attribute) -> Seed:
        path = dotted(node) or node.attr
        if "info" in path and node.attr == "seed":
            return Seed(frozenset({TORCH}))
        if sounds_changing(path):
            return UNKNOWN_SEED
        return by_value(value, node.attr)

    def _made(self, made: Made, world: World) -> list[Seed]:
        if isinstance(made.node, ast.Call):
            return self._trace.of(made.node, made.point, world)
        return [UNKNOWN_SEED]


def _stored(frame: Frame, name: str) -> list[tuple[ast.expr, Point]] | None:
    """What a constructor stores in an attribute of its object; None where it does more than that to it."""
    if not isinstance(frame.scope, ast.FunctionDef):
        return None
    path = f"{self_name(frame.scope)}.{name}"
    found: list[tuple[ast.expr, Point]] = []
    for statement in statements_in(frame.scope.body):
        if path in own_names(statement):
            match statement:
                case ast.Assign(targets=[target], value=value) if dotted(target) == path:
                    found.append((value, Point(frame, statement)))
                case _:
                    return None
    return found
