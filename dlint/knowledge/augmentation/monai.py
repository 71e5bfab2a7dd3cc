"""MONAI: transforms that draw from a ``RandomState`` of the library, which only its own loader seeds.

Measured with monai 1.6.1 on torch 2.13, two workers, two epochs of 12 items, torch's DataLoader: 6 distinct
of 24, forked and spawned, for ``RandShiftIntensity`` and for a class derived from ``RandomizableTransform``,
alone or in a ``Compose``; 24 of 24 with ``worker_init_fn=monai.data.worker_init_fn``. ``Compose``, into which
MONAI's datasets put any transform, gives each a state of its own, which goes to spawned workers with it:
without one, in a dataset of the program's, these have other numbers (24 of 24).

Source: ``monai/transforms/transform.py`` (``Randomizable.R``) and ``monai/data/utils.py``
(``worker_init_fn``, ``set_rnd``).
"""

from __future__ import annotations

from collections.abc import Iterable

LIBRARY = "monai"
_TRANSFORMS = "monai.transforms."
_DATASETS = "monai.data."
_RANDOM = "Rand"
_CHOOSE = frozenset({"OneOf", "RandomOrder", "SomeOf"})
# Calls that set the state anew.
RENEWS = ("set_random_state(", "set_rnd(", "worker_init_fn(")
SEEDS_WORKERS = frozenset({"monai.data.worker_init_fn", "monai.data.utils.worker_init_fn"})


def is_transform(name: str) -> bool:
    """Whether a call of this library name makes a transform."""
    return name.startswith(_TRANSFORMS) and "(" not in name


def gives_states(name: str) -> bool:
    """Whether what this library name makes gives each transform in it a state that is sent with it."""
    return name == f"{_TRANSFORMS}Compose" or name.startswith(_DATASETS)


def draws(name: str) -> bool:
    """Whether a call of this library name makes a transform that draws."""
    last = name.rpartition(".")[2]
    return is_transform(name) and (last.startswith(_RANDOM) or last in _CHOOSE)


def are_random(libraries: Iterable[str]) -> bool:
    """Whether a class with these bases of libraries has the state (``self.R``)."""
    return any(draws(name) for name in libraries)
