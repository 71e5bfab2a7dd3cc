"""Attributes that an object gets by names that its class does not show.

``setattr(self, name, value)`` for every keyword that its constructor was given, and
``self.__dict__.update(settings)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, functions_in, self_name, statements_in
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.places import places_around
from dlint.values.values import Class, Const, External, Instance, Key, Made, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.source.module import Module

# setattr(self, name, value), self.__dict__.update(values), vars(self)[name] = value
_SETS_BY_NAME = regex(
    r"\bsetattr\(self,(?!\s*f?['\"])"
    r"|(?:\bself\.__dict__|\bvars\(self\))(?:\.update\(|\s*\|?=(?!=)|\[[^\]]{0,500}\]\s*=(?!=))"
)
# setattr(self, f"{split}_set", value), setattr(self, "step_" + name, value)
_BEGUN_WITH_TEXT = regex(r"\bsetattr\(self,\s*f?['\"]")
# One of these stands where that matches: texts are found much sooner than a pattern.
_SIGNS = ("setattr(self,", "self.__dict__", "vars(self)")


class Given(NamedTuple):
    """What an attribute is set to by its name; whether it is ``sure`` to be, and that is the ``whole``.
    ``handed_on``: all options of a command line are."""

    outcomes: list[Outcome]
    sure: bool
    whole: bool
    handed_on: bool = False


class SetByName:
    """Questions about attributes whose names a class takes from elsewhere."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._classes: dict[Key, frozenset[str]] = {}
        self._modules: dict[str, bool] = {}
        self._methods: dict[int, list[FunctionNode]] = {}

    def sets(self, cls: Class) -> frozenset[str]:
        """The methods of a class that set attributes of its objects by such names: settings, which start with
        what is written and are then what somebody asked for."""
        known = self._classes.get(cls.key)
        if known is None:
            known = self._classes[cls.key] = frozenset(
                function.name
                for above in self._evaluator.classes.line(cls)
                if self._may_set(above.module)
                for function in functions_in(above.node.body)
                if function.name != "__setstate__" and _sets_by_name(above.module.text_of(function))
            )
        return known

    def _may_set(self, module: Module) -> bool:
        """Whether anything in a module sets attributes so: of most no function need be looked through."""
        known = self._modules.get(module.relative)
        if known is None:
            known = self._modules[module.relative] = _sets_by_name(module.text)
        return known

    def given(self, instance: Instance, name: str, world: World) -> Given:
        """What the constructor of an object sets an attribute to."""
        if instance.arguments is None:
            return Given([], False, False)
        sure, whole = False, self.sets(instance.cls) <= {"__init__"}
        found: list[Outcome] = []
        for _, frame in self._evaluator.initialisers.of(instance):
            for each in self._stores(frame, name, world):
                if each.handed_on and self._evaluator.attributes.stored.storing(instance, name):
                    return Given([], False, False)  # before that, or after
                found += each.outcomes
                sure, whole = sure or each.sure, whole and each.whole
        return Given(found, sure, whole)

    def by_pattern(self, instance: Instance, name: str, world: World) -> list[Outcome]:
        """What methods of an object set an attribute to by a name that they put together: ``setattr(self,
        f"{split}_set", rows)``, also where only the text around tells that it may be this one."""
        found: list[Outcome] = []
        for above in self._evaluator.classes.line(instance.cls):
            for function in self._putting_together(above):
                outer = Frame(above.module, above.node, above.frame)
                frame = Frame(above.module, function, outer, receiver=instance, owner=above)
                if function.name == "__init__":
                    begun = (each for _, each in self._evaluator.initialisers.of(instance))
                    frame = next((each for each in begun if each.scope is function), frame)
                for point, key, value in set_by_text(frame):
                    if not _agrees(key, name):
                        continue
                    given = self._under(key, value, name, point, world).outcomes
                    if not given and may_be_text(key, name):
                        given = self._evaluator.values(value, point, world)
                        given.append((Unknown(("set by pattern", instance.key, name)), world))
                    found += given
        return told_apart(found, ("set by pattern", instance.key, name)) if found else []

    def _putting_together(self, cls: Class) -> list[FunctionNode]:
        """The methods of a class, not of those above it, that put such a name together."""
        known = self._methods.get(id(cls.node))
        if known is None:
            text = cls.module.text
            known = []
            if "setattr(self," in text and _BEGUN_WITH_TEXT.search(text):
                known = [
                    function
                    for function in functions_in(cls.node.body)
                    if _BEGUN_WITH_TEXT.search(cls.module.text_of(function))
                ]
            self._methods[id(cls.node)] = known
        return known

    def _stores(self, frame: Frame, name: str, world: World) -> Iterator[Given]:
        """The same of each statement of a constructor that sets attributes by names."""
        scope = frame.scope
        if isinstance(scope, ast.Lambda | ast.Module | ast.ClassDef):
            return
        own = self_name(scope)
        for statement in statements_in(scope.body):
            if not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign):
                continue
            point = Point(frame, statement)
            call = statement.value
            if isinstance(statement, ast.Expr) and isinstance(call, ast.Call):
                match call.func, call.args:
                    case ast.Name(id="setattr"), [ast.Name(id=receiver), key, value] if receiver == own:
                        each = self._each_of(key, value, name, point, world)
                        yield each or self._under(key, value, name, point, world)
                        continue
                    case ast.Attribute(value=held, attr="update"), _ if _is_dict_of(held, own):
                        yield self._among(call, name, point, world)
                        continue
            if any(_is_dict_of(node, own) for node in walk(statement)):
                yield Given([], False, False)

    def _under(self, key: ast.expr, value: ast.expr, name: str, point: Point, world: World) -> Given:
        """``setattr(self, key, value)``, where the key is the name. In a loop, the round in which it is."""
        found: list[Outcome] = []
        whole = True
        for start in self._evaluator.flow.reaching(point, world):
            for asked, w in self._evaluator.values(key, point, start):
                whole = whole and isinstance(asked, Const)
                if isinstance(asked, Const) and asked.value == name:
                    # Another attribute is set in another round: which it was says nothing of that.
                    found += [
                        (given, v.as_before(start, w)) for given, v in self._evaluator.values(value, point, w)
                    ]
        conditional = any(isinstance(place.owner, ast.If | ast.Try) for place in places_around(point))
        return Given(found, bool(found) and not conditional, whole)

    def _among(self, call: ast.Call, name: str, point: Point, world: World) -> Given:
        """``self.__dict__.update(values)``."""
        found: list[Outcome] = []
        sure = whole = True
        handed_on = False
        for start in self._evaluator.flow.reaching(point, world):
            arguments = arguments_of(call, point)
            asked = [each for given in arguments.all() for each in self._asked_for(given, name, start)]
            if asked:
                found += asked
                handed_on = True
                continue
            for table, w in self._evaluator.containers.table(arguments, start):
                if name in table.items:
                    found.append((table.items[name], w))
                elif not table.open:
                    sure = False
                else:
                    entries = self._entry(arguments, name, w)
                    given = [each for each in entries if each[0] is not ABSENT]
                    found += given
                    sure = sure and bool(given) and len(given) == len(entries)
                    whole = whole and bool(entries)
        conditional = any(isinstance(place.owner, ast.If | ast.Try) for place in places_around(point))
        return Given(found, sure and bool(found) and not conditional, whole, handed_on)

    def _entry(self, arguments: Arguments, name: str, world: World) -> list[Outcome]:
        """What is under a key of the one dict that some arguments are, of which not all is known; nothing
        where that is not known either."""
        whole = arguments.all()
        if len(whole) != 1 or arguments.spread or arguments.keywords:
            return []
        found = self._evaluator.entries.of_argument(whole[0], name, world)
        return [] if any(isinstance(value, Unknown) for value, _ in found) else found

    def _asked_for(self, given: Argument, name: str, world: World) -> list[Outcome]:
        """What a command line gives an option whose default is known, where all options are handed on:
        ``vars(args)``."""
        found: list[Outcome] = []
        for value, w in self._evaluator.value_of(given, world):
            if not isinstance(value, Made | External):
                return []
            found += self._evaluator.entries.picked(value, name, w)
        return found if any(isinstance(value, Const) for value, _ in found) else []

    def _each_of(self, key: ast.expr, value: ast.expr, name: str, point: Point, world: World) -> Given | None:
        """``for key, value in vars(args).items(): setattr(self, key, value)``."""
        places = [place for place in places_around(point) if place.owner is not None]
        loop = places[0].owner if len(places) == 1 else None
        match loop, key, value:
            case (
                ast.For(
                    target=ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)]),
                    iter=ast.Call(func=ast.Attribute(value=held, attr="items"), args=[]),
                ),
                ast.Name(id=asked),
                ast.Name(id=given),
            ) if (first, second) == (asked, given):
                found = [
                    outcome
                    for start in self._evaluator.flow.reaching(Point(point.frame, loop), world)
                    for outcome in self._asked_for(Argument(held, Point(point.frame, loop)), name, start)
                ]
                return Given(found, True, True, True) if found else None
        return None


def set_by_text(frame: Frame) -> Iterator[tuple[Point, ast.expr, ast.expr]]:
    """The names that a method puts together, and what it sets its object's attributes of these names to."""
    scope = frame.scope
    if not isinstance(scope, FunctionNode):
        return
    own = self_name(scope)
    for statement in frame.layout.statements:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=receiver), key, value])
            ) if receiver == own and isinstance(key, ast.JoinedStr | ast.BinOp | ast.Call):
                yield Point(frame, statement), key, value


def may_be_text(node: ast.expr, text: str) -> bool:
    """Whether a text that is written with parts which are not known may be this one, by those that are."""
    if not isinstance(node, ast.JoinedStr):
        return False
    parts = _parts(node)
    written = "".join(re.escape(part) if part is not None else ".+" for part in parts)
    return any(part for part in parts) and re.fullmatch(written, text) is not None


def _agrees(node: ast.expr, text: str) -> bool:
    """Whether a text may be put together to this one, by how it begins and ends."""
    if not isinstance(node, ast.JoinedStr) or not node.values:
        return True
    first, *_, last = [None, *_parts(node)] if len(node.values) == 1 else _parts(node)
    return text.startswith(first or "") and text.endswith(last or "")


def _parts(node: ast.JoinedStr) -> list[str | None]:
    """The parts of a text, None for those that are not written out."""
    return [str(each.value) if isinstance(each, ast.Constant) else None for each in node.values]


def _sets_by_name(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) and _SETS_BY_NAME.search(text) is not None


def _is_dict_of(node: ast.AST, own: str) -> bool:
    """Whether an expression is the dict of an object's attributes."""
    match node:
        case ast.Attribute(value=ast.Name(id=receiver), attr="__dict__"):
            return receiver == own
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=receiver)]):
            return receiver == own
    return False
