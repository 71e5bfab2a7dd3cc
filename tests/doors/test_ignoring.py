"""What ignore files say of paths: what git says, whatever stands in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from doors import REPOSITORY, dlint, write
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlint.project.path_patterns.ignoring import MAX_WILD, Ignore, lines_in, lines_of, useless

GIT = shutil.which("git")


class Repository:
    """A git repository without files, to be asked what its .gitignore means."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._git("init", "-q", str(folder))
        shutil.rmtree(folder / ".git" / "info", ignore_errors=True)

    def ignored(self, data: bytes, paths: list[bytes]) -> set[bytes]:
        """The paths of files that git would ignore, they or a folder that they are in."""
        (self.folder / ".gitignore").write_bytes(data)
        said = self._git(
            "check-ignore",
            "--stdin",
            "-z",
            "-v",
            "-n",
            "--no-index",
            stdin=b"".join(p + b"\0" for p in paths),
        ).split(b"\0")
        patterns, names = said[2::4], said[3::4]
        return {
            name
            for pattern, name in zip(patterns, names, strict=True)
            if pattern and not pattern.startswith(b"!")
        }

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        assert GIT is not None
        # No configuration of the user's or the system's, and no repository that a hook may be running for.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
        }
        result = subprocess.run(
            [GIT, *arguments], cwd=self.folder, input=stdin, capture_output=True, env=environment
        )
        assert result.returncode in (0, 1), result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def repository() -> Iterator[Repository]:
    if GIT is None:
        pytest.skip("needs git")
    with tempfile.TemporaryDirectory() as folder:
        yield Repository(Path(folder))


def ignored(data: bytes, paths: list[bytes]) -> set[bytes]:
    """The same, from dlint: folders are asked first, as in a walk."""
    ignore = Ignore("", lines_of(data))

    def says(path: bytes, *, is_folder: bool) -> bool | None:
        return ignore.says("/" + os.fsdecode(path), is_folder=is_folder)

    found = set()
    for path in paths:
        parts = path.split(b"/")
        above = (b"/".join(parts[:number]) for number in range(1, len(parts)))
        if any(says(folder, is_folder=True) for folder in above) or says(path, is_folder=False):
            found.add(path)
    return found


PATHS = [
    name.encode()
    for name in (
        "a", "b", "ab", "abc", "aab", "ba", "-", "]", "[", "!", "#", "\\", "a ", " ", "a.py", "b.py", ".a", "*",
        "A", "z", "0", "é", "a\nb", "a\t", "a/a", "a/b", "a/b/a", "a/b/c", "a/b/c/d", "a/bb/c", "ab/b", "b/a/b",
        "a/a/a/b", "x/y/z/a.py", "aa/ab/ba/bb", "a/[/b", "a-b", "a/a.py", "b/b.py", "a/b/b.py", "ab/ab/ab/c",
    )
]  # fmt: skip

_PIECES = (
    "a", "b", "c", "ab", "/", "/", "*", "*", "**", "**/", "/**", "?", "\\", "[", "]", "[ab]", "[!a]", "[^b]", "[a-c]",
    "[c-a]", "[]a]", "[]-a]", "[!]]", "[a-]", "[\\]]", "[[:alpha:]]", "[[:alpha:]", "[[:digit:]-z]", "[[:no:]]",
    "[[:]", "[[:a]", "[a\\-z]", "[a-\\c]", "!", "#", " ", "\\ ", "\t", "-", ".py", "é", "\r", "[[:space:][:punct:]]", "[/]",
)  # fmt: skip
_LINES = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=7).map("".join)
_FILES = st.tuples(
    st.sampled_from(("", "\ufeff")), st.lists(_LINES, min_size=1, max_size=3).map("\n".join)
).map(lambda parts: "".join(parts).encode())


@given(_FILES)
@settings(max_examples=250, deadline=None)
@example(b"a**/b")
@example(b"a**\\/b")
@example(b"**\\/b")
@example(b"a/**\\/b\n")
@example(b"/**/b/*/**/?\n")
@example(b"\xff\xfe[\xc3-\xff]")
def test_git_says_the_same(repository: Repository, data: bytes) -> None:
    assert ignored(data, PATHS) == repository.ignored(data, PATHS)


def says(pattern: str, path: str, *, is_folder: bool = False) -> bool | None:
    return Ignore("", lines_in([pattern])).says("/" + path, is_folder=is_folder)


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("*.py[codz]", "a/b.pyc", True),
        ("*.py[codz]", "a/b.py", None),
        ("[z-a]", "z", True),  # to git, an empty range after a z
        ("[z-a]", "a", None),
        ("[!z-a]", "a", True),
        ("[[:alpha:]_]*", "_a", True),
        ("[[:alpha:]_]*", "1a", None),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "x/a/b", None),
        ("a/**", "a/b/c", True),
        ("**/a", "x/y/a", True),
        ("/a", "x/a", None),
        ("a/b", "x/a/b", None),
        ("\\!a", "!a", True),
        ("\\#a", "#a", True),
        ("a\\ ", "a ", True),
        ("a ", "a", True),
        ("!a", "a", False),
        ("a[", "a[", None),
        ("a\\", "a\\", None),
        ("??", "é", True),  # git compares bytes
        ("#a", "#a", None),
    ],
)
def test_a_pattern(pattern: str, path: str, ignored: bool | None) -> None:
    assert says(pattern, path) is ignored


def test_a_slash_at_the_end_means_folders(tmp_path: Path) -> None:
    for pattern in ("build/", "b*d/", "*ld/", "/build/", "/b?ild/"):
        assert says(pattern, "build") is None
        assert says(pattern, "build", is_folder=True)


def test_the_last_pattern_decides_of_whatever_kind(tmp_path: Path) -> None:
    lines = ["a.py", "!*.py", "a*", "!/a.py", "/a.*"]
    for count, ignored in enumerate((True, False, True, False, True), start=1):
        assert Ignore("", lines[:count]).says("/a.py", is_folder=False) is ignored


@pytest.mark.parametrize("line", ["!", "/", "//", "!/", "a[", "[[:no:]]", "a\\", "?" * 5_000])
def test_what_can_match_nothing_is_useless(line: str) -> None:
    assert useless(line)


@pytest.mark.parametrize("line", ["", "  ", "# [", "a", "!a", "[z-a]", "\\!", "**", "a " * 1_000])
def test_the_others_are_not(line: str) -> None:
    assert not useless(line)


def test_no_more_wildcards_than_there_is_time_for() -> None:
    lines = ["a", *(f"x?{number}" for number in range(MAX_WILD)), "*.b", "y?", "z"]
    ignore = Ignore("", lines)
    assert ignore.cut == MAX_WILD + 3
    said = [ignore.says(path, is_folder=False) for path in ("/a", "/x-0", "/c.b", "/yy", "/z")]
    assert said == [True, True, True, None, True]


# What has no end with regular expressions that try every star at every place.
EXPLOSIVE = [
    "*a" * 30 + "b",
    "*a*" * 30,
    "*?" * 100 + "x",
    "*[ab]" * 60 + "[!a]",
    "**/" + "*a" * 30 + "/" + "*a" * 30 + "b",
    "/**" * 60 + "/b",
    "**/a*/" * 40 + "b",
    "**/*a*/*a*/" * 20 + "b",
    "**\\/a*/" * 40 + "b",
    "*" * 4_000 + "b",
    "[" * 4_000,
    "[[:" * 1_300,
    "?/" * 2_000 + "b",
    "**/" + "?/" * 1_900 + "b",
]
_EXPLODE = """
import sys
from dlint.project.path_patterns.ignoring import Ignore
names = ["a" * 255, "a" * 254 + "c", "/".join(["a" * 255] * 16), "a/" * 2_047 + "a", "ab" * 127]
for pattern in sys.stdin.read().splitlines():
    for ignore in (Ignore("", [pattern]), Ignore("", [pattern, "!" + pattern, pattern + "z"])):
        for name in names:
            for is_folder in (False, True):
                ignore.says("/" + name, is_folder=is_folder)
print("done")
"""


def test_no_pattern_explodes() -> None:
    result = subprocess.run(
        [sys.executable, "-c", _EXPLODE],
        input="\n".join(EXPLOSIVE),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=60,
    )
    assert (result.stdout, result.stderr) == ("done\n", "")


def test_check_and_patterns_that_nobody_would_write(tmp_path: Path) -> None:
    names = [f"{'a' * 250}{number:02}.py" for number in range(3)]
    write(tmp_path, {".gitignore": "\n".join([*EXPLOSIVE, "[z-a]", "!", "\\", "keep.py"]), ".git/HEAD": ""})
    write(tmp_path, dict.fromkeys([*names, "keep.py", "a.py"], "x = 1\n"))
    result = dlint(tmp_path, "check")
    assert (result.stdout, result.stderr) == ("No findings in 1 file.\n", "")  # thirty a's have 250 places
