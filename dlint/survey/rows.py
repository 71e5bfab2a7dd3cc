"""What a survey keeps: a row for each finding, and one for each version of a repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa

from dlint.survey.sources import Version

_TEXT = pa.string()
_NUMBER = pa.int32()
_WHEN = pa.timestamp("s", tz="UTC")

_VERSION = [
    pa.field("repository", _TEXT, nullable=False),
    pa.field("version", _TEXT),  # a commit; null for a folder as it lay
    pa.field("committed", _WHEN),
]
FINDINGS = pa.schema(
    [
        *_VERSION,
        *(pa.field(name, _TEXT, nullable=False) for name in ("code", "name", "level", "effect")),
        pa.field("condition", _TEXT),
        pa.field("message", _TEXT, nullable=False),
        pa.field("path", _TEXT, nullable=False),
        *(pa.field(name, _NUMBER) for name in ("cell", "line", "column", "end_line", "end_column")),
        pa.field("scope", _TEXT, nullable=False),
        pa.field(
            "reach",
            pa.list_(
                pa.struct([("name", _TEXT), ("path", _TEXT), ("line", _NUMBER), ("cell", _NUMBER)]),
            ),
        ),
        pa.field("fix", _TEXT),  # "safe", "unsafe", or null
        pa.field("fingerprint", _TEXT, nullable=False),
    ]
)
REPOSITORIES = pa.schema(
    [
        *_VERSION,
        # "read", "not read", "out of time", "out of memory", "died", "killed its worker"
        pa.field("outcome", _TEXT, nullable=False),
        pa.field("reason", _TEXT),
        pa.field("files", _NUMBER),
        pa.field("lines", pa.int64()),
        pa.field("seconds", pa.float64()),
        pa.field("cpu_seconds", pa.float64()),
        pa.field("peak_memory", pa.int64()),  # bytes
        pa.field("findings", _NUMBER),
        pa.field("troubles", pa.list_(pa.struct([("path", _TEXT), ("message", _TEXT)]))),
        pa.field("dlint", _TEXT),
        pa.field("python", _TEXT),
    ]
)


def findings_of(version: Version, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of the findings in one version."""
    return [{**_identity(version), **each} for each in answer.get("findings", ())]


def repository_of(version: Version, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one version."""
    return {**_identity(version), **answer, "findings": len(answer.get("findings", ()))}


def table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """The rows as Arrow has them; what no text can be (half of a surrogate pair) stands as an escape."""
    return pa.Table.from_pylist([_sound(row) for row in rows], schema)


def _identity(version: Version) -> dict[str, Any]:
    when = version.committed
    return {
        "repository": version.source.name,
        "version": version.commit,
        "committed": None if when is None else datetime.fromtimestamp(when, timezone.utc),
    }


def _sound(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {key: _sound(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_sound(each) for each in value]
    return value
