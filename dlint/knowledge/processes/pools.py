"""Pools, threads, queues and locks: what makes them, and what a fork leaves of them."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Pool(NamedTuple):
    """A class of pools.

    ``of`` is what it runs; ``lazy`` pools start it with the first task. ``size`` is the keyword of the
    number of threads or processes (the first positional parameter).
    """

    name: str
    of: Literal["threads", "processes"]
    size: str
    lazy: bool = False

    @property
    def shown(self) -> str:
        """What a reader calls it."""
        return self.name.rpartition(".")[2]


POOLS = {
    pool.name: pool
    for pool in (
        Pool("multiprocessing.pool.ThreadPool", "threads", "processes"),
        Pool("concurrent.futures.ThreadPoolExecutor", "threads", "max_workers", lazy=True),
        Pool("multiprocessing.Pool", "processes", "processes"),
        Pool("multiprocessing.pool.Pool", "processes", "processes"),
        Pool("multiprocessing.get_context().Pool", "processes", "processes"),
        Pool("concurrent.futures.ProcessPoolExecutor", "processes", "max_workers", lazy=True),
    )
}
THREAD_POOLS = frozenset(name for name, pool in POOLS.items() if pool.of == "threads")
# The last parts of the names above: a file that makes a pool mentions one.
POOL_WORDS = ("Pool", "ThreadPool", "ThreadPoolExecutor", "ProcessPoolExecutor")

# What makes an event loop, whose own pool has threads from the first task on; what hands that one a task,
# and what does so where it is told of no pool.
RUNS_IN_LOOP = "asyncio.run"
MAKE_LOOPS = frozenset({RUNS_IN_LOOP, "asyncio.new_event_loop"})
TO_THREAD = "asyncio.to_thread"
RUN_IN_OWN_POOL = frozenset(
    f"asyncio.{given}().run_in_executor" for given in ("get_event_loop", "get_running_loop", "new_event_loop")
)

# Methods that only tell about a pool or end it: calling them after a fork waits for nobody's work.
_NO_WORK = frozenset({"close", "terminate", "shutdown", "join", "__enter__", "__exit__"})
# Methods that end a pool; after `close` alone its threads go some time after the last task.
RELEASES = frozenset({"join", "shutdown", "terminate"})
# Methods that hand a pool one task each, and methods that hand it one for every element.
SUBMITS = frozenset({"submit", "apply_async", "map_async", "starmap_async"})
MAPS = frozenset({"map", "starmap", "imap", "imap_unordered"})
# What is asked for what a task gives.
RESULTS = frozenset(
    {f"{name}().submit().result" for name in POOLS if name.startswith("concurrent.futures.")}
    | {f"{name}().apply_async().get" for name in POOLS if name.startswith("multiprocessing.")}
)
# Methods that wait for the pool in the call itself.
WAITS = frozenset({"map", "starmap", "apply"})

# Calls that give what a function of this process makes of each thing.
_THREAD_MAPS = frozenset(f"{name}().{method}" for name in THREAD_POOLS for method in MAPS - {"starmap"})

# Queues that live in one process: a thread of the parent does not fill the worker's copy.
THREAD_QUEUES = frozenset({"queue.Queue", "queue.LifoQueue", "queue.PriorityQueue", "queue.SimpleQueue"})
LOCKS = frozenset({"threading.Lock", "threading.RLock", "threading.Semaphore", "threading.Condition"})
THREADS = frozenset({"threading.Thread", "threading.Timer"})

# Starting a process, which a worker (a daemonic process) may not.
PROCESSES = frozenset(
    {"multiprocessing.Process", "multiprocessing.get_context().Process", "multiprocessing.process.Process"}
)
# The same, in one call that also starts it.
PROCESS_STARTS = frozenset({"multiprocessing.spawn", "multiprocessing.start_processes"})
# Calls that make a pool of processes, give it all work and end it.
PROCESS_MAPS = frozenset({"tqdm.contrib.concurrent.process_map"})


def gives_results(name: str) -> bool:
    """Whether a call gives what threads make of each thing that it is given."""
    return name in _THREAD_MAPS


def gives_work(method: str) -> bool:
    """Whether a method of a pool hands it work."""
    return method not in _NO_WORK
