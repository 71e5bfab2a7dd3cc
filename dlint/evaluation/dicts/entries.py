"""One entry of a dict, asked for by its key.

Statements that only store other keys are passed over, so a dict of options that is filled along many branches
is not told apart in all its states where one entry is wanted.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation.dicts.own_dicts import ABSENT, OwnDicts
from dlint.knowledge.commands import CLICK_REST, FILLED, PARSED
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.knowledge.trainers import HPARAMS
from dlint.source.layout import Layout
from dlint.source.statements import (
    FunctionNode,
    blocks,
    changed_names,
    dotted,
    own_names,
    parameters,
    steps,
    taken,
)
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    External,
    Function,
    Instance,
    Made,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_PARSED_DICT = f"{PARSED}().__dict__"
# Methods that leave every other entry than the one they are given as it is.
_OF_ONE_KEY = frozenset({"pop", "setdefault"})


class Entries:
    """What dicts hold under one key."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._concerned: dict[tuple[int, str, str], bool] = {}
        self.own = OwnDicts(evaluator)

    def of(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome]:
        """What ``node[key]`` is, ``ABSENT`` where there is no such entry."""
        if isinstance(node, ast.Name) and self.is_filled(node.id, point):
            mark = ("entry", id(node), key, point.frame.key)
            return self._evaluator.answer(mark, world, lambda w: self._stored(node.id, key, point, w))
        return self.handed_on(node, key, point, world) or self._made(node, key, point, world)

    def handed_on(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome] | None:
        """What ``node[key]`` is where callers fill the dict that the scope has; None where none does."""
        if not isinstance(node, ast.Name) or not self.is_handed_on(node.id, point):
            return None
        rest = self._evaluator.parameters.rest(node.id, key, point.frame)
        if rest is not None:
            return self._of_rest(rest, key, world)
        return self._evaluator.parameters.entry(node.id, key, point.frame, world)

    def _of_rest(self, given: Arguments, key: str, world: World) -> list[Outcome]:
        """What a function's own ``**kwargs`` have under a key, of what a call gives by name."""
        if key in given.keywords:
            return self._evaluator.value_of(given.keywords[key], world)
        found: list[Outcome] = []
        worlds = [world]
        for argument in given.splats:
            entries = [outcome for w in worlds for outcome in self.of_argument(argument, key, w)]
            found += [outcome for outcome in entries if outcome[0] is not ABSENT]
            worlds = [w for value, w in entries if value is ABSENT]
        return found + [(ABSENT, w) for w in worlds]

    def is_filled(self, name: str, point: Point) -> bool:
        """Whether a scope changes what a name of it holds, so that its statements must be looked at."""
        return name in point.frame.layout.changes and name not in point.locals and point.statement is not None

    def is_handed_on(self, name: str, point: Point) -> bool:
        """Whether a name is a parameter that the scope leaves as its caller gave it."""
        scope, layout = point.frame.scope, point.frame.layout
        if name in layout.binds or name in layout.changes or name in point.locals:
            return False
        return isinstance(scope, FunctionNode) and any(each.arg == name for each in parameters(scope))

    def of_argument(self, argument: Argument, key: str, world: World) -> list[Outcome]:
        """The same of the dict that an argument is."""
        if argument.expression is None or argument.point is None or argument.element:
            return [
                outcome
                for table, w in self._evaluator.value_of(argument, world)
                for outcome in self.picked(table, key, w)
            ]
        return self.kept(argument, key, world) or self.of(argument.expression, key, argument.point, world)

    def kept(self, argument: Argument, key: str, world: World) -> list[Outcome]:
        """What methods of an object have put under a key of a dict that it keeps, and one of them hands on
        (``**self.options``); nothing where none has, or the one that hands it on."""
        node, point = argument.expression, argument.point
        if point is None or not isinstance(node, ast.Attribute) or dotted(node) in point.frame.layout.binds:
            return []
        found: list[Outcome] = []
        for owner, w in self._evaluator.values(node.value, point, world):
            if not isinstance(owner, Instance):
                return []
            put = self._evaluator.attributes.later.by_calls.under(owner, node.attr, key, w)
            if put is None:
                return []
            for value, v in put:
                begun = self.of(node, key, point, v) if value is ABSENT else []
                known = [outcome for outcome in begun if not isinstance(outcome[0], Unknown)]
                found += known or [(value, v)]
        return found

    def _stored(self, name: str, key: str, point: Point, world: World) -> list[Outcome]:
        """The entry of a dict that the scope fills."""
        found: list[Outcome] = []
        layout = point.frame.layout
        for statement, w in self._evaluator.flow.definitions(
            name, point, world, passing=lambda each: not self._concerns(each, name, key, layout)
        ):
            if statement is not None:
                found += self._given(statement, name, key, Point(point.frame, statement), w)
            else:
                found += self._begun(name, key, point.frame, w)
        return found

    def _begun(self, name: str, key: str, frame: Frame, world: World) -> list[Outcome]:
        """The entry of a dict that the scope has not changed yet."""
        given = self._evaluator.parameters.entry(name, key, frame, world)
        if given is not None:
            return given
        return [
            outcome
            for table, w in self._evaluator.names.from_start(name, frame, world)
            for outcome in self.picked(table, key, w)
        ]

    def _given(self, statement: ast.stmt, path: str, key: str, before: Point, world: World) -> list[Outcome]:
        """The entry after a statement that may have stored it."""
        match statement:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=at)) as target], value=value) if (
                at == key and dotted(target.value) == path and not taken(statement)
            ):
                return _as_stored(self._evaluator.values(value, before, world))
            case ast.Assign(targets=[target], value=value) if dotted(target) == path:
                return self._made(value, key, before, world)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="update", value=target), args=[], keywords=keywords)
            ) if dotted(target) == path and all(each.arg for each in keywords):
                for given in keywords:
                    if given.arg == key:
                        return self._evaluator.values(given.value, before, world)
        return [
            outcome
            for table, w in self._evaluator.names.defined(statement, path, before.frame, world)
            for outcome in self.picked(table, key, w)
        ]

    def _made(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome]:
        """The entry of a dict that an expression makes: of one that is written out, that alone is asked."""
        match node:
            case ast.Dict(keys=keys, values=values) if all(
                isinstance(each, ast.Constant | None) for each in keys
            ):
                parts = [
                    (value, name is None)
                    for name, value in zip(keys, values, strict=True)
                    if name is None or getattr(name, "value", None) == key
                ]
                return self._last(parts, key, point, world)
            case ast.Call(func=ast.Name(id="dict"), args=args) if self._is_builtin(node.func, point):
                if not any(isinstance(each, ast.Starred) for each in args):
                    parts = [(each, True) for each in args]
                    parts += [
                        (each.value, each.arg is None)
                        for each in node.keywords
                        if each.arg is None or each.arg == key
                    ]
                    return self._last(parts, key, point, world)
            case (
                ast.Attribute(value=held, attr="__dict__")
                | ast.Call(func=ast.Name(id="vars"), args=[held], keywords=[])
            ):
                return self._attributes(held, key, point, world) or self._whole(node, key, point, world)
        return self._whole(node, key, point, world)

    def _attributes(self, held: ast.expr, key: str, point: Point, world: World) -> list[Outcome]:
        """The same of the dict of an object's attributes: ``self.__dict__``, ``vars(self)``. Nothing where it
        is one of something else."""
        found: list[Outcome] = []
        for value, w in self._evaluator.values(held, point, world):
            if not isinstance(value, Instance):
                return []
            if self._evaluator.attributes.may_be_stored(value, key, w):
                found += self._evaluator.attribute(value, key, held, point, w)
            else:
                found.append((ABSENT, w))
        return found

    def _last(
        self, parts: list[tuple[ast.expr, bool]], key: str, point: Point, world: World
    ) -> list[Outcome]:
        """The entry that the last of several parts gives: what is stored under the key, or (True) a dict."""
        found: list[Outcome] = []
        worlds = [world]
        for node, is_dict in reversed(parts):
            if not is_dict:
                return found + [outcome for w in worlds for outcome in self._evaluator.values(node, point, w)]
            following: list[World] = []
            for w in worlds:
                for value, v in self.of(node, key, point, w):
                    if value is ABSENT:
                        following.append(v)
                    else:
                        found.append((value, v))
            worlds = following
        return found + [(ABSENT, w) for w in worlds]

    def _whole(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome]:
        return [
            outcome
            for table, w in self._evaluator.values(node, point, world)
            for outcome in self._picked_at(node, point, table, key, w)
        ]

    def picked_of(self, argument: Argument, table: Value, key: str, world: World) -> list[Outcome]:
        """What a dict that is an argument holds under a key."""
        if argument.expression is None or argument.point is None or argument.element:
            return self.picked(table, key, world)
        return self._picked_at(argument.expression, argument.point, table, key, world)

    def _picked_at(self, node: ast.expr, point: Point, table: Value, key: str, world: World) -> list[Outcome]:
        """What a dict that an expression gives holds under a key: what is stored in its attributes is its
        entries where it is of a class that keeps them so."""
        if isinstance(table, Instance) and dotted(node) is not None and self.own.keeps_attributes(table.cls):
            stored = self._evaluator.values(self._evaluator.members.path(node, key), point, world)
            if stored and not any(isinstance(value, Unknown | Function | Partial) for value, _ in stored):
                return stored
        return self.picked(table, key, world)

    def lacks(self, table: Value, key: str) -> bool:
        """Whether a dict surely has nothing under a key."""
        return isinstance(table, Table) and not table.open and key not in table.items

    def picked(self, table: Value, key: str, world: World) -> list[Outcome]:
        """What a dict holds under a key."""
        if isinstance(table, Table) and key in table.items:
            return [(table.items[key], world)]
        if isinstance(table, Table) and not table.open:
            return [(ABSENT, world)]
        if isinstance(table, Instance) and self.own.keeps_attributes(table.cls):
            return self.own.of(table, key, world)
        if isinstance(table, Made) and table.name == CLICK_REST:
            declared = self._evaluator.options.of_rest(table, key, world)
            if declared:
                return declared
        if isinstance(table, Made) and table.name == FILLED:
            # Settings that OmegaConf makes of a record have its fields, and no others.
            names = self._evaluator.filled_fields.names(table, world)
            if key in names:
                return self._evaluator.attribute(table, key, table.node, table.point, world)
            if names:
                return [(ABSENT, world)]
        asked = self.options(table, world)
        if asked is not None:
            return self._evaluator.attribute(asked, key, asked.node, asked.point, world)
        if isinstance(table, Made) and (table.name in OPEN_SETTINGS or table.name == HPARAMS):
            kept = self._evaluator.held.under(table, key, world)
            if kept:
                return kept
        return [(Unknown(("entry", table.key, key)), world)]

    def options(self, table: Value, world: World) -> Made | None:
        """What a command line was parsed to, where a dict has all its options: ``vars(args)``."""
        if isinstance(table, External) and table.name == _PARSED_DICT:
            return table.owner if isinstance(table.owner, Made) else None
        if not isinstance(table, Made) or table.name != "builtins.vars" or not table.arguments.positional:
            return None
        given = self._evaluator.value_of(table.arguments.positional[0], world)
        parsed = [value for value, _ in given if isinstance(value, Made) and value.name == PARSED]
        return parsed[0] if len(parsed) == len(given) == 1 else None

    def _is_builtin(self, node: ast.expr, point: Point) -> bool:
        return any(
            isinstance(value, External) and value.name == "builtins.dict"
            for value, _ in self._evaluator.values(node, point)
        )

    def _concerns(self, statement: ast.stmt, path: str, key: str, layout: Layout) -> bool:
        """Whether a statement, with all that is inside it, may do anything to one entry of a dict."""
        mark = (id(statement), path, key)
        known = self._concerned.get(mark)
        if known is None:
            known = self._concerned[mark] = (
                path in own_names(statement)
                or path in layout.aliased.get(id(statement), ())
                or path in layout.handed.get(id(statement), ())
                or (path in changed_names(statement) and not _stores_others(statement, path, key))
                or any(
                    self._concerns(each, path, key, layout)
                    for _, block, _ in blocks(statement)
                    for each in block
                )
            )
        return known


def _first_key(node: ast.expr, path: str) -> list[ast.expr | None]:
    """The key of a dict under which what an expression means is found, at whatever depth."""
    root, keys = steps(node)
    return keys[:1] if dotted(root) == path else []


def _stores_others(statement: ast.stmt, path: str, key: str) -> bool:
    """Whether a statement that changes a dict surely leaves one entry as it is."""
    keys: list[ast.expr | None] = [at for of, at in taken(statement) if of == path]
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            keys += [at for target in targets for at in _first_key(target, path)]
        case ast.AugAssign(target=target):
            keys += _first_key(target, path)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript() | ast.Call() as target))):
            keys += _first_key(target, path)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method, value=target)) as call) if (
            dotted(target) == path
        ):
            if method == "update":
                keys += [ast.Constant(each.arg) if each.arg else None for each in call.keywords]
                for given in call.args:
                    keys += given.keys if isinstance(given, ast.Dict) else [None]
            else:
                keys += call.args[:1] if method in _OF_ONE_KEY else [None]
    return all(isinstance(each, ast.Constant) and each.value != key for each in keys)


def _as_stored(outcomes: list[Outcome]) -> list[Outcome]:
    """What a statement stores: be it unknown, it is that which is there."""
    return [(value.as_stored() if isinstance(value, Unknown) else value, world) for value, world in outcomes]
