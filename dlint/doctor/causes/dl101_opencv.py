"""DL101: a worker stands in OpenCV, whose threads the fork has left behind."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator

from dlint.doctor import frames
from dlint.doctor.causes.cause import Cause
from dlint.doctor.seen import Job, Seen
from dlint.running.stacks import Frame

_CURE = "call cv2.setNumThreads(0) right after importing cv2, in the main process"
_OPENMP = re.compile(r"libgomp|libiomp|libomp|^(GOMP_|gomp_|__kmp)")
_OPENCL = re.compile(r"^(POcl|pocl_|cl[A-Z])|libOpenCL|libpocl|ocl")
_CV2 = re.compile(r"(^|/)cv2(/|\.)|libopencv|cv2\.abi3|cv2\.cpython")
_CALL = re.compile(r"\bcv2?\.\w+\(")


def recognise(process: Seen, job: Job) -> Iterator[Cause]:
    """The cause, where the process is a worker that stands in OpenCV."""
    if not process.is_loader_worker:
        return
    stack = frames.in_worker_code(process.stack)
    native = frames.native_only(stack)
    place = frames.own(stack)
    names = [frame.function for frame in native]

    def cause(sure: bool, why: str, cure: str = _CURE) -> Cause:
        return Cause("DL101", sure and process.is_forked, why, cure, (process,), tuple(stack), place)

    # At one moment a worker that gets on may stand there, too.
    watched = bool(job.window)

    if any(_CV2.search(frame.file) or frame.function.startswith("cv::") for frame in native):
        if "pthread_cond_destroy" in names:
            yield cause(
                True,
                "cv2.setNumThreads in a forked worker ends the threads of a pool that the fork has left "
                "behind, and waits for them for ever",
                "call cv2.setNumThreads(0) instead, which ends no thread; or, with any number, in the main "
                "process after the import",
            )
        elif any(_OPENMP.search(frame.file) or _OPENMP.search(frame.function) for frame in native):
            yield cause(
                watched,
                "OpenCV, built with OpenMP, waits in a forked worker for threads that are only in the main "
                "process",
            )
        elif any(_OPENCL.search(frame.function) or _OPENCL.search(frame.file) for frame in native):
            yield cause(
                watched,
                "OpenCV has given work to OpenCL, whose threads are only in the main process",
                "call cv2.ocl.setUseOpenCL(False) right after importing cv2, or use no cv2.UMat in workers",
            )
        else:
            yield cause(False, "a worker stands in OpenCV: its threads are probably only in the main process")
    elif not native and place is not None and stack and stack[0] == place and _CALL.search(_line(place)):
        yield cause(
            False,
            "a worker stands in a call of cv2, whose threads are probably only in the main process; "
            "--native would show it",
        )


def _line(place: Frame) -> str:
    return linecache.getline(place.file, place.line)
