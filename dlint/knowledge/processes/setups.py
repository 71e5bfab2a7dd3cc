"""Set-up that belongs to one process: what spawned workers do not have unless they do it themselves.

Measured: seeds of torch, NumPy and random do reach spawned workers (the loader seeds each from the parent's
state), and so does the environment.
"""

from __future__ import annotations

from typing import NamedTuple

from dlint.finding import Effect


class Setup(NamedTuple):
    """A call that sets something for the process; ``missing`` says what a worker without it does, and
    ``effect`` the kind of that.

    ``concerns`` are the beginnings of the library calls it matters to; empty for any worker code.
    """

    name: str
    missing: str
    effect: Effect
    concerns: tuple[str, ...] = ()
    nothing: tuple[object, ...] = ()  # values that are what a process has anyway


_FLOATS = (
    "tensor",
    "zeros",
    "ones",
    "rand",
    "linspace",
    "logspace",
    "full",
    "empty",
    "eye",
    "normal",
    "randn",
    "Tensor",
)
_NEW_FLOATS = tuple(f"torch.{name}" for name in _FLOATS)

# What these make is of the type of what they are given: the place and the name of that.
GIVEN_TYPE = {"torch.tensor": (0, "data"), "torch.full": (1, "fill_value")}

SETUPS = (
    Setup("cv2.setNumThreads", "each starts OpenCV's thread pool", "cost", ("cv2.",)),
    # OpenCL works on cv2.UMat only.
    Setup("cv2.ocl.setUseOpenCL", "each uses OpenCL", "cost", ("cv2.UMat",)),
    Setup(
        "torch.set_default_dtype",
        "their tensors are float32",
        "silent",
        _NEW_FLOATS,
        ("torch.float32", "torch.float"),
    ),
    Setup(
        "torch.set_default_tensor_type",
        "their tensors are float32",
        "silent",
        _NEW_FLOATS,
        ("torch.FloatTensor", "torch.float32"),
    ),
    Setup(
        "multiprocessing.set_sharing_strategy",
        "they share tensors by file descriptors",
        "cost",
        nothing=("file_descriptor",),
    ),
)
