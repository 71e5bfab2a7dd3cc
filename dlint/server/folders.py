"""The folders that an editor has open: what is known of each, and looking again when something changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dlint.cache.answer import unpacked
from dlint.finding import Finding, Report
from dlint.server.workshop import Process

# Seconds without another key before a change is looked at.
_QUIET = 0.3
Texts = Callable[[], Mapping[str, str]]
Tell = Callable[["Folder", Report, Mapping[str, str]], None]
Complain = Callable[[str], None]


class _Every:
    """Any path: what the worker tells of is what it was asked for."""

    def __contains__(self, _path: object) -> bool:
        return True


class Folder:
    """A folder, or a file that lies in none, with the findings that were last seen there."""

    def __init__(self, path: Path, texts: Texts, tell: Tell, complain: Complain) -> None:
        self.path = path
        self.findings: dict[str, list[Finding]] = {}
        self.shown: set[str] = set()  # files of which the editor has been told something
        self._texts = texts
        self._tell = tell
        self._complain = complain
        home = path if path.is_dir() else path.parent
        self._checking = Process(home)
        self._repairing = Process(home)
        self._search: asyncio.Task[None] | None = None
        self._error = ""

    def holds(self, path: Path) -> bool:
        """Whether a file lies here."""
        return path == self.path or self.path in path.parents

    def look(self, *, at_once: bool = False) -> None:
        """Looks anew; a search that is under way is out of date."""
        if self._search is not None:
            self._search.cancel()
        self._search = asyncio.get_running_loop().create_task(self._look(0 if at_once else _QUIET))

    async def _look(self, wait: float) -> None:
        await asyncio.sleep(wait)
        texts = self._texts()
        answer = await self._checking.ask(self._request("check", texts))
        data = answer.get("report")
        report = unpacked(data.encode("ascii"), _Every()) if isinstance(data, str) else None
        error = answer.get("error", "" if report is not None else "the answer of a check makes no sense")
        if error and error != self._error:
            self._complain(error)
        self._error = error
        if report is None:
            return
        self.findings = {}
        for finding in report.findings:
            self.findings.setdefault(finding.path, []).append(finding)
        self._tell(self, report, texts)

    async def edits(self, do: str, **what: Any) -> dict[str, Any]:
        """What a repair, or a comment, would change: ``edits``, and ``why`` there are none."""
        answer = await self._repairing.ask({**self._request(do, self._texts()), **what})
        self._repairing.end()  # it is not needed often, and takes much memory
        return answer

    def _request(self, do: str, texts: Mapping[str, str]) -> dict[str, Any]:
        return {"do": do, "paths": [str(self.path)], "texts": dict(texts)}

    def close(self) -> None:
        """Leaves no process behind."""
        if self._search is not None:
            self._search.cancel()
        self._checking.end()
        self._repairing.end()
