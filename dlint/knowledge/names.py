"""One name for each thing a library exports under several."""

from __future__ import annotations

import re
from functools import cache

from dlint.regex import regex

# Where a library defines a thing -> where its documentation says to import it from.
_PREFIXES = (
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.utils.data.sampler.", "torch.utils.data."),
    ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
    ("torch.utils.data.DataLoader", "torch.utils.data.DataLoader"),
    ("torch.multiprocessing.", "multiprocessing."),
    ("multiprocessing.dummy.Pool", "multiprocessing.pool.ThreadPool"),
    ("concurrent.futures.thread.", "concurrent.futures."),
    ("concurrent.futures.process.", "concurrent.futures."),
    ("multiprocessing.context.", "multiprocessing."),
    ("cv2.cv2.", "cv2."),
    ("numpy.random.mtrand.", "numpy.random."),
    ("torch.random.", "torch."),
    ("torch_geometric.loader.dataloader.", "torch_geometric.loader."),
    ("torch_geometric.data.DataLoader", "torch_geometric.loader.DataLoader"),
    ("monai.data.dataloader.", "monai.data."),
    ("monai.data.dataset.", "monai.data."),
    ("monai.data.thread_buffer.", "monai.data."),
    ("dgl.dataloading.dataloader.", "dgl.dataloading."),
    ("dgl.dataloading.pytorch.", "dgl.dataloading."),
    ("torchio.data.loader.", "torchio."),
    ("torchio.data.SubjectsLoader", "torchio.SubjectsLoader"),
    ("litdata.streaming.dataloader.", "litdata."),
    ("litdata.streaming.StreamingDataLoader", "litdata.StreamingDataLoader"),
    ("webdataset.compat.", "webdataset."),
    ("lightning.pytorch.", "pytorch_lightning."),
    ("lightning.Fabric", "lightning_fabric.Fabric"),
    ("lightning.fabric.fabric.", "lightning_fabric."),
    ("lightning_fabric.fabric.", "lightning_fabric."),
    ("lightning.fabric.", "lightning_fabric."),
    ("lightning.", "pytorch_lightning."),
    ("jsonargparse.auto_cli", "jsonargparse.CLI"),
    ("typing_extensions.", "typing."),
    ("pydantic.v1.", "pydantic."),
    ("pydantic.main.", "pydantic."),
    ("pydantic_settings.main.", "pydantic_settings."),
    ("boto3.session.Session", "boto3.Session"),
    ("pymongo.mongo_client.MongoClient", "pymongo.MongoClient"),
    ("redis.client.", "redis."),
    ("sqlalchemy.engine.create_engine", "sqlalchemy.create_engine"),
    ("sqlalchemy.orm.session.", "sqlalchemy.orm."),
    ("transformers.trainer.", "transformers."),
    ("transformers.trainer_seq2seq.", "transformers."),
    ("transformers.training_args.", "transformers."),
    ("transformers.training_args_seq2seq.", "transformers."),
    ("transformers.hf_argparser.", "transformers."),
    ("trl.trainer.sft_trainer.", "trl."),
    ("trl.trainer.sft_config.", "trl."),
    ("trl.trainer.", "trl."),
    ("detectron2.config.lazy.", "detectron2.config."),
    ("detectron2.config.instantiate.", "detectron2.config."),
    ("detectron2.data.build.", "detectron2.data."),
    ("accelerate.accelerator.", "accelerate."),
    # ``import lightning.pytorch as pl``: the module's name was looked at before.
    ("pytorch_lightning.pytorch.", "pytorch_lightning."),
    ("pytorch_lightning.fabric.", "lightning_fabric."),
    ("pytorch_lightning.core.datamodule.", "pytorch_lightning."),
    ("pytorch_lightning.utilities.seed.", "pytorch_lightning."),
    ("pytorch_lightning.utilities.cli.", "pytorch_lightning.cli."),
)


# What paths are made by, and the methods of a path that give another.
PATH = "pathlib.Path"
_OF_A_PATH = ("absolute", "expanduser", "joinpath", "resolve", "with_name", "with_stem", "with_suffix")
MAKES_PATHS = frozenset({f"{PATH}().{method}" for method in _OF_A_PATH} | {f"{PATH}.cwd", f"{PATH}.home"})
# What only a path has, of all that may be declared beside one (``Path | str | None``), and tells something.
OF_PATHS_ALONE = frozenset({"glob", "iterdir", "open", "parent", "rglob", *_OF_A_PATH})

# Methods of records that give a dict of what their fields hold, and the keywords of the second which change
# nothing else than what is left out.
AS_TUPLES_DICT = "typing.NamedTuple._asdict"
DUMPED = "pydantic.BaseModel.model_dump"
DUMPS_ALIKE = frozenset({"exclude", "exclude_none", "mode", "round_trip", "warnings"})
# Methods of theirs that give another one, with other values in some fields, and keywords of the second.
TUPLE_REPLACED = "typing.NamedTuple._replace"
MODEL_COPIED = "pydantic.BaseModel.model_copy"
COPIES_MODEL = frozenset({"update", "deep"})
# What makes settings of a record or its class, and what changes settings in place by their fields' names.
STRUCTURED = "omegaconf.OmegaConf.structured"
CHANGES_SETTINGS = ("OmegaConf.update", "merge_with")
# The same in any file, and in the one that makes them.
CHANGES_BY_WORDS = ("setattr(", ".update(", "merge_from", "__dict__")
# What reads settings from a file, or from the words of a command, into others.
MERGES_SETTINGS = ("merge_from",)
CHANGES_BY_NAME = regex(
    r"^(?![ \t]*#).*?"
    r"(?:\bsetattr\(|\.update\(|\bmerge_from|(?<!\bself)\[[^\]\n]{1,99}\]\s*=(?!=)|(?<!\bself\.)__dict__"
    r"|\bvars\([\w.]+\)\[)",
    re.MULTILINE,
)

# What reads a variable of the system's, and gives a default where there is none.
ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})


# The classes that enumerations are derived from, and what gives a member a value that nobody need know.
ENUMERATIONS = frozenset(f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum"))
NEXT_MEMBER = "enum.auto"

# Classes of libraries that give a class below them nothing but a kind; protocols of methods that it writes.
ONLY_KINDS = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "torch.distributed.checkpoint.stateful.Stateful",
        "torchdata.stateful_dataloader.Stateful",
        "torchdata.stateful_dataloader.stateful.Stateful",
        "typing.Generic",
        "typing.Protocol",
    }
)

# Decorators whose method is asked as an attribute, and what it gives kept in the object: Python's, those of
# torch, Django, Werkzeug, SQLAlchemy, Pyramid, Astropy and boltons, and the many that are called alike.
CACHED_PROPERTIES = frozenset(
    {
        *("cached_property", "cachedproperty", "lazy_property", "lazyproperty"),
        *("memoized_property", "reify", "threaded_cached_property"),
    }
)
# What a method of every class is called.
SUBCLASSES = "builtins.type.__subclasses__"

# What calling what a library has made gives, by its name.
MAKES_MORE = {"sqlalchemy.orm.sessionmaker": "sqlalchemy.orm.Session"}
# What gives under a key a part that belongs to it, as its attributes do: ``client["db"]["rows"]``.
_BY_KEY = regex(
    r"pymongo\.MongoClient\(\)(?:\.(?:\[\]|get_(?:default_)?database\(\)|get_collection\(\)|\w+))*"
    r"|boto3\.(?:client|Session\(\)\.client)\(\)\.get_object\(\)"
)


@cache
def has_members_by_key(name: str) -> bool:
    """Whether what a library has made under a name is asked for its parts by their keys."""
    return _BY_KEY.fullmatch(name) is not None


# What gives a dict of datasets, a split under each name, where it is not asked for one of them; what makes
# such a dict of one dataset; and the methods of a dict that give another one, the same done to each split.
_TO_EACH_SPLIT = (
    r"(?:\(\)\.(?:cast|cast_column|class_encode_column|filter|flatten|map|remove_columns|rename_columns?"
    r"|select_columns|shuffle|sort|with_format|with_transform))*"
)
_SPLITS = regex(
    rf"datasets\.(?:load_dataset|load_from_disk){_TO_EACH_SPLIT}"
    rf"|datasets\.(?:load_dataset|load_from_disk|Dataset\.from_\w+)\(\)\..*\btrain_test_split{_TO_EACH_SPLIT}"
)


@cache
def has_splits(name: str) -> bool:
    """Whether what a library's call gives may be asked for a part of it by a name that is written out."""
    return _SPLITS.fullmatch(name) is not None


@cache
def canonical(name: str) -> str:
    """The documented name of what ``name`` refers to (``torch.utils.data.dataloader.DataLoader`` ->
    ``torch.utils.data.DataLoader``)."""
    for prefix, replacement in _PREFIXES:
        if name.startswith(prefix):
            return replacement + name[len(prefix) :]
    return name


# Functions with names like classes, which give None for what they cannot read.
_PARSERS = ("rdkit.Chem.MolFrom", "rdkit.Chem.AllChem.MolFrom", "rdkit.Chem.rdmolfiles.MolFrom")


def is_constructor(name: str) -> bool:
    """Whether a library name is a class by its spelling: what it makes is neither None nor false."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and not name.startswith(_PARSERS)


# What is asked for and stays, beside what `is_...()` tells.
_STAYS = frozenset({"get_world_size", "get_rank", "cpu_count", "process_cpu_count", "device_count"})


def asks_state(name: str) -> bool:
    """Whether a library call without arguments only asks for a state that stays as it is while loaders are
    built (``is_available()``, ``get_world_size()``)."""
    last = name.rpartition(".")[2]
    return last.startswith("is_") or last in _STAYS


# How the names of methods begin that may answer otherwise when they are asked again.
_CHANGING = (
    "rand", "sample", "choice", "draw", "uniform", "normal", "perm", "shuffle", "integers",
    "next", "pop", "read", "recv", "send", "input", "time", "now", "poll", "step",
)  # fmt: skip
# Library functions and methods that answer the same when they are asked the same again.
_ANSWERING = frozenset({
    "builtins.all", "builtins.any", "builtins.callable", "builtins.float", "builtins.hasattr",
    "builtins.range", "builtins.str", "os.environ.get", "os.getenv", "os.path.exists", "os.path.isdir",
    "os.path.isfile",
})  # fmt: skip
_READING = ("endswith", "get", "startswith", "split")


def answers_again(method: str) -> bool:
    """Whether something unknown that goes by this name answers the same when it is called with the same
    arguments again."""
    return not method.lower().startswith(_CHANGING)


def library_answers_again(name: str) -> bool:
    """The same of a library's function, or of a method of what a library has made."""
    return name in _ANSWERING or (name.rpartition("().")[2] in _READING and "Queue" not in name)
