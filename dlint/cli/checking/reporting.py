"""How a report is shown, and where it goes: what ``dlint check`` is told of that, and what is there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from dlint import __version__
from dlint.cli.output import in_colour, say, say_json
from dlint.finding import Report
from dlint.project.lines import source_lines
from dlint.reports.formats.by_name import FORMATS, JSON, WITH_EDITS, Context
from dlint.reports.pages import Page
from dlint.reports.signs import data

_WIDE = 160  # columns, where nobody has a window


def reporting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that become a Reporting: they arrive as ``output_format``, ``output_file``, ``color``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--output-format", type=click.Choice(tuple(FORMATS)),
        help="text: with the code and the reach; concise, grouped: one line a finding; the others for "
        "programs. Default: text; under GitHub Actions github.",
    ),
    click.option(
        "--output-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
        help="Write the report to FILE instead of standard output.",
    ),
    click.option(
        "--color", "color", type=click.Choice(["auto", "always", "never"]), default="auto",
        help="Colours and links. auto: on a terminal unless NO_COLOR is set, elsewhere where FORCE_COLOR is.",
    ),
)  # fmt: skip


class Reporting(NamedTuple):
    """The format's name, the file for it or None for standard output, and whether there are colours."""

    format: str
    file: Path | None
    colour: bool

    @property
    def with_edits(self) -> bool:
        """Whether the format tells what remedies would change."""
        return self.format in WITH_EDITS

    @property
    def offers_remedies(self) -> bool:
        """Whether the format offers remedies to people."""
        return self.format == "text"

    @property
    def is_json(self) -> bool:
        """Whether the format is JSON."""
        return self.format in JSON

    @property
    def for_people(self) -> bool:
        """Whether a closing line may stand on standard output."""
        return self.file is not None or self.format in ("text", "grouped", "github")

    def show(self, report: Report, texts: Mapping[Path, bytes] | None) -> None:
        """Give the report out. ``texts`` are the contents of files that are not what the disk has. Raises
        CannotDo where the file cannot be written."""
        width = _WIDE
        if self.file is None and sys.stdout.isatty():
            import shutil

            width = shutil.get_terminal_size((_WIDE, 24)).columns
        context = Context(
            source_lines(texts),
            _pages,
            __version__,
            colour=self.colour,
            width=width,
            encoding=sys.stdout.encoding if self.file is None else "utf-8",
            top=_top(Path.cwd()),
        )
        self.give_out(FORMATS[self.format](report, context))

    def give_out(self, lines: Iterable[str]) -> None:
        """Print or write lines. Raises CannotDo where the file cannot be written."""
        if self.file is not None:
            from dlint.cli.writing import write_file

            write_file(
                self.file,
                "".join(f"{data(line, 'utf-8') if self.is_json else line}\n" for line in lines),
                "--output-file",
            )
        else:
            (say_json if self.is_json else say)(lines)


def reporting(output_format: str | None, output_file: Path | None, color: str) -> Reporting:
    """What the options come to, with what the environment says."""
    if output_format is None:
        in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and output_file is None
        output_format = "github" if in_actions else "text"
    colour = in_colour() if color == "auto" and output_file is None else color == "always"
    return Reporting(output_format, output_file, colour)


def _pages() -> Mapping[str, Page]:
    from dlint.rules import all_rules

    return {
        code: Page(code, rule.name, rule.summary, rule.documentation, rule.levels)
        for code, rule in all_rules().items()
    }


def _top(folder: Path) -> Path | None:
    """The top of the repository that a folder lies in: what services count paths from."""
    return next((each for each in (folder, *folder.parents) if os.path.exists(each / ".git")), None)  # noqa: PTH110
