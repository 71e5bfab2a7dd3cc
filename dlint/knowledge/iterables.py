"""Iterators and what they iterate over: which calls pass a stream on, and which give all of a known one."""

from __future__ import annotations

import re

from dlint.regex import regex

# Classes whose objects give what they are made of: the things in the first argument, or the arguments.
HOLDS_FIRST = frozenset(
    {
        *("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"),
        *("collections.UserList", "collections.deque", "torch.nn.ModuleList"),
    }
)
HOLDS_ARGUMENTS = frozenset({"torch.nn.Sequential"})
# Names in code that gives each worker its part.
DIVIDES = regex("worker|shard", re.IGNORECASE)
# Names of what tells the processes of one training apart.
RANKS = regex(r"(?:^|_)ranks?(?:$|_)|world_?size|num_replicas|num_processes|process_index", re.IGNORECASE)

# Calls whose result iterates over (some of) their arguments: from which to which.
PASSES_ON = {
    "builtins.enumerate": slice(0, 1),
    "builtins.filter": slice(1, 2),
    "builtins.iter": slice(0, 1),
    "builtins.list": slice(0, 1),
    "builtins.map": slice(1, None),
    "builtins.reversed": slice(0, 1),
    "builtins.set": slice(0, 1),
    "builtins.sorted": slice(0, 1),
    "builtins.tuple": slice(0, 1),
    "builtins.zip": slice(0, None),
    "contextlib.ExitStack().enter_context": slice(0, 1),
    "contextlib.closing": slice(0, 1),
    "contextlib.nullcontext": slice(0, 1),
    "csv.DictReader": slice(0, 1),
    "csv.reader": slice(0, 1),
    "io.BufferedReader": slice(0, 1),
    "io.TextIOWrapper": slice(0, 1),
    "itertools.chain": slice(0, None),
    "itertools.islice": slice(0, 1),
    "itertools.starmap": slice(1, 2),
    "itertools.zip_longest": slice(0, None),
    "numpy.array": slice(0, 1),
    "numpy.asarray": slice(0, 1),
    "numpy.ascontiguousarray": slice(0, 1),
    "numpy.concatenate": slice(0, 1),
    "numpy.stack": slice(0, 1),
    "torch.as_tensor": slice(0, 1),
    "torch.from_numpy": slice(0, 1),
    "torch.stack": slice(0, 1),
    "torch.tensor": slice(0, 1),
    "tqdm.auto.tqdm": slice(0, 1),
    "tqdm.tqdm": slice(0, 1),
    "webdataset.filters._shuffle": slice(0, 1),
    "zstandard.ZstdDecompressor().read_to_iter": slice(0, 1),
    "zstandard.ZstdDecompressor().stream_reader": slice(0, 1),
}
# What calls a function with each of what it goes through, in threads as well.
_MAPS_OF_POOLS = {
    f"{pool}().{name}"
    for pool in ("multiprocessing.dummy.Pool", "multiprocessing.pool.ThreadPool")
    for name in ("imap", "imap_unordered", "map")
}
PASSES_ON |= dict.fromkeys(_MAPS_OF_POOLS, slice(1, 2))
PASSES_ON["concurrent.futures.ThreadPoolExecutor().map"] = slice(1, None)
MAPS = frozenset({"builtins.map", "concurrent.futures.ThreadPoolExecutor().map", *_MAPS_OF_POOLS})
# A pipeline of webdataset, which is given its stages in their order, and what gives the same one that ends or
# counts otherwise; what gives shards in order, puts them in an order of chance (webdataset 1.0: by a
# generator made of the process's number and the time, unless it is told one), gives each worker its share,
# and leaves them.
PIPELINE = "webdataset.DataPipeline"
GOES_ON = frozenset(f"{PIPELINE}().{name}" for name in ("repeat", "with_epoch", "with_length"))
_OF_SHARDS = ("webdataset.", "webdataset.shardlists.")
GIVES_SHARDS = frozenset(f"{start}SimpleShardList" for start in _OF_SHARDS)
SHUFFLES_SHARDS = frozenset({"webdataset.shuffle", "webdataset.filters.shuffle"})
TELLS_ORDER = frozenset({"rng", "seed"})
DIVIDES_SHARDS = frozenset(f"{start}split_by_worker" for start in _OF_SHARDS)
LEAVES_SHARDS = frozenset(f"{start}split_by_node" for start in _OF_SHARDS)
# Iterators that end when all, or any, of what they go through does.
ENDS_WITH_ALL = frozenset(
    {"builtins.enumerate", "builtins.filter", "builtins.reversed", "itertools.chain"}
) | {
    *("itertools.starmap", "itertools.zip_longest"),
}
ENDS_WITH_ANY = frozenset({"builtins.map", "builtins.zip"})
# Iterates over its argument again and again, without an end of its own.
AGAIN = "itertools.cycle"
# Ends where it is told to, and iterates over its first argument until then.
ENDS = "itertools.islice"
# Those that read their argument to its end, whatever it is.
COLLECTS = frozenset({"builtins.list", "builtins.set", "builtins.sorted", "builtins.tuple", "builtins.dict"})
# What takes the items of its only argument at once, and what hands on those of some arguments to whoever goes
# through it: as programs call them, by whatever name their module goes.
COLLECT = frozenset(
    {
        *("all", "any", "deque", "dict", "frozenset", "join", "list", "max", "min", "next", "set", "sorted"),
        *("sum", "tuple", "Counter"),
    }
)
GO_THROUGH = {
    **dict.fromkeys(
        ("enumerate", "islice", "iter", "list", "reversed", "sorted", "tqdm", "tuple"), slice(0, 1)
    ),
    "filter": slice(1, 2),
    "map": slice(1, None),
    "starmap": slice(1, 2),
    "track": slice(0, 1),
    "webdataset.filters._shuffle": slice(0, 1),
    "zip": slice(0, None),
}

# Calls that give a finite stream, the same one in every process.
_WHOLE = frozenset(
    {
        "builtins.dict",
        "builtins.open",
        "builtins.range",
        "av.open",
        "bz2.open",
        "codecs.open",
        "cv2.imread",
        "decord.VideoReader",
        "duckdb.connect",
        "duckdb.query",
        "duckdb.sql",
        "fsspec.filesystem",
        "fsspec.open",
        "gcsfs.GCSFileSystem",
        "glob.glob",
        "glob.iglob",
        "gzip.open",
        "h5py.File",
        "ijson.items",
        "imageio.imread",
        "imageio.v2.imread",
        "imageio.v3.imread",
        "io.open",
        "joblib.load",
        "json.load",
        "json.loads",
        "jsonlines.open",
        "jsonlines.Reader",
        "lmdb.open",
        "lzma.open",
        "mysql.connector.connect",
        "netCDF4.Dataset",
        "nibabel.load",
        "openslide.open_slide",
        "openslide.OpenSlide",
        "os.listdir",
        "os.scandir",
        "os.walk",
        "pathlib.Path",
        "pickle.load",
        "PIL.Image.open",
        "psycopg.connect",
        "psycopg2.connect",
        "pymysql.connect",
        "rasterio.open",
        "rdkit.Chem.ForwardSDMolSupplier",
        "rdkit.Chem.SDMolSupplier",
        "rdkit.Chem.SmilesMolSupplier",
        "s3fs.S3FileSystem",
        "skimage.io.imread",
        "smart_open.open",
        "smart_open.smart_open",
        "snowflake.connector.connect",
        "soundfile.blocks",
        "sqlalchemy.create_engine",
        "sqlalchemy.orm.Session",
        "sqlite3.connect",
        "tarfile.open",
        "tifffile.imread",
        "tifffile.memmap",
        "torch.arange",
        "torch.load",
        "xarray.load_dataset",
        "xarray.open_dataarray",
        "xarray.open_dataset",
        "xarray.open_mfdataset",
        "xarray.open_zarr",
        "zarr.load",
        "zarr.open",
        "zarr.open_array",
        "zarr.open_consolidated",
        "zarr.open_group",
        "zipfile.ZipFile",
        "zstandard.open",
    }
)
# Methods that read on in a file, and give nothing at its end.
READS = frozenset({"fetchmany", "fetchone", "get_chunk", "read", "readline", "readlines"})
_OPENERS = frozenset(
    {
        "Dataset",
        "File",
        "ParquetFile",
        "SDMolSupplier",
        "ZipFile",
        "connect",
        "load",
        "open",
        "open_array",
        "open_dataset",
    }
    | {"blocks", "open_group", "open_zarr", "TextLineDataset", "TFRecordDataset", "VideoReader"}
)
# Methods of arrays with named dimensions that pick by a number: ``field.isel(time=3)``.
PICKS = frozenset({"isel", "sel"})
# Functions that read the next object of the file that they are given, and raise EOFError at its end.
READS_NEXT = frozenset(
    f"{module}.load" for module in ("cPickle", "cloudpickle", "dill", "marshal", "numpy", "pickle", "torch")
)
# Clients that also take from queues, which share out what is in them: what of theirs is the same for all. So
# is what TensorFlow reads of files, unless it is told to begin again (``repeat()``) or divide (``shard()``).
_OF_CLIENTS = regex(
    r"""
    pymongo\.MongoClient\(\)\.[\w.\[\]()]*\bfind(?:\(\)\.(?:batch_size|hint|limit|skip|sort))*
    |redis\.(?:Redis|StrictRedis|(?:Redis\.|StrictRedis\.)?from_url)\(\)
        \.(?:[hsz]?scan_iter|hgetall|hkeys|hvals|keys|lrange|smembers|zrange)
    |boto3\.(?:Session\(\)\.)?client\(\)
        \.(?:get_object\(\)\.\[\]\.\w+|get_paginator\(\)\.paginate(?:\(\)\.search)?)
    |boto3\.(?:Session\(\)\.)?resource\(\)\.Bucket\(\)\.objects\.(?:all|filter)
    |google\.cloud\.storage\.Client\(\)\.(?:bucket\(\)\.|get_bucket\(\)\.)?list_blobs
    |tensorflow\.data\.(?:TFRecord|TextLine)Dataset
        (?:\(\)\.(?:as_numpy_iterator|batch|filter|map|prefetch|shuffle|unbatch))*
    """,
    re.VERBOSE,
)
# What gives records one after another, or some at a time, and not the names of what has them.
_RECORDS = frozenset(
    {"execute", "fetchall", "fetchmany", "find", "iter_batches", "iter_lines", "to_batches", "yield_per"}
)
_WHOLE_MODULES = ("numpy.", "pandas.", "polars.", "pyarrow.")
_AS_OTHER = ("().tolist", "().numpy", "().long", "().astype", "().cpu")
_RANDOM = ("numpy.random.", "random.", "secrets.", "torch.rand", "torch.multinomial", "torch.normal")


# Datasets of Hugging Face, which workers divide among them only where they are streamed, a split of several
# ("datasets.load_dataset().[train]"), and the methods that give another one with items of the same.
_INDEXED = regex(
    r"datasets\.(?:load_dataset|load_from_disk|Dataset\.from_\w+)((?:(?:\(\))?\.(?:\w+|\[\w+\]))*)"
)
_METHOD = regex(r"\.(\w+)")
_KEEPS_KIND = frozenset(
    {
        "add_column",
        "cast",
        "cast_column",
        "class_encode_column",
        "filter",
        "flatten",
        "flatten_indices",
        "iter",
    }
    | {"map", "remove_columns", "rename_column", "rename_columns", "select", "select_columns", "shuffle"}
    | {"skip", "sort", "take", "train_test_split", "with_format", "with_transform"}
)
# That one of them which is told which items by their numbers.
SELECTS = ".select"


def may_be_indexed(name: str) -> bool:
    """Whether a call by this name gives a dataset of Hugging Face, unless it is told to stream it."""
    found = _INDEXED.fullmatch(name)
    return found is not None and _KEEPS_KIND.issuperset(_METHOD.findall(found[1]))


def gives_all(name: str) -> bool:
    """Whether a call by this name, or of a method of what it gives, is a finite stream that no library
    divides among workers (``open``, ``os.listdir``, ``pandas.read_csv().iterrows``)."""
    maker = name.partition("()")[0]
    return (
        maker in _WHOLE
        or _OF_CLIENTS.fullmatch(name) is not None
        or (maker.startswith(_WHOLE_MODULES) and not draws(maker))
    )


def gives_records(name: str) -> bool:
    """Whether a call by this name gives records, and not the names of what has them."""
    if opens(name) or may_be_indexed(name):
        return True
    return gives_all(name) and name.rpartition(".")[2] in _RECORDS


def shuffles(name: str) -> bool:
    """Whether a call by this name gives everything there is in another order (``torch.randperm``), be it made
    something else (``torch.randperm(n).tolist()``)."""
    while name.endswith(_AS_OTHER):
        name = name.rpartition("()")[0]
    return name.startswith(_RANDOM) and name.rpartition(".")[2] in ("permutation", "permuted", "randperm")


def opens(name: str) -> bool:
    """Whether a call by this name opens or reads the file that its first argument names."""
    last = name.rpartition(".")[2]
    return name == "cv2.VideoCapture" or (gives_all(name) and (last in _OPENERS or last.startswith("read_")))


def is_setting(name: str) -> bool:
    """Whether what a library gives by this name is what the command line said."""
    return name.startswith(("argparse.", "sys.argv"))


def draws(name: str) -> bool:
    """Whether a call by this name draws random numbers."""
    return name.startswith(_RANDOM)
