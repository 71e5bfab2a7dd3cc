"""Why a file stays as it is."""

from __future__ import annotations


class CannotAdopt(Exception):
    """The file cannot be changed by anybody but its owner; one line says why."""
