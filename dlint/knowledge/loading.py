"""Loaders and datasets: torch's own and those of well-known libraries."""

from __future__ import annotations

from typing import NamedTuple

# The parameters of torch.utils.data.DataLoader in order; the later ones are keyword-only.
SIGNATURE = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)


class LoaderClass(NamedTuple):
    """A class whose instances load with worker processes.

    ``seeds_workers``: it gives every worker and epoch other NumPy numbers by itself. ``signature``: the
    positional parameters, where they are not torch's.
    """

    name: str
    seeds_workers: bool = False
    signature: tuple[str, ...] = SIGNATURE


LOADERS = {
    loader.name: loader
    for loader in (
        LoaderClass("torch.utils.data.DataLoader"),
        # torch_geometric passes everything on to torch's loader behind (dataset, batch_size, shuffle).
        LoaderClass("torch_geometric.loader.DataLoader", signature=SIGNATURE[:3]),
        LoaderClass("torch_geometric.loader.DataListLoader", signature=SIGNATURE[:3]),
        # monai.data.DataLoader sets worker_init_fn to its own that seeds the transforms.
        LoaderClass("monai.data.DataLoader", seeds_workers=True, signature=("dataset", "num_workers")),
        # Both call torch's `_BaseDataLoaderIter` machinery with torch's parameters.
        LoaderClass("torchdata.stateful_dataloader.StatefulDataLoader"),
        LoaderClass("fairseq.data.DataLoader"),
        LoaderClass("timm.data.loader.MultiEpochsDataLoader"),
    )
}
# The words that show that a file builds loaders: the last parts of the names above.
LOADER_WORDS = tuple(sorted({name.rpartition(".")[2] for name in LOADERS}))

ITERABLE_DATASETS = frozenset(
    {
        "torch.utils.data.IterableDataset",
        "torch.utils.data.ChainDataset",
        "webdataset.WebDataset",
        "monai.data.IterableDataset",
        "torchdata.datapipes.iter.IterDataPipe",
        "torch.utils.data.IterDataPipe",
        "torch.utils.data.datapipes.datapipe.IterDataPipe",
    }
)
# The last parts of the names above: a program that has such a dataset mentions one.
ITERABLE_WORDS = tuple(sorted({name.rpartition(".")[2] for name in ITERABLE_DATASETS}))
MAP_DATASETS = frozenset(
    {
        "torch.utils.data.Dataset",
        "torch.utils.data.TensorDataset",
        "torch.utils.data.ConcatDataset",
        "torch.utils.data.Subset",
        "torch_geometric.data.Dataset",
        "torch_geometric.data.InMemoryDataset",
        "monai.data.Dataset",
        "monai.data.CacheDataset",
        "monai.data.PersistentDataset",
        "monai.data.ArrayDataset",
        "fairseq.data.FairseqDataset",
        "detectron2.data.DatasetFromList",
        "mmdet.datasets.CustomDataset",
    }
)
_DATASET_MODULES = ("torchvision.datasets.", "torchaudio.datasets.", "torchtext.datasets.")


def is_iterable_dataset(name: str) -> bool:
    """Whether a library's class is an iterable-style dataset."""
    return name in ITERABLE_DATASETS


def is_dataset(name: str) -> bool:
    """Whether a library's class is a dataset that loaders are given."""
    return name in MAP_DATASETS or name in ITERABLE_DATASETS or name.startswith(_DATASET_MODULES)
