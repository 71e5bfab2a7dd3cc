"""Comments that silence findings mean what they mean in flake8."""

from __future__ import annotations

import argparse

import pytest
from flake8.processor import FileProcessor
from flake8.violation import Violation

from dlint.finding import Finding
from dlint.source.noqa.noqa import unsuppressed

CODE = '''\
a = loader(1)  # noqa
b = loader(2)  # noqa: DL101
c = loader(3)  # noqa: DL1,E501
d = loader(4)  # NOQA:E501 DL101
e = loader(5)  # noqa: E501
f = loader(6)  # noqa : DL101
g = loader(7)  # noqa: dl101
h = loader(
    8,
    num_workers=2,
)  # noqa: DL101
i = """
text  # noqa
"""; j = loader(9)
k = loader(10)  # noqa: because it is fine
l = loader(11)  # type: ignore # noqa: DL2, DL101
m = [
    1,  # noqa: DL102

    2,
]
if a: \\
    n = loader(12)  # noqa:DL101
def f():
    return loader(13)  # noqa: DL
'''


def finding(line: int, code: str = "DL101") -> Finding:
    return Finding(code, "some-name", "message", "a.py", line, 1, line, 2)


def flake8_keeps(text: str, each: Finding) -> bool:
    options = argparse.Namespace(
        hang_closing=False, indent_size=4, max_doc_length=None, max_line_length=79, verbose=0,
        disable_noqa=False, stdin_display_name="stdin",
    )  # fmt: skip
    processor = FileProcessor("a.py", options, text.splitlines(keepends=True))
    if processor.should_ignore_file():
        return False
    line = processor.noqa_line_for(each.line)
    return not Violation(each.code, "a.py", each.line, 1, "", line).is_inline_ignored(False)


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        CODE.replace("\n", "\r\n"),
        CODE + "# flake8: noqa\n",
        CODE + "    # FLAKE8:noqa: DL101\n",
        CODE + "x = 1  # flake8: noqa\n",
        CODE.rstrip(),
        CODE + "'''\n",
    ],
    ids=["lf", "crlf", "whole-file", "whole-file-code", "on-code", "no-end", "unfinished"],
)
def test_agrees_with_flake8(text: str) -> None:
    findings = [finding(line, code) for line in range(1, 26) for code in ("DL101", "DL305")]
    expected = tuple(each for each in findings if flake8_keeps(text, each))
    assert unsuppressed(text, findings) == expected


def test_each_form() -> None:
    kept = [each.line for each in unsuppressed(CODE, [finding(line) for line in range(1, 24)])]
    assert kept == [5, 7, 8, 9, 10, 17, 18, 19, 20, 21]


def test_text_without_comments_keeps_all() -> None:
    findings = (finding(1),)
    assert unsuppressed("a = 1\n", findings) == findings
