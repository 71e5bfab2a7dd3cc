"""What a rule is: one module of this package, read by name.

``dlNNN_some_name.py`` is the rule DLNNN ``some-name``. The module's docstring is its documentation page
(the first line is the summary), its function ``check`` goes from the program to what it found. Two
optional constants: ``ON_BY_DEFAULT = False`` for opinions, ``ONCE_PER_FILE = True`` for a rule whose
findings in a file are reported at the first place, with the count of the others. A function ``together``
makes one finding of those that one cure ends, and lets the others name it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.finding import Applicability, Effect, Finding, Level, ReachStep, Remedy

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module


class Found(NamedTuple):
    """What a rule hands to the engine: a place in a module and what is wrong there.

    ``what`` says in one clause of at most 120 characters what stands there, where from, and what happens, to
    somebody who never heard of dlint; ``effect`` is the kind of it. ``cure`` says what to do, and
    ``condition`` what must be so for the effect to come, as a clause ("torch is older than 1.9"), where the
    project leaves that open. ``by_hand`` is for what the cure does not say where there is no remedy: why not.
    ``marked`` are the parts of the node that it is about, for whoever shows them.
    ``kind`` tells the hazards of one rule apart where they are reported once a file each. ``together`` are
    the files whose findings the same cure ends.
    """

    module: Module
    node: ast.expr | ast.stmt
    what: str
    effect: Effect
    cure: str
    condition: str | None = None
    reach: tuple[ReachStep, ...] = ()
    remedy: Remedy | None = None
    by_hand: str | None = None
    kind: str = ""
    together: tuple[str, ...] = ()
    marked: tuple[ast.expr | ast.keyword, ...] = ()

    @property
    def message(self) -> str:
        """All of it in one line."""
        condition = "" if self.condition is None else f", if {self.condition}"
        return f"{self.what}{condition}; {self.cure}"


Check = Callable[["Program"], Iterator[Found]]
Together = Callable[[Sequence[Finding]], Iterator[Finding]]


class Rule(NamedTuple):
    """A rule as the registry knows it; everything comes from its module, whose docstring is the ``text``.

    What the text says is read when it is asked for: a check of a small file asks for nothing of it.
    """

    code: str
    name: str
    text: str
    check: Check
    on_by_default: bool
    once_per_file: bool
    together: Together | None

    @property
    def documentation(self) -> str:
        import inspect

        return inspect.cleandoc(self.text)

    @property
    def summary(self) -> str:
        return self.documentation.partition("\n")[0]

    @property
    def levels(self) -> tuple[tuple[Level, Effect], ...]:
        """What its findings may be: what the section "Level" names, as in "`warning`, hang: ..."."""
        section = self.documentation.partition("\n## Level\n")[2].partition("\n## ")[0]
        return tuple(re.findall(r"(?:^- |; )`(\w+)`, (\w+)\b", section, re.MULTILINE))

    @property
    def fix(self) -> Applicability | None:
        """The best that its remedy may be, by the first word of the page's section "Fix safety"; None where
        there is none."""
        section = self.documentation.partition("\n## Fix safety\n")[2].lstrip()
        words: dict[str, Applicability] = {"Safe": "safe", "Unsafe": "unsafe"}
        return next((kind for word, kind in words.items() if section.startswith(word)), None)

    @property
    def page(self) -> str:
        """The rule's page in Markdown, in the terminal and on the site."""
        off = "" if self.on_by_default else "Off by default: name it in `select` or `extend-select`.\n\n"
        return f"# {self.code} {self.name}\n\n{off}{self.documentation.rstrip()}"
