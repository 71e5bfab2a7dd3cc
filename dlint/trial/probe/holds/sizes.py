"""How much of the machine this process uses (Linux; elsewhere nothing is known)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def sizes() -> dict[str, int]:
    """Open files, threads (also those that Python does not know), and private memory in bytes."""
    try:
        # A page that is shared with the parent is not counted: what a worker adds is.
        _, resident, shared = Path("/proc/self/statm").read_text().split()[:3]
        files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of numbers, once an item
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except (OSError, ValueError):
        return {}
    return {"files": files, "threads": threads, "memory": (int(resident) - int(shared)) * _PAGE}


def settings() -> dict[str, Any]:
    """What a program sets for its whole process, and a process that is started afresh does not have."""
    found: dict[str, Any] = {}
    cv2: Any = sys.modules.get("cv2")
    if cv2 is not None and hasattr(cv2, "getNumThreads"):
        found["cv2.getNumThreads()"] = cv2.getNumThreads()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        found["torch.get_default_dtype()"] = str(torch.get_default_dtype())
        sharing: Any = sys.modules.get("torch.multiprocessing")
        if sharing is not None:
            found["torch.multiprocessing.get_sharing_strategy()"] = sharing.get_sharing_strategy()
    return found
