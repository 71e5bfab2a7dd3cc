"""What evaluation asks of the rooms above it: who knows classes, what attributes hold, and what calls of the
program's functions run."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from typing import Protocol

from dlint.source.module import Module
from dlint.source.statements import Scope
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Made,
    Table,
    Value,
)
from dlint.values.worlds import World


class Calls(Protocol):
    """What calls of the program's functions run."""

    def enter(
        self, function: Function, arguments: Arguments | None, node: ast.AST | None, point: Point | None
    ) -> Frame: ...

    def ends(self, frame: Frame, world: World) -> list[tuple[ast.stmt | None, World]]: ...


class Classes(Protocol):
    """Classes of the program, as far as expressions ask about them."""

    def bases(self, cls: Class) -> list[list[Value]]: ...

    def is_instance(self, value: Value, cls: Value) -> bool | None: ...

    def libraries(self, cls: Class) -> set[str]: ...

    def member(self, cls: Class, name: str) -> list[tuple[Value, Class]]: ...

    def methods(self, instance: Instance, name: str) -> list[Function]: ...

    def line(self, cls: Class) -> list[Class]: ...

    def subclasses(self, cls: Class, most: int | None = None) -> list[Class]: ...

    def super_at(self, point: Point, world: World) -> list[Outcome]: ...


class Attributes(Protocol):
    """Attributes of objects."""

    def may_be_stored(self, instance: Instance, name: str, world: World) -> bool: ...

    def comes_later(self, instance: Instance, name: str) -> bool: ...

    def sets_by_name(self, cls: Class) -> bool: ...

    @property
    def later(self) -> Later: ...

    @property
    def outside(self) -> Outside: ...


class Later(Protocol):
    """What other code puts in what an object keeps."""

    @property
    def by_calls(self) -> FilledByCalls: ...


class FilledByCalls(Protocol):
    """What calls of its methods put in a dict of an object."""

    def under(self, instance: Instance, name: str, key: str, world: World) -> list[Outcome] | None: ...


class Outside(Protocol):
    """What code outside a class stores in the attributes of its objects."""

    def values(self, instance: Instance, name: str, world: World) -> list[Outcome]: ...

    def of_made(self, made: Made, name: str, world: World) -> list[Outcome]: ...

    def is_set_by_function(self, made: Made, name: str) -> bool: ...

    def may_be_set_by_name(self, made: Made, name: str, *, filled: bool) -> bool: ...

    def is_set_by_others(self, node: ast.Attribute, point: Point, known: Scope) -> bool: ...

    def is_set_later(
        self,
        node: ast.Attribute,
        point: Point,
        made: str,
        others: Container[int],
        constructors: Container[Scope],
    ) -> bool: ...

    def are_beside(self, made: Made, name: str) -> bool: ...


class ChangedLater(Protocol):
    """What other code changes of what a module or a class has left under its names."""

    def of_module(self, values: list[Value], name: str, frame: Frame) -> list[Value]: ...

    def is_set_on_class(self, cls: Class, name: str) -> bool: ...


class FilledFields(Protocol):
    """Objects of dataclasses that a command line fills."""

    def nested(self, made: Made, name: str, world: World) -> list[Outcome]: ...

    def cls(self, filled: Made, world: World) -> Class | External | None: ...

    def has_own_defaults(self, filled: Made) -> bool: ...

    def names(self, filled: Made, world: World) -> list[str]: ...

    def value(self, filled: Made, name: str, otherwise: External, world: World) -> list[Outcome]: ...

    def is_set(self, node: ast.ClassDef, name: str) -> bool: ...


class Records(Protocol):
    """Dataclasses and the like as dicts, and one made from another."""

    def as_dict(
        self, record: Instance | Made, node: ast.AST, point: Point, world: World, *, whole: bool
    ) -> list[Outcome]: ...

    def as_tuple(self, record: Value, world: World) -> Items | None: ...

    def inherited(self, record: Instance, name: str) -> Value | None: ...

    def defaults(self, settings: Instance, members: list[Outcome]) -> list[Outcome]: ...

    def with_environment(self, settings: Instance, name: str, defaults: list[Outcome]) -> list[Outcome]: ...

    def are_replaced(self, cls: Class) -> bool: ...

    def structured(self, value: Value, node: ast.AST, point: Point) -> Instance | None: ...

    def replaced(
        self,
        value: Value,
        given: Mapping[str, Argument],
        node: ast.AST,
        point: Point,
        *,
        others: bool = False,
    ) -> Instance | None: ...


class Filled(Protocol):
    """Dicts that other code fills."""

    def of_module(self, table: Table, module: Module, name: str) -> Table: ...

    def of_object(self, instance: Instance) -> Table | None: ...

    def whole(self, table: Table) -> Table: ...

    def guessed(self, table: Table) -> set[object]: ...


class Parameters(Protocol):
    """What a parameter is."""

    def rest(self, own: str, name: str, frame: Frame) -> Arguments | None: ...

    def values(self, name: str, frame: Frame, world: World) -> list[Outcome]: ...

    def entry(self, name: str, key: str, frame: Frame, world: World) -> list[Outcome] | None: ...


class Prepared(Protocol):
    """Loaders that a library has made ready for a device."""

    def given(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]: ...
    def wrapped(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]: ...


class Members(Protocol):
    """What is stored in attributes of what functions hand on."""

    def path(self, value: ast.expr, attribute: str) -> ast.Attribute: ...
