"""The site's pages of rules: each the page of ``dlint rule`` with its evidence, and an index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from evidence import Claim, Evidence

from dlint.finding import LEVELS
from dlint.reports.pages import SITE, address
from dlint.rules import all_rules
from dlint.rules.families import family_of
from dlint.rules.rule import Rule

INDEX = "rules/index.md"
_REFERENCES = "\n## References\n"


def source_of(rule: Rule) -> str:
    """Where a rule's page lies among the documents: MkDocs makes ``DIR/NAME/`` of ``DIR/NAME.md``."""
    return address(rule.code, rule.name).removeprefix(SITE).rstrip("/") + ".md"


def pages(evidence: Evidence) -> dict[str, str]:
    """The text of every page by its place."""
    rules = all_rules().values()
    return {INDEX: _index(), **{source_of(rule): _page(rule, evidence) for rule in rules}}


def navigation() -> list[dict[str, object]]:
    """The pages below their families, as in ``nav`` of mkdocs.yml."""
    families: list[dict[str, object]] = [
        {family: [{f"{rule.code} {rule.name}": source_of(rule)} for rule in group]}
        for family, group in _families()
    ]
    return [{"All rules": INDEX}, *families]


def _families() -> Iterator[tuple[str, list[Rule]]]:
    for family, group in groupby(all_rules().values(), key=lambda rule: family_of(rule.code)):
        yield family, list(group)


def _page(rule: Rule, evidence: Evidence) -> str:
    heading, _, rest = rule.page.partition("\n")
    body, references, links = rest.rpartition(_REFERENCES)
    shown = "\n".join(_evidence(rule, evidence))
    return f"{heading}\n\n{_in_short(rule)}\n{body}\n{shown}\n{references}{links}\n"


def _in_short(rule: Rule) -> str:
    """What the table of rules says of it."""
    findings = ", ".join(f"`{level}` ({effect})" for level, effect in dict.fromkeys(rule.levels))
    fix = {
        "safe": "`dlint fix` repairs it",
        "unsafe": "`dlint fix --unsafe-fixes` repairs it",
        None: "Repaired by hand",
    }[rule.fix]
    return f"{family_of(rule.code)} · {findings} · {fix}\n"


def _evidence(rule: Rule, evidence: Evidence) -> Iterator[str]:
    claims = evidence.of(rule.code)
    if not claims and rule.code not in evidence.unproved:
        return
    yield "## Evidence\n"
    if not claims:
        yield f"No proof: {evidence.unproved[rule.code]}.\n"
        return
    yield f"{evidence.measured_with} See it on your machine: `dlint prove {rule.code}`;"
    yield f"the proofs of all rules are in [Evidence]({_up('evidence.md')}).\n"
    yield "| claim | start method | the program | with the remedy |"
    yield "| --- | --- | --- | --- |"
    yield from map(_row, claims)


def _row(claim: Claim) -> str:
    said = f"{claim.claim}<br>*{claim.level}*" if claim.level else claim.claim
    did = f"{claim.did}<br>{claim.where}" if claim.where else claim.did
    cells = (said, claim.method, did, claim.remedied)
    return f"| {' | '.join(cells)} |"


def _up(page: str) -> str:
    return "../" * INDEX.count("/") + page


def _index() -> str:
    lines = [
        "# Rules",
        "",
        "Each page is what `dlint rule CODE` shows, with what its proofs did. The level is the worst that a",
        "finding of the rule may have; what decides it stands on the page.",
    ]
    for family, group in _families():
        lines += ["", f"## {family}", "", "| rule | what it finds | level | effect | repair |"]
        lines.append("| --- | --- | --- | --- | --- |")
        lines += map(_listed, group)
    return "\n".join(lines) + "\n"


def _listed(rule: Rule) -> str:
    worst = min((level for level, _ in rule.levels), key=LEVELS.index, default="")
    effects = ", ".join(dict.fromkeys(effect for _, effect in rule.levels))
    off = "" if rule.on_by_default else " Off by default."
    place = source_of(rule).removeprefix(INDEX.removesuffix("index.md"))
    link = f"[{rule.code} {rule.name}]({place})"
    return f"| {link} | {rule.summary}{off} | `{worst}` | {effects} | {rule.fix or 'by hand'} |"
