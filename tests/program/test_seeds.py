"""Seeds, generators and draws in worker code."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.sources import agree, cases

CODES = ("DL201", "DL202", "DL203", "DL204", "DL205", "DL206")
SEEDS = cases("seeds")
NO_SEEDS = cases("no_seeds")
DRAWS = cases("numpy_draws")


@pytest.mark.parametrize("case", SEEDS)
def test_found(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"main.py": SEEDS[case]}, *CODES, target_torch="2.0")


@pytest.mark.parametrize("case", NO_SEEDS)
def test_silent(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"main.py": NO_SEEDS[case]}, *CODES, target_torch="2.0")


@pytest.mark.parametrize("case", DRAWS)
def test_numpy_in_workers_of_old_torch_only(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"main.py": DRAWS[case]}, "DL202", target_torch="1.8")
    unmarked = DRAWS[case].replace("# expect:", "# on torch 1.8:")
    agree(tmp_path, {"main.py": unmarked}, "DL202", target_torch="1.9")
