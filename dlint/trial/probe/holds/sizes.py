"""How much of the machine this process uses (Linux; elsewhere nothing is known)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# Lines of /proc/self/status (proc(5)), from Linux 4.5 on. What a forked worker has from its parent counts
# from the beginning: a page that is copied when the worker writes to it adds nothing. Measured: 178 MB before
# a forked process reads two million strings of its parent's, and after, when 150 MB of them are its own.
_MEMORY = {"RssAnon": "memory", "RssShmem": "shared memory"}


def sizes() -> dict[str, int]:
    """Open files, threads (also those that Python does not know), memory and shared memory in bytes."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of numbers, once an item
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except (OSError, ValueError):
        return {}
    said = (line.split()[:2] for line in lines if line.startswith("Rss"))
    memory = {_MEMORY[name[:-1]]: 1024 * int(kib) for name, kib in said if name[:-1] in _MEMORY}
    return {"files": files, "threads": threads, **memory}


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
