"""The hooks, run by the real pre-commit against a repository of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None
    or subprocess.run([sys.executable, "-m", "pre_commit", "--version"], capture_output=True).returncode != 0,
    reason="needs git and pre-commit",
)

_ROOT = Path(__file__).parent.parent.parent
_SHIPPED = ("dlint", "test_fixtures", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what this one ships, as pre-commit would clone it."""
    folder = tmp_path_factory.mktemp("dlint")
    for name in _SHIPPED:
        source = _ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder / name)
    _git(folder, "init", "-q")
    _git(folder, "add", "--all")
    _git(folder, "commit", "-q", "-m", "dlint")
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One environment for all tests: making it installs dlint."""
    folder = tmp_path_factory.mktemp("cache")
    yield {**os.environ, "PRE_COMMIT_HOME": str(folder)}
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make(tmp_path)
    (tmp_path / "notes.txt").write_text("import cv2\n")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", "--all")
    _git(tmp_path, "commit", "-q", "-m", "project")
    return tmp_path


def _run(project: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)


def test_manifest_is_valid() -> None:
    done = _run(_ROOT, dict(os.environ), "validate-manifest", ".pre-commit-hooks.yaml")
    assert done.returncode == 0, done.stdout


def test_try_repo_finds_and_fixes_and_fails(project: Path, hooks: Path) -> None:
    done = _run(project, dict(os.environ), "try-repo", str(hooks), "--all-files", "--verbose")
    assert done.returncode == 1, done.stdout + done.stderr
    found, _, fixed = done.stdout.partition("hook id: dlint-fix")
    assert "photos.py:15" in found
    assert "DL101" in found
    assert "files were modified by this hook" in fixed
    assert (project / "photos.py").read_text() == REPAIRED


def _configure(project: Path, hooks: Path) -> None:
    """Have the project use both hooks."""
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=hooks, check=True, capture_output=True, text=True
    ).stdout.strip()
    configuration = (
        f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: dlint\n  - id: dlint-fix\n"
    )
    (project / ".pre-commit-config.yaml").write_text(configuration)
    _git(project, "add", ".pre-commit-config.yaml")


def test_hooks_in_a_project(project: Path, hooks: Path, cache: dict[str, str]) -> None:
    _configure(project, hooks)
    # A clean file is clean although another has a finding; what is not Python is nobody's business.
    clean = _run(project, cache, "run", "dlint", "--files", "train.py", "notes.txt")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    # A file alone is judged within its program: only train.py says that there are workers.
    found = _run(project, cache, "run", "dlint", "--files", "photos.py")
    assert found.returncode == 1, found.stdout + found.stderr
    assert (project / "photos.py").read_text() == PHOTOS

    fixed = _run(project, cache, "run", "dlint-fix", "--files", "photos.py")
    assert fixed.returncode == 1, fixed.stdout + fixed.stderr
    assert (project / "photos.py").read_text() == REPAIRED
    again = _run(project, cache, "run", "--all-files")
    assert again.returncode == 0, again.stdout + again.stderr


def test_what_the_project_excludes_is_left_alone(project: Path, hooks: Path, cache: dict[str, str]) -> None:
    _configure(project, hooks)
    (project / "third_party").mkdir()
    (project / "third_party" / "theirs.py").write_text(PHOTOS)
    (project / "serve.py").write_text(
        (project / "train.py").read_text().replace("photos", "third_party.theirs")
    )
    declaration = project / "pyproject.toml"
    declaration.write_text(f'{declaration.read_text()}\n[tool.dlint]\nexclude = ["third_party/"]\n')
    _git(project, "add", "--all")
    # pre-commit names every file, and does not know what dlint's configuration excludes.
    found = _run(project, cache, "run", "dlint", "--files", "third_party/theirs.py", "--verbose")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "No files were checked: what was named is excluded." in found.stdout
    fixed = _run(project, cache, "run", "dlint-fix", "--all-files")
    assert fixed.returncode == 1, fixed.stdout + fixed.stderr
    assert (project / "photos.py").read_text() == REPAIRED
    assert (project / "third_party" / "theirs.py").read_text() == PHOTOS
    # Who excludes nothing has it repaired.
    declaration.write_text('[project]\nname = "example"\n')
    fixed = _run(project, cache, "run", "dlint-fix", "--files", "third_party/theirs.py")
    assert (project / "third_party" / "theirs.py").read_text() == REPAIRED, fixed.stdout + fixed.stderr
