"""Notebooks: how they are read, where their findings are said to stand, and what is written to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings
from dlint.source.notebooks import Place, read_notebook
from dlint.source.reading import SourceError
from tests.doors.doors import CLEAN, HAZARD, dlint, write

IMPORTS = "from torch.utils.data import DataLoader, RandomSampler"
LOADER = "DataLoader(things, sampler=RandomSampler(things), shuffle=True)"
FIXED = LOADER.replace(", shuffle=True", "")
FOUND = "DL301 sampler and shuffle=True are both given"


def notebook(*cells: str | list[str], language: str = "python", **more: object) -> str:
    """A notebook with code cells; those that begin with ``#md`` are text."""
    made = [
        {"cell_type": "markdown" if cell[:1] == "#md" or cell == "#md" else "code", "source": cell}
        for cell in cells
    ]
    kernel = {"kernelspec": {"name": "k", "display_name": "K", "language": language}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5, **more})


def check(folder: Path, *arguments: str) -> tuple[list[str], str, int]:
    result = dlint(folder, "check", "--no-cache", "--output-format", "concise", *arguments)
    lines = [line for line in result.stdout.splitlines() if ": DL" in line]
    return lines, result.stderr, result.returncode


@pytest.mark.parametrize(
    ("cell", "program"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!ls\nif x:\n    !ls *.jpg \\\n      -l\n    y = 2", "pass\nif x:\n    pass\n\n    y = 2"),
        ("x?\n?x\nx.y??", "pass\npass\npass"),
        ("files = !ls\nn = %env N\nif a: b", "files = get_ipython()\nn = get_ipython()\nif a: b"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out --no-stderr\nx = 1", "\n\nx = 1"),
        ("%%bash\nls | wc", "\n"),
        ("  x = 1\n  if x:\n      y = 2", "x = 1\nif x:\n    y = 2"),
        ("%%writefile a.py\nx = 1", "\n"),
        ("x = '''\n%no\n!no\n'''", "x = '''\n%no\n!no\n'''"),
        ("x = (a\n% b)\ny = a \\\n% b", "x = (a\n% b)\ny = a \\\n% b"),
        ("x = a != b  # (\n%time f()", "x = a != b  # (\npass"),
        ("x = '(' + \"'\" + '\\''\n%time f()", "x = '(' + \"'\" + '\\''\npass"),
    ],
)
def test_magics_give_way_line_for_line(cell: str, program: str) -> None:
    assert read_notebook(notebook(cell).encode()).text == f"\n\n{program}\n"


def test_long_lines_take_no_time() -> None:
    lines = " " * 1_000_000 + "=", "x" * 1_000_000, "x =" + " " * 1_000_000, "'" + "\\" * 1_000_000
    assert [cell for cell, _ in read_notebook(notebook(*lines).encode()).broken] == [1, 3, 4]


def test_where_lines_stand() -> None:
    read = read_notebook(notebook("#md", ["a = 1\n", "b = 2"], "(", "", "c = 3").encode())
    assert read.text == "\n\na = 1\nb = 2\n\nc = 3\n"
    assert [read.place(line) for line in (3, 4, 5, 6)] == [Place(2, 1), Place(2, 2), Place(4, 1), Place(5, 1)]
    assert [(cell, error.message) for cell, error in read.broken] == [
        (3, "syntax error: '(' was never closed")
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "not a notebook, which is JSON"),
        (b"[]", "has no cells"),
        (b"{}", "has no cells"),
        (b'{"nbformat": "4", "cells": []}', "has no cells"),
        (b'{"nbformat": 3, "worksheets": []}', "old format"),
        (b'{"cells": "\xff"}', "not valid UTF-8: byte 0xff"),
        (b"[" * 100_000, "cannot be read"),
        (notebook("x <- 1", language="R").encode(), "another language"),
    ],
)
def test_what_is_no_notebook(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_notebook(data)


@pytest.mark.parametrize(
    "cell", [{"cell_type": "code"}, 7, None, {"cell_type": "code", "source": 3}, {"source": "x ="}]
)
def test_odd_cells_are_none(cell: object) -> None:
    assert read_notebook(json.dumps({"cells": [cell], "nbformat": 4}).encode()).text == "\n\n"


def test_signs_that_no_source_holds_break_one_cell() -> None:
    read = read_notebook(notebook("x = '\udc80'", "y = '\0'", "z = 1").encode())
    assert [cell for cell, _ in read.broken] == [1, 2]
    assert read.text == "\n\nz = 1\n"


def test_a_coding_line_in_a_cell_means_nothing(tmp_path: Path) -> None:
    cells = "# coding: utf-16\n" + IMPORTS, "things = ['é']\n" + LOADER
    write(tmp_path, {"n.ipynb": notebook(*cells), ".git/HEAD": ""})
    lines, said, code = check(tmp_path)
    assert lines[0].startswith(f"n.ipynb:cell 2:2:1: {FOUND}")
    assert (said, code) == ("", 1)


def test_findings_stand_in_cells(tmp_path: Path) -> None:
    cells = "#md", "%pip install torch", IMPORTS + "\nfrom data import things", "\n  \n" + LOADER
    files = {"n.ipynb": notebook(*cells), "data.py": "things = [1]\n", ".git/HEAD": ""}
    write(tmp_path, {**files, ".ipynb_checkpoints/n-checkpoint.ipynb": notebook(*cells)})
    lines, said, code = check(tmp_path)
    assert len(lines) == 1
    assert lines[0].startswith(f"n.ipynb:cell 4:3:1: {FOUND}")
    assert (said, code) == ("", 1)
    shown = dlint(tmp_path, "check", "--no-cache", "n.ipynb").stdout
    assert f"\n3 | {LOADER}\n" in shown
    assert "= fix: Remove shuffle (dlint fix)" in shown
    found = json.loads(dlint(tmp_path, "check", "--no-cache", "--output-format", "json").stdout)
    assert [(each["cell"], each["line"]) for each in found] == [(4, 3)]
    edit = {"path": "n.ipynb", "line": 3, "end_line": 4, "content": FIXED, "cell": 4}
    assert found[0]["fix"]["edits"] == [edit]


def test_what_is_found_is_the_same_from_the_cache(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, "(", LOADER), ".git/HEAD": ""})
    first, second = (dlint(tmp_path, "check") for _ in range(2))
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
    assert "n.ipynb:cell 3:1:1" in first.stdout
    assert first.stderr == "dlint: n.ipynb:cell 2:1: syntax error: '(' was never closed\n"


def test_comments_exclude_and_ignores_count(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, LOADER + "  # noqa: DL301"), ".git/HEAD": ""})
    assert check(tmp_path)[0] == []
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, LOADER)})
    assert check(tmp_path, "--exclude", "*.ipynb")[0] == []
    write(tmp_path, {"pyproject.toml": '[tool.dlint.per-file-ignores]\n"*.ipynb" = ["DL301"]\n'})
    assert check(tmp_path)[0] == []


def test_other_files_are_checked_beside_a_broken_notebook(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": '{"DataLoader": ', "a.py": HAZARD, "r.ipynb": notebook("x", language="R")})
    lines, said, code = check(tmp_path, ".")
    assert len(lines) == 1
    assert said == "dlint: n.ipynb:1: not a notebook, which is JSON: Expecting value\n"
    assert code == 2
    assert check(tmp_path, "r.ipynb")[1] == "dlint: r.ipynb: a notebook of another language than Python\n"


def test_messages_of_other_files_name_the_cell(tmp_path: Path) -> None:
    data = (
        "from torch.utils.data import Dataset\n\n\nclass Things(Dataset):\n    def __len__(self):\n"
        "        return 9\n\n    def __getitem__(self, i):\n"
        "        try:\n            return open(i)\n        except OSError:\n            return None\n"
    )
    use = "#md", "from data import Things\n" + IMPORTS, "loader = DataLoader(Things(), 2)\nnext(iter(loader))"
    write(tmp_path, {"n.ipynb": notebook(*use), "data.py": data, ".git/HEAD": ""})
    lines, _, _ = check(tmp_path)
    assert "DL502" in lines[0]
    assert "n.ipynb:cell 3:1" in lines[0]


def test_no_main_guard_is_asked_for(tmp_path: Path) -> None:
    body = "things = [1]\nloader = DataLoader(things, num_workers=2, multiprocessing_context='spawn')"
    loop = "for batch in loader:\n    pass"
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, body, loop), ".git/HEAD": ""})
    assert check(tmp_path) == ([], "", 0)
    write(tmp_path, {"n.py": f"{IMPORTS}\n{body}\n{loop}\n"})
    assert "DL402" in check(tmp_path)[0][0]


@pytest.mark.parametrize(
    ("version", "target", "found"),
    [
        ("3.10.12", None, False),
        ("3.9.18", None, True),
        ("3.10.12", "1.8", True),  # what the user says counts
        ("3.x", None, True),
        (3.1, None, True),
    ],
)
def test_the_python_of_a_notebook(version: object, target: str | None, found: bool, tmp_path: Path) -> None:
    draws = (
        "import numpy as np\nfrom torch.utils.data import DataLoader, Dataset\n\nclass Things(Dataset):\n"
        "    def __len__(self):\n        return 9\n\n"
        "    def __getitem__(self, i):\n        return np.random.rand(i)"
    )
    metadata = {"language_info": {"name": "python", "version": version}}
    loop = "for batch in DataLoader(Things(), num_workers=2):\n    print(batch)"
    write(tmp_path, {"n.ipynb": notebook(draws, loop, metadata=metadata)})
    settings = Settings(select=("DL202",), target_torch=target)
    assert bool(engine.check([tmp_path], settings).findings) is found


def test_what_a_cell_defines_cannot_be_sent(tmp_path: Path) -> None:
    define = (
        "from torch.utils.data import Dataset\n\nclass Things(Dataset):\n    def __len__(self):\n"
        "        return 9\n\n    def __getitem__(self, i):\n        return i\n\ndef together(batch):\n    return batch\n"
    )
    loop = "for batch in DataLoader(Things(), num_workers=2, collate_fn=together):\n    pass"
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, define, loop), ".git/HEAD": ""})
    lines, _, _ = check(tmp_path)
    assert [line.split(" DL401 ")[0] for line in lines] == ["n.ipynb:cell 2:3:1:", "n.ipynb:cell 2:10:1:"]
    assert "move it to a module that the notebook imports (loader at n.ipynb:cell 3:1)" in lines[0]
    assert "collate_fn is together, a function of a notebook" in lines[1]
    forked = loop.replace("Things(),", "Things(), multiprocessing_context='fork',")
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, define, forked)})
    assert check(tmp_path)[0] == []
    write(tmp_path, {"n.ipynb": notebook(f"from data import *\n{IMPORTS}", loop), "data.py": define})
    assert check(tmp_path)[0] == []


def test_columns_count_in_indented_cells(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, f"  x = 1\n  {LOADER}"), ".git/HEAD": ""})
    assert check(tmp_path)[0][0].startswith("n.ipynb:cell 2:2:3: DL301")
    shown = dlint(tmp_path, "check", "--no-cache").stdout.splitlines()
    line = next(at for at, text in enumerate(shown) if LOADER in text)
    under = shown[line + 1].index("^") - shown[line].index(LOADER)
    assert LOADER[under:].startswith("sampler=")


def test_a_repair_goes_into_the_cell(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, LOADER), "a.py": HAZARD, ".git/HEAD": ""})
    result = dlint(tmp_path, "fix", "--diff")
    assert result.returncode == 1
    assert "+++ b/n.ipynb" in result.stdout
    assert "n.ipynb:cell 2:1: would repair DL301" in result.stderr
    assert (tmp_path / "n.ipynb").read_text() == notebook(IMPORTS, LOADER)
    result = dlint(tmp_path, "fix")
    assert "n.ipynb:cell 2:1: repaired DL301" in result.stdout
    assert (tmp_path / "n.ipynb").read_text() == notebook(IMPORTS, FIXED)
    assert (tmp_path / "a.py").read_text() == HAZARD.replace(", shuffle=True", "")
    assert dlint(tmp_path, "fix").returncode == 0


def test_check_fix_and_comments(tmp_path: Path) -> None:
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, "%time x = 1\n" + LOADER), ".git/HEAD": ""})
    result = dlint(tmp_path, "check", "--no-cache", "--add-noqa")
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "n.ipynb").read_text() == notebook(IMPORTS, f"%time x = 1\n{LOADER}  # noqa: DL301")
    assert check(tmp_path) == ([], "", 0)
    assert "would" not in dlint(tmp_path, "fix", "--diff").stdout
    unused = dlint(tmp_path, "check", "--no-cache", "--extend-select", "DL001", "--fix")
    assert unused.returncode == 0
    write(tmp_path, {"n.ipynb": notebook(IMPORTS, LOADER)})
    assert dlint(tmp_path, "check", "--no-cache", "--fix").returncode == 0
    assert (tmp_path / "n.ipynb").read_text() == notebook(IMPORTS, FIXED)


def test_standard_input_may_be_a_notebook(tmp_path: Path) -> None:
    given = notebook(IMPORTS, LOADER).encode()
    result = dlint(tmp_path, "check", "-", "--stdin-filename", "n.ipynb", stdin=given)
    assert "n.ipynb:cell 2:1:1" in result.stdout
    assert f"1 | {LOADER}\n" in result.stdout
    given = notebook(CLEAN).encode()
    assert dlint(tmp_path, "check", "-", "--stdin-filename", "n.ipynb", stdin=given).returncode == 0
