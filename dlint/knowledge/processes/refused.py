"""Objects of libraries that pickle refuses, by the calls that make them.

Measured with each of them kept on a dataset: forked workers run, spawned ones are refused with the error that
stands here (Python 3.11, torch 2.13, OpenCV 4.10 and 5.0, lxml 6.1, boto3 1.44, pymongo 4.20, redis 8.1,
google-cloud-storage 3.17, minio 7.2, SQLAlchemy 2.1, duckdb 2.0, pyarrow 26, elasticsearch 9.5, grpc 1.85,
safetensors 0.8, h5py 3.16, SimpleITK, pillow 13, pandas 3.1, zstandard, rich, httpx, aiohttp, webrtcvad,
ONNX Runtime and tensorboard; weak references, (de)compressors and the like of the standard library,
modules, generators and OpenCV on Python 3.10 to
3.13 as well). Sent without a word are sockets, ``iter(list)``, ``zip``, ``map``, what itertools makes (up to
Python 3.13), ``re.compile``, loggers, ``ET.parse``, tables and datasets of pyarrow, file systems of fsspec,
faiss and tokenizers, KD-trees, what ``torch.compile`` gives, and locks and queues of multiprocessing where
they are of the workers' own start method.

With loky's workers, which are sent things by cloudpickle, all were tried of which ``by_loky`` says that they
arrive; of the others generators, OpenCV, locks, structs, hashes, scripted modules, iterators of loaders, and
the clients of stores and databases.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dlint.regex import regex


class Refused(NamedTuple):
    """A kind of thing that pickle refuses: what a reader calls it, and pickle where that is another name.

    ``error`` is all that pickling says where it is no ``cannot pickle``; ``sent_from`` the Python that can
    send it, "" where none does; ``by_loky``: cloudpickle sends it.
    """

    kind: str
    name: str = ""
    error: str = ""
    sent_from: str = ""
    by_loky: bool = False

    @property
    def alike(self) -> bool:
        """Whether what is made of the same arguments in another process does the same there, as long as
        nobody does anything to it."""
        return _ALIKE.fullmatch(self.kind) is not None

    @property
    def says(self) -> str:
        """The error, as it is shown."""
        return self.error or f"TypeError: cannot pickle '{self.name or self.kind}' object"


MODULE = Refused("module", by_loky=True)
GENERATOR = Refused("generator")
LOADER_ITERATOR = Refused(
    "DataLoader's iterator",
    error="NotImplementedError: ('{} cannot be pickled', '_SingleProcessDataLoaderIter')",
)
ENTRIES = Refused("list of os.scandir's entries", "posix.DirEntry")
# The file of each; cloudpickle sends its name.
STREAM = Refused("standard stream", "_io.TextIOWrapper", by_loky=True)
STREAMS = frozenset({"sys.stdin", "sys.stdout", "sys.stderr"})
# A function that is wrapped in place, and not where it is defined: pickle finds the plain one under its name.
# So it is with cloudpickle.
CACHED = Refused("cached function", error="PicklingError: it's not the same object as ...")
CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_LOCK = "_thread.lock"
LOCK = Refused("lock", _LOCK)
_LOCAL = "AttributeError: Can't pickle local object '{}'"
_SCRIPTED = Refused("scripted module", error="RuntimeError: Tried to serialize object __torch__...")
_NO_CLASS = "PicklingError: Can't pickle <class ...>: attribute lookup ... failed"
_NO_REDUCE = "TypeError: no default __reduce__ due to non-trivial __cinit__"
_ARROW_FILE = Refused("pyarrow file", error=_NO_REDUCE)
_ARROW_READER = Refused("pyarrow reader", error=_NO_REDUCE)
_SAFE = Refused("file of safetensors", "builtins.safe_open")
_LIBRARY = Refused(
    "native library", error="AttributeError: Can't pickle local object 'CDLL.__init__.<locals>._FuncPtr'"
)
_REDIS = Refused("Redis client", "_thread.RLock")
_REDIS_POOL = Refused("pool of connections to Redis", _LOCK)
_RESOURCE = Refused("boto3 resource", error=_NO_CLASS)
_GOOGLE = "PicklingError: Pickling client objects is explicitly not supported"
_BUCKET = Refused("bucket of Google Cloud Storage", error=_GOOGLE)
_STORAGE = Refused("client of Google Cloud Storage", error=_GOOGLE)
_ENGINE = "AttributeError: Can't pickle local object 'create_engine.<locals>.connect'"
_DUCK = Refused("DuckDB connection", "DuckDBPyConnection")
_HDF5_VIEW = Refused("view of an HDF5 file", error="TypeError: h5py objects cannot be pickled")
_CALLS = {
    "importlib.import_module": MODULE,
    "builtins.__import__": MODULE,
    "pathlib.Path().iterdir": GENERATOR._replace(sent_from="3.13"),  # 3.12.1 refuses it, 3.13.0 does not
    "pathlib.Path().glob": GENERATOR,
    "pathlib.Path().rglob": GENERATOR,
    "os.walk": GENERATOR,
    "glob.iglob": GENERATOR,
    "pandas.DataFrame().iterrows": GENERATOR,
    "pandas.read_csv().iterrows": GENERATOR,
    "imageio.v3.imiter": GENERATOR,
    "os.scandir": Refused("os.scandir", "posix.ScandirIterator"),
    "csv.reader": Refused("csv.reader", "_csv.reader"),
    "csv.DictReader": Refused("csv.DictReader", "_csv.reader"),
    "csv.writer": Refused("csv.writer", "_csv.writer"),
    "re.finditer": Refused("iterator of matches", "_sre.SRE_Scanner"),
    "builtins.memoryview": Refused(
        "memoryview", error="TypeError: cannot pickle memoryview objects", by_loky=True
    ),
    "struct.Struct": Refused("struct.Struct", "_struct.Struct"),
    "json.JSONDecoder": Refused("json.JSONDecoder", "_json.Scanner"),
    "types.MappingProxyType": Refused("mappingproxy"),
    "weakref.ref": Refused("weakref", "weakref.ReferenceType"),
    "numpy.nditer": Refused("numpy.nditer"),
    "numpy.ndenumerate": Refused("numpy.ndenumerate", "numpy.flatiter"),
    "torch.finfo": Refused("torch.finfo"),
    "hashlib.md5": Refused("hash", "_hashlib.HASH"),
    "hashlib.sha1": Refused("hash", "_hashlib.HASH"),
    "hashlib.sha256": Refused("hash", "_hashlib.HASH"),
    "http.client.HTTPSConnection": Refused("HTTPS connection", "SSLContext"),
    # Pickle sends it, and the worker that unpickles it ends: DECORDContext.__new__() lacks its arguments.
    "decord.cpu": Refused("decord context", error="RuntimeError: DataLoader worker ... exited unexpectedly"),
    "pyarrow.OSFile": _ARROW_FILE,
    "pyarrow.memory_map": _ARROW_FILE,
    "pyarrow.input_stream": _ARROW_FILE,
    "pyarrow.BufferReader": _ARROW_FILE,
    "pyarrow.PythonFile": _ARROW_FILE,
    # What they read is sent: tables, batches, buffers.
    "pyarrow.ipc.open_file": _ARROW_READER,
    "pyarrow.ipc.open_stream": _ARROW_READER,
    "pyarrow.ipc.RecordBatchFileReader": _ARROW_READER,
    "pyarrow.ipc.RecordBatchStreamReader": _ARROW_READER,
    "pyarrow.RecordBatchFileReader": _ARROW_READER,
    "pyarrow.RecordBatchStreamReader": _ARROW_READER,
    "safetensors.safe_open": _SAFE,
    "safetensors.torch.safe_open": _SAFE,
    "safetensors.safe_open().get_slice": Refused("slice of safetensors", "builtins.PySafeSlice"),
    "torch.jit.load": _SCRIPTED,
    "torch.jit.script": _SCRIPTED,
    "torch.jit.trace": _SCRIPTED,
    "h5py.File().items": _HDF5_VIEW,
    "h5py.File().keys": _HDF5_VIEW,
    "h5py.File().values": _HDF5_VIEW,
    "ctypes.CDLL": _LIBRARY,
    "ctypes.cdll.LoadLibrary": _LIBRARY,
    "threading.Lock": LOCK,
    "threading.RLock": Refused(LOCK.kind, "_thread.RLock"),
    "threading.Condition": Refused("condition", "_thread.RLock"),
    "threading.Event": Refused("event", _LOCK),
    "threading.Semaphore": Refused("semaphore", _LOCK),
    "threading.BoundedSemaphore": Refused("semaphore", _LOCK),
    "threading.local": Refused("threading.local", "_thread._local"),
    "threading.Barrier": Refused("barrier", _LOCK),
    "threading.Timer": Refused("timer", _LOCK),
    "queue.Queue": Refused("queue", _LOCK),
    "queue.LifoQueue": Refused("queue", _LOCK),
    "queue.PriorityQueue": Refused("queue", _LOCK),
    "queue.SimpleQueue": Refused("queue", "_queue.SimpleQueue"),
    "random.SystemRandom": Refused(
        "random.SystemRandom", error="NotImplementedError: System entropy source does not have state."
    ),
    "concurrent.futures.Future": Refused("future", "_thread.RLock"),
    "asyncio.new_event_loop": Refused("event loop", error=_LOCAL.format("WeakSet.__init__.<locals>._remove")),
    "contextvars.ContextVar": Refused("context variable", "_contextvars.ContextVar"),
    "weakref.WeakValueDictionary": Refused(
        "dict of weak references", error=_LOCAL.format("WeakValueDictionary.__init__.<locals>.remove")
    ),
    "weakref.WeakKeyDictionary": Refused(
        "dict of weak references", error=_LOCAL.format("WeakKeyDictionary.__init__.<locals>.remove")
    ),
    "weakref.WeakSet": Refused(
        "set of weak references", error=_LOCAL.format("WeakSet.__init__.<locals>._remove"), by_loky=True
    ),
    "zlib.decompressobj": Refused("decompressor", "zlib.Decompress"),
    "zlib.compressobj": Refused("compressor", "zlib.Compress"),
    "bz2.BZ2Decompressor": Refused("decompressor", "_bz2.BZ2Decompressor"),
    "lzma.LZMADecompressor": Refused("decompressor", "_lzma.LZMADecompressor"),
    "zstandard.ZstdDecompressor": Refused("decompressor", "zstandard.backend_c.ZstdDecompressor"),
    "zstandard.ZstdCompressor": Refused("compressor", "zstandard.backend_c.ZstdCompressor"),
    "builtins.compile": Refused("code object", error="TypeError: cannot pickle code objects", by_loky=True),
    "torch.utils.tensorboard.SummaryWriter": Refused("SummaryWriter", _LOCK),
    "rich.console.Console": Refused("rich console", "_thread.RLock"),
    "rich.progress.Progress": Refused("rich progress bar", "_thread.RLock"),
    "httpx.Client": Refused("httpx client", "_thread.RLock"),
    "httpx.AsyncClient": Refused("httpx client", "_thread.RLock"),
    "aiohttp.ClientSession": Refused(
        "aiohttp session", error=_LOCAL.format("WeakSet.__init__.<locals>._remove")
    ),
    "webrtcvad.Vad": Refused("voice detector", "PyCapsule"),
    "onnxruntime.InferenceSession": Refused(
        "session of ONNX Runtime", "onnxruntime.capi.onnxruntime_pybind11_state.InferenceSession"
    ),
    "onnxruntime.SessionOptions": Refused(
        "options of ONNX Runtime", "onnxruntime.capi.onnxruntime_pybind11_state.SessionOptions"
    ),
    "tempfile.NamedTemporaryFile": Refused("temporary file", "_io.BufferedRandom"),
    "tempfile.TemporaryFile": Refused("temporary file", "_io.BufferedRandom"),
    "subprocess.Popen": Refused("process", _LOCK),
    "logging.FileHandler": Refused("logging handler", "_thread.RLock"),
    "logging.StreamHandler": Refused("logging handler", "_thread.RLock"),
    "lxml.etree.fromstring": Refused("lxml.etree._Element"),
    "lxml.etree.parse": Refused("lxml.etree._ElementTree"),
    "lxml.etree.parse().getroot": Refused("lxml.etree._Element"),
    "lxml.etree.iterparse": Refused("lxml.etree.iterparse"),
    "boto3.client": Refused("boto3 client", error=_NO_CLASS),
    "boto3.resource": Refused("boto3 resource", error=_NO_CLASS),
    "boto3.Session().client": Refused("boto3 client", error=_NO_CLASS),
    "boto3.Session().resource": Refused("boto3 resource", error=_NO_CLASS),
    "boto3.client().get_paginator": Refused("boto3 paginator", error=_NO_CLASS),
    "boto3.Session": Refused(
        "boto3.Session",
        error="AttributeError: Can't pickle local object 'lazy_call.<locals>._handler'",
        by_loky=True,
    ),
    "botocore.session.get_session().create_client": Refused("boto3 client", error=_NO_CLASS),
    "pymongo.MongoClient": Refused("MongoClient", _LOCK),
    "redis.Redis": _REDIS,
    "redis.Redis.from_url": _REDIS,
    "redis.StrictRedis": _REDIS,
    "redis.StrictRedis.from_url": _REDIS,
    "redis.from_url": _REDIS,
    "redis.ConnectionPool": _REDIS_POOL,
    "redis.ConnectionPool.from_url": _REDIS_POOL,
    "google.cloud.storage.Client": _STORAGE,
    "google.cloud.storage.Client.create_anonymous_client": _STORAGE,
    "google.cloud.storage.Client().bucket": _BUCKET,
    "google.cloud.storage.Client().get_bucket": _BUCKET,
    "minio.Minio": Refused("MinIO client", "_thread.RLock"),
    "sqlalchemy.create_engine": Refused("SQLAlchemy engine", error=_ENGINE),
    "sqlalchemy.create_engine().connect": Refused("SQLAlchemy connection", error=_ENGINE),
    "sqlalchemy.orm.Session": Refused("SQLAlchemy session", "weakref.ReferenceType"),
    "sqlalchemy.orm.sessionmaker": Refused(
        "maker of SQLAlchemy sessions",
        error="PicklingError: Can't pickle <class 'sqlalchemy.orm.session.Session'>",
        by_loky=True,
    ),
    "duckdb.connect": _DUCK,
    "duckdb.connect().cursor": _DUCK,
    "pyarrow.parquet.ParquetFile": Refused("Parquet file", error=_NO_REDUCE),
    "elasticsearch.Elasticsearch": Refused("Elasticsearch client", "_thread._local"),
    "grpc.insecure_channel": Refused("gRPC channel", error=_NO_REDUCE),
    "SimpleITK.ImageFileReader": Refused("SimpleITK.ImageFileReader", "SwigPyObject"),
    "PIL.ImageDraw.Draw": Refused("PIL.ImageDraw", "ImagingCore"),
    "PIL.ImageCms.createProfile": Refused("PIL.ImageCms profile", "PIL.ImageCms.core.CmsProfile"),
    "PIL.ImageCms.buildTransform": Refused("PIL.ImageCms transform", "PIL.ImageCms.core.CmsTransform"),
    "cv2.createCLAHE": Refused("cv2.CLAHE"),
    "cv2.createLineSegmentDetector": Refused("cv2.LineSegmentDetector"),
    "cv2.DescriptorMatcher_create": Refused("cv2.DescriptorMatcher"),
    "cv2.aruco.getPredefinedDictionary": Refused("cv2.aruco.Dictionary"),
}
_OF_BOTO = regex(r"boto3\.(?:Session\(\)\.)?resource\(\)\.(?:Bucket|Object|Table)")
# Databases and collections of MongoDB, but for what their attributes tell of them.
_OF_MONGO = regex(
    r"pymongo\.MongoClient\(\)(?:\.(?:\[\]|get_(?:default_)?database(?:\(\))?|get_collection(?:\(\))?"
    r"|(?!HOST|PORT|address|arbiters|client|codec_options|full_name|is_|max_|name\b|nodes|options|primary|read_"
    r"|secondaries|topology|write_)\w+))+"
)
# Methods that give back what they are called of.
_SAME = regex(r"(torch\.jit\.\w+)\(\)\.(?:eval|train|cpu|to|cuda|float|half)")
# Classes of OpenCV: made by their name, or by one of these.
_OPENCV = regex(
    r"""cv2\.(?:
        (?P<made>AKAZE|AgastFeatureDetector|BFMatcher|BRISK|DISOpticalFlow|FarnebackOpticalFlow
            |FastFeatureDetector|FlannBasedMatcher|GFTTDetector|KAZE|MSER|ORB|SIFT|SimpleBlobDetector
            |SparsePyrLKOpticalFlow|StereoBM|StereoSGBM|ml\.\w+)(?:_create|\.create)
        |create(?P<by>AlignMTB|BackgroundSubtractor\w+|CalibrateDebevec|MergeDebevec|MergeMertens|Tonemap\w*)
        |(?P<cls>BFMatcher|CascadeClassifier|DMatch|FlannBasedMatcher|HOGDescriptor|KalmanFilter|KeyPoint
            |LineSegmentDetector|QRCodeDetector|Subdiv2D|UMat|aruco\.(?:ArucoDetector|DetectorParameters))
    )""",
    re.VERBOSE,
)
# Those of which two that are made alike do alike: they learn nothing from what they are asked.
_ALIKE = regex(
    r"cv2\.(?:AKAZE|AgastFeatureDetector|BFMatcher|BRISK|CLAHE|CascadeClassifier|DescriptorMatcher"
    r"|FastFeatureDetector|FlannBasedMatcher|GFTTDetector|HOGDescriptor|KAZE|LineSegmentDetector|MSER|ORB"
    r"|QRCodeDetector|SIFT|SimpleBlobDetector|StereoBM|StereoSGBM|aruco\.\w+)"
    r"|struct\.Struct|json\.JSONDecoder|torch\.finfo|voice detector|session of ONNX Runtime|boto3 client"
    r"|boto3 resource|boto3\.Session|MongoClient|Redis client|client of Google Cloud Storage|MinIO client"
    r"|SQLAlchemy engine|Elasticsearch client|gRPC channel|httpx client|PIL\.ImageCms transform"
)
VIEWS = frozenset({"keys", "values", "items"})
# Views of a dict, by what gives the dict. The first are sent once `multiprocessing.managers` is imported, as
# `multiprocessing.Manager` does; nothing else that was tried imports it.
_VIEW = regex(
    r"(?:builtins\.dict|(?:json\.loads?|yaml\.(?:safe_|full_)?load|collections\.(?:defaultdict|Counter))\(\)"
    r"|pandas\.[\w.\[\]()]*\.to_dict\(\)|pandas\.[\w.\[\]()]*\.groupby\(\)\.(?:groups|indices))"
    r"\.(keys|values|items)"
)
_ORDERED_VIEW = regex(r"collections\.OrderedDict\(\)\.(keys|values|items)")
# What a program mentions that can send views.
SENDS_VIEWS = ("Manager", "managers")


def refused(name: str) -> Refused | None:
    """What pickle refuses of what a library's call gives; None where nothing is known."""
    same = _SAME.fullmatch(name)
    found = _CALLS.get(same[1] if same is not None else name)
    if found is not None:
        return found
    if _OF_BOTO.fullmatch(name):
        return _RESOURCE
    if name.endswith(("get_database", "get_default_database", "get_collection")):
        return refused_member(name)
    opencv = _OPENCV.fullmatch(name)
    if opencv is not None:
        return Refused(f"cv2.{opencv['made'] or opencv['by'] or opencv['cls']}")
    ordered, plain = _ORDERED_VIEW.fullmatch(name), _VIEW.fullmatch(name)
    if ordered is not None:
        return view(ordered[1])._replace(name=f"odict_{ordered[1]}")
    return view(plain[1]) if plain is not None else None


def refused_member(name: str) -> Refused | None:
    """The same of a part of what a library's call gives, that is asked for by its name: a database of MongoDB
    (``client["db"]``, ``client.db``), or a collection of one."""
    return Refused("collection or database of MongoDB", _LOCK) if _OF_MONGO.fullmatch(name) else None


def view(method: str) -> Refused:
    """What a method of a plain dict gives."""
    return Refused("view of a dict", f"dict_{method}", by_loky=True)
