"""The remedies as a libcst codemod, run the way libcst runs codemods."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make, python

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
