"""A file is replaced whole or not at all, and what it is besides its bytes stays."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint.rewriting.files import CannotWrite, replace

_OLD, _NEW = b"import cv2\n", b"import cv2\n\ncv2.setNumThreads(0)\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_bytes(_OLD)
    return path


def _only(path: Path) -> bool:
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_bytes_are_replaced(file: Path) -> None:
    replace(file, _OLD, _NEW)
    assert file.read_bytes() == _NEW
    assert _only(file)


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o2775])
def test_mode_stays(file: Path, mode: int) -> None:
    file.chmod(mode)
    replace(file, _OLD, _NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_times_are_of_today(file: Path) -> None:
    os.utime(file, (1, 1))
    replace(file, _OLD, _NEW)
    assert file.stat().st_mtime > 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_owner_stays(file: Path) -> None:
    os.chown(file, 1234, 4321)
    file.chmod(0o4755)
    replace(file, _OLD, _NEW)
    after = file.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (1234, 4321, 0o4755)


def test_owner_that_cannot_be_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    real = Path.stat

    def other_owner(self: Path, **kwargs: bool) -> os.stat_result:
        result = real(self, **kwargs)
        if self.name.endswith(".dlint"):
            return result
        fields = list(result)
        fields[stat.ST_UID] = result.st_uid + 1
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "stat", other_owner)
    with pytest.raises(CannotWrite, match="another user"):
        replace(file, _OLD, _NEW)
    assert file.read_bytes() == _OLD
    assert _only(file)


def test_link_stays_and_its_target_changes(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.py"
    link.symlink_to(Path("..") / file.name)
    replace(link, _OLD, _NEW)
    assert link.is_symlink()
    assert file.read_bytes() == _NEW
    assert not file.is_symlink()


def test_changed_meanwhile(file: Path) -> None:
    file.write_bytes(b"x = 1\n")
    with pytest.raises(CannotWrite, match="changed on disk"):
        replace(file, _OLD, _NEW)
    assert file.read_bytes() == b"x = 1\n"
    assert _only(file)


def test_gone_meanwhile(file: Path) -> None:
    file.unlink()
    with pytest.raises(CannotWrite, match="No such file"):
        replace(file, _OLD, _NEW)
    assert list(file.parent.iterdir()) == []


def test_read_only_file(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(CannotWrite, match="read-only"):
        replace(file, _OLD, _NEW)
    assert file.read_bytes() == _OLD
    assert _only(file)


@pytest.mark.parametrize("fails", ["write", "fsync", "replace"])
def test_full_disk(file: Path, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if fails == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif fails == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        real = os.fdopen

        class Full:
            def __init__(self, handle: int) -> None:
                self._file = real(handle, "wb")

            def __enter__(self) -> Full:
                return self

            def __exit__(self, *_args: object) -> None:
                self._file.close()

            def write(self, _data: bytes) -> None:
                full()

        monkeypatch.setattr(os, "fdopen", lambda handle, _mode: Full(handle))
    with pytest.raises(CannotWrite, match="No space left"):
        replace(file, _OLD, _NEW)
    assert file.read_bytes() == _OLD
    assert _only(file)


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


_REPLACE = """
import os, resource, sys
from pathlib import Path
from dlint.rewriting.files import CannotWrite, replace
limit, path = int(sys.argv[1]), Path(sys.argv[2])
old = path.read_bytes()
if os.geteuid() == 0 and not limit:
    os.setgroups([])
    os.setuid(65534)  # root could write everywhere
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    replace(path, old, old * 1000)
except CannotWrite as error:
    print(error)
"""


def _replace_in_a_process(folder: Path, limit: int = 0) -> str:
    """What the replacing says with a limit to the size of files, or else as a user who is not root."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _REPLACE, str(limit), str(folder / "module.py")],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return done.stdout.strip()


def test_a_limit_of_the_system(shared_folder: Path) -> None:
    file = shared_folder / "module.py"
    file.write_bytes(_OLD)
    assert "too large" in _replace_in_a_process(shared_folder, 4096)
    assert file.read_bytes() == _OLD
    assert _only(file)


def test_read_only_folder(shared_folder: Path) -> None:
    file = shared_folder / "module.py"
    file.write_bytes(_OLD)
    file.chmod(0o666)
    shared_folder.chmod(0o555)
    assert f"{shared_folder.name} cannot be written to" in _replace_in_a_process(shared_folder)
    assert file.read_bytes() == _OLD
    assert _only(file)
