"""Nothing is written to what lies outside the tree, nor to a file that has other names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make, python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs links")
_CODEMOD = ("libcst.tool", "codemod", "-x", "dlint.codemod.FixCommand", "--no-format", "-j", "1", ".")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return make(folder)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file with a finding that is none of the project's."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "photos.py").write_text(PHOTOS)
    return folder / "photos.py"


@pytest.mark.parametrize("named", [".", "photos.py"])
@pytest.mark.parametrize("options", [(), ("--diff",), ("--check",)])
def test_a_link_out_of_the_tree_is_left_and_named(
    project: Path, outside: Path, named: str, options: tuple[str, ...]
) -> None:
    (project / "photos.py").unlink()
    (project / "photos.py").symlink_to(outside)
    done = python(project, "dlint", "fix", named, *options)
    expected = (
        f"photos.py:15:16: DL101 left: the file is a link to {os.path.realpath(outside)}, outside the tree: "
        "name that file to have it repaired\n"
    )
    assert expected in done.stdout + done.stderr
    assert done.returncode == (0 if options else 1)
    assert outside.read_text() == PHOTOS
    assert (project / "photos.py").is_symlink()
    assert not done.stdout.startswith("---")


@pytest.mark.parametrize("named", ["away", "away/photos.py"])
def test_a_file_behind_a_linked_folder_is_left(project: Path, outside: Path, named: str) -> None:
    (project / "photos.py").unlink()
    (project / "pyproject.toml").touch()  # without it, the folder that is named would be the tree
    (project / "away").symlink_to(outside.parent, target_is_directory=True)
    (project / "train.py").write_text((project / "train.py").read_text().replace("photos", "away.photos"))
    done = python(project, "dlint", "fix", named)
    assert done.returncode == 1
    assert f"left: the file lies behind a link, at {os.path.realpath(outside)}, outside" in done.stdout
    assert outside.read_text() == PHOTOS


def test_the_file_itself_can_be_named(project: Path, outside: Path) -> None:
    (outside.parent / "train.py").write_text((project / "train.py").read_text())
    (project / "photos.py").unlink()
    (project / "photos.py").symlink_to(outside)
    assert python(project, "dlint", "fix", ".", "../elsewhere").returncode == 0
    assert outside.read_text() == REPAIRED


def test_a_project_behind_a_link_is_a_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(project, target_is_directory=True)
    assert python(tmp_path / "short", "dlint", "fix").returncode == 0
    assert (project / "photos.py").read_text() == REPAIRED
    (project / "photos.py").write_text(PHOTOS)
    assert python(tmp_path, "dlint", "fix", "short").returncode == 0
    assert (project / "photos.py").read_text() == REPAIRED


def test_a_folder_whose_name_only_begins_like_the_tree_is_outside(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "project-other" / "photos.py"
    target.parent.mkdir()
    target.write_text(PHOTOS)
    (project / "photos.py").unlink()
    (project / "photos.py").symlink_to(target)
    assert python(project, "dlint", "fix").returncode == 1
    assert target.read_text() == PHOTOS


def test_a_file_with_another_name_is_left(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "copy.py"
    os.link(project / "photos.py", other)
    done = python(project, "dlint", "fix")
    assert done.returncode == 1
    assert "photos.py:15:16: DL101 left: the file has another name (hard links)" in done.stdout
    assert "Repaired 0 findings in 0 files, 1 left." in done.stdout
    assert (project / "photos.py").read_text() == other.read_text() == PHOTOS
    assert (project / "photos.py").samefile(other)
    other.unlink()
    assert python(project, "dlint", "fix").returncode == 0
    assert (project / "photos.py").read_text() == REPAIRED


def test_the_codemod_leaves_the_same(project: Path, outside: Path, tmp_path: Path) -> None:
    (project / "linked.py").symlink_to(outside)
    (project / "hard.py").write_text(PHOTOS)
    os.link(project / "hard.py", tmp_path / "hard.py")
    for name in ("linked", "hard"):
        train = (project / "train.py").read_text().replace("photos", name)
        (project / f"train_{name}.py").write_text(train)
    done = python(project, *_CODEMOD)
    assert "linked.py: not repaired: the file is a link to" in done.stderr
    assert "hard.py: not repaired: the file has another name" in done.stderr
    assert "Skipped 2 files" in done.stderr
    assert outside.read_text() == (project / "hard.py").read_text() == PHOTOS
    assert (project / "photos.py").read_text() == REPAIRED


def test_a_wrong_key_gives_the_codemod_one_line(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.dlint]\nselct = []\n")
    done = python(project, *_CODEMOD)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "photos.py: " in line]
    assert len(lines) == 1
    assert lines[0].endswith("dlint: pyproject.toml: [tool.dlint] has no key 'selct'; did you mean 'select'?")
    assert (project / "photos.py").read_text() == PHOTOS
