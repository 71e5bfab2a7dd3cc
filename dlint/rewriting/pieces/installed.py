"""Whether a project is made to be installed: then other programs may import what is in it."""

from __future__ import annotations

from pathlib import Path

from dlint.project.toml import TOMLError, loads
from dlint.rewriting.source import Source
from dlint.source.reading import configuration_text

_FARTHEST = 12


def is_installed(source: Source) -> bool:
    """Whether a file above says how the project is built: ``setup.py``, ``[project]`` in pyproject.toml."""
    folder = source.path.parent
    for above in [folder, *folder.parents][:_FARTHEST]:
        if (above / "setup.py").exists() or _says(above / "pyproject.toml"):
            return True
        if "[metadata]" in configuration_text(above / "setup.cfg"):
            return True
        if (above / ".git").exists():
            break
    return False


def _says(file: Path) -> bool:
    try:
        known = loads(configuration_text(file))
    except TOMLError:
        return False
    tool = known.get("tool")
    return "project" in known or "build-system" in known or (isinstance(tool, dict) and "poetry" in tool)
