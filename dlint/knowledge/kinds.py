"""What torch's samplers and datasets are derived from, which programs ask by ``isinstance``."""

from __future__ import annotations

from dlint.knowledge.names import ONLY_KINDS, is_constructor

_HERE = "torch.utils.data."
_ABOVE = {
    "Sampler": "",
    "BatchSampler": "Sampler",
    "DistributedSampler": "Sampler",
    "RandomSampler": "Sampler",
    "SequentialSampler": "Sampler",
    "SubsetRandomSampler": "Sampler",
    "WeightedRandomSampler": "Sampler",
    "Dataset": "",
    "ConcatDataset": "Dataset",
    "IterableDataset": "Dataset",
    "ChainDataset": "IterableDataset",
    "StackDataset": "Dataset",
    "Subset": "Dataset",
    "TensorDataset": "Dataset",
}


def is_kind(name: str) -> bool:
    """Whether a library's name is one of torch's classes of samplers or datasets."""
    return name.startswith(_HERE) and name[len(_HERE) :] in _ABOVE


def is_derived(name: str, above: str) -> bool | None:
    """Whether a library's class is one of torch's kinds or derived from it; None where that is not known."""
    if is_kind(name):
        each = name[len(_HERE) :]
        while each and _HERE + each != above:
            each = _ABOVE[each]
        return bool(each)
    if above == _HERE + "Sampler" and is_constructor(name) and name.endswith("Sampler"):
        return True  # of another library, by its name
    return False if name in ONLY_KINDS else None
