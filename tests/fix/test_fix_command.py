"""``dlint fix`` from the outside."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make, python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_repairs_in_place_and_only_once(project: Path) -> None:
    done = python(project, "dlint", "fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert "photos.py:15: repaired DL101 cv2-threads-in-worker" in done.stdout
    assert "Repaired 1 finding in 1 file, 0 left." in done.stdout
    assert (project / "photos.py").read_text() == REPAIRED
    again = python(project, "dlint", "fix")
    assert (again.returncode, again.stdout) == (0, "Nothing to repair.\n")
    assert sorted(each.name for each in project.iterdir()) == ["photos.py", "pyproject.toml", "train.py"]


def test_diff_is_one_that_patch_takes(project: Path) -> None:
    (project / "photos.py").write_bytes(PHOTOS.replace("\n", "\r\n").encode())
    done = python(project, "dlint", "fix", "--diff")
    assert done.returncode == 1
    assert "Would repair 1 finding" in done.stderr
    assert (project / "photos.py").read_bytes() == PHOTOS.replace("\n", "\r\n").encode()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    diff = python(project, "dlint", "fix", "--diff").stdout
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff.encode(), check=True)
    assert (project / "photos.py").read_bytes() == REPAIRED.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    "name", ["with spaces.py", "line\nbreak.py", 'quote"\\.py', "naïve.py", os.fsdecode(b"caf\xe9.py")]
)
def test_diff_of_a_file_with_an_odd_name(project: Path, name: str) -> None:
    try:
        (project / name).write_text(PHOTOS)
    except (OSError, UnicodeError):
        pytest.skip("the file system does not take the name")
    (project / "train.py").unlink()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    diff = os.fsencode(python(project, "dlint", "fix", "--diff", name).stdout)
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff, check=True)
    assert (project / name).read_text() == REPAIRED


def test_check_only_tells(project: Path) -> None:
    done = python(project, "dlint", "fix", "--check")
    assert done.returncode == 1
    assert "photos.py:15: would repair DL101" in done.stdout
    assert (project / "photos.py").read_text() == PHOTOS
    python(project, "dlint", "fix")
    assert python(project, "dlint", "fix", "--check").returncode == 0


def test_only_the_files_given_are_edited(project: Path) -> None:
    done = python(project, "dlint", "fix", "train.py")
    assert done.returncode == 0
    assert (project / "photos.py").read_text() == PHOTOS


def test_rules_that_are_not_chosen_are_left_alone(project: Path) -> None:
    assert python(project, "dlint", "fix", "--ignore", "DL101").returncode == 0
    assert python(project, "dlint", "fix", "--select", "DL201").returncode == 0
    assert (project / "photos.py").read_text() == PHOTOS


def test_noqa_keeps_a_line_as_it_is(project: Path) -> None:
    text = PHOTOS.replace("# BGR", "# noqa: DL101")
    (project / "photos.py").write_text(text)
    assert python(project, "dlint", "fix").returncode == 0
    assert (project / "photos.py").read_text() == text


def test_a_link_stays_a_link(project: Path, tmp_path: Path) -> None:
    target = project / "originals" / "photos.txt"
    target.parent.mkdir()
    (project / "photos.py").rename(target)
    (project / "photos.py").symlink_to(target)
    assert python(project, "dlint", "fix", "photos.py").returncode == 0
    assert (project / "photos.py").is_symlink()
    assert target.read_text() == REPAIRED


def test_a_file_that_has_two_names_is_repaired_once(project: Path) -> None:
    (project / "alias.py").symlink_to("photos.py")
    done = python(project, "dlint", "fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Repaired 1 finding in 1 file, 0 left." in done.stdout
    assert (project / "photos.py").read_text() == REPAIRED
    assert (project / "alias.py").is_symlink()


def test_a_read_only_file_is_trouble(project: Path) -> None:
    (project / "photos.py").chmod(0o444)
    done = python(project, "dlint", "fix")
    assert done.returncode == 2
    assert "dlint: photos.py: not repaired: it is read-only" in done.stderr
    assert "photos.py:15:16: DL101 left: it is read-only" in done.stdout
    assert "Repaired 0 findings in 0 files, 1 left." in done.stdout
    assert (project / "photos.py").read_text() == PHOTOS


def test_a_file_that_does_not_parse_is_trouble_and_the_others_are_repaired(project: Path) -> None:
    (project / "broken.py").write_text("import cv2\nx = (\n")
    done = python(project, "dlint", "fix")
    assert done.returncode == 2
    assert "broken.py" in done.stderr
    assert (project / "photos.py").read_text() == REPAIRED


def test_a_path_that_does_not_exist(project: Path) -> None:
    done = python(project, "dlint", "fix", "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_executed(project: Path) -> None:
    (project / "photos.py").write_text(PHOTOS + "\nopen('executed', 'w')\n")
    python(project, "dlint", "fix", "--unsafe-fixes")
    assert not (project / "executed").exists()
