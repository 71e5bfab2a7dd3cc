"""A commit's files, as dlint reads them without a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlint.running.git import GitError
from dlint.survey.laid_out import is_read, lay_out
from dlint.survey.sources import Source, versions
from tests.survey.conftest import Repository, git
from tests.survey.texts import WRONG

_AUDIT = """
import os, sys
here = os.getcwd()
seen = set()
def hear(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(here):
        seen.add(arguments[0])
sys.addaudithook(hear)
from pathlib import Path
from dlint import engine
from dlint.settings.settings import for_run
engine.check([Path()], for_run([Path()], {}))
print("\\n".join(sorted(seen)))
"""


def _head(repository: Path) -> str:
    commit = versions(Source("it", str(repository)), 1)[0].commit
    assert commit is not None
    return commit


def _laid_out(repository: Path, tmp_path: Path) -> tuple[Path, list[str]]:
    folder = tmp_path / "laid-out"
    folder.mkdir()
    troubles = lay_out(repository, _head(repository), folder)
    return folder, [trouble.message for trouble in troubles]


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def test_what_dlint_reads_is_written_and_nothing_else(repository: Repository, tmp_path: Path) -> None:
    read = {
        "train.py": WRONG,
        "nested/deeper/größe.py": "x = 1\n",
        "explore.ipynb": "{}",
        "pyproject.toml": "",
        "requirements/base.txt": "torch\n",
        "requirements-dev.txt": "",
        "conf/model.yaml": "a: 1\n",
        "Dockerfile.gpu": "FROM a\n",
        ".gitignore": "ignored/\n",
    }
    bare = repository("it", {**read, "photo.jpg": "no", "README.md": "no"})
    folder, troubles = _laid_out(bare, tmp_path)
    assert troubles == []
    assert _files(folder) == read
    assert (folder / ".git").is_dir()


def test_whatever_the_analysis_opens_counts_as_read(tmp_path: Path) -> None:
    names = (
        *("train.py", "setup.py", "setup.cfg", "pyproject.toml", "Pipfile", "Pipfile.lock", "uv.lock"),
        *("requirements.txt", "requirements/a.txt", "environment.yml", "environment-b.yaml", "conf/a.yaml"),
        *("conf/b.json", "Dockerfile", "docker/Dockerfile.b", "docker/c.dockerfile", "tox.ini", "note.md"),
        *(".python-version", "runtime.txt", "conda.yml", "train.sh", "Makefile", "a.ipynb", ".gitignore"),
    )
    (tmp_path / ".git").mkdir()
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(WRONG if name == "train.py" else "")
    command = [sys.executable, "-c", _AUDIT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    opened = {Path(line).relative_to(tmp_path).as_posix() for line in done.stdout.splitlines()}
    assert "train.py" in opened and "requirements/a.txt" in opened
    assert [name for name in opened if not is_read(os.fsencode(name))] == []


def test_links_lead_nowhere_but_into_the_tree(repository: Repository, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("TOKEN = 1\n")
    work = tmp_path / "source"
    (work / "a" / "b").mkdir(parents=True)
    git(work, "init", "--quiet")
    (work / "a" / "b" / "real.py").write_text("x = 1\n")
    (work / "link.py").symlink_to("a/b/real.py")
    (work / "a" / "up.py").symlink_to("../link.py")
    (work / "outside.py").symlink_to("../secret.py")
    (work / "absolute.py").symlink_to(secret)
    (work / "gone.py").symlink_to("nowhere.py")
    (work / "turn").symlink_to("a/b")
    (work / "through.py").symlink_to("turn/../../../secret.py")
    (work / "loop.py").symlink_to("loop.py")
    (work / "folder.py").symlink_to("a")
    git(work, "add", "--all")
    git(work, "commit", "-qm", "links")
    folder, troubles = _laid_out(work, tmp_path)
    assert troubles == []
    assert _files(folder) == {"a/b/real.py": "x = 1\n", "link.py": "x = 1\n", "a/up.py": "x = 1\n"}
    dangling = {path.name for path in folder.iterdir() if path.is_symlink()}
    assert dangling == {"outside.py", "absolute.py", "gone.py", "through.py", "loop.py", "folder.py"}


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "."])
def test_a_name_that_leads_elsewhere_is_left_out(name: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "--quiet")
    (work / "evil.py").write_text("x = 1\n")
    blob = git(work, "hash-object", "-w", "evil.py")

    def tree(mode: bytes, inner: bytes, object_name: str) -> str:
        data = mode + b" " + inner + b"\0" + bytes.fromhex(object_name)
        (tmp_path / "raw").write_bytes(data)
        return git(work, "hash-object", "-t", "tree", "-w", "--literally", str(tmp_path / "raw"))

    whole = tree(b"40000", name.encode(), tree(b"100644", b"evil.py", blob))
    commit = git(work, "commit-tree", "-m", "evil", whole)
    git(work, "update-ref", "HEAD", commit)
    folder = tmp_path / "place" / "laid-out"
    folder.mkdir(parents=True)
    lay_out(work, commit, folder)
    assert list((tmp_path / "place").rglob("*.py")) == []


def test_no_program_that_a_repository_names_runs(repository: Repository, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(0o755)
    bare = repository("it", {"train.py": WRONG, ".gitattributes": "*.py filter=f diff=d textconv=t\n"})
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "gpg.program"),
        *(
            "filter.f.smudge",
            "filter.f.process",
            "diff.d.textconv",
            "diff.external",
            "pager.log",
            "alias.log",
        ),
        *("core.alternateRefsCommand", "uploadpack.packObjectsHook", "trailer.t.command"),
    ):
        git(bare, "config", key, str(program))
    git(bare, "config", "log.showSignature", "true")
    git(bare, "config", "filter.f.required", "true")
    git(bare, "config", "core.hooksPath", str(tmp_path))
    folder, _ = _laid_out(bare, tmp_path)
    assert (folder / "train.py").read_text() == WRONG
    assert len(versions(Source("it", str(bare)), 5)) == 1
    assert not canary.exists()


def test_the_size_of_what_is_too_large_is_kept(repository: Repository, tmp_path: Path) -> None:
    folder, troubles = _laid_out(repository("it", {"data.py": "#" * 10_000_001}), tmp_path)
    assert troubles == []
    assert (folder / "data.py").stat().st_size == 10_000_001


def test_a_repository_that_lacks_an_object_says_so(repository: Repository, tmp_path: Path) -> None:
    bare = repository("it", {"train.py": WRONG, "other.py": "x = 1\n"})
    commit = _head(bare)
    name = git(bare, "rev-parse", f"{commit}:train.py")
    loose = bare / "objects" / name[:2] / name[2:]
    if not loose.exists():
        pack = next((bare / "objects" / "pack").glob("*.pack"))
        data = pack.read_bytes()
        for each in (bare / "objects" / "pack").iterdir():
            each.unlink()
        subprocess.run(["git", "unpack-objects", "-q"], cwd=bare, input=data, check=True)
    loose.unlink()
    folder, troubles = _laid_out(bare, tmp_path)
    assert troubles == ["cannot be read: the repository lacks its content"]
    assert _files(folder) == {"other.py": "x = 1\n"}


def test_versions_are_spread_over_the_history(repository: Repository) -> None:
    bare = repository("it", *({"train.py": f"x = {number}\n"} for number in range(7)))
    everything = [each.commit for each in versions(Source("it", str(bare)), 100)]
    assert len(everything) == 7
    assert [each.commit for each in versions(Source("it", str(bare)), 3)] == [
        everything[index] for index in (0, 3, 6)
    ]
    assert [each.commit for each in versions(Source("it", str(bare)), None)] == everything[:1]
    assert versions(Source("it", str(bare), everything[4]), None)[0].commit == everything[4]
    assert versions(Source("it", str(bare)), 1)[0].committed == 1578355200


def test_a_folder_in_a_repository_is_no_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "inner").mkdir()
    with pytest.raises(GitError, match="not a git repository"):
        versions(Source("it", str(tmp_path / "inner")), 2)
