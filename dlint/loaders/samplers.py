"""The samplers that loaders get: distributed ones, by themselves or inside batch samplers and wrappers, and
those that begin with the same each time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.calls.parameters.written import default_of
from dlint.evaluation.library.arguments import given_for
from dlint.knowledge.epochs import (
    BATCHES,
    BATCHES_TAKE,
    DRAWS,
    IN_ORDER,
    SAMPLER,
    SEEDED_BY,
    SIGNATURE,
    TELLS,
)
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, bare_name, dotted, parameters
from dlint.values.frame import Argument, Point
from dlint.values.values import Class, Const, External, Instance, Items, Made, Table, Value, is_none
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.loaders import Loader

_FAR = 3
_STATES = frozenset({"random", "np", "numpy"})
_SEED_STATES = frozenset({"random.seed", "np.random.seed", "numpy.random.seed"})


class Dealt(NamedTuple):
    """A distributed sampler of a loader; ``holders`` are the calls that made what holds it, itself and the
    loader among them, ``under`` what the loader gets it (or its holder) as, ``point`` where it is made."""

    sampler: Made | Instance
    call: ast.Call
    point: Point
    world: World
    holders: frozenset[ast.AST]
    loader: ast.Call
    under: frozenset[str]


class Samplers:
    """Finds the distributed samplers that shuffle by the epoch's number, and tells what others begin with."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._classes = evaluator.classes

    def is_torchs(self, dealt: Dealt) -> bool:
        """Whether a sampler surely is of torch's class, or of one that is derived from it."""
        return self._classes.is_instance(dealt.sampler, External(SAMPLER)) is True

    def of(self, loader: Loader) -> Iterator[Dealt]:
        """The samplers that a loader may get, each once: on a way on which it shuffles, if there is one."""
        found: dict[int, list[Dealt]] = {}
        for name in ("sampler", "batch_sampler"):
            for way, world in loader.ways(name) if loader.may_get(name) else ():
                value = way[name]
                for sampler, w, holders in self._inside(value, world, (loader.call,)) if value else ():
                    call = sampler.node
                    if isinstance(call, ast.Call):
                        made, around = _place(sampler, loader), frozenset((*holders, call))
                        dealt = Dealt(sampler, call, made, w, around, loader.call, frozenset((name,)))
                        found.setdefault(id(call), []).append(dealt)
        for ways in found.values():
            shown = next((each for each in ways if not self.keeps_order(each)), ways[0])
            yield shown._replace(under=frozenset[str]().union(*(each.under for each in ways)))

    def given(self, sampler: Made | Instance, name: str) -> Argument | None:
        """What a sampler is given under a name, or at its place."""
        if sampler.arguments is None:
            return None
        names = list(SIGNATURE)
        if isinstance(sampler, Instance):
            for init in self._classes.methods(sampler, "__init__"):
                names = [each.arg for each in parameters(init.node)[1:]]
        at = names.index(name) if name in names else len(sampler.arguments.positional)
        return sampler.arguments.keywords.get(name) or next(
            iter(sampler.arguments.positional[at : at + 1]), None
        )

    def _default(self, sampler: Instance, name: str) -> Argument | None:
        """What the class of a sampler gives a parameter that nobody gives."""
        for init in self._classes.methods(sampler, "__init__"):
            default = default_of(name, init.node) if isinstance(init.node, FunctionNode) else None
            if default is not None:
                return Argument(default, Point(init.frame, None))
        return None

    def in_batches(self, value: Value | None) -> list[Value]:
        """What torch's own batch sampler may have for its ``sampler``; nothing of other values."""
        if not isinstance(value, Made) or value.name != BATCHES or value.arguments is None:
            return []
        samplers, _ = given_for(self._evaluator, value.arguments, "sampler", BATCHES_TAKE, HERE)
        return [part for part, _ in samplers]

    def keeps_order(self, dealt: Dealt) -> bool:
        """Whether a sampler surely does not shuffle."""
        given = self.given(dealt.sampler, "shuffle")
        if isinstance(dealt.sampler, Instance):
            if given is None and dealt.sampler.arguments is not None and not dealt.sampler.arguments.splats:
                given = self._default(dealt.sampler, "shuffle")
            # What the class's own __init__ hands up decides.
            for library, up in self._evaluator.initialisers.of_libraries(dealt.sampler):
                if library == SAMPLER:
                    at = SIGNATURE.index("shuffle")
                    given = (
                        up.keywords.get("shuffle") or next(iter(up.positional[at : at + 1]), None) or given
                    )
        if given is not None:
            values = [value for value, _ in self._evaluator.value_of(given, dealt.world)]
        else:
            splats = dealt.sampler.arguments.splats if dealt.sampler.arguments is not None else []
            tables = [value for splat in splats for value, _ in self._evaluator.value_of(splat, dealt.world)]
            values = [
                each.items["shuffle"]
                for each in tables
                if isinstance(each, Table) and "shuffle" in each.items
            ]
            if len(values) < len(tables):
                return False
        return bool(values) and all(isinstance(value, Const) and not value.value for value in values)

    def _inside(
        self, value: Value, world: World, holders: tuple[ast.AST, ...]
    ) -> Iterator[tuple[Made | Instance, World, tuple[ast.AST, ...]]]:
        if len(holders) > _FAR or not isinstance(value, Made | Instance) or value.arguments is None:
            return
        if isinstance(value, Made):
            if value.name == SAMPLER:
                yield value, world, holders
            if value.name != BATCHES:
                return
            parts, _ = given_for(self._evaluator, value.arguments, "sampler", BATCHES_TAKE, world)
        elif SAMPLER in self._classes.libraries(value.cls):
            if self._shuffles_by_epoch(value.cls):
                yield value, world, holders
            return
        elif self._shuffles_as_told(value.cls):
            yield value, world, holders
            return
        elif self._keeps_what_it_is_given(value.cls):
            parts = [
                each for given in value.arguments.all() for each in self._evaluator.value_of(given, world)
            ]
        else:
            return
        around = (*holders, value.node) if value.node is not None else holders
        for part, w in parts:
            yield from self._inside(part, w, around)

    def _shuffles_by_epoch(self, cls: Class) -> bool:
        """Whether a class derived from the distributed sampler leaves it to others to count the epochs."""
        if self._tells_itself(cls) or (self._classes.member(cls, TELLS) and "epoch" not in self._told(cls)):
            return False
        if not self._classes.member(cls, "__iter__"):
            return True
        counts = [
            (node, function)
            for function, nodes in self._methods(cls)
            for node in nodes
            if isinstance(node, ast.Attribute)
            and node.attr == "epoch"
            and function not in ("__init__", TELLS)
        ]
        reads = any(function == "__iter__" and isinstance(node.ctx, ast.Load) for node, function in counts)
        writes = any(isinstance(node.ctx, ast.Store) for node, _ in counts)
        return reads and not writes and not self._draws(cls, of_states=True)

    def _tells_itself(self, cls: Class) -> bool:
        """Whether another method of a class calls its ``set_epoch``."""
        return any(
            isinstance(node, ast.Attribute) and node.attr == TELLS
            for name, nodes in self._called_methods(cls)
            for node in nodes
            if name != TELLS
        )

    def _told(self, cls: Class) -> set[str]:
        """The attributes that a class's own ``set_epoch`` stores, or has the distributed sampler store."""
        told: set[str] = set()
        for name, nodes in self._called_methods(cls):
            for node in nodes if name == TELLS else ():
                match node:
                    case ast.Attribute(attr=stored, ctx=ast.Store()):
                        told.add(stored)
                    case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=called):
                        told |= {"epoch"} if called == TELLS else set()
        return told

    def _shuffles_as_told(self, cls: Class) -> bool:
        """Whether a sampler of the project's own is seeded by a number that it is told by ``set_epoch``, and
        that nothing else changes: it does what torch's distributed sampler does."""
        if not self._classes.member(cls, TELLS) or not self._classes.member(cls, "__iter__"):
            return False
        if self._tells_itself(cls):
            return False
        told = self._told(cls)
        others = [nodes for name, nodes in self._called_methods(cls) if name not in ("__init__", TELLS)]
        if any(
            isinstance(node, ast.Attribute) and node.attr in told and isinstance(node.ctx, ast.Store)
            for nodes in others
            for node in nodes
        ):
            return False
        return any(_is_seeded_by(nodes, told) for nodes in others) and not any(
            self._draw(nodes, of_states=True) and not _is_seeded_by(nodes, told, of_states=True)
            for nodes in others
        )

    def _keeps_what_it_is_given(self, cls: Class) -> bool:
        """Whether a class that holds a sampler adds nothing that differs from epoch to epoch."""
        if self._classes.member(cls, TELLS) or self._draws(cls, of_states=False):
            return False
        goes_through = self._classes.member(cls, "__iter__") or BATCHES in self._classes.libraries(cls)
        named = (getattr(node, "attr", "") for _, nodes in self._methods(cls) for node in nodes)
        return bool(goes_through) and not any("epoch" in name for name in named)

    def _draws(self, cls: Class, *, of_states: bool) -> bool:
        """Whether methods of a class draw random numbers without a generator; ``of_states``: from the
        states of Python and NumPy."""
        return any(self._draw(nodes, of_states=of_states) for _, nodes in self._methods(cls))

    def _draw(self, nodes: tuple[ast.AST, ...], *, of_states: bool) -> bool:
        for node in nodes:
            if isinstance(node, ast.Call) and not any(word.arg == "generator" for word in node.keywords):
                base, _, last = (dotted(node.func) or "").rpartition(".")
                if last in DRAWS and (not of_states or base.partition(".")[0] in _STATES):
                    return True
        return False

    def _methods(self, cls: Class) -> Iterator[tuple[str, tuple[ast.AST, ...]]]:
        """The methods of a class and of those above it: their names and nodes."""
        for each in self._classes.line(cls):
            for statement in each.node.body:
                if isinstance(statement, ast.FunctionDef):
                    yield statement.name, tuple(walk(statement))

    def _called_methods(self, cls: Class) -> Iterator[tuple[str, tuple[ast.AST, ...]]]:
        """The same without those of a class above that nobody calls, as another stands for them."""
        own: set[str] = set()
        for name, nodes in self._methods(cls):
            if name in own:
                continue
            if not any(isinstance(node, ast.Call) and dotted(node.func) == "super" for node in nodes):
                own.add(name)
            yield name, nodes

    def starts_alike(self, value: Value | None, far: int = 0) -> bool:
        """Whether a batch sampler, or a sampler in it, surely begins with the same each time that it is gone
        through: none, torch's for an ordered one, and a class that neither draws nor keeps where it was."""
        if value is None or is_none(value):
            return True
        if isinstance(value, Made) and value.name == BATCHES:
            held = self.in_batches(value)
            return bool(held) and far < _FAR and all(self.starts_alike(each, far + 1) for each in held)
        if isinstance(value, Made):
            return value.name == IN_ORDER
        if not isinstance(value, Instance) or value.arguments is None or far == _FAR:
            return isinstance(value, Items | Table)
        given = [part for each in value.arguments.all() for part, _ in self._evaluator.value_of(each, HERE)]
        return self._is_settled(value.cls) and all(
            self.starts_alike(part, far + 1) or not _may_be_sampler(part) for part in given
        )

    def _is_settled(self, cls: Class) -> bool:
        """Whether methods of a class draw nothing, change nothing of the object, make no other sampler."""
        for name, nodes in self._called_methods(cls):
            if self._draw(nodes, of_states=False):
                return False
            for node in nodes:
                match node:
                    case ast.Attribute(ctx=ast.Store()) if name != "__init__":
                        return False
                    case ast.Call(func=ast.Name(id=made) | ast.Attribute(attr=made)):
                        if made.endswith("Sampler") and made != IN_ORDER.rpartition(".")[2]:
                            return False
        return True


def _is_seeded_by(nodes: tuple[ast.AST, ...], told: set[str], *, of_states: bool = False) -> bool:
    """Whether a method seeds what it draws from by one of the attributes of its object; ``of_states``: the
    states of Python and NumPy."""
    seeding = (
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and (dotted(node.func) in _SEED_STATES if of_states else bare_name(node.func) in SEEDED_BY)
    )
    return any(
        isinstance(each, ast.Attribute) and each.attr in told
        for call in seeding
        for given in call.args
        for each in walk(given)
    )


def _may_be_sampler(value: Value) -> bool:
    """Whether something that a sampler is given may be another one, and not what it takes items from."""
    if isinstance(value, Made):
        return value.name.endswith("Sampler")
    return isinstance(value, Instance) and "ampler" in value.cls.name


def _place(sampler: Made | Instance, loader: Loader) -> Point:
    """Where a sampler is made: where its arguments stand."""
    if isinstance(sampler, Made):
        return sampler.point
    points = (argument.point for argument in sampler.arguments.all()) if sampler.arguments else ()
    return next((point for point in points if point is not None), loader.point)
