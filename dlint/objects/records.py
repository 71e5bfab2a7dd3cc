"""Records: dataclasses and the like as dicts, and one made from another."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dlint.knowledge.commands import DECLARES_FIELD, FROM_ENVIRONMENT, READS_ENVIRONMENT
from dlint.knowledge.names import AS_TUPLES_DICT, CHANGES_SETTINGS, DUMPED, MODEL_COPIED, TUPLE_REPLACED
from dlint.knowledge.processes.pickling import NAMED_TUPLES
from dlint.regex import regex
from dlint.source.desugaring.records import is_record
from dlint.source.nodes import speaks_of, walk
from dlint.source.statements import parameters
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import OUTCOMES, Outcome
from dlint.values.values import Class, Const, External, Instance, Items, Made, Partial, Table, Unknown, Value
from dlint.values.worlds import OPTION, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator


# What the bases of records call their own ways of giving a dict.
_GIVE_DICTS = {"_asdict": AS_TUPLES_DICT, "dict": DUMPED, "model_dump": DUMPED}
# The same of another one.
_GIVE_OTHERS = {"_replace": TUPLE_REPLACED, "copy": MODEL_COPIED, "model_copy": MODEL_COPIED}
# What changes or adds fields, in the body of a pydantic model.
_CHANGES = regex(r"validator|serializer|computed_field")
_TAKES_OTHERS = "allow"
# Calls of functions that make a record of another, wherever they are imported from.
_REPLACING = ("replace", "evolve", "_replace", "model_copy")
_REPLACES = regex(
    rb"(?<![\w.])(?:(?:dataclasses|dc|attrs?|copy)\.)?(?:replace|evolve)\(|\.(?:_replace|model_copy)\("
)
_SETS_BY_KEY = regex(r"\[[\"'][\w.]+[\"']\]\s*=(?!=)|\bsetattr\(")
_INTERPOLATED = "${"


class Records:
    """Questions about records."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._replaces: bool | None = None

    def as_dict(
        self, record: Instance | Made, node: ast.AST, point: Point, world: World, *, whole: bool
    ) -> list[Outcome]:
        """A record as a dict of its fields, ``whole`` with the records in it; nothing for other objects."""
        if isinstance(record, Made):
            names = self._evaluator.filled_fields.names(record, world)
        else:
            names = self._fields(record)
        results: list[tuple[dict[Any, Value], World]] = [({}, world)]
        for name in names:
            results = [
                ({**items, name: held}, v)
                for items, w in results
                for value, u in self._evaluator.attribute(record, name, node, point, w)
                for held, v in self._inner(value, node, point, u, whole)
            ][:OUTCOMES]
        return [(Table(items), w) for items, w in results] if names else []

    def _inner(self, value: Value, node: ast.AST, point: Point, world: World, whole: bool) -> list[Outcome]:
        if whole and isinstance(value, Instance | Made):
            return self.as_dict(value, node, point, world, whole=True) or [(value, world)]
        return [(value, world)]

    def as_tuple(self, record: Value, world: World) -> Items | None:
        """A named tuple as what it is; None for other values, and where a field may be one of several."""
        if not isinstance(record, Instance) or not self.is_tuple(record.cls):
            return None
        point = Point(record.cls.frame, record.cls.node)
        fields: list[Value] = []
        for name in self._fields(record):
            held = self._evaluator.attribute(record, name, record.cls.node, point, world)
            if len(held) != 1:
                return None
            fields.append(held[0][0])
        return Items("tuple", tuple(fields)) if fields else None

    def is_tuple(self, cls: Class) -> bool:
        """Whether objects of a class are named tuples."""
        return is_record(cls.node) and not NAMED_TUPLES.isdisjoint(self._evaluator.classes.libraries(cls))

    def replaced(
        self,
        value: Value,
        given: Mapping[str, Argument],
        node: ast.AST,
        point: Point,
        *,
        others: bool = False,
    ) -> Instance | None:
        """A record that is made of what another was made of, and of what is given instead; None where that is
        not known. ``others``: of what is not given, nothing is known any more."""
        before = value.arguments if isinstance(value, Instance) else None
        if not isinstance(value, Instance) or before is None or before.splats or before.spread:
            return None
        placed = dict(zip(self._fields(value), before.positional, strict=False))
        if len(placed) < len(before.positional):
            return None
        kept = {**placed, **before.keywords}
        if others:
            mark = ("replaced", id(node), point.key)
            kept = {name: Argument(None, None, Unknown((*mark, name))) for name in self._fields(value)}
        arguments = Arguments(keywords={**kept, **given})
        return Instance(value.cls, arguments, node, (point.key, value.key, others))

    def are_replaced(self, cls: Class) -> bool:
        """Whether the program may make objects of a class, a record, of others of its objects."""
        if not is_record(cls.node):
            return False
        if self._replaces is None:
            index = self._evaluator.modules.index
            files = {each for word in _REPLACING for each in index.calling(word, "", method=True)}
            self._replaces = any(_REPLACES.search(index.data(each)) for each in sorted(files))
        return self._replaces

    def structured(self, value: Value, node: ast.AST, point: Point) -> Instance | None:
        """The settings that OmegaConf makes of a record's class, or of a record: they hold its defaults. None
        where code may change them by names, or a text in them may stand for another field's value."""
        cls = value.cls if isinstance(value, Instance) else value
        index = self._evaluator.modules.index
        if not isinstance(cls, Class) or not is_record(cls.node) or _INTERPOLATED in cls.module.text:
            return None
        if any(index.mentioning(word) for word in CHANGES_SETTINGS) or any(
            module.says(_SETS_BY_KEY) for module in (cls.module, point.frame.module)
        ):
            return None
        arguments = value.arguments if isinstance(value, Instance) else Arguments()
        return Instance(cls, arguments, node, point.key) if arguments is not None else None

    def inherited(self, record: Instance, name: str) -> Value | None:
        """The method of a library's base that gives a record as a dict, or another record:
        ``settings.model_dump``, ``settings.model_copy``."""
        function = _GIVE_DICTS.get(name) or _GIVE_OTHERS.get(name)
        fields = self._fields(record) if function is not None else []
        if function is None or not fields or _is_changed(record.cls.node):
            return None
        base = function.rpartition(".")[0]
        known = NAMED_TUPLES if base in NAMED_TUPLES else {base}
        if known.isdisjoint(self._evaluator.classes.libraries(record.cls)):
            return None
        if function == MODEL_COPIED and any(map(self._evaluator.modules.index.stored_elsewhere, fields)):
            return None  # a copy has what was stored in the other one
        return Partial(External(function), Arguments([Argument(None, None, record)]))

    def defaults(self, settings: Instance, members: list[Outcome]) -> list[Outcome]:
        """What the class of settings that are variables of the system says of a field, with what it declares
        by a call as the default that this tells: ``workers: int = Field(default=0, ge=0)``."""
        if not any(isinstance(value, Made) and value.name in DECLARES_FIELD for value, _ in members):
            return members
        if READS_ENVIRONMENT.isdisjoint(self._evaluator.classes.libraries(settings.cls)):
            return members
        found: list[Outcome] = []
        for value, world in members:
            told = None
            if isinstance(value, Made) and value.name in DECLARES_FIELD:
                given = value.arguments
                told = given.keywords.get("default", given.positional[0] if given.positional else None)
            held = self._evaluator.value_of(told, world) if told is not None else []
            found += [
                (default, w) if isinstance(default, Const) and default.value is not ... else (value, w)
                for default, w in held
            ] or [(value, world)]
        return found

    def with_environment(self, settings: Instance, name: str, defaults: list[Outcome]) -> list[Outcome]:
        """What an object holds whose fields are variables of the system, where there are such: what its class
        says, unless somebody asks for something else. What other objects hold is no other."""
        if not self._evaluator.modules.index.mentioning("BaseSettings"):
            return defaults
        if READS_ENVIRONMENT.isdisjoint(self._evaluator.classes.libraries(settings.cls)):
            return defaults
        fields = (Const, Instance, Items, Table)
        if name.startswith("_") or not any(isinstance(value, fields) for value, _ in defaults):
            return defaults
        otherwise = External(f"{FROM_ENVIRONMENT}().{name}")
        made = settings.arguments
        if made is None or made.positional or made.splats or made.spread:
            return [(otherwise, world) for _, world in defaults[:1]]
        if name in made.keywords:  # which comes before the variables
            world = defaults[0][1]
            return self._evaluator.value_of(made.keywords[name], world)
        choice = (OPTION, settings.cls.key, name)
        return [
            (value if not asked else otherwise, world.assuming(choice, asked))
            for value, world in defaults
            for asked in (False, True)
            if world.known(choice) in (None, asked)
        ]

    def _fields(self, record: Instance) -> list[str]:
        """The names of a record's fields, as its ``__init__`` has them."""
        if is_record(record.cls.node):
            for method in self._evaluator.classes.methods(record, "__init__"):
                return [parameter.arg for parameter in parameters(method.node)[1:]]
        return []


def _is_changed(node: ast.ClassDef) -> bool:
    """Whether what a pydantic model gives may be something else than the fields that its body shows."""
    return speaks_of(_CHANGES, node) or any(
        _TAKES_OTHERS in (getattr(each, "value", None), getattr(each, "attr", None)) for each in walk(node)
    )
