"""A verdict for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.reports.line import one_line, place
from dlint.reports.pages import address
from dlint.trial.judging import Verdict
from dlint.trial.reports.as_text import closing
from dlint.trial.reports.words import became, by, compared, headline, named, path_of, remarks, ways_in_words


def as_markdown(verdict: Verdict) -> Iterator[str]:
    """The lines of a document."""
    yield f"# {_cell(closing(verdict))}"
    yield ""
    yield _cell(" ".join((headline(verdict), *remarks(verdict))))
    yield ""
    yield "| way | what became of it |"
    yield "| --- | --- |"
    yield from (f"| {trial.name} | {_cell(became(trial, verdict))} |" for trial in verdict.trials)
    if differences := list(compared(verdict)):
        yield ""
        yield from (f"- {_cell(line)}" for line in differences)
    for shown in verdict.shown:
        wrong = shown.wrong
        yield ""
        yield f"## {named(wrong)}"
        yield ""
        yield f"{_cell(wrong.what.rstrip('.'))}."
        yield ""
        if wrong.place is not None:
            yield f"- at `{path_of(wrong.place[0])}:{wrong.place[1]}`"
        yield f"- in {ways_in_words(shown.ways, verdict)}"
        if shown.finding is not None:
            yield f"- `dlint check`: {_cell(place(shown.finding))}: {_cell(one_line(shown.finding))}"
        yield f"- cure: {_cell(wrong.cure)}"
        if wrong.code is not None:
            yield f"- more: <{address(wrong.code, _name(wrong.code))}>"
    if verdict.elsewhere:
        yield ""
        yield "## Not as the program reads it, but if it did"
        yield ""
        for shown in verdict.elsewhere:
            said = f"{ways_in_words(shown.ways, verdict)}: {named(shown.wrong)}: {shown.wrong.what}"
            yield f"- {_cell(said)}"
    for title, findings in (
        ("Confirmed", [(finding, how) for finding, how in verdict.confirmed]),
        (f"Not seen in these trials{by(verdict)}", [(finding, "") for finding in verdict.unseen]),
    ):
        if findings:
            yield ""
            yield f"## {title}"
            yield ""
            for finding, how in findings:
                said = f"{place(finding)}: {one_line(finding)}"
                yield f"- {_cell(f'{said}: {how}' if how else said)}"


def _name(code: str) -> str:
    from dlint.rules import all_rules

    return all_rules()[code].name


def _cell(text: str) -> str:
    """The text as it is, where Markdown would take __init__ for bold, or a column for two."""
    plain = text.replace("|", "\\|").replace("<", "&lt;").replace("__", "\\_\\_").replace("**", "\\*\\*")
    return " ".join(plain.split())
