"""Which program a path belongs to: never more than what lies together."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import dlint, write

from dlint.project import files
from dlint.settings.settings import load

# A finding hangs on two files: the loader's workers run what the dataset's file does.
DATASET = """\
import cv2
from torch.utils.data import Dataset


class Photos(Dataset):
    def __getitem__(self, index):
        return cv2.imread(str(index))
"""
TRAIN = """\
from torch.utils.data import DataLoader

from parts.photos import Photos

loader = DataLoader(Photos(), num_workers=2)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the user's, in which he stands."""
    folder = tmp_path / "home" / "me"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.chdir(folder)
    return folder


def program(root: Path, asked: Path, *named: Path) -> list[str]:
    """The files that are read for a file, from the home folder."""
    (found,) = files.programs([asked], named or [asked])
    return [path.relative_to(root).as_posix() for path in found.files]


def test_a_disk_and_the_home_folder_are_no_program(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, dict.fromkeys(("scripts/a.py", "scripts/sub/b.py", "other/c.py", "d.py"), ""))
    write(home, {".git/HEAD": "", "requirements.txt": "", "pyproject.toml": ""})
    for place in (home, home.parent, Path(home.anchor)):
        monkeypatch.chdir(place)
        assert files.project_root(home / "scripts/a.py") == home / "scripts"
        assert program(home, home / "scripts/a.py") == ["scripts/a.py", "scripts/sub/b.py"]


def test_a_file_in_the_home_folder_has_its_neighbours_and_packages(home: Path) -> None:
    write(home, dict.fromkeys(("a.py", "b.py", "pkg/__init__.py", "pkg/sub/c.py", "work/d.py"), ""))
    assert program(home, home / "a.py") == ["a.py", "b.py", "pkg/__init__.py", "pkg/sub/c.py"]


def test_who_names_the_home_folder_means_all_of_it(home: Path) -> None:
    write(home, dict.fromkeys(("a.py", "work/d.py"), ""))
    assert program(home, home / "a.py", home) == ["a.py", "work/d.py"]


def test_a_package_is_a_program_with_what_lies_beside_it(home: Path) -> None:
    names = ("x/pkg/__init__.py", "x/pkg/sub/__init__.py", "x/pkg/sub/a.py", "x/train.py", "x/huge/data.py")
    write(home, dict.fromkeys(names, ""))
    assert files.project_root(home / "x/pkg/sub/a.py") == home / "x"
    assert program(home, home / "x/pkg/sub/a.py") == sorted(set(names) - {"x/huge/data.py"})


def test_the_home_folder_as_a_package(home: Path) -> None:
    write(home, dict.fromkeys(("__init__.py", "a.py", "work/d.py"), ""))
    assert program(home, home / "a.py") == ["__init__.py", "a.py"]


@pytest.mark.parametrize(
    "marker", [".git/HEAD", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]
)
def test_a_marker_above_makes_the_program(home: Path, marker: str) -> None:
    write(home, dict.fromkeys((f"x/{marker}", "x/src/a.py", "x/lib/b.py"), ""))
    assert files.project_root(home / "x/src/a.py") == home / "x"


def test_a_repository_goes_before_a_package_and_that_before_requirements(home: Path) -> None:
    write(home, dict.fromkeys(("x/.git/HEAD", "x/y/setup.py", "x/y/z/requirements.txt", "x/y/z/a.py"), ""))
    assert files.project_root(home / "x/y/z/a.py") == home / "x"
    (home / "x/.git/HEAD").unlink()
    (home / "x/.git").rmdir()
    assert files.project_root(home / "x/y/z/a.py") == home / "x/y"


def test_a_named_folder_is_one_program(home: Path) -> None:
    write(
        home,
        dict.fromkeys(("x/train.py", "x/parts/photos.py", "x/docs/requirements.txt", "x/docs/conf.py"), ""),
    )
    write(home, dict.fromkeys(("x/vendored/.git/HEAD", "x/vendored/v.py"), ""))
    asked = [home / "x" / name for name in ("docs/conf.py", "parts/photos.py", "train.py", "vendored/v.py")]
    found = files.programs(asked, [home / "x", home / "x/parts"])
    assert [(each.root, each.asked) for each in found] == [
        (home / "x", asked[:3]),
        (home / "x/vendored", asked[3:]),
    ]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_named_folder_without_markers_is_checked_and_repaired_as_one(home: Path, jobs: str) -> None:
    write(home, {"x/train.py": TRAIN, "x/parts/photos.py": DATASET, "z.py": ""})
    result = dlint(home, "check", "x", "--select", "DL101", "--output-format", "concise", "--jobs", jobs)
    assert result.stdout.startswith("x/parts/photos.py:7:16: DL101 ")
    assert dlint(home, "fix", "x", "--select", "DL101").returncode == 0
    assert "cv2.setNumThreads(0)" in (home / "x/parts/photos.py").read_text()


def test_settings_do_not_come_from_folders_that_are_nobodys(home: Path) -> None:
    write(home, {"pyproject.toml": '[tool.dlint]\nselect = ["DL1"]\n', "x/y/a.py": ""})
    write(home, {"z/pyproject.toml": '[tool.dlint]\nselect = ["DL2"]\n', "z/y/requirements.txt": ""})
    assert load(home / "x").select == ()
    assert load(home / "z/y").select == ("DL2",)
    assert load(home).select == ("DL1",)


def test_a_path_given_twice_is_reported_once(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "pkg/a.py": "x = (\n"})
    ways = [
        "pkg",
        "pkg/a.py",
        "./pkg/a.py",
        f"{tmp_path}/pkg/a.py",
        f"/{tmp_path}/pkg/a.py",
        "pkg/../pkg",
        "gone",
        "gone",
    ]
    result = dlint(tmp_path, "check", *ways)
    assert result.stderr.splitlines() == [
        "dlint: gone: no such file or folder",
        "dlint: pkg/a.py:1: syntax error: '(' was never closed",
    ]
    assert result.stdout == "No files were checked; 2 paths could not be checked.\n"
