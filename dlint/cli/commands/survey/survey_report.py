"""``dlint survey report``: what a survey comes to."""

from __future__ import annotations

from pathlib import Path

import click

from dlint.cli import CLEAN, FINDINGS
from dlint.cli.options import CannotDo
from dlint.cli.output import say, say_json
from dlint.cli.writing import write_file
from dlint.project.paths import display_path
from dlint.reports.signs import visible

NEEDED = 'a survey needs Dask, pyarrow and plotly: pip install "torch-dlint[survey]"'


@click.command("report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--compare",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="OLD NEW",
    help="What two surveys of the same versions found differently, finding by finding.",
)
@click.option(
    "--output-format",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    show_default=True,
    help="With --compare: how to print it.",
)
def report(folder: Path | None, compare: tuple[Path, Path] | None, output_format: str) -> int:
    """Sum up the survey in DIR: findings by rule, level and effect, repositories touched, the most common
    reach, time and memory. It writes report.md and report.html, one page with plots that needs no network,
    into DIR.

    Exit code: 0; with --compare 1 where the surveys differ; 2 where there is no survey.
    """
    try:
        from dlint.survey.store import StoreError
    except ImportError as error:
        raise CannotDo(NEEDED) from error
    if (folder is None) == (compare is None):
        raise CannotDo("give the folder of a survey, or --compare OLD NEW")
    try:
        if folder is not None:
            return _report(folder)
        assert compare is not None
        return _compare(*compare, as_json=output_format == "json")
    except StoreError as error:
        raise CannotDo(str(error)) from error


def _report(folder: Path) -> int:
    try:
        from dlint.survey.report.as_page import as_page
    except ImportError as error:
        raise CannotDo(NEEDED) from error
    from dlint.survey.report.as_markdown import as_markdown
    from dlint.survey.report.figures import figures
    from dlint.survey.store import Store

    store = Store(folder)
    store.plan()
    found = figures(store)
    for name, text in (("report.md", "\n".join(as_markdown(found)) + "\n"), ("report.html", as_page(found))):
        write_file(folder / name, text, "survey report")
        say([visible(display_path(folder / name))])
    return CLEAN


def _compare(old: Path, new: Path, *, as_json: bool) -> int:
    from dlint.survey.report import comparison
    from dlint.survey.store import Store

    found = comparison.compare(Store(old), Store(new))
    if as_json:
        say_json([comparison.as_json(found)])
    else:
        say(map(visible, comparison.as_markdown(found)))
    return CLEAN if found.is_alike else FINDINGS
