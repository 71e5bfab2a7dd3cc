"""The process that looks at a folder: requests come as lines of JSON, an answer goes back for each.

It imports nothing of the folder, whatever way Python was started, and knows nothing of the protocol.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from dlint import engine
from dlint.cache import Question, folder_for, remembered
from dlint.cache.answer import packed
from dlint.finding import Finding, Report
from dlint.own_process.fault import described
from dlint.project.files import project_root
from dlint.project.paths import absolute
from dlint.settings.settings import Settings, SettingsError, check_names, load, with_nested
from dlint.source.noqa.added_noqa import with_noqa
from dlint.source.reading import SourceError, decode, encoding_of, read_bytes

Request = Mapping[str, Any]


def main() -> None:
    """Answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not speak into the answers
    requests: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        answers.write(json.dumps(answer(json.loads(requests.get()))).encode("ascii") + b"\n")
        answers.flush()


def _listen(requests: SimpleQueue[bytes]) -> None:
    """Takes requests, and ends the process, in the midst of a search too, when its server is gone."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def answer(request: Request) -> dict[str, Any]:
    """What comes of a request, or ``error``, one line about what is wrong with the settings or with dlint."""
    try:
        return _DOES[request["do"]](request)
    except SettingsError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": described(error)}


def _check(request: Request) -> dict[str, Any]:
    """The report on all files of the folder, or of one file that lies in none."""
    paths, settings, texts = _asked(request)
    if texts:
        report = engine.check(paths, settings, texts=texts)
    else:
        find = partial(_find, paths, settings)
        report = remembered(Question(paths, settings), find, folder_for(settings, wanted=True))
    return {"report": packed(_with_whole_paths(report)).decode("ascii")}


def _find(paths: tuple[Path, ...], settings: Settings, listed: Any) -> Report:
    return engine.check(paths, settings, listed=listed)


def _repair(request: Request) -> dict[str, Any]:
    """What the repair of one finding would change, or all that is safe in a file."""
    from dlint import repair

    paths, settings, texts = _asked(request)
    file, place = Path(request["file"]), request.get("place")
    if place is None:
        found = repair.repair((file,), settings, texts=texts)
        return {"edits": list(_edits(found.files)), "why": None}
    wanted = partial(_is_at, file, tuple(place))
    found = repair.repair(paths, settings, texts=texts, unsafe=True, only=wanted)
    why = next((each.reason for each in found.left if wanted(each.finding)), None)
    return {"edits": list(_edits(found.files)), "why": why}


def _silence(request: Request) -> dict[str, Any]:
    """The file with a comment that silences some of its findings."""
    _, _, texts = _asked(request)
    path = Path(request["file"])
    before = texts[path] if path in texts else read_bytes(path)
    code, line = request["code"], request["line"]
    finding = Finding(code, "", "", str(path), line, 1, line, 2)
    after = with_noqa(decode(before), [finding]).encode(encoding_of(before))
    from dlint.repair import Repaired

    return {"edits": list(_edits([Repaired(path, before, after)])), "why": None}


_DOES: Mapping[str, Callable[[Request], dict[str, Any]]] = {
    "check": _check,
    "repair": _repair,
    "silence": _silence,
}


def _asked(request: Request) -> tuple[tuple[Path, ...], Settings, dict[Path, bytes]]:
    paths = tuple(map(Path, request["paths"]))
    settings = with_nested(load(project_root(absolute(paths[0]))), paths, None)
    if settings.names_rules:
        from dlint.rules import all_codes

        check_names(all_codes(), settings)
    return paths, settings, dict(_texts(request["texts"]))


def _texts(given: Mapping[str, str]) -> Iterator[tuple[Path, bytes]]:
    """The editor's texts as bytes, those left aside that are what the disk has."""
    for name, text in given.items():
        path = absolute(name)
        data = text.encode("utf-8", "surrogatepass")
        with suppress(SourceError, UnicodeError, LookupError):  # else it is told that it cannot be read
            data = text.encode(encoding_of(data))
        if _on_disk(path) != data:
            yield path, data


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except SourceError:
        return None


def _is_at(path: Path, place: tuple[str, int, int], finding: Finding) -> bool:
    return absolute(finding.path) == path and (finding.code, finding.line, finding.column) == place


def _with_whole_paths(report: Report) -> Report:
    return report._replace(
        findings=tuple(
            finding._replace(
                path=str(absolute(finding.path)),
                reach=tuple(step._replace(path=str(absolute(step.path))) for step in finding.reach),
            )
            for finding in report.findings
        ),
        troubles=tuple(each._replace(path=str(absolute(each.path))) for each in report.troubles),
    )


def _edits(files: Any) -> Iterator[dict[str, Any]]:
    from dlint.repair.as_edits import edits_of

    for edit in edits_of({file.path: (file.old, file.new) for file in files}):
        yield {**edit._asdict(), "path": str(absolute(edit.path))}


if __name__ == "__main__":
    main()
