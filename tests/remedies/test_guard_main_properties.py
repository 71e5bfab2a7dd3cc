"""Scripts put together from what scripts are made of: guarded, they do the same, and a worker that imports
them does nothing and has what it needs."""

from __future__ import annotations

import io
from collections import Counter
from contextlib import redirect_stdout

from hypothesis import given, settings
from hypothesis import strategies as st

from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, repaired

# What acts: each line shows, so that its order does.
_ACTING = (
    "print('start')\n",
    "size = len(str(scale)) + 1; print(size)\n",
    "# A comment\n\nlog.append('a')\n",
    "for name in ('a', 'b'):\n#   margin\n    print(name, \\\n          scale)\n",
    'text = """one\n  two\n"""\nprint(text)\n',
    "with open(__file__) as file:\n    print(file.read()[:0] + f'{\nscale}')\n",
    "try:\n    print(bool(late))\nexcept NameError:\n    print('no late')\n",
    "if scale:\n    shown = [show(x) for x in range(2)]\nelse:\n    pass\n",
    "scale += 1\nprint(scale)\n",
    "import math; print(math.pi)\n",
    "last = scale\ndel last\n",
    "model = dict(scale=scale)\nprint(sorted(model))\n",
)
# What defines, some of it with what the script has made so far.
_DEFINING = (
    "def show(x):\n    print('show', x, scale)\n    return x\n",
    "def show(x, scale=scale):\n    print('show', x, scale)\n    return x\n",
    "class Model:\n    depth = 2\n\n    def run(self):\n        return scale + self.depth\n",
    "class Model:\n    depth = scale\n\n    def run(self):\n        return self.depth\n",
    "@noted\ndef other():\n    return model\n",
    "late = 3\n",
    "def late(y=(1, 2)):\n    global scale\n    scale = y\n",
    "if log:\n    def some(): return 1\nelse:\n    def some(): return 2\n",
    "@staticmethod\ndef plain(): return late\n",
    "class Sub(Base):\n    pass\n",
    "from math import floor\n",
    "LIMIT = 4\n",
)
# The dataset: what workers read of the module.
_DATASETS = (
    "class Data:\n    def __getitem__(self, i):\n        return i\n",
    "class Data:\n    def __getitem__(self, i):\n        return i + scale\n",
    "class Data:\n    def __init__(self):\n        self.size = size\n\n    def __getitem__(self, i):\n"
    "        return helper(i)\n\n\ndef helper(i):\n    return i + OFFSET\n",
    "class Data:\n    def __getitem__(self, i):\n        return i * model['scale']\n",
)
_HEAD = """import io
scale = 1
OFFSET = 2
log = []
def noted(function):
    log.append(sorted(name for name in globals() if name in ('scale', 'model', 'late')))
    return function
class Base:
    made = []
    def __init_subclass__(cls):
        Base.made.append((cls.__name__, scale))
"""
_TAILS = ("", "\nif __name__ == '__main__':\n    print('main', scale)\n", "# the end\n")


@st.composite
def _scripts(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(_ACTING + _DEFINING), max_size=6))
    pieces.insert(draw(st.integers(0, len(pieces))), draw(st.sampled_from(_DATASETS)))
    between = draw(st.sampled_from(("", "\n", "\n\n")))
    after = draw(st.lists(st.sampled_from(_ACTING + _DEFINING), max_size=2))
    loop = "for x in ⟦[1, 2]⟧:\n    print(x)\n"
    return _HEAD + between.join([*pieces, loop, *after]) + draw(st.sampled_from(_TAILS))


def _run(code: str, name: str) -> tuple[str, str | None, dict[str, object]]:
    """What a script prints, the kind of error it ends with, and its names."""
    names: dict[str, object] = {"__name__": name, "__file__": __file__}
    shown = io.StringIO()
    error = None
    with redirect_stdout(shown):
        try:
            exec(compile(code, "script.py", "exec"), names)
        except Exception as raised:
            error = type(raised).__name__
    return shown.getvalue(), error, names


def _plain(names: dict[str, object]) -> dict[str, object]:
    kinds = (int, str, list, tuple, dict)
    return {
        name: value if isinstance(value, kinds) else type(value).__name__
        for name, value in names.items()
        if name != "__builtins__"
    }


_outcomes: Counter[str] = Counter()


@settings(max_examples=60, deadline=None)
@given(_scripts())
def _a_guarded_script_does_the_same(marked: str) -> None:
    before = marked.replace("⟦", "").replace("⟧", "")
    output, error, names = _run(before, "__main__")
    if error is not None:
        return
    try:
        after = repaired(Case("guard_main", "made up", marked, {}, ""))
    except CannotRepair:
        _outcomes["refused"] += 1
        return
    _outcomes["done"] += 1
    new_output, new_error, new_names = _run(after, "__main__")
    assert (new_output, new_error) == (output, None), after
    assert _plain(new_names) == _plain(names), after
    # A spawned worker: the loop does not run, and reading an item finds all it needs.
    worker_output, worker_error, worker = _run(after, "__mp_main__")
    assert worker_error is None, after
    assert "1\n2\n" not in worker_output, after
    assert _item(worker) == _item(names) or _item(names) is None, after


def _item(names: dict[str, object]) -> object:
    """An item of the script's dataset, None where it never had what it needs."""
    data = names["Data"]
    assert isinstance(data, type)
    instance = object.__new__(data)
    instance.size = 1  # type: ignore[attr-defined]
    try:
        return data.__getitem__(instance, 1)  # type: ignore[attr-defined]
    except NameError:
        return None


def test_a_guarded_script_does_the_same() -> None:
    _outcomes.clear()
    _a_guarded_script_does_the_same()
    assert _outcomes["done"] > 10
    assert _outcomes["refused"] > 0
