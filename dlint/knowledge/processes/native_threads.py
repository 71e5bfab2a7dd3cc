"""Libraries whose own threads, written in C or Rust, do not survive a fork."""

from __future__ import annotations

from typing import NamedTuple

# Variables that launchers set where the user does not: torchrun gives each of several processes one thread.
SET_BY_LAUNCHERS = frozenset({"OMP_NUM_THREADS"})


class Library(NamedTuple):
    """Calls of a library that run on its threads.

    ``package`` is its top name; ``makers`` are the classes (full names) whose objects' ``methods`` do, or
    empty where the methods of everything that the package makes do. ``after_torch`` is safe when torch is
    imported first. ``environment`` is a variable that gives it a single thread. ``plans`` are calls that
    only describe work.
    """

    package: str
    methods: frozenset[str]
    makers: frozenset[str] = frozenset()
    after_torch: bool = False
    environment: str = "OMP_NUM_THREADS"
    runs: str = ""
    plans: frozenset[str] = frozenset()


LIBRARIES = (
    Library(
        "polars",
        frozenset({"collect", "sort", "group_by", "groupby", "read_parquet"}),
        environment="POLARS_MAX_THREADS",
        runs="4 of 4",
        plans=frozenset({"polars.col", "polars.lit", "polars.when", "polars.element", "polars.all"}),
    ),
    Library(
        "sklearn",
        frozenset({"fit", "fit_predict", "fit_transform", "predict"}),
        frozenset(
            {
                "sklearn.cluster.KMeans",
                "sklearn.ensemble.HistGradientBoostingClassifier",
                "sklearn.ensemble.HistGradientBoostingRegressor",
            }
        ),
        after_torch=True,
        runs="3 of 3",
    ),
    Library(
        "faiss",
        frozenset({"search", "add", "train", "assign", "add_with_ids"}),
        after_torch=True,
        runs="3 of 3",
    ),
)

# Packages that import torch themselves.
TORCH = frozenset(
    {
        *("torch", "torchvision", "torchaudio", "torchtext", "torchdata", "torchmetrics", "torch_geometric"),
        *("pytorch_lightning", "lightning", "timm", "monai", "kornia", "accelerate", "fairseq", "detectron2"),
        *("mmcv", "ignite"),
    }
)
# Gives every native library one thread while it is in force.
LIMITS = frozenset({"threadpoolctl.threadpool_limits"})
CORES = frozenset({"os.cpu_count", "os.process_cpu_count", "multiprocessing.cpu_count", "psutil.cpu_count"})
# Gives the set of them, of whichever process it is asked.
SET_OF_CORES = "os.sched_getaffinity"
