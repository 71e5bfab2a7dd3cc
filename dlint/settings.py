"""What the user and the project chose: one value that every door hands to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StartMethod = Literal["fork", "forkserver", "spawn"]


@dataclass(frozen=True)
class Settings:
    """Choices for one run.

    ``select`` / ``ignore`` / ``extend_select`` are code prefixes. ``target_torch`` is the oldest torch
    release the program must work with ("1.8"), None where neither option nor project says;
    ``start_method`` None means any. ``exclude`` are gitignore-style patterns besides .gitignore's.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    target_torch: str | None = None
    start_method: StartMethod | None = None
