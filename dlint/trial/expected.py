"""What static analysis says of a project, for those who have run it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dlint.finding import Finding


@cache
def findings_of(root: Path) -> Sequence[Finding]:
    """What ``dlint check`` finds in the project at ``root``, by its settings where they can be read."""
    from dlint import engine, settings
    from dlint.settings import SettingsError

    try:
        chosen = settings.for_run([root], {})
    except SettingsError:
        chosen = settings.for_run([root], {"isolated": True})
    return engine.check([root], chosen).findings
