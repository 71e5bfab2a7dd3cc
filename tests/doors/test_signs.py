"""What commands a terminal is shown as a sign, in whatever text of the tree it stands; JSON stays exact."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from doors import HAZARD, REPOSITORY, dlint, flake8, write

from dlint.finding import Finding, ReachStep, Remedy, Report, Trouble
from dlint.repair import Left, Step
from dlint.reports.formats.as_json import as_json
from dlint.reports.formats.concise import concise
from dlint.reports.formats.text import text
from dlint.reports.line import one_line, trouble_line
from dlint.reports.repairs import by_rule, lines
from dlint.reports.signs import data, visible, visible_lines

ODD = {
    "\x1b": "\\x1b",
    "\x07": "\\x07",
    "\r": "\\r",
    "\n": "\\n",
    "\t": "\\t",
    "\x00": "\\x00",
    "\x7f": "\\x7f",
    "\x85": "\\x85",
    "\x9b": "\\x9b",
    "\u061c": "\\u061c",
    "\u200e": "\\u200e",
    "\u200f": "\\u200f",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))},
    "\udce9": "\\udce9",
    "\U000e0041": "\\U000e0041",
}
ALL = "".join(ODD)
FORGED = f"x{ALL}safe.py:1:1: DL999 forged"
FINDING = Finding(
    "DL101", f"a-name{ALL}", f"message {ALL}", f"dir{ALL}/a.py", 1, 5, 1, 9,
    (ReachStep(f"A{ALL}.f", f"dir{ALL}/a.py", 1), ReachStep(f"g{ALL}", f"b{ALL}.py", 2), ReachStep("h", "c", 3)),
    Remedy("drop_argument", "safe", f"drop {ALL}"),
)  # fmt: skip


def harmless(shown: str) -> bool:
    return not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") for sign in shown)


@pytest.mark.parametrize(("character", "sign"), ODD.items(), ids=[f"U+{ord(each):04X}" for each in ODD])
def test_each_is_a_sign(character: str, sign: str) -> None:
    assert visible(f"a{character}b") == f"a{sign}b"


def test_what_is_a_sign_by_itself_stays() -> None:
    for words in ("plain \\x1b", "naïve café", "日本", "e\u0301", "👩\u200d🔬", "न\u200dत"):
        assert visible(words) == words


def test_lines_of_a_diff_keep_their_ends_and_tabs() -> None:
    assert visible_lines("+\ta\x1b[2K\r\n-b\n") == "+\ta\\x1b[2K\\r\n-b\n"


@pytest.mark.parametrize("colour", [False, True])
def test_no_report_prints_anything_raw(colour: bool) -> None:
    source = f"x = '{ALL}'".replace("\n", "").replace("\r", "")
    shown = list(text([FINDING], lambda _: [source], colour=colour))
    shown += concise([FINDING])
    shown += [one_line(FINDING), trouble_line(Trouble(f"p{ALL}", f"m{ALL}", 3))]
    step = Step(FINDING, (FINDING,), (Path(f"dir{ALL}".replace("\0", "")),))
    left = [Left(FINDING, f"because {ALL}", FINDING)]
    shown += [*lines([step], left, 1, dry=False), *by_rule([step], left, dry=False)]
    link = "\x1b\\]8;;[!-~]*\x1b\\\\"
    shown = [re.sub(f"\x1b\\[[0-9;]*m|{link}", "", line) if colour else line for line in shown]
    assert all(harmless(line) for line in shown)
    assert sum("\\x1b" in line for line in shown) >= 8
    assert not colour or shown[0].startswith("dir\\x1b")


def test_json_is_exact_and_harmless() -> None:
    for encoding in ("utf-8", "ascii", "latin-1", "cp1252", "utf-16", None, "no such codec"):
        printed = data("\n".join(as_json(Report((FINDING._replace(name="日本👩🔬é"),), (), 1))), encoding)
        assert harmless(printed.replace("\n", ""))
        (back,) = json.loads(printed)
        assert (back["message"], back["path"], back["name"]) == (FINDING.message, FINDING.path, "日本👩🔬é")
        assert printed.isascii() == (encoding != "utf-8")


@pytest.mark.parametrize(
    ("before", "shown_before", "encoding"),
    [
        ("\x1b[31m = ", "\\x1b[31m = ", "utf-8"),
        ("日本 = ", "日本 = ", "utf-8"),
        ("e\u0301 = ", "e\u0301 = ", "utf-8"),
        ("日\tx = ", "日  x = ", "utf-8"),
        ("\t\u202e\t", "    \\u202e  ", "utf-8"),
        ("日é = ", "\\u65e5é = ", "latin-1"),
        ("é = ", "\\xe9 = ", "ascii"),
    ],
)
def test_carets_stand_under_the_code_as_it_is_shown(before: str, shown_before: str, encoding: str) -> None:
    start = len(before) + 1
    finding = FINDING._replace(line=1, end_line=1, column=start, end_column=start + 4)
    shown = list(text([finding], lambda _: [f"{before}call()"], encoding=encoding))
    assert shown[2] == f"1 | {shown_before}call()"
    columns = sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) == "W" else 1
        for sign in shown_before
    )
    assert shown[3] == f"  | {' ' * columns}^^^^"


def test_a_long_line_of_wide_signs_is_cut_by_columns() -> None:
    line = "日" * 400 + "call()" + "本" * 400
    finding = FINDING._replace(line=1, end_line=1, column=401, end_column=407)
    shown = list(text([finding], lambda _: [line]))
    assert shown[2] == "1 | " + "日" * 10 + "call()" + "本" * 65
    assert shown[3] == "  | " + " " * 20 + "^" * 6


def _tree(folder: Path) -> list[str]:
    names = [
        f"n{sign}.py" for sign in ("\x1b[2J", "\n", "\r", "\u202e", "\u2028", "\x9b", os.fsdecode(b"\xe9"))
    ]
    try:
        write(folder, dict.fromkeys(names, HAZARD))
        write(
            folder,
            {"bad\x1b\n.py": "def (", "source.py": HAZARD.replace("return", 'x = "\x1b]0;t\x07"; return')},
        )
    except (OSError, UnicodeError):
        pytest.skip("the file system does not take such names")
    return names


@pytest.mark.parametrize("options", [(), ("--output-format", "concise"), ("--statistics",)])
def test_check_prints_nothing_raw(tmp_path: Path, options: tuple[str, ...]) -> None:
    names = _tree(tmp_path)
    result = dlint(tmp_path, "check", *options)
    printed = result.stdout + result.stderr
    assert harmless(printed.replace("\n", ""))
    assert result.stderr == "dlint: bad\\x1b\\n.py:1: syntax error: invalid syntax\n"
    assert result.returncode == 2
    if options != ("--statistics",):
        level = "" if options else "error: "
        assert all(f"\n{visible(name)}:5:12: {level}DL301 " in f"\n{result.stdout}" for name in names)


def test_check_gives_exact_names_to_programs(tmp_path: Path) -> None:
    names = _tree(tmp_path)
    result = dlint(tmp_path, "check", "--output-format", "json")
    assert {each["path"] for each in json.loads(result.stdout)} == {*names, "source.py", "bad\x1b\n.py"}


def test_fix_prints_nothing_raw(tmp_path: Path) -> None:
    _tree(tmp_path)
    result = dlint(tmp_path, "fix")
    assert harmless((result.stdout + result.stderr).replace("\n", ""))
    assert "n\\n.py:5: repaired DL301 " in result.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_diff_is_harmless_on_a_terminal_and_exact_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD.replace("return", 'x = "\x1b]0;title\x07\u202e"; return')})
    assert "\x1b]0;title\x07\u202e" in dlint(tmp_path, "fix", "--diff").stdout
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dlint", "fix", "--diff"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, stdout=theirs, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other side has gone
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 1
    uncoloured = re.sub("\x1b\\[(0|1|31|32|36)m", "", shown.decode())
    assert harmless(uncoloured.replace("\r\n", "").replace("\t", ""))
    assert '+    x = "\\x1b]0;title\\x07\\u202e"; return DataLoader(' in shown.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "no\x1b\npe.py"),
        ("check", "--sele\x1b\nct"),
        ("check", "--select", "DL\x1b\n9"),
        ("check", "--start-method", "for\x1b\nk"),
        ("check", "--target-torch", "1\x1b\n"),
        ("check", "--output-format", "x\x1b\n"),
        ("chec\x1b\n",),
        ("rule", "DL\x1b\n1"),
        ("prove", "DL\x1b\n1"),
    ],
)
def test_the_users_words_are_repeated_harmlessly(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = dlint(write(tmp_path, {"a.py": HAZARD}), *arguments)
    assert result.returncode == 2
    assert harmless(result.stderr.replace("\n", ""))
    assert "\\x1b" in result.stderr.splitlines()[-1]


def test_a_configuration_is_repeated_harmlessly(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD, "pyproject.toml": '[tool.dlint]\n"sel\\u001b\\n\\u202ect" = []\n'})
    result = dlint(tmp_path, "check")
    assert result.stderr.count("\n") == 1
    assert harmless(result.stderr.rstrip("\n"))
    shown = flake8(tmp_path, "--select", "DL").stdout
    assert harmless(shown.replace("\n", ""))
    assert "has no key" in shown


def test_flake8_is_given_nothing_raw(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": b"# coding: latin-1\x1b\x07\n# DataLoader \xe9\n\x00"})
    shown = flake8(tmp_path, "--select", "DL", "b.py").stdout
    assert harmless(shown.replace("\n", ""))
    assert harmless(one_line(FINDING))
