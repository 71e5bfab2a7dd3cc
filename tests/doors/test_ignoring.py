"""What ignore files say of paths: what git says, whatever stands in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlint.ignoring import Ignore, lines_of

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
