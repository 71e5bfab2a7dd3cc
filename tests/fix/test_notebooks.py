"""Repairs of notebooks: the program that a remedy makes goes back into the cells, and nothing else changes."""

from __future__ import annotations

import ast
import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dlint.repair import repair
from dlint.rewriting.cells import with_program
from dlint.rewriting.refusal import CannotRepair
from dlint.settings.settings import Settings
from dlint.source.notebooks import read_notebook
from tests.remedies.case import Case, cases

# A main guard is not asked for in notebooks; a program that a remedy takes from several files has no one text.
_CASES = [
    case
    for case in cases()
    if case.after is not None and "@@ " not in case.before and case.remedy != "guard_main"
]
_MAY_REFUSE = "the change (goes beyond one cell|does not fit into cells)"


def _source(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _notebook(sources: list[Any], **layout: Any) -> bytes:
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": number,
            "metadata": {"tags": ["é", "\u2028"], "scale": 1e-05},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["0.10\n", "def f():\n"]}],
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    made.insert(1, {"cell_type": "markdown", "metadata": {}, "source": ["# Cells\n", "$x$"]})
    whole = {
        "cells": made,
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(whole, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n").encode()


def _said(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _without_sources(data: bytes) -> tuple[str, Any]:
    """The bytes around the sources, and the document without them."""
    text = data.decode()
    document = json.loads(text)
    for cell in document["cells"]:
        cell["source"] = None
    around = re.sub(
        r'"source": (\[.*?\n? *\]|"(\\.|[^"\\])*")(?=,?\s*[}\n])', '"source": 0', text, flags=re.DOTALL
    )
    return around, document


def _cut(program: str, rnd: random.Random) -> list[str]:
    """The program in cells, which begin at statements."""
    lines = program.rstrip("\n").split("\n")
    body = ast.parse(program).body
    starts = set()
    for statement in body[1:]:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        if all(
            other.end_lineno is not None and not other.lineno < first <= other.end_lineno for other in body
        ):
            starts.add(first - 1)
    chosen = [0, *(start for start in sorted(starts) if rnd.random() < 0.5), len(lines)]
    return ["\n".join(lines[first:last]) for first, last in pairwise(chosen)]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: f"{case.remedy}: {case.title}")
def test_what_a_remedy_makes_goes_back_into_cells(case: Case) -> None:
    assert case.after is not None
    done = 0
    for seed in range(4):
        data = _notebook([_source(cell) for cell in _cut(case.before, random.Random(f"{seed} {case.title}"))])
        assert _said(read_notebook(data).text) == _said(case.before)
        try:
            new = with_program(data, "\n\n" + case.after)
        except CannotRepair as error:
            assert re.match(_MAY_REFUSE, str(error))
            continue
        done += 1
        assert _said(read_notebook(new).text) == _said(case.after)
        assert _without_sources(new) == _without_sources(data)
        for each in read_notebook(new).cells:
            ast.parse("\n".join(each.program))
    if len(ast.parse(case.before).body) == 1:
        assert done


def test_nearly_all_changes_fit_into_cells() -> None:
    refused = 0
    for case in _CASES:
        try:
            with_program(
                _notebook([_source(cell) for cell in _cut(case.before, random.Random(case.title))]),
                f"\n\n{case.after}",
            )
        except CannotRepair:
            refused += 1
    assert refused < len(_CASES) / 20


_BEFORE = "import cv2\n\nx = load('a')\nshow(x)"
_AFTER = "\n\nimport cv2\n\ncv2.setNumThreads(0)\n\nx = load('é')\nshow(x)\n"


@pytest.mark.parametrize(
    "layout", [{}, {"indent": 4}, {"indent": None}, {"indent": "\t"}, {"ensure_ascii": True}]
)
@pytest.mark.parametrize("kind", ["lines", "text", "one part", "odd parts"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_layout_stays(layout: dict[str, Any], kind: str, end: str, mark: bytes) -> None:
    text = _BEFORE.replace("\n", end)
    source: Any = {
        "lines": text.splitlines(keepends=True),
        "text": text,
        "one part": [text],
        "odd parts": [text[:5], text[5:20], text[20:]],
    }[kind]
    data = mark + _notebook(["y = 1", source], **layout)
    after = _AFTER.replace("\n\nimport", "\n\ny = 1\nimport", 1)
    new = with_program(data, after)
    assert new.startswith(mark)
    assert new.isascii() == (data.isascii() and bool(layout.get("ensure_ascii")))
    cell = json.loads(new.decode("utf-8-sig"))["cells"][2]["source"]
    assert type(cell) is type(source)
    whole = "".join(cell)
    assert whole == _AFTER.strip("\n").replace("\n", end)
    if kind == "lines":
        assert cell == _source(whole)
    if layout == {}:
        assert _without_sources(new[len(mark) :]) == _without_sources(data[len(mark) :])


@pytest.mark.parametrize(
    ("cells", "after", "made"),
    [
        # An import goes to the imports, behind a magic of the cell.
        (["%%time\nimport a", "b()"], "import z\nimport a\nb()", ["%%time\nimport z\nimport a", "b()"]),
        # A line right below an import stays in its cell; a definition goes to what needs it.
        (["import a", "b()"], "import a\na.c()\nb()", ["import a\na.c()", "b()"]),
        (["x = 1", "b()"], "x = 1\n\n\ndef f():\n    pass\n\n\nb()", ["x = 1", "def f():\n    pass\n\n\nb()"]),
        (["import a", "b()"], "import a\n\n\ndef f():\n    pass\n\n\nb()", ["import a\n\n\ndef f():\n    pass", "b()"]),
        # What gives a name goes to the cell that alone speaks of it, wherever the imports are.
        (["x = 1", "for a in y:\n    b()"], "x = 1\nc = y\nfor a in y:\n    b(c)", ["x = 1", "c = y\nfor a in y:\n    b(c)"]),
        (["import a", "b(lambda: 1)"], "import a\n\n\ndef f():\n    return 1\n\n\nb(f)", ["import a", "def f():\n    return 1\n\n\nb(f)"]),
        (["x = 1", "if a:\n    b()", "d()"], "x = 1\nc = y\nif a:\n    b(c)\nd(c)", ["x = 1\nc = y", "if a:\n    b(c)", "d(c)"]),
        (["import a", "if a:\n    b()"], "import a\nimport c\nif a:\n    b(c)", ["import a\nimport c", "if a:\n    b(c)"]),
        # Cells of other languages hold nothing of the program.
        (["x = 1", "%%bash\nls", "b()"], "x = 1\n\n\n\ny = 2\nb()", ["x = 1", "%%bash\nls", "y = 2\nb()"]),
        (["%%bash\nls", "b()"], "import z\n\n\nb()", ["%%bash\nls", "import z\n\n\nb()"]),
        (["%%timeit\nx = 1", "b()"], "x = 1\n\n\nz = 2\nb()", ["%%timeit\nx = 1", "z = 2\nb()"]),
        # Magics stay as they are, indentation of a whole cell as well.
        (["%matplotlib inline\nb()"], "pass\nb(1)", ["%matplotlib inline\nb(1)"]),
        (["  x = 1\n  if x:\n      b()"], "x = 1\nif x:\n    b(x)\n    c()", ["  x = 1\n  if x:\n      b(x)\n      c()"]),
        # Neighbouring lines of two cells.
        (["a(1)", "b(1)"], "a(2)\nb(2)", ["a(2)", "b(2)"]),
        (["a(1)\nb(1)", "c()"], "a(1)\nc()", ["a(1)", "c()"]),
        (["a(1)", "c()"], "c()", ["", "c()"]),
    ],
)  # fmt: skip
def test_where_a_change_goes(cells: list[str], after: str, made: list[str]) -> None:
    data = json.dumps({"cells": [_code(cell) for cell in cells], "nbformat": 4}).encode()
    text = read_notebook(data).text
    head = text[: len(text) - len(text.lstrip("\n"))]
    new = json.loads(with_program(data, head + after + "\n"))
    assert ["".join(cell["source"]) for cell in new["cells"]] == made


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "source": _source(text)}


@pytest.mark.parametrize(
    ("cells", "after", "why"),
    [
        (
            ["import os\nx = 1", "!echo {os.name}"],
            "x = 1\npass",
            "os would go, of which cell 2 speaks: !echo",
        ),
        (["%%timeit\nb(1)"], "\nb(2)", "beyond one cell"),
        (["x = (", "b(1)"], "b(2)", "cell 1 cannot be checked, and may need what would change"),
        (["%time x = 1\nb(1)"], "x = 2\nb(1)", "a line of cell 1 that only IPython understands would change"),
        (["a()", "b()"], "if x:\n    a()\n    b()", "beyond one cell|fit into cells"),
    ],
)
def test_what_no_cell_can_hold(cells: list[str], after: str, why: str) -> None:
    data = json.dumps({"cells": [_code(cell) for cell in cells], "nbformat": 4}).encode()
    with pytest.raises(CannotRepair, match=why):
        with_program(data, f"\n\n{after}\n")


def test_several_repairs_and_their_places(tmp_path: Path) -> None:
    cells = [
        "%matplotlib inline",
        "import cv2\nimport numpy as np\nimport torch",
        "from torch.utils.data import DataLoader, Dataset",
        "%%time\nclass Plates(Dataset):\n    def __init__(self, rows):\n        self.rows = rows\n\n"
        "    def __len__(self):\n        return len(self.rows)\n\n    def __getitem__(self, index):\n"
        "        image = cv2.resize(cv2.imread(self.rows[index]), (64, 64))\n"
        "        return image + np.random.rand()",
        "data = Plates(names)\nsampler = torch.utils.data.RandomSampler(data)\n"
        "loader = DataLoader(data, num_workers=4, sampler=sampler, shuffle=True)",
    ]
    path = tmp_path / "n.ipynb"
    path.write_bytes(_notebook([_source(cell) for cell in cells]))
    settings = Settings(target_torch="1.8", start_method="fork")
    repairs = repair([path], settings, unsafe=True)
    assert [(step.finding.code, step.finding.cell, step.finding.line) for step in repairs.steps] == [
        ("DL101", 5, 10),
        ("DL202", 6, 3),
        ("DL301", 6, 3),
    ]
    assert not repairs.left
    path.write_bytes(repairs.files[0].new)
    assert repairs.files[0].old == _notebook([_source(cell) for cell in cells])
    made = [
        "".join(cell["source"])
        for cell in json.loads(path.read_bytes())["cells"]
        if cell["cell_type"] == "code"
    ]
    assert made[:2] == cells[:2]
    assert made[3] == cells[3]
    assert "cv2.setNumThreads(0)" in made[2]
    assert "shuffle=True" not in made[4]
    assert not repair([path], settings, unsafe=True).steps


def test_a_repair_that_needs_a_module_and_a_notebook(tmp_path: Path) -> None:
    module = (
        "from torch.utils.data import DataLoader, DistributedSampler\n\n\ndef loaders(data):\n"
        "    sampler = DistributedSampler(data)\n    return DataLoader(data, sampler=sampler, shuffle=True)\n"
    )
    (tmp_path / "kit.py").write_text(module)
    path = tmp_path / "n.ipynb"
    path.write_bytes(
        _notebook([["from kit import loaders"], ["for batch in loaders([1]):\n", "    print(batch)"]])
    )
    (tmp_path / "pyproject.toml").touch()
    repairs = repair([tmp_path], Settings())
    assert [step.finding.code for step in repairs.steps] == ["DL301"]
    assert [file.path.name for file in repairs.files] == ["kit.py"]
    assert all(left.finding.path.endswith("kit.py") or left.finding.cell for left in repairs.left)
