"""Kept failures: small cases as files of JSON, so that no tool takes their hostile contents for its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("kept")


class Kept(NamedTuple):
    """A case that failed once: the files, or the kind and size of a bomb or configuration, and how it failed."""

    failure: str
    detail: str
    files: Mapping[str, bytes]
    generator: str = ""  # a bomb's or configuration's kind, where a generator writes the files
    size: int = 0


def keep(case: Kept, folder: Path) -> Path:
    """Write a case, under a name that tells how it failed; the same case has the same name."""
    data = {
        "failure": case.failure,
        "detail": case.detail[-1500:].splitlines(),
        "generator": case.generator,
        "size": case.size,
        "files": {name: _plain(content) for name, content in sorted(case.files.items())},
    }
    text = json.dumps(data, indent=1, ensure_ascii=True) + "\n"
    mark = hashlib.sha256(
        json.dumps([data[key] for key in ("generator", "size", "files")]).encode()
    ).hexdigest()[:8]
    stem = re.sub(r"[^a-z0-9]+", "_", f"{case.failure} {case.generator}".lower()).strip("_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}_{mark}.json"
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path) -> Kept:
    """A kept case."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    files = {name: _bytes(content) for name, content in data["files"].items()}
    return Kept(data["failure"], "\n".join(data["detail"]), files, data["generator"], data["size"])


def _plain(content: bytes) -> list[str] | str:
    """Lines where the content is plain text, else one string in base 64."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(content).decode()
    return text.split("\n")


def _bytes(content: list[str] | str) -> bytes:
    return base64.b64decode(content) if isinstance(content, str) else "\n".join(content).encode()
