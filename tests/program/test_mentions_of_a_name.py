"""Where a name stands in a file without being called: what hands a function on is looked for only there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlint.project.index.index import Index
from dlint.source.module import Module

TEXT = """\
def read(x):
    return x

read(1)
kept = read
start(target=read); read(2)
read (3)
reader = thread(read(4))
read[int](5)
"""


def _module(text: str) -> Module:
    return Module(Path("a.py"), "a.py", text, ast.parse(text))


def _lines(called: bool | None) -> list[int]:
    return _module(TEXT).lines_with("read", called=called)


def test_lines_where_a_name_is_called_and_where_it_is_not() -> None:
    assert _lines(None) == [1, 4, 5, 6, 7, 8, 9]
    assert _lines(True) == [4, 6, 7, 8, 9]
    assert _lines(False) == [5, 6, 7, 9]


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
    assert len(uncalled(None)) == 3


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("read(1)\n", False),
        ("def read(x): pass\nx.read(2)\n", False),
        ("kept = read\n", True),
        ("x.read(1)\nstart(x.read)\n", True),
        ("read[int](1)\nread[dict[str, int]](2)\n", False),  # a class with types told
        ("read[1][2](3)\n", True),
        ("read (1)\n", True),  # as good as a mention: the words do not look past a space
        ("reader = 1\n", False),
    ],
)
def test_a_file_mentions_a_name_where_it_is_not_called(tmp_path: Path, text: str, does: bool) -> None:
    path = tmp_path / "a.py"
    assert Index(tmp_path, [path], {path: text.encode()}).mentions("a.py", "read") is does


STORES = """\
a.size = 1
a.size += 1
a.size, b.size = 1, 2
(a.size,
 b.
 size) = 1, 2
a \\
    .size: int = 3
for a.size in b: pass
for a.size, _ in b: pass
with b as a.size: pass
with b as (a.size): pass
del a.size
del a.size, b.size
[a.size for a.size in b]
[a.size, *b.size] = c
a[b.size].size  =  2
a.size @= b.size
"""
READS = """\
a.size(1)
f(size=1)
size = 3
a.size.x = 1
a.size[0] = 1
if a.size == 1: pass
if a.size != 1 or a.size is b: pass
# size
"""


def test_every_store_is_on_a_line_that_may_store_and_plain_reads_are_not() -> None:
    module = _module(STORES + READS)

    def stores(stored: bool) -> list[ast.AST]:
        return [
            trail[-1]
            for trail in module.paths_to("size", stored=stored)
            if isinstance(trail[-1], ast.Attribute) and not isinstance(trail[-1].ctx, ast.Load)
        ]

    written = [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr == "size" and not isinstance(node.ctx, ast.Load)
    ]
    assert len(written) == 19
    assert stores(True) == stores(False)
    assert set(stores(True)) == set(written)
    assert max(module.lines_with("size", stored=True)) <= STORES.count("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_the_text_of_a_node_and_its_columns_are_those_of_its_lines(end: str, last: bool) -> None:
    text = end.join(["def one():", "    pass  # ü", "", "def two():", "    return 'ü', 2"]) + end * last
    module = _module(text)
    one, two = module.tree.body
    assert isinstance(one, ast.FunctionDef) and isinstance(two, ast.FunctionDef)
    assert module.text_of(one) == "def one():\n    pass" + "  # ü"
    assert module.text_of(two) == "def two():\n    return 'ü', 2"
    assert (module.column(2, 12), module.column(5, 17)) == (13, 17)
    assert module.column(9, 4) == 5
