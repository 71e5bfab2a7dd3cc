"""On which lines a pass over a dataset may stand that uses a part of each item: told by their text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.regex import regex
from dlint.source.module import Module

# All repetitions that a search may begin anew at many places are bounded: a line may be made to be hostile.
# What a pass has on one of its lines: ``for image, label in dataset`` (or ``enumerate(...)``), or
# ``for i in range(...)`` with ``dataset[i][1]``.
_DATA = r"(?:ds|data\w{0,99}|set)"
_UNPACKS = (
    r"\bfor\b[^\n]{0,300}?\w\s{0,99},\s{0,99}\w{1,99}[\s,)]{0,99}\bin\b\s{0,99}"
    r"(?:\(|\[|\\|$|[\w.]{0,200}(?:enumerate|tqdm|track)\b|[\w.]{1,200}(?![\w.]|\s{0,99}[(\[])"
    rf"|[\w.]{{1,200}}\((?:\w{{1,99}}=)?[\w.]{{0,200}}{_DATA}\))"
)
_COUNTS = r"\bfor\b[\s(]*\w+[\s)]*\bin\b\s*(?:\(|\\|$|range\b|tqdm\b|trange\b)"
_PICKS = r"\[\s*\w+\s*\]\s*\[\s*[\d'\"]"
# Whole items: ``for item in dataset``, where the name of what it goes through sounds like a dataset. Whatever
# it is called, a part of each that stands near (``item[1]``, ``item["label"]``) says as much.
_TAKES = rf"\bfor\s+\w+\s+in\s+(?:\w{{1,99}}\()?[\w.]{{0,200}}{_DATA}\b(?!\s*[(\[.])"
# ``map(lambda item: item[1], dataset)``, ``map(itemgetter(1), dataset)``
_MAPS = (
    r"\bmap\(\s{0,99}(?:lambda\b|[\w.]{0,99}(?:item|attr)getter\()[^\n]{0,300}?,\s{0,99}[\w.]{1,200}\s{0,9}\)"
)
# ``_, labels = zip(*dataset)``, ``list(zip(*dataset))[1]``
_TURNS = r"(?:_[^\n=]{0,99}=\s{0,9}|(?:list|tuple)\(|\[\s{0,9}\*)zip\(\s{0,9}\*"
_ITEMS = regex(r"for (?<!\wfor )\s{0,99}(\w{1,99})\s{1,99}in\s{1,99}(?:\w{1,99}\()?[\w.]{1,200}")
_PART = r"(?<![\w.])%s\[(?:\d|[\"']\w{0,99}(?:label|target|class|cls)\w{0,99}[\"']|[\"']y[\"'])"
_NEAR = 400
_PASS = regex(f"{_UNPACKS}|{_COUNTS}|{_PICKS}|{_TAKES}|{_MAPS}|{_TURNS}")
_INDICES = regex(
    r"\bfor\s+\w+\s+in\s+[\w.]{0,200}(?:indices|indexes|idx|idxs)\b"
)  # ``for i in self.indices:``
_THROUGH = regex(r"\bfor\s+\w+\s+in\s+\w+\s*:")  # ``for i in train:``
_UNPACKS_IN = regex(_UNPACKS.encode(), re.MULTILINE)
_PICKS_IN = regex(
    rf"{_PICKS}|,\s*\w+[\s,)]*=\s*[\w.]+\[\s*\w+\s*\]|{_TAKES}|{_MAPS}|{_TURNS}".encode(), re.MULTILINE
)
_COUNTED_IN = regex(rb"\bin\b[^\n]{0,99}\brange\(\s*len\(")
# ``dataset[i].label``: what else is called so is no label of an item, or comes with others.
_FIELD_IN = regex(rb"\[\s*\w{1,99}\s*\]\.(?:\w{0,99}(?:label|target|class|cls)\w{0,99}|y)\b")
_ITEM_IN = regex(rb"[\w\]]\s*=\s*[\w.]{1,200}\[\s*\w+\s*\]\s*?$", re.MULTILINE)


def may_pass(data: bytes) -> bool:
    """Whether a file has what a pass is written with."""
    if _UNPACKS_IN.search(data) or _PICKS_IN.search(data):
        return True
    if next(_taking_parts(data.decode(errors="replace")), None) is not None:
        return True
    return _COUNTED_IN.search(data) is not None and any(each.search(data) for each in (_ITEM_IN, _FIELD_IN))


def lines_of(module: Module) -> list[int]:
    """The lines of a file on which a pass may stand; of one that speaks of scikit-learn those that go through
    the indices of its folds, too."""
    folds = "sklearn" in module.text
    items = set(_taking_parts(module.text))
    return [
        number
        for number, line in enumerate(module.lines, 1)
        if number in items
        or (
            ("for" in line or "][" in line or "map(" in line or "zip(" in line)
            and (
                _PASS.search(line)
                or _INDICES.search(line) is not None
                or (folds and _THROUGH.search(line) is not None)
            )
        )
    ]


def _taking_parts(text: str) -> Iterator[int]:
    """The lines on which something is gone through of whose items a part is taken."""
    line, end = 1, 0
    for found in _ITEMS.finditer(text):
        near = text[max(found.start() - _NEAR, 0) : found.end() + _NEAR]
        if f"{found[1]}[" in near and re.search(_PART % found[1], near):
            line, end = line + text.count("\n", end, found.start()), found.start()
            yield line
