"""What is not edited comes back byte for byte, whatever the encoding and the line ends."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_TEXTS = {
    "line feeds": b"import cv2\nx = 1\n",
    "CRLF": b"import cv2\r\nif x:\r\n\ty = 1  # c\r\n",
    "mixed line ends": b"import cv2\r\nx = 1\ny = '''a\r\nb\n'''\r\n",
    "no line end at the end": b"import cv2\nx = 1",
    "byte order mark": b"\xef\xbb\xbfimport cv2\nx = '\xc3\xa9'\n",
    "byte order mark and CRLF": b"\xef\xbb\xbfimport cv2\r\nx = 1\r\n",
    "coding line": b"# -*- coding: latin-1 -*-\nimport cv2\nx = '\xe9'  # \xe8\n",
    "coding line in the second line": b"#!python\n# vim: fileencoding=cp1252 :\nimport cv2\nx = '\x80'\n",
    "form feed": b"import cv2\n\x0c\nclass A:\n    pass\n",
    "form feed first": b"\x0cimport cv2\n",
    "form feed before a statement": b"import cv2\nx = 1\n\x0cclass A:\n    pass\n",
    "odd comment at the end": b"import cv2\nclass A:\n\n    x = 1\n\n  # odd\n",
    "carriage returns": b"import os\rimport sys\r",
    "blank space at the end": b"import cv2\n\n# end\n   ",
    "empty": b"",
    "only comments": b"# a\n\n# b",
    "tabs and odd blocks": b"import cv2\nif x:\n  y = 1\nelse:\n\tz = 2\n\n",
    "Shift-JIS": b"# coding: shift_jis\nimport cv2\nx = '\x82\xa0'\n",
}


@pytest.mark.parametrize("data", _TEXTS.values(), ids=_TEXTS.keys())
def test_nothing_changes_without_edits(data: bytes) -> None:
    source = Source(Path("module.py"), data)
    assert source.encode(Edits(source).apply()) == data


def test_an_edit_among_lines_that_libcst_drops() -> None:
    data = b"import cv2\nclass A:\n\n    x = 1\n\n  # odd\n"
    source = Source(Path("module.py"), data)
    edits = Edits(source)
    (body,) = source.descendants(source.module, cst.IndentedBlock)
    for node in (body, source.module):  # the comment belongs to one of the two
        edits.change(node, lambda node: node.with_changes(footer=[]))
    with pytest.raises(CannotRepair, match="beside the edit"):
        source.encode(edits.apply())
    edits = Edits(source)
    (number,) = source.descendants(body, cst.Integer)
    edits.replace(number, cst.Integer("2"))
    assert source.encode(edits.apply()) == data.replace(b"x = 1", b"x = 2")


@pytest.mark.parametrize("name", [name for name, data in _TEXTS.items() if b"import cv2" in data])
def test_only_the_insertion_changes(name: str) -> None:
    from dlint.finding import Finding
    from dlint.remedies.processes.cv2_threads_off import repair

    data = _TEXTS[name]
    source = Source(Path("module.py"), data)
    edits = Edits(source)
    repair(source, Finding("DL101", "n", "m", "module.py", 1, 1, 1, 1), edits)
    after = source.encode(edits.apply())
    newline = b"\r\n" if b"import cv2\r\n" in data else b"\n"
    head, _, tail = data.partition(b"import cv2" + newline)
    added = newline.join([b"", b"cv2.setNumThreads(0)  # no OpenCV threads in DataLoader workers", b""])
    assert after.startswith(head + b"import cv2" + newline + added)
    rest = after.removeprefix(head + b"import cv2" + newline + added)
    assert rest in (tail, newline + tail)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xff'\n", "decoded"),
        (b"# coding: no-such-codec\n", "decoded"),
        (b"x = (\n", "cannot parse"),
        (b"print 'python 2'\n", "cannot parse"),
    ],
)
def test_what_cannot_be_given_back_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(CannotRepair, match=reason):
        Source(Path("module.py"), data)


def test_a_character_that_the_encoding_lacks() -> None:
    source = Source(Path("module.py"), b"# coding: ascii\nx = 1\n")
    edits = Edits(source)
    edits.replace(source.module.body[0], cst.parse_statement("x = '\u2192'\n"))
    with pytest.raises(CannotRepair, match="cannot hold"):
        source.encode(edits.apply())


@pytest.mark.parametrize("deep", ["+".join(["1"] * 5_000), "-" * 2_000 + "1", "a" + ".b" * 3_000])
def test_what_is_nested_too_deeply_is_left(deep: str) -> None:
    with pytest.raises(CannotRepair, match="nested too deeply to be edited"):
        Source(Path("module.py"), f"x = {deep}\n".encode())


def test_what_libcst_does_not_take_is_refused() -> None:
    with pytest.raises(CannotRepair, match="libcst cannot parse the file"):
        Source(Path("module.py"), b"for x in.5, 1:\n    pass\n")
