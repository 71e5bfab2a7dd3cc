"""torchvision's transforms: which draw from torch's global state, and which go through others.

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
