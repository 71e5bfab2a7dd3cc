"""Asking before each repair, as ``git add --patch`` asks before each hunk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from dlint.repair import Enough, Repaired, Step
from dlint.reports.repairs import as_diff, painted, step_line
from dlint.reports.signs import visible_lines

_HELP = """\
y - make this repair
n - leave this finding as it is
a - make this repair and all others of the same rule
q - make no more repairs; what was agreed to is written
? - this list"""


class Approval:
    """The user's answers so far."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._always: set[str] = set()

    def __call__(self, step: Step, texts: Mapping[Path, tuple[bytes, bytes]]) -> bool:
        """Whether to make a repair. Raises Enough where the user wants no more."""
        code = step.finding.code
        if code in self._always:
            return True
        for path, (before, after) in texts.items():
            shown = as_diff(Repaired(path, before, after)).decode("utf-8", "backslashreplace")
            shown = visible_lines(shown)
            click.echo(painted(shown) if self._colour else shown, nl=False, color=self._colour)
        click.echo(step_line(step, "repair"))
        while True:
            try:
                answer = click.prompt(f"Make this repair of {code} [y,n,a,q,?]", prompt_suffix="? ")
            except click.Abort:
                click.echo()
                raise Enough from None
            match str(answer).strip().lower()[:1]:
                case "y":
                    return True
                case "n":
                    return False
                case "a":
                    self._always.add(code)
                    return True
                case "q":
                    raise Enough
                case _:
                    click.echo(_HELP)
