"""Builds a minimal OpenCV whose parallel backend is OpenMP, as conda ships it, for the DL101 proof.

The wheels on PyPI bring their own thread pool and mostly survive a fork; OpenMP builds do not. Building
takes about ten minutes on two cores and needs a C++ compiler, CMake and Ninja, so it is a command of its
own: ``python -m dlint.proofs.openmp_opencv``. The result, one shared object of about 10 MB, lies in the
user's cache folder; nothing is installed, and only proofs that ask for it see it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from dlint.proofs.user_cache import BuildError, cache_folder, run

VERSION = "4.10.0.84"

# Only what the proof needs: image arrays, the filters that run in parallel, and the Python module.
_MODULES = "core,imgproc,imgcodecs,python_bindings_generator,python3"
_ON = ("WITH_OPENMP", "BUILD_ZLIB", "BUILD_PNG", "BUILD_JPEG", "OPENCV_SKIP_PYTHON_LOADER")
_OFF = (
    "BUILD_EXAMPLES",
    "BUILD_JAVA",
    "BUILD_PERF_TESTS",
    "BUILD_SHARED_LIBS",
    "BUILD_TESTS",
    "BUILD_opencv_apps",
    "BUILD_opencv_python2",
    "WITH_ADE",
    "WITH_EIGEN",
    "WITH_FFMPEG",
    "WITH_GTK",
    "WITH_IPP",
    "WITH_ITT",
    "WITH_JASPER",
    "WITH_LAPACK",
    "WITH_OPENCL",
    "WITH_OPENEXR",
    "WITH_OPENJPEG",
    "WITH_PROTOBUF",
    "WITH_PTHREADS_PF",
    "WITH_QUIRC",
    "WITH_TBB",
    "WITH_TIFF",
    "WITH_V4L",
    "WITH_VTK",
    "WITH_WEBP",
)


def module_folder() -> Path:
    """The folder to put on ``sys.path`` for the OpenMP build of this Python."""
    return cache_folder() / f"openmp-opencv-{VERSION}-{sys.implementation.cache_tag}"


def is_built() -> bool:
    """Whether the build for this Python lies in the cache."""
    return any(module_folder().glob("cv2*.so"))


def build(jobs: int) -> Path:
    """Download the source distribution, build it and put the module into the cache.

    ``jobs`` is the number of compilers that run at once. Returns the folder. Raises BuildError.
    """
    for tool in ("c++", "cmake", "ninja"):
        if shutil.which(tool) is None:
            raise BuildError(f"{tool} is missing: the build needs a C++ compiler, CMake and Ninja")
    try:
        import numpy
    except ImportError:
        raise BuildError('NumPy is missing: pip install "torch-dlint[prove]"') from None
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / "openmp-opencv.log"
    with tempfile.TemporaryDirectory(prefix="openmp-opencv-", dir=cache) as scratch, log.open("wb") as out:
        work = Path(scratch)
        name = "opencv-python-headless"
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--no-binary",
            name,
            f"{name}=={VERSION}",
        ]
        run([*pip, "--dest", str(work)], work, out, log)
        with tarfile.open(next(work.glob("*.tar.gz"))) as archive:
            archive.extractall(work, filter="data")
        source = next(work.glob("opencv*/opencv"))
        options = [f"-D{name}=ON" for name in _ON] + [f"-D{name}=OFF" for name in _OFF]
        paths = sysconfig.get_paths()
        options += [
            f"-DBUILD_LIST={_MODULES}",
            "-DCMAKE_BUILD_TYPE=Release",
            f"-DPYTHON3_EXECUTABLE={sys.executable}",
            f"-DPYTHON3_INCLUDE_DIR={paths['include']}",
            f"-DPYTHON3_PACKAGES_PATH={paths['purelib']}",
            f"-DPYTHON3_NUMPY_INCLUDE_DIRS={numpy.get_include()}",
        ]
        tree = work / "tree"
        run(["cmake", "-G", "Ninja", "-S", str(source), "-B", str(tree), *options], work, out, log)
        run(["cmake", "--build", str(tree), "--parallel", str(jobs)], work, out, log)
        built = next((tree / "lib" / "python3").glob("cv2*.so"), None)
        if built is None:
            raise BuildError(f"CMake left the Python module out; see {log}")
        folder = module_folder()
        folder.mkdir(exist_ok=True)
        shutil.copy2(built, folder / f".{built.name}")
        (folder / f".{built.name}").replace(folder / built.name)
    return folder


def main() -> int:
    """The command line: build unless it is built."""
    parser = argparse.ArgumentParser(prog="python -m dlint.proofs.openmp_opencv", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at once")
    parser.add_argument("--again", action="store_true", help="build even if the cache has it")
    chosen = parser.parse_args()
    if is_built() and not chosen.again:
        print(f"already built: {module_folder()}")
        return 0
    try:
        folder = build(chosen.jobs)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"built: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
