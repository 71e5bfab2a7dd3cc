"""Which library calls will call the functions they are given, and which methods only handle data."""

from __future__ import annotations

_LAST = frozenset(
    {
        "map",
        "imap",
        "imap_unordered",
        "starmap",
        "filter",
        "submit",
        "apply",
        "apply_async",
        "map_async",
        "starmap_async",
        "Thread",
        "Timer",
        "reduce",
        "Lambda",
        "partial",
        "delayed",
        "run_in_executor",
        "progress_map",
        "progress_apply",
        "applymap",
        "apply_along_axis",
        "fromfunction",
    }
)

# Calls that give the function they are given first the elements of the others.
_OF_ELEMENTS = frozenset({"map", "imap", "imap_unordered", "filter", "map_async", "progress_map"})

# Command lines that call the program's function themselves: each is given it first.
RUNNERS = frozenset(
    {"fire.Fire", "absl.app.run", "tyro.cli", "typer.run", "cyclopts.run", "jsonargparse.CLI"}
)
# The packages of these calls: a script that uses one mentions it.
RUNNER_WORDS = tuple(sorted({name.partition(".")[0] for name in RUNNERS}))

# Decorators that give a function the arguments that its callers leave out, from a configuration.
FILLS_ARGUMENTS = frozenset(
    {
        "gin.configurable",
        "gin.register",
        "sacred.Experiment().capture",
        "detectron2.config.configurable",
    }
)

# Builtins that go through what they are given.
GOES_THROUGH = frozenset(
    """all any enumerate filter frozenset iter list map max min next reversed set sorted sum tuple
    zip""".split()  # noqa: SIM905
)

# What goes through what it is given when it is gone through itself.
_ITERTOOLS = frozenset(
    """accumulate batched chain compress cycle dropwhile filterfalse groupby islice pairwise starmap takewhile
    zip_longest""".split()  # noqa: SIM905
)

# Decorators of a function that has others run for arguments of other types.
DISPATCHES = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})

# What makes a generator function one whose calls are contexts, and what contexts may be derived from that
# decorate functions.
MAKES_CONTEXTS = frozenset({"contextlib.contextmanager"})
CONTEXT_DECORATOR = "contextlib.ContextDecorator"

# Methods of arrays, tensors, strings and containers: whose they are need not be found out.
DATA_METHODS = frozenset(
    """all any append argmax argmin argsort astype clip contiguous copy count cumsum decode detach dot encode
    endswith expand extend fill flatten flip float format index insert int item items join keys long lower
    lstrip max mean min nonzero numpy permute prod ravel repeat replace reshape resize_ round rsplit rstrip
    size sort split squeeze startswith std strip sum swapaxes take tobytes tolist transpose type unsqueeze
    update
    upper values var view zfill""".split()  # noqa: SIM905
)

# Attributes of arrays, tensors, images, tables and paths: properties of a program go by the same names.
DATA_ATTRIBUTES = frozenset(
    """T columns data device dim dtype grad height index itemsize length mode name names nbytes ndim parent
    requires_grad shape size stem strides suffix type values width""".split()  # noqa: SIM905
)

# Builtins that only handle data: no rule speaks of them and they call nothing of the program's.
PLAIN_BUILTINS = frozenset(
    """abs bool bytes chr dict divmod enumerate float hasattr id int isinstance issubclass len list ord pow
    print range repr reversed round set slice str sum tuple type zip""".split()  # noqa: SIM905
)

# Hugging Face's datasets (5.2): `with_transform` and `set_transform` take a function that every reading of an
# item calls, in the workers of a loader; `map` and `filter` run theirs at once and keep the results, those of
# streams (`streaming=True`) aside, which run them when they are read.
# https://huggingface.co/docs/datasets/process#format-transform, .../about_map_batch, .../stream#map
_HF_DATASETS = ("datasets.load_dataset", "datasets.load_from_disk", "datasets.Dataset.from_")
_HF_AT_ONCE = frozenset({"map", "filter"})
# What such a dataset keeps goes with those made of it, until another format takes its place; it is sent to
# workers by pickle, not by dill, which only makes fingerprints (measured, each of these).
SETS_TRANSFORM = "set_transform"
WITH_TRANSFORM = "with_transform"
ANOTHER_FORMAT = "with_format"
STREAMS = "streaming"
MAKES_STREAM = "to_iterable_dataset"

# Classes of transforms that keep what they are made of as ``transforms``, where more can be added.
KEEPS_TRANSFORMS = frozenset({"Compose", "RandomApply", "RandomChoice", "RandomOrder"})

# Transforms made of others, and datasets, whose sources let an error of what they call out as it is; MONAI's
# make another one of it.
_LET_OUT = (
    ("torchvision.transforms.", KEEPS_TRANSFORMS | {"Lambda"}),
    ("albumentations.", frozenset({"Compose", "OneOf", "SomeOf", "Sequential"})),
    ("torch_geometric.transforms.", frozenset({"Compose"})),
    ("torch.nn.", frozenset({"Sequential"})),
)
_DATASETS_LET_OUT = "torchvision.datasets."

# What the __call__ of a library's transforms calls of a class that is derived from them.
_CALLED_PARTS = {
    "albumentations.": (
        "get_params",
        "get_params_dependent_on_targets",
        "get_params_dependent_on_data",
        "apply",
        "apply_to_bbox",
        "apply_to_keypoint",
        "apply_to_mask",
    ),
    "torchvision.transforms.": ("get_params",),
}


def called_parts(library: str) -> tuple[str, ...]:
    """The methods that a library's class calls, when it is called, of a class derived from it."""
    return next((parts for start, parts in _CALLED_PARTS.items() if library.startswith(start)), ())


def goes_through(name: str) -> bool:
    """Whether a call of this library name goes through what it is given."""
    library, _, function = name.partition(".")
    return function in {"builtins": GOES_THROUGH, "itertools": _ITERTOOLS}.get(library, frozenset())


def runs_parts(name: str) -> bool:
    """Whether a library's class makes one transform, or network, of others, and runs these."""
    last = name.rpartition(".")[2]
    return any(name.startswith(library) and last in classes for library, classes in _LET_OUT)


def keeps_its_list(name: str) -> bool:
    """Whether what a library's class makes of a list of transforms keeps that very list, to which others may
    add."""
    library, last = _LET_OUT[0][0], name.rpartition(".")[2]
    return name.startswith(library) and last in KEEPS_TRANSFORMS


def lets_errors_out(name: str) -> bool:
    """Whether what a library's call makes lets an error of what it calls out as it is."""
    return name.startswith(_DATASETS_LET_OUT) or runs_parts(name)


def takes_callbacks(name: str) -> bool:
    """Whether a call of this library name runs the callables among its arguments."""
    last = name.rpartition(".")[2]
    return last in _LAST or name in ("builtins.sorted", "builtins.min", "builtins.max")


def is_called_for_others(method: str) -> bool:
    """Whether a method of something unknown, by its name, runs the functions that it is given."""
    return method in _LAST


def element_arguments(name: str) -> int | None:
    """How many arguments a call gives to the function it is given first, before the elements of what it is
    given beside (``map(f, xs)``: 0, ``reduce(f, xs)``: 1); None where it gives no elements."""
    return 1 if name == "functools.reduce" else 0 if name.rpartition(".")[2] in _OF_ELEMENTS else None


def is_builder(name: str) -> bool:
    """Whether a library call makes an object of a class that its arguments name (``build_from_cfg``)."""
    return "build" in name.rpartition(".")[2].lower()


def runs_at_once(name: str) -> bool:
    """Whether the callables among a call's arguments have run, elsewhere, by the time its result is data:
    the jobs of pools (``Pool().map``), and what Hugging Face's datasets keep the results of."""
    if name.startswith(_HF_DATASETS) and name.rpartition(".")[2] in _HF_AT_ONCE:
        return True
    return "Pool()." in name or "Executor()." in name or name.startswith("joblib.")


def is_pipeline(name: str) -> bool:
    """Whether a call makes a pipeline of webdataset's, or a stage of one: it keeps all that it is given, is
    sent with it, and calls its functions when it is read, in workers. What follows a WebLoader does not."""
    return name.startswith("webdataset.") and not name.startswith("webdataset.WebLoader")


def takes_transform(name: str) -> bool:
    """Whether a call makes a dataset of Hugging Face's, which may be told what to call for each item."""
    return name.startswith(_HF_DATASETS)
