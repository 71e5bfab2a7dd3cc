"""Objects of libraries that cannot be sent to another process, and lists that libraries give."""

from __future__ import annotations

from dlint.regex import regex

# What makes an object that pickle refuses -> what a reader calls it.
_UNPICKLABLE = {
    "builtins.open": "an open file",
    "builtins.memoryview": "a memoryview",
    "codecs.open": "an open file",
    "concurrent.futures.ThreadPoolExecutor": "a thread pool",
    "cv2.VideoCapture": "a cv2.VideoCapture",
    "gzip.open": "an open file",
    "io.FileIO": "an open file",
    "io.open": "an open file",
    "multiprocessing.pool.ThreadPool": "a thread pool",
    "os.fdopen": "an open file",
    "queue.Queue": "a queue",
    "queue.SimpleQueue": "a queue",
    "socket.socket": "a socket",
    "sqlite3.connect": "a database connection",
    "threading.Condition": "a lock",
    "threading.Event": "an event",
    "threading.Lock": "a lock",
    "threading.RLock": "a lock",
    "threading.Semaphore": "a lock",
    "threading.Thread": "a thread",
    "types.MappingProxyType": "a mappingproxy",
    "zipfile.ZipFile": "an open archive",
}
# What looks for a regular expression: its match, or None.
_MATCHES = regex(r"re\.(?:compile\(\)\.)?(?:search|match|fullmatch)")
_DICTS = ("builtins.dict", "collections.Counter()", "collections.OrderedDict()", "collections.defaultdict()")
_VIEWS = frozenset(f"{each}.{method}" for each in _DICTS for method in ("items", "keys", "values"))

# Calls that give a list (or dict) of Python objects, as long as the data.
_LISTS = frozenset(
    {
        "csv.DictReader",
        "csv.reader",
        "glob.glob",
        "json.load",
        "json.loads",
        "os.listdir",
        "builtins.open().readlines",
    }
)
# The lines of a file that is read whole, and columns or rows of a table.
_LINES = regex(
    r"(?:builtins\.open\(\)\.read|pathlib\.Path\(\)\.read_text)\(\)(?:\.r?strip\(\))?\.split(?:lines)?"
    r"|pandas\..*\.(?:tolist|to_list|to_dict)"
)


def unpicklable(name: str) -> str | None:
    """What a call by this name gives, where that cannot be pickled."""
    if name in _VIEWS:
        return "a view of a dict"
    if _MATCHES.fullmatch(name):
        return "a match of a regular expression"
    return _UNPICKLABLE.get(name)


def gives_list(name: str) -> bool:
    """Whether a call by this name gives a container of as many Python objects as there is data."""
    return name in _LISTS or _LINES.fullmatch(name) is not None
