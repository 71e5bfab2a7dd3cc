"""What the parts of the evaluator may ask of it, and through it of one another.

The parts know this interface alone. The evaluator that has it (``dlint.calls.evaluator``) is put together
above them, so no import leads back up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Protocol

from dlint.evaluation.above.interface import (
    Attributes,
    Calls,
    ChangedLater,
    Classes,
    Filled,
    FilledFields,
    Members,
    Parameters,
    Prepared,
    Records,
)
from dlint.project.configuration.targets import Section
from dlint.project.modules import Modules
from dlint.source.module import Module
from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    ModuleValue,
    Table,
    Value,
)
from dlint.values.worlds import HERE, World


class Evaluator(Protocol):
    """Answers questions about expressions. Each part's documentation stands in its own module."""

    def values(self, node: ast.expr, point: Point, world: World = HERE) -> list[Outcome]: ...

    def value_of(self, argument: Argument, world: World) -> list[Outcome]: ...

    def attribute(
        self, base: Value, name: str, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    def assume(self, test: ast.expr, wanted: bool, point: Point, world: World) -> list[World]: ...

    def is_decided(self, test: ast.expr, point: Point) -> bool: ...

    def answer(self, mark: Key, world: World, ask: Callable[[World], list[Outcome]]) -> list[Outcome]: ...

    def cut(self, depth: int = 0) -> None: ...

    @property
    def depth(self) -> int: ...

    @property
    def modules(self) -> Modules: ...

    @property
    def flow(self) -> Flow: ...

    @property
    def names(self) -> Names: ...

    @property
    def calls(self) -> Calls: ...

    @property
    def namespaces(self) -> Namespaces: ...

    @property
    def containers(self) -> Containers: ...

    @property
    def truths(self) -> Truths: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def attributes(self) -> Attributes: ...

    def iterated(self, value: Value, node: ast.AST, point: Point, world: World) -> list[Value]: ...

    def invoke(
        self, callee: Value, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    @property
    def named(self) -> Named: ...

    @property
    def filled(self) -> Filled: ...

    @property
    def changed_later(self) -> ChangedLater: ...

    @property
    def records(self) -> Records: ...

    @property
    def filled_fields(self) -> FilledFields: ...

    @property
    def parameters(self) -> Parameters: ...

    @property
    def options(self) -> Options: ...

    @property
    def held(self) -> Held: ...

    @property
    def entries(self) -> Entries: ...

    @property
    def prepared(self) -> Prepared: ...

    @property
    def members(self) -> Members: ...


class Flow(Protocol):
    """Which assignments reach a place."""

    def definitions(
        self,
        name: str,
        point: Point,
        world: World,
        *,
        anew: bool = False,
        passing: Callable[[ast.stmt], bool] | None = None,
        also: frozenset[int] = ...,
    ) -> list[tuple[ast.stmt | None, World]]: ...

    def reaching(self, point: Point, world: World) -> list[World]: ...

    def falling(self, frame: Frame, world: World) -> list[World]: ...


class Names(Protocol):
    """What a name stands for in a frame."""

    def lookup(self, name: str, point: Point, world: World) -> list[Outcome]: ...

    def defined(self, statement: ast.stmt, name: str, frame: Frame, world: World) -> list[Outcome]: ...

    def from_start(self, name: str, frame: Frame, world: World) -> list[Outcome]: ...

    def taken(self, argument: Argument, world: World) -> list[Outcome]: ...


class Namespaces(Protocol):
    """What a module has under a name once it has run."""

    def of_module(self, name: str, frame: Frame) -> list[Outcome]: ...

    def from_star(self, name: str, frame: Frame) -> list[Outcome]: ...

    def public(self, module: ModuleValue) -> Iterator[tuple[str, Class | Function]]: ...

    def exported(self, module: ModuleValue, name: str) -> list[Outcome]: ...

    def module_around(self, level: int, name: str | None, importer: str) -> Value: ...

    def module_named(self, name: str, importer: str) -> Value: ...

    def imported_module(self, statement: ast.ImportFrom, frame: Frame) -> list[Value]: ...

    def imported(self, source: Value, name: str, importer: Module, world: World) -> list[Outcome]: ...


class Containers(Protocol):
    """What is in lists, tuples, sets and dicts."""

    def method(self, base: Items | Table, name: str) -> Value: ...

    def elements(self, value: Value) -> list[Value]: ...

    def pick(self, base: Value, key: Value) -> list[Value]: ...

    def all_of(self, value: Value) -> list[Value] | None: ...

    def part(self, base: Made, which: object) -> Value: ...

    def stored(
        self, held: Value, target: ast.Subscript, value: Value, before: Point, world: World
    ) -> list[Value]: ...

    def without(self, held: Value, keys: list[ast.expr], before: Point, world: World) -> list[Outcome]: ...

    def within(
        self,
        held: Value,
        keys: list[ast.expr | None],
        change: Callable[[Value, World], list[Outcome]],
        before: Point,
        world: World,
    ) -> list[Outcome]: ...

    def forgotten(self, held: Value, before: Point) -> Value: ...

    def opened(self, held: Value, keys: list[ast.expr], before: Point) -> Value: ...

    def mutated(self, held: Value, call: ast.Call, before: Point, world: World) -> list[Outcome]: ...

    def called(
        self, name: str, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    def table(self, arguments: Arguments, world: World) -> list[tuple[Table, World]]: ...


class Truths(Protocol):
    """Whether a test holds."""

    def of_value(self, value: Value, world: World) -> list[tuple[bool, World]]: ...

    def same(self, a: Value, b: Value, world: World) -> list[tuple[bool, World]]: ...

    def let_through(self, name: str, outcomes: list[Outcome], point: Point) -> list[Outcome]: ...


class Named(Protocol):
    """What names mean that are made at run time."""

    def imported(self, name: Value, package: Value, point: Point, world: World) -> list[Outcome]: ...

    def member(self, base: Value, name: Value, world: World) -> list[Outcome]: ...

    def method(
        self, base: Instance, name: Value, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    def all_of(self, module: ModuleValue) -> Table: ...

    def evaluated(self, text: Value, node: ast.AST, point: Point, world: World) -> list[Outcome]: ...

    def located(self, made: Made, point: Point, world: World) -> list[Outcome]: ...

    def instantiated(self, made: Made, point: Point, world: World) -> list[Outcome]: ...

    def of_path(self, path: str, point: Point) -> list[Value]: ...

    @property
    def configured(self) -> Configured: ...


class Configured(Protocol):
    """What a configuration has made."""

    def calling(self, scope: FunctionNode, frame: Frame) -> list[Section]: ...

    def given(self, making: Section, name: str, frame: Frame, world: World) -> list[Outcome]: ...


class Options(Protocol):
    """What somebody may ask for."""

    @property
    def beside(self) -> Beside: ...

    def read(self, made: Made, otherwise: External) -> None: ...

    def declared(self, given: Argument, by: ast.expr, name: str, world: World) -> list[Outcome]: ...

    def of_rest(self, rest: Made, name: str, world: World) -> list[Outcome]: ...

    def by_default(self, value: Value, world: World) -> Const | None: ...

    def is_kept(self, made: Made, name: str) -> bool: ...

    def set_by_default(self, value: Value) -> Value | None: ...


class Beside(Protocol):
    """Defaults that stand beside what is read."""

    def as_number(self, value: Value) -> Value: ...


class Changes(Protocol):
    """Whether code changes settings by names."""

    def may_be(self, made: Made, name: str) -> bool: ...

    def is_stored_by_key(self, name: str) -> bool: ...

    def is_updated(self, name: str) -> bool: ...

    def may_be_by_code(self, made: Made, name: str) -> bool: ...

    def are_left_by_files(self, made: Made, name: str) -> bool: ...


class Held(Protocol):
    """What objects of libraries keep."""

    @property
    def changes(self) -> Changes: ...

    def copied(self, made: Made) -> Made | None: ...

    def written(self, made: Made, name: str, world: World) -> list[Outcome]: ...

    def under(self, made: Made, name: str, world: World) -> list[Outcome]: ...


class Entries(Protocol):
    """What dicts hold under one key."""

    def of_argument(self, argument: Argument, key: str, world: World) -> list[Outcome]: ...

    def options(self, table: Value, world: World) -> Made | None: ...

    @property
    def own(self) -> OwnDicts: ...

    def kept(self, argument: Argument, key: str, world: World) -> list[Outcome]: ...

    def picked(self, table: Value, key: str, world: World) -> list[Outcome]: ...

    def picked_of(self, argument: Argument, table: Value, key: str, world: World) -> list[Outcome]: ...


class OwnDicts(Protocol):
    """Dicts of the program's own classes."""

    def attribute(self, made: Instance, name: str, world: World) -> list[Outcome]: ...
