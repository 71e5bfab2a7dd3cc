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
# With one of these a class says itself what of an object is pickled.
STATE_METHODS = ("__getstate__", "__reduce__", "__reduce_ex__")
# What `__getstate__` returns where it says only what pickle does anyway: everything.
_ATTRIBUTES = r"(\w+\.__dict__|vars\(\w+\))"
WHOLE_STATE = rf"{_ATTRIBUTES}(\.copy\(\))?|(dict|copy\.copy|copy)\({_ATTRIBUTES}\)"


# What such constructors are given and only use.
USED_UP = frozenset({"is_valid_file"})


def keeps_arguments(name: str) -> bool:
    """Whether an object made by this library name is pickled with the arguments it was made of."""
    last = name.rpartition(".")[2]
    return name.startswith(_KEEPS) and (last[:1].isupper() or last == "defaultdict" or name == RANDOM_SPLIT)


# Calls of libraries whose results pickle refuses, with what it calls them (OpenCV 5.0, Python 3.10 to 3.13).
_REFUSED = {
    "importlib.import_module": "module",
    "builtins.__import__": "module",
    "pathlib.Path().iterdir": "generator",
    "pathlib.Path().glob": "generator",
    "pathlib.Path().rglob": "generator",
    "os.walk": "generator",
    "os.scandir": "posix.ScandirIterator",
    "glob.iglob": "generator",
    "csv.reader": "_csv.reader",
    "cv2.ORB_create": "cv2.ORB",
    "cv2.ORB.create": "cv2.ORB",
    "cv2.SIFT_create": "cv2.SIFT",
    "cv2.SIFT.create": "cv2.SIFT",
    "cv2.FastFeatureDetector_create": "cv2.FastFeatureDetector",
    "cv2.FastFeatureDetector.create": "cv2.FastFeatureDetector",
    "cv2.createCLAHE": "cv2.CLAHE",
    "cv2.BFMatcher": "cv2.BFMatcher",
}
# Of those, what later Pythons can send, as measured (3.12.1 refuses it, 3.13.0 does not).
SENT_FROM = {"pathlib.Path().iterdir": "3.13"}
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


def refused(name: str) -> str | None:
    """What pickle calls the kind of thing that a library's call gives, where it refuses it."""
    return _REFUSED.get(name)


def is_module(name: str) -> bool:
    """Whether a library's name is surely that of a module."""
    return "." not in name or name in _MODULES
