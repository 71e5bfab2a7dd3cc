"""The remedies as a libcst codemod, run the way libcst runs codemods."""

from __future__ import annotations

from pathlib import Path

import pytest
from libcst import tool

from dlint import codemod
from tests.fix.project import PHOTOS, REPAIRED, TRAIN, make, python

_COMMAND = ("libcst.tool", "codemod", "-x", "dlint.codemod.FixCommand", "--no-format", "-j", "1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_repairs_what_dlint_fix_repairs(project: Path) -> None:
    done = python(project, *_COMMAND, ".")
    assert done.returncode == 0, done.stderr
    assert (project / "photos.py").read_text() == REPAIRED


def test_the_configuration_of_libcst_applies(project: Path) -> None:
    (project / ".libcst.codemod.yaml").write_text(
        "blacklist_patterns: []\nformatter: ['sed', 's/BGR/bgr/']\nmodules: ['dlint']\nrepo_root: '.'\n"
    )
    listed = python(project, "libcst.tool", "list")
    assert "codemod.FixCommand" in listed.stdout
    done = python(project, "libcst.tool", "codemod", "codemod.FixCommand", "-j", "1", "photos.py")
    assert done.returncode == 0, done.stderr
    assert (project / "photos.py").read_text() == REPAIRED.replace("BGR", "bgr")


def test_one_place_that_cures_several_files_is_the_only_one_edited(project: Path) -> None:
    more = PHOTOS.replace("import cv2\n", "import cv2\n\nfrom photos import Photos\n").replace(
        "class Photos(", "class Others("
    )
    (project / "others.py").write_text(more)
    (project / "train.py").write_text(
        TRAIN + "from others import Others\nDataLoader(Others([]), num_workers=2)\n"
    )
    before = {path.name: path.read_text() for path in project.glob("*.py")}
    assert python(project, "dlint", "fix").returncode == 0
    fixed = {path.name: path.read_text() for path in project.glob("*.py")}
    assert fixed["others.py"] == before["others.py"]
    for name, text in before.items():
        (project / name).write_text(text)
    assert python(project, *_COMMAND, ".").returncode == 0
    assert {path.name: path.read_text() for path in project.glob("*.py")} == fixed


def test_the_program_is_analysed_once_a_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def repair(*arguments: object, **options: object) -> object:
        runs.append(arguments)
        return original(*arguments, **options)  # type: ignore[arg-type]

    original = codemod.repair
    monkeypatch.setattr(codemod, "repair", repair)
    arguments = ["codemod", "-x", "dlint.codemod.FixCommand", "--no-format", "-j", "1", str(project)]
    monkeypatch.setattr("sys.argv", ["libcst.tool", *arguments])
    assert tool.main("libcst.tool", arguments) == 0
    assert len(runs) == 1
    assert (project / "photos.py").read_text() == REPAIRED


def test_choices(project: Path) -> None:
    done = python(project, *_COMMAND, "--select", "DL2", ".")
    assert done.returncode == 0, done.stderr
    assert (project / "photos.py").read_text() == PHOTOS


def test_a_byte_order_mark_stays(project: Path) -> None:
    mark = b"\xef\xbb\xbf"
    (project / "photos.py").write_bytes(mark + PHOTOS.encode())
    assert python(project, *_COMMAND, ".").returncode == 0
    assert (project / "photos.py").read_bytes() == mark + REPAIRED.encode()


def test_a_file_that_libcst_would_not_give_back_is_skipped(project: Path) -> None:
    data = b"\x0c" + PHOTOS.encode()
    (project / "photos.py").write_bytes(data)
    done = python(project, *_COMMAND, ".")
    assert "use dlint fix" in done.stderr
    assert (project / "photos.py").read_bytes() == data
