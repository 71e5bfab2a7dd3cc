"""The folder of the doors' tests is on the path, so that they share ``doors``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
