"""Closures of all kinds, before and after they move: what they give stays, and pickle can send them then."""

from __future__ import annotations

import pickle
import sys
import types
from typing import Any

from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, repaired

_HEAD = """\
import argparse

KEPT = []


def keep(function):
    KEPT.append(function)
    return function


def add(n, more=1):
    return n + more


def make(a, flag, args, box):
    x = a
    y = 2
"""
_TAIL = """\


def run(show):
    args = argparse.Namespace(size=3, wide=False)
    box = {"k": 4}
    for a, flag in ((1, True), (20, False), (300, True)):
        make(a, flag, args, box)
        show([function(n) for function in KEPT for n in (0, 1, 5)])
        args.size += 100
"""
_STATEMENTS = [
    "x = a + 1",
    "x += 1",
    "if flag:\n    x = 5",
    "if flag:\n    x = 1\nelse:\n    x = 2",
    "for x in range(3):\n    y += x",
    "y = x * 2",
    "def bump():\n    nonlocal x\n    x += 1\nbump()",
    "args.size = x",
    "args.size += 1",
    "setattr(args, 'size', y)",
    "box['k'] = y",
    "box.update(k=a)",
    "try:\n    y = int('z')\nexcept ValueError as error:\n    y = len(str(error))",
    "with open('/dev/null') as file:\n    x = len(file.read())",
    "import math as m\nx = m.floor(x)",
    "(x := 7)",
    "for y in [keep(lambda n: n)]:\n    pass\ny = 3",
    "y = locals()['y']",
]
_BODIES = [
    "n + x",
    "n + x * y",
    "n * args.size",
    "args.size if args.wide else n",
    "n + box['k']",
    "[n + x for x in range(2)]",
    "[x + z for z in range(n)]",
    "add(n, x)",
    "add(n, args.size)",
    "add(n)",
    "add(x, n)",
    "f(n - 1) + 1 if n > 0 else 0",
    "f(n - 1) + x if n > 0 else y",
    "(lambda x: x + y)(n)",
    "getattr(f, 'tag', n)",
    "n + m.floor(x)",
    "(z := n + 1) + z",
    "add(n, '''\n  x''' and 2)",
]
_USES = [
    "keep(⟦lambda n: BODY⟧)",
    "keep(⟦lambda n, x=x: BODY⟧)",
    "keep(⟦lambda n, *, y=y: BODY⟧)",
    "f = ⟦lambda n: BODY⟧\nkeep(f)",
    "f = ⟦lambda n: BODY⟧\nf.tag = x\nkeep(f)",
    "f = None\nf = keep(⟦lambda n: BODY⟧)",
    "⟦def f(n):\n    '''One.\n\n    Two.\n    '''\n    return BODY⟧\nkeep(f)",
    "⟦def f(n):\n    return BODY⟧\nkeep(f)\nkeep(f)\nf(1)",
    "⟦def f(n, y=y):\n    z = x\n    return BODY⟧\nkeep(f)",
    "⟦def f(n):\n    x = 4\n    return BODY⟧\nkeep(f)",
    "for i in range(2):\n    keep(⟦lambda n: BODY⟧)\n    y = i",
    "for x in range(2):\n    keep(⟦lambda n: BODY⟧)",
    "for i in range(2):\n    ⟦def f(n):\n        return BODY⟧\n    keep(f)",
    "[keep(⟦lambda n: BODY⟧) for x in range(2)]",
    "if flag:\n    f = ⟦lambda n: BODY⟧\nelse:\n    f = add\nkeep(f)",
    "def inner(args):\n    return keep(⟦lambda n: BODY⟧)\ninner(args)",
    "class Holder:\n    x = 9\n    def __init__(self):\n        self.x = x\n        self.f = keep(⟦lambda n: BODY⟧)\nHolder()",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program in which a closure, between marks, is made and kept, and other things happen around it."""
    before = draw(st.lists(st.sampled_from(_STATEMENTS), max_size=3))
    after = draw(st.lists(st.sampled_from(_STATEMENTS), max_size=2))
    use = draw(st.sampled_from(_USES)).replace("BODY", draw(st.sampled_from(_BODIES)))
    text = "\n".join([*before, use, *after])
    lines = "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))
    return _HEAD + lines + _TAIL


def _shown(text: str, name: str) -> tuple[list[Any], list[Any]] | None:
    """What a program shows, and what it has kept; None where it fails."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    shown: list[Any] = []
    try:
        exec(compile(text, name, "exec"), module.__dict__)
        module.__dict__["run"](shown.append)
    except Exception:
        return None
    return shown, module.__dict__["KEPT"]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_moved_closure_gives_what_it_gave(marked: str) -> None:
    case = Case("hoist_callable", "generated", marked, {}, None)
    before = _shown(case.before, "closures_before")
    if before is None:  # what does not work need not go on doing so
        reject()
    try:
        text = repaired(case)
    except CannotRepair:
        event("left")
        return
    event("moved")
    after = _shown(text, "closures_after")
    assert after is not None, text
    assert after[0] == before[0], text
    if "lambda n: n)" not in text:
        pickle.dumps(after[1])
