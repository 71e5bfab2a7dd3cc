"""The site: a page for every address that dlint prints, and documents that are true and hang together."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import evidence
import pytest
import rule_pages

from dlint.proofs import programs, proof
from dlint.reports.pages import SITE, address
from dlint.rules import all_rules
from dlint.rules.rule import Rule

_REPOSITORY = Path(__file__).parents[2]
_DOCS = _REPOSITORY / "docs"
_WRITTEN = [*sorted(_DOCS.glob("*.md")), _REPOSITORY / "README.md", _REPOSITORY / "CONTRIBUTING.md"]
_LINK = re.compile(r"\]\(([^)\s]+)\)")

RULES = pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)


def _evidence() -> evidence.Evidence:
    return evidence.read((_DOCS / "evidence.md").read_text(encoding="utf-8"))


@RULES
def test_a_rule_has_a_page_with_what_the_terminal_shows(rule: Rule) -> None:
    page = rule_pages.pages(_evidence())[rule_pages.source_of(rule)]
    heading, _, rest = rule.page.partition("\n")
    assert page.startswith(f"{heading}\n")
    for section in rest.split("\n## "):
        assert section.strip() in page
    has_evidence = bool(_evidence().of(rule.code)) or rule.code in _evidence().unproved
    assert ("\n## Evidence\n" in page) == has_evidence


def test_the_evidence_is_read_to_the_last_row() -> None:
    found = re.search(r"^(\d+) claims:", (_DOCS / "evidence.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    claims = _evidence().claims
    assert len(claims) == int(found[1])
    assert {claim.code for claim in claims} <= set(all_rules())
    assert all(claim.did for claim in claims)


def test_the_index_has_every_rule() -> None:
    index = rule_pages.pages(_evidence())[rule_pages.INDEX]
    for rule in all_rules().values():
        assert f"[{rule.code} {rule.name}]({Path(rule_pages.source_of(rule)).name})" in index


def _slugs(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", html.unescape(heading).lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in words}


@pytest.mark.parametrize("document", _WRITTEN, ids=lambda path: path.name)
def test_links_hold_as_plain_files_and_lead_to_pages_of_the_site(document: Path) -> None:
    known = {address(rule.code, rule.name) for rule in all_rules().values()}
    known |= {SITE, f"{SITE}rules/", *(f"{SITE}{path.stem}/" for path in _DOCS.glob("*.md"))}
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        place, _, anchor = link.partition("#")
        if place.startswith(SITE):
            assert place in known, link
        elif not place.startswith("http"):
            target = document.parent / place if place else document
            assert target.exists(), link
            assert not anchor or anchor in _slugs(target), link


def test_the_first_finding_is_what_dlint_says(tmp_path: Path) -> None:
    from shutil import copytree

    copytree(_DOCS / "example", tmp_path / "shop")
    command = [sys.executable, "-m", "dlint", "check", "--output-format", "text"]
    said = subprocess.run(command, cwd=tmp_path / "shop", capture_output=True, text=True).stdout
    shown = re.search(r"```text\n(.+?)```", (_DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1] in said


def test_every_error_of_a_proof_can_be_searched_for() -> None:
    page = html.unescape((_DOCS / "errors.md").read_text(encoding="utf-8")).replace("\\", "")
    said = " ".join(page.replace("`", "").split())
    proofs = [each for folder in programs.folders() for each in proof.read(folder).proofs]
    errors = {each.error.removeprefix("RuntimeError: ") for each in proofs if each.error}
    assert {error for error in errors if re.sub(r"^\w+: ", "", error) not in said} == set()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as a release does."""
    pytest.importorskip("material", reason="needs the extra docs")
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(place)]
    subprocess.run(command, cwd=_REPOSITORY, check=True, capture_output=True)
    return place


@RULES
def test_the_address_of_a_rule_is_a_page_of_the_build(site: Path, rule: Rule) -> None:
    page = site / address(rule.code, rule.name).removeprefix(SITE) / "index.html"
    assert f"<title>{rule.code} {rule.name} - dlint</title>" in page.read_text(encoding="utf-8")


def test_no_page_needs_another_server(site: Path) -> None:
    assert list(_loaded(site)) == []


def _loaded(site: Path) -> Iterator[str]:
    """What browsers fetch by themselves from elsewhere."""
    tags = re.compile(
        r"<(?:script|img|iframe|link(?=[^>]+stylesheet))\b[^>]+(?:src|href)=\"?((?:https?:)?//[^\s\">]+)"
    )
    for page in site.rglob("*.html"):
        yield from tags.findall(page.read_text(encoding="utf-8"))


def test_the_search_finds_error_messages(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    titles = {entry["title"] for entry in entries if entry["location"].startswith("errors/#")}
    assert "daemonic processes are not allowed to have children" in titles
    assert "received 0 items of ancdata" in titles


def test_what_makes_the_site_is_not_published(site: Path) -> None:
    assert [path for path in site.rglob("*.py") if path.is_file()] == []
