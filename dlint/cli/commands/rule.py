"""``dlint rule``: the documentation of one rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import click

from dlint.cli import CLEAN
from dlint.cli.commands.rules import rule_object
from dlint.cli.completing import codes
from dlint.cli.options import CannotDo
from dlint.cli.output import say_json
from dlint.rules import all_rules
from dlint.rules.rule import Rule


@click.command()
@click.argument("code", shell_complete=codes)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    help="text: rendered for the terminal; markdown: as it is written; json: for programs.",
)
def rule(code: str, output_format: str) -> int:
    """Explain the rule CODE (DL101, or its name): what it finds, why it is bad, what to do."""
    found = _find(code)
    if output_format == "json":
        say_json([json.dumps(rule_object(found), indent=2, ensure_ascii=False)])
    elif output_format == "markdown" or not sys.stdout.isatty():
        print(found.page)
    else:
        from rich.console import Console
        from rich.markdown import Markdown

        Console(width=min(Console().width, 100)).print(Markdown(found.page))
    return CLEAN


def _find(wanted: str) -> Rule:
    rules = all_rules()
    by_name = {rule.name: rule for rule in rules.values()}
    found = rules.get(wanted.upper()) or by_name.get(wanted.lower())
    if found is None:
        raise CannotDo(f"no rule is called {wanted!r}{_hint(wanted, rules, by_name)}")
    return found


def _hint(wanted: str, rules: Mapping[str, Rule], by_name: Mapping[str, Rule]) -> str:
    """The rules that may be meant: those with the word in the name or the code, else the nearest one."""
    if len(wanted) > 2:
        having = [
            f"{rule.code} {rule.name}"
            for rule in rules.values()
            if wanted.lower() in rule.name or wanted.upper() in rule.code
        ]
        if having:
            return f"; there {'is' if len(having) == 1 else 'are'} {', '.join(having)}"
    from difflib import get_close_matches

    close = get_close_matches(wanted.upper(), rules, n=1) or get_close_matches(wanted.lower(), by_name, n=1)
    return f"; did you mean {close[0]}?" if close else "; `dlint rules` lists all"
