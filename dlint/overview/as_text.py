"""The loaders of a project for a terminal: rich draws the tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from dlint.overview.views import ArgumentView, CallView, LoaderView
from dlint.reports.line import one_line, place
from dlint.reports.signs import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_CALLS = 8
_LEVELS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def trees(views: Iterable[LoaderView]) -> Iterator[Tree]:
    """A tree for each loader. What workers execute below a function is shown once."""
    seen: set[CallView] = set()
    for view in views:
        yield _tree(view, seen)


def _tree(view: LoaderView, seen: set[CallView]) -> Tree:
    title = Text(visible(_at(view)), style="bold")
    title.append(
        visible(f"  {view.kind.rpartition('.')[2]}{f' in {view.scope}' if view.scope else ''}"),
        style="default",
    )
    tree = Tree(title, guide_style="dim")
    for argument in view.arguments:
        tree.add(Text(visible(_argument(argument))))
    if view.datasets:
        tree.add(Text(visible(f"reads {', '.join(view.datasets)}")))
    if not view.has_workers:
        tree.add(Text("no workers: everything runs in the main process", style="dim"))
    elif view.workers:
        method = view.start_method or "any start method"
        branch = tree.add(Text(f"workers ({method}) execute"))
        for call in view.workers:
            _add(branch, call, seen)
    else:
        tree.add(Text("workers execute nothing of the project, as far as it could be followed", style="dim"))
    for library, who in view.draws:
        tree.add(Text(visible(f"draws from {library}, seeded by {who}")))
    if view.parts:
        branch = tree.add(Text("goes to the workers"))
        for part in view.parts:
            forked = "" if part.pickled else " (only with fork)"
            branch.add(Text(visible(f"{part.place}: {part.what}{forked}")))
    for shelter in view.shelters:
        tree.add(Text(visible(f"protected by {shelter}"), style="green"))
    for finding in view.findings:
        tree.add(
            Text(f"{place(finding)}: {finding.level}: {one_line(finding)}", style=_LEVELS[finding.level])
        )
    return tree


def _at(view: LoaderView | CallView) -> str:
    return f"{view.path}:{view.line}" if view.cell is None else f"{view.path}:cell {view.cell}:{view.line}"


def _argument(argument: ArgumentView) -> str:
    values = " or ".join(argument.values)
    if argument.written is None or argument.written == values or len(argument.written) > 60:
        return f"{argument.name} = {values}"
    return f"{argument.name} = {values}  ({argument.written})"


def _add(tree: Tree, call: CallView, seen: set[CallView]) -> None:
    text = Text(visible(call.name))
    text.append(visible(f"  {_at(call)}"), style="dim")
    if call.times > 1:
        text.append(f"  in {call.times} ways", style="dim")
    branch = tree.add(text)
    once = replace(call, times=1)
    if once in seen and (call.library or call.calls):
        text.append("  as above", style="dim")
        return
    seen.add(once)
    if call.library:
        names = [f"{name} x{count}" if count > 1 else name for name, count in call.library]
        more = [f"{len(names) - _MOST_CALLS} more"] if len(names) > _MOST_CALLS else []
        branch.add(Text(visible(", ".join([*names[:_MOST_CALLS], *more])), style="dim"))
    for below in call.calls:
        _add(branch, below, seen)
