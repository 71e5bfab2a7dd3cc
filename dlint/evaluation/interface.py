"""What the parts of the evaluator may ask of it, and through it of one another.

The parts know this interface alone. The evaluator that has it (``dlint.calls.evaluator``) is put together
above them, so no import leads back up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Protocol

from dlint.project.configuration.targets import Section
from dlint.project.modules import Modules
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, Scope
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


class Calls(Protocol):
    """What calls of the program's functions run."""

    def enter(
        self, function: Function, arguments: Arguments | None, node: ast.AST | None, point: Point | None
    ) -> Frame: ...

    def ends(self, frame: Frame, world: World) -> list[tuple[ast.stmt | None, World]]: ...


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


class Members(Protocol):
    """What is stored in attributes of what functions hand on."""

    def path(self, value: ast.expr, attribute: str) -> ast.Attribute: ...
