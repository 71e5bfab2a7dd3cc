"""The index answers from words what looking at all the text would answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.project.index import index as index_module
from dlint.project.index.index import Index

_FILES = {
    "a.py": b"from lib import Reader\nreader = Reader('x').open(1)\nself.size = 1\n",
    "b.py": b"class MyReader:\n    def open (self): return self . size\n\nother.size = 2\n",
    "pkg-1/c.py": "# größe\nthing.größe = 1\nsizes[0].size == 3\n".encode(),
    "pkg-1/lib.py": b"def Reader(x):\n\tcls.size=4\nmake().size\t= 5\n",
    "spaced.py": b"self.width  = 1\nself.width == other.width\n(one)\n .width  = 2\n",
    "empty.py": b"",
}
_QUESTIONS = (
    "Reader",
    "eader",
    "Reader(",
    "open(",
    "open (",
    "r(",
    "(",
    "size",
    "größ",
    "pkg-1",
    "x')",
    "nothing",
)


def _index(root: Path, *, on_disk: bool = False) -> Index:
    paths = [root / name for name in _FILES]
    if on_disk:
        for name, data in _FILES.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(data)
        return Index(root, paths, {})
    return Index(root, paths, dict(zip(paths, _FILES.values(), strict=True)))


@pytest.mark.parametrize("word", _QUESTIONS)
def test_mentioning_is_a_search_of_the_text(tmp_path: Path, word: str) -> None:
    expected = tuple(name for name, data in _FILES.items() if word.encode() in data)
    assert _index(tmp_path).mentioning(word) == expected


def test_texts_that_are_not_kept_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "KEPT_BYTES", 10)
    index = _index(tmp_path, on_disk=True)
    assert {name: index.data(name) for name in _FILES} == _FILES
    assert index.mentioning("x')") == ("a.py",)


def test_calling_takes_importers_or_for_methods_all(tmp_path: Path) -> None:
    index = _index(tmp_path)
    assert index.calling("Reader", "pkg-1/lib.py", method=False) == ["a.py", "pkg-1/lib.py"]
    assert index.calling("Reader", "elsewhere.py", method=False) == []
    assert index.calling("make", "elsewhere.py", method=True) == ["pkg-1/lib.py"]


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("from lib import make\nmake()", True),
        ("from lib import *\nmake()", True),
        ("import lib\nlib.make()", True),
        ("import pkg.lib as built\nbuilt.make()", True),
        ("from pkg import (\n    other,\n    lib,\n)\nlib.make()", True),
        ("from pkg import other, \\\n    lib\nlib.make()", True),
        ("import lib\nmake = lib.make\nmake()", True),
        ("import lib\ndef run(make):\n    make()\nrun(lib.make)", True),
        ("import importlib\nlib = importlib.import_module('lib')\nlib.make()", True),
        ("import lib\ndef make():\n    pass\nlib.make()", True),
        ("import lib\ndef make():\n    pass\nmake()\nprint(make)", False),
        ("import lib\nclass A:\n    def make(self):\n        self.make()", False),
        ("import lib\ntool = lib.Tool()\ntool.make()", False),
        ("def make():\n    pass\nmake()", False),  # no word of lib
    ],
)
def test_calling_a_function_takes_its_name_from_elsewhere(text: str, may: bool) -> None:
    root = Path("/project")
    texts = {root / "user.py": text.encode(), root / "lib.py": b"def make():\n    return make()"}
    index = Index(root, list(texts), texts)
    assert index.calling("make", "lib.py", method=False) == [*["user.py"] * may, "lib.py"]


def test_storing_leaves_out_what_is_called_self(tmp_path: Path) -> None:
    index = _index(tmp_path)
    assert index.storing("size") == ("b.py", "pkg-1/lib.py")
    assert index.storing("größe") == ("pkg-1/c.py",)
    assert not index.stored_elsewhere("open")
    assert index.storing("width") == ("spaced.py",)


def test_importing_wants_an_import_statement(tmp_path: Path) -> None:
    assert _index(tmp_path).importing("lib") == ["a.py"]


@pytest.mark.parametrize(
    "text", ["from pkg import (\n    other,\n    lib,\n)", "from pkg import a, \\\n    lib"]
)
def test_an_import_statement_may_have_several_lines(text: str) -> None:
    path = Path("/project/user.py")
    assert Index(path.parent, [path], {path: text.encode()}).importing("lib") == ["user.py"]
