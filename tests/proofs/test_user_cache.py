"""What proofs find in the user's cache: a torch before 1.9, an OpenCL driver."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dlint.proofs import older_torch, opencl_cpu
from dlint.proofs.proof import Needs
from dlint.proofs.user_cache import BuildError, run

from .test_prove_command import MACHINE


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    return tmp_path / "dlint"


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_an_older_torch_is_asked_for_and_used(cache: Path) -> None:
    needs = Needs(older_torch=True)
    assert "python -m dlint.proofs.older_torch" in (MACHINE.lacks(needs, "fork") or "")
    _program(older_torch.python(), "#!/bin/sh\n")
    assert cache in older_torch.python().parents
    assert MACHINE.lacks(needs, "fork") is None


def test_a_python_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="--python"):
        older_torch.find()
    _program(tmp_path / "python3.9", "#!/bin/sh\nexit 127\n")
    right = _program(tmp_path / "python3.8", "#!/bin/sh\nexit 0\n")
    assert older_torch.find() == str(right)


def test_a_python_that_has_no_wheels(cache: Path, tmp_path: Path) -> None:
    wrong = _program(tmp_path / "python3.9", "#!/bin/sh\necho no venv here\nexit 1\n")
    with pytest.raises(BuildError, match="exit code 1"):
        older_torch.make(str(wrong))
    assert not older_torch.is_made()
    assert [path.name for path in cache.iterdir()] == ["older-torch.log"]
    assert "no venv here" in (cache / "older-torch.log").read_text()


def test_a_driver_is_seen_unless_the_user_has_said(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opencl_cpu.variables() == {}
    (opencl_cpu.folder() / "vendors").mkdir(parents=True)
    assert opencl_cpu.variables() == {"OCL_ICD_VENDORS": str(cache / "pocl-3.0" / "vendors")}
    monkeypatch.setenv("OCL_ICD_VENDORS", "/elsewhere")
    assert opencl_cpu.variables() == {}


def test_a_step_says_where_its_log_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as out, pytest.raises(BuildError, match=str(log)):
        run(["sh", "-c", "echo broken; exit 3"], tmp_path, out, log)
    assert log.read_text() == "broken\n"
