"""Which findings are to be repaired, each under one name, and which of them first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from dlint.finding import Finding
from dlint.project.paths import absolute
from dlint.remedies import MEND_SEEDING, MOVE_FUNCTIONS, TAKE_SEEDING
from dlint.repair.lines import Place, place_of
from dlint.settings.settings import Settings, enabled


@dataclass(frozen=True)
class Chosen:
    """Which findings are to be repaired."""

    settings: Settings
    unsafe: bool

    def concerns(self, finding: Finding) -> bool:
        """Whether the user asked for the finding's rule."""
        if not self.settings.names_rules:
            return True
        from dlint.rules import all_rules

        here = self.settings.at(absolute(finding.path))
        return finding.code in enabled(all_rules().values(), here)

    def offers(self, finding: Finding) -> bool:
        """Whether there is a remedy of the kind that was asked for."""
        offered = finding.remedy
        return offered is not None and (self.unsafe or offered.applicability == "safe")


def under_one_name(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that a link to a file shows again: its text can be replaced only once."""

    def is_link(finding: Finding) -> tuple[bool, bool]:
        path = os.path.abspath(finding.path)  # noqa: PTH100
        return os.path.islink(path), os.path.realpath(path) != path  # noqa: PTH114

    seen: dict[tuple[str, Place], Finding] = {}
    for finding in sorted(findings, key=is_link):  # a file's own name before its links, and linked folders
        seen.setdefault((os.path.realpath(finding.path), place_of(finding)), finding)
    return sorted(seen.values(), key=lambda finding: finding.sort_key)


def moves_function(finding: Finding) -> bool:
    """Whether a repair waits for those of what it moves."""
    return finding.remedy is not None and finding.remedy.name in MOVE_FUNCTIONS


def mending_first(findings: list[Finding]) -> list[Finding]:
    """The findings without those whose repair waits for functions that others mend."""
    names = {finding.remedy.name for finding in findings if finding.remedy is not None}
    waiting = TAKE_SEEDING if names & MEND_SEEDING else frozenset[str]()
    return [each for each in findings if each.remedy is None or each.remedy.name not in waiting]
