"""How a report is shown, and where it goes: what ``dlint check`` is told of that, and what is there."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click

from dlint import __version__
from dlint.cli.options import CannotDo
from dlint.cli.output import in_colour, say, say_json
from dlint.finding import Report
from dlint.project.files import display_path
from dlint.reports.formats import FORMATS, JSON, WITH_EDITS, Context
from dlint.reports.pages import Page
from dlint.reports.signs import data
from dlint.source.reading import SourceError, decode, read_bytes

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
        on_terminal = self.file is None and sys.stdout.isatty()
        context = Context(
            source_lines(texts),
            _pages,
            __version__,
            colour=self.colour,
            width=shutil.get_terminal_size((_WIDE, 24)).columns if on_terminal else _WIDE,
            encoding=sys.stdout.encoding if self.file is None else "utf-8",
            top=_top(Path.cwd()),
        )
        self.give_out(FORMATS[self.format](report, context))

    def give_out(self, lines: Iterable[str]) -> None:
        """Print or write lines. Raises CannotDo where the file cannot be written."""
        if self.file is not None:
            _write(self.file, "".join(f"{data(line, 'utf-8') if self.is_json else line}\n" for line in lines))
        else:
            (say_json if self.is_json else say)(lines)


def reporting(output_format: str | None, output_file: Path | None, color: str) -> Reporting:
    """What the options come to, with what the environment says."""
    if output_format is None:
        in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and output_file is None
        output_format = "github" if in_actions else "text"
    colour = in_colour() if color == "auto" and output_file is None else color == "always"
    return Reporting(output_format, output_file, colour)


def source_lines(texts: Mapping[Path, bytes] | None) -> Callable[[str], Sequence[str]]:
    """The lines of a file by the path that reports show; none where it cannot be read."""
    known = {display_path(path): text for path, text in (texts or {}).items()}

    @cache
    def lines(path: str) -> Sequence[str]:
        try:
            return re.split(r"\r\n?|\n", decode(known[path] if path in known else read_bytes(Path(path))))
        except SourceError:
            return ()

    return lines


def _pages() -> Mapping[str, Page]:
    from dlint.rules import all_rules

    return {
        code: Page(code, rule.name, rule.summary, rule.documentation, rule.levels)
        for code, rule in all_rules().items()
    }


def _top(folder: Path) -> Path | None:
    """The top of the repository that a folder lies in: what services count paths from."""
    return next((each for each in (folder, *folder.parents) if os.path.exists(each / ".git")), None)  # noqa: PTH110


def _write(file: Path, text: str) -> None:
    """Have a file hold a text, or what it held: nobody reads half a report."""
    written: str | None = None
    try:
        if file.exists() and not file.is_file():  # a pipe, a terminal
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
            return
        with tempfile.NamedTemporaryFile("wb", dir=file.parent, prefix=f".{file.name}.", delete=False) as out:
            written = out.name
            out.write(text.encode("utf-8", "backslashreplace"))
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o666 & ~_umask()
        Path(written).chmod(mode)
        Path(written).replace(file)
    except OSError as error:
        if written is not None:
            Path(written).unlink(missing_ok=True)
        raise CannotDo(f"--output-file: {display_path(file)}: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
