"""``dlint fix`` from the outside."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fix.project import PHOTOS, REPAIRED, make, python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_repairs_in_place_and_only_once(project: Path) -> None:
    done = python(project, "dlint", "fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert "photos.py:15: repaired DL101 cv2-threads-in-worker" in done.stdout
    assert "Repaired 1 finding in 1 file, 0 left." in done.stdout
    assert (project / "photos.py").read_text() == REPAIRED
    again = python(project, "dlint", "fix")
    assert (again.returncode, again.stdout) == (0, "Nothing to repair.\n")
    assert sorted(each.name for each in project.iterdir()) == ["photos.py", "pyproject.toml", "train.py"]


def test_diff_is_one_that_patch_takes(project: Path) -> None:
    (project / "photos.py").write_bytes(PHOTOS.replace("\n", "\r\n").encode())
    done = python(project, "dlint", "fix", "--diff")
    assert done.returncode == 1
    assert "Would repair 1 finding" in done.stderr
    assert (project / "photos.py").read_bytes() == PHOTOS.replace("\n", "\r\n").encode()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    diff = python(project, "dlint", "fix", "--diff").stdout
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff.encode(), check=True)
    assert (project / "photos.py").read_bytes() == REPAIRED.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    "name", ["with spaces.py", "line\nbreak.py", 'quote"\\.py', "naïve.py", os.fsdecode(b"caf\xe9.py")]
)
def test_diff_of_a_file_with_an_odd_name(project: Path, name: str) -> None:
    try:
        (project / name).write_text(PHOTOS)
    except (OSError, UnicodeError):
        pytest.skip("the file system does not take the name")
    (project / "train.py").unlink()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    diff = os.fsencode(python(project, "dlint", "fix", "--diff", name).stdout)
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff, check=True)
    assert (project / name).read_text() == REPAIRED


def test_check_only_tells(project: Path) -> None:
    done = python(project, "dlint", "fix", "--check")
    assert done.returncode == 1
    assert "photos.py:15: would repair DL101" in done.stdout
    assert (project / "photos.py").read_text() == PHOTOS
    python(project, "dlint", "fix")
    assert python(project, "dlint", "fix", "--check").returncode == 0


def test_only_the_files_given_are_edited(project: Path) -> None:
    done = python(project, "dlint", "fix", "train.py")
    assert done.returncode == 0
    assert (project / "photos.py").read_text() == PHOTOS


def test_rules_that_are_not_chosen_are_left_alone(project: Path) -> None:
    assert python(project, "dlint", "fix", "--ignore", "DL101").returncode == 0
    assert python(project, "dlint", "fix", "--select", "DL201").returncode == 0
    assert (project / "photos.py").read_text() == PHOTOS


def test_noqa_keeps_a_line_as_it_is(project: Path) -> None:
    text = PHOTOS.replace("# BGR", "# noqa: DL101")
    (project / "photos.py").write_text(text)
    assert python(project, "dlint", "fix").returncode == 0
    assert (project / "photos.py").read_text() == text


def test_a_link_stays_a_link(project: Path, tmp_path: Path) -> None:
    target = project / "originals" / "photos.txt"
    target.parent.mkdir()
    (project / "photos.py").rename(target)
    (project / "photos.py").symlink_to(target)
    assert python(project, "dlint", "fix", "photos.py").returncode == 0
    assert (project / "photos.py").is_symlink()
    assert target.read_text() == REPAIRED


def test_a_file_that_has_two_names_is_repaired_once(project: Path) -> None:
    (project / "alias.py").symlink_to("photos.py")
    done = python(project, "dlint", "fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Repaired 1 finding in 1 file, 0 left." in done.stdout
    assert (project / "photos.py").read_text() == REPAIRED
    assert (project / "alias.py").is_symlink()


def test_a_read_only_file_is_trouble(project: Path) -> None:
    (project / "photos.py").chmod(0o444)
    done = python(project, "dlint", "fix")
    assert done.returncode == 2
    assert "dlint: photos.py: not repaired: it is read-only" in done.stderr
    assert "photos.py:15:16: DL101 left: it is read-only" in done.stdout
    assert "Repaired 0 findings in 0 files, 1 left." in done.stdout
    assert (project / "photos.py").read_text() == PHOTOS


def test_a_file_that_does_not_parse_is_trouble_and_the_others_are_repaired(project: Path) -> None:
    (project / "broken.py").write_text("import cv2\nx = (\n")
    done = python(project, "dlint", "fix")
    assert done.returncode == 2
    assert "broken.py" in done.stderr
    assert (project / "photos.py").read_text() == REPAIRED


def test_a_path_that_does_not_exist(project: Path) -> None:
    done = python(project, "dlint", "fix", "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_executed(project: Path) -> None:
    (project / "photos.py").write_text(PHOTOS + "\nopen('executed', 'w')\n")
    python(project, "dlint", "fix", "--unsafe-fixes")
    assert not (project / "executed").exists()


_NOISY = """\
import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()
"""
_TRAIN_NOISY = """\
from torch.utils.data import DataLoader

from noisy import Noisy

loader = DataLoader(Noisy(), num_workers=2)
"""
_FIX_NOISY = ("dlint", "fix", "--unsafe-fixes", "--select", "DL202", "--target-torch", "1.8")


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "noisy.py").write_text(_NOISY)
    (tmp_path / "train.py").write_text(_TRAIN_NOISY)
    return tmp_path


def test_what_belongs_together_is_written_in_both_files(noisy: Path) -> None:
    done = python(noisy, *_FIX_NOISY)
    assert (done.returncode, done.stderr) == (0, "")
    assert "def seed_worker(worker_id):" in (noisy / "noisy.py").read_text()
    assert "from noisy import Noisy, seed_worker" in (noisy / "train.py").read_text()
    assert "(in noisy.py)" in done.stdout
    assert python(noisy, *_FIX_NOISY).stdout == "Nothing to repair.\n"


def test_or_in_none(noisy: Path) -> None:
    (noisy / "noisy.py").chmod(0o444)
    done = python(noisy, *_FIX_NOISY)
    assert done.returncode == 2
    assert "dlint: noisy.py: not repaired: it is read-only" in done.stderr
    assert "DL202 left: noisy.py could not be written: it is read-only" in done.stdout
    assert "Repaired 0 findings in 0 files, 1 left." in done.stdout
    assert (noisy / "noisy.py").read_text() == _NOISY
    assert (noisy / "train.py").read_text() == _TRAIN_NOISY


def test_a_file_that_was_not_named_is_not_edited(noisy: Path) -> None:
    done = python(noisy, *_FIX_NOISY, "train.py")
    assert done.returncode == 0
    assert (noisy / "noisy.py").read_text() == _NOISY
    assert "def seed_worker(worker_id):" in (noisy / "train.py").read_text()


def test_json_promises_only_what_a_remedy_will_do(project: Path) -> None:
    (project / "lambdas.py").write_text(
        "from torch.utils.data import DataLoader\n\n\ndef make(data, sizes):\n    for size in sizes:\n"
        "        yield DataLoader(data, num_workers=2, collate_fn=lambda batch: batch[:size])\n"
    )
    found = json.loads(python(project, "dlint", "check", "--output-format", "json").stdout)
    fixes = {each["code"]: each["fix"] and each["fix"]["applicability"] for each in found}
    assert fixes == {"DL101": "safe", "DL401": None}
    shown = python(project, "dlint", "check").stdout
    assert shown.count("= fix:") == 1
    assert "= by hand:" in shown
    assert shown.endswith("Repairable: 1 with `dlint fix`.\n")
    (project / "many.py").write_text(
        "from torch.utils.data import DataLoader\n\n\ndef make(data):\n"
        + "    yield DataLoader(data, sampler=[1, 2], shuffle=True)\n" * 10
    )
    shown = python(project, "dlint", "check").stdout
    assert shown.count("(dlint fix, where it fits)") == shown.count("= fix:") > 10
    assert "Perhaps repairable: " in shown
    assert " Repairable: " not in shown


_MOVED = """\
import random
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        return None if random.random() > 2 and self.bad[index] else np.zeros(3)


def main(seed):
    def seeded(worker_id):
        random.seed(seed + worker_id)

    for batch in DataLoader(Rows(), num_workers=2, worker_init_fn=seeded):
        print(batch)


if __name__ == "__main__":
    main(3)


class Pairs(Rows):
    def __getitem__(self, index):
        try:
            return np.load(self.paths[index])
        except OSError:
            return None


def pairs():
    return DataLoader(Pairs(), num_workers=2)
"""


def test_what_a_repair_only_moves_is_counted_once(tmp_path: Path) -> None:
    """DL401 moves the function, and with it the line of DL204; with --diff what is left stands where the file
    has it."""
    (tmp_path / "train.py").write_text(_MOVED)
    found = json.loads(python(tmp_path, "dlint", "check", "--output-format", "json").stdout)
    places = {(each["code"], each["line"]) for each in found}
    left = {line for code, line in places if code == "DL502"}
    done = python(tmp_path, "dlint", "fix", "--unsafe-fixes", "--diff").stderr
    assert f"Would repair {len(found) - len(left)} findings in 1 file, {len(left)} left." in done
    assert "gone with it" not in done
    for code, line in places:
        said = f"train.py:{line}:" if line in left else f"train.py:{line}: would repair {code}"
        assert said in done
    written = python(tmp_path, "dlint", "fix", "--unsafe-fixes").stdout
    text = (tmp_path / "train.py").read_text().splitlines()
    shown = [int(line.split(":")[1]) for line in written.splitlines() if " left: " in line]
    assert len(shown) == len(left)
    assert all("return None" in text[line - 1] for line in shown)
