"""``dlint rules``: the table of all rules."""

from __future__ import annotations

import json

import click

from dlint.cli import CLEAN
from dlint.cli.output import say_json
from dlint.rules import all_rules
from dlint.rules.rule import Rule


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
        width = max((len(rule.name) for rule in everything), default=0)
        for rule in everything:
            off = "" if rule.on_by_default else " (off by default)"
            print(f"{rule.code}  {rule.name:<{width}}  {rule.summary}{off}")
    return CLEAN


def rule_object(rule: Rule) -> dict[str, object]:
    """One rule in plain JSON values."""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "on_by_default": rule.on_by_default,
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
