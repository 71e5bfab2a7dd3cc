"""How a path is meant, and how the user knows it."""

from __future__ import annotations

import os
from pathlib import Path


def absolute(path: Path | str) -> Path:
    """The absolute path without ``..``; links are kept, so that users see the names they know."""
    text = os.path.abspath(path)  # noqa: PTH100
    return Path(f"/{text.lstrip('/')}" if text.startswith("//") else text)  # POSIX keeps two slashes


def is_folder(path: Path) -> bool:
    """Whether there is a folder; no where nobody can tell, which `Path.is_dir` raises for."""
    return os.path.isdir(path)  # noqa: PTH112


def display_path(path: Path | str) -> str:
    """The path as reports show it: relative to the working directory, with forward slashes."""
    text, here = str(path), os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    try:
        # Most paths are absolute and below the working directory: cutting them is far cheaper.
        shown = os.path.normpath(text[len(here) :]) if text.startswith(here) else os.path.relpath(text)
    except ValueError:  # another drive on Windows
        shown = text
    return shown.replace(os.sep, "/")


def lies_in(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it, as they are written."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(os.path.join(folder, ""))  # noqa: PTH118
