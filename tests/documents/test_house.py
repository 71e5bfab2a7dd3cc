"""The house: the listing of its folders is the architecture, so none is too long to be read at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).parents[2]
_PACKAGE = _REPOSITORY / "dlint"
_MOST_FILES = 15
_MADE = (".so", ".pyd", ".pyc")  # by a compiler, beside the sources

_FOLDERS = [
    _PACKAGE,
    *(path for path in sorted(_PACKAGE.rglob("*/")) if path.is_dir() and path.name != "__pycache__"),
]


@pytest.mark.parametrize("folder", _FOLDERS, ids=lambda folder: folder.relative_to(_REPOSITORY).as_posix())
def test_a_folder_can_be_read_at_a_glance(folder: Path) -> None:
    """One more subject gets a room of its own; rules alone are one file each, however many there are."""
    files = [path.name for path in folder.iterdir() if path.is_file() and path.suffix not in _MADE]
    assert len(files) <= _MOST_FILES or folder == _PACKAGE / "rules", sorted(files)


def test_the_document_shows_every_room() -> None:
    text = (_REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, rooms = text.partition("## The rooms")
    shown = [row.split(" | ")[0] for row in rooms.partition("\n## ")[0].splitlines() if row.startswith("| `")]
    names = [name for row in shown for name in row.strip("| ").replace("`", "").split(", ")]
    there = [f"{folder.name}/" for folder in _FOLDERS if folder.parent == _PACKAGE]
    there += [path.stem for path in _PACKAGE.glob("*.py") if not path.stem.startswith("__")]
    assert sorted(names) == sorted(there)
