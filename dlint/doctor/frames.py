"""Whose frame is it, and what does it say? Frames are innermost first, as py-spy gives them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from dlint.running.stacks import Frame

WORKER = "torch/utils/data/_utils/worker.py"
LOADER = "torch/utils/data/dataloader.py"
_INSTALLED = re.compile(
    r"(^|/)(site|dist)-packages/|(^|/)(lib(64)?/python\d(\.\d+)?|python\d\.\d+)/|^<|(^|/)Modules/\w+\.c$"
    r"|/torch/(utils|nn|multiprocessing|distributed|cuda|autograd)/"
)
_STDLIB = re.compile(r"(^|/)python\d(\.\d+)?/(?!site-packages|dist-packages)|^<frozen ")
# What a dump names by its place below site-packages.
_LIBRARIES = frozenset(
    (
        *("PIL", "accelerate", "albumentations", "cv2", "datasets", "decord", "fsspec", "h5py", "joblib"),
        *("kornia", "lightning", "lmdb", "numpy", "pandas", "polars", "pyarrow", "pydantic"),
        *("pytorch_lightning", "ray", "requests", "s3fs", "scipy", "skimage", "sklearn", "tensorflow"),
        *("timm", "torch", "torchaudio", "torchdata", "torchvision", "tqdm", "transformers", "urllib3"),
        *("wandb", "webdataset", "zarr"),
    )
)
# Files of Python's own library that old versions of py-spy name without their folder.
_WITHOUT_FOLDER = frozenset(
    ("_base.py", "thread.py", "queues.py", "connection.py", "popen_fork.py", "synchronize.py", "context.py")
)


def name_of(frame: Frame) -> str:
    """The function's own name: of ``Photos.__getitem__`` that is ``__getitem__``."""
    return frame.function.rpartition(".")[2]


def is_python(frame: Frame) -> bool:
    """Whether it is a frame of Python code."""
    return (bool(frame.line) and frame.file.endswith((".py", ">"))) or "ipykernel" in frame.file


def python_only(stack: Iterable[Frame]) -> list[Frame]:
    """The frames of Python code."""
    return [frame for frame in stack if is_python(frame)]


def native_only(stack: Iterable[Frame]) -> list[Frame]:
    """The frames of C code within the innermost frame of Python code: those of the interpreter's own calls
    further out say nothing."""
    found = []
    for frame in stack:
        if is_python(frame):
            break
        found.append(frame)
    return found


def is_in(frame: Frame, *files: str) -> bool:
    """Whether a frame stands in one of the files, given as the end of their paths."""
    path = frame.file.replace("\\", "/")
    if path in _WITHOUT_FOLDER:
        return any(file.rpartition("/")[2] == path for file in files)
    return any(path == file or path.endswith(f"/{file}") for file in files)


def find(stack: Sequence[Frame], name: str, *files: str) -> Frame | None:
    """The innermost frame of a function of a file."""
    return next((each for each in stack if name_of(each) == name and is_in(each, *files)), None)


def is_own(frame: Frame) -> bool:
    """Whether a frame stands in the project's code: not in Python's, an installed package's or C's."""
    if not is_python(frame) or _INSTALLED.search(frame.file):
        return "ipykernel" in frame.file or frame.file.startswith("<ipython")
    path = PurePath(frame.file.replace("\\", "/"))
    if path.is_absolute() or re.match(r"[A-Za-z]:/", path.as_posix()):
        return True
    top = path.parts[0].removesuffix(".py") if path.parts else ""
    known = top in sys.stdlib_module_names or top in _LIBRARIES or top == "Queue"
    return not known and path.as_posix() not in _WITHOUT_FOLDER


def is_of_stdlib(frame: Frame) -> bool:
    """Whether a frame stands in Python's own library."""
    if not is_python(frame):
        return False
    if _STDLIB.search(frame.file):
        return True
    path = PurePath(frame.file.replace("\\", "/"))
    top = path.parts[0].removesuffix(".py") if path.parts and not path.is_absolute() else ""
    return top in sys.stdlib_module_names


def own(stack: Iterable[Frame]) -> Frame | None:
    """The innermost frame of the project's code."""
    return next((frame for frame in stack if is_own(frame)), None)


def within(stack: Sequence[Frame], outer: Frame | None) -> list[Frame]:
    """The frames that a frame has called, innermost first; all where there is no such frame."""
    found: list[Frame] = []
    for frame in stack:
        if frame is outer:
            break
        found.append(frame)
    return found


def in_worker_code(stack: Sequence[Frame]) -> list[Frame]:
    """What a worker of a DataLoader has called."""
    return within(stack, find(stack, "_worker_loop", WORKER))


def chain(stack: Sequence[Frame], most: int = 4) -> Iterator[str]:
    """The frames that say most, from the project's line inwards: Python's, and what C calls the last."""
    mine = own(stack)
    python = [frame for frame in stack if is_python(frame)]
    inner = within(python, mine)[::-1]
    shown = ([mine] if mine is not None else []) + inner
    if len(shown) > most:
        shown = [*shown[: most - 1], shown[-1]]
    yield from (str(frame) for frame in shown)
    native = next((each for each in native_only(stack) if not each.function.startswith("0x")), None)
    library = next((each for each in native_only(stack)), None)
    if native is not None:
        if not native.function.startswith(("PyThread", "lock_Py", "_queue", "sock_", "os_", "select_")):
            yield native.function
    elif library is not None:
        yield PurePath(library.file).name
