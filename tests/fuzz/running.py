"""Running dlint where it may hang, die or eat memory: in processes of their own, with limits."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]

# What a hang may take before it is ended; nothing that is well takes a tenth of it.
SECONDS = 60.0
# Where a process's memory ends, so that a runaway check does not take the machine with it.
_MEMORY = 4 << 30

Files = Mapping[str, bytes]


class Ended(NamedTuple):
    """How a command ended; ``code`` is None where it was ended because its time was up."""

    code: int | None
    out: str
    err: str
    seconds: float
    megabytes: float


class _Gone(NamedTuple):
    """A process that gave no answer: it took too long, or died."""

    hung: bool
    seconds: float


class Answer(NamedTuple):
    """What a check in a child said; ``hung`` and ``error`` tell what went wrong, empty where nothing did."""

    findings: list[Any]
    troubles: list[Any]
    seconds: float
    megabytes: float
    error: str = ""
    hung: bool = False

    @property
    def report(self) -> tuple[list[Any], list[Any]]:
        """What must be the same however it was asked for."""
        return self.findings, self.troubles


@contextlib.contextmanager
def written(files: Files) -> Iterator[Path]:
    """A folder with these files that is one program, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="dlint-fuzz-")).resolve()
    try:
        (folder / ".git").mkdir()
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield folder
    finally:
        shutil.rmtree(folder)


def command(folder: Path, *arguments: str, seconds: float = SECONDS) -> Ended:
    """``dlint`` with these arguments, in a folder, as a user runs it."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONHASHSEED": "0"}
    environment.pop("DLINT_TRACEBACK", None)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", _LIMITED, str(_MEMORY), *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        code, megabytes = _waited_for(process, began + seconds)
        took = time.monotonic() - began
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    return Ended(code, texts[0], texts[1], took, megabytes)


_LIMITED = """\
import resource, runpy, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
runpy.run_module("dlint", run_name="__main__", alter_sys=True)
"""


def _waited_for(process: subprocess.Popen[bytes], until: float) -> tuple[int | None, float]:
    """The exit code, None after an end by force, and the most memory; `os.wait4` tells it of this process."""
    in_time = True
    while True:
        gone, status, usage = os.wait4(process.pid, os.WNOHANG)
        if gone:
            break
        if in_time and time.monotonic() > until:
            in_time = False
            _kill(process)
        time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode if in_time else None, usage.ru_maxrss / 1024


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it has started: it leads a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Child:
    """A long-lived process that checks folders, replaced when it dies or takes too long."""

    def __init__(self, hash_seed: int, seconds: float = SECONDS) -> None:
        self._hash_seed = hash_seed
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def check(
        self,
        folder: Path,
        paths: Sequence[str] = (".",),
        *,
        jobs: int = 1,
        block_bytes: int | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """What dlint says of paths of a folder; ``block_bytes`` small makes several blocks of a program."""
        request = {"paths": list(paths), "jobs": jobs, "block_bytes": block_bytes}
        said = self._asked(folder, request, seconds)
        if isinstance(said, _Gone):
            return Answer([], [], said.seconds, 0.0, "" if said.hung else "the process died", said.hung)
        return Answer(
            said.get("findings", []),
            said.get("troubles", []),
            said["seconds"],
            said["megabytes"],
            said.get("error", ""),
        )

    def command(self, folder: Path, *arguments: str, seconds: float | None = None) -> Ended:
        """How ``dlint`` with these arguments ends in a folder; as `command`, but its start costs nothing."""
        said = self._asked(folder, {"arguments": arguments}, seconds)
        if isinstance(said, _Gone):
            code = None if said.hung else -1
            return Ended(code, "", "", said.seconds, 0.0)
        return Ended(said["code"], said["out"], said["err"], said["seconds"], said["megabytes"])

    def _asked(self, folder: Path, request: dict[str, Any], seconds: float | None) -> dict[str, Any] | _Gone:
        """What the process answers; a process that does not is ended, and the next request gets another."""
        process = self._ready()
        assert process.stdin is not None
        began = time.monotonic()
        line: bytes | None = b""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps({"folder": str(folder), **request}).encode() + b"\n")
            line = self._line(process, began + (seconds or self._seconds))
        if line:
            said: dict[str, Any] = json.loads(line)
            return said
        self._end()
        return _Gone(line is None, time.monotonic() - began)

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            environment = {
                **os.environ,
                "PYTHONHASHSEED": str(self._hash_seed),
                "FUZZ_MEMORY": str(_MEMORY),
            }
            environment.pop("DLINT_TRACEBACK", None)
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("child.py"))],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )
        return self._process

    @staticmethod
    def _line(process: subprocess.Popen[bytes], until: float) -> bytes | None:
        """The next line, None where none came in time, an empty one where the process ended."""
        assert process.stdout is not None
        received = b""
        while not received.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            more = os.read(process.stdout.fileno(), 1 << 20)
            if not more:
                return b""
            received += more
        return received

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
