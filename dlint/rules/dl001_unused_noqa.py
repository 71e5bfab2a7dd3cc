"""A `# noqa` comment names a rule of dlint that finds nothing there.

## What it finds

A `# noqa: DL101` on a line where DL101 finds nothing, be it that the hazard has been repaired, that the line
has changed, or that no rule has that code. Off by default. Comments without codes and codes of other tools
are left alone, as are codes of rules that were not run (`--select`, `ignore`), and beginnings (`DL1`) unless
all rules that they mean were run.

flake8 looks for comments itself, and knows nothing of this rule: it is one of `dlint check`.

## Why is this bad

The comment silences nothing today, and hides the hazard when it comes back. Whoever reads it looks for
something that is not there.

## Example

```python
loader = DataLoader(images, num_workers=4)  # noqa: DL301
```

Use instead:

```python
loader = DataLoader(images, num_workers=4)
```

## Level

- `note`, cost: nothing happens to the training; this rule is off by default.

## Fix safety

Safe: the codes go, and the comment where it has no others; other tools' codes and words beside them stay.

## References

- https://flake8.pycqa.org/en/stable/user/violations.html#in-line-ignoring-errors
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dlint.finding import Finding, Remedy
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import listed
from dlint.source.noqa.noqa import Comment, comments

ON_BY_DEFAULT = False
_CODE, _NAME = "DL001", "unused-noqa"


def check(program: Program) -> Iterator[Found]:
    """Nothing of the program: what a comment silences is known when all other rules have been asked."""
    yield from ()


def unused(
    text: str, path: str, findings: Sequence[Finding], ran: Collection[str], known: Collection[str]
) -> Iterator[Finding]:
    """The comments of a file that silence nothing of ``findings``, all that the rules ``ran`` have found.

    ``known`` are the codes of all rules; ``path`` is how reports call the file.
    """
    for comment in comments(text):
        unknown, idle = [], []
        for code in comment.codes:
            meant = [each for each in known if each.startswith(code)]
            if not code.startswith("DL") or code in (_CODE, "DL000"):
                continue
            if not meant:
                unknown.append(code)
            elif all(each in ran for each in meant) and not _silences(comment, code, findings):
                idle.append(code)
        if unknown:
            yield _finding(path, comment, f"# noqa names {listed(unknown)}, which no rule is called", unknown)
        if idle:
            verb = "is" if len(idle) == 1 else "are"
            yield _finding(path, comment, f"# noqa names {listed(idle)}, which {verb} not found here", idle)


def _silences(comment: Comment, code: str, findings: Sequence[Finding]) -> bool:
    return any(
        comment.first <= finding.line <= comment.last and finding.code.startswith(code)
        for finding in findings
    )


def _finding(path: str, comment: Comment, what: str, codes: Sequence[str]) -> Finding:
    cure = f"take {listed(list(codes))} out of the comment"
    return Finding(
        code=_CODE,
        name=_NAME,
        message=f"{what}: the comment silences nothing; {cure}",
        path=path,
        line=comment.line,
        column=comment.column,
        end_line=comment.line,
        end_column=comment.end_column,
        remedy=Remedy("shorten_noqa", "safe", "Take it out of the comment", {"codes": list(codes)}),
        effect="cost",
    )
