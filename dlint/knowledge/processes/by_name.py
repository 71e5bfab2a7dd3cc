"""Which functions of libraries pickle finds by their name, and which callers only call what they get."""

from __future__ import annotations

from dlint.regex import regex

# Measured: each comes back from pickle as itself. Not `numpy.random.rand` and the like, which are methods of
# a generator and take its state along.
_FOUND = regex(
    r"torch\.[a-z]\w*|torch\.nn\.functional\.\w+|torch\.nn\.utils\.rnn\.\w+"
    r"|torch\.utils\.data\.(dataloader\.|_utils\.collate\.)?default_collate"
    r"|collections\.(Counter|OrderedDict|defaultdict|deque)"
    r"|numpy\.[a-z]\w*|math\.\w+|builtins\.(abs|bytes|dict|float|int|len|list|max|min|set|sorted|str|sum|tuple)"
)
# They keep what they are given and call it; they neither compare it nor look at its name or attributes.
# `torchvision.transforms.v2.Lambda` prints its function's name.
_CALLS = (
    "torch.utils.data.",
    "torchvision.transforms.",
    "torchvision.datasets.",
    "builtins.map",
    "builtins.filter",
    "builtins.callable",
)
_LOOKS = frozenset({"torchvision.transforms.v2.Lambda"})
# The attributes under which they keep it, by the end of their name, where it is not given by keyword.
_ATTRIBUTES = {
    "DataLoader": ("collate_fn", "worker_init_fn"),
    "Lambda": ("lambd",),
    "Compose": ("transforms",),
}
# Objects that pickle refuses, apart from handles (see dlint.knowledge.processes.handles).
_REFUSED = regex(
    r"_?threading\.(Lock|RLock|Condition|Event|Semaphore|BoundedSemaphore|Thread|local)|_thread\.allocate_lock"
    r"|multiprocessing\.(pool\.)?(Thread)?Pool|multiprocessing\.(dummy\.)?Pool|multiprocessing\.Process"
    r"|concurrent\.futures\.\w*Executor|queue\.\w*Queue|socket\.socket|sqlite3\.connect|logging\.StreamHandler"
    r"|subprocess\.Popen|torch\.utils\.tensorboard\.\w*SummaryWriter|tensorboardX\.SummaryWriter"
    r"|torch\.Generator|builtins\.(open|iter|zip|map|filter|enumerate|reversed)|io\.open|contextvars\.\w+"
)


def is_found_by_name(name: str) -> bool:
    """Whether a worker that is sent a library's function finds it by its name."""
    return _FOUND.fullmatch(name) is not None


def only_calls(name: str) -> bool:
    """Whether a library's function or class does nothing with a function that it is given but call it."""
    return name.startswith(_CALLS) and name not in _LOOKS


def kept_as(name: str, keyword: str | None) -> tuple[str, ...]:
    """The attributes under which what a library's class makes keeps a function, given by keyword or not."""
    if name.startswith("builtins."):
        return ()
    last = name.rpartition(".")[2]
    return (keyword,) if keyword is not None else _ATTRIBUTES.get(last, ("transform", "target_transform"))


def is_refused(name: str) -> bool:
    """Whether pickle refuses what a library's function or class makes."""
    return _REFUSED.fullmatch(name) is not None
