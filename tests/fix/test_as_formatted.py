"""What is repaired is laid out as the project's formatter would lay it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.repair import repair
from dlint.settings.settings import Settings

_ROW = """\
from torch.utils.data import DataLoader

from rows import rows, sampler_of_all_rows


def loader_of_rows():
    return DataLoader(
        rows, batch_size=64, sampler=sampler_of_all_rows, num_workers=4, shuffle=True{comma}
    )
"""
_SHORT = "    return DataLoader(rows, batch_size=64, sampler=sampler_of_all_rows, num_workers=4)\n"
_LEFT = "        rows, batch_size=64, sampler=sampler_of_all_rows, num_workers=4\n    )\n"
_NOISE = """\
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, rows: list[float], {seed}: int) -> None:
        self.rows = rows
        self.generator_of_noise = np.random.default_rng({seed})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> float:
        return self.rows[index] + self.generator_of_noise.normal()


def main() -> None:
    for batch in DataLoader(Noisy([1.0], 3), num_workers=2):
        print(batch)
"""
_ON_ONE = (
    "        self._generator_of_noise_by_worker: dict[int | None, np.random.Generator] = "
    "{None: np.random.default_rng(seed)}\n"
)
_SCRIPT = """\
from torch.utils.data import DataLoader

from rows import rows
{blank}for batch in DataLoader(rows, num_workers=2):
    print(batch)
"""


_IN_TRY = """\
from torch.utils.data import DataLoader, Dataset

try:
    import cv2
except ImportError:
    cv2 = None


class Images(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        return cv2.resize(cv2.imread(f"{index}.png"), (8, 8))


def make():
    return DataLoader(Images(), num_workers=2)
"""


def _repaired(folder: Path, text: str, configuration: dict[str, str]) -> str:
    (folder / ".git").mkdir()
    (folder / "rows.py").write_text("rows = list(range(9))\nsampler_of_all_rows = rows\n")
    for name, told in configuration.items():
        (folder / name).write_text(told)
    (folder / "main.py").write_text(text)
    (only,) = repair([folder / "main.py"], Settings(), unsafe=True).files
    return only.new.decode()


@pytest.mark.parametrize(
    ("configuration", "comma", "ending"),
    [
        ({"pyproject.toml": "[tool.black]\n"}, "", _SHORT),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, "", _SHORT),
        ({"ruff.toml": "line-length = 100\n"}, "", _SHORT),
        (
            {".ruff.toml": "lint.select = ['E']\n", "pyproject.toml": "[tool.black]\nline-length=40\n"},
            "",
            _SHORT,
        ),
        ({"ruff.toml": "line-length = 84\n"}, "", _LEFT),
        ({"ruff.toml": "line-length = [\n"}, "", _LEFT),  # no TOML
        ({"pyproject.toml": "[tool.ruff]\n"}, ",", _LEFT.replace("=4\n", "=4,\n")),  # a comma keeps it so
        ({}, "", _LEFT),
    ],
)
def test_a_call_that_got_shorter(
    tmp_path: Path, configuration: dict[str, str], comma: str, ending: str
) -> None:
    assert _repaired(tmp_path, _ROW.format(comma=comma), configuration).endswith(ending)


@pytest.mark.parametrize(
    ("configuration", "on_one_line"),
    [
        ({"pyproject.toml": "[tool.ruff]\nline-length = 120\n"}, True),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 110\n"}, False),
        ({}, False),
    ],
)
def test_a_table_with_the_first_generator(
    tmp_path: Path, configuration: dict[str, str], on_one_line: bool
) -> None:
    text = _repaired(tmp_path, _NOISE.format(seed="seed"), configuration)
    assert (_ON_ONE in text) is on_one_line
    assert "_generator_of_noise_by_worker" in text


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 1), (2, 2)])
def test_blank_lines_between_imports_and_the_main_guard(tmp_path: Path, before: int, after: int) -> None:
    text = _repaired(tmp_path, _SCRIPT.format(blank="\n" * before), {})
    assert "import rows\n" + "\n" * after + 'if __name__ == "__main__":' in text


@pytest.mark.parametrize(("told", "blank"), [("[tool.black]\n", "\n"), ("", "")])
def test_a_call_under_an_import_that_may_fail(tmp_path: Path, told: str, blank: str) -> None:
    text = _repaired(tmp_path, _IN_TRY, {"pyproject.toml": told})
    assert f"    import cv2\n{blank}    cv2.setNumThreads(0)" in text
