"""Library calls that start a function of the program in a process or thread, and what they pass to it.

Sources: the documentation of ``torch.multiprocessing``, ``multiprocessing``, ``threading``,
``concurrent.futures``, ``accelerate``, ``torch_xla`` and ``detectron2.engine``.
"""

from __future__ import annotations

from typing import NamedTuple


class Starter(NamedTuple):
    """How a call names the function it starts.

    ``place`` and ``keyword`` are the function's, ``args`` those of the tuple that is passed on (None: the
    call's own further arguments are), ``kwargs`` the keyword of the dict; ``own`` is how many arguments the
    library puts first (the rank).
    """

    place: int | None
    keyword: str
    args: tuple[int | None, str] | None
    kwargs: str | None = None
    own: int = 0


_PROCESS = Starter(None, "target", (3, "args"), "kwargs")
_SPAWN = Starter(0, "fn", (1, "args"), own=1)
_SUBMIT = Starter(0, "fn", None)

# These start anew, unless they are told how; by torch 1.0 to 2.13 that is the default.
STARTED_ANEW = frozenset({"multiprocessing.spawn", "multiprocessing.start_processes"})
STARTERS = {
    "multiprocessing.spawn": _SPAWN,
    "multiprocessing.start_processes": _SPAWN,
    "torch_xla.distributed.xla_multiprocessing.spawn": _SPAWN,
    "multiprocessing.Process": _PROCESS,
    "multiprocessing.get_context().Process": _PROCESS,
    "threading.Thread": _PROCESS,
    "concurrent.futures.ThreadPoolExecutor().submit": _SUBMIT,
    "concurrent.futures.ProcessPoolExecutor().submit": _SUBMIT,
    "accelerate.notebook_launcher": Starter(0, "function", (1, "args")),
    "detectron2.engine.launch": Starter(0, "main_func", (None, "args")),
}
