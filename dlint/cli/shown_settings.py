"""``dlint check --show-settings``: what a run would go by, and where each choice was made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dlint.project.files import absolute, display_path, project_root
from dlint.project.torch_release import declarations_of_torch
from dlint.reports.signs import visible
from dlint.settings import Settings

_SHOWN = tuple(name for name in Settings._fields if name not in ("places", "troubles", "configured_in"))
_DEFAULT = "default"
_DECLARED = "declared"


def as_json(paths: tuple[Path, ...], settings: Settings) -> Iterator[str]:
    """One document: each choice with its origin, and what the project declares of torch."""
    shown = {name: {"value": value, "from": origin} for name, value, origin in _choices(settings)}
    yield json.dumps({"settings": shown, "torch": _declarations(paths)}, indent=2)


def as_text(paths: tuple[Path, ...], settings: Settings) -> Iterator[str]:
    """A line for each choice, and one for each declaration of torch that decides."""
    for name, value, origin in _choices(settings):
        yield visible(f"{name} = {json.dumps(value, ensure_ascii=False)} ({origin})")
    declared = _declarations(paths)
    for each in declared:
        yield visible(f"torch {each['bounds']}".rstrip() + f" ({each['path']}:{each['line']})")
    if not declared:
        yield "torch: not declared"


def _choices(settings: Settings) -> Iterator[tuple[str, Any, str]]:
    places = dict(settings.places)
    for name in _SHOWN:
        value = getattr(settings, name)
        derived = name == "target_torch" and value is not None
        yield name.replace("_", "-"), value, places.get(name, _DECLARED if derived else _DEFAULT)


def _declarations(paths: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Also where the user named another release: what the project says is shown all the same."""
    deciding = declarations_of_torch(project_root(absolute(paths[0]))).deciding
    return [
        {"bounds": " ".join(each.bounds.split()), "path": display_path(each.file), "line": each.line}
        for each in sorted(deciding, key=lambda each: (each.file, each.line))
    ]
