"""A curve in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

_HEIGHT = 8
_WIDEST = 60


def curve(values: Sequence[float], title: str, width: int) -> list[str]:
    """The lines of a plot of values, the first to the last from left to right, in ASCII."""
    low, high = min(values), max(values)
    labels = [f"{low + (high - low) * row / (_HEIGHT - 1):.3g}" for row in range(_HEIGHT)]
    margin = max(map(len, labels))
    columns = max(2, min(len(values), width - margin - 2, _WIDEST))
    at = [round(column * (len(values) - 1) / (columns - 1)) for column in range(columns)]
    rows = [round((values[each] - low) / ((high - low) or 1) * (_HEIGHT - 1)) for each in at]
    lines = [
        f"{labels[row]:>{margin}} |{''.join('*' if each == row else ' ' for each in rows)}".rstrip()
        for row in reversed(range(_HEIGHT))
    ]
    last = str(len(values))
    return [title, *lines, f"{'':>{margin}}  1{last:>{max(len(last) + 1, columns - 1)}}"]
