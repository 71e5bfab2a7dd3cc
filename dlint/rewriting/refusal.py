"""Why a remedy leaves a finding as it is."""

from __future__ import annotations


class CannotRepair(Exception):
    """The shape of the code does not allow a correct edit; the message says what to do by hand."""
