"""What this machine and this Python bring to a training job, and what that means for the rules."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dlint.own_process.safe_path import LEAVE_OUT
from dlint.running.processes import system_text

_PATIENCE = 120.0  # seconds for importing torch and cv2
_OPENCV = tuple(
    f"opencv-{kind}" for kind in ("python", "python-headless", "contrib-python", "contrib-python-headless")
)
_TUNING = (
    *(
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    *("KMP_AFFINITY", "OMP_PROC_BIND", "OPENCV_FOR_THREADS_NUM", "MALLOC_ARENA_MAX", "TORCH_NUM_THREADS"),
)
# Asked of another process: importing cv2 and torch starts threads.
_QUESTIONS = """
import json, multiprocessing
told = {}
import multiprocessing.context
told["start-method"] = multiprocessing.get_start_method()
try:
    import cv2
    told["opencv"] = cv2.__version__
    told["opencv-threads"] = cv2.getNumThreads()
    lines = cv2.getBuildInformation().splitlines()
    found = [line.partition(":")[2].strip() for line in lines if "Parallel framework" in line]
    told["opencv-backend"] = found[0] if found else None
    told["opencl"] = bool(cv2.ocl.haveOpenCL())
except Exception as error:
    if not isinstance(error, ImportError) or "cv2" not in str(error):
        told["opencv-error"] = f"{type(error).__name__}: {error}"
try:
    import torch
    told["torch"] = torch.__version__
    told["torch-threads"] = torch.get_num_threads()
    told["torch-sharing"] = torch.multiprocessing.get_sharing_strategy()
    told["cuda"] = torch.cuda.is_available()
except Exception as error:
    if not isinstance(error, ImportError) or "torch" not in str(error):
        told["torch-error"] = f"{type(error).__name__}: {error}"
print()
print(json.dumps(told))
"""


@dataclass(frozen=True)
class Fact:
    """One thing about the machine. ``means`` is what follows for training, empty where nothing does;
    ``warns`` whether it is a cause of trouble by itself; ``codes`` are the rules that it bears on."""

    name: str
    value: str
    means: str = ""
    warns: bool = False
    codes: tuple[str, ...] = field(default=())


def machine() -> list[Fact]:
    """The facts about this machine, for the Python that runs dlint."""
    told = _asked()
    cores = _cores()
    return [
        *_of_python(told),
        *_of_torch(told),
        *_of_opencv(told),
        *_of_cores(cores, told),
        *_of_limits(),
        *_of_variables(os.environ),
        *_of_container(),
    ]


def start_method() -> str:
    """How this Python starts DataLoader workers unless the program says otherwise."""
    if sys.platform in ("win32", "darwin"):
        return "spawn"
    return "forkserver" if sys.version_info >= (3, 14) else "fork"


def torch_release() -> str | None:
    """The installed torch, None where there is none."""
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


def _asked() -> dict[str, object]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"{LEAVE_OUT}\n{_QUESTIONS}"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        told = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError):
        return {}
    return told if isinstance(told, dict) else {}


def _of_python(told: Mapping[str, object]) -> list[Fact]:
    method = str(told.get("start-method") or start_method())
    version = ".".join(map(str, sys.version_info[:3]))
    if method == "fork":
        means = (
            "workers begin as copies of the main process, with one thread: what other threads hold or bring "
            "is lost"
        )
        codes: tuple[str, ...] = ("DL101", "DL102", "DL106", "DL403", "DL503")
    else:
        means = (
            "workers begin afresh and import the program: what is sent to them must be picklable, and the "
            "script needs a main guard"
        )
        codes = ("DL401", "DL402", "DL404")
    return [Fact("Python", version), Fact("start method", method, means, codes=codes)]


def _of_torch(told: Mapping[str, object]) -> list[Fact]:
    release = told.get("torch") or torch_release()
    if "torch-error" in told:
        return [Fact("torch", str(release), f"cannot be imported: {told['torch-error']}", True)]
    if release is None:
        return [Fact("torch", "not installed", "run dlint doctor --env with the Python that trains")]
    numbers = [int(part) for part in str(release).split(".")[:2] if part.isdecimal()]
    older = numbers < [1, 9]
    means = "workers get the same NumPy state: before 1.9 torch seeds NumPy in none of them" if older else ""
    facts = [Fact("torch", str(release), means, older, ("DL202",) if older else ())]
    sharing = told.get("torch-sharing")
    if sharing is not None:
        by_file = sharing == "file_descriptor"
        means = "each tensor in a batch needs an open file while it is there" if by_file else ""
        facts.append(Fact("sharing of tensors", str(sharing), means))
    return facts


def _of_opencv(told: Mapping[str, object]) -> list[Fact]:
    if "opencv-error" in told:
        return [Fact("OpenCV", "installed", f"cannot be imported: {told['opencv-error']}", True)]
    if "opencv" not in told:
        names = [name for name in _OPENCV if _is_installed(name)]
        return [Fact("OpenCV", f"{names[0]} installed" if names else "not installed")]
    backend, threads = told.get("opencv-backend"), told.get("opencv-threads")
    means, warns = "", False
    if backend is None:
        means = "it starts no threads of its own"
    elif "openmp" in str(backend).lower():
        means, warns = (
            "forked workers hang in its first parallel filter unless cv2.setNumThreads(0) came before",
            True,
        )
    elif "pthread" in str(backend).lower():
        means = "each worker starts as many threads as there are cores unless cv2.setNumThreads(0) was called"
    value = f"{told['opencv']}, {backend or 'no parallel framework'}, {threads} threads"
    return [Fact("OpenCV", value, means, warns, ("DL101",))]


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _cores() -> float:
    """The processors that this process may use, by affinity and by the quota of its cgroup."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return affinity if quota is None else min(float(affinity), quota)


def _quota() -> float | None:
    parts = system_text("/sys/fs/cgroup/cpu.max").split()
    if len(parts) == 2 and parts[0].isdecimal() and parts[1].isdecimal():
        return int(parts[0]) / int(parts[1])
    quota, period = (
        system_text(f"/sys/fs/cgroup/cpu/cpu.cfs_{name}_us").strip() for name in ("quota", "period")
    )
    if quota.isdecimal() and period.isdecimal() and int(period):
        return int(quota) / int(period)
    return None


def _of_cores(cores: float, told: Mapping[str, object]) -> list[Fact]:
    here = os.cpu_count() or 1
    value = f"{cores:g}" if cores >= here else f"{cores:g} of the machine's {here}"
    means, warns = "", False
    if cores < here:
        means = (
            "libraries and os.cpu_count() see all of them and start as many threads: pass num_workers and "
            "thread counts yourself"
        )
        warns = True
    facts = [Fact("processors", value, means, warns, ("DL101", "DL104"))]
    threads = told.get("torch-threads")
    if isinstance(threads, int):
        too_many = threads > cores
        words = "more than there are processors" if too_many else ""
        facts.append(Fact("torch's threads", str(threads), words, too_many))
    return facts


def _of_limits() -> list[Fact]:
    facts = []
    try:
        shared = os.statvfs("/dev/shm")
        size, free = shared.f_blocks * shared.f_frsize, shared.f_bavail * shared.f_frsize
        small = size <= 128 * 2**20
        means = (
            "too small for the batches of a few workers, which are handed over in it: 'Bus error' or 'unable "
            "to open shared memory'; docker run --shm-size=8g or --ipc=host"
            if small
            else "num_workers x prefetch_factor batches lie in it"
        )
        facts.append(Fact("/dev/shm", f"{_size(size)}, {_size(free)} free", means, small))
    except OSError:
        pass
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        few = 0 <= soft <= 1024
        means = (
            "'Too many open files' or 'received 0 items of ancdata' with many tensors in a batch; ulimit -n "
            "65536, or torch.multiprocessing.set_sharing_strategy('file_system')"
            if few
            else ""
        )
        facts.append(Fact("open files", f"{soft} (at most {hard})", means, few))
    except ImportError:
        pass
    places = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
    limit = next((text for place in places if (text := system_text(place).strip())), "")
    if limit.isdecimal() and int(limit) < 2**50:
        facts.append(
            Fact(
                "memory",
                _size(int(limit)),
                "of all processes together: the kernel kills a worker that goes beyond",
                codes=("DL504",),
            )
        )
    return facts


def _of_variables(environment: Mapping[str, str]) -> list[Fact]:
    facts = []
    for name in _TUNING:
        if name in environment:
            facts.append(Fact(name, environment[name]))
    if "OMP_NUM_THREADS" not in environment:
        facts.append(
            Fact(
                "OMP_NUM_THREADS",
                "not set",
                "libraries with OpenMP start as many threads as there are processors, "
                "in the main process; torch gives each worker one",
            )
        )
    return facts


def _of_container() -> list[Fact]:
    groups = system_text("/proc/1/cgroup")
    inside = Path("/.dockerenv").exists() or any(
        name in groups for name in ("docker", "kubepods", "containerd")
    )
    facts = [Fact("container", "yes" if inside else "not seen")]
    scope = system_text("/proc/sys/kernel/yama/ptrace_scope").strip()
    if scope not in ("", "0") and getattr(os, "geteuid", lambda: 0)() != 0:
        facts.append(
            Fact(
                "ptrace_scope",
                scope,
                "dlint doctor PID needs root here, or sudo sysctl kernel.yama.ptrace_scope=0",
            )
        )
    return facts


def _size(number: int) -> str:
    return f"{number / 2**30:.1f} GiB" if number >= 2**30 else f"{number / 2**20:.0f} MiB"
