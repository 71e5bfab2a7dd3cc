"""What a remedy does in one file may not break another."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.remedies import guard_main, pool_per_process
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.importers import is_imported
from dlint.rewriting.source import Source
from tests.remedies.case import finding_at

_SCRIPT = """\
from multiprocessing.pool import ThreadPool
from torch.utils.data import DataLoader

_pool = ⟦ThreadPool(2)⟧
total = 0
for batch in DataLoader(data, num_workers=2):
    total += batch
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "totals.py").write_text(_SCRIPT.replace("⟦", "").replace("⟧", ""))
    (tmp_path / "main.py").write_text("import sys\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "import totals\n",
        "from totals import total\n",
        "if x:\n    from . import totals as t\n",
        "import os, totals",
    ],
)
def test_is_imported(project: Path, text: str) -> None:
    assert not is_imported(project / "totals.py")
    (project / "main.py").write_text(text)
    assert is_imported(project / "totals.py")


@pytest.mark.parametrize("text", ["x = totals\n", "# import totals\n", "import totals_of_all\n"])
def test_is_not_imported(project: Path, text: str) -> None:
    (project / "main.py").write_text(text)
    assert not is_imported(project / "totals.py")


@pytest.mark.parametrize("remedy", [guard_main, pool_per_process])
def test_names_that_others_import_stay(project: Path, remedy: object) -> None:
    path = project / "totals.py"
    source = Source(path, path.read_bytes())
    finding = finding_at(_SCRIPT, "some_remedy", {})
    remedy.repair(source, finding, Edits(source))  # type: ignore[attr-defined]
    (project / "main.py").write_text("from totals import total\n")
    with pytest.raises(CannotRepair, match="import"):
        remedy.repair(source, finding, Edits(source))  # type: ignore[attr-defined]
