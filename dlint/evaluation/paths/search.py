"""The search backwards for what binds a name: through branches, loops, ``try``, ``with`` and ``match``, to
the start of the scope."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dlint.budget.budget import spend
from dlint.evaluation.paths.decisions import branch, few, told
from dlint.source.expected_errors import only_stores
from dlint.source.statements import as_try, ends, own_names, pattern_names, statements_in, taken
from dlint.values.frame import Frame, Point
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

# A statement that binds the name, or None: the search came to the start of the scope.
Definition = tuple[ast.stmt | None, World]
# Which statements do nothing to what is looked for, be it that they change what holds it.
Passing = Callable[[ast.stmt], bool]
# Statements that lead to the next one, and how many groups of them in a loop are told apart.
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Pass)
_MOST_RUNS = 2

Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


class Search:
    """One search: for one name, in one frame."""

    def __init__(
        self,
        evaluator: Evaluator,
        frame: Frame,
        name: str,
        anew: bool,
        passing: Passing | None,
        also: frozenset[int],
    ) -> None:
        self.anew = anew
        self.also = also
        self.passing = passing
        self.evaluator = evaluator
        self.frame = frame
        self.layout = frame.layout
        self.name = name
        self.base = name.rpartition(".")[0]
        self.looped: set[int] = set()
        self.partly = False  # whether what is looked through may have ended anywhere
        self.straight = True  # whether no test and no decision lay on the way
        self.found: list[Definition] = []

    def run(self, statement: ast.stmt | None, world: World) -> list[Definition]:
        if statement is None:
            passed = self.block(self.layout.body, len(self.layout.body), [world])
            self.found += [(None, w) for w in passed]
        else:
            self.above(statement, [world])
        return self.found

    def above(self, statement: ast.AST, worlds: list[World]) -> None:
        """Goes on from the statement's own place to the start of the scope."""
        at = statement
        while worlds:
            place = self.layout.places.get(id(at))
            if place is None:
                break
            worlds = self.block(place.block, place.at, worlds)
            owner = place.owner
            if owner is None or not worlds:
                break
            worlds = self.leave(owner, place.role, worlds)
            holder = self.layout.try_of.get(id(owner))
            at = owner if holder is None else holder
        self.found += [(None, w) for w in worlds]

    def leave(self, owner: ast.AST, role: str, worlds: list[World]) -> list[World]:
        """From the start of a block inside ``owner`` to just before ``owner``."""
        match owner:
            case ast.For() | ast.AsyncFor() | ast.While():
                if id(owner) not in self.looped and self.binds_inside(owner.body):
                    # An earlier round of the loop may have bound it.
                    self.looped.add(id(owner))
                    self.rounds(owner, worlds)
                if role == "body" and not isinstance(owner, ast.While) and self.binds_itself(owner):
                    self.found += [(owner, w) for w in worlds]
                    return []
            case ast.If() if self.binds_itself(owner):  # a walrus in the test
                self.found += [(owner, w) for w in worlds]
                return []
            case ast.match_case():
                if self.name in pattern_names(owner.pattern):
                    self.found += [(self.layout.try_of[id(owner)], w) for w in worlds]
                    return []
            case ast.With() | ast.AsyncWith() | ast.ExceptHandler():
                statement = self.layout.try_of.get(id(owner), owner)
                if isinstance(statement, ast.stmt) and self.binds_itself(statement):
                    self.found += [(statement, w) for w in worlds]
                    return []
                attempt = as_try(statement)
                if attempt is not None:
                    # The body may have run in part before it raised.
                    partly, self.partly = self.partly, True
                    self.block(attempt.body, len(attempt.body), worlds)
                    self.partly = partly
        attempt = as_try(owner)
        if attempt is not None and role in ("orelse", "finalbody"):
            return self.block(attempt.body, len(attempt.body), worlds)
        return worlds

    def block(self, block: list[ast.stmt], end: int, worlds: list[World]) -> list[World]:
        """Backwards through ``block[:end]``; gives the worlds that found no definition there."""
        binding = self.layout.binding(block, anew=self.anew)
        own: Sequence[int] = binding.get(self.name, ())
        if self.also:
            own = sorted({*own, *(at for at, each in enumerate(block) if id(each) in self.also)})
        base = binding.get(self.base, ()) if self.base else ()
        for index in sorted({*own, *base}, reverse=True) if base else reversed(own):
            statement = block[index]
            if index >= end or (self.passing is not None and self.passing(statement)):
                continue
            spend(1 + len(worlds))
            if index in own:
                worlds = self.through(statement, worlds)
            elif self.rebinds_base(statement):
                # `args = ...` makes an `args.x` of before another thing.
                self.found += [(None, w) for w in worlds]
                return []
            if not worlds:
                return []
        return worlds

    def through(self, statement: ast.stmt, worlds: list[World]) -> list[World]:
        """Backwards through a statement that binds the name somewhere inside."""
        match statement:
            case ast.If():
                return self.branches(statement, worlds)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self.loop(statement, worlds)
            case ast.With() | ast.AsyncWith():
                worlds = self.block(statement.body, len(statement.body), worlds)
                if worlds and self.binds_itself(statement):
                    self.found += [(statement, w) for w in worlds]
                    return []
                return worlds
            case ast.Match():
                return self.cases(statement, worlds)
        attempt = as_try(statement)
        if attempt is not None:
            return self.attempt(attempt, worlds)
        self.found += [(statement, w) for w in worlds]
        return []

    def loop(self, loop: Loop, worlds: list[World]) -> list[World]:
        """Backwards through a loop: from where breaks leave it, its ``else``, the end of a round."""
        before = len(self.found)
        breaks = self.layout.leaving(loop).breaks
        if breaks:
            self.straight = False
        passed = broken = few([w for each in breaks for w in self.out_of(each, loop, worlds)])
        # Without a test that may be false, and with an ``else`` that goes elsewhere, breaks alone lead here.
        only_breaks = bool(breaks) and not self.partly and (_goes_on(loop) or ends(loop.orelse))
        if not only_breaks:
            passed = self.block(loop.orelse, len(loop.orelse), worlds)
        inside = self.rounds(loop, passed)
        if len(self.found) > before and not self.anew and self.takes_out(loop):
            return []
        leaving = self.layout.leaving(loop)
        through = bool(inside or leaving.breaks or leaving.continues or self.partly)
        if len(self.found) > before and not through and _has_rounds(loop):
            return []
        passed = self.not_run(passed, before)
        if self.binds_itself(loop):
            self.found += [(loop, w) for w in (*inside, *broken)]
            if only_breaks:
                return []
        return passed  # perhaps no round at all

    def not_run(self, worlds: list[World], before: int) -> list[World]:
        """The worlds in which a loop's rounds have done nothing to the name; what was found in the loop, from
        ``before`` on, they have done. It is one decision for statements that stand together, so that names
        which are set together are known to be so."""
        runs = {id(statement): self.run_of(statement) for statement, _ in self.found[before:] if statement}
        wanted = set(runs.values())
        if not wanted or len(wanted) > _MOST_RUNS or None in wanted:
            return worlds
        self.straight = False
        found, self.found[before:] = self.found[before:], []
        for statement, world in found:
            mark = ("ran", runs.get(id(statement)), self.frame.key)
            self.found += [(statement, w) for w in (told([world], mark, 1) if statement else [world])]
        for run in wanted:
            worlds = told(worlds, ("ran", run, self.frame.key), 0)
        return worlds

    def run_of(self, statement: ast.stmt) -> int | None:
        """Names the statements that stand together with one and run with it, as nothing between them leads
        elsewhere; None for a statement with others in it."""
        if not isinstance(statement, _SIMPLE):
            return None
        place = self.layout.places[id(statement)]
        at = place.at
        while at and isinstance(place.block[at - 1], _SIMPLE):
            at -= 1
        return id(place.block[at])

    def rounds(self, loop: Loop, worlds: list[World]) -> list[World]:
        """Backwards through a round that another may follow: from its end, and where it goes on early."""
        passed = self.block(loop.body, len(loop.body), worlds)
        for each in self.layout.leaving(loop).continues:
            self.out_of(each, loop, worlds)
        return passed

    def out_of(self, leaving: ast.stmt, loop: Loop, worlds: list[World]) -> list[World]:
        """Backwards from a ``break`` or ``continue`` to where the round of its loop began."""
        for attempt in reversed(self.attempts(leaving, loop)):
            worlds = self.block(attempt.finalbody, len(attempt.finalbody), worlds)
        at: ast.AST = leaving
        while worlds:
            place = self.layout.places[id(at)]
            owner = place.owner
            if owner is loop:
                return self.block(place.block, place.at, worlds)
            if isinstance(owner, ast.If):
                self.straight = False
                wanted, where = place.role == "body", Point(self.frame, owner)
                worlds = few(
                    [w for each in worlds for w in self.evaluator.assume(owner.test, wanted, where, each)]
                )
                worlds = told(worlds, branch(owner, self.frame), wanted)
            worlds = self.block(place.block, place.at, worlds)
            if owner is None or not worlds:
                break
            worlds = self.leave(owner, place.role, worlds)
            holder = self.layout.try_of.get(id(owner))
            at = owner if holder is None else holder
        return []

    def attempts(self, statement: ast.stmt, loop: Loop) -> list[ast.Try]:
        """The ``try`` statements around a statement in a loop, the innermost first, that end with their
        ``finally`` before control leaves the round."""
        found: list[ast.Try] = []
        at: ast.AST = statement
        while (owner := self.layout.places[id(at)].owner) is not loop and owner is not None:
            role, at = self.layout.places[id(at)].role, self.layout.try_of.get(id(owner), owner)
            attempt = as_try(at)
            if attempt is not None and role != "finalbody":
                found.append(attempt)
        return found

    def branches(self, statement: ast.If, worlds: list[World]) -> list[World]:
        passed: list[World] = []
        where = Point(self.frame, statement)
        inner = self.binds_inside(statement.body) or self.binds_inside(statement.orelse)
        if not inner:  # a walrus in the test
            self.found += [(statement, w) for w in worlds]
            return []
        self.straight = False
        mark = branch(statement, self.frame)
        for wanted, block in ((True, statement.body), (False, statement.orelse)):
            if ends(block):
                continue
            assumed = few(
                [w for world in worlds for w in self.evaluator.assume(statement.test, wanted, where, world)]
            )
            if assumed:
                passed += self.block(block, len(block), told(assumed, mark, wanted))
        if passed and self.binds_itself(statement):  # a walrus in the test, and a branch that binds it anew
            self.found += [(statement, w) for w in few(passed)]
            return []
        return few(passed)

    def attempt(self, statement: ast.Try, worlds: list[World]) -> list[World]:
        worlds = self.block(statement.finalbody, len(statement.finalbody), worlds)
        self.straight = False
        mark = ("raised", id(statement), self.frame.key)
        passed = self.block(statement.orelse, len(statement.orelse), told(worlds, mark, 0))
        passed = self.block(statement.body, len(statement.body), passed)
        handlers = [] if only_stores(statement, self.layout.body) else statement.handlers
        for index, handler in enumerate(handlers, 1):
            if not ends(handler.body):
                passed += self.block(handler.body, len(handler.body), told(worlds, mark, index))
        return few(passed)

    def cases(self, statement: ast.Match, worlds: list[World]) -> list[World]:
        passed: list[World] = []
        self.straight = False
        mark = ("case", id(statement), self.frame.key)
        for index, case in enumerate(statement.cases):
            if not ends(case.body):
                inside = self.block(case.body, len(case.body), told(worlds, mark, index))
                if self.name in pattern_names(case.pattern):
                    self.found += [(statement, w) for w in inside]
                else:
                    passed += inside
        last = statement.cases[-1]
        if not (
            isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        ):
            passed += told(worlds, mark, len(statement.cases))
        return few(passed)

    def binds_inside(self, block: list[ast.stmt]) -> bool:
        return any(
            (self.name in self.layout.bound_by(statement, anew=self.anew) or id(statement) in self.also)
            and not (self.passing is not None and self.passing(statement))
            for statement in block
        )

    def binds_itself(self, statement: ast.stmt) -> bool:
        return self.name in own_names(statement)

    def takes_out(self, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
        """Whether a loop takes entries out of the container that is looked for. What is left then is less
        definite than without a round, so that this need not be looked at as well."""
        return any(
            self.name == path and not (self.passing is not None and self.passing(inner))
            for inner in statements_in(loop.body)
            for path, _ in taken(inner)
        )

    def rebinds_base(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == self.base for target in statement.targets
        )


def _goes_on(loop: Loop) -> bool:
    """Whether a loop never comes to an end by itself: ``while True``."""
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def _has_rounds(loop: Loop) -> bool:
    """Whether a loop surely has a round: it goes through things that are written out."""
    match loop:
        case ast.For(iter=ast.Tuple(elts=things) | ast.List(elts=things) | ast.Set(elts=things)):
            return any(not isinstance(each, ast.Starred) for each in things)
    return False
