"""The arguments and options that several subcommands share, and what they mean together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from dlint.cli.completing import a_file, codes
from dlint.finding import LEVELS
from dlint.project.files import is_excluded
from dlint.project.paths import absolute
from dlint.settings import settings
from dlint.settings.settings import Settings, SettingsError, StartMethod

_LISTS = ("select", "ignore", "extend_select", "exclude", "extend_exclude", "per_file_ignores")
_SINGLE = ("force_exclude", "target_torch", "start_method", "level", "config", "isolated")
_WHOLE = ("exclude", "extend_exclude", "per_file_ignores")  # what may have commas


class CannotDo(click.ClickException):
    """The command could not do its job: one line for the user, exit code 2."""

    exit_code = 2


def paths_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """``[PATH]...``: arrives as ``paths``, a tuple of Path; the working directory when none is given."""

    def converted(
        _context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
    ) -> tuple[Path, ...]:
        if "" in value:  # an unset variable of a script, and no wish to edit the working directory
            raise CannotDo("a path is empty")
        return tuple(Path(each) for each in value) or (Path(),)

    argument = click.argument(
        "paths", nargs=-1, metavar="[PATH]...", callback=converted, shell_complete=a_file
    )
    return argument(command)


def choice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that become Settings: they arrive together as ``choices``, for ``settings_for``."""

    @functools.wraps(command)
    def gathering(**arguments: Any) -> Any:
        choices = {name: arguments.pop(name) for name in (*_LISTS, *_SINGLE)}
        for name in _LISTS:
            separator = "\n" if name in _WHOLE else ","
            parts = (part.strip() for value in choices[name] for part in value.split(separator))
            choices[name] = tuple(part for part in parts if part)
        return command(choices=choices, **arguments)

    for option in reversed(_OPTIONS):
        gathering = option(gathering)
    return gathering


_OPTIONS = (
    click.option(
        "--select", multiple=True, metavar="CODES", shell_complete=codes,
        help="Only these rules: codes or their beginnings, between commas. Replaces the project's choice.",
    ),
    click.option("--ignore", multiple=True, metavar="CODES", shell_complete=codes, help="Not these rules."),
    click.option(
        "--extend-select", multiple=True, metavar="CODES", shell_complete=codes,
        help="These rules too, for instance one that is off by default.",
    ),
    click.option(
        "--exclude", multiple=True, metavar="PATTERN",
        help="Leave out what matches, as a line of .gitignore would; from the project's root. Repeatable.",
    ),
    click.option(
        "--extend-exclude", multiple=True, metavar="PATTERN",
        help="Leave that out, too, where --exclude would replace the project's choice. Repeatable.",
    ),
    click.option(
        "--per-file-ignores", multiple=True, metavar="PATTERN:CODES",
        help="Not these rules in the files that a pattern matches, as tests/:DL402,DL1. Repeatable.",
    ),
    click.option(
        "--force-exclude/--no-force-exclude", default=None,
        help="Leave out what is excluded even where it is named here. Default: it is checked.",
    ),
    click.option(
        "--target-torch", metavar="RELEASE",
        help="The oldest torch release that the code must work with, such as 1.8. "
        "Default: what the project declares.",
    ),
    click.option(
        "--start-method", type=click.Choice(get_args(StartMethod)),
        help="How DataLoader workers are started. Default: what the project sets, else any.",
    ),
    click.option(
        "--level", type=click.Choice(LEVELS),
        help="Show from there on. error: happens as the project stands; warning: under a condition that it "
        "leaves open; note: only costs something. Default: note, everything.",
    ),
    click.option(
        "--config", type=click.Path(path_type=Path), metavar="FILE",
        help="Read [tool.dlint] of this TOML file, not the project's.",
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
)  # fmt: skip


def settings_for(paths: Sequence[Path], choices: dict[str, Any]) -> Settings:
    """The settings for a run over ``paths``: their project's, then the user's choices.

    The first path decides which project it is. Raises CannotDo for a wrong choice, in the project's file
    or on the command line, and for a code that no rule has.
    """
    try:
        chosen = settings.for_run(paths, choices)
        if chosen.names_rules:
            from dlint.rules import all_codes

            settings.check_names(all_codes(), chosen)
    except SettingsError as error:
        raise CannotDo(str(error)) from error
    return chosen


def is_left_out(paths: Sequence[Path], settings: Settings) -> bool:
    """Whether any of the paths that the user named is not checked because it is excluded."""
    return settings.force_exclude and any(is_excluded(absolute(path), settings.left_out) for path in paths)
