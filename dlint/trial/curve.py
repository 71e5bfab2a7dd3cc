"""A curve in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

_HEIGHT = 10
_WIDEST = 72


def curve(values: Sequence[float], title: str, width: int) -> list[str]:
    """The lines of a plot by plotext; one line with numbers where that is not installed."""
    try:
        import plotext
    except ImportError:
        few = values[:: max(1, len(values) // 8)]
        return [f"{title}: {', '.join(f'{each:.3g}' for each in few)}"]
    plotext.clear_figure()
    plotext.plot(list(range(1, len(values) + 1)), list(values))
    plotext.title(title)
    plotext.plot_size(min(width, _WIDEST), _HEIGHT)
    plotext.theme("clear")  # colours are the terminal's own business
    text: str = plotext.build()
    return [line.rstrip() for line in text.splitlines() if line.strip()]
