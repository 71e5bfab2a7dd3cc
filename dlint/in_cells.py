"""Findings of notebooks as the user knows their places: in cells. The analysis sees one text for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dlint.finding import Finding, ReachStep, Span, Trouble
from dlint.project.paths import absolute, display_path
from dlint.regex import regex
from dlint.source.notebooks import Notebook, is_notebook, read_notebook
from dlint.source.reading import SourceError, read_bytes

_IN_WORDS = regex(r"\bline (\d+)\b")


class Notebooks:
    """The notebooks of a program as they are: ``texts`` has the bytes of those that differ from the disk."""

    def __init__(self, texts: Mapping[Path, bytes]) -> None:
        self._texts = texts
        self._read: dict[Path, Notebook | None] = {}

    def of(self, shown: str) -> Notebook | None:
        """The notebook of a path as it is shown, None where it is none."""
        if not is_notebook(shown):
            return None
        path = absolute(shown)
        if path not in self._read:
            try:
                self._read[path] = read_notebook(
                    self._texts[path] if path in self._texts else read_bytes(path)
                )
            except SourceError:  # it has changed meanwhile
                self._read[path] = None
        return self._read[path]

    def in_cells(self, finding: Finding) -> Finding:
        """A finding whose places are lines of programs, with the cells in which they lie."""
        finding = finding._replace(reach=tuple(map(self._step_in_cell, finding.reach)))
        notebook = self.of(finding.path)
        if notebook is None:
            return finding
        place, *marked = (_span_in_cell(notebook, span) for span in (_span_of(finding), *finding.marked))
        cell = notebook.place(finding.line).cell
        return finding._replace(**place._asdict(), marked=tuple(marked), cell=cell)

    def in_program(self, finding: Finding) -> Finding:
        """The same back again: the places are lines of programs, which repairs know."""
        finding = finding._replace(reach=tuple(map(self._step_in_program, finding.reach)))
        notebook, cell = self.of(finding.path), finding.cell
        if notebook is None or cell is None:
            return finding
        spans = (_span_of(finding), *finding.marked)
        place, *marked = (_span_in_program(notebook, cell, span) for span in spans)
        return finding._replace(**place._asdict(), marked=tuple(marked), cell=None)

    def _step_in_cell(self, step: ReachStep) -> ReachStep:
        notebook = self.of(step.path)
        if notebook is None:
            return step
        place = notebook.place(step.line)
        return step._replace(line=place.line, cell=place.cell)

    def _step_in_program(self, step: ReachStep) -> ReachStep:
        notebook = self.of(step.path)
        if notebook is None or step.cell is None:
            return step
        return step._replace(line=notebook.line(step.cell, step.line), cell=None)


def _span_of(finding: Finding) -> Span:
    return Span(finding.line, finding.column, finding.end_line, finding.end_column)


def _span_in_cell(notebook: Notebook, span: Span) -> Span:
    return Span(
        notebook.place(span.line).line,
        span.column + notebook.indentation(span.line),
        notebook.place(span.end_line).line,
        span.end_column + notebook.indentation(span.end_line),
    )


def _span_in_program(notebook: Notebook, cell: int, span: Span) -> Span:
    line, end_line = notebook.line(cell, span.line), notebook.line(cell, span.end_line)
    return Span(
        line,
        span.column - notebook.indentation(line),
        end_line,
        span.end_column - notebook.indentation(end_line),
    )


class InCells:
    """The places of one program's notebooks; ``files`` are all of its files."""

    def __init__(self, root: Path, files: Iterable[Path], texts: Mapping[Path, bytes]) -> None:
        self._notebooks = Notebooks(texts)
        self._names: dict[str, Path] = {}
        for path in files:
            if is_notebook(path):
                self._names[path.relative_to(root).as_posix()] = path
                self._names[display_path(path)] = path
        words = sorted(map(re.escape, self._names), key=len, reverse=True)
        self._mention = re.compile(rf"(?<![\w/.-])({'|'.join(words)}):(\d+)") if words else None

    def shown(self, finding: Finding) -> Finding:
        """The finding with its places in cells."""
        if self._mention is None:
            return finding
        notebook = self._notebooks.of(finding.path)
        remedy = finding.remedy
        finding = finding._replace(
            message=self._words(finding.message, notebook),
            by_hand=finding.by_hand and self._words(finding.by_hand, notebook),
            condition=finding.condition and self._words(finding.condition, notebook),
            remedy=remedy and remedy._replace(summary=self._words(remedy.summary, notebook)),
        )
        return self._notebooks.in_cells(finding)

    def _words(self, text: str, own: Notebook | None) -> str:
        """A message in which lines of notebooks are lines of their cells."""

        def placed(match: re.Match[str]) -> str:
            notebook = self._notebooks.of(str(self._names[match[1]]))
            if notebook is None:
                return match[0]
            place = notebook.place(int(match[2]))
            return f"{match[1]}:cell {place.cell}:{place.line}"

        def own_line(match: re.Match[str]) -> str:
            assert own is not None
            place = own.place(int(match[1]))
            return f"cell {place.cell}, line {place.line}"

        if self._mention is not None and ".ipynb:" in text:
            text = self._mention.sub(placed, text)
        return text if own is None else _IN_WORDS.sub(own_line, text)


def broken_cells(notebook: Notebook, shown: str) -> list[Trouble]:
    """The cells of a notebook that could not be checked."""
    return [Trouble(shown, error.message, error.line or 1, cell) for cell, error in notebook.broken]
