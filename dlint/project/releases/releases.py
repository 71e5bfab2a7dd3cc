"""Which torch and which Python a program runs on: what rules ask where a hazard hangs on the release."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from dlint.finding import Trouble
from dlint.knowledge.releases import FIRST_TORCH_OF_PYTHON
from dlint.project.index.index import Index
from dlint.project.releases.bounds import Range, is_release, numbers
from dlint.project.releases.declarations import NOTHING, Declaration, Declared
from dlint.project.releases.further_down import FurtherDown, narrowed
from dlint.project.releases.oldest_torch import Need, Release, need_of
from dlint.source.notebooks import is_notebook, python_of
from dlint.source.reading import SourceError

# How a condition begins that holds on old releases of torch alone.
OLDER_TORCH: Final = "torch is older than"


class Releases:
    """What the user has chosen (``target``, the oldest torch), else what the project declares, else what its
    code needs. Folders further down may declare something as well (see `of`), but for those that go
    ``apart``."""

    def __init__(
        self,
        index: Index,
        target: str | None = None,
        torch: Declared = NOTHING,
        python: Declared = NOTHING,
        apart: Collection[Path] = (),
    ) -> None:
        self._index = index
        self._chosen = target
        self._target = numbers(target) if target is not None else None
        self._torch = torch
        self._python = python
        self._needs: dict[Release | None, Need | None] = {}
        self._notebooks: dict[str, Release | None] = {}  # the Python of each
        self._further_down = FurtherDown(index.root, apart)
        self._of: dict[tuple[Declared, Declared], Releases] = {(torch, python): self}

    def of(self, relative: str) -> Releases:
        """The same for one file: what the folders around it declare counts beside what the project does."""
        torch, python = NOTHING, NOTHING
        for declared in self._further_down.above(relative):
            torch, python = narrowed(torch, declared.torch), narrowed(python, declared.python)
        here = narrowed(torch, self._torch), narrowed(python, self._python)
        found = self._of.get(here)
        if found is None:
            found = self._of[here] = Releases(self._index, self._chosen, *here)
            found._needs, found._notebooks = self._needs, self._notebooks
        return found

    @property
    def troubles(self) -> set[Trouble]:
        """What kept declarations further down from being known."""
        return self._further_down.troubles

    @property
    def names_torch(self) -> bool:
        """Whether the user or the project says from which torch on, or up to which."""
        return self._target is not None or self._declared != Range(None, None)

    @property
    def said_torch(self) -> Release | None:
        """The oldest torch that is said to be enough, None where nobody says."""
        if self._target is not None:
            return self._target
        oldest, below = self._declared.oldest, self._declared.below
        if oldest is None:
            return None
        installed = self._with_python
        if installed > numbers(oldest) and (below is None or installed < numbers(below)):
            return installed  # no older torch can be installed beside the oldest Python
        return numbers(oldest)

    def need(self, release: Release | None = None) -> Need | None:
        """What of the program's code needs the newest torch, or none older than a release."""
        if release not in self._needs:
            self._needs[release] = need_of(self._index, release)
        return self._needs[release]

    def torch_is_from(self, release: Release) -> bool:
        """Whether the program surely runs on this torch or a newer one."""
        said, below = self.said_torch, self._declared.below
        if said is not None:
            return said >= release
        if below is not None and numbers(below) <= release:
            return False
        return self._with_python >= release or self.need(release) is not None

    def notebook_is_from(self, release: Release, relative: str) -> bool:
        """Whether a notebook was last run with a Python for which there is no older torch than this, and
        nobody says which torch it is."""
        if self.names_torch:
            return False
        if relative not in self._notebooks:
            self._notebooks[relative] = self._python_of(relative)
        python = self._notebooks[relative]
        return any(
            first >= release and python is not None and python >= since
            for since, first in FIRST_TORCH_OF_PYTHON.items()
        )

    def _python_of(self, relative: str) -> Release | None:
        if not is_notebook(relative):
            return None
        try:
            python = python_of(self._index.whole(relative))
        except SourceError:
            return None
        return numbers(python) if python is not None and is_release(python) else None

    def oldest_torch(self) -> tuple[str, str] | None:
        """The oldest torch that counts where the user has chosen none, and what decides it."""
        declared, said = self._declared.oldest, self.said_torch
        installed = self._with_python
        if declared is not None and said == numbers(declared):
            return declared, "declared"
        need = self.need() if said is None else None
        if need is not None and need.torch > installed:
            return _shown(need.torch), f"{need.what}: {need.file}:{need.line}"
        if installed:
            first = self._python.deciding[0]
            return _shown(installed), f"Python {' '.join(first.bounds.split())}: {self._place(first)}"
        return None

    def torch_is_older(self, release: Release) -> str | None:
        """What must be so for the program to run on an older torch than this; None where it always does."""
        older = f"{OLDER_TORCH} {_shown(release)}"
        if self._target is not None:
            return None
        if not self.names_torch:
            return f"{older} (the project names no release)"
        below = self._declared.below
        if below is not None and numbers(below) <= release:
            return None
        first = self._torch.deciding[0]
        allowed = self._declared.oldest or f"torch {' '.join(first.bounds.split())}"
        return f"{older} (the project allows {allowed}: {self._place(first)})"

    def torch_is_before(self, release: Release) -> bool:
        """Whether the project allows only an older torch than this; the user names but the oldest."""
        below = self._declared.below if self._target is None else None
        return below is not None and numbers(below) <= release

    @property
    def python_is_unsaid(self) -> bool:
        """Whether the project says nothing of the Pythons that it runs on."""
        return self._python.allowed is None

    def python_is_from(self, release: Release) -> bool:
        """Whether the project runs on this Python and newer ones only."""
        declared = self._python.allowed
        return declared is not None and declared.oldest is not None and numbers(declared.oldest) >= release

    def python_may_be_older(self, release: Release) -> bool:
        """Whether the project says that it runs on an older Python than this as well."""
        declared = self._python.allowed
        return declared is not None and not self.python_is_from(release)

    def _place(self, declaration: Declaration) -> str:
        file = Path(os.path.relpath(declaration.file, self._index.root)).as_posix()
        return f"{file}:{declaration.line}"

    @property
    def _declared(self) -> Range:
        return self._torch.allowed or Range(None, None)

    @property
    def _with_python(self) -> Release:
        """The first torch that there is for the oldest Python that the project declares."""
        found = [torch for python, torch in FIRST_TORCH_OF_PYTHON.items() if self.python_is_from(python)]
        return max(found, default=())


def _shown(release: Release) -> str:
    return ".".join(map(str, release))
