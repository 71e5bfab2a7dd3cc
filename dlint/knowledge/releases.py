"""Releases of torch: which Pythons they are made for."""

from __future__ import annotations

# The first torch that has wheels for a Python. Up to 3.11 from the table of versions in torchvision's README
# (https://github.com/pytorch/vision#installation: 3.8 with 1.4, 3.9 with 1.7, 3.10 with 1.11, and for 3.11
# what torch's own release notes say of 1.13); 3.12 from the release notes of torch 2.2, 3.13 from those of
# 2.5, 3.14 from those of 2.9 (https://github.com/pytorch/pytorch/releases).
FIRST_TORCH_OF_PYTHON: dict[tuple[int, ...], tuple[int, ...]] = {
    (3, 8): (1, 4),
    (3, 9): (1, 7),
    (3, 10): (1, 11),
    (3, 11): (1, 13),
    (3, 12): (2, 2),
    (3, 13): (2, 5),
    (3, 14): (2, 9),
}
