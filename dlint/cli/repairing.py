"""Writing what a run of repairs came to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dlint.finding import Trouble
from dlint.project.paths import display_path

if TYPE_CHECKING:
    from dlint.repair import Repairs


def written(repairs: Repairs) -> Repairs:
    """Writes the files, one that others need before these. What could not be written counts as left."""
    from dlint.repair import Left
    from dlint.rewriting.files import CannotWrite, replace

    why: dict[Path, str] = {}
    troubles = list(repairs.troubles)
    replaced = []
    for file in repairs.files:
        needed = [path for step in repairs.steps if file.path in step.files for path in step.files]
        failed = next((path for path in needed if path in why), None)
        if failed is not None:
            why[file.path] = f"{display_path(failed)} could not be written: {why[failed]}"
            continue
        try:
            replace(file.path, file.old, file.new)
        except CannotWrite as error:
            troubles.append(Trouble(display_path(file.path), f"not repaired: {error}"))
            why[file.path] = str(error)
        else:
            replaced.append(file)
    steps, left = [], list(repairs.left)
    for step in repairs.steps:
        reason = next((why[path] for path in reversed(step.files) if path in why), None)
        if reason is None:
            steps.append(step)
        else:
            left += [Left(finding, reason, finding) for finding in step.findings]
    return type(repairs)(tuple(replaced), tuple(steps), tuple(left), tuple(troubles), repairs.checked)
