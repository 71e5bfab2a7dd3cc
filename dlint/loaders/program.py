"""What is asked of a program by those who look at its loaders."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Protocol

from dlint.calls.evaluator import Evaluator
from dlint.loaders.loaders import Loader
from dlint.project.modules import Modules


class Program(Protocol):
    """The files of a project seen as one program, as far as loaders go."""

    @property
    def modules(self) -> Modules: ...

    @property
    def evaluator(self) -> Evaluator: ...

    @property
    def loaders(self) -> Sequence[Loader]: ...

    @property
    def trainers(self) -> Sequence[Loader]: ...

    def mine(self, relative: str) -> bool: ...

    def made_by(self, call: ast.AST) -> Loader | None: ...
