"""One explanation of what is seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dlint.doctor.seen import Seen
from dlint.running.stacks import Frame


@dataclass(frozen=True)
class Cause:
    """The rule that a process shows. ``sure`` where nothing else looks so; ``why`` is what is seen and what
    it means; ``stack`` are the frames that show it, innermost first; ``place`` is the project's line."""

    code: str
    sure: bool
    why: str
    cure: str
    processes: tuple[Seen, ...]
    stack: tuple[Frame, ...]
    place: Frame | None

    @property
    def mark(self) -> tuple[object, ...]:
        """What the same explanation of another process has alike."""
        return (self.code, self.sure, self.why, self.place)

    def with_process(self, other: Cause) -> Cause:
        """The cause of this one's processes and of another one's."""
        return replace(self, processes=(*self.processes, *other.processes))
