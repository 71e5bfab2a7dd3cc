"""Runs the rules over the program of one project, block by block, in one process or several."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.analysis.garbage import search
from dlint.analysis.guarded import GivenUp, guarded, too_much
from dlint.budget.budget import BUDGET
from dlint.finding import Finding, Span, Trouble
from dlint.knowledge.loading import LOADER_WORDS, loader_words
from dlint.knowledge.trainers import BUILDERS, COLLATES, WORKERS
from dlint.project.blocks import NOTHING_KNOWN
from dlint.project.index.index import Index
from dlint.project.releases.releases import Releases
from dlint.settings.settings import Settings, enabled

if TYPE_CHECKING:
    from dlint.analysis.kept import Kept
    from dlint.program.program import Program
    from dlint.project.blocks import Block, Facts
    from dlint.rules.rule import Found, Rule
    from dlint.source.module import Module

Progress = Callable[[int, int], None]

# The analysis follows expressions and calls by recursion, with bounds of its own.
_RECURSION = 12_000
# A program that mentions none of these has neither loaders nor datasets nor functions for workers: the rules
# are not even imported for it.
_PROGRAM_WORDS = (
    *(*LOADER_WORDS, *loader_words(BUILDERS), COLLATES, WORKERS),
    *("Dataset", "worker_init", "init_fn", "seed_worker"),
)

# With fewer blocks than this, what processes read twice costs more than they save.
_WORTH_PROCESSES = 4


class Project(NamedTuple):
    """What there is to check: a root, the files of its program, and how."""

    root: Path
    files: tuple[Path, ...]
    settings: Settings
    texts: Mapping[Path, bytes]


class Hit(NamedTuple):
    """What a rule found, as data that crosses processes; ``path`` is absolute."""

    path: str
    finding: Finding
    kind: str
    together: tuple[str, ...]


class Outcome(NamedTuple):
    """What was found in some blocks, the files that were parsed, the rules that failed, the files that there
    was not enough work for, and what could not be read that says which torch it is."""

    hits: list[Hit]
    parsed: set[str]
    failures: set[Trouble]
    given_up: set[GivenUp]
    unread: set[Trouble]

    @property
    def faults(self) -> bool:
        """Whether some rule failed, which is more than that there was not enough work."""
        return len(self.failures) > bool(self.given_up)


def analyse(project: Project, jobs: int, progress: Progress | None, kept: Kept | None = None) -> Outcome:
    """What the rules find in a project; several processes give the same as one.

    ``jobs`` is the number of processes, 0 for as many as there are cores where that is worth it. ``kept``
    is given the program, where that is one block, for those who ask more.
    """
    analysis = _Analysis(project)
    outcome = Outcome([], set(), set(), set(), set())
    for part in analysis.run(jobs, progress, kept):
        outcome.hits.extend(part.hits)
        outcome.parsed.update(part.parsed)
        outcome.failures.update(part.failures)
        outcome.given_up.update(part.given_up)
        outcome.unread.update(part.unread)
    if outcome.given_up:
        outcome.failures.add(too_much(project.root, outcome.given_up))
    return outcome


def programs(project: Project) -> Iterator[Program]:
    """The program of each block of a project, one after the other: with the next, the one before is gone.

    To be called where it is ``unsearched``.
    """
    analysis = _Analysis(project)
    try:
        for number in range(len(analysis.blocks)):
            yield analysis.turn_to(number)
    finally:
        analysis.let_go()


class _Analysis:
    """The index of a project, and its blocks one by one."""

    def __init__(self, project: Project) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        self._project = project
        self._index = Index(project.root, project.files, project.texts)
        chosen = project.settings
        apart = [each.configured_in for each in chosen.nested if each.configured_in is not None]
        self._releases = Releases(self._index, chosen.target_torch, chosen.torch, chosen.python, apart)
        self.blocks: list[Block | None] = []
        self._at: Program | None = None  # of the block that was looked at last
        if any(self._index.mentioning(word) for word in _PROGRAM_WORDS):
            from dlint.project.blocks import blocks

            self.blocks = blocks(self._index)

    def run(self, jobs: int, progress: Progress | None, kept: Kept | None) -> Iterator[Outcome]:
        """The outcome of each block."""
        if len(self.blocks) <= 1:
            for block in self.blocks:
                program = self._program(block, progress)
                outcome = self._judged(program)
                if kept is not None and not outcome.failures:
                    kept.keep(program, self._project.files, self._project.texts)
                else:
                    program.let_go()
                yield outcome
            return
        _in_this_process.analysis = self  # a forked process finds it there
        try:
            if jobs == 0 and len(self.blocks) >= _WORTH_PROCESSES:
                jobs = os.cpu_count() or 1
            jobs = min(jobs, len(self.blocks))
            if jobs > 1 and _can_fork():
                from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
                from multiprocessing import get_context

                try:
                    with ProcessPoolExecutor(jobs, get_context("fork"), initializer=_begin) as pool:
                        yield from self._rounds(pool.map, progress)
                    return
                except (OSError, NotImplementedError, BrokenExecutor):
                    pass  # no processes to be had, or one was killed; what is found twice counts once
            yield from self._rounds(map, progress)
        finally:
            _in_this_process.analysis = None
            self.let_go()

    def let_go(self) -> None:
        """Ends the program that was looked at last."""
        if self._at is not None:
            self._at.let_go()
            search()

    def _rounds(self, each: Callable[..., Iterable[Any]], progress: Progress | None) -> Iterator[Outcome]:
        """What blocks must know of one another, then what is found in each of them."""
        from dlint.project.blocks import together

        numbers = range(len(self.blocks))
        steps = count(1)

        def advance() -> None:
            if progress is not None:
                progress(next(steps), 2 * len(numbers))

        known: list[Facts] = []
        for facts, outcome in each(_facts_of_block, numbers):
            known.append(facts)
            yield outcome
            advance()
        for outcome in each(_outcome_of_block, numbers, [together(known)] * len(numbers)):
            yield outcome
            advance()

    def facts(self, number: int) -> tuple[Facts, Outcome]:
        """What the other blocks must know of one, and what stood in the way."""
        program = self.turn_to(number)
        outcome = Outcome([], set(), set(), set(), set())
        facts: list[Facts] = []
        root = self._project.root
        ask = partial(_append_facts, program, facts)
        guarded(ask, "looking for loaders", root, outcome.failures, outcome.given_up)
        return facts[0] if facts else NOTHING_KNOWN, outcome

    def outcome(self, number: int, facts: Facts) -> Outcome:
        """What the rules find in one of several blocks."""
        program = self.turn_to(number)
        program.learn(facts)
        return self._judged(program)

    def turn_to(self, number: int) -> Program:
        """The program of a block, begun afresh: what it can find must not depend on what was looked at before
        it. The one before is let go, for memory holds one of them."""
        self.let_go()
        self._at = self._program(self.blocks[number])
        return self._at

    def _program(self, block: Block | None, progress: Progress | None = None) -> Program:
        from dlint.program.program import Program

        files = self._index.paths if block is None else block
        subjects = {file for word in _PROGRAM_WORDS for file in self._index.mentioning(word)}
        BUDGET.begin(sum(map(self._index.lines, files)), sum(file in subjects for file in files))
        return Program(
            self._index,
            releases=self._releases,
            start_method=self._project.settings.start_method,
            block=block,
            progress=progress,
        )

    def _judged(self, program: Program) -> Outcome:
        """What the rules say of a program."""
        from dlint.rules import all_rules

        rules = all_rules()
        codes = enabled(rules.values(), self._project.settings)
        found = Outcome([], set(), set(), set(), set())
        for code, rule in rules.items():
            if code not in codes:
                continue
            guarded(
                partial(_ask, code, rule, program, found.hits),
                code,
                self._project.root,
                found.failures,
                found.given_up,
            )
        found.parsed.update(program.modules.parsed)
        found.unread.update(program.releases.troubles)
        return found


def _can_fork() -> bool:
    """Whether there are processes that need not begin anew. One that does has the working directory on its
    path before anything else, and would run the files of the tree: a `random.py` beside the code."""
    from multiprocessing import get_all_start_methods

    return "fork" in get_all_start_methods()


def _append_facts(program: Program, facts: list[Facts]) -> None:
    facts.append(program.facts)


def _ask(code: str, rule: Rule, program: Program, hits: list[Hit]) -> None:
    for found in rule.check(program):
        hits.append(_hit(code, rule, found))


class _InThisProcess:
    """The analysis that a process of several works at."""

    analysis: _Analysis | None = None


_in_this_process = _InThisProcess()


def _begin() -> None:
    import signal
    import threading

    # Ctrl-C reaches this process as well, and its parent has said all there is to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the parent was killed: nobody else tells a process that waits for its next block."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _facts_of_block(number: int) -> tuple[Facts, Outcome]:
    assert _in_this_process.analysis is not None
    return _in_this_process.analysis.facts(number)


def _outcome_of_block(number: int, facts: Facts) -> Outcome:
    assert _in_this_process.analysis is not None
    return _in_this_process.analysis.outcome(number, facts)


def _hit(code: str, rule: Rule, found: Found) -> Hit:
    from dlint.source.scopes import scope_at

    node = found.node
    module = found.module
    place = _span(module, node)
    finding = Finding(
        code=code,
        name=rule.name,
        message=found.message,
        path=module.relative,
        line=place.line,
        column=place.column,
        end_line=place.end_line,
        end_column=place.end_column,
        reach=found.reach,
        remedy=found.remedy,
        by_hand=found.by_hand or (found.cure if found.remedy is None else None),
        effect=found.effect,
        condition=found.condition,
        scope=scope_at(module.tree, node.lineno),
        marked=tuple(_span(module, part) for part in found.marked),
    )
    return Hit(str(module.path), finding, found.kind, found.together)


def _span(module: Module, node: ast.expr | ast.stmt | ast.keyword) -> Span:
    end_line = node.end_lineno or node.lineno
    end_offset = node.end_col_offset if node.end_col_offset is not None else node.col_offset
    return Span(
        node.lineno,
        module.column(node.lineno, node.col_offset),
        end_line,
        module.column(end_line, end_offset),
    )
