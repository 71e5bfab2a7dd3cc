"""Fetches an OpenCL driver for the CPU for the proof of ``cv2.UMat``: ``python -m dlint.proofs.opencl_cpu``.

The driver is pocl, from the wheel ``pocl-binary-distribution`` (60 MB). OpenCV finds it through the system's
loader of drivers, ``libOpenCL.so.1`` (Debian and Ubuntu: ``ocl-icd-libopencl1``). It is kept in the user's
cache folder, and only the programs of proofs that ask for it see it.
"""

from __future__ import annotations

import ctypes.util
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from dlint.proofs.user_cache import BuildError, cache_folder, run

VERSION = "3.0"
_WHEEL = "pocl-binary-distribution"
_VARIABLE = "OCL_ICD_VENDORS"


def folder() -> Path:
    """Where the driver is kept."""
    return cache_folder() / f"pocl-{VERSION}"


def variables() -> dict[str, str]:
    """What a program must find in its environment to see the driver: nothing where the user says where
    drivers are, or where there is none."""
    vendors = folder() / "vendors"
    return {_VARIABLE: str(vendors)} if vendors.is_dir() and _VARIABLE not in os.environ else {}


def fetch() -> Path:
    """Download the driver and put it into the cache. Raises BuildError."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / "opencl-cpu.log"
    shutil.rmtree(folder(), ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="pocl-", dir=cache) as scratch, log.open("wb") as out:
        work = Path(scratch)
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", _WHEEL]
        run([*pip, "--dest", str(work), f"{_WHEEL}=={VERSION}"], work, out, log)
        made = work / "made"
        with zipfile.ZipFile(next(work.glob("*.whl"))) as archive:
            archive.extractall(made)
        driver = next(made.rglob("libpocl*.so*"), None)
        if driver is None:
            raise BuildError(f"{_WHEEL} {VERSION} has no driver for this platform")
        (made / "vendors").mkdir()
        there = folder() / driver.relative_to(made)
        (made / "vendors" / "pocl.icd").write_text(f"{there}\n")
        made.rename(folder())
    return folder()


def main() -> int:
    """The command line: fetch it unless it is there, and say what is missing beside it."""
    try:
        print(f"driver: {folder() if folder().is_dir() else fetch()}")
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    if ctypes.util.find_library("OpenCL") is None:
        print("the system has no libOpenCL.so.1 (Debian, Ubuntu: ocl-icd-libopencl1)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
