"""Who tells samplers the epoch, and what speaks of training and of evaluation."""

from __future__ import annotations

import re

from dlint.regex import regex

SAMPLER = "torch.utils.data.DistributedSampler"
BATCHES = "torch.utils.data.BatchSampler"
BATCHES_TAKE = ("sampler", "batch_size", "drop_last")
IN_ORDER = "torch.utils.data.SequentialSampler"
SIGNATURE = ("dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last")
# Calls by which samplers of a program's own draw an order.
DRAWS = frozenset(
    {
        "shuffle",
        "permutation",
        "randperm",
        "sample",
        "choice",
        "choices",
        "randint",
        "randrange",
        "integers",
        "permuted",
        "random",
        "rand",
        "multinomial",
    }
)
# Calls that seed what such samplers draw from.
SEEDED_BY = frozenset({"manual_seed", "seed", "Random", "RandomState", "default_rng"})
# The distributed sampler's method; all that it does is store the number in the attribute ``epoch``.
TELLS = "set_epoch"
# What has no such method, nor finds methods in what it holds: torch's own, and what classes are derived from.
_WITHOUT_EPOCHS = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "typing.Generic",
        *(
            f"torch.utils.data.{name}"
            for name in (
                "BatchSampler",
                "ChainDataset",
                "ConcatDataset",
                "DataLoader",
                "Dataset",
                "IterableDataset",
                "RandomSampler",
                "Sampler",
                "SequentialSampler",
                "StackDataset",
                "Subset",
                "SubsetRandomSampler",
                "TensorDataset",
                "WeightedRandomSampler",
            )
        ),
    }
)

# Libraries whose training loops call set_epoch on the loaders that they are given, and the names of what does
# so: who has only files read by one of them has no such loop.
_CALLERS = [
    (regex(rb"^[ \t]*(?:from|import)[ \t]+(?:%b)\b" % libraries, re.MULTILINE), regex(names))
    for libraries, names in (
        (
            rb"pytorch_lightning|lightning_fabric|lightning",
            rb"Trainer|Fabric|Lightning(?:Data)?Module|LightningCLI",
        ),
        (rb"accelerate", rb"Accelerator"),
        (rb"composer", rb"Trainer"),
        (rb"catalyst", rb"[Rr]unner|Experiment"),
        (rb"mmcv|mmengine", rb"[Rr]unner|Hook"),
        (rb"ray\.train", rb""),
        (rb"ignite", rb"setup_common_training_handlers"),
        (rb"transformers", rb"import[^\n]{0,1000}\bTrainer\b"),
    )
]
# What goes through the loader that it is given as often as it is told (``max_epochs``), and tells it nothing.
RUNS_EPOCHS = frozenset({"ignite.engine.Engine().run", "ignite.engine.create_supervised_trainer().run"})
HOW_OFTEN = "max_epochs"
_EVALUATION = regex(
    r"(?:^|_|\b)(?:val|valid|validation|eval|evaluation|test|testing|dev|infer|inference|predict)"
)
# Before a word of evaluation it speaks of both.
_TRAINED = regex(r"(?:^|_|\b)train(?:ing)?_")
# Contexts and decorators under which nothing can be trained.
WITHOUT_GRADIENTS = frozenset({"no_grad", "inference_mode"})
# Code that trains a model, or hands it to what does.
_TRAINING = regex(
    r"\bbackward\s*\(|\.step\s*\(|\.(?:train|fit|minimize)\s*\(|\btraining_step\b|Trainer\b|\bautograd\.grad\b|optimize"
)
# Code of a function that trains, whatever it is called: a probe of features is trained to evaluate them.
_OPTIMIZING = regex(r"\bbackward\s*\(|\boptim\.|\boptimizers?\b")
_EVALUATING = regex(r"\b(?:no_grad|inference_mode)\b|\.eval\s*\(\s*\)")


def sets_epoch_itself(data: bytes) -> bool:
    """Whether a file uses a library that calls set_epoch."""
    return any(imports.search(data) and names.search(data) for imports, names in _CALLERS)


def is_without_epochs(name: str) -> bool:
    """Whether objects of a library's class surely have no ``set_epoch``."""
    return name in _WITHOUT_EPOCHS or name.startswith("torchvision.datasets.")


def speaks_of_evaluation(name: str) -> bool:
    """Whether a variable or function is called after evaluation (``val_sampler``, ``test_loader``), and not
    after training as well (``create_train_val_loaders``)."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    found = _EVALUATION.search(words)
    return found is not None and _TRAINED.search(words, 0, found.start() + 1) is None


def names_evaluation(name: str, text: str) -> bool:
    """Whether a function is called after evaluation, and its code does not train all the same
    (``eval_linear``)."""
    return speaks_of_evaluation(name) and _OPTIMIZING.search(text) is None


def speaks_of_training(text: str) -> bool:
    """Whether code takes a step of training, or hands a model to what does."""
    return _TRAINING.search(text) is not None


def speaks_of_evaluating(text: str) -> bool:
    """Whether code puts a model into evaluation mode, or keeps no gradients."""
    return _EVALUATING.search(text) is not None
