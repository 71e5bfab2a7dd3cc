"""What a remedy does in one file may not break another."""

from __future__ import annotations

import pytest

from dlint.remedies import guard_main, pool_per_process
from dlint.rewriting.edits import CannotRepair, Edits
from tests.remedies.case import finding_at, opened

_SCRIPT = """\
from multiprocessing.pool import ThreadPool
from torch.utils.data import DataLoader

_pool = {}
total = 0
for batch in {}:
    total += _pool.apply(sum, batch)
"""
_LOADER = "DataLoader(data, num_workers=2)"
_POOL = "ThreadPool(2)"
_MARKED = {
    guard_main: _SCRIPT.format(_POOL, f"⟦{_LOADER}⟧"),
    pool_per_process: _SCRIPT.format(f"⟦{_POOL}⟧", _LOADER),
}


@pytest.mark.parametrize("remedy", [guard_main, pool_per_process])
@pytest.mark.parametrize(
    "text",
    [
        "from module import {name}\n",
        "import module as m\nprint(m.{name})\n",
        "if x:\n    from module import *\n    print({name})\n",
    ],
)
def test_names_that_others_take_stay(remedy: object, text: str) -> None:
    name = {guard_main: "total", pool_per_process: "_pool"}[remedy]  # type: ignore[index]
    source = opened(_SCRIPT.format(_POOL, _LOADER), {"main.py": text.format(name=name)})
    with pytest.raises(CannotRepair):
        remedy.repair(source, finding_at(_MARKED[remedy], "some", {}), Edits(source))  # type: ignore[attr-defined,index]


@pytest.mark.parametrize("remedy", [guard_main, pool_per_process])
@pytest.mark.parametrize("text", ["import sys\n", "x = module\n", "# from module import total, _pool\n"])
def test_names_that_nobody_takes(remedy: object, text: str) -> None:
    source = opened(_SCRIPT.format(_POOL, _LOADER), {"main.py": text})
    edits = Edits(source)
    remedy.repair(source, finding_at(_MARKED[remedy], "some", {}), edits)  # type: ignore[attr-defined,index]
    assert edits
