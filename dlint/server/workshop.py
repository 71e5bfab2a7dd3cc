"""A process for each folder that is open: asked without waiting, ended when the question is out of date."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlint.own_process.safe_path import LEAVE_OUT

_PROGRAM = f"{LEAVE_OUT}; from dlint.server.worker import main; main()"
_LONGEST = 1 << 30  # bytes of an answer


class Process:
    """One worker, started when it is first needed; its working directory is the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The worker's answer. Who is cancelled meanwhile leaves no search behind."""
        async with self._turn:
            try:
                return await self._answer(request)
            except asyncio.CancelledError:
                self.end()
                raise

    async def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        except (ConnectionError, ValueError) as error:
            self.end()
            return {"error": f"the process that checks {self._folder} gave no answer: {error}"}
        if not line:
            self.end()
            return {"error": f"the process that checks {self._folder} ended"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _PROGRAM,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                cwd=self._folder,
                limit=_LONGEST,
            )
        return self._process

    def end(self) -> None:
        """Ends the worker, whatever it does."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
