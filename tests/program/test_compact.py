"""Trees that share the keys of their nodes say what they said before."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings
from dlint.source.trees.compact import made_compact
from program.sources import cases, files_of, write

TEXTS = [
    *(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))[:4]),
    'def f(a, /, b: int = 1, *c, d, e=2, **g) -> None:\n    global x\n    x = {**a, 1: u"b"}\n',
    "match x:\n    case {'a': 1, **rest} | [_, *more] | P(x=None): pass\n",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_is_lost(text: str) -> None:
    written = ast.dump(ast.parse(text), include_attributes=True)
    tree = made_compact(ast.parse(text))
    assert ast.dump(tree, include_attributes=True) == written
    assert made_compact(tree) is tree
    assert ast.dump(tree, include_attributes=True) == written


def test_a_node_that_was_made_by_hand_stays_as_it_is() -> None:
    tree = ast.parse("x = 1")
    tree.body.append(ast.Pass())
    assert "lineno" not in vars(made_compact(tree).body[1])


def test_nodes_keep_what_is_set_later() -> None:
    tree = made_compact(ast.parse("x = 1\ny = 2"))
    first, second = tree.body
    first.type_comment = "int"  # type: ignore[attr-defined]
    first.mark = 1  # type: ignore[attr-defined]
    assert (first.mark, second.type_comment) == (1, None)  # type: ignore[attr-defined]
    assert not hasattr(second, "mark")


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="of CPython's dictionaries")
def test_it_takes_no_more_memory() -> None:
    text = TEXTS[0]

    def size(tree: ast.AST) -> int:
        return sum(sys.getsizeof(vars(node)) for node in ast.walk(tree))

    assert size(made_compact(ast.parse(text))) <= size(ast.parse(text))


def test_nobody_changes_the_list_that_trees_share(tmp_path: Path) -> None:
    """What a rule would append to the arguments of a call that has none, all trees would have."""
    for number, files in enumerate(map(files_of, cases("afresh_beside").values())):
        (tmp_path / str(number)).mkdir()
        write(tmp_path / str(number), files)
    assert engine.check([tmp_path], Settings()).findings
    assert made_compact(ast.parse("f()")).body[0].value.keywords == []  # type: ignore[attr-defined]
