"""``dlint rules`` and ``dlint rule``, and what the README says of the rules."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from doors import REPOSITORY, dlint

from dlint import engine
from dlint.proofs import programs, proof
from dlint.rules import all_rules
from dlint.rules.families import family_of
from dlint.settings.settings import Settings


def test_the_table_has_every_rule(tmp_path: Path) -> None:
    lines = dlint(tmp_path, "rules").stdout.splitlines()
    of_rules = [line.split() for line in lines if line.startswith("  DL")]
    assert [words[:2] for words in of_rules] == [[rule.code, rule.name] for rule in all_rules().values()]
    text = " ".join(" ".join(lines).split())
    assert text.count("(off by default)") == sum(not rule.on_by_default for rule in all_rules().values())
    families = [line for line in lines if line and not line.startswith(" ")]
    assert families == list(dict.fromkeys(family_of(code) for code in all_rules()))
    first = next(line for line in lines if "DL101" in line)
    assert first.split()[2:7] == ["warning", "hang,", "cost", "safe", "fix"]


def test_a_remedy_is_what_the_page_says(tmp_path: Path) -> None:
    offered: dict[str, set[str]] = {code: set() for code in all_rules()}
    for fixture in (proof.read(folder) for folder in programs.folders()):
        choices = Settings(**fixture.check, select=(fixture.code,))
        project = tmp_path / fixture.code  # where it lies, each would be read with all of dlint
        shutil.copytree(fixture.folder, project)
        (project / ".git").mkdir()
        for finding in engine.check(sorted(project.glob("bad*")), choices).findings:
            if finding.remedy is not None:
                offered[finding.code].add(finding.remedy.applicability)
    wrong = {
        code: (rule.fix, offered[code])
        for code, rule in all_rules().items()
        if (rule.fix is None and offered[code]) or (rule.fix == "unsafe" and "safe" in offered[code])
    }
    assert wrong == {}


def test_rules_as_json_and_markdown(tmp_path: Path) -> None:
    listed = json.loads(dlint(tmp_path, "rules", "--output-format", "json").stdout)
    assert [each["code"] for each in listed] == list(all_rules())
    table = dlint(tmp_path, "rules", "--output-format", "markdown").stdout.splitlines()
    assert len(table) == 2 + len(all_rules())
    assert all(row.count("|") == 4 for row in table)


@pytest.mark.parametrize("wanted", ["DL301", "dl301", "sampler-with-shuffle"])
def test_a_rule_by_code_or_name(tmp_path: Path, wanted: str) -> None:
    result = dlint(tmp_path, "rule", wanted)
    assert result.returncode == 0
    assert result.stdout.startswith("# DL301 sampler-with-shuffle\n")
    assert all_rules()["DL301"].documentation in result.stdout


def test_a_rule_as_json(tmp_path: Path) -> None:
    shown = json.loads(dlint(tmp_path, "rule", "DL301", "--output-format", "json").stdout)
    assert shown["code"] == "DL301"
    assert shown["documentation"].startswith(shown["summary"])


def test_an_unknown_rule_names_the_nearest(tmp_path: Path) -> None:
    result = dlint(tmp_path, "rule", "DL399")
    assert result.returncode == 2
    assert result.stderr.startswith("dlint: no rule is called 'DL399'; did you mean DL")


def test_a_word_of_a_name_lists_the_rules_that_have_it(tmp_path: Path) -> None:
    result = dlint(tmp_path, "rule", "sampler")
    having = [f"{rule.code} {rule.name}" for rule in all_rules().values() if "sampler" in rule.name]
    assert len(having) > 2
    assert result.stderr == f"dlint: no rule is called 'sampler'; there are {', '.join(having)}\n"
    assert "; there is DL301 sampler-with-shuffle\n" in dlint(tmp_path, "rule", "With-Shuffle").stderr
    assert dlint(tmp_path, "rule", "-").stderr == "dlint: no rule is called '-'; `dlint rules` lists all\n"


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)
def test_every_rule_documents_itself(rule: object) -> None:
    summary = getattr(rule, "summary", "")
    documentation = getattr(rule, "documentation", "")
    assert summary and "|" not in summary
    assert len(documentation) > len(summary) + 200


def test_the_readme_names_every_family() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert {f"{code[:3]}xx" for code in all_rules()} <= set(readme.split())
