"""The JSON schema of ``[tool.dlint]``, for editors and validate-pyproject.

``python -P -m dlint.schema`` writes it beside this module, as ``schema.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dlint.settings.keys import KEYS, TABLE, as_schema

FILE = Path(__file__).with_name("schema.json")


def schema(_tool: str = "dlint") -> dict[str, Any]:
    """The schema of the table, as validate-pyproject asks for it."""
    keys = {
        name: {"description": f"{key.meaning} Default: {key.default}.", **as_schema(key)}
        for name, key in KEYS.items()
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://raw.githubusercontent.com/torch-dlint/torch-dlint/main/dlint/schema.json",
        "title": f"[{TABLE}]",
        "description": "Settings of dlint, which finds PyTorch data-loading mistakes.",
        "type": "object",
        "properties": keys,
        "additionalProperties": False,
    }


def text() -> str:
    """What the file holds."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
