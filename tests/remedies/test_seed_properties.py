"""Programs made up around a seed in worker code, before and after the remedy: the item is the same to the last
bit, and what is drawn after it is no longer set back."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, repaired

_HEADS = ["import random\nimport numpy as np\n", "import random, math\nimport numpy as np\n"]
_ALIASES = [
    "",
    "draw = np.random\n",
    "from random import *\nimport random\n",
    "from math import *\n",
    "from random import gauss as draw_one\n",
]
_HELPERS = """\
def plain(x):
    return x * 2 + 1


def draws(x):
    return x + random.random() + np.random.rand()


def deep(x):
    return plain(draws(x))


def closed(x):
    return lambda: x + 1


class Halved:
    def __call__(self, x):
        return x / 2


class Shifted(Halved):
    def __call__(self, x):
        return x + np.random.rand() + random.random()


halved, shifted = Halved(), Shifted()
"""
_LIBRARIES = {
    "np.random.seed": [
        "np.random.rand()",
        "np.random.randint(9)",
        "np.random.normal(0, 1)",
        "np.random.sample()",
    ],
    "random.seed": [
        "random.random()",
        "random.gauss(0, 1)",
        "random.choice([1, 2, 3])",
        "random.randint(0, 9)",
    ],
}
_SEEDS = ["0", "index", "seed=index + 3", "index * 7 % 5"]
_OTHERS = [
    "out.append(plain(index))",
    "out.append(draws(index))",
    "out.append(deep(1))",
    "out.append(closed(index)())",
    "out.append(halved(index))",
    "out.append(shifted(index))",
    "out.append(draw.rand() if 'draw' in globals() else 0)",
    "out.append((lambda: DRAW)())",
    "out.extend(DRAW for _ in range(2))",
    "out.append(sum(test_item(index - 1)) if index > 2 else 0)",
    "if index % 2: out.append(DRAW)",
    "for _ in range(2): out.append(DRAW)",
    "while len(out) < 2: out.append(DRAW)",
    "rng = DRAW; out.append(rng)",
    "out.append(math.floor(DRAW)) if 'math' in globals() else out.append(0)",
]
_AROUND = [
    "{before}\n{seed}\n{after}",
    "{before}\nif index % 2 == 0:\n    {seed}\n    {inner}\n{after}",
    "{before}\nif index % 2 == 0:\n    {seed}\n    {inner}\nelse:\n    {inner}",
    "{before}\nfor number in range(2):\n    {seed}\n    {inner}\n{after}",
    "{before}\nfor number in range(2):\n    {inner}\n    {seed}\n{after}",
    "{before}\ntry:\n    {seed}\n    {inner}\nexcept ValueError:\n    pass\n{after}",
]


@st.composite
def _programs(draw: st.DrawFn) -> tuple[str, str]:
    name = draw(st.sampled_from(sorted(_LIBRARIES)))
    line = st.one_of(st.just("out.append(DRAW)"), st.sampled_from(_OTHERS))

    def lines(most: int, *, first: bool = False) -> str:
        chosen = draw(st.lists(line, min_size=1, max_size=most))
        if first:  # what is drawn before the seed follows the seed of an item read there: the hazard itself
            chosen = [each for each in chosen if "test_item(" not in each] or ["pass"]
        return "\n".join(each.replace("DRAW", draw(st.sampled_from(_LIBRARIES[name]))) for each in chosen)

    seed = draw(st.sampled_from(_SEEDS))
    if name == "random.seed":
        seed = seed.removeprefix("seed=")
    around = draw(st.sampled_from(_AROUND))
    inner = lines(1, first=True)
    body = around.format(before=lines(2, first=True), seed=f"⟦{name}({seed})⟧", inner=inner, after=lines(3))
    indented = "\n".join(f"    {each}" for each in body.splitlines())
    head = draw(st.sampled_from(_HEADS)) + draw(st.sampled_from(_ALIASES))
    return name, f"{head}\n\n{_HELPERS}\n\ndef test_item(index):\n    out = []\n{indented}\n    return out\n"


def _run(text: str) -> tuple[list[Any], dict[str, Any]]:
    names: dict[str, Any] = {}
    exec(compile(text, "made_up", "exec"), names)
    items = []
    for index in range(4):
        random.seed(99), np.random.seed(99)
        try:
            items.append(names["test_item"](index))
        except NameError as error:
            items.append(str(error))
    return items, names


def _after_it(names: dict[str, Any], name: str, outer: int) -> float:
    """What is drawn after an item, where ``outer`` was the state before it."""
    random.seed(outer), np.random.seed(outer)
    names["test_item"](2)
    return random.random() if name == "random.seed" else float(np.random.rand())


@settings(max_examples=40, deadline=None)
@given(_programs())
def test_an_item_is_the_same_to_the_last_bit(made: tuple[str, str]) -> None:
    name, marked = made
    case = Case("remove_reseed", "made up", marked, {}, None)
    try:
        after = repaired(case)
    except CannotRepair:
        return
    before_items, _ = _run(case.before)
    after_items, names = _run(after)
    assert before_items == after_items
    assert _after_it(names, name, 1) != _after_it(names, name, 2)


def test_most_of_what_is_made_up_can_be_repaired() -> None:
    text = f"{_HEADS[0]}\n\n{_HELPERS}\n\ndef test_item(index):\n    out = [halved(index), plain(index)]\n"
    text += (
        "    ⟦np.random.seed(index)⟧\n    out.append(np.random.rand())\n    return out + [plain(halved(3))]\n"
    )
    case = Case("remove_reseed", "made up", text, {}, None)
    assert "rng = np.random.RandomState(index)" in repaired(case)
