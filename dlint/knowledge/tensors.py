"""Tensors: which of their methods give a view of the same memory, and which names only tensors have.

Measured with torch 2.13: of 20 batches from workers, each kept as what one of these gives, all 20 keep a file
open (``reshape`` and ``contiguous`` as well, for a batch lies in one piece); what ``clone``, ``tolist``,
``x[mask]``, ``astype``, ``np.array``, ``torch.cat``, ``copy.deepcopy`` or a sum give keeps none.
"""

from __future__ import annotations

from dlint.knowledge.augmentation.torchvision import makes_tensor
from dlint.regex import regex

# Methods and attributes that give the same memory, whatever they are given.
_VIEWS = frozenset(
    """T chunk contiguous cpu data detach expand flatten mT narrow numpy permute ravel reshape select split
    squeeze swapaxes t transpose unbind unflatten unsqueeze view view_as""".split()  # noqa: SIM905
)
# NumPy's functions that make an array of its own memory of a tensor, and one of what is a list.
MAKE_ARRAYS = frozenset({"asanyarray", "asarray", "atleast_1d", "atleast_2d", "atleast_3d"})
# What wraps a tensor, and only that: the wrapped one itself since torch 0.4, and its memory before.
VARIABLE = "Variable"
# Functions that give the memory of their first argument.
_HAND_ON = frozenset(
    {
        "numpy.squeeze",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.autograd.Variable",
        "torch.autograd.variable.Variable",
    }
    | {f"numpy.{name}" for name in MAKE_ARRAYS}
) | {
    f"torch.{name}"
    for name in (
        "chunk",
        "flatten",
        "permute",
        "reshape",
        "split",
        "squeeze",
        "transpose",
        "unbind",
        "unsqueeze",
    )
}
# Of those the ones that may give it less dimensions.
_RESHAPES = frozenset(
    {"flatten", "ravel", "reshape", "select", "squeeze", "view", "view_as", "unbind", "split", "chunk"}
)
# Functions that make one tensor of a list of tensors.
JOINS = frozenset(
    f"torch.{name}"
    for name in ("cat", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack")
)
# Functions of which the first arguments are the lengths of what they make.
_SHAPED = frozenset(
    {f"{library}.{name}" for library in ("torch", "numpy") for name in ("empty", "ones", "zeros")}
    | {"torch.rand", "torch.randn"}
)
# What NumPy's arrays have not, so that a thing of which it is asked is a tensor.
_OF_TENSORS = frozenset(
    """contiguous detach device dim double float half int is_cuda long mT numel numpy permute requires_grad
    unbind unflatten unsqueeze""".split()  # noqa: SIM905
)
# Methods that give a tensor with numbers of a type: itself where it has them already.
_CASTS = {
    "bool": "bool",
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "int": "int32",
    "long": "int64",
}
# Types that are called otherwise as well.
_TYPES = {**_CASTS, **{name: name for name in _CASTS.values()}}
# Functions that make numbers of a type, those of floats as long as nobody sets another default.
_OF_TYPE = {
    "torch.BoolTensor": "bool",
    "torch.DoubleTensor": "float64",
    "torch.FloatTensor": "float32",
    "torch.IntTensor": "int32",
    "torch.LongTensor": "int64",
    "torch.randint": "int64",
    "torch.randperm": "int64",
    **{f"torch.{name}": "float32" for name in ("empty", "ones", "rand", "randn", "zeros")},
    **{f"numpy.{name}": "float64" for name in ("empty", "ones", "zeros")},
}
# Types of arrays of numbers: Python's, NumPy's, and as they are written.
_NUMBER_TYPE = regex(
    r"(builtins\.|numpy\.)?(bool|bool_|byte|u?int\w*|long\w*|half|single|double|float\w*)"
    r"|[<>=|]?([bhilqefdBHILQ]|[iufb][1248])"
)
# What makes tensors of floats others by default.
SET_DEFAULT_TYPE = ("set_default_dtype", "set_default_tensor_type")
# What tensors are asked for that is none.
_ASKED = frozenset({"device", "dtype", "item", "numpy", "shape", "size", "tolist"})
# What dicts and other holders of tensors are asked for as well.
_OF_HOLDERS = frozenset({"clone", "cpu", "cuda", "to"})
# Datasets of torchvision with an image and a number, and how many items they have for training and testing.
_LENGTHS = {
    "MNIST": (60_000, 10_000),
    "FashionMNIST": (60_000, 10_000),
    "KMNIST": (60_000, 10_000),
    "CIFAR10": (50_000, 10_000),
    "CIFAR100": (50_000, 10_000),
}
# Others with an image and a number, and those whose second part may be several.
_CLASSIFIED = frozenset(
    {"Caltech256", "Country211", "DTD", "DatasetFolder", "EMNIST", "EuroSAT", "FGVCAircraft", "FakeData"}
    | {"Flowers102", "Food101", "GTSRB", "ImageFolder", "ImageNet", "PCAM", "Places365", "STL10", "SUN397"}
    | {"SVHN", "StanfordCars", "USPS"}
)
_DESCRIBED = frozenset({"CelebA"})
_TORCHVISIONS = "torchvision.datasets."
# Those of transformers; with other keywords some give arrays of NumPy, which is written there.
_COLLATORS = regex(
    r"transformers\.(?:data\.(?:data_collator\.)?)?"
    r"(?:default_data_collator|DefaultDataCollator|DataCollator(?:With|For)\w+)"
)


def is_view(name: str) -> bool:
    """Whether an attribute or a method of a tensor gives the same memory."""
    return name in _VIEWS


def gives_shape(name: str) -> bool:
    """Whether a function is told the lengths of what it makes, first of all: ``torch.zeros(17, 3)``."""
    return name in _SHAPED


def reshapes(name: str) -> bool:
    """Whether what a method or function of this name gives may have less dimensions than it was given."""
    return name in _RESHAPES


def cast_to(method: str) -> str | None:
    """The type of the numbers that a method of a tensor gives: of another tensor only where it has others."""
    return _CASTS.get(method)


def type_named(name: str) -> str | None:
    """The type of numbers that is called so: ``torch.long``, ``numpy.float32``."""
    library, _, last = name.rpartition(".")
    # Python's own types mean others.
    known = _TYPES.get(last) if library in ("torch", "numpy") else None
    return known if library == "torch" or last in _TYPES.values() else None


def is_number_type(name: str) -> bool:
    """Whether an array of the type that is called so is one of numbers: ``numpy.float32``, ``"<i8"``."""
    return _NUMBER_TYPE.fullmatch(name) is not None


def type_made(name: str) -> str | None:
    """The type of the numbers that a library's function makes if it is not told another."""
    return _OF_TYPE.get(name)


def hands_memory_on(name: str) -> bool:
    """Whether a library's function gives the memory of what it is given."""
    return name in _HAND_ON


def may_hand_memory_on(word: str) -> bool:
    """Whether such a function has this for its last name."""
    return any(name.endswith(f".{word}") for name in _HAND_ON)


def tells_tensor(name: str) -> bool:
    """Whether only tensors have an attribute or a method of this name."""
    return name in _OF_TENSORS


def tells_holder(name: str) -> bool:
    """Whether tensors and what holds them have it."""
    return name in _OF_HOLDERS or name in _OF_TENSORS


def length_of(dataset: str, *, train: bool) -> int | None:
    """How many items a dataset of torchvision has, where that is known."""
    known = _LENGTHS.get(dataset.removeprefix(_TORCHVISIONS)) if dataset.startswith(_TORCHVISIONS) else None
    return known[not train] if known is not None else None


def makes_tensors(name: str) -> bool:
    """Whether what torch makes under a name, or a method of that, is a tensor or holds some: its collating
    functions leave texts as they are."""
    return (
        (name.startswith("torch.") or makes_tensor(name))
        and not name.startswith("torch.utils.data.")
        and name.rpartition(".")[2] not in _ASKED
    )


def gives_tensors(dataset: str) -> bool:
    """Whether all that torch collates of a library's dataset are tensors."""
    return dataset == "torch.utils.data.TensorDataset"


def gives_images(dataset: str) -> bool:
    """Whether the items of a library's dataset are an image, as its transform gives it, and what is told of
    that: numbers."""
    name = dataset.removeprefix(_TORCHVISIONS)
    return dataset.startswith(_TORCHVISIONS) and (
        name in _LENGTHS or name in _CLASSIFIED or name in _DESCRIBED
    )


def tells_one_number(dataset: str) -> bool:
    """Whether such a dataset tells one number of each image."""
    return dataset.removeprefix(_TORCHVISIONS) not in _DESCRIBED


def collates_all(name: str) -> bool:
    """Whether a function, or what is made by this name, makes a tensor of all that the items have under a
    key, or leaves it out (transformers)."""
    return _COLLATORS.fullmatch(name) is not None
