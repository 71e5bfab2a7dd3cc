"""What every test begins with. Nothing is kept between runs, except in the tests of that."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A door that is tried in this process tells its children to keep the tree off their path; the next test's
    children are told nothing."""
    before = os.environ.get("PYTHONSAFEPATH")
    monkeypatch.setenv("DLINT_NO_CACHE", "1")
    yield
    if before is None:
        os.environ.pop("PYTHONSAFEPATH", None)
