"""Handles that are kept under a key when first needed, where the parent needs the same ones before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.fork.early.per_process import is_for_one_process, is_given_process
from dlint.fork.early.when import When, kept_before
from dlint.fork.kept.by_key import KeptByKey, kept_by_key
from dlint.fork.sides import init_visits
from dlint.knowledge.processes.handles import HANDLES
from dlint.program.conditions import start_by_default

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.values.values import Instance
    from dlint.workers.uses import WorkerUse


def kept_early(
    program: Program, use: WorkerUse, owners: list[Instance]
) -> Iterator[tuple[KeptByKey, When, bool]]:
    """Such handles of the worker code of a use, how the parent comes to keep them, and whether they surely
    are ones that workers need."""
    if start_by_default(program, use) not in (None, "fork"):
        return
    if not any(event.name in HANDLES for event in use.code.events):
        return
    begins = [visit.function.module.text_of(visit.function.node) for visit in init_visits(program, use)]
    for each in kept_by_key(program.evaluator, use.code.visits):
        word = each.place.rpartition(".")[2]
        of_object = each.visit.function.receiver if each.own else None
        beside = [visit for visit in use.code.visits if of_object and visit.function.receiver == of_object]
        if is_for_one_process([each.visit, *beside]) or any(word in text for text in begins):
            continue
        if is_given_process(program.evaluator, use.code.visits, each.visit.function.node):
            continue
        if each.alone and _is_bound_by_others(use, each, word):
            continue
        when, sure = kept_before(program, use, owners, each)
        if when is not None:
            yield each, when, sure


def _is_bound_by_others(use: WorkerUse, kept: KeptByKey, word: str) -> bool:
    """Whether other worker code than what opens a handle stores into what holds it, or lets go of that, or
    looks at its process before it asks for the handle."""
    asks = re.compile(rf"\b(?:{word}|{getattr(kept.visit.function.node, 'name', word)})\b")
    stores = re.compile(rf"\b{word} = |\b{word}\.close\(|\bdel [^\n]{{0,300}}\b{word}\b")
    return any(
        stores.search(text) or (is_for_one_process([visit]) and asks.search(text))
        for visit in use.code.visits
        if visit.function.node is not kept.visit.function.node
        for text in [visit.function.module.text_of(visit.function.node)]
    )
