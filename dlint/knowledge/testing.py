"""Tests: which files are tests, and by which names test libraries are asked for an error."""

from __future__ import annotations

import re

from dlint.regex import regex

_TEST = regex(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")
# Places where nothing but tests lies, whatever a file there is called.
_AMONG_TESTS = regex(r"(?:^|/)(?:tests?/|conftest\.py$)")
# What a script that its user starts has, and what only tests speak of.
_STARTED = regex(rb"__main__|\bparse_args\(|\bsys\.argv\b")
_TESTING = regex(rb"\b(?:pytest|unittest|doctest|nose)\b|^class Test|\bTestCase\b", re.MULTILINE)
# Functions that test libraries call, with the first of what they are given.
_TESTS = regex(rb"^(?:async )?def (test\w+)\(\s*(\w|\*)?", re.MULTILINE)

# pytest.raises(...), self.assertRaises(...): what is in such a `with` is there to raise.
EXPECTS_ERROR = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "raises"})


def is_test(relative: str) -> bool:
    """Whether a file of a program is a test, by the names that test libraries look for."""
    return _TEST.search(relative) is not None


def may_be_script(relative: str) -> bool:
    """Whether what is called like a test may be an evaluation: ``test_net.py`` outside the tests' folder."""
    return _AMONG_TESTS.search(relative) is None


def is_script(data: bytes) -> bool:
    """Whether a file is started by its user, and has nothing that a test library would run: no test class,
    and no function whose name begins so, but for those that are given something by the file itself."""
    if _STARTED.search(data) is None or _TESTING.search(data) is not None:
        return False
    return all(
        given and len(re.findall(rb"\b%b\(" % re.escape(name), data)) > 1
        for name, given in _TESTS.findall(data)
    )
