"""``dlint rules``: the table of all rules."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from dlint.cli import CLEAN
from dlint.cli.output import say, say_json
from dlint.finding import LEVELS
from dlint.reports.pages import address
from dlint.rules import all_rules
from dlint.rules.families import family_of
from dlint.rules.rule import Rule

_WIDE = 160  # columns, where nobody has a window
_NARROWEST = 30  # columns for a summary, however narrow the window


@click.command()
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    help="text: a table; json: for programs; markdown: a table for documents.",
)
def rules(output_format: str) -> int:
    """List all rules."""
    everything = list(all_rules().values())
    if output_format == "json":
        say_json([json.dumps([rule_object(rule) for rule in everything], indent=2, ensure_ascii=False)])
    elif output_format == "markdown":
        print(markdown_table(everything))
    else:
        width = shutil.get_terminal_size((_WIDE, 24)).columns if sys.stdout.isatty() else _WIDE
        say(_table(everything, width))
    return CLEAN


def _table(rules: Sequence[Rule], width: int) -> Iterator[str]:
    """The rules below their families: code, name, the worst level, effects, what repairs it, and the summary,
    which goes on in its own column."""
    names = max((len(rule.name) for rule in rules), default=0)
    for family, group in groupby(rules, key=lambda rule: family_of(rule.code)):
        yield family
        for rule in group:
            effects = ", ".join(dict.fromkeys(effect for _, effect in rule.levels))
            fix = f"{rule.fix} fix" if rule.fix else "by hand"
            lead = f"  {rule.code}  {rule.name:<{names}}  {_worst(rule):<7}  {effects:<19}  {fix:<10}  "
            off = "" if rule.on_by_default else " (off by default)"
            summary = textwrap.wrap(f"{rule.summary}{off}", max(width - len(lead), _NARROWEST))
            yield f"{lead}{summary[0]}"
            yield from (" " * len(lead) + line for line in summary[1:])
        yield ""


def _worst(rule: Rule) -> str:
    return min((level for level, _ in rule.levels), key=LEVELS.index, default="")


def rule_object(rule: Rule) -> dict[str, object]:
    """One rule in plain JSON values."""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "on_by_default": rule.on_by_default,
        "family": family_of(rule.code),
        "fix": rule.fix,
        "url": address(rule.code, rule.name),
        "levels": [{"level": level, "effect": effect} for level, effect in rule.levels],
        "documentation": rule.documentation,
    }


def markdown_table(rules: list[Rule]) -> str:
    """The table for documents."""
    rows = ["| code | name | what it finds |", "| --- | --- | --- |"]
    for rule in rules:
        off = "" if rule.on_by_default else " Off by default."
        rows.append(f"| {rule.code} | {rule.name} | {rule.summary}{off} |")
    return "\n".join(rows)
