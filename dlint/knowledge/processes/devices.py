"""Devices: which names mean a GPU, and which arguments of torch's calls name a device."""

from __future__ import annotations

# Methods that put a tensor, a module or a batch on the device that they are told.
MOVES = frozenset({"to", "to_empty", "cuda"})
# The keywords by which torch's functions take a device.
DEVICE_KEYWORDS = ("device", "map_location")
# What makes a device of a string or a number, and the keywords by which it takes them.
DEVICE = "torch.device"
DEVICE_NAMES = ("type", "device")
# What tells the number of the GPU in use.
PRESENT_GPU = "torch.cuda.current_device"
# Constructors whose tensors are on the GPU: torch.cuda.FloatTensor(...).
_TYPES = "torch.cuda."


def is_cuda(name: object) -> bool:
    """Whether a device's name means a CUDA GPU (``cuda``, ``cuda:1``)."""
    return isinstance(name, str) and name.partition(":")[0] == "cuda"


def is_number_of_gpu(name: object) -> bool:
    """Whether a device is told by a number, which counts GPUs: no bool, and no -1, which some take for the
    CPU."""
    return type(name) is int and name >= 0


def makes_cuda_tensor(name: str) -> bool:
    """Whether a library name is one of torch's tensor types on the GPU."""
    return name.startswith(_TYPES) and name.endswith("Tensor")
