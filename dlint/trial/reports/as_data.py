"""A verdict as plain values, for JSON."""

from __future__ import annotations

from typing import Any

from dlint.finding import Finding
from dlint.trial.comparing import differing
from dlint.trial.judging import Shown, Verdict
from dlint.trial.probe.places import Place
from dlint.trial.reports.words import path_of
from dlint.trial.trials import Trial


def as_data(verdict: Verdict) -> dict[str, Any]:
    """All that is known: the loader, the trials, what is wrong, what static analysis says."""
    return {
        "loader": _loader(verdict),
        "trials": [_trial(trial) for trial in verdict.trials],
        "items_that_differ": {
            name: {"others": others, "compared": count}
            for name, (others, count) in differing(verdict.trials).items()
        },
        "wrong": [_shown(shown) for shown in verdict.shown],
        "if_read_otherwise": [_shown(shown) for shown in verdict.elsewhere],
        "confirmed": [{**_finding(finding), "how": how} for finding, how in verdict.confirmed],
        "not_seen": [_finding(finding) for finding in verdict.unseen],
    }


def _loader(verdict: Verdict) -> dict[str, Any] | None:
    told = next((trial.records.loader for trial in verdict.trials if trial.records.loader), None)
    if told is None:
        return None
    plain = (
        "cls",
        "dataset",
        "stream",
        "length",
        "batch_size",
        "num_workers",
        "collate_fn",
        "worker_init_fn",
        "torch",
    )
    return {
        **{name: told.get(name) for name in plain},
        "made": _place(told.get("made")),
        "defined": _place(told.get("dataset_at")),
    }


def _trial(trial: Trial) -> dict[str, Any]:
    error = trial.records.raised
    return {
        "as_used": trial.is_as_used,
        "workers": trial.way.workers,
        "start_method": trial.way.method,
        "items": trial.way.items,
        "epochs": trial.way.epochs,
        "outcome": trial.outcome,
        "seconds": round(trial.result.seconds, 3),
        "items_a_second": trial.items_a_second,
        "where": trial.result.where,
        "raised": None
        if error is None
        else {"type": error.type, "message": error.message, "place": _place(error.place)},
        "stderr": trial.result.stderr if trial.outcome in ("raised", "died") else "",
    }


def _shown(shown: Shown) -> dict[str, Any]:
    from dlint.rules import all_rules

    wrong = shown.wrong
    return {
        "code": wrong.code,
        "name": None if wrong.code is None else all_rules()[wrong.code].name,
        "sure": wrong.sure,
        "effect": wrong.effect,
        "what": wrong.what,
        "cure": wrong.cure,
        "place": _place(wrong.place),
        "trials": list(shown.ways),
        "finding": None if shown.finding is None else _finding(shown.finding),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "level": finding.level,
        "message": finding.message,
    }


def _place(at: Place | None) -> dict[str, Any] | None:
    return None if at is None else {"path": path_of(at[0]), "line": at[1], "function": at[2]}
