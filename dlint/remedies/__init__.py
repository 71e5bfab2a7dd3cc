"""The remedies, one file each, on libcst: imported only when a file is being repaired.

A rule decides, without libcst, whether a remedy is offered (``Remedy(name, applicability, summary,
data)``); the module of that name, in one of the rooms here, performs it on the node that the finding points
at, or raises :class:`~dlint.rewriting.refusal.CannotRepair` with what to do by hand. The finding must point
at (start and end of) the node in the second column; ``data`` is empty unless the third column names
something.

=====================  ==============================  =================================================
name                   the finding points at           data
=====================  ==============================  =================================================
cv2_threads_off        any expression in the file      {"kind": "threads"} (default), "thread-count" (the
                                                       setNumThreads call) or "umat"
remove_reseed          the seeding call                {"cure": "remove it"}: optional, what to do where a
                                                       local generator with the same seed is no cure
seed_workers           the loader call or another      {"kind": "missing"} (default; "home": "data/voc.py",
                       call that takes the keyword     optional, the file of the dataset) or "append" (its
                                                       worker_init_fn lacks NumPy)
seed_from_torch        the seeding call in a
                       worker_init_fn, or the call
                       there that leads to it
pass_function          the call that is passed as
                       worker_init_fn, or the loader
                       call
seed_in_range          the seeding call
                       (``np.random.seed(...)``)
drop_argument          the loader call                 {"arguments": ["shuffle"]}: keywords to remove
shuffle_without_       the loader call
  sampler
generator_per_worker   the assignment or the call      {"attribute": "rng", "class": "VOCDataset"}: the
                       that makes the generator        attribute (or module-level name, class null)
pool_per_process       the assignment or the call      as generator_per_worker; for DL103 (made in worker
                       that makes the pool             code) {"kind": "per-item"}; {"kind": "needed"}: made
                                                       when it is first needed
bound_pool             the call that makes the pool    {"bound": 4}: optional, the number to write
close_pool             the assignment or the call
                       that makes the pool
leave_one_thread       the call of
                       ``torch.set_num_threads``
hoist_callable         the lambda, the ``def``, or
                       the argument that names it
hoist_class            the ``class``
handle_per_process     the assignment or the call      as generator_per_worker; for DL401 {"kind": "object"},
                       that opens the handle           for a list of handles {"kind": "several"}
keep_sendable          what is stored in an            {"kind": "module"} or "generator"
                       attribute
insert_set_epoch       the loader call, the sampler    {"sampler": "train_sampler", "path": "train.py",
                       call or the epoch loop          "line": 12, "loader": "loader", "sure": false}: the
                                                       sampler's variable, the epoch loop's file and line,
                                                       the loader there, under which "attribute" of it the
                                                       sampler is, and whether it surely is; all optional
hoist_iterator         the ``next(iter(loader))``
shorten_noqa           the ``# noqa`` comment          {"codes": ["DL301"]}: those that silence nothing
clone_kept             what is kept of a batch         {"parts": ["labels"]}: the tensors in it, as
                                                       ``ast.unparse`` writes them
guard_main             the loop or expression that     {"line": 26}: optional, the line of the body's
                       starts the workers              statement that calls the function it stands in
=====================  ==============================  =================================================
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

# Remedies that may cure more than the finding they are made for: performed first and one at a time, and what
# is gone then needs no repair. One with a function ``widest_first`` puts the findings in order, and may name
# a better place for them in their data.
CURE_OTHERS = frozenset({"cv2_threads_off", "remove_reseed"})
# Remedies that move a function or class with all that it needs: performed after what is repaired inside it,
# which may need less.
MOVE_FUNCTIONS = frozenset({"hoist_callable", "hoist_class"})
# Remedies that mend a function which seeds workers, and those that take one of the project where that has a
# good one, and else write one: they wait for the others, lest there be two.
MEND_SEEDING = frozenset({"seed_in_range", "seed_from_torch"})
TAKE_SEEDING = frozenset({"seed_workers", "pass_function"})
# What items are, and what a loop over batches keeps of them, no remedy in the room of seeds changes: a
# finding about that which is gone with one is only no longer seen.
_ABOUT_ITEMS = frozenset({"DL502", "DL506", "DL507"})


@cache
def all_remedies() -> dict[str, str]:
    """The module of each remedy, by the remedy's name: the listing of the rooms is the registry."""
    modules = [info.name for info in pkgutil.walk_packages(__path__, f"{__name__}.") if not info.ispkg]
    return {module.rpartition(".")[2]: module for module in modules}


def remedy(name: str) -> ModuleType:
    """The module that performs a remedy, imported when somebody asks for it."""
    return importlib.import_module(all_remedies()[name])


def may_cure(name: str, code: str) -> bool:
    """Whether a remedy may do anything for a finding of a rule."""
    module = all_remedies().get(name, "")
    return code not in _ABOUT_ITEMS or not module.startswith(f"{__name__}.seeds.")
