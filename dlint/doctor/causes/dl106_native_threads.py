"""DL106: a worker stands in a library whose native threads the fork has left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.doctor.seen import Job, Seen

_OPENMP = re.compile(r"libgomp|libiomp|libomp|^(GOMP_|gomp_|__kmp)")
_TORCH = re.compile(r"libtorch|libc10|libmkl|libcaffe2")
_AT = re.compile(r"^(at|c10|caffe2)::|^at_|invoke_parallel")
# Libraries whose computations run in threads of their own, by the folder that they are installed in.
_LIBRARIES = (
    "polars",
    "sklearn",
    "numexpr",
    "numba",
    "faiss",
    "xgboost",
    "lightgbm",
    "scipy",
    "pyarrow",
    "duckdb",
)
_TORCH_CURE = (
    "leave torch.set_num_threads out of workers, to which torch gives one thread each, or start them with "
    "multiprocessing_context='forkserver'"
)
_CURE = (
    "use the library in workers only, not in the main process before them, or start them with "
    "multiprocessing_context='forkserver'"
)


def recognise(process: Seen, job: Job) -> Iterator[Cause]:
    """The cause, where the process is a worker that stands in such a library."""
    if not process.is_loader_worker:
        return
    stack = frames.in_worker_code(process.stack)
    native = frames.native_only(stack)
    place = frames.own(stack)
    called = [
        frame for frame in frames.within(frames.python_only(stack), place) if not frames.is_of_stdlib(frame)
    ]
    library = next((name for frame in called if (name := _library(frame.file))), None)
    library = library or next((name for frame in native if (name := _library(frame.file))), None)

    # At one moment a worker that gets on may stand there, too.
    watched = bool(job.window)

    def cause(sure: bool, why: str, cure: str) -> Cause:
        return Cause("DL106", sure and process.is_forked, why, cure, (process,), tuple(stack), place)

    in_openmp = any(_OPENMP.search(frame.file) or _OPENMP.search(frame.function) for frame in native)
    if any("cv2" in frame.file or frame.function.startswith("cv::") for frame in native):
        return
    if library is not None and (in_openmp or (library == "polars" and native)):
        yield cause(
            watched,
            f"{library} waits in a forked worker for its native threads, which are only in the main process",
            _CURE,
        )
    elif any(_TORCH.search(frame.file) or _AT.search(frame.function) for frame in native) and (
        in_openmp or any(_AT.search(frame.function) for frame in native)
    ):
        yield cause(
            watched,
            "torch waits in a forked worker for its own threads, which are only in the main process",
            _TORCH_CURE,
        )
    elif library is not None:
        yield cause(
            False,
            f"a worker stands in {library}, whose native threads are probably only in the main process",
            _CURE,
        )


def _library(file: str) -> str | None:
    parts = PurePath(file.replace("\\", "/")).parts
    return next(
        (
            name
            for name in _LIBRARIES
            if name in parts[:-1] or any(part.startswith(f"{name}.") for part in parts)
        ),
        None,
    )
