"""Questions inside questions: each is asked once, and what came out is remembered.

An answer that met itself (recursion) or a bound was *cut*. What lies between is not remembered for good,
because asked at another time it would know more; it is kept as a *draft* until the outermost question is
answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Final, TypeVar

from dlint.budget.budget import spend
from dlint.evaluation.marks import OF_ALL
from dlint.values.outcomes import Outcome, fold, within
from dlint.values.values import Key, Unknown
from dlint.values.worlds import HERE, World

DEPTH: Final = 60
STEPS = 1_500
# What a test may cause, whoever asks: of the tests that take more, one in fifty comes out one way in the end.
TEST: Final = 100
# A question that may cause fewer is asked again by those that may cause more; one that is the same for all of
# the program, wherever some function of worker code asked it first, by those that may cause all.
_LEAST: Final = 200
_NEVER: Final = 1 << 30
# What it takes to ask a question, beside what that leads to.
_COST: Final = 16

Mark = TypeVar("Mark")
Answer = TypeVar("Answer")


@contextmanager
def begun(answers: MutableMapping[Mark, Answer], mark: Mark, so_far: Answer) -> Iterator[Answer]:
    """An answer that is there while it is being found, for a question that leads back to itself. Where the
    search does not come to its end, it is as if it had not been begun."""
    answers[mark] = so_far
    try:
        yield so_far
    except BaseException:
        del answers[mark]
        raise


class Questions:
    """The questions that are open, and the answers so far."""

    def __init__(self) -> None:
        self._depth = 0
        self._steps = 0
        self._most = self._each = self._limit = STEPS
        self._cut = _NEVER
        # How deep the test was asked whose bound the limit is, 0 where it is that of the outermost question.
        self._bound = 0
        # The questions whose answer is being looked for, and how deep each was asked.
        self._open: dict[Key, int] = {}
        # What names, attributes and calls stand for, found once with nothing assumed: a later question
        # keeps the outcomes that agree with its own world.
        self._known: dict[Key, list[Outcome]] = {}
        # The same for answers that a cycle cut short: good for the rest of one question.
        self._draft: dict[Key, list[Outcome]] = {}

    def forget(self) -> None:
        """Lets go of all answers."""
        self._known.clear()
        self._draft.clear()

    def start(self, most: int = STEPS, each: int = STEPS) -> None:
        """Begins a new question, which may cause so many others, and each that it asks itself so many of
        these; what lies beyond is unknown."""
        self._steps = 0
        self._most = self._limit = most
        self._each = min(most, each)

    def apart(self, find: Callable[[], Answer]) -> tuple[Answer, bool]:
        """What a search of its own finds that some question has led to, and whether nothing cut it short: it
        may cause as many questions as any other."""
        steps, self._steps = self._steps, 0
        limit, self._limit = self._limit, self._most
        try:
            return self.whole(find)
        finally:
            self._steps, self._limit = steps, limit

    def whole(self, find: Callable[[], Answer]) -> tuple[Answer, bool]:
        """What a search finds, and whether nothing cut it short: else it is not to be kept."""
        outer, self._cut = self._cut, _NEVER
        try:
            found = find()
            sure = self._cut == _NEVER
        finally:
            self._cut = min(outer, self._cut)
        return found, sure

    @property
    def exhausted(self) -> bool:
        """Whether the question has caused as many others as it may."""
        return self._steps > self._most

    def answer(self, mark: Key, world: World, ask: Callable[[World], list[Outcome]]) -> list[Outcome]:
        """The outcomes of a question that is asked once, with nothing assumed, and remembered."""
        return within(self.answered(mark, ask), world)

    def answered(
        self, mark: Key, ask: Callable[[World], list[Outcome]], *, test: bool = False
    ) -> list[Outcome]:
        """The same with nothing assumed by who asks. A ``test`` causes no more questions than tests may: that
        it was cut short there is its answer for good, whoever asks."""
        known = self._known.get(mark)
        if known is None:
            known = self._draft.get(mark)
        if known is None:
            if mark in self._open:
                # The question leads back to itself: a variable that a loop changes, a recursive call.
                self.cut(self._open[mark])
                return [(Unknown(("loop", mark)), HERE)]
            outermost = self._depth == 0
            if outermost:
                self._draft.clear()
                self._limit = min(self._most, self._steps + self._each)
                self._bound = 0
            room = self._limit - self._steps
            limit, bound = self._limit, self._bound
            own = test and room > TEST
            if own:
                self._limit = self._steps + TEST
                self._bound = self._depth + 1
            self._open[mark] = self._depth + 1
            try:
                known, sure = self._ask(ask, mark)
            finally:
                del self._open[mark]
                if own:
                    self._limit, self._bound = limit, bound
            # What was asked while nothing else was open would be cut at the same place again, unless it may
            # cause more questions then.
            least = STEPS if mark[0] in OF_ALL else _LEAST
            if sure or (outermost and room >= least):
                for _, w in known:
                    w.keep()
                self._known[mark] = known
            else:
                self._draft[mark] = known
        return known

    def _ask(self, ask: Callable[[World], list[Outcome]], mark: Key) -> tuple[list[Outcome], bool]:
        """The outcomes, and whether they are what they would be at any other time."""
        spend(_COST)
        self._steps += 1
        if self._depth > DEPTH or self._steps > self._limit:
            # What a test may cause ends it in the same place whoever asks.
            self._cut = min(self._cut, self._bound if self._depth <= DEPTH else 0)
            return [(Unknown(("cut", mark)), HERE)], False
        outer, self._cut = self._cut, _NEVER
        self._depth += 1
        depth = self._depth
        try:
            outcomes = fold(ask(HERE))
            sure = self._cut >= depth
        finally:
            self._depth -= 1
            self._cut = min(outer, self._cut) if self._cut < depth else outer
        return outcomes, sure

    def cut(self, depth: int = 0) -> None:
        """Says that an answer was cut short: because of a question asked ``depth`` deep that is still
        open, or (0) because of a bound. Whatever lies between must not be remembered: asked at another
        time it would know more."""
        self._cut = min(self._cut, depth)

    @property
    def depth(self) -> int:
        """How many questions are open."""
        return self._depth
