"""Every rule has a page, a fixture, a proof (or the reason why it has none) and metadata."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from dlint.finding import LEVELS, Effect
from dlint.rules import all_rules
from dlint.rules.rule import Rule

from .fixtures import FOLDER, fixtures, programs

SECTIONS = ("What it finds", "Why is this bad", "Example", "Level", "Fix safety", "References")
RULES = list(all_rules().values())
FIXTURES = fixtures()

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_there_are_rules() -> None:
    assert RULES
    assert len({rule.name for rule in RULES}) == len(RULES)


@every_rule
def test_metadata(rule: Rule) -> None:
    assert re.fullmatch(r"DL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.summary.endswith(".") and len(rule.summary) <= 110
    assert callable(rule.check)


@every_rule
def test_page(rule: Rule) -> None:
    headings = re.findall(r"^## (.+)$", rule.documentation, flags=re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == list(SECTIONS)
    for part in re.split(r"^## .+\n", rule.documentation, flags=re.MULTILINE)[1:]:
        assert part.strip(), "an empty section"
    example = rule.documentation.partition("## Example")[2].partition("\n## ")[0]
    assert example.count("```python") >= 2, "the bad and the good code"
    references = rule.documentation.partition("## References")[2]
    assert re.search(r"^- https://\S+", references, flags=re.MULTILINE)


@every_rule
def test_the_examples_are_python(rule: Rule) -> None:
    for code in re.findall(r"```python\n(.*?)```", rule.documentation, flags=re.DOTALL):
        indented = code.startswith(" ")
        compile(f"if True:\n{code}" if indented else code, rule.code, "exec")


@every_rule
def test_the_page_says_what_decides_the_level(rule: Rule) -> None:
    assert rule.levels
    assert {level for level, _ in rule.levels} <= set(LEVELS)
    assert {effect for _, effect in rule.levels} <= set(get_args(Effect))
    assert all((level == "note") == (effect == "cost") for level, effect in rule.levels)


@every_rule
def test_fixture(rule: Rule) -> None:
    fixture = FIXTURES.get(rule.code)
    assert fixture is not None, f"no folder {rule.code}_{rule.name.replace('-', '_')} in test_fixtures"
    assert fixture.rule == rule.name
    kinds = {program.kind for program in programs(fixture)}
    assert {"bad", "near"} <= kinds


@every_rule
def test_proof(rule: Rule) -> None:
    fixture = FIXTURES[rule.code]
    assert fixture.proofs or fixture.no_proof
    for proof in fixture.proofs:
        assert proof.claim


def test_every_fixture_is_of_a_rule() -> None:
    folders = {folder.name for folder in FOLDER.iterdir() if folder.is_dir() and folder.name.startswith("DL")}
    known = {f"{rule.code}_{rule.name.replace('-', '_')}" for rule in RULES}
    assert folders <= known
