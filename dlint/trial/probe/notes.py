"""What is seen, a line of JSON each, in a file a process: it survives whatever becomes of the process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Notes:
    """Where a process of a trial writes. It is sent to workers that are started afresh, as its folder
    alone."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._pid = 0
        self._descriptor = -1
        self._closed = False

    def __reduce__(self) -> tuple[type[Notes], tuple[str]]:
        return Notes, (self.folder,)

    @property
    def descriptor(self) -> int:
        """The file of this process; a forked one has its own."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            path = Path(self.folder) / f"{self._pid}.jsonl"
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor

    def add(self, kind: str, **what: Any) -> None:
        """Write one thing down; ``what`` holds plain values. Nothing, once they are closed."""
        if self._closed:
            return
        line = json.dumps({"kind": kind, **what}, default=str).encode() + b"\n"
        os.write(self.descriptor, line)

    def close(self) -> None:
        """Close the file of this process: nothing more is written."""
        self._closed = True
        if self._pid == os.getpid():
            os.close(self._descriptor)
            self._pid = 0
