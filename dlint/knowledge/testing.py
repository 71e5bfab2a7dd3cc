"""Tests: which files are tests, and by which names test libraries are asked for an error."""

from __future__ import annotations

import re

_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")

# pytest.raises(...), self.assertRaises(...): what is in such a `with` is there to raise.
EXPECTS_ERROR = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "raises"})


def is_test(relative: str) -> bool:
    """Whether a file of a program is a test, by the names that test libraries look for."""
    return _TEST.search(relative) is not None
