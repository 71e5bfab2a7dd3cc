"""What makes the site and the pictures lies beside the documents, and is imported from there."""

from __future__ import annotations

import sys
from pathlib import Path

_DOCS = Path(__file__).parents[2] / "docs"
sys.path[:0] = [str(_DOCS / "hooks"), str(_DOCS / "pictures")]
