"""A library that a project does without stays one: no repair has a file import it that did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.repair import repair
from dlint.settings.settings import Settings
from tests.program.sources import write

_NOISE = """\
import numpy as np

class Noise:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
    def __call__(self, rows):
        return rows + self.rng.uniform()
"""
_LOADS = """\
import numpy as np
from lib.noise import Noise
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return self.transform(np.zeros(3))

for batch in DataLoader(Rows(Noise(1)), num_workers=4):
    print(batch)
"""
_TRIED = "try:\n    import torch\nexcept ImportError:\n    torch = None\n"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        pytest.param({"lib/pack.py": _TRIED}, "noise.py would have to import torch", id="tried beside it"),
        pytest.param({"lib/a/pack.py": _TRIED.replace("Import", "ModuleNotFound")}, "pack.py", id="below it"),
        pytest.param({"lib/pack.py": f"def f():\n    {_TRIED.replace(chr(10), chr(10) + '    ')}\n"}, "pack.py", id="inside a function"),
        pytest.param({"tools/pack.py": _TRIED}, "", id="tried in another package"),
        pytest.param({"lib/pack.py": _TRIED.replace("import torch", "from torch import inf")}, "", id="a name of a version"),
        pytest.param({"lib/pack.py": _TRIED.replace("import torch", "import torch.distributed")}, "", id="a part of it"),
        pytest.param({"lib/pack.py": _TRIED.replace("import torch", "import apex")}, "", id="another"),
        pytest.param({"lib/pack.py": "import torch\n"}, "", id="needed"),
        pytest.param({"lib/pack.py": "try:\n" + "    \n" * 90 + "    x = 1\nfinally:\n    pass\n# ImportError\n"}, "", id="blank lines"),
        pytest.param({"lib/noise.py": f"{_TRIED}{_NOISE}"}, "", id="the file has it"),
    ],
)  # fmt: skip
def test_what_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], why: str
) -> None:
    write(tmp_path, {"lib/noise.py": _NOISE, "lib/__init__.py": "", "main.py": _LOADS, **files})
    monkeypatch.chdir(tmp_path)
    result = repair([Path()], Settings(select=("DL203",)), unsafe=True)
    assert [why in left.reason for left in result.left] == ([True] if why else [])
    assert bool(result.files) is not bool(why)
