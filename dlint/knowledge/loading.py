"""Loaders and datasets: torch's own and those of well-known libraries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dlint.knowledge.names import ONLY_KINDS, is_constructor
from dlint.regex import regex

# Its constructor makes a trainer and objects of the classes that it is given, and has the trainer do what the
# command line says, unless it is told not to: ``run=False``.
LIGHTNING_CLI = "pytorch_lightning.cli.LightningCLI"

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
_DATA = "torch.utils.data."
# What torch's samplers and datasets are derived from, which programs ask by ``isinstance``.
_BELOW = {
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


class LoaderClass(NamedTuple):
    """A class whose instances load with worker processes.

    ``seeds_workers``: it gives every worker and epoch other NumPy numbers by itself. ``signature``: the
    positional parameters, where they are not torch's. ``threads``: the keyword that may have it take threads
    for workers.
    """

    name: str
    seeds_workers: bool = False
    signature: tuple[str, ...] = SIGNATURE
    threads: str | None = None


LOADERS = {
    loader.name: loader
    for loader in (
        LoaderClass("torch.utils.data.DataLoader"),
        # torch_geometric passes everything on to torch's loader behind (dataset, batch_size, shuffle).
        LoaderClass("torch_geometric.loader.DataLoader", signature=SIGNATURE[:3]),
        LoaderClass("torch_geometric.loader.DataListLoader", signature=SIGNATURE[:3]),
        # monai.data.DataLoader sets worker_init_fn to its own that seeds the transforms.
        LoaderClass("monai.data.DataLoader", seeds_workers=True, signature=("dataset", "num_workers")),
        # Is derived from it, and reads ahead in a thread.
        LoaderClass(
            "monai.data.ThreadDataLoader",
            seeds_workers=True,
            signature=("dataset",),
            threads="use_thread_workers",
        ),
        # These have a default collate_fn of their own and hand all else on to torch's: dgl samples in ranks
        # itself where it is told to, litdata has the dataset shuffle.
        LoaderClass("dgl.dataloading.GraphDataLoader", signature=("dataset", "collate_fn")),
        LoaderClass("torchio.SubjectsLoader", signature=("dataset", "collate_fn")),
        LoaderClass("litdata.StreamingDataLoader", signature=("dataset",)),
        # A pipeline whose first stage is torch's loader, with just these arguments.
        LoaderClass("webdataset.WebLoader"),
        # Both call torch's `_BaseDataLoaderIter` machinery with torch's parameters.
        LoaderClass("torchdata.stateful_dataloader.StatefulDataLoader"),
        LoaderClass("fairseq.data.DataLoader"),
        LoaderClass("timm.data.loader.MultiEpochsDataLoader"),
    )
}


def loader_words(kinds: Iterable[str]) -> tuple[str, ...]:
    """The words that show that a file builds loaders of some kinds: the last parts of their names."""
    return tuple(sorted({name.rpartition(".")[2] for name in kinds}))


LOADER_WORDS = loader_words(LOADERS)

# Methods that give back the loaders they are handed, at the same places, with their batches on the device.
PREPARES = frozenset(
    {
        "accelerate.Accelerator().prepare",
        "accelerate.Accelerator().prepare_data_loader",
        "lightning_fabric.Fabric().setup_dataloaders",
    }
)

# What goes through the loader that it is given, and puts its batches on the device: it has nothing else of
# the loader, and that is found in its attribute ``_loader``. Of a method the object is given the loader.
_OF_XLA = "torch_xla.distributed.parallel_loader."
WRAPS = frozenset({f"{_OF_XLA}MpDeviceLoader", f"{_OF_XLA}ParallelLoader().per_device_loader"})
WRAPPED_IN = "_loader"

# Parts of one dataset, each an object of torch's Subset.
RANDOM_SPLIT = "torch.utils.data.random_split"
# Calls whose results are made of the same things as their first arguments, item by item.
SPLITTERS = frozenset({RANDOM_SPLIT, "sklearn.model_selection.train_test_split"})
# Datasets of torch that hand on the items of those they are made of.
HAND_ON = frozenset({"torch.utils.data.ConcatDataset", "torch.utils.data.Subset", RANDOM_SPLIT})
# Calls of libraries that go through the loaders they are given, and the methods by which they ask the objects
# they are given for others.
_FIT = ("train_dataloader", "val_dataloader")
GOES_THROUGH: dict[str, tuple[str, ...]] = {
    "pytorch_lightning.Trainer().fit": _FIT,
    "pytorch_lightning.Trainer().validate": ("val_dataloader",),
    "pytorch_lightning.Trainer().test": ("test_dataloader",),
    "pytorch_lightning.Trainer().predict": ("predict_dataloader",),
    LIGHTNING_CLI: _FIT,  # what it does otherwise the command line says
}
# Functions and methods that loops often go through and that give numbers, names, entries or a module's parts:
# whatever they are called on, none of it is a batch.
GIVES_NO_BATCHES = frozenset(
    {
        *("range", "trange", "items", "keys", "values", "splitlines", "readlines", "dir", "vars"),
        *("listdir", "glob", "iglob", "rglob", "finditer", "tolist", "most_common"),
        *("modules", "named_modules", "children", "named_children", "named_buffers"),
        *("parameters", "named_parameters"),
    }
)
GOES_THROUGH_WORDS = tuple(name.rpartition(".")[2] for name in GOES_THROUGH)

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

# What a library's dataset calls for an item, of what it keeps.
ITEM_PARTS = ("transform", "target_transform", "transforms", "loader")
# What datasets of libraries keep of their constructor's arguments, under the parameters' names.
_KEPT = frozenset({*ITEM_PARTS, "pre_transform"})
# The positional parameters of such constructors, where others than keywords are in use.
_PARAMETERS = {
    "VisionDataset": ("root", "transforms", "transform", "target_transform"),
    "DatasetFolder": ("root", "loader", "extensions", "transform", "target_transform"),
    "ImageFolder": ("root", "transform", "target_transform", "loader"),
    "CIFAR10": ("root", "train", "transform", "target_transform"),
    "CIFAR100": ("root", "train", "transform", "target_transform"),
    "MNIST": ("root", "train", "transform", "target_transform"),
    "FashionMNIST": ("root", "train", "transform", "target_transform"),
    "KMNIST": ("root", "train", "transform", "target_transform"),
    "USPS": ("root", "train", "transform", "target_transform"),
    "SVHN": ("root", "split", "transform", "target_transform"),
    "Flowers102": ("root", "split", "transform", "target_transform"),
    "Food101": ("root", "split", "transform", "target_transform"),
    "GTSRB": ("root", "split", "transform", "target_transform"),
    "STL10": ("root", "split", "folds", "transform", "target_transform"),
    "CelebA": ("root", "split", "target_type", "transform", "target_transform"),
    "FakeData": ("size", "image_size", "num_classes", "transform", "target_transform"),
    "CocoDetection": ("root", "annFile", "transform", "target_transform", "transforms"),
    "CocoCaptions": ("root", "annFile", "transform", "target_transform", "transforms"),
    "Dataset": ("root", "transform", "pre_transform"),
    "InMemoryDataset": ("root", "transform", "pre_transform"),
}
_KEEPING_MODULES = ("torchvision.datasets.", "torch_geometric.data.")
# The parameters of transformers.Trainer in order, as far as anybody gives them by position.
TRAINER_SIGNATURE = ("model", "args", "data_collator", "train_dataset", "eval_dataset")
TRAINER_NAMES = ("transformers.Trainer", "transformers.Seq2SeqTrainer", "trl.SFTTrainer")
# What is made of other objects, of which it keeps all: the positional parameters.
_MADE_OF_OTHERS = {
    **dict.fromkeys(TRAINER_NAMES, TRAINER_SIGNATURE),
    "torch.utils.data.ConcatDataset": ("datasets",),
    "torch.utils.data.Subset": ("dataset", "indices"),
    RANDOM_SPLIT: ("dataset",),
    "torch.utils.data.DataLoader": ("dataset",),
    "torch.utils.data.DistributedSampler": ("dataset",),
    "torchvision.transforms.Compose": ("transforms",),
    "torchvision.transforms.v2.Compose": ("transforms",),
    "albumentations.Compose": ("transforms",),
    "ignite.engine.Engine": ("_process_function",),
}
# What keeps its keywords, under their names.
NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
# What a project sets its settings in, one attribute after the other; the user's file may change them.
OPEN_SETTINGS = frozenset(
    {
        "easydict.EasyDict",
        "yacs.config.CfgNode",
        "addict.Dict",
        "ml_collections.ConfigDict",
        "munch.Munch",
        "box.Box",
        "dotmap.DotMap",
        "attrdict.AttrDict",
        *(f"{config}Config" for config in ("mmcv.", "mmcv.utils.", "mmengine.", "mmengine.config.")),
        *(f"mmengine.{config}ConfigDict" for config in ("", "config.")),
        "omegaconf.OmegaConf.create",
    }
)
# Gives the same settings once more.
COPIES_SETTINGS = frozenset(
    f"{name}().{copies}" for name in OPEN_SETTINGS for copies in ("clone", "copy", "deepcopy")
)
# Where they keep the others.
INNER_PARTS = ("dataset", "datasets")


def is_kept(attribute: str) -> bool:
    """Whether an attribute has the name of an argument that datasets or trainers of libraries keep."""
    return attribute in _KEPT or attribute in INNER_PARTS or attribute in TRAINER_SIGNATURE


def kept_parameters(library: str, attribute: str) -> tuple[str, ...] | None:
    """The positional parameters of the constructor of a library's dataset or trainer, where its objects keep
    the one of this name as an attribute; None where they do not."""
    if library in _MADE_OF_OTHERS:
        return _MADE_OF_OTHERS[library] if attribute in _MADE_OF_OTHERS[library] else None
    if attribute not in _KEPT or not library.startswith(_KEEPING_MODULES):
        return None
    return _PARAMETERS.get(library.rpartition(".")[2], ())


def is_iterable_dataset(name: str) -> bool:
    """Whether a library's class is an iterable-style dataset."""
    return name in ITERABLE_DATASETS


def makes_items(name: str) -> bool:
    """Whether a library's dataset makes the items itself, with the transforms that it was given."""
    bare = name.rpartition(".")[2].endswith("Dataset")  # only a class to derive from
    return (name.startswith(_DATASET_MODULES) and not bare) or bool(library_entries(name))


def library_entries(name: str) -> tuple[str, ...]:
    """What a library's dataset calls of a class derived from it to get an item, besides ``__getitem__``."""
    return ("get",) if name.startswith("torch_geometric.data.") else ()


def gives_graphs(loader: str) -> bool:
    """Whether a loader's batches are graphs, whose attributes are what the items have under these names."""
    return loader == "torch_geometric.loader.DataLoader"


# Classes that are subscripted with types, which makes no other class of them.
_GENERIC = frozenset({
    "builtins.dict", "builtins.frozenset", "builtins.list", "builtins.set", "builtins.tuple",
    "collections.defaultdict", "collections.deque", "typing.Generic", "typing.Protocol",
})  # fmt: skip


def is_generic(name: str) -> bool:
    """Whether a library's class is subscripted with types only: ``DataLoader[Batch]``. What a subscript of
    another gives is not known: an enumeration gives the member that is called so."""
    return (
        name in _GENERIC
        or name in LOADERS
        or is_dataset(name)
        or (name.startswith("torch.utils.data.") and is_constructor(name))
    )


# transformers' function, and the object that calls it: the items of a batch are dicts, or what `vars` knows,
# and of the first one's keys each has its value; None is neither (TypeError). What is None in the first item
# is left out of the batch.
_FAILS_FOR_NONE = regex(
    r"transformers\.(data\.(data_collator\.)?)?(default_data_collator|DefaultDataCollator)"
)


def fails_for_none(name: str) -> str | None:
    """What raises where an item is None, for a library's function or object that is a ``collate_fn``."""
    return "default_data_collator" if _FAILS_FOR_NONE.fullmatch(name) else None


def is_dataset(name: str) -> bool:
    """Whether a library's class is a dataset that loaders are given."""
    return name in MAP_DATASETS or name in ITERABLE_DATASETS or name.startswith(_DATASET_MODULES)


def is_kind(name: str) -> bool:
    """Whether a library's name is one of torch's classes of samplers or datasets."""
    return name.startswith(_DATA) and name[len(_DATA) :] in _BELOW


def is_derived(name: str, above: str) -> bool | None:
    """Whether a library's class is one of torch's kinds or derived from it; None where that is not known."""
    if is_kind(name):
        each = name[len(_DATA) :]
        while each and _DATA + each != above:
            each = _BELOW[each]
        return bool(each)
    if above == _DATA + "Sampler" and is_constructor(name) and name.endswith("Sampler"):
        return True  # of another library, by its name
    return False if name in ONLY_KINDS else None
