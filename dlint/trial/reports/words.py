"""What all reports of a verdict say alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dlint.project.paths import display_path
from dlint.trial.comparing import differing
from dlint.trial.judging import Verdict
from dlint.trial.trials import Trial
from dlint.trial.wrong import Wrong


def headline(verdict: Verdict) -> str:
    """What was tried."""
    told = next((trial.records.loader for trial in verdict.trials if trial.records.loader), None)
    if told is None:
        return "It ends before there is a loader:"
    made = f" ({path_of(told['made'][0])}:{told['made'][1]})" if told.get("made") else ""
    at = f" ({path_of(told['dataset_at'][0])}:{told['dataset_at'][1]})" if told.get("dataset_at") else ""
    ways = verdict.trials[0].way
    return (
        f"{told['cls']}{made} of {told['dataset']}{at}, {ways.epochs} epochs of {ways.items} items each way:"
    )


def remarks(verdict: Verdict) -> Iterator[str]:
    """What was taken, where what the user has named is no loader itself, or several."""
    records = verdict.trials[0].records
    for note in records.of("of several"):
        keys = [str(key) for key in note["keys"]]
        others = ", ".join(f"NAME[{key}]" for key in keys[1:])
        if others:
            yield f"It gives {len(keys)} loaders or datasets: the first is tried; for the others, {others}."
    for note in records.of("inner"):
        yield f"It gives an object that reads a DataLoader of its own, .{note['name']}: that is tried."
    if any(trial.records.cut for trial in verdict.trials):
        yield "Some trials took more notes than are read (64 MB): fewer --items show all."
    if records.first("dataset alone") is not None:
        yield "It gives a dataset: it is read item by item, without a collate_fn."


def compared(verdict: Verdict) -> Iterator[str]:
    """Which trials gave other items than the one without workers."""
    for name, (others, count) in differing(verdict.trials).items():
        yield (
            f"{name}: {others} of {count} items are others than without workers, where they are the same "
            "in every epoch."
        )


def became(trial: Trial, verdict: Verdict) -> str:
    """What became of a trial: in a few words, with the rules that it shows."""
    codes = dict.fromkeys(
        shown.wrong.code
        for shown in (*verdict.shown, *verdict.elsewhere)
        if trial.name in shown.ways and shown.wrong.code
    )
    tail = f"  {', '.join(codes)}" if codes else ""
    if trial.outcome == "ran":
        if not any(event.what != "iter" and event.error is None for event in trial.records.events):
            return f"ran, and gave no items{tail}"
        speed = trial.items_a_second
        return f"ran{f', {speed:.3g} items a second' if speed else ''}{tail}"
    if trial.outcome == "raised":
        # What a worker raised comes to the main process as a text around it.
        error = next(iter(trial.records.raised_by_items), trial.records.raised)
        return f"raised {error.text if error else 'an error'}{tail}"
    if trial.outcome == "still":
        return f"stood still{f' ({trial.result.where})' if trial.result.where else ''}{tail}"
    if trial.outcome == "slow":
        return f"did not end within {trial.limits.run:.0f} s: try fewer --items, or a longer --time-limit"
    if trial.result.end == "lost":
        return f"could not be run: {trial.result.stderr}"
    return f"ended with {trial.ending}{tail}"


def by(verdict: Verdict) -> str:
    """The torch that the trials ran with, in brackets: many a hazard is one of older releases."""
    found = next((told for trial in verdict.trials if (told := trial.records.loader.get("torch"))), None)
    return f" (torch {found.partition('+')[0]})" if found else ""


def named(wrong: Wrong) -> str:
    """The rule, and how sure it is."""
    if wrong.code is None:
        return "No rule"
    from dlint.rules import all_rules

    return f"{wrong.code} {all_rules()[wrong.code].name}, {'surely' if wrong.sure else 'probably'}"


def path_of(file: str) -> str:
    """A path as the user knows it."""
    return display_path(Path(file))


def ways_in_words(ways: Sequence[str], verdict: Verdict) -> str:
    """Which trials: all of them, all with workers, or these, by the number of workers."""
    names = [trial.name for trial in verdict.trials]
    if len(names) > 1 and set(ways) == set(names):
        return "all trials"
    mine = [trial for trial in verdict.trials if trial.name in ways]
    with_workers = [trial.name for trial in verdict.trials if trial.way.workers]
    if len(with_workers) > 2 and set(ways) == set(with_workers):
        return "all trials with workers"
    groups: dict[str, list[str]] = {}
    for trial in mine:
        number, _, method = trial.name.partition(", ")
        groups.setdefault(number, []).append(method)
    return "; ".join(
        number + (f", {', '.join(filter(None, methods))}" if any(methods) else "")
        for number, methods in groups.items()
    )
