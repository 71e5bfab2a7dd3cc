"""Statements that do the same are made one kind when a file is parsed."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from dlint.source.desugaring.plain import made_plain

_SAME = [
    ("x: int = 1", "x = 1"),
    ("x: int", "x: int"),
    (
        "class A:\n    def f(self):\n        self.x: int = 1",
        "class A:\n\n    def f(self):\n        self.x = 1",
    ),
    ("a, b = 1, 2", "a = 1\nb = 2"),
    ("(a, b) = (f(1), f(2))", "a = f(1)\nb = f(2)"),
    ("if c:\n    a, b = 1, 2\n    d = 3", "if c:\n    a = 1\n    b = 2\n    d = 3"),
    ("self.a, self.b = open(p), 100", "self.a = open(p)\nself.b = 100"),
    ("a, b = b, a", "a, b = (b, a)"),
    ("a, b = 1, g(a)", "a, b = (1, g(a))"),
    ("self.a, self.b = 1, self.a", "self.a, self.b = (1, self.a)"),
    ("self.a, self.b = 1, self.count()", "self.a, self.b = (1, self.count())"),
    ("self.a, self.b = 1, size(self)", "self.a, self.b = (1, size(self))"),
    ("a, b = pair()", "a, b = pair()"),
    ('setattr(self, "a", f(1))', "self.a = f(1)"),
    ('object.__setattr__(self, "a", 1)', "self.a = 1"),
    ("self.__dict__.update(a=1, b=open(p))", "self.a = 1\nself.b = open(p)"),
    ('if c:\n    vars(self).update({"a": 1})', "if c:\n    self.a = 1"),
    ('self.__dict__["a"] = 1', "self.a = 1"),
    ('vars(self)["a"] = x, y', "self.a = (x, y)"),
    ("self.__dict__.update(a=1, b=self.a)", "self.__dict__.update(a=1, b=self.a)"),
    ("self.__dict__.update(a=1, **more)", "self.__dict__.update(a=1, **more)"),
    ("self.__dict__.update(more, a=1)", "self.__dict__.update(more, a=1)"),
    ('self.__dict__.update({"a": 1, **more})', "self.__dict__.update({'a': 1, **more})"),
    ("vars(self)[name] = 1", "vars(self)[name] = 1"),
    ("setattr(self, name, 1)", "setattr(self, name, 1)"),
    ('setattr(other, "a", 1)', "setattr(other, 'a', 1)"),
    ("self.options.update(a=1)", "self.options.update(a=1)"),
    ("a, *b = 1, 2", "a, *b = (1, 2)"),
    ("a, b = 1, *c", "a, b = (1, *c)"),
    ("x[0], b = 1, 2", "x[0], b = (1, 2)"),
    ("a, (b, c) = 1, d", "a, (b, c) = (1, d)"),
    (
        """
        match mode:
            case "train" | "all":
                x = 1
            case None if y:
                x = 2
            case Mode.TEST:
                x = 3
            case _:
                x = 4
        """,
        """
        if mode == "train" or mode == "all":
            x = 1
        elif mode is None and y:
            x = 2
        elif mode == Mode.TEST:
            x = 3
        else:
            x = 4
        """,
    ),
    ("match m:\n    case 1:\n        a, b = 1, 2", "if m == 1:\n    a = 1\n    b = 2"),
    ("match m:\n    case _ if y:\n        x = 1", "if y:\n    x = 1"),
    ("match m:\n    case _:\n        if a:\n            x = 1", None),
    ("match m:\n    case 1:\n        x = 1\n    case [a, b]:\n        x = a", None),
    ("match m:\n    case 1 as a:\n        x = a", "if m == 1:\n    a = m\n    x = a"),
    (
        "match m:\n    case None:\n        x = 1\n    case a:\n        x = a",
        "if m is None:\n    x = 1\nelse:\n    a = m\n    x = a",
    ),
    ("match m:\n    case A() as a if a.b:\n        x = a", None),
    ("match m:\n    case a:\n        x = a", None),
    ("match m:\n    case A(b=1) | 2:\n        x = 1", None),
]


@pytest.mark.parametrize(("text", "plain"), _SAME)
def test_made_plain(text: str, plain: str | None) -> None:
    text = dedent(text)
    expected = text if plain is None else dedent(plain)
    tree = made_plain(ast.parse(text), text)
    assert ast.unparse(tree) == ast.unparse(ast.parse(expected))


def test_every_node_has_a_place() -> None:
    text = "\n\nmatch m:\n    case 1 | 2 if y:\n        a, b = 1, 2\n    case None:\n        pass\n"
    for node in ast.walk(made_plain(ast.parse(text), text)):
        if isinstance(node, ast.stmt | ast.expr):
            assert 3 <= node.lineno <= (node.end_lineno or 0) <= 7
