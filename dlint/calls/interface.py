"""What the parts that follow calls may ask of the evaluator: what all parts may, and who calls whom."""

from __future__ import annotations

import ast
from typing import Protocol

from dlint.calls.site import Site
from dlint.evaluation import interface as evaluation
from dlint.evaluation.above import interface as above
from dlint.objects import interface as objects
from dlint.objects.elsewhere.may_store import MayStore
from dlint.source.module import Module
from dlint.source.nodes import Comprehension
from dlint.source.statements import FunctionNode
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, External, Instance, Key, Made, Value
from dlint.values.worlds import World


class Evaluator(objects.Evaluator, Protocol):
    """Answers questions about calls, too."""

    def inside(self, node: Comprehension, point: Point) -> Point: ...

    @property
    def library(self) -> Library: ...

    @property
    def sites(self) -> Sites: ...

    @property
    def calls(self) -> Calls: ...

    @property
    def commands(self) -> Commands: ...

    @property
    def members(self) -> Members: ...

    @property
    def entries(self) -> Entries: ...

    @property
    def held(self) -> Held: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def containers(self) -> Containers: ...

    @property
    def of_trainers(self) -> OfTrainers: ...


class Calls(objects.Calls, Protocol):
    """What calls run and give, and which only describe one."""

    def invoke(
        self, callee: Value, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...

    @property
    def lazy(self) -> LazyCalls: ...


class LazyCalls(Protocol):
    """Calls that only describe what is made later."""

    def describes(self, callee: Value) -> bool: ...

    def told(self, call: ast.Call, point: Point) -> Arguments: ...


class Held(evaluation.Held, Protocol):
    """What objects of libraries keep."""

    @property
    def changes(self) -> Changes: ...


class Changes(evaluation.Changes, Protocol):
    """Whether code changes settings by names, or below what attributes hold."""

    def may_be_below(self, attribute: str, name: str) -> bool: ...


class Classes(objects.Classes, Protocol):
    """Classes of the program, and what subscripts of them say."""

    def is_generic(self, value: Value) -> bool: ...


class Containers(evaluation.Containers, Protocol):
    """What is in containers, and what is taken out of them."""

    def is_split(self, made: Made) -> bool: ...

    def looked_up(self, base: Value, key: Value, world: World) -> list[Outcome]: ...


class OfTrainers(Protocol):
    """What trainers keep of loaders."""

    def is_loader(self, value: Value) -> bool: ...


class Entries(evaluation.Entries, Protocol):
    """What dicts hold under one key, and who tells."""

    def of(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome]: ...

    def handed_on(self, node: ast.expr, key: str, point: Point, world: World) -> list[Outcome] | None: ...

    def is_filled(self, name: str, point: Point) -> bool: ...

    def is_handed_on(self, name: str, point: Point) -> bool: ...

    def lacks(self, table: Value, key: str) -> bool: ...


class Members(above.Members, Protocol):
    """What is stored in attributes of what functions hand on, and who stores there."""

    @property
    def may_store(self) -> MayStore: ...


class Commands(Protocol):
    """What the user of a command passes to functions."""

    def decorated(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]: ...

    def called(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]: ...


class Library(Protocol):
    """What calls of libraries give."""

    def call(
        self, callee: External, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]: ...


class Sites(objects.Sites, Protocol):
    """Where the program calls a function."""

    def of(self, scope: FunctionNode, frame: Frame) -> list[Site]: ...

    def of_lambda(self, scope: ast.Lambda, frame: Frame) -> list[Site]: ...

    def knows(self, scope: FunctionNode) -> bool: ...

    def are_all(self, scope: FunctionNode | ast.Lambda) -> bool: ...

    @property
    def ranks(self) -> set[Key]: ...

    def receivers(self, site: Site, scope: FunctionNode) -> list[tuple[Instance | Class, World]]: ...

    def point_of(self, module: Module, trail: list[ast.AST]) -> Point: ...
