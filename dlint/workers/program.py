"""What is asked of a program by those who follow its worker code."""

from __future__ import annotations

import ast
from typing import Protocol

from dlint.loaders import program
from dlint.loaders.loaders import Loader


class Program(program.Program, Protocol):
    """A program whose loaders are known, and what they are given."""

    def given(self, name: str, function: ast.AST) -> list[Loader]: ...
