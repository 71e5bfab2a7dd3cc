"""Where a name stands in a file without being called: what hands a function on is looked for only there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlint.project.index import Index
from dlint.source.module import Module

TEXT = """\
def read(x):
    return x

read(1)
kept = read
start(target=read); read(2)
read (3)
reader = thread(read(4))
"""


def _module(text: str) -> Module:
    return Module(Path("a.py"), "a.py", text, ast.parse(text))


def _lines(called: bool | None) -> list[int]:
    return _module(TEXT).lines_with("read", called=called)


def test_lines_where_a_name_is_called_and_where_it_is_not() -> None:
    assert _lines(None) == [1, 4, 5, 6, 7, 8]
    assert _lines(True) == [4, 6, 7, 8]
    assert _lines(False) == [5, 6, 7]


def test_no_node_that_is_not_called_is_left_out() -> None:
    module = _module(TEXT)

    def uncalled(called: bool | None) -> list[ast.AST]:
        return [
            trail[-1]
            for trail in module.paths_to("read", called=called)
            if isinstance(trail[-1], ast.Name)
            and not (isinstance(trail[-2], ast.Call) and trail[-2].func is trail[-1])
        ]

    assert uncalled(False) == uncalled(None)
    assert len(uncalled(None)) == 2


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("read(1)\n", False),
        ("def read(x): pass\nx.read(2)\n", False),
        ("kept = read\n", True),
        ("x.read(1)\nstart(x.read)\n", True),
        ("read (1)\n", True),  # as good as a mention: the words do not look past a space
        ("reader = 1\n", False),
    ],
)
def test_a_file_mentions_a_name_where_it_is_not_called(tmp_path: Path, text: str, does: bool) -> None:
    path = tmp_path / "a.py"
    assert Index(tmp_path, [path], {path: text.encode()}).mentions("a.py", "read") is does
