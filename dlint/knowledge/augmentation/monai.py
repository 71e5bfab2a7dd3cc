"""MONAI: transforms that draw from one ``RandomState`` of the library, which only its own loader seeds.

Measured with monai 1.6.1 on torch 2.13, two forked workers, two epochs of 12 items, torch's DataLoader: 6
distinct of 24, for ``RandFlipd`` in a ``Compose`` and for a class derived from ``RandomizableTransform``;
24 of 24 with ``monai.data.DataLoader`` or ``worker_init_fn=monai.data.worker_init_fn``. Workers that are
started anew import the library anew, and with it a state of their own.

Source: ``monai/transforms/transform.py`` (``Randomizable.R``) and ``monai/data/utils.py``
(``worker_init_fn``, ``set_rnd``).
"""

from __future__ import annotations

from collections.abc import Iterable

LIBRARY = "monai"
_TRANSFORMS = "monai.transforms."
_RANDOM = "Rand"
_CHOOSE = frozenset({"OneOf", "RandomOrder", "SomeOf"})
# Calls that set the state anew.
RENEWS = ("set_random_state(", "set_rnd(", "worker_init_fn(")
SEEDS_WORKERS = frozenset({"monai.data.worker_init_fn", "monai.data.utils.worker_init_fn"})


def is_transform(name: str) -> bool:
    """Whether a call of this library name makes a transform."""
    return name.startswith(_TRANSFORMS) and "(" not in name


def draws(name: str) -> bool:
    """Whether a call of this library name makes a transform that draws."""
    last = name.rpartition(".")[2]
    return is_transform(name) and (last.startswith(_RANDOM) or last in _CHOOSE)


def are_random(libraries: Iterable[str]) -> bool:
    """Whether a class with these bases of libraries has the state (``self.R``)."""
    return any(draws(name) for name in libraries)
