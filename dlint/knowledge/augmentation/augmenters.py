"""imgaug's augmenters: what they do each time they are called, and which of their methods draw.

Sources: the library itself (0.4.0: ``imgaug/random.py``, ``imgaug/augmenters/meta.py``: every augmenter has
``random_state``, by default the global generator), and its documentation,
https://imgaug.readthedocs.io/en/latest/source/api_random.html.
"""

from __future__ import annotations

LIBRARY = "imgaug"
_MODULE = "imgaug.augmenters."
# What does the same each time, unless it is given a range, a list or a chance. Tried: of 12 calls each.
_FIXED = frozenset(
    """Affine AffineCv2 AssertLambda AssertShape CenterCropToAspectRatio CenterCropToFixedSize
    CenterCropToMultiplesOf CenterCropToPowersOf CenterCropToSquare CenterPadToAspectRatio
    CenterPadToFixedSize CenterPadToMultiplesOf CenterPadToPowersOf CenterPadToSquare
    ChangeColorspace ClipCBAsToImagePlanes Fliplr Flipud Grayscale HorizontalFlip Identity
    KeepSizeByResize Lambda Noop Resize Rot90 Rotate Scale VerticalFlip""".split()  # noqa: SIM905
)
# What only goes through others, and what chooses among them.
_GOES_THROUGH = frozenset({"Sequential"})
_CHOOSES = frozenset({"OneOf", "SomeOf", "Sometimes"})
# Methods that draw by their names; those of whole batches start processes of their own, or none.
_DRAWS = frozenset({"__call__", "augment", "to_deterministic", "draw_grid"})
_OF_BATCHES = "augment_batch"
# Methods that give an augmenter another generator.
_RENEWS = frozenset({"seed_", "reseed", "set_random_seed", "set_random_state"})


def is_augmenter(name: str) -> bool:
    """Whether a call of this library name makes an augmenter."""
    return name.startswith(_MODULE) and name.rpartition(".")[2][:1].isupper() and "(" not in name


def draws_from_augmenter(method: str) -> bool:
    """Whether a method of an augmenter draws."""
    return method in _DRAWS or (method.startswith("augment_") and not method.startswith(_OF_BATCHES))


def renews(method: str) -> bool:
    """Whether a method of an augmenter gives it another generator."""
    return method in _RENEWS


def is_fixed(name: str) -> bool:
    """Whether an augmenter does the same each time, unless it is told to choose."""
    return name.rpartition(".")[2] in _FIXED


def go_through(name: str) -> bool:
    """Whether an augmenter draws only where those that it is made of do."""
    return name.rpartition(".")[2] in _GOES_THROUGH


def choose(name: str) -> bool:
    """Whether an augmenter chooses which others run."""
    return name.rpartition(".")[2] in _CHOOSES
