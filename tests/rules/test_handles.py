"""Open files in the shapes that real datasets give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings import Settings

_PROGRAM = """\
import bz2
import gzip
import lzma
import mmap
import wave

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
    assert [finding.line for finding in report.findings] == [14] * found


@pytest.mark.parametrize(
    ("opened", "found"),
    [
        ('np.load("data.npz")', 1),
        ('np.load(f"{root}/data.npz", mmap_mode="r")', 1),
        ('np.load("data.npz")["x"]', 0),
        ('dict(np.load("data.npz"))', 0),
        ('np.load("data.npy", mmap_mode="r")', 0),
        ("np.load(path)", 0),
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
    assert [finding.line for finding in report.findings] == [14] * found
