"""albumentations from 1.4.21 on: transforms that draw from generators of their own, which no worker seeds.

Measured with torch 2.13, two workers, two epochs of 12 items, fork and spawn: 6 distinct of 24 with 1.4.21 to
1.4.24, 2.0.0 and 2.0.8, be it a ``Compose``, with ``seed=`` or without, one transform alone or an ``OneOf``,
and with NumPy and ``random`` seeded in each worker; 12 of 24 with persistent workers. ``set_random_seed``
with the worker's seed in ``worker_init_fn``: 23 and 24 of 24; a transform that the worker makes itself: 24.
Up to 1.4.20 it draws from the global states, which torch seeds: 24 of 24.

Source for the design: https://albumentations.ai/docs/4-advanced-guides/reproducibility ("maintains its own
internal random state that is completely independent from global random seeds").
"""

from __future__ import annotations

LIBRARY = "albumentations"
# The first release whose transforms have generators of their own.
OWN_GENERATORS = (1, 4, 21)
_MODULE = "albumentations."
COMPOSES = frozenset({"Compose", "ReplayCompose", "Sequential"})
CHOOSES = frozenset({"OneOf", "OneOrOther", "RandomOrder", "SomeOf"})
# What does the same each time unless it is given a chance below 1. Tried: of 12 calls each.
_FIXED = frozenset(
    """CenterCrop Crop FromFloat Lambda LongestMaxSize NoOp Normalize Pad PadIfNeeded Resize SmallestMaxSize
    ToFloat ToRGB""".split()  # noqa: SIM905
)
# What draws whether to do something, and no more: with a chance of 1 it does the same each time.
_SWITCHES = frozenset({"Equalize", "HorizontalFlip", "InvertImg", "ToGray", "Transpose", "VerticalFlip"})
# What always draws, as long as it has a chance.
_DRAWS = frozenset(
    """AdditiveNoise AdvancedBlur Affine Blur CLAHE ChannelDropout ChannelShuffle CoarseDropout ColorJitter
    CropAndPad D4 Defocus Downscale ElasticTransform Emboss GaussNoise GaussianBlur GlassBlur GridDistortion
    GridDropout HueSaturationValue ISONoise ImageCompression MedianBlur MotionBlur MultiplicativeNoise
    OpticalDistortion Perspective PiecewiseAffine PixelDropout Posterize RGBShift RandomBrightnessContrast
    RandomCrop RandomFog RandomGamma RandomGridShuffle RandomRain RandomResizedCrop RandomRotate90 RandomScale
    RandomShadow RandomSizedBBoxSafeCrop RandomSizedCrop RandomSnow RandomSunFlare Rotate SafeRotate Sharpen
    ShiftScaleRotate Solarize XYMasking ZoomBlur""".split()  # noqa: SIM905
)


def is_transform(name: str) -> bool:
    """Whether a call of this library name makes a transform."""
    return name.startswith(_MODULE) and "(" not in name and _last(name)[:1].isupper()


def is_compose(name: str) -> bool:
    """Whether it makes one that goes through others."""
    return is_transform(name) and _last(name) in COMPOSES


def chooses(name: str) -> bool:
    """Whether it makes one that chooses among others."""
    return is_transform(name) and _last(name) in CHOOSES


def draws(name: str, chance: object) -> bool:
    """Whether a transform with a chance (None: the one it has by itself) does something else each time."""
    last = _last(name)
    if last in _FIXED:
        return isinstance(chance, float) and 0 < chance < 1
    if last in _SWITCHES:
        return chance is None or (isinstance(chance, int | float) and 0 < chance < 1)
    return last in _DRAWS and chance != 0


def _last(name: str) -> str:
    return name.rpartition(".")[2]
