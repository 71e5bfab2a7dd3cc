"""Handles that workers have otherwise: under a key when first needed, in functions, options and modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from dlint.finding import Remedy
from dlint.fork.early.opened_late import path_of
from dlint.fork.early.reset import is_met_after_fork
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.sides import names_of, renewed
from dlint.program.asked import for_events, for_made, for_visit
from dlint.program.conditions import any_loaded, both, start_by_default
from dlint.program.handles.in_functions import in_functions
from dlint.program.handles.kept_early import kept_early
from dlint.program.handles.of_modules import is_at_import, of_modules
from dlint.program.handles.on_options import on_options
from dlint.program.program import Program
from dlint.rules.handles.said import kept_by_hand, opened_before, other_place
from dlint.rules.rule import Found
from dlint.rules.wording import brief
from dlint.values.values import Instance, Key
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode


def under_keys(program: Program, use: WorkerUse, owners: list[Instance]) -> Iterator[Found]:
    """Handles that are kept under a key when first needed, where the parent needs the same ones before."""
    for each, when, sure in kept_early(program, use, owners):
        if isinstance(each.made.node, ast.expr):
            handle, visit = each.handle, each.visit
            yield Found(
                each.made.point.frame.module,
                each.made.node,
                f"{each.place} {'is' if each.alone else 'holds'} {handle.name} opened {when.how}: "
                f"forked workers share it and {handle.forked}",
                handle.effect,
                f"{handle.advice}{other_place(when)}",
                both(
                    any_loaded(program, [use]),
                    for_visit(program, visit, each.statement),
                    None if sure else "workers need the same one",
                ),
                visit.link.steps(each.place, visit.function.module, each.statement),
                by_hand=kept_by_hand(handle, each),
            )


def of_functions(program: Program, use: WorkerUse, owners: Mapping[Key, Instance]) -> Iterator[Found]:
    """Handles that workers get in a function which reads from them: ``partial(read, open(path))``."""
    start = start_by_default(program, use)
    for made, handle, part, event, bound in in_functions(program, use):
        key, name = part.into or (None, "")
        owner = owners.get(key) if key is not None else None
        if part.into is not None and (
            owner is None
            or not left_as_made(program, [use], owner, name)
            or any(path_of(visit, name) in visit.frame.layout.binds for visit in use.code.visits)
        ):
            continue
        names = {name} if name else names_of(made)
        if renewed(program, use, made) or is_met_after_fork(
            program, use, made, owner.cls if owner is not None else None, names
        ):
            continue
        forked = handle.forked if start in (None, "fork") else ""
        pickled = bound and start != "fork" and part.pickled and not handle.sent
        if not isinstance(made.node, ast.expr) or not (forked or pickled):
            continue  # a function inside another is refused itself
        by_hand = "give the function the path, and open it there in each process, keyed on os.getpid()"
        yield opened_before(program, use, event, made, handle, f"{part.place} holds", by_hand)


def of_options(program: Program, use: WorkerUse) -> Iterator[Found]:
    """Handles that the parent puts among options, where worker code reads from them."""
    start = start_by_default(program, use)
    for made, handle, target, event, sent in on_options(program, use):
        forked = handle.forked if start in (None, "fork") else ""
        if not isinstance(made.node, ast.expr) or not (
            forked or (sent and start != "fork" and not handle.sent)
        ):
            continue
        by_hand = f"keep its path there, and {handle.advice}"
        yield opened_before(program, use, event, made, handle, f"{brief(target)} is", by_hand)


def of_globals(
    program: Program, uses: list[WorkerUse], code: WorkerCode, start: str | None
) -> Iterator[Found]:
    """Handles of a module that worker code reads; spawned workers open their own."""
    if start not in (None, "fork"):
        return
    for event, made, handle, kept in of_modules(program, uses, code):
        if isinstance(made.node, ast.expr):
            at_import = is_at_import(made)
            opened = "at import" if at_import else "by the parent"
            found = Found(
                made.point.frame.module,
                made.node,
                f"{handle.name} opened {opened} is read in worker code: forked workers share "
                f"it and {handle.forked}",
                handle.effect,
                handle.advice,
                both(any_loaded(program, kept), for_made(program, made), for_events(program, code, event)),
                event.reach(),
                Remedy(
                    "handle_per_process", "unsafe", "Open it in each process", {"once": bool(handle.once)}
                ),
            )
            if handle.cure or not at_import:
                found = found._replace(remedy=None, by_hand=handle.advice)
            yield found
