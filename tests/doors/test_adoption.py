"""What a project's files become when it adopts dlint: they say what they said, and one thing more."""

from __future__ import annotations

import difflib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dlint.adoption.pipelines import with_job, workflow
from dlint.adoption.pre_commit import with_hook
from dlint.adoption.refusal import CannotAdopt
from dlint.adoption.table import with_table
from dlint.project.toml import loads

OURS = {
    "repo": "https://github.com/torch-dlint/torch-dlint",
    "rev": "v1.0",
    "hooks": [{"id": "dlint"}],
}


def lost(before: str, after: str) -> list[str]:
    """The lines that a text has no more."""
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line.startswith("- ")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing yet\n",
        '[project]\nname = "x"  # mine\n',
        "[tool.ruff]\nline-length = 110\n\n[tool.mypy]\nstrict = true\n",
        "[tool.ruff]\nline-length = 110\n\n[project]\nname = 'x'\n\n[tool.mypy]\nstrict = true\n",
        "[tool]\nx = 1\n",
        "tool.x.y = 1\n",
        "[[tool.mypy.overrides]]\nmodule = 'a'\n\n[[tool.mypy.overrides]]\nmodule = 'b'",
        "[tool.ruff]\r\nline-length = 110\r\n",
    ],
)
def test_the_table_is_added_and_nothing_else_changes(text: str) -> None:
    new = with_table(text, None)
    assert loads(new)["tool"]["dlint"] == {"level": "note"}
    assert lost(text, new) == []
    assert with_table(new, None) == new
    known = with_table(new, "known.json")
    assert loads(known)["tool"]["dlint"] == {"level": "note", "baseline": "known.json"}
    assert lost(new, known) == []
    assert with_table(known, "known.json") == known
    if "\r\n" in text:
        assert "\n" not in known.replace("\r\n", "")


def test_a_file_of_known_findings_that_is_named_stays() -> None:
    text = '[tool.dlint]\nbaseline = "other.json"\n'
    assert with_table(text, "known.json") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [("[tool\n", "not valid TOML"), ("tool = 3\n", "by hand"), ("tool = {x = {y = 1}}\n", "by hand")],
)
def test_a_broken_pyproject(text: str, said: str) -> None:
    with pytest.raises(CannotAdopt, match=said) as caught:
        with_table(text, None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# hooks\n",
        "---\n# hooks\nrepos:\n- repo: a\n  hooks:\n  - id: b\n",
        "repos:\n  - repo: a  # why\n    hooks:\n      - id: b\n        # args: [c]\n# the end\n",
        "repos:\n-   repo: a\n    hooks:\n    -   id: b\n        args: [c,\n          d]\n\nci:\n  skip: [b]\n",
        "repos: []\n",
        "repos: []  # none yet\nfail_fast: true\n",
        "repos:\n",
        "repos: # none\nfail_fast: true\n",
        "repos:",
        "fail_fast: true",
        "fail_fast: true\nrepos: []",
        "repos:\n  - repo: a\n    hooks: x\n",
        "repos:\r\n  - repo: a\r\n    hooks:\r\n      - id: b\r\n",
        "repos:\n  - repo: a\n    hooks:\n      - id: b",
        "repos:\n  - repo: a\n    hooks:\n      - id: b\n        entry: |\n          run\n          it\n",
        "repos:\n  - repo: a\n    hooks: [{id: b}]\n",
        "repos:\n  - repo: a\n    hooks: &h\n      - id: b\n  - {repo: c, hooks: *h}\n",
        "# https://github.com/torch-dlint/torch-dlint is not used yet\nrepos:\n  - repo: a\n    hooks: []\n",
    ],
)
def test_the_hook_is_the_last(text: str) -> None:
    new = with_hook(text, "1.0")
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(new)
    assert after == {**before, "repos": [*(before.get("repos") or []), OURS]}
    assert [line for line in lost(text, new) if "repos: []" not in line] == []
    assert with_hook(new, "1.0") == new
    if "\r\n" in text:
        assert "\n" not in new.replace("\r\n", "")


def test_the_hook_is_written_as_the_others_are() -> None:
    new = with_hook("repos:\n-   repo: a\n    hooks:\n    -   id: b\n\nci:\n  skip: [b]\n", "1.0")
    assert "    hooks:\n    -   id: b\n-   repo: https" in new
    assert "    rev: v1.0\n    hooks:\n    -   id: dlint\n\nci:" in new


@pytest.mark.parametrize(
    "text",
    [
        "repos:\n  - repo: https://github.com/torch-dlint/torch-dlint\n    hooks:\n      - id: dlint-fix\n",
        "repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: dlint check --level error\n",
        "repos:\n  - repo: a\n    hooks:\n      - id: flake8\n        additional_dependencies: [torch-dlint]\n",
    ],
)
def test_who_has_it_run_already_gets_nothing(text: str) -> None:
    assert with_hook(text, "1.0") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repos: [", "not valid YAML: line 1"),
        ("repos:\n\t- x", "not valid YAML: line 2"),
        ("\0", "not valid YAML"),
        ("[" * 50_000, "nested too deeply"),
        ("repos: [{repo: a}]", "in a way"),
        ("repos: 3", "in a way"),
        ("- repo: a", "in a way"),
        ("{fail_fast: true}", "in a way"),
        ("repos:\n  - repo: a\n...\n---\nx: 1\n...\n", "in a way"),
    ],
)
def test_a_configuration_that_cannot_be_added_to(text: str, said: str) -> None:
    with pytest.raises(CannotAdopt, match=said) as caught:
        with_hook(text, "1.0")
    assert "\n" not in str(caught.value)


@given(st.text(alphabet="repos:- \n#[]{}a'\"|>&*\r", max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    for adopting in (lambda text: with_hook(text, "1.0"), with_job, lambda text: with_table(text, None)):
        try:
            new = adopting(text)
        except CannotAdopt as error:
            assert "\n" not in str(error)
        else:
            assert adopting(new) == new


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("", None),
        ("# nothing\n", None),
        ("test:\n  script: [pytest]  # all\n", None),
        ("stages: [build, test]\ntest:\n  script: [pytest]", None),
        ("stages:\n  - lint\n  - 'on'\nx:\n  script: !reference [.a, script]\n", "lint"),
        ("stages: ['on']\n", "on"),
        ("stages: [!reference [a, b]]\n", None),
        ("spec:\n  inputs: {}\n---\ntest:\n  script: [pytest]\n", None),
    ],
)
def test_the_job_is_the_last(text: str, stage: str | None) -> None:
    new = with_job(text)
    assert lost(text, new) == []
    job = yaml.safe_load(new[new.index("dlint:") :])["dlint"]
    assert job["script"] == ["pip install torch-dlint", "dlint check"]
    assert job.get("stage") == stage
    assert with_job(new) == new


def test_a_job_of_that_name_stays() -> None:
    with pytest.raises(CannotAdopt, match="has a job 'dlint'"):
        with_job("dlint:\n  script: [other]\n")


def test_the_workflow_is_valid() -> None:
    steps = yaml.safe_load(workflow())["jobs"]["dlint"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["pip install torch-dlint", "dlint check"]
