"""A program that was analysed, for those who ask it more: nothing need be looked for a second time."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlint.program.program import Program


class Kept:
    """Has the program that was analysed last, where that was one block and no rule failed."""

    def __init__(self) -> None:
        self._held: tuple[Program, tuple[Path, ...], Mapping[Path, bytes]] | None = None
        self._lent = False

    def keep(self, program: Program, files: Sequence[Path], texts: Mapping[Path, bytes]) -> None:
        """Holds a program of some files, with the texts of those that are not what the disk has. Of several
        projects in one check that is the last."""
        if self._held is not None:
            self._held[0].let_go()
        self._held = program, tuple(files), texts

    def let_go(self) -> None:
        """Holds none: memory has room for the next."""
        held, lent, self._held, self._lent = self._held, self._lent, None, False
        if held is None:
            return
        gc.unfreeze()
        if not lent:
            held[0].let_go()
            return
        # Who got it may ask it still: of those before it, what nobody has any more is searched for.
        del held
        gc.collect()

    @property
    def holds(self) -> bool:
        """Whether there is a program."""
        return self._held is not None

    def program(self, files: Sequence[Path], texts: Mapping[Path, bytes]) -> Program | None:
        """The program of just these files with just these texts; None where another is held."""
        if self._held is None or self._held[1] != tuple(files) or self._held[2] != texts:
            return None
        self._lent = True
        return self._held[0]
