"""Objects of dataclasses that a command line fills: ``tyro.cli(Config)``.

A field is what its class says, or whatever the user asks for instead. One that is itself annotated with a
dataclass is filled in the same way; where its default is an object that was made otherwise than by its class
alone, its defaults are not known.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.commands import (
    CHANGES_PARSER,
    DECLARES_CLASS,
    FILLS_FIELDS,
    JSONARGPARSE,
    ONLY_TELL,
    PARSED_BY_CLASS,
)
from dlint.source.desugaring.records import AFTER_INIT, is_record
from dlint.source.statements import (
    FunctionNode,
    assigned_in,
    dotted,
    own_names,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.methods import is_property
from dlint.values.values import Class, External, Function, Made, Unknown
from dlint.values.worlds import OPTION, World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.values.outcomes import Outcome

_OTHER_DEFAULTS = "default"


class _Field(NamedTuple):
    """``default`` is what the class's body says, ``made`` the call of a factory where there is one."""

    annotation: ast.expr | None
    default: ast.expr | None
    made: ast.Call | None


class FilledFields:
    """Questions about objects that a command line fills."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def cls(self, filled: Made, world: World) -> Class | External | None:
        """The class of which a command line fills one object."""
        words = FILLS_FIELDS.get(filled.name)
        given = filled.arguments
        if words is None or given.spread or given.splats:
            return None
        classes = [*given.positional, *(given.keywords[word] for word in words if word in given.keywords)]
        if len(classes) != 1:
            return None
        found = [value for value, _ in self._evaluator.value_of(classes[0], world)]
        return found[0] if len(found) == 1 and isinstance(found[0], Class | External) else None

    def nested(self, made: Made, name: str, world: World) -> list[Outcome]:
        """The object that a parser of jsonargparse fills under a name, which the function around declares by
        its class: ``parser.add_class_arguments(Data, "data")``."""
        module, scope = made.point.frame.module, made.point.frame.scope
        if not self._is_of_command_line(made, world) or any(word in module.text for word in CHANGES_PARSER):
            return []
        found: list[ast.Call] = []
        for trail in (trail for word in DECLARES_CLASS for trail in module.paths_to(word, called=True)):
            around = [each for each in trail if isinstance(each, FunctionNode | ast.Lambda)]
            call = trail[-2] if len(trail) > 1 else None
            if isinstance(call, ast.Call) and (around[-1] if around else module.tree) is scope:
                found.append(call)
        declared = [call.args[0] for call in found if _is_under(call, name, made.node)]
        if len(declared) != 1:
            return []
        given = Arguments([Argument(declared[0], made.point)])
        return [(Made(JSONARGPARSE, declared[0], given, made.point), world)]

    def _is_of_command_line(self, made: Made, world: World) -> bool:
        """Whether something is what a parser of jsonargparse reads off the command line, or the objects that
        it makes of that."""
        given = made.arguments.all()
        if made.name == PARSED_BY_CLASS:
            return not given
        values = [value for each in given for value, _ in self._evaluator.value_of(each, world)]
        return bool(values) and all(
            isinstance(value, Made) and value.name == PARSED_BY_CLASS and not value.arguments.all()
            for value in values
        )

    def has_own_defaults(self, filled: Made) -> bool:
        """Whether nothing but the class says what its fields are if the user asks for nothing."""
        return not set(filled.arguments.keywords) - ONLY_TELL - set(FILLS_FIELDS[filled.name])

    def names(self, filled: Made, world: World) -> list[str]:
        """The names of all fields, where they are known."""
        cls = self.cls(filled, world)
        made = _init(cls.node) if isinstance(cls, Class) else None
        return [each.arg for each in parameters(made)[1:]] if made is not None and not made.args.kwarg else []

    def value(self, filled: Made, name: str, otherwise: External, world: World) -> list[Outcome]:
        """What a field may be whose default is no plain constant, or what a method or a property is; empty
        where nothing is known of that."""
        cls = self.cls(filled, world)
        if not isinstance(cls, Class):
            return []
        field = _field(cls.node, name)
        if field is None:
            return self._method(filled, cls, name, world)
        if self.is_set(cls.node, name):
            return []
        at = Point(cls.frame, cls.node)
        inner = self._record(field.annotation, at, world)
        if inner is not None:
            plain = self.has_own_defaults(filled) and self._makes(inner, field, at, world)
            defaults = {} if plain else {_OTHER_DEFAULTS: _known(Unknown(("default", filled.key, name)))}
            given = Arguments([_known(inner)], defaults)
            return [
                (Made(filled.name, filled.node, given, filled.point, ("filled", filled.key, name)), world)
            ]
        if field.made is None or not self.has_own_defaults(filled):
            return []
        choice = (OPTION, filled.key, name)
        found: list[Outcome] = []
        if world.known(choice) in (None, False):
            found += self._evaluator.values(field.made, at, world.assuming(choice, False))
        if world.known(choice) in (None, True):
            found.append((otherwise, world.assuming(choice, True)))
        return found

    def _method(self, filled: Made, cls: Class, name: str, world: World) -> list[Outcome]:
        """The method of a class, of the object that the command line fills, or what its property gives."""
        members = self._evaluator.classes.member(cls, name)
        found: list[Outcome] = []
        for value, owner in members:
            if not isinstance(value, Function) or isinstance(value.node, ast.Lambda):
                return []
            if is_property(value.node):
                getter = Function(value.node, value.frame, filled, owner)
                calls = self._evaluator.calls
                found += calls.returns(getter, Arguments(), filled.node, filled.point, world)
            else:
                of_class = any(dotted(each) == "classmethod" for each in value.node.decorator_list)
                receiver = cls if of_class else filled
                found.append((self._evaluator.classes.bind(value, receiver, owner), world))
        return found

    def is_set(self, node: ast.ClassDef, name: str) -> bool:
        """Whether a field may be something else than what was asked for, which the class or others store."""
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        return (
            any(each.name in AFTER_INIT for each in methods)
            or self._evaluator.modules.index.stored_elsewhere(name)
            or any(_stores(each, name) for each in methods if each.name != "__init__")
        )

    def _record(self, annotation: ast.expr | None, at: Point, world: World) -> Class | None:
        """The dataclass that a field is annotated with."""
        if not isinstance(annotation, ast.Name | ast.Attribute | ast.Subscript):
            return None
        found = [value for value, _ in self._evaluator.values(annotation, at, world)]
        cls = found[0] if len(found) == 1 else None
        return cls if isinstance(cls, Class) and is_record(cls.node) else None

    def _makes(self, cls: Class, field: _Field, at: Point, world: World) -> bool:
        """Whether the default of a field is an object of a class that is given nothing."""
        made = field.made or field.default
        if not isinstance(made, ast.Call) or made.args or made.keywords:
            return False
        return [value.key for value, _ in self._evaluator.values(made.func, at, world)] == [cls.key]


def _field(node: ast.ClassDef, name: str) -> _Field | None:
    """A field as the ``__init__`` has it that was written out for a record."""
    made = _init(node)
    taken = [each for each in parameters(made)[1:] if each.arg == name] if made is not None else []
    if made is None or not taken:
        return None
    defaults = assigned_in(node.body, name)
    calls = [
        each.value.body
        for each in made.body
        if isinstance(each, ast.Assign)
        and isinstance(each.value, ast.IfExp)
        and isinstance(each.value.body, ast.Call)
        and any(isinstance(target, ast.Attribute) and target.attr == name for target in each.targets)
    ]
    return _Field(taken[0].annotation, defaults[0] if defaults else None, calls[0] if calls else None)


def _is_under(call: ast.Call, name: str, parsed: ast.AST) -> bool:
    """Whether a call declares the fields of a class under a name, of the parser that another is of."""
    match call, parsed:
        case (
            ast.Call(func=ast.Attribute(value=parser), args=[_, ast.Constant(value=key)], keywords=[])
            | ast.Call(
                func=ast.Attribute(value=parser),
                args=[_],
                keywords=[ast.keyword(arg="nested_key", value=ast.Constant(value=key))],
            ),
            ast.Call(func=ast.Attribute(value=other)),
        ):
            return key == name and ast.unparse(parser) == ast.unparse(other)
    return False


def _stores(method: ast.FunctionDef, name: str) -> bool:
    """Whether a method stores an attribute of its object."""
    holder = self_name(method)
    path = f"{holder}.{name}"
    return holder is not None and any(path in own_names(each) for each in statements_in(method.body))


def _known(value: Class | Unknown) -> Argument:
    return Argument(None, None, value)


def _init(node: ast.ClassDef) -> ast.FunctionDef | None:
    """The ``__init__`` that was written out for a record."""
    found = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return found[0] if is_record(node) and len(found) == 1 else None
