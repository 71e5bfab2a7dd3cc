"""Whatever surrounds a hazard: the repaired file parses, keeps its comments and all other code, and a
second run changes nothing."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from dlint.remedies import remedy
from dlint.repair import check_text
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from tests.remedies.case import Case, finding_at, repaired

# A program is a list of pieces; the hazard stands in one of them between the marks of tests.remedies.case.
_HEADS = [
    "",
    '"""Doc."""\n',
    "#!/usr/bin/env python\n# coding: utf-8\n",
    '"""Doc."""\nfrom __future__ import annotations\n',
]
_IMPORTS = [
    "import os\n",
    "import sys; sys.path.append('..')\n",
    "import torch  # the framework\n",
    "from torch.utils.data import DataLoader, Dataset\n",
    "import torch.utils.data as data\n",
    "try:\n    import yaml\nexcept ImportError:\n    yaml = None  # optional\n",
    "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from os import PathLike\n",
    "from math import (  # some\n    pi,\n    # more\n    tau,\n)\n",
    "import numpy as np\n",
    "import random\n",
]
_BETWEEN = [
    "",
    "\n",
    "\n\n# A remark\n",
    "SIZE = (1,\n        2)  # of images\n",
    "@property\ndef helper(a, *, b: int = 2) -> int:\n    return a; b\n",
    "class Base:\n\n    # nothing\n\n    x = 1\n\n  # odd\n",
    "if SIZE: a = 1; b = 2\n",
    "for i in range(3):\n\tprint(i)  # tabs\n",
    "text = '''a\n  # no comment\n'''\n",
    "# %%\n",
]
_HAZARDS = {
    "cv2_threads_off": [
        """\
import cv2


def load(path):
    return ⟦cv2.imread(path)⟧  # BGR
""",
        """\
from cv2 import imread
class D:
    def __getitem__(self, i): return (⟦imread(self.paths[i])⟧)
""",
        """\
def load(path):
    import cv2 as cv  # late
    return ⟦cv.imread(path)⟧
""",
    ],
    "drop_argument": [
        "loader = ⟦DataLoader(d, sampler=s, shuffle=True)⟧  # train\n",
        """\
loader = wrap((⟦DataLoader(
    d,  # data
    shuffle=True,  # mixed
    # by hand
    sampler=s,
)⟧), 1)
""",
        "if SIZE: loader = ⟦DataLoader(d, shuffle=True, sampler=s)⟧; n = 1\n",
    ],
    "seed_workers": [
        "loader = ⟦DataLoader(d, num_workers=2)⟧\n",
        """\
def make(d):
    return ⟦DataLoader(
        d,  # data
        num_workers=2  # two
    )⟧
""",
        """\
loader = ⟦data.DataLoader(d, batch_size=2,
                         num_workers=2)⟧  # train
""",
    ],
    "remove_reseed": [
        """\
class D:
    def __getitem__(self, i):
        # the same
        ⟦random.seed(0)⟧  # always

        return i
""",
        """\
class D:
    def __getitem__(self, i):
        ⟦np.random.seed(i)⟧; x = np.random.rand(2, 3)
        return x  # noisy
""",
        """\
def collate(batch):
    if SIZE: ⟦random.seed(1)⟧
    return batch
""",
    ],
    "generator_per_worker": [
        """\
class D:
    def __init__(self, seed=None):
        self.rng = ⟦np.random.default_rng(seed)⟧  # rng

    # items
    def __len__(self): return 1
""",
    ],
    "pool_per_process": [
        """\
class D:
    def __init__(self, n):
        # threads
        self.pool = ⟦ThreadPool(
            n,  # of them
        )⟧
        self.n = n
""",
    ],
    "hoist_callable": [
        """\
def make(d, size):
    return DataLoader(d, collate_fn=⟦lambda batch: [x[:size] for x in batch]⟧)  # short
""",
    ],
}
_NEEDS = {
    "remove_reseed": "import random\nimport numpy as np\n",
    "generator_per_worker": "import numpy as np\n",
}


@st.composite
def _programs(draw: st.DrawFn) -> Case:
    remedy = draw(st.sampled_from(sorted(_HAZARDS)))
    imports = draw(st.lists(st.sampled_from(_IMPORTS), max_size=5, unique=True))
    if remedy in _NEEDS:
        imports.append(_NEEDS[remedy])
    before = draw(st.lists(st.sampled_from(_BETWEEN), max_size=4))
    after = draw(st.lists(st.sampled_from(_BETWEEN), max_size=3))
    hazard = draw(st.sampled_from(_HAZARDS[remedy]))
    marked = "".join([draw(st.sampled_from(_HEADS)), *imports, *before, hazard, *after])
    if draw(st.booleans()):
        marked = marked.rstrip("\n")
    data = {"arguments": ["shuffle"]} if remedy == "drop_argument" else {}
    return Case(remedy, "made up", marked, data, "")


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _code_lines(text: str) -> Counter[str]:
    return Counter(line for line in text.splitlines() if line.strip())


@settings(max_examples=150, deadline=None)
@given(_programs(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_repair_leaves_the_rest(case: Case, newline: str, marked: bool) -> None:
    if not _is_python(case.before):
        return
    bom = b"\xef\xbb\xbf" if marked else b""
    before = bom + case.before.replace("\n", newline).encode()
    source = Source(Path("module.py"), before)
    edits = Edits(source)
    finding = finding_at(case.marked, case.remedy, case.data)
    remedy(case.remedy).repair(source, finding, edits)
    after = source.encode(edits.apply())

    check_text(before, after, edits.dropped)
    assert after.startswith(bom)
    if newline.encode() in before:
        assert after.count(b"\n") == after.count(newline.encode())
    hazard = case.marked.partition("⟦")
    first = hazard[0].count("\n")
    last = first + hazard[2].partition("⟧")[0].count("\n")
    kept = [line for i, line in enumerate(case.before.splitlines()) if not first <= i <= last]
    lost = Counter(line for line in kept if line.strip()) - _code_lines(
        after.decode("utf-8-sig").replace("\r", "")
    )
    # The statements around the hazard may take a keyword's comma, a `with`, or lose a `pass`; nothing else.
    assert sum(lost.values()) <= 2, lost


@settings(max_examples=60, deadline=None)
@given(_programs())
def test_protection_is_not_doubled(case: Case) -> None:
    if case.remedy != "cv2_threads_off" or not _is_python(case.before):
        return
    once = repaired(case)
    inside = case.marked.partition("⟦")[2].partition("⟧")[0]
    again = once.replace(inside, f"⟦{inside}⟧", 1) if once.count(inside) == 1 else None
    if again is not None:
        assert repaired(Case(case.remedy, "again", again, {}, "")) == once


def test_comments_are_counted_as_tokens() -> None:
    text = "x = '# no'  # yes\n"
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    assert [t.string for t in tokens if t.type == tokenize.COMMENT] == ["# yes"]
    try:
        check_text(text.encode(), b"x = '# no'\n")
    except CannotRepair as error:
        assert "# yes" in str(error)
