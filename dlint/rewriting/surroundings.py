"""What the program around a file tells a remedy: who calls, who stores, who derives, what a name means.

The program is that of all files as they are at this point of the repair. It is put together when a remedy
asks for the first time, and nothing is parsed that no question needs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from dlint.budget.budget import BUDGET, Exhausted
from dlint.rewriting.refusal import CannotRepair

if TYPE_CHECKING:
    from dlint.analysis.kept import Kept
    from dlint.program.program import Program
    from dlint.rewriting.source import Source
    from dlint.source.module import Module
    from dlint.values.frame import Point

# A file that a remedy may edit as well, or why it may not (then CannotRepair is raised).
Open = Callable[[Path], "Source"]


class Surroundings:
    """The program at ``root`` (an absolute path) with its ``files``; ``texts`` are the present texts of those
    that have changed. ``opened`` gives the source of a file that may be edited too. ``kept`` may have the
    program, as it was analysed."""

    def __init__(
        self,
        root: Path,
        files: Sequence[Path],
        texts: Mapping[Path, bytes],
        opened: Open,
        kept: Kept | None = None,
    ) -> None:
        self._root = root
        self._files = files
        self._texts = texts
        self._opened = opened
        self._kept = kept

    @cached_property
    def program(self) -> Program:
        """The program, to be asked within :meth:`asking`."""
        from dlint.program.program import Program
        from dlint.project.index.index import Index
        from dlint.project.releases.python_release import declarations_of_python
        from dlint.project.releases.releases import Releases

        analysed = self._kept.program(self._files, self._texts) if self._kept is not None else None
        index = Index(self._root, self._files, self._texts) if analysed is None else analysed.modules.index
        BUDGET.begin(sum(map(index.lines, index.paths)), 1)
        if analysed is not None:
            return analysed
        return Program(index, releases=Releases(index, python=declarations_of_python(self._root)))

    @contextmanager
    def asking(self) -> Iterator[Program]:
        """The program, for a question. Raises CannotRepair where the answer takes too much work."""
        program = self.program
        BUDGET.restart()
        try:
            yield program
        except (Exhausted, RecursionError) as error:
            raise CannotRepair("the program is too large to be looked through for this repair") from error

    def relative(self, path: Path) -> str:
        """A file's path as the program knows it. Raises CannotRepair where it is none of its files."""
        found = self._relative.get(path)
        if found is None:
            raise CannotRepair("the file is not among those of the program")
        return found

    @cached_property
    def _relative(self) -> dict[Path, str]:
        return {path: relative for relative, path in self.program.modules.index.paths.items()}

    def module(self, source: Source) -> Module:
        """The module of the program that a source is. Raises CannotRepair where it cannot be analysed."""
        module = self.program.modules.get(self.relative(source.path))
        if module is None:
            raise CannotRepair("the file cannot be analysed")
        return module

    def trail(self, source: Source, node: cst.CSTNode, *types: type[ast.AST]) -> list[ast.AST]:
        """The nodes from the module's tree down to the one that ``node`` is in the analysis' tree.

        That is the outermost of ``types`` that begins where ``node`` begins; for a definition its own first
        line counts, not its decorators'. Raises CannotRepair where there is none.
        """
        module = self.module(source)
        (line, column), _ = source.range(node)
        line = source.line_in_file(line)
        found = _trail_to(module, module.tree, [module.tree], (line, column + 1), types)
        if found is None:
            raise CannotRepair("the code at this place is not of a shape that dlint can edit")
        return found

    def point(self, source: Source, node: cst.CSTNode, *types: type[ast.AST]) -> tuple[ast.AST, Point]:
        """The analysis' own node for ``node`` and the point from which it can be asked about."""
        found = self.trail(source, node, *types)
        return found[-1], self.program.evaluator.sites.point_of(self.module(source), found)

    def open(self, relative: str) -> Source:
        """Another file of the program, to be edited. Raises CannotRepair where it must stay as it is."""
        return self._opened(self.program.modules.index.paths[relative])


def _trail_to(
    module: Module,
    node: ast.AST,
    trail: list[ast.AST],
    place: tuple[int, int],
    types: tuple[type[ast.AST], ...],
) -> list[ast.AST] | None:
    for child in ast.iter_child_nodes(node):
        first = getattr(child, "lineno", None)
        if first is not None:
            decorators = getattr(child, "decorator_list", None)
            top = min(first, decorators[0].lineno) if decorators else first
            if not top <= place[0] <= (child.end_lineno or first):  # type: ignore[attr-defined]
                continue
        here = [*trail, child]
        if (
            first == place[0]
            and isinstance(child, types)
            and module.column(first, child.col_offset) == place[1]  # type: ignore[attr-defined]
        ):
            return here
        found = _trail_to(module, child, here, place, types)
        if found is not None:
            return found
    return None
