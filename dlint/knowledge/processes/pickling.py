"""What pickling does with objects of libraries: which keep what they were given."""

from __future__ import annotations

from dlint.knowledge.loading import RANDOM_SPLIT

# Objects of these keep their constructor's arguments as attributes and pickle them.
_KEEPS = (
    "torch.utils.data.",
    "torchvision.",
    "torchaudio.",
    "torchtext.",
    "torch_geometric.",
    "albumentations.",
    "kornia.",
    "monai.",
    "collections.defaultdict",
)
# What makes a class of tuples, whose name is the first argument.
NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})
# With one of these a class says itself what of an object is pickled.
STATE_METHODS = ("__getstate__", "__reduce__", "__reduce_ex__")
# With one of these it says itself what pickle makes it of.
REDUCES = frozenset({"__reduce__", "__reduce_ex__"})
# What `__getstate__` returns where it says only what pickle does anyway: everything.
_ATTRIBUTES = r"(\w+\.__dict__|vars\(\w+\))"
WHOLE_STATE = rf"{_ATTRIBUTES}(\.copy\(\))?|(dict|copy\.copy|copy)\({_ATTRIBUTES}\)"


# What such constructors are given and only use.
USED_UP = frozenset({"is_valid_file"})


def keeps_arguments(name: str) -> bool:
    """Whether an object made by this library name is pickled with the arguments it was made of."""
    last = name.rpartition(".")[2]
    return name.startswith(_KEEPS) and (last[:1].isupper() or last == "defaultdict" or name == RANDOM_SPLIT)


# Submodules as programs import them by their own name.
_MODULES = frozenset(
    {
        "cv2.aruco",
        "matplotlib.pyplot",
        "numpy.linalg",
        "numpy.random",
        "os.path",
        "pycocotools.mask",
        "torch.distributed",
        "torch.nn.functional",
        "torchvision.transforms",
        "torchvision.transforms.functional",
        "torchvision.transforms.v2",
    }
)


def is_module(name: str) -> bool:
    """Whether a library's name is surely that of a module."""
    return "." not in name or name in _MODULES
