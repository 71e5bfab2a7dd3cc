"""``dlint init``, as users call it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from doors import CLEAN, HAZARD, REPOSITORY, dlint, write

FILES = ["pyproject.toml", ".pre-commit-config.yaml", ".github/workflows/dlint.yml"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {".git/HEAD": "", "a.py": CLEAN})


def on_terminal(folder: Path, *answers: str) -> tuple[int, str]:
    """The exit code and all that a terminal shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dlint", "init"],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "NO_COLOR": "1"},
    )
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode() + b"\x04\x04")
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # Linux' way to say that nobody writes any more
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode().replace("\r\n", "\n")


def there(folder: Path) -> list[str]:
    return [name for name in FILES if (folder / name).exists()]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".dlint_cache" not in path.parts
    }


def test_nobody_can_be_asked(project: Path) -> None:
    before = snapshot(project)
    result = dlint(project, "init")
    assert result.returncode == 1
    assert "+[tool.dlint]\n" in result.stdout and "+++ b/.github/workflows/dlint.yml\n" in result.stdout
    assert "`dlint init --yes` writes" in result.stderr
    assert snapshot(project) == before


def test_yes_writes_and_again_does_nothing(project: Path) -> None:
    result = dlint(project, "init", "--yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert there(project) == FILES
    before = snapshot(project)
    for options in ([], ["--yes"]):
        again = dlint(project, "init", *options)
        assert (again.returncode, again.stdout, again.stderr) == (
            0, "Nothing to write: the project uses dlint already.\n", "",
        )  # fmt: skip
    assert snapshot(project) == before
    assert dlint(project, "check").returncode == 0


def test_each_file_is_asked_about(project: Path) -> None:
    code, shown = on_terminal(project, "?", "y", "n", "n")
    assert code == 0 and there(project) == ["pyproject.toml"]
    assert "q - write no more" in shown and "Write .pre-commit-config.yaml [y,n,a,q,?]?" in shown
    code, shown = on_terminal(project, "n", "q")
    assert code == 0 and there(project) == ["pyproject.toml"]
    assert on_terminal(project)[0] == 0 and there(project) == ["pyproject.toml"]  # nobody answers
    assert on_terminal(project, "a")[0] == 0 and there(project) == FILES


def test_findings_lead_to_a_baseline_that_is_named(project: Path) -> None:
    write(project, {"a.py": HAZARD})
    assert "`dlint check` shows 1 finding." in dlint(project, "init", "--yes").stdout
    assert dlint(project, "check").returncode == 1
    assert dlint(project, "baseline").returncode == 0
    again = dlint(project, "init", "--yes")
    assert "`dlint check` shows" not in again.stdout
    assert 'baseline = "dlint-baseline.json"' in (project / "pyproject.toml").read_text()
    assert dlint(project, "check").returncode == 0


def test_gitlab(project: Path) -> None:
    write(project, {".gitlab-ci.yml": "stages: [lint]  # all\n"})
    assert dlint(project, "init", "-y").returncode == 0
    text = (project / ".gitlab-ci.yml").read_text()
    assert text.startswith("stages: [lint]  # all\n\ndlint:\n  stage: lint\n")
    assert not (project / ".github").exists()


def test_a_workflow_of_the_projects_own(project: Path) -> None:
    write(project, {".github/workflows/all.yaml": "jobs: {a: {steps: [{run: dlint check}]}}\n"})
    assert dlint(project, "init", "-y").returncode == 0
    assert not (project / ".github/workflows/dlint.yml").exists()


def test_a_project_below_the_top_of_its_repository(project: Path) -> None:
    inner = write(project / "packages" / "one", {"pyproject.toml": '[project]\nname = "one"\n'})
    assert dlint(inner, "init", "-y").returncode == 0
    assert "[tool.dlint]" in (inner / "pyproject.toml").read_text()
    assert there(project) == FILES[1:] and there(inner) == FILES[:1]


def test_what_is_broken_is_named_and_the_others_are_written(project: Path) -> None:
    write(project, {".pre-commit-config.yaml": "repos: [\n"})
    result = dlint(project, "init", "--yes")
    assert result.returncode == 2
    assert result.stderr.startswith("dlint: .pre-commit-config.yaml: not valid YAML: line 2: ")
    assert result.stderr.count("\n") == 1 and "Traceback" not in result.stderr
    assert (project / ".pre-commit-config.yaml").read_text() == "repos: [\n"
    assert there(project) == FILES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.dlint\n", "not valid TOML"),
        ("[x\n", "not valid TOML"),
        ("[tool.dlint]\nx = 1\n", "has no key"),
    ],
)
def test_a_broken_pyproject(project: Path, text: str, said: str) -> None:
    write(project, {"pyproject.toml": text})
    result = dlint(project, "init", "--yes")
    assert result.returncode == 2 and said in result.stderr and "Traceback" not in result.stderr
    assert (project / "pyproject.toml").read_text() == text


def test_no_file_at_all_stands_there(project: Path) -> None:
    (project / ".pre-commit-config.yaml").mkdir()
    write(project, {"pyproject.toml": b"x = '\xff'\n", ".github/workflows": b""})
    result = dlint(project, "init", "--yes")
    assert result.returncode == 2
    assert result.stderr.splitlines() == [
        "dlint: pyproject.toml: is not UTF-8",
        "dlint: .pre-commit-config.yaml: is a folder, not a file",
        "dlint: .github/workflows/dlint.yml: not written: File exists",
    ]


def test_nothing_is_written_through_a_link_that_leads_out(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = write(tmp_path_factory.mktemp("outside"), {"config": "repos: []\n"})
    (project / ".pre-commit-config.yaml").symlink_to(outside / "config")
    (project / ".github").symlink_to(outside)
    result = dlint(project, "init", "--yes")
    assert result.returncode == 2 and result.stderr.count("a link that leads out of the project") == 2
    assert snapshot(outside) == {"config": b"repos: []\n"}


def test_a_name_of_the_tree_commands_no_terminal(project: Path) -> None:
    write(project, {"pyproject.toml": '# \x1b[31m\nx = "\u202e"\n'.replace("\x1b", "\u009b")})
    assert "\u202e" not in dlint(project, "init").stdout


def test_the_home_folder_is_nobodys_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    result = dlint(tmp_path, "init", "--yes")
    assert result.returncode == 2 and "is nobody's project" in result.stderr
    assert snapshot(tmp_path) == {}


def test_a_setup_py_that_imports_torch_stays_as_it_is_built(project: Path) -> None:
    write(project, {"a.py": HAZARD, "setup.py": "import torch\n", ".gitlab-ci.yml": ""})
    assert dlint(project, "baseline").returncode == 0
    result = dlint(project, "init", "--yes")
    assert result.returncode == 0
    assert "No pyproject.toml is made" in result.stdout
    assert there(project) == [".pre-commit-config.yaml"]
    assert "dlint check --baseline dlint-baseline.json" in (project / ".gitlab-ci.yml").read_text()
    hook = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"][0]
    assert hook == {"id": "dlint", "args": ["--baseline", "dlint-baseline.json"]}
    assert dlint(project, "init", "--yes").stdout.startswith("Nothing to write")
