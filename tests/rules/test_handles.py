"""Open files in the shapes that real datasets give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """\
import bz2
import gzip
import io
import lzma
import mmap
import os
import tarfile
import wave
import zipfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self):
        self.file = {opened}

    def __len__(self):
        return 10

    def __getitem__(self, index):
        {body}


for batch in DataLoader(Data(), num_workers=2):
    pass
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return self.file['x'][index]", 1),
        ("return [part for part in map(lambda name: self.file[name][index], 'xy')]", 1),
        ("return sorted('xy', key=lambda name: index)", 0),
        ("return sorted('xy', key=lambda file: len(file))", 0),
    ],
)
def test_reads_of_an_open_file(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(_PROGRAM.format(opened='h5py.File("data.h5")', body=body))
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL403",)))
    assert [finding.line for finding in report.findings] == [18] * found


@pytest.mark.parametrize(
    ("opened", "found"),
    [
        ('np.load("data.npz")', 1),
        ('np.load(f"{root}/data.npz", mmap_mode="r")', 1),
        ('np.load("data.npz")["x"]', 0),
        ('dict(np.load("data.npz"))', 0),
        ('np.load("data.npy", mmap_mode="r")', 0),
        ("np.load(path)", 1),  # if it is an archive: of an array with fields the same is asked
        ('np.load(path.replace(".npz", ".npy"))', 0),
        ('np.load(os.path.splitext(path)[0] + ".npy" if path.endswith(".npz") else path)', 0),
        ('np.load(unpack(path, "x.npz") + ".npy")', 0),
        ('np.load(os.path.join(root, "x.npz"))', 1),
        ('np.load("%s.npz" % root)', 1),
        ('np.load("{}.npz".format(root))', 1),
        ('np.load(root + "/x.npz" if root else "x.npz")', 1),
        ('gzip.open("data.gz")', 1),
        ('gzip.open("data.gz", "wb")', 0),
        ('gzip.open("data.gz").read()', 0),
        ('bz2.BZ2File("data.bz2")', 1),
        ('lzma.open("data.xz", mode="rb")', 1),
        ('wave.open("data.wav", "rb")', 1),
        ("mmap.mmap(number, 0, access=mmap.ACCESS_READ)", 1),
    ],
)
def test_kinds_of_handles(opened: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(_PROGRAM.format(opened=opened, body="return self.file['x'][index]"))
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL403",)))
    assert [finding.line for finding in report.findings] == [18] * found


@pytest.mark.parametrize(
    ("opened", "options", "found"),
    [
        ("zipfile.ZipFile(io.BytesIO(data))", ', multiprocessing_context="fork"', 0),
        ("tarfile.open(fileobj=io.BytesIO(data))", ', multiprocessing_context="fork"', 0),
        ("zipfile.ZipFile(io.BytesIO(data))", ', multiprocessing_context="spawn"', 1),
        ('zipfile.ZipFile("a.zip")', ', multiprocessing_context="fork"', 1),
        ('tarfile.open(fileobj=open("a.tar", "rb"))', ', multiprocessing_context="fork"', 1),
    ],
)
def test_files_in_memory(
    opened: str, options: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _PROGRAM.format(opened=opened, body="return self.file.read(index)")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(program.replace("num_workers=2", f"num_workers=2{options}"))
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL403",)))
    assert [finding.line for finding in report.findings] == [18] * found


@pytest.mark.parametrize(
    ("body", "options", "found"),
    [
        ("return os.pread(self.file.fileno(), 8, index)", ', multiprocessing_context="fork"', 0),
        ("return os.pread(self.file.fileno(), 8, index)", ', multiprocessing_context="spawn"', 1),
        (
            "return os.pread(self.file.fileno(), 8, index) or self.file.read(8)",
            ', multiprocessing_context="fork"',
            1,
        ),
        ("return os.read(self.file.fileno(), 8)", ', multiprocessing_context="fork"', 1),
    ],
)
def test_files_read_by_number(
    body: str, options: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _PROGRAM.format(opened='open("data.bin", "rb")', body=body)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(program.replace("num_workers=2", f"num_workers=2{options}"))
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL403",)))
    assert [finding.line for finding in report.findings] == [18] * found
