"""What is asked of the engine, as far as the answer hangs on it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dlint.project.files import Listing, listing
from dlint.settings.settings import Settings


class Question(NamedTuple):
    """A run."""

    paths: tuple[Path, ...]
    settings: Settings
    suppress: bool = True

    def listing(self) -> Listing:
        """The files that it is about."""
        return listing(self.paths, self.settings.left_out, force_exclude=self.settings.force_exclude)
