"""The oldest torch that code can run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.project.index.index import Index
from dlint.project.releases.oldest_torch import need_of

_NEEDS = {
    "a name": ("import torch\nmodel = torch.compile(model)\n", (2, 0), "torch.compile", 2),
    "of a module by its alias": (
        "import torch.nn.functional as F\nF.scaled_dot_product_attention(q, k, v)\n",
        (2, 0),
        "torch.nn.functional.scaled_dot_product_attention",
        2,
    ),
    "imported": (
        "from torch.utils.data import (\n    DataLoader,\n    default_collate,\n)\n",
        (1, 11),
        "torch.utils.data.default_collate",
        1,
    ),
    "a module": ("from torchvision.transforms import v2\n", (2, 0), "torchvision.transforms.v2", 1),
    "in a module": (
        "from torchvision.transforms.v2 import Resize\n",
        (2, 0),
        "torchvision.transforms.v2",
        1,
    ),
    "a decorator": (
        "import torch\n@torch.inference_mode()\ndef f(): pass\n",
        (1, 9),
        "torch.inference_mode",
        2,
    ),
    "weights": (
        "from torchvision.models import resnet18, ResNet18_Weights\n",
        (1, 12),
        "torchvision.models.ResNet18_Weights",
        1,
    ),
    "weights of a module": (
        "from torchvision import models\nmodels.resnet18(weights=models.ResNet18_Weights.DEFAULT)\n",
        (1, 12),
        "torchvision.models.ResNet18_Weights",
        2,
    ),
    "the newest of several": (
        "import torch\n@torch.inference_mode()\ndef f():\n    return torch.amp.GradScaler('cuda')\n",
        (2, 3),
        "torch.amp.GradScaler",
        4,
    ),
    "a try that catches nothing": (
        "import torch\ntry:\n    torch.compile(f)\nfinally:\n    stop()\n",
        (2, 0),
        "torch.compile",
        3,
    ),
    "match": ("match kind:\n    case 1:\n        pass\n", (1, 11), "match (Python 3.10)", 1),
    "a walrus": ("if (n := len(x)):\n    pass\n", (1, 4), ":= (Python 3.8)", 1),
    "a bar in an annotation": ("def f(x: int | None = None): pass\n", (1, 11), "int | None (Python 3.10)", 1),
    "a bar in a class": (
        "class A:\n    x: list[str | None]\n",
        (1, 11),
        "list[str | None] (Python 3.10)",
        2,
    ),
}
_FREE = {
    "another compile": "import re, torch\nre.compile('x')\n",
    "another library's": "import torch\nfrom mine import compile\ncompile(torch)\n",
    "a name of its own": "import torch\ndef inference_mode(): pass\ninference_mode()\n",
    "in a try": "import torch\ntry:\n    torch.compile(f)\nexcept AttributeError:\n    pass\n",
    "an import in a try": "try:\n    from torch.amp import GradScaler\nexcept ImportError:\n    import torch\n",
    "suppressed": "from contextlib import suppress\nimport torch\nwith suppress(AttributeError):\n    torch.compile(f)\n",
    "where it is there": "import torch\nif hasattr(torch, 'compile'):\n    f = torch.compile(f)\n",
    "asked for": "import torch\nif torch.__version__ >= '2':\n    f = torch.compile(f)\n",
    "for type checkers": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch.func import vmap\n",
    "in words": 'import torch\n"""torch.compile, match x:"""\n',
    "a bar that nobody executes": "from __future__ import annotations\ndef f(x: int | None): pass\n",
    "a bar in a function": "def f():\n    x: int | None = None\n",
    "a bar of flags": "x = a | None_\nmatch = {1:\n 2}\n",
    "a relative import": "import torch\nfrom .torch import compile\n",
    "not Python 3": "import torch\nprint 'torch.compile'\n",
}


def _need(tmp_path: Path, text: str, name: str = "a.py") -> tuple[tuple[int, ...], str, int] | None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    need = need_of(Index(tmp_path, [path], {}))
    return None if need is None else (need.torch, need.what, need.line)


@pytest.mark.parametrize("case", _NEEDS)
def test_code_that_needs_a_torch(case: str, tmp_path: Path) -> None:
    text, *wanted = _NEEDS[case]
    assert _need(tmp_path, text) == tuple(wanted)


@pytest.mark.parametrize("case", _FREE)
def test_code_that_needs_none(case: str, tmp_path: Path) -> None:
    assert _need(tmp_path, _FREE[case]) is None


def test_tests_may_need_more(tmp_path: Path) -> None:
    assert _need(tmp_path, "import torch\ntorch.compile(f)\n", "tests/test_a.py") is None
