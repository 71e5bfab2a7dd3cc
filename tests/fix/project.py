"""A small project with hazards, for the tests of the doors that repair."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PHOTOS = '''\
"""Photos."""

import cv2
from torch.utils.data import Dataset


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return cv2.imread(self.paths[index])  # BGR
'''
TRAIN = """\
import torch
from torch.utils.data import DataLoader
from photos import Photos

loader = DataLoader(Photos([]), num_workers=2)
"""
REPAIRED = PHOTOS.replace(
    "import Dataset\n", "import Dataset\n\ncv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers\n"
)


def make(folder: Path) -> Path:
    """The project in ``folder``."""
    (folder / "pyproject.toml").write_text('[project]\nname = "example"\n')
    (folder / "photos.py").write_text(PHOTOS)
    (folder / "train.py").write_text(TRAIN)
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of this Python in ``folder``."""
    root = Path(__file__).parent.parent.parent
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root), "HOME": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, env=environment
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr)
    )
