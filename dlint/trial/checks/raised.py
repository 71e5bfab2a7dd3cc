"""It raised: what torch and Python say in which case, by the measured texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.finding import Effect
from dlint.trial.probe.places import Place
from dlint.trial.records import Raised, place_of, raised
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


class _Said(NamedTuple):
    """What is said, of which rule that is, the cure, and what happens where the words do not tell."""

    pattern: re.Pattern[str]
    code: str
    cure: str
    what: str = ""


def _said(pattern: str, code: str, cure: str, what: str = "") -> _Said:
    return _Said(re.compile(pattern), code, cure, what)


# As torch 2.13 and Python 3.11 say it; older and newer ones say the same but for single words.
_SAID = (
    _said(
        r"batch_sampler option is mutually exclusive|batch_size=None option disables auto-batching",
        "DL302",
        "give the batch_sampler alone; with batch_size=None, no shuffle and drop_last",
    ),
    _said(
        r"DataLoader with IterableDataset: expected unspecified",
        "DL303",
        "leave the option out: the stream itself decides the order",
    ),
    _said(
        r"sampler option is mutually exclusive with shuffle",
        "DL301",
        "shuffle=(sampler is None)",
    ),
    _said(
        r"persistent_workers option needs num_workers > 0|prefetch_factor option could only be|"
        r"multiprocessing_context can only be used|num_workers option should be non-negative|"
        r"timeout option should be non-negative",
        "DL304",
        "give the option only where num_workers is above 0",
    ),
    _said(r"Seed must be between 0 and 2\*\*32 - 1", "DL206", "take the seed % 2**32"),
    _said(
        r"daemonic processes are not allowed to have children",
        "DL107",
        "start no processes in workers: threads, or num_workers=0 for the inner loader",
    ),
    _said(
        r"bootstrapping phase",
        "DL402",
        'put what starts workers behind `if __name__ == "__main__":`',
        "each worker runs the program again up to where it starts workers: RuntimeError: An attempt has been "
        "made to start a new process before the current process has finished its bootstrapping phase",
    ),
    _said(
        r"AttributeError: Can't get attribute '\w+' on <module '__mp_main__'",
        "DL401",
        'define it before `if __name__ == "__main__":`, where workers find it',
    ),
    _said(
        r"found <class 'NoneType'>|Could not infer dtype of NoneType",
        "DL502",
        "return an item in every case, or leave None out in a collate_fn",
    ),
    _said(
        r"Cannot re-initialize CUDA in forked subprocess|CUDA error: initialization error",
        "DL503",
        "return tensors of the CPU, and move the batch in the training loop",
    ),
    _said(
        r"Too many open files|received 0 items of ancdata",
        "DL507",
        "keep copies: batch.clone()",
    ),
    _said(
        r"fork\(\) called from a process already using GNU OpenMP",
        "DL106",
        "numba's threading layer workqueue, or multiprocessing_context='forkserver'",
    ),
    _said(
        r"generator raised StopIteration",
        "DL505",
        "end with return, or take the next with a default",
    ),
)
# What only workers say that share a handle with others.
_IN_FORKED = re.compile(
    r"BadZipFile|ReadersFullError|MDB_READERS_FULL|Bad magic number|bad local file header"
)


def check(trial: Trial, plain: Trial | None) -> Iterator[Wrong]:
    """What was raised, and what that means."""
    if trial.outcome not in ("raised", "died") or trial.records.of("refused"):
        return
    error = trial.records.raised
    inner = trial.records.raised_by_items
    errors = [each for each in (*inner, error) if each is not None]
    stderr = trial.result.stderr
    for each in errors:
        for said in _SAID:
            if said.pattern.search(each.text) or said.pattern.search(each.message):
                yield _wrong(trial, said, each, error)
                return
    for said in _SAID:
        # A worker that ended before it began says it on the stream alone.
        if (match := said.pattern.search(stderr)) is not None:
            line = stderr[stderr.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0].strip()
            what = said.what or f"a worker ended with {line}"
            yield Wrong(said.code, what, said.cure, "error", near=_files(trial, errors), about=said.code)
            return
    yield from _special(trial, plain, errors, stderr)


def _special(trial: Trial, plain: Trial | None, errors: list[Raised], stderr: str) -> Iterator[Wrong]:
    first = errors[0] if errors else None
    place = first.place if first else None
    near = _files(trial, errors)
    init = trial.records.first("init raised")
    if init is not None and _is_called(raised(init)):
        yield Wrong(
            "DL205",
            f"worker_init_fn cannot be called with the worker's number: {raised(init).text}",
            "pass a function of one parameter, and not what a call of it gives",
            "error",
            near=near,
            or_rules=("DL204",),
        )
    elif trial.forked and any(_IN_FORKED.search(each.text) for each in errors):
        yield Wrong(
            "DL403",
            f"workers that share a handle read what others are at: {errors[0].text}",
            "open it in the worker, at its first use in each process",
            "error",
            place,
            near,
        )
    elif (received := _not_received(trial, stderr)) is not None:
        holder = _torch_generator(trial)
        if holder is not None:
            yield Wrong(
                "DL203",
                f"{trial.way.method} cannot send {holder}, a torch.Generator, to a worker: {received}",
                "make it in the worker from torch.initial_seed()",
                "error",
                near=near,
                or_rules=("DL401",),
                about=holder,
            )
        else:
            yield Wrong(
                None,
                f"a worker that {trial.way.method} has started could not load what it was sent: {received}",
                "see the traceback on standard error: it imports the program's modules afresh",
                "error",
                near=near,
                sure=False,
                about=received,
            )
    elif plain is not None and trial.way.workers and plain.outcome == "raised":
        # The same without workers, where it is told: it counts here as well.
        if first is not None and place is not None and place == _place_of(plain):
            yield Wrong(None, f"it raised {first.text}", "see the line", "error", place, near, sure=False)
    elif first is None:
        yield Wrong(
            None, f"the process ended with {trial.ending}{_last(stderr)}", "see what it printed", "error"
        )
    else:
        sound = bool(trial.way.workers) and plain is not None and plain.outcome == "ran"
        only = ", and without workers it does not" if sound else ""
        yield Wrong(None, f"it raised {first.text}{only}", "see the line", "error", place, near, sure=False)


def _place_of(plain: Trial) -> Place | None:
    """The line at which the trial without workers raised."""
    errors = (*plain.records.raised_by_items, plain.records.raised)
    return next((each.place for each in errors if each is not None), None)


def _not_received(trial: Trial, stderr: str) -> str | None:
    """The error by which a worker ended before it began: it stands on the stream alone."""
    if trial.forked or not trial.way.workers or "reduction.pickle.load(from_parent)" not in stderr:
        return None
    behind = stderr[stderr.rindex("reduction.pickle.load(from_parent)") :]
    return next((line.strip() for line in behind.splitlines()[1:] if line[:1].strip()), None)


def _torch_generator(trial: Trial) -> str | None:
    """The path of a torch.Generator that the dataset holds."""
    parent = trial.records.first("parent") or {}
    kinds: dict[str, str] = parent.get("kinds", {})
    return next((path for path, kind in kinds.items() if kind.startswith("torch")), None)


def _is_called(error: Raised) -> bool:
    """Whether the call itself failed, and nothing within the function."""
    return error.type == "TypeError" and error.place is None


def _wrong(trial: Trial, said: _Said, error: Raised, outer: Raised | None) -> Wrong:
    effect: Effect = "hang" if said.code == "DL506" else "error"
    place = error.place or (outer.place if outer else None)
    if said.code == "DL502":
        place = _of_none(trial) or place
    return Wrong(said.code, f"it raised {error.text}", said.cure, effect, place, _files(trial, [error]))


def _of_none(trial: Trial) -> Place | None:
    """The dataset that returned None."""
    at = trial.records.loader.get("dataset_at")
    if at is None or not any(event.none for event in trial.records.events):
        return None
    return place_of(at)


def _files(trial: Trial, errors: list[Raised]) -> tuple[str, ...]:
    found = list(trial.records.files)
    found += [each.place[0] for each in errors if each.place is not None]
    return tuple(dict.fromkeys(found))


def _last(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return f": {lines[-1].strip()[:200]}" if lines else ""
