"""A survey's figures as one page for a browser: it holds its plots and all that draws them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dlint.finding import LEVELS
from dlint.reports.pages import address
from dlint.survey.report.figures import Cost, Figures
from dlint.survey.report.tables import Table, tables

_TEMPLATE = Path(__file__).with_name("page.html")
_COLOURS = {"error": "#d1495b", "warning": "#edae49", "note": "#8d99ae"}
_BLUE = "#30638e"
_MOST_POINTS = 5_000


def as_page(figures: Figures) -> str:
    """The page."""
    plots = dict(_plots(figures))
    parts = []
    for number, table in enumerate(tables(figures)):
        plot = plots.get(table.title)
        drawn = "" if plot is None else _drawn(plot, f"plot{number}")
        words = f"<p>{escape(table.words)}</p>" if table.words else ""
        parts.append(
            f"<section><h2>{escape(table.title)}</h2>{words}{drawn}{_table(table, figures)}</section>"
        )
    page = _TEMPLATE.read_text(encoding="utf-8")
    return page.replace("@@PLOTLY@@", get_plotlyjs()).replace("@@SECTIONS@@", "\n".join(parts))


def _table(table: Table, figures: Figures) -> str:
    pages = {rule.code: address(rule.code, rule.name) for rule in figures.rules}
    heads = "".join(f"<th{_side(head)}>{escape(head.removeprefix('>'))}</th>" for head in table.heads)
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{_side(head)}>{_linked(cell, pages)}</td>"
            for head, cell in zip(table.heads, row, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def _side(head: str) -> str:
    return ' class="number"' if head.startswith(">") else ""


def _linked(cell: str, pages: dict[str, str]) -> str:
    shown = escape(cell)
    return f'<a href="{escape(pages[cell])}">{shown}</a>' if cell in pages else shown


def _plots(figures: Figures) -> Iterator[tuple[str, Any]]:
    """The plots by the titles of the tables that they stand above."""
    if figures.rules:
        yield "By rule", _rules(figures)
    if len(figures.years) > 1:
        yield "Over time", _years(figures)
    if len(figures.costs) > 1:
        yield "Time and memory of a version", _costs(figures)


def _rules(figures: Figures) -> Any:
    rules = figures.rules[::-1]
    names = [f"{rule.code} {rule.name}" for rule in rules]
    plot = go.Figure(
        [
            go.Bar(
                x=[rule.findings[level] for rule in rules],
                y=names,
                orientation="h",
                name=f"{level}s",
                marker_color=_COLOURS[level],
                customdata=[len(rule.repositories) for rule in rules],
                hovertemplate="%{x} in %{customdata} repositories",
            )
            for level in LEVELS
        ]
    )
    return plot.update_layout(
        barmode="stack", height=120 + 26 * len(rules), xaxis_title="findings", legend_traceorder="normal"
    )


def _years(figures: Figures) -> Any:
    years = [each.year for each in figures.years]
    touched = [100 * each.touched / each.versions for each in figures.years]
    density = [each.density for each in figures.years]
    line = {"mode": "lines+markers", "x": years}
    return go.Figure(
        [
            go.Scatter(y=touched, name="versions with an error or a warning, %", line_color=_BLUE, **line),
            go.Scatter(
                y=density, name="findings for 10,000 lines", yaxis="y2", line_color=_COLOURS["error"], **line
            ),
        ]
    ).update_layout(
        height=380,
        xaxis={"title": "year of the commit", "dtick": 1},
        yaxis={"title": "%", "rangemode": "tozero"},
        yaxis2={"overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False},
    )


def _costs(figures: Figures) -> Any:
    costs = _some(figures.costs)
    shown = [f"{escape(each.repository)} {(each.version or '')[:10]}" for each in costs]
    plot = go.Figure(
        go.Scattergl(
            x=[max(each.lines, 1) for each in costs],
            y=[each.seconds for each in costs],
            mode="markers",
            marker={
                "color": [each.memory / 1e6 for each in costs],
                "colorscale": "Viridis",
                "colorbar": {"title": "MB"},
                "size": 6,
                "opacity": 0.7,
            },
            text=shown,
            hovertemplate="%{text}<br>%{x} lines, %{y:.2f} s, %{marker.color:.0f} MB<extra></extra>",
        )
    )
    return plot.update_layout(
        height=460,
        xaxis={"title": "lines", "type": "log"},
        yaxis={"title": "seconds", "type": "log"},
    )


def _some(costs: Any) -> list[Cost]:
    """The slowest among them, and of the others as many as a browser draws with ease."""
    ordered: list[Cost] = sorted(costs, key=lambda each: -each.seconds)
    step = max(1, len(ordered) // _MOST_POINTS)
    return [*ordered[:step], *ordered[step::step]]


def _drawn(plot: Any, name: str) -> str:
    plot.update_layout(
        template="none",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "color": "#80868b"},
        margin={"l": 20, "r": 20, "t": 20, "b": 50},
        legend={"orientation": "h", "y": 1.08},
    )
    plot.update_yaxes(automargin=True)
    drawn: str = plot.to_html(
        full_html=False,
        include_plotlyjs=False,
        include_mathjax=False,
        div_id=name,
        config={"displaylogo": False, "responsive": True},
    )
    return drawn
