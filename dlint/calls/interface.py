"""What the parts that follow calls may ask of the evaluator: what all parts may, and who calls whom."""

from __future__ import annotations

import ast
from typing import Protocol

from dlint.calls.site import Site
from dlint.evaluation import interface as evaluation
from dlint.objects import interface as objects
from dlint.objects.elsewhere.may_store import MayStore
from dlint.source.module import Module
from dlint.source.nodes import Comprehension
from dlint.source.statements import FunctionNode
from dlint.values.frame import Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, External, Instance, Key, Value
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


class Calls(objects.Calls, Protocol):
    """What calls run, and which only describe one."""

    @property
    def lazy(self) -> LazyCalls: ...


class LazyCalls(Protocol):
    """Calls that only describe what is made later."""

    def describes(self, callee: Value) -> bool: ...

    def told(self, call: ast.Call, point: Point) -> Arguments: ...


class Entries(evaluation.Entries, Protocol):
    """What dicts hold under one key, and who tells."""

    def is_filled(self, name: str, point: Point) -> bool: ...

    def is_handed_on(self, name: str, point: Point) -> bool: ...

    def lacks(self, table: Value, key: str) -> bool: ...


class Members(evaluation.Members, Protocol):
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
