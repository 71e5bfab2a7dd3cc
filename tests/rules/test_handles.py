"""Open files in the shapes that real datasets give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings import Settings

_PROGRAM = """\
import h5py
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self):
        self.file = h5py.File("data.h5")

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
    (tmp_path / "program.py").write_text(_PROGRAM.format(body=body))
    monkeypatch.chdir(tmp_path)
    report = engine.check([Path()], Settings(select=("DL403",)))
    assert [finding.line for finding in report.findings] == [7] * found
