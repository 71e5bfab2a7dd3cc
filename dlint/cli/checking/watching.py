"""``dlint check --watch``: check again whenever something changes that findings hang on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dlint.cli.options import CannotDo
from dlint.cli.output import complain, say
from dlint.project.files import project_root
from dlint.project.paths import absolute

_QUIET_MS = 300  # milliseconds without another change
_STEP_MS = 200  # milliseconds after which it is asked whether there was one
_SOURCES = (".py", ".ipynb")
_CONFIGURATION = (".toml", ".cfg", ".yaml", ".yml", ".txt", ".lock", ".gitignore", "Pipfile", "Dockerfile")
_NOT_WITH = ("fix", "add_noqa", "show_files", "show_settings", "output_file")


def watch(paths: Sequence[Path], options: Mapping[str, Any], check: Callable[[], int]) -> int:
    """Check now and after every change, until a signal ends it; the last exit code. Raises CannotDo."""
    try:
        from watchfiles import watch as changes
    except ImportError as error:
        raise CannotDo('--watch needs watchfiles: pip install "torch-dlint[watch]"') from error
    given = next((name for name in _NOT_WITH if options.get(name)), None)
    if given is not None or Path("-") in paths:
        other = f"--{given.replace('_', '-')}" if given else "standard input"
        raise CannotDo(f"--watch checks again and again: it does not go with {other}")
    places = {project_root(absolute(path)) for path in paths}
    seen = changes(
        *places,
        watch_filter=_counts,
        debounce=_QUIET_MS,
        rust_timeout=_STEP_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    next(seen, None)  # from here on no change is missed
    code = _checked(check)
    for changed in seen:
        if changed:
            code = _checked(check)
    return code


def _checked(check: Callable[[], int]) -> int:
    """The exit code of one check. What is wrong with the settings is told, and may be right the next time."""
    if sys.stdout.isatty():
        click.clear()
    try:
        code = check()
    except click.ClickException as error:
        complain(error.format_message())
        code = error.exit_code
    if sys.stdout.isatty():
        say(["Watching for changes; Ctrl-C ends it."])
    sys.stdout.flush()
    return code


def _counts(_change: object, path: str) -> bool:
    """Whether findings may hang on a file. What checks write themselves is none of these."""
    return path.endswith((*_SOURCES, *_CONFIGURATION)) and ".dlint_cache" not in Path(path).parts
