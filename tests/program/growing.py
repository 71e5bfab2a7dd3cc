"""Programs that grow or change their order, for the tests that no finding goes with it.

What may be added is what proves nothing about the program: nothing here protects a worker, sets a number of
threads, seeds anything or is a guard. A loader without workers gets another dataset, or stands beside one that
has some; a caller passes what other callers might; a namesake is another thing of the same name.
"""

from __future__ import annotations

import ast
import random
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dlint import engine
from dlint.settings.settings import Settings

from .sources import write

Files = dict[str, str]
Found = frozenset[tuple[str, str, str]]
Change = Callable[[Files], Files]


@dataclass(frozen=True)
class Growing:
    """A program with findings, and what others may do with it.

    ``calls`` are calls that anybody might add, each with the module it imports from; ``classes`` those that
    anybody may derive from; ``attributes`` what objects of other classes may have as well.
    """

    files: Mapping[str, str]
    codes: tuple[str, ...]
    calls: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    attributes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The functions and classes at the top of the program's modules."""
        return sorted(
            {
                node.name
                for text in self.files.values()
                for node in ast.parse(text).body
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
            }
        )


def found_in(files: Mapping[str, str], codes: tuple[str, ...], options: Mapping[str, Any]) -> Found:
    """The findings of a program: the file, the code, and the text of the line, wherever it has moved."""
    with tempfile.TemporaryDirectory() as name:
        folder = write(Path(name).resolve(), files)
        report = engine.check([folder], Settings(select=codes, **options))
        assert not report.troubles
        return frozenset(
            (
                relative := Path(each.path).resolve().relative_to(folder).as_posix(),
                each.code,
                files[relative].splitlines()[each.line - 1].strip(),
            )
            for each in report.findings
        )


# Additions.

_PLACES = ("", "tools/", "a_first/", "zz/", "tests/test_")
_UNRELATED = (
    "import math\n\n\ndef area(radius):\n    return math.pi * radius**2\n",
    "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--workers', type=int, default=2)\n    print(parser.parse_args().workers)\n",
    "import numpy as np\n\n\nclass Table:\n    def __init__(self, rows):\n        self.rows = rows\n\n"
    "    def __getitem__(self, index):\n        return np.asarray(self.rows[index])\n",
    "import torch\n\n\ndef step(model, batch, optimizer):\n    loss = model(batch).sum()\n"
    "    loss.backward()\n    optimizer.step()\n",
)
_LOADER = """import sys
from torch.utils.data import DataLoader, Dataset


class Other{n}(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def other_loader_{n}(rows):
    return DataLoader(Other{n}(rows), batch_size=4{workers})


{call}
"""
_WORKERS = ("", ", num_workers=0", ", num_workers=2", ", num_workers=int(sys.argv[1])")


def _free(files: Files, place: str, stem: str) -> str:
    number = 0
    while f"{place}{stem}_{number}.py" in files:
        number += 1
    return f"{place}{stem}_{number}.py"


def _added(stem: str, place: str, text: str) -> Change:
    return lambda files: {**files, _free(files, place, stem): text}


def _between(text: str, which: int, more: str) -> str:
    """A module with a definition added between two of its statements, behind its imports."""
    body = ast.parse(text).body
    last = max((i for i, node in enumerate(body) if isinstance(node, ast.Import | ast.ImportFrom)), default=0)
    starts = [_first_line(node) for node in body[last + 1 :]]
    lines = text.splitlines(keepends=True)
    at = starts[which % len(starts)] - 1 if starts else len(lines)
    return "".join([*lines[:at], "\n\n", more, "\n\n", *lines[at:]])


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _inside(name: str, which: int, more: str) -> Change:
    return lambda files: {**files, name: _between(files[name], which, more)}


def additions(program: Growing) -> st.SearchStrategy[Change]:
    """One thing that somebody adds to a program."""
    places = st.sampled_from(_PLACES)
    number = st.integers(0, 999)
    kinds: list[st.SearchStrategy[Change]] = [
        st.builds(_added, st.just("unrelated"), places, st.sampled_from(_UNRELATED)),
        st.builds(_loaders, places, number, st.sampled_from(_WORKERS), st.booleans()),
        st.builds(_inside, st.sampled_from(sorted(program.files)), number, st.builds(_definition, number)),
        st.builds(_namesakes, places, st.sampled_from(program.names), st.sampled_from([1, 3, 30])),
    ]
    if program.calls:
        kinds.append(
            st.builds(
                _callers,
                places,
                st.sampled_from(program.calls),
                st.sampled_from([1, 2, 14, 60]),
                st.sampled_from([1, 1, 30]),
            )
        )
    if program.classes:
        kinds.append(st.builds(_heirs, places, st.sampled_from(program.classes), number))
    if program.attributes:
        kinds.append(
            st.builds(_stores, places, st.sampled_from(program.attributes), st.sampled_from([1, 9, 40]))
        )
    return st.one_of(kinds)


def _loaders(place: str, n: int, workers: str, called: bool) -> Change:
    """A loader of another dataset, with or without workers."""
    call = f"def use_{n}():\n    return list(other_loader_{n}([1, 2]))" if called else ""
    return _added("loading", place, _LOADER.format(n=n, workers=workers, call=call))


def _definition(n: int) -> str:
    if n % 2:
        return f"class Added{n}:\n    def __init__(self, size):\n        self.size = size\n"
    return f"def added_{n}(size, *rest):\n    return [size, *rest]\n"


def _namesakes(place: str, name: str, times: int) -> Change:
    """Files with a function or class of the same name, which they call."""
    made = f"class {name}:\n    def __init__(self, *given):\n        self.given = given\n"
    function = f"def {name}(*given, **named):\n    return given, named\n"
    text = f"{made if name[0].isupper() else function}\n\ndef ask():\n    return {name}(1, 2)\n"
    return _often(_added("namesake", place, text), times)


def _callers(place: str, call: tuple[str, str], times: int, spread: int) -> Change:
    """More callers, from the functions of one file, or of so many."""
    module, written = call
    name = re.split(r"\W", written)[0]
    functions = "".join(
        f"\n\ndef ask_{n}(given):\n    return {written}\n" for n in range(max(times // spread, 1))
    )
    return _often(_added("asking", place, f"from {module} import {name}\n{functions}"), spread)


def _often(change: Change, times: int) -> Change:
    def changed(files: Files) -> Files:
        for _ in range(times):
            files = change(files)
        return files

    return changed


def _heirs(place: str, cls: tuple[str, str], n: int) -> Change:
    """A class derived from one of the program's, which adds to it and replaces nothing."""
    module, name = cls
    text = f"from {module} import {name}\n\n\nclass {name}{n}({name}):\n    def more(self):\n        return {n}\n"
    return _added("heirs", place, text)


def _stores(place: str, attribute: str, times: int) -> Change:
    """Stores in an attribute of the same name, of objects of another class."""
    lines = "".join(f"    box.{attribute} = {n}\n" for n in range(times))
    text = f"class Box:\n    pass\n\n\ndef fill():\n    box = Box()\n{lines}    return box\n"
    return _added("storing", place, text)


_OTHERS = """from torch.utils.data import DataLoader, Dataset, get_worker_info


class OtherRows(Dataset):
    def __init__(self, rows):
        self.other_rows = rows

    def __len__(self):
        return len(self.other_rows)

    def __getitem__(self, index):
        return self.other_rows[index]


def use_others(begin):
    return list(DataLoader(OtherRows([1]), num_workers=2, worker_init_fn=begin))


"""
_STORING = {
    "in_worker_init_fn": "def begin(worker_id):\n    dataset = get_worker_info().dataset\n{stores}\n"
    "use_others(begin)\n",
    "given_to_nobody": "def begin(worker_id):\n    dataset = get_worker_info().dataset\n{stores}",
    "one_call_further": "def open_all():\n    dataset = get_worker_info().dataset\n{stores}\n"
    "def begin(worker_id):\n    open_all()\n\n\nuse_others(begin)\n",
    "called_by_nobody": "def prepare(dataset):\n{stores}",
    "of_another_dataset": "def prepare(dataset):\n{stores}\nprepare(OtherRows([2]))\n",
    "a_main": "def main():\n    dataset = OtherRows([2])\n{stores}    use_others(None)\n",
}


def stores_of_others(names: Iterable[str]) -> Files:
    """Programs that set attributes of these names on datasets of their own, by what does so."""
    stores = "".join(f"    dataset.{name} = open_one()\n" for name in names) or "    pass\n"
    return {f"{what}.py": _OTHERS + text.format(stores=stores) for what, text in _STORING.items()}


# Orders.


def shuffled(text: str, chance: random.Random) -> str:
    """A module with its functions and classes, and the methods of those, in another order. What a definition
    needs when it is run (a base, a default, a decorator) stays before it, and other statements stay where
    they are."""
    body = ast.parse(text).body
    lines = text.splitlines(keepends=True)
    return "".join(_reordered(body, lines, 0, len(lines), chance))


def _reordered(
    body: list[ast.stmt], lines: list[str], first: int, end: int, chance: random.Random
) -> list[str]:
    starts = [_first_line(node) - 1 for node in body]
    parts: list[tuple[ast.stmt, list[str]]] = []
    for node, start, after in zip(body, starts, [*starts[1:], end], strict=True):
        part = lines[start:after]
        if isinstance(node, ast.ClassDef):
            inner = _first_line(node.body[0]) - 1
            part = lines[start:inner] + _reordered(node.body, lines, inner, after, chance)
        parts.append((node, part))
    found = lines[first : starts[0]]
    run: list[tuple[ast.stmt, list[str]]] = []
    for node, part in parts:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            run.append((node, part))
            continue
        found += _mixed(run, chance)
        run = []
        found += part
    return found + _mixed(run, chance)


def _mixed(run: list[tuple[ast.stmt, list[str]]], chance: random.Random) -> list[str]:
    names = {node.name for node, _ in run if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    waiting = list(run)
    chance.shuffle(waiting)
    done: set[str] = set()
    found: list[str] = []
    while waiting:
        at = next(i for i, (node, _) in enumerate(waiting) if not (_needs(node) & names) - done)
        node, part = waiting.pop(at)
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        done.add(node.name)
        found += [*part, *([] if part[-1].endswith("\n") else ["\n"])]
    return found


def _needs(node: ast.stmt) -> set[str]:
    """The names that must have a value when a definition is run."""
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    roots: list[ast.AST] = list(node.decorator_list)
    if isinstance(node, ast.ClassDef):
        roots += [*node.bases, *node.keywords]
        roots += [each for each in node.body if not isinstance(each, ast.FunctionDef)]
    else:
        roots += [node.args]
    return {each.id for root in roots for each in ast.walk(root) if isinstance(each, ast.Name)} - {node.name}


def renamed(files: Mapping[str, str], names: Mapping[str, str]) -> Files:
    """A program with its modules called otherwise, in their imports as well."""
    words = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def new(text: str) -> str:
        return words.sub(lambda match: names[match[1]], text)

    return {
        new(path): "".join(
            new(line) if re.match(r"\s*(from|import)\s", line) else line
            for line in text.splitlines(keepends=True)
        )
        for path, text in files.items()
    }
