"""Findings of notebooks as the user knows their places: in cells. The analysis sees one text for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dlint.finding import Finding, ReachStep, Trouble
from dlint.project.files import absolute, display_path
from dlint.source.notebooks import Notebook, is_notebook, read_notebook
from dlint.source.reading import SourceError, read_bytes

LEFT_ALONE = "dlint fix leaves notebooks alone"
_IN_WORDS = re.compile(r"\bline (\d+)\b")


class InCells:
    """The places of one program's notebooks; ``files`` are all of its files."""

    def __init__(self, root: Path, files: Iterable[Path], texts: Mapping[Path, bytes]) -> None:
        self._texts = texts
        self._read: dict[Path, Notebook | None] = {}
        self._names: dict[str, Path] = {}
        for path in files:
            if is_notebook(path):
                self._names[path.relative_to(root).as_posix()] = path
                self._names[display_path(path)] = path
        words = sorted(map(re.escape, self._names), key=len, reverse=True)
        self._mention = re.compile(rf"(?<![\w/.-])({'|'.join(words)}):(\d+)") if words else None

    def shown(self, finding: Finding) -> Finding:
        """The finding with its places in cells. What lies in a notebook is repaired by hand."""
        if self._mention is None:
            return finding
        notebook = self._of(finding.path)
        finding = finding._replace(
            message=self._words(finding.message, notebook),
            by_hand=finding.by_hand and self._words(finding.by_hand, notebook),
            condition=finding.condition and self._words(finding.condition, notebook),
            reach=tuple(map(self._step, finding.reach)),
        )
        if notebook is None:
            return finding
        start, end = notebook.place(finding.line), notebook.place(finding.end_line)
        if finding.remedy is not None:
            what = finding.by_hand or self._words(finding.remedy.summary, notebook)
            finding = finding._replace(remedy=None, by_hand=f"{what} ({LEFT_ALONE})")
        marked = tuple(
            part._replace(line=notebook.place(part.line).line, end_line=notebook.place(part.end_line).line)
            for part in finding.marked
        )
        return finding._replace(cell=start.cell, line=start.line, end_line=end.line, marked=marked)

    def _of(self, shown: str) -> Notebook | None:
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

    def _step(self, step: ReachStep) -> ReachStep:
        notebook = self._of(step.path)
        if notebook is None:
            return step
        place = notebook.place(step.line)
        return step._replace(line=place.line, cell=place.cell)

    def _words(self, text: str, own: Notebook | None) -> str:
        """A message in which lines of notebooks are lines of their cells."""

        def placed(match: re.Match[str]) -> str:
            notebook = self._of(str(self._names[match[1]]))
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
