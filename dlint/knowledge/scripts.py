"""What scripts do at their top level: the calls that may be made again, and those that only define."""

from __future__ import annotations

# Names a constant, reads the command line, looks up a path: what a script does before it acts.
OF_OPTIONS = frozenset(
    {
        "ArgumentParser",
        "Typer",
        "add_typer",
        "add_command",
        "add_argument",
        "add_argument_group",
        "add_mutually_exclusive_group",
        "set_defaults",
        "parse_args",
        "parse_known_args",
        "getLogger",
        "join",
        "dirname",
        "abspath",
        "realpath",
        "expanduser",
        "basename",
        "exists",
        "isfile",
        "isdir",
        "getenv",
        "get",
        "setdefault",
        "insert",
        "append",
        "Path",
        "resolve",
        "getcwd",
        "int",
        "float",
        "str",
        "bool",
        "len",
        "range",
        "list",
        "dict",
        "tuple",
        "set",
        "max",
        "min",
        "sum",
        "abs",
        "round",
        "sorted",
        "zip",
        "enumerate",
        "format",
        "split",
        "strip",
        "lower",
        "upper",
        "namedtuple",
        "OrderedDict",
        "defaultdict",
        "TypeVar",
        "partial",
        "filterwarnings",
        "simplefilter",
        "array",
        "float32",
        "pi",
        "sqrt",
        "log",
        "compile",
    }
)

# What is the same whatever the script has done before.
ANYTIME = frozenset({"getLogger", "Path"})

# What may run again in every process that imports the script: it shows nothing and leaves nothing behind.
OF_SETUP = frozenset(
    {
        "device",
        "is_available",
        "device_count",
        "manual_seed",
        "manual_seed_all",
        "seed",
        "use",
        "set_printoptions",
        "set_num_threads",
        "setNumThreads",
        "set_default_dtype",
        "set_float32_matmul_precision",
        "Compose",
        "ToTensor",
        "Normalize",
        "Resize",
        "CenterCrop",
        "RandomCrop",
        "RandomHorizontalFlip",
        "RandomResizedCrop",
    }
)

# Methods that run in a worker, on what it was sent.
WORKER_METHODS = frozenset(
    {
        "__getitem__",
        "__getitems__",
        "__iter__",
        "__next__",
        "__len__",
        "__call__",
        "__reduce__",
        "__getstate__",
        "__setstate__",
        "__del__",
    }
)

# Calls that run a function they are given in this process only.
RUN_IN_MAIN = frozenset(
    {
        "apply",
        "Thread",
        "Timer",
        "step",
        "LambdaLR",
        "add_argument",
        "register_forward_hook",
        "register_backward_hook",
        "register_hook",
        "register_full_backward_hook",
        "register",
        "signal",
        "spawn",
        "super",
        "isinstance",
        "issubclass",
        "atexit",
    }
)

# Decorators that do nothing but wrap what they decorate.
PLAIN_DECORATORS = frozenset(
    {
        "staticmethod",
        "classmethod",
        "property",
        "abstractmethod",
        "setter",
        "wraps",
        "lru_cache",
        "cache",
        "cached_property",
        "total_ordering",
        "dataclass",
        "contextmanager",
        "no_grad",
        "inference_mode",
        "enable_grad",
        "overload",
        "final",
        "runtime_checkable",
    }
)

# Base classes with no say in how a class is made.
PLAIN_BASES = frozenset(
    {"object", "Module", "Dataset", "IterableDataset", "Sampler", "Exception", "Function", "Generic"}
)

# Calls that leave something behind: not to be made again by each worker.
LEAVE_TRACES = frozenset(
    {
        "makedirs",
        "mkdir",
        "input",
        "init_process_group",
        "system",
        "rmtree",
        "remove",
        "unlink",
        "download",
        "urlretrieve",
        "Popen",
    }
)
