"""``dlint check --show-settings``: what a run would go by, and where each choice was made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dlint.cache.question import Question
from dlint.project.files import project_root
from dlint.project.index.index import Index
from dlint.project.paths import absolute, display_path
from dlint.project.releases.declarations import Declared
from dlint.project.releases.further_down import Both, FurtherDown
from dlint.project.releases.releases import Releases
from dlint.project.releases.torch_release import declarations_of_torch
from dlint.reports.signs import visible
from dlint.settings.keys import KEYS, field
from dlint.settings.settings import Settings

_DEFAULT = "default"


def as_json(paths: tuple[Path, ...], settings: Settings) -> Iterator[str]:
    """One document: each choice with its origin, and what the project declares of torch and Python."""
    shown = {name: {"value": value, "from": origin} for name, value, origin in _choices(paths, settings)}
    declared = {"torch": _declarations(_torch(paths)), "python": _declarations(settings.python)}
    nested = {
        display_path(folder): {key: {"value": value, "from": origin} for key, value, origin in chosen}
        for folder, chosen in _nested(settings)
    }
    parts = {
        display_path(folder): {
            "torch": _declarations(found.torch),
            "python": _declarations(found.python),
        }
        for folder, found in _parts(paths, settings)
    }
    more = {"nested": nested} if nested else {}
    yield json.dumps({"settings": shown, **more, **declared, **({"parts": parts} if parts else {})}, indent=2)


def as_text(paths: tuple[Path, ...], settings: Settings) -> Iterator[str]:
    """A line for each choice, and one for each declaration of torch and Python that decides."""
    for name, value, origin in _choices(paths, settings):
        yield visible(f"{name} = {json.dumps(value, ensure_ascii=False)} ({origin})")
    for folder, chosen in _nested(settings):
        yield visible(f"{display_path(folder)}:")
        for name, value, origin in chosen:
            yield visible(f"  {name} = {json.dumps(value, ensure_ascii=False)} ({origin})")
    for name, declared in (("torch", _torch(paths)), ("python", settings.python)):
        yield from _lines(name, declared)
        if not declared.deciding:
            yield f"{name}: not declared"
    for folder, found in _parts(paths, settings):
        yield visible(f"{display_path(folder)}:")
        for name, declared in (("torch", found.torch), ("python", found.python)):
            yield from (f"  {line}" for line in _lines(name, declared))


def _lines(name: str, declared: Declared) -> Iterator[str]:
    for each in _declarations(declared):
        yield visible(f"{name} {each['bounds']}".rstrip() + f" ({each['path']}:{each['line']})")


def _choices(paths: tuple[Path, ...], settings: Settings) -> Iterator[tuple[str, Any, str]]:
    places = dict(settings.places)
    for key in KEYS:
        value, origin = getattr(settings, field(key)), places.get(field(key), _DEFAULT)
        if key == "target-torch" and value is None:
            value, origin = _oldest_torch(paths, settings) or (value, origin)
        yield key, value, origin


def _nested(settings: Settings) -> Iterator[tuple[Path, list[tuple[str, Any, str]]]]:
    """What the projects further down have chosen, by their folders."""
    for each in settings.nested:
        places = dict(each.places)
        chosen = [
            (key, getattr(each, field(key)), places[field(key)]) for key in KEYS if field(key) in places
        ]
        if each.configured_in is not None:
            yield each.configured_in, chosen


def _oldest_torch(paths: tuple[Path, ...], settings: Settings) -> tuple[str, str] | None:
    """The torch that counts where the user names none: declared, or needed by the code."""
    for root, _, files in Question(paths, settings).listing().programs:
        return Releases(Index(root, files, {}), None, settings.torch, settings.python).oldest_torch()
    return None


def _parts(paths: tuple[Path, ...], settings: Settings) -> Iterator[tuple[Path, Both]]:
    """What the folders around the files declare, below the root."""
    for root, _, files in Question(paths, settings).listing().programs:
        yield from FurtherDown(root).around(files)


def _torch(paths: tuple[Path, ...]) -> Declared:
    """Also where the user named another release: what the project says is shown all the same."""
    return declarations_of_torch(project_root(absolute(paths[0])))


def _declarations(declared: Declared) -> list[dict[str, Any]]:
    return [
        {"bounds": " ".join(each.bounds.split()), "path": display_path(each.file), "line": each.line}
        for each in sorted(declared.deciding, key=lambda each: (each.file, each.line))
    ]
