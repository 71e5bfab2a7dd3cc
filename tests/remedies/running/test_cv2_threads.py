"""OpenCV's threads off in one line: the images stay, and no worker starts a thread of OpenCV's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.remedies.running.harness import WAYS, before_and_after

pytest.importorskip("cv2")

_IMAGES = """\
import cv2
import numpy as np


def smooth(image):
    return cv2.blur(image, (3, 3))


def noise(seed):
    return np.random.default_rng(seed).integers(0, 255, (64, 64, 3), dtype=np.uint8)
"""
_DATA = """\
import cv2
from torch.utils.data import Dataset

from images import noise, smooth


class Photos(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        image = cv2.resize(smooth(noise(index)), (32, 32))
        return int(image.sum()), cv2.getNumThreads()
"""
_MAIN = """\
import cv2
from torch.utils.data import DataLoader

from photos import Photos


def show(method, workers):
    loader = DataLoader(Photos(), num_workers=workers, multiprocessing_context=method if workers else None)
    items = [(total.item(), threads.item()) for total, threads in loader]
    print("keep", [total for total, _ in items])
    print(max(threads for _, threads in items))
"""


def test_images_stay_and_threads_go(tmp_path: Path) -> None:
    files = {"images.py": _IMAGES, "photos.py": _DATA, "main.py": _MAIN}
    both = before_and_after(tmp_path, files, "DL101")
    assert both.before.code == both.after.code == 0
    changed = [name for name, text in both.texts.items() if text != files[name]]
    assert len(changed) == 1
    for method, workers in WAYS:
        way = f"{method}:{workers}"
        assert both.before.kept(way) == both.after.kept(way)
        # With its threads off OpenCV says that there is one.
        assert both.after.changed(way) == ["1"]
