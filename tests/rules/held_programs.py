"""Programs whose datasets hold something, and the codes that dlint finds in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

HEAD = """\
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, random_split


"""


def codes(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch, select: tuple[str, ...]) -> list[str]:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(HEAD + program)
    monkeypatch.chdir(folder)
    return [finding.code for finding in engine.check([Path()], Settings(select=select)).findings]


OPENED = """\
class Archive(Dataset):
{body}

def main(path):
    for batch in DataLoader(Archive(path), num_workers=4{options}):
        step(batch)
"""
