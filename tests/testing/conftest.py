"""Loaders in a project of their own, so that analysing it takes no time."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def loaders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The module with the loaders."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text("")
    # This repository's own checks would take the comment for theirs.
    text = (PROGRAMS / "loaders.py").read_text().replace("# NOT-QUITE: ", "# noqa: ")
    (folder / "loaders_of_a_project.py").write_text(text)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("loaders_of_a_project")
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("loaders_of_a_project", None)
