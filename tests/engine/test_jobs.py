"""Several processes find what one finds, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings import Settings

DATASETS = 5

READER = """\
import cv2
import numpy as np


def read(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def blur(image, size=3):
    return cv2.blur(image, (size, size))


def jitter(image):
    return image + np.random.randn()
"""
DATASET = """\
import random

import cv2
import numpy as np
from torch.utils.data import Dataset

from reader import blur, jitter, read


class Photos{n}(Dataset):
    def __init__(self, root, augment=True):
        self.root = root
        self.augment = augment
        self.rng = np.random.default_rng({n})

    def __len__(self):
        return 8

    def __getitem__(self, index):
        np.random.seed({n})
        image = blur(read(f"{{self.root}}/{{index}}"), {n})
        if self.augment:
            image = jitter(cv2.flip(image, 1))
        small = cv2.resize(image, (8, 8))
        return small, cv2.mean(image), self.rng.integers(9), random.random()
"""
SCRIPT = """\
import numpy as np
from torch.utils.data import DataLoader, RandomSampler

from photos_{n} import Photos{n}
from photos_{m} import Photos{m}


def init(worker_id):
    np.random.seed(worker_id)


def main():
    train = Photos{n}("a")
    held_out = Photos{m}("b", augment=False)
    loader = DataLoader(train, sampler=RandomSampler(train), shuffle=True, num_workers=2)
    other = DataLoader(held_out, num_workers=2, worker_init_fn=init)
    for epoch in range(4):
        images = next(iter(loader))
        images = next(iter(other))


if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".git").mkdir()
    (folder / "reader.py").write_text(READER)
    for n in range(DATASETS):
        (folder / f"photos_{n}.py").write_text(DATASET.format(n=n))
        (folder / f"train_{n}.py").write_text(SCRIPT.format(n=n, m=(n + 1) % DATASETS))
    (folder / "broken.py").write_text("from torch.utils.data import DataLoader\ndef f(:\n")
    return folder


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_the_same_report(project: Path, jobs: int) -> None:
    settings = Settings(target_torch="1.8")
    one = engine.check([project], settings, jobs=1)
    assert engine.check([project], settings, jobs=jobs) == one


def test_the_program_has_findings_that_processes_share(project: Path) -> None:
    report = engine.check([project], Settings(target_torch="1.8"))
    files = {
        code: [Path(f.path).name for f in report.findings if f.code == code]
        for code in ("DL101", "DL201", "DL202", "DL203", "DL204", "DL301")
    }
    datasets = [f"photos_{n}.py" for n in range(DATASETS)]
    scripts = [f"train_{n}.py" for n in range(DATASETS)]
    assert files == {
        "DL101": [*datasets, "reader.py"],
        "DL201": datasets,
        "DL202": scripts,
        "DL203": datasets,
        "DL204": scripts,
        "DL301": scripts,
    }
    reader = next(f for f in report.findings if f.code == "DL101" and f.path.endswith("reader.py"))
    assert "2 more calls in this file" in reader.message
    assert [Path(trouble.path).name for trouble in report.troubles] == ["broken.py"]
