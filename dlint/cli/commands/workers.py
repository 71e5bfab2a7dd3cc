"""``dlint workers``: what runs in my workers?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dlint.cli import CLEAN, FAILED
from dlint.cli.options import choice_options, paths_argument, settings_for
from dlint.cli.output import complain_of, in_colour, say, say_json
from dlint.project.paths import display_path

if TYPE_CHECKING:
    from dlint.overview.views import LoaderView

# Where nobody looks at a terminal, no line is wrapped.
_WIDE = 10_000


@click.command()
@paths_argument
@choice_options
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the loaders.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page for a browser instead: it holds all it needs.",
)
def workers(paths: tuple[Path, ...], choices: dict[str, Any], output_format: str, html: Path | None) -> int:
    """Show every DataLoader of files and folders (by default the working directory): what it is given, what
    its workers execute, draw, hold and get, what protects them, and the findings about them.

    Nothing is run: it is read from the code. Exit code: 0; 2 where something could not be looked at.
    """
    from dlint.overview.look import look

    settings = settings_for(paths, choices)
    views, troubles = look(paths, settings)
    if html is not None:
        _write(html, views)
    elif output_format == "json":
        from dlint.overview.as_data import as_data

        say_json([json.dumps([as_data(view) for view in views], indent=2)])
    else:
        _print(views)
    complain_of(troubles)
    return FAILED if troubles else CLEAN


def _write(file: Path, views: list[LoaderView]) -> None:
    from dlint.cli.writing import write_file
    from dlint.overview.as_page import page
    from dlint.project.lines import source_lines
    from dlint.reports.closing import of

    write_file(file, page(views, source_lines(None)), "--html")
    say([f"{of(len(views), 'loader')} in {display_path(file)}."])


def _print(views: list[LoaderView]) -> None:
    from rich.console import Console

    from dlint.overview.as_text import trees
    from dlint.reports.closing import of

    console = Console(highlight=False, no_color=not in_colour())
    if not console.is_terminal:
        console.width = _WIDE
    for tree in trees(views):
        console.print(tree, crop=False)
        console.print()
    say([f"{of(len(views), 'loader')}."])
