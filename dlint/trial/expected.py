"""What static analysis says of a project, asked by whoever has run something of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dlint.finding import Finding
from dlint.settings import Settings


@cache
def findings_of(root: Path) -> Sequence[Finding]:
    """The findings in the project at a folder, by its settings; by none where those cannot be read, which is
    said on standard error. Remembered for as long as the process lives."""
    from dlint import engine

    return engine.check([root], settings_of(root)).findings


@cache
def settings_of(root: Path) -> Settings:
    """The settings of the project at a folder, the default ones where they cannot be read."""
    from dlint import settings
    from dlint.rules import all_codes

    try:
        chosen = settings.for_run([root], {})
        if chosen.names_rules:
            settings.check_names(all_codes(), chosen)
    except settings.SettingsError as error:
        print(f"dlint: {error}", file=sys.stderr)
        return settings.for_run([root], {"isolated": True})
    return chosen
