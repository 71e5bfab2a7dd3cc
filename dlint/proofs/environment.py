"""What this machine and this environment have: versions, and whether a proof's needs are met."""

from __future__ import annotations

import importlib.metadata
import json
import multiprocessing
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from dlint.own_process.safe_path import LEAVE_OUT
from dlint.proofs import older_torch, opencl_cpu, openmp_opencv
from dlint.proofs.proof import Needs, StartMethod

# Asked in a process of its own: importing torch and cv2 here would make this process unfit to fork.
_QUESTIONS = """
import json
told = {}
try:
    import torch
    told["torch"] = torch.__version__
    told["cuda"] = torch.cuda.is_available()
except Exception as error:
    told["torch-error"] = f"{type(error).__name__}: {error}"
try:
    import numpy
    told["numpy"] = numpy.__version__
except Exception:
    pass
try:
    import cv2
    told["opencv"] = cv2.__version__
    lines = [line for line in cv2.getBuildInformation().splitlines() if "Parallel framework" in line]
    told["opencv-backend"] = lines[0].partition(":")[2].strip() if lines else "none"
    try:
        cpu = cv2.ocl.haveOpenCL() and cv2.ocl.Device_getDefault().type() == 2
    except Exception:
        cpu = False
    told["opencl-cpu"] = bool(cpu)
except Exception:
    pass
print(json.dumps(told))
"""

# The four wheels hold the same module; a proof asks for one of them.
_OPENCV = (
    "opencv-python-headless",
    "opencv-python",
    "opencv-contrib-python-headless",
    "opencv-contrib-python",
)

# What a user may have set to tune or cure threads and random numbers; proofs run without it.
_TUNING = ("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "OPENCV_", "POLARS_", "NUMBA_", "PYTHON", "TORCH_")


@dataclass(frozen=True)
class Environment:
    """The facts about this machine that claims depend on; a version is None where it is not installed."""

    python: str
    platform: str
    cores: int
    torch: str | None
    torch_error: str | None
    numpy: str | None
    opencv: str | None
    opencv_backend: str | None
    cuda: bool
    opencl_cpu: bool
    start_methods: tuple[str, ...]

    def lacks(self, needs: Needs, method: StartMethod) -> str | None:
        """Why a claim cannot be shown here, or None when it can."""
        if not self.platform.startswith("linux"):
            return "the watchdog needs Linux"
        if needs.platform and not self.platform.startswith(needs.platform):
            return f"needs {needs.platform}"
        if method not in self.start_methods:
            return f"no start method {method} here"
        if self.cores < needs.cores:
            return f"needs {needs.cores} cores, this process may use {self.cores}"
        if needs.python and not SpecifierSet(needs.python).contains(self.python, prereleases=True):
            return f"needs Python {needs.python}, this is {self.python}"
        if needs.older_torch and not older_torch.is_made():
            return "needs a torch before 1.9: python -m dlint.proofs.older_torch"
        for requirement in needs.packages:
            if lacking := _lacking(requirement):
                return lacking
        if needs.gpu and not self.cuda:
            return "needs a CUDA device"
        if needs.opencl_cpu and not self.opencl_cpu:
            return "needs an OpenCL driver for the CPU: python -m dlint.proofs.opencl_cpu"
        if needs.opencv_backend and (self.opencv_backend or "").lower() != needs.opencv_backend.lower():
            return f"needs OpenCV with {needs.opencv_backend}, this one has {self.opencv_backend}"
        if needs.openmp_opencv and not openmp_opencv.is_built():
            return "needs an OpenCV built with OpenMP: python -m dlint.proofs.openmp_opencv"
        return None


def _lacking(requirement: str) -> str | None:
    wanted = Requirement(requirement)
    for name in _OPENCV if wanted.name in _OPENCV else (wanted.name,):
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if wanted.specifier.contains(version, prereleases=True):
            return None
        return f"needs {requirement}, this is {version}"
    return f"needs {requirement}"


def variables(extra: Mapping[str, str]) -> dict[str, str]:
    """The environment variables for a program: the user's, less what tunes libraries, plus ``extra``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("PYTHONPATH", "PYTHONHOME") or not name.startswith(_TUNING)
    }
    return {**kept, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **extra}


def look(python: Sequence[str] = (sys.executable,)) -> Environment:
    """Ask this environment."""
    done = subprocess.run(
        [*python, "-c", f"{LEAVE_OUT}\n{_QUESTIONS}"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        # OpenCV looks for a CPU device only when it is told to.
        env=variables({"OPENCV_OPENCL_DEVICE": ":CPU:", **opencl_cpu.variables()}),
    )
    try:
        told = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        told = {
            "torch-error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "python failed"
        }
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Environment(
        python=platform.python_version(),
        platform=sys.platform,
        cores=cores,
        torch=told.get("torch"),
        torch_error=told.get("torch-error"),
        numpy=told.get("numpy"),
        opencv=told.get("opencv"),
        opencv_backend=told.get("opencv-backend"),
        cuda=bool(told.get("cuda")),
        opencl_cpu=bool(told.get("opencl-cpu")),
        start_methods=tuple(multiprocessing.get_all_start_methods()),
    )
