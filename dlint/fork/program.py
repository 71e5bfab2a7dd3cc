"""What is asked of a program by those who look at both sides of a fork."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from dlint.fork.boundaries import Boundaries
from dlint.fork.protection import Protections
from dlint.fork.shipped import Part
from dlint.loaders.loaders import Loader
from dlint.project.releases.releases import Releases
from dlint.values.values import Key
from dlint.workers import program
from dlint.workers.uses import WorkerUse


class Program(program.Program, Protocol):
    """A program whose worker uses are known, and what protects them."""

    @property
    def releases(self) -> Releases: ...

    @property
    def start_method(self) -> str | None: ...

    @property
    def boundaries(self) -> Boundaries: ...

    @property
    def answers(self) -> dict[Key, Any]: ...

    @property
    def uses(self) -> Sequence[WorkerUse]: ...

    def protections(
        self, name: str, *values: object, unknown: bool = False, always: bool = False
    ) -> Protections: ...

    def uses_of(self, loader: Loader) -> list[WorkerUse]: ...

    def shipped(self, use: WorkerUse) -> Sequence[Part]: ...
