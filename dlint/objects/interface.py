"""What the parts that know objects may ask of the evaluator: what all parts may, and more about classes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol, TypeVar

from dlint.evaluation import interface
from dlint.evaluation.above import interface as above
from dlint.source.module import Module
from dlint.source.statements import FunctionNode
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, Function, Instance, Key, Super, Table, Value
from dlint.values.worlds import World

_Found = TypeVar("_Found")


class Evaluator(interface.Evaluator, Protocol):
    """Answers questions about objects, too."""

    def apart(self, find: Callable[[], _Found]) -> tuple[_Found, bool]: ...

    def whole(self, find: Callable[[], _Found]) -> tuple[_Found, bool]: ...

    def is_known(self, node: ast.expr, point: Point) -> bool: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def filled(self) -> Filled: ...

    @property
    def initialisers(self) -> Initialisers: ...

    @property
    def construction(self) -> Construction: ...

    @property
    def calls(self) -> Calls: ...

    @property
    def attributes(self) -> Attributes: ...

    @property
    def parameters(self) -> Parameters: ...

    @property
    def sites(self) -> Sites: ...


class Classes(above.Classes, Protocol):
    """Classes of the program: bases, heirs and members."""

    def as_getter(self, value: Value, owner: Class) -> Value: ...

    def line(self, cls: Class) -> list[Class]: ...

    def has_choice(self, cls: Class) -> bool: ...

    def subclasses(self, cls: Class, most: int | None = None) -> list[Class]: ...

    def members(
        self, cls: Class, name: str, without: set[Key] | None = None
    ) -> list[tuple[Value, Class, World]]: ...

    def member_above(self, cls: Class, name: str) -> list[tuple[Value, Class]]: ...

    def behind(self, value: Super, name: str) -> list[tuple[Value, Class]]: ...

    def properties(self, cls: Class) -> dict[str, list[tuple[Function, Class]]]: ...

    def bind(self, value: Value, receiver: Value, owner: Class) -> Value: ...

    def as_member(self, value: Value, cls: Class) -> Value: ...


class Filled(above.Filled, Protocol):
    """Dicts that other code fills, and that an object keeps."""

    def is_filled(self, cls: Class, name: str) -> bool: ...

    def of_attribute(self, table: Table, owner: Class | Instance, name: str) -> Table: ...


class Construction(Protocol):
    """What stores attributes while an object is made."""

    def after(
        self, frame: Frame, instance: Instance, name: str, world: World, far: int = 0
    ) -> list[tuple[str, Point, World] | None]: ...

    def kept(self, instance: Instance, name: str, world: World) -> list[tuple[ast.Name, Point, World]]: ...


class Initialisers(Protocol):
    """The ``__init__`` methods that making an object runs."""

    def of(self, instance: Instance) -> list[tuple[Class, Frame]]: ...

    def chains(self, instance: Instance) -> list[tuple[Class, Frame, int]]: ...

    def of_libraries(self, instance: Instance) -> list[tuple[str, Arguments]]: ...


class Attributes(above.Attributes, Protocol):
    """Attributes of objects, and who stores them."""

    @property
    def stored(self) -> Stored: ...

    def is_set_from_outside(self, instance: Instance, name: str) -> bool: ...


class Stored(Protocol):
    """What methods store in the attributes of their object."""

    def storing(self, instance: Instance, name: str) -> list[tuple[Class, FunctionNode]]: ...


class Parameters(above.Parameters, Protocol):
    """What a parameter is, and what its caller has stored in it."""

    def member(self, name: str, attribute: str, frame: Frame, world: World) -> list[Outcome] | None: ...


class Calls(Protocol):
    """Entering a function, and what it returns."""

    def returns(
        self, function: Function, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    def enter(
        self, function: Function, arguments: Arguments | None, node: ast.AST | None, point: Point | None
    ) -> Frame: ...

    def shape(self, scope: FunctionNode) -> tuple[list[ast.Return], bool, bool]: ...

    def ends(self, frame: Frame, world: World) -> list[tuple[ast.stmt | None, World]]: ...


class Sites(Protocol):
    """Where a node of a tree stands."""

    def frame_of(self, module: Module, trail: list[ast.AST]) -> Frame: ...

    def point_of(self, module: Module, trail: list[ast.AST]) -> Point: ...
