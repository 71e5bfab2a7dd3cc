"""Random numbers that workers have in common: generators that were made before them, and unseeded NumPy."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.trial.draws import drawn, in_words, only_to_begin, repeats
from dlint.trial.probe.holds.generators import GLOBAL
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """Streams that begin alike in several workers, or epochs, and that no worker_init_fn has seeded."""
    if not trial.way.workers:
        return
    kept = bool(trial.records.loader.get("persistent"))
    kinds = {name: str(kind) for note in trial.records.of("begun") for name, kind in note["kinds"].items()}
    seeded = {
        str(note["library"]) for note in trial.records.of("seed") if note["phase"] not in ("load", "main")
    }
    for stream, readers in drawn(trial).items():
        how = list(repeats(readers, kept=kept))
        if not how or stream in seeded:
            continue
        if stream not in GLOBAL:
            if only_to_begin(trial, readers):
                continue
            yield Wrong(
                "DL203",
                f"{stream}, a {kinds.get(stream, 'generator')} made before the workers: {in_words(how)}",
                "make it in the worker, from torch.initial_seed()",
                "silent",
                near=trial.records.files,
                about=stream,
            )
        elif stream == "numpy":
            yield Wrong(
                "DL202",
                f"NumPy's global generator: {in_words(how)}",
                "a worker_init_fn that seeds NumPy from torch.initial_seed() % 2**32, or torch >= 1.9",
                "silent",
                near=trial.records.files,
                about=stream,
            )
