"""torchvision's transforms: which draw from torch's global state, which go through others, and which give
tensors.

As in torchvision 0.8 and later; those before drew from ``random``.
"""

from __future__ import annotations

_TRANSFORMS = ("torchvision.transforms.", "torchvision.transforms.v2.")
_GOES_THROUGH = frozenset({"Compose", "RandomApply", "RandomOrder"})
# These do the same each time where their chance is 0 or 1, which they are given at this place.
_BY_CHANCE = {
    "RandomHorizontalFlip": 0,
    "RandomVerticalFlip": 0,
    "RandomGrayscale": 0,
    "RandomInvert": 0,
    "RandomAutocontrast": 0,
    "RandomEqualize": 0,
    "RandomPosterize": 1,
    "RandomSolarize": 1,
    "RandomAdjustSharpness": 1,
}
_DRAWS = frozenset(
    {
        "RandomCrop",
        "RandomResizedCrop",
        "RandomRotation",
        "RandomAffine",
        "RandomPerspective",
        "RandomErasing",
    }
    | {"AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix"}
)
# These give a tensor of whatever they take; the others of them take nothing but tensors.
TO_TENSOR = "torchvision.transforms.functional.to_tensor"
_GIVES_TENSORS = frozenset(
    {"ToTensor", "PILToTensor", "ToImage", "Normalize", "ConvertImageDtype", "RandomErasing"}
    | {"LinearTransformation"}
)
_FUNCTIONS = ("to_tensor", "pil_to_tensor", "to_image", "normalize", "convert_image_dtype", "erase")
# Tensors that say what they are, which transforms of v2 ask.
_TENSORS = ("torchvision.tv_tensors.", "torchvision.datapoints.")
# These give a tensor of a tensor, and an image of an image.
_KEEPS = frozenset(
    {"Resize", "CenterCrop", "Pad", "RandomCrop", "RandomResizedCrop", "RandomHorizontalFlip"}
    | {"RandomVerticalFlip", "RandomRotation", "RandomAffine", "RandomPerspective", "ColorJitter"}
    | {"Grayscale", "RandomGrayscale", "GaussianBlur", "RandomInvert", "RandomAutocontrast"}
    | {"RandomEqualize", "RandomPosterize", "RandomSolarize", "RandomAdjustSharpness", "AutoAugment"}
    | {"RandAugment", "TrivialAugmentWide", "AugMix", "ToDtype"}
)
# What those of v2 give has the form of what they are given: several things, dicts of them, each in its place;
# a tensor stays one. ``Lambda``, crops into several and what mixes batches are others.
_KEEPS_FORM = (
    _KEEPS
    | _GIVES_TENSORS
    | {"Identity", "RandomPhotometricDistort", "RandomZoomOut", "RandomIoUCrop", "RandomShortestSize"}
    | {"RandomResize", "ScaleJitter", "ElasticTransform", "GaussianNoise", "JPEG", "RandomChannelPermutation"}
    | {"ToPureTensor", "SanitizeBoundingBoxes", "ClampBoundingBoxes", "ConvertBoundingBoxFormat", "RGB"}
)
_APPLIES = frozenset({"Compose", "RandomApply", "RandomOrder", "RandomChoice"})


def _transform(name: str) -> str:
    """The name of a transform below torchvision's; empty for anything else."""
    module, dot, last = name.rpartition(".")
    return last if module + dot in _TRANSFORMS else ""


def goes_through(name: str) -> bool:
    """Whether a transform is made of others that it applies."""
    return _transform(name) in _GOES_THROUGH


def always_draws(name: str) -> bool:
    """Whether a transform does something else each time."""
    return _transform(name) in _DRAWS


def place_of_chance(name: str) -> int | None:
    """At which place a transform is given its chance, where that says whether it draws."""
    return _BY_CHANCE.get(_transform(name))


def gives_tensor(name: str) -> bool:
    """Whether what a transform gives surely is a tensor."""
    return _transform(name) in _GIVES_TENSORS


def keeps_kind(name: str) -> bool:
    """Whether what a transform gives is a tensor where it is given one."""
    return _transform(name) in _KEEPS


def applies_all(name: str) -> bool:
    """Whether a transform applies others one after the other, each of them."""
    return _transform(name) == "Compose"


def takes_several(name: str) -> bool:
    """Whether a transform takes several things at once, and gives them back together."""
    return name.startswith(_TRANSFORMS[1])


def keeps_form(name: str) -> bool:
    """Whether what a transform gives has the form of what it is given, and tensors where that has some."""
    return takes_several(name) and _transform(name) in _KEEPS_FORM


def applies(name: str) -> bool:
    """Whether a transform applies some of others, one after the other, to all that it is given."""
    return takes_several(name) and _transform(name) in _APPLIES


def makes_tensor(name: str) -> bool:
    """Whether a function, or a method of what it gives, makes a tensor of an image or a tensor."""
    if name.startswith(_TENSORS):
        return True
    module, _, function = name.removesuffix("()").partition(".functional.")
    return f"{module}." in _TRANSFORMS and function.partition("()")[0] in _FUNCTIONS
