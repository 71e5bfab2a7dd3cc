"""The workflows and the action: sound by their schemas and linters, and nothing given becomes a script."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dlint.adoption.pipelines import workflow

_REPOSITORY = Path(__file__).parents[2]
_ACTION = _REPOSITORY / "action.yml"
_WORKFLOWS = sorted((_REPOSITORY / ".github/workflows").glob("*.yml"))


def _run(*command: str) -> None:
    result = subprocess.run(command, cwd=_REPOSITORY, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def _program(name: str) -> str:
    """A program of this environment, or of the path."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"needs {name}")
    return found


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", _WORKFLOWS),
        ("github-actions", [_ACTION]),
        ("readthedocs", [_REPOSITORY / ".readthedocs.yaml"]),
    ],
)
def test_the_schema_is_met(schema: str, files: list[Path]) -> None:
    _run(_program("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *map(str, files))


def _guides() -> list[str]:
    """The workflows that the guide tells people to write, and the one that `dlint init` writes."""
    text = (_REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
    found = re.findall(r"^name: dlint\non:.*?(?=^```$)", text, re.MULTILINE | re.DOTALL)
    assert found
    return [*found, workflow(), workflow(("--baseline", "known.json"))]


def test_the_workflows_of_the_guides_are_sound(tmp_path: Path) -> None:
    for number, each in enumerate(_guides()):
        (tmp_path / f"{number}.yml").write_text(each, encoding="utf-8")
    files = sorted(map(str, tmp_path.glob("*.yml")))
    _run(_program("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *files)


def test_nothing_can_be_injected() -> None:
    _run(
        _program("zizmor"), "--offline", "--no-progress", "--config", ".github/zizmor.yml",
        str(_ACTION), *map(str, _WORKFLOWS),
    )  # fmt: skip


def test_actionlint_finds_nothing() -> None:
    _run(_program("actionlint"), *map(str, _WORKFLOWS))


def _action() -> Any:
    return yaml.safe_load(_ACTION.read_text(encoding="utf-8"))


def test_the_action_hands_every_input_on_and_none_into_a_script() -> None:
    action = _action()
    used = set(re.findall(r"inputs\.([\w-]+)", _ACTION.read_text(encoding="utf-8")))
    assert used == set(action["inputs"])
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_the_guide_has_every_input() -> None:
    guide = (_REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| .* \|$", guide.partition("## GitLab")[0], re.MULTILINE)
    assert sorted(rows) == sorted(_action()["inputs"])


_FAKE = """\
#!/bin/sh
# As Python it makes an environment of copies of itself; each notes what it was called with.
printf '%s\\n' "$(basename "$0")" "$@" -- >>"$CALLS"
if [ "$3" = venv ]; then mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$0" "$4/bin/dlint"; fi
"""


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """What GitHub gives the action, with inputs left out, and programs that only note how they are called."""
    fake = tmp_path / "fake"
    fake.write_text(_FAKE)
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "temp").mkdir()
    inputs = {
        f"INPUT_{name.upper().replace('-', '_')}": str(each["default"])
        for name, each in _action()["inputs"].items()
    }
    return {
        "PATH": os.environ["PATH"],
        "CALLS": str(tmp_path / "calls"),
        "DLINT_PYTHON": str(fake),
        "GITHUB_ACTION_PATH": str(_REPOSITORY),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        **inputs,
    }


def _called(runner: dict[str, str], tmp_path: Path) -> list[list[str]]:
    """Every call the action makes, as words."""
    script = _REPOSITORY / ".github/action.sh"
    subprocess.run([_program("bash"), str(script)], cwd=tmp_path, env=runner, check=True)
    calls: list[list[str]] = [[]]
    for line in (tmp_path / "calls").read_text().splitlines():
        # A name of a program begins a call.
        if line in {"fake", "python", "dlint"} and (not calls[-1] or calls[-1][-1] == "--"):
            calls.append([])
        calls[-1].append(line)
    return [call[:-1] for call in calls if call]


def test_the_action_as_it_comes(runner: dict[str, str], tmp_path: Path) -> None:
    made, installed, checked = _called(runner, tmp_path)
    assert made[1:4] == ["-I", "-m", "venv"]
    assert installed[:4] == ["python", "-I", "-m", "pip"]
    assert installed[-1] == str(_REPOSITORY)
    assert checked == ["dlint", "check", "--", "."]


def test_the_action_with_inputs(runner: dict[str, str], tmp_path: Path) -> None:
    given = {
        "INPUT_VERSION": "0.1.0",
        "INPUT_LEVEL": "warning",
        "INPUT_BASELINE": "known findings.json",
        "INPUT_DIFF_BASE": "origin/main",
        "INPUT_ARGS": "--select\nDL1\n",
        "INPUT_PATHS": "src\nmy scripts\n",
    }
    *_, installed, checked = _called({**runner, **given}, tmp_path)
    assert installed[-1] == "torch-dlint==0.1.0"
    assert checked == [
        "dlint", "check", "--level=warning", "--baseline=known findings.json", "--diff-base=origin/main",
        "--select", "DL1", "--", "src", "my scripts",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "evil", ["$(touch evil)", "`touch evil`", "; touch evil", '"; touch evil; "', "a' && touch evil '"]
)
def test_an_input_is_never_a_command(runner: dict[str, str], tmp_path: Path, evil: str) -> None:
    named = {name for name in runner if name.startswith("INPUT_")}
    *_, checked = _called({**runner, **dict.fromkeys(named, evil)}, tmp_path)
    assert not (tmp_path / "evil").exists()
    assert checked == [
        "dlint", "check", f"--level={evil}", f"--baseline={evil}", f"--diff-base={evil}", evil, "--", evil,
    ]  # fmt: skip


def test_the_action_writes_sarif_too(runner: dict[str, str], tmp_path: Path) -> None:
    *_, written, checked = _called({**runner, "INPUT_SARIF": "true"}, tmp_path)
    place = f"{runner['RUNNER_TEMP']}/dlint.sarif"
    assert written == ["dlint", "check", "--output-format", "sarif", "--output-file", place, "--", "."]
    assert checked == ["dlint", "check", "--", "."]
