"""One line in a module that many files import, in the place of one in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.repair import Repairs, repair
from dlint.settings.settings import Settings

_IMAGES = '''\
"""Reading images."""
import cv2


def load(path):
    return cv2.imread(path)
'''
_DATASET = """\
import cv2
from torch.utils.data import Dataset

from images import load


class {name}(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return cv2.flip(load(str(index)), 0)
"""
_TRAIN = """\
from torch.utils.data import DataLoader

from cats import Cats
from dogs import Dogs

loaders = [DataLoader(Cats(), num_workers=2), DataLoader(Dogs(), num_workers=2)]
"""
_LINE = "cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "images.py").write_text(_IMAGES)
    (tmp_path / "cats.py").write_text(_DATASET.format(name="Cats"))
    (tmp_path / "dogs.py").write_text(_DATASET.format(name="Dogs"))
    (tmp_path / "train.py").write_text(_TRAIN)
    return tmp_path


def _changed(repairs: Repairs) -> set[str]:
    return {file.path.name for file in repairs.files}


def test_the_module_that_all_import(project: Path) -> None:
    repairs = repair([project], Settings())
    assert _changed(repairs) == {"images.py"}
    assert repairs.files[0].new.decode() == _IMAGES.replace("import cv2\n", f"import cv2\n\n{_LINE}")
    (step,) = repairs.steps
    assert sorted(Path(each.path).name for each in step.findings) == ["cats.py", "dogs.py", "images.py"]
    assert repairs.left == ()


def test_only_among_the_files_that_are_named(project: Path) -> None:
    assert _changed(repair([project / "cats.py"], Settings())) == {"cats.py"}
    assert _changed(repair([project / "cats.py", project / "images.py"], Settings())) == {"images.py"}


def test_not_a_module_that_imports_it_late(project: Path) -> None:
    late = _IMAGES.replace("import cv2\n", "").replace("    return", "    import cv2\n\n    return")
    (project / "images.py").write_text(late)
    assert _changed(repair([project], Settings())) == {"cats.py"}


def test_a_module_that_may_not_be_written_leaves_the_next_best(project: Path) -> None:
    elsewhere = project.parent / "images_elsewhere.py"
    (project / "images.py").rename(elsewhere)
    (project / "images.py").symlink_to(elsewhere)
    repairs = repair([project], Settings())
    assert repairs.left == ()
    assert _changed(repairs) == {"cats.py"}  # which the script with both loaders imports
