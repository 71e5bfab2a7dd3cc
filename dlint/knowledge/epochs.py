"""Who tells samplers the epoch, and which names speak of evaluation."""

from __future__ import annotations

import re

SAMPLER = "torch.utils.data.DistributedSampler"

# Libraries whose training loops call set_epoch on the loaders that they are given.
_CALLERS = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+"
    rb"(?:pytorch_lightning|lightning|accelerate|composer|catalyst|mmcv|mmengine|ray\.train)\b"
    rb"|\bfrom[ \t]+transformers[ \t]+import[^\n]*\bTrainer\b",
    re.MULTILINE,
)
_EVALUATION = re.compile(
    r"(?:^|_|\b)(?:val|valid|validation|eval|evaluation|test|testing|dev|infer|inference|predict)"
)


def sets_epoch_itself(data: bytes) -> bool:
    """Whether a file uses a library that calls set_epoch."""
    return _CALLERS.search(data) is not None


def speaks_of_evaluation(name: str) -> bool:
    """Whether a variable or function is called after evaluation (``val_sampler``, ``test_loader``)."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return _EVALUATION.search(words) is not None
