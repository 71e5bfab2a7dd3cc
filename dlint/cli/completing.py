"""What a shell is told when the user presses Tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def codes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes of rules, also the next one behind a comma, with names for shells that show them."""
    from click.shell_completion import CompletionItem

    from dlint.rules import all_names

    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{code}", help=name)
        for code, name in all_names().items()
        if code.startswith(last.upper())
    ]


def a_file(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Whatever the shell knows of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
