"""The loaders of the projects that some paths lie in, each with the findings that are about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from dlint import engine
from dlint.analysis.analysis import Project, programs
from dlint.analysis.garbage import unsearched
from dlint.budget.budget import Exhausted
from dlint.finding import Finding, Trouble
from dlint.in_cells import Notebooks
from dlint.overview.collect import loaders_of
from dlint.overview.views import CallView, LoaderView
from dlint.project.files import listing
from dlint.project.paths import display_path
from dlint.settings.settings import Settings

_View = TypeVar("_View", LoaderView, CallView)


def look(paths: Sequence[Path], settings: Settings) -> tuple[list[LoaderView], tuple[Trouble, ...]]:
    """The loaders in ``paths``, by file and line, and what could not be looked at."""
    report = engine.check(paths, settings)
    listed = listing(paths, settings.left_out, force_exclude=settings.force_exclude)
    found: list[LoaderView] = []
    troubles = list(report.troubles)
    for root, files, program_files in listed.programs:
        asked = {path.relative_to(root).as_posix(): display_path(path) for path in files}
        shown = {path.relative_to(root).as_posix(): display_path(path) for path in program_files}
        try:
            with unsearched():
                for program in programs(Project(root, tuple(program_files), settings, {})):
                    found += [
                        _Shown(shown).loader(view) for view in loaders_of(program) if view.path in asked
                    ]
        except (Exhausted, RecursionError):
            what = "too large to be looked through: some loaders are missing"
            troubles.append(Trouble(display_path(root), what))
    notebooks = Notebooks({})
    placed = [(finding, notebooks.in_program(finding)) for finding in report.findings]
    views = [_in_cells(_with_findings(view, placed), notebooks) for view in found]
    return sorted(views, key=lambda view: (view.path, view.cell or 0, view.line, view.column)), tuple(
        troubles
    )


class _Shown:
    """Views with the paths by which the user knows the files."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def loader(self, view: LoaderView) -> LoaderView:
        calls = tuple(map(self._call, view.workers))
        return replace(view, path=self._names.get(view.path, view.path), workers=calls)

    def _call(self, call: CallView) -> CallView:
        below = tuple(map(self._call, call.calls))
        return replace(call, path=self._names.get(call.path, call.path), calls=below)


def _with_findings(view: LoaderView, placed: Sequence[tuple[Finding, Finding]]) -> LoaderView:
    """The view with those findings that are about the loader or about what its workers execute. Each comes as
    it is shown and as it lies in the program."""
    spans = list(view.spans())
    mine = [
        finding
        for finding, inside in placed
        if any(inside.path == path and first <= inside.line <= last for path, first, last in spans)
        or any((step.path, step.line) == (view.path, view.line) for step in inside.reach)
    ]
    return replace(view, findings=tuple(mine))


def _in_cells(view: LoaderView, notebooks: Notebooks) -> LoaderView:
    """The view with lines of notebooks as lines of their cells."""
    calls = tuple(_call_in_cells(call, notebooks) for call in view.workers)
    return _counted_in_cells(replace(view, workers=calls), notebooks)


def _call_in_cells(call: CallView, notebooks: Notebooks) -> CallView:
    calls = tuple(_call_in_cells(each, notebooks) for each in call.calls)
    return _counted_in_cells(replace(call, calls=calls), notebooks)


def _counted_in_cells(view: _View, notebooks: Notebooks) -> _View:
    notebook = notebooks.of(view.path)
    if notebook is None:
        return view
    start, end = notebook.place(view.line), notebook.place(view.end_line)
    return replace(view, cell=start.cell, line=start.line, end_line=end.line)
