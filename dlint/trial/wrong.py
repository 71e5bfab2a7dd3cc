"""What a check tells of a trial."""

from __future__ import annotations

from dataclasses import dataclass

from dlint.finding import Effect
from dlint.trial.probe.places import Place


@dataclass(frozen=True)
class Wrong:
    """Something that went wrong in a trial.

    ``code`` is the rule, None where none is about it; ``or_rules`` are others that it may be as well: static
    analysis knows which. ``what`` says in a clause what was seen, ``cure`` what to do. ``place`` is the line
    that it happened at, where one is known, ``near`` are the files that it is about. ``sure``: nothing else
    looks so. ``grows`` is what is added with every item (``files``, ``threads``, ``memory``,
    ``shared memory``), where that is what is wrong. ``about`` is the thing that is wrong (``dataset.file``),
    by which two trials are seen to show the same.
    ``needs_finding``: what a trial does is not what every program does; it counts where static analysis,
    which sees the whole program, says the same.
    """

    code: str | None
    what: str
    cure: str
    effect: Effect
    place: Place | None = None
    near: tuple[str, ...] = ()
    or_rules: tuple[str, ...] = ()
    sure: bool = True
    grows: str | None = None
    about: str = ""
    needs_finding: bool = False
