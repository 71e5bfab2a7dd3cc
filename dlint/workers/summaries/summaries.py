"""Summaries: what a function does in worker code, found once for all who call it alike.

A function is looked at anew only where a call gives it something else that matters: another object as
``self``, or, for a parameter that was read when it was looked at, a value of another shape. So what n
datasets share is followed once, and not n times.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.knowledge.words.telling import DECIDED_BY_ARGUMENTS, HOLDS_ITS_OWN
from dlint.source.statements import FunctionNode, parameters
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.values import Class, Function, Instance, Key, Unknown, Value
from dlint.values.worlds import HERE, World
from dlint.workers.shape import shape_of
from dlint.workers.summaries.decorated import meet_wrappers
from dlint.workers.summaries.meeting import Entered, Meeting, Step
from dlint.workers.summaries.walk import Walk

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# So many different things that a function is given are told apart; the next is whatever it may get.
_MOST_ALIKE = 8
_MOST_IN_ALL = 32
_DEEPEST = 3
# What looking at one function may cause to be asked: items come through many functions, and what they are in
# each decides little.
_STEPS = 1_000
_EACH = 200


class Summary:
    """What a function does, and the frame in which it was looked at. Many steps stand in the same ``worlds``:
    each is kept with their number."""

    __slots__ = ("frame", "function", "is_complete", "steps", "worlds")

    def __init__(self, function: Function, frame: Frame, steps: list[tuple[Step, list[World]]]) -> None:
        self.function = function
        self.frame = frame
        self.worlds: list[list[World]] = []
        self.steps: list[tuple[Step, int]] = []
        numbers: dict[tuple[int, ...], int] = {}
        for step, inside in steps:
            mark = tuple(map(id, inside))
            which = numbers.setdefault(mark, len(numbers))
            if which == len(self.worlds):
                self.worlds.append(inside)
            self.steps.append((step, which))
        self.is_complete = False  # whether those of all that it calls are there


class Summaries:
    """The summaries of one program."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._by_frame: dict[Key, tuple[Summary, dict[Key, Key]]] = {}
        # By what tells them apart at once, as that of no two calls that are alike does.
        self._alike_to: dict[Key, list[Summary]] = {}
        self._count: dict[int, int] = {}
        # By the id of a call, which is kept beside it: every worker code comes to the same calls.
        self._by_call: dict[int, tuple[Entered, Summary, dict[Key, Key]]] = {}
        self._shapes: dict[Key, Key] = {}
        self._exact_shapes: dict[Key, Key] = {}
        self._asked_later: dict[int, bool] = {}
        self._own: dict[int, bool] = {}

    @staticmethod
    def of(evaluator: Evaluator) -> Summaries:
        """Those of the program that an evaluator answers for."""
        found = evaluator.kept.get(Summaries)
        if found is None:
            found = evaluator.kept[Summaries] = Summaries(evaluator)
        assert isinstance(found, Summaries)
        return found

    def find(self, call: Entered) -> tuple[Summary, dict[Key, Key]]:
        """The summary of a function that is called so, and how unknown things of the caller are called in
        it."""
        found = self._by_call.get(id(call))
        if found is None:
            summary, renamed = self._looked_up(call)
            self._complete(summary)
            self._by_call[id(call)] = (call, summary, renamed)
            return summary, renamed
        return found[1], found[2]

    def _looked_up(self, call: Entered) -> tuple[Summary, dict[Key, Key]]:
        frame = self._evaluator.calls.enter(*call)
        known = self._by_frame.get(frame.key)
        if known is None:
            self._evaluator.start(_STEPS, _EACH)
            known = self._by_frame[frame.key] = self._find(call.function, frame)
        return known

    def _complete(self, summary: Summary) -> None:
        """Makes the summaries of all that a function calls, the innermost first: what is read there of what
        it hands on must be known before another call of it is compared with this one."""
        if summary.is_complete:
            return
        summary.is_complete = True
        going = [iter(summary.steps)]
        while going:
            step = next(going[-1], None)
            if step is None:
                going.pop()
            elif isinstance(step[0], Entered):
                inner, _ = self._looked_up(step[0])
                if not inner.is_complete:
                    inner.is_complete = True
                    going.append(iter(inner.steps))

    def _find(self, function: Function, frame: Frame) -> tuple[Summary, dict[Key, Key]]:
        known = self._alike_to.get(_told_by(function), ())
        alike = [each for each in known if self._same_receiver(each, function)]
        if frame.arguments is not None:
            for summary in alike:
                if summary.frame.arguments is not None:
                    renamed = self._renaming(summary.frame, frame)
                    if renamed is not None:
                        return summary, renamed
        in_all = self._count.get(id(function.node), 0)
        if len(alike) >= _MOST_ALIKE or in_all >= _MOST_IN_ALL:
            return self._whatever(function, in_all >= _MOST_IN_ALL), {}
        return self._made(function, frame), {}

    def _whatever(self, function: Function, any_receiver: bool) -> Summary:
        """The summary of a function that may be given anything."""
        receiver = function.receiver
        if any_receiver and isinstance(receiver, Instance):
            receiver = Instance(receiver.cls, None, None)
        anything = Argument(None, None, Unknown(("anything", id(function.node))))
        given = Function(function.node, function.frame, receiver, function.owner)
        frame = self._evaluator.calls.enter(
            given, Arguments(spread=[anything], splats=[anything]), None, None
        )
        known = self._by_frame.get(frame.key)
        if known is None:
            known = self._by_frame[frame.key] = self._made(given, frame), {}
        return known[0]

    def _made(self, function: Function, frame: Frame) -> Summary:
        meeting = Meeting(self._evaluator)
        walk = Walk(self._evaluator, meeting)
        node = function.node
        if isinstance(node, ast.Lambda):
            walk.expression(node.body, Point(frame, None), [HERE])
        else:
            walk.block(node.body, frame, [HERE])
            if node.decorator_list:
                meet_wrappers(self._evaluator, meeting, function, frame)
        summary = Summary(function, frame, meeting.steps)
        self._alike_to.setdefault(_told_by(function), []).append(summary)
        self._count[id(node)] = self._count.get(id(node), 0) + 1
        if self._is_asked_later(summary):
            receiver = function.receiver
            if isinstance(receiver, Instance):
                for _, initialiser in self._evaluator.initialisers.of(receiver):
                    self._read_all(initialiser)
            self._read_all(frame)
        return summary

    def _read_all(self, frame: Frame) -> None:
        """Counts all that a call gives to a function as read, and so what its callers were given for that."""
        assert isinstance(frame.scope, FunctionNode | ast.Lambda)
        for parameter in parameters(frame.scope):
            self._evaluator.parameters.values(parameter.arg, frame, HERE)

    def _is_asked_later(self, summary: Summary) -> bool:
        """Whether rules ask more about a function than the walk through it did."""
        node = summary.function.node
        known = self._asked_later.get(id(node))
        if known is None:
            text = summary.function.module.text_of(node)
            known = self._asked_later[id(node)] = DECIDED_BY_ARGUMENTS.search(text) is not None
        return known

    def _same_receiver(self, summary: Summary, function: Function) -> bool:
        """Whether a method is looked at for objects of one kind that are alike; all else that tells functions
        apart at once has been compared."""
        theirs, mine = summary.function.receiver, function.receiver
        if theirs is None or mine is None or theirs.key == mine.key:
            return True
        if summary.function.owner is None:
            return False
        if isinstance(theirs, Instance) and isinstance(mine, Instance):
            if self._holds_its_own(theirs.cls):
                return False
            if theirs.node is not mine.node:
                return self._made_alike(theirs, mine)
        if self._is_asked_later(summary):
            return self._same_shape(theirs, mine)
        return self._alike(theirs, mine, 0)

    def _made_alike(self, theirs: Instance, mine: Instance) -> bool:
        """Whether two objects that were made at different places were given the same, and nothing since."""
        if theirs.node is None or mine.node is None:
            return False
        return bool(self._exact(theirs) == self._exact(mine))

    def _exact(self, value: Instance) -> Key:
        """The shape of an object, with the ways the program may go on which it is given what it is."""
        shape = self._exact_shapes.get(value.key)
        if shape is None:
            shape = shape_of(self._evaluator, value, HERE, assuming=True)
            self._exact_shapes[value.key] = shape
        return shape

    def _holds_its_own(self, cls: Class) -> bool:
        """Whether it matters which of two objects of a class it is, alike as they are."""
        known = self._own.get(id(cls.node))
        if known is None:
            known = self._own[id(cls.node)] = any(
                HOLDS_ITS_OWN.search(above.module.text_of(above.node))
                for above in self._evaluator.classes.line(cls)
            )
        return known

    def _alike(self, theirs: Value, mine: Value, depth: int) -> bool:
        """Whether two values are the same in all that was asked of the first."""
        spend(1)
        if theirs.key == mine.key:
            return True
        if not (isinstance(theirs, Instance) and isinstance(mine, Instance)) or depth > _DEEPEST:
            return self._same_shape(theirs, mine)
        if theirs.cls.key != mine.cls.key or (theirs.arguments is None) != (mine.arguments is None):
            return False
        evaluator = self._evaluator
        attributes = evaluator.attributes
        if attributes.set_from_outside(theirs) != attributes.set_from_outside(mine):
            return False
        if attributes.added_from_outside(theirs) != attributes.added_from_outside(mine):
            return False
        frames = [[frame for _, frame in evaluator.initialisers.of(each)] for each in (theirs, mine)]
        if not frames[0] or [f.scope for f in frames[0]] != [f.scope for f in frames[1]]:
            return self._same_shape(theirs, mine)
        return all(self._renaming(old, new, depth + 1) is not None for old, new in zip(*frames, strict=True))

    def _renaming(self, theirs: Frame, mine: Frame, depth: int = 0) -> dict[Key, Key] | None:
        """Which unknown things of one call are which of another; None where the calls are not alike."""
        renamed: dict[Key, Key] = {}
        scope = mine.scope
        assert isinstance(scope, FunctionNode | ast.Lambda)
        receiver = parameters(scope)[:1] if mine.receiver is not None else []
        for name in sorted(self._evaluator.parameters.reads.get(theirs.key, ())):
            if receiver and receiver[0].arg == name:
                continue
            if scope.args.kwarg is not None and scope.args.kwarg.arg == name:
                if not self._same_rest(theirs, mine, depth):
                    return None
                continue
            old, new = (self._values(name, frame) for frame in (theirs, mine))
            if not self._same_values(old, new, depth):
                return None
            if len(old) == len(new) == 1:
                (known,), (value,) = old, new
                if isinstance(value, Unknown) and isinstance(known, Unknown) and known.key != value.key:
                    renamed[value.key] = known.key
        return renamed

    def _values(self, name: str, frame: Frame) -> list[Value]:
        found = self._evaluator.parameters.values(name, frame, HERE)
        return list({value.key: value for value, _ in found}.values())

    def _same_values(self, old: list[Value], new: list[Value], depth: int) -> bool:
        """Whether each value that one call gives is like some that another gives. All but objects of the
        program are alike where their shapes are: these are compared all at once."""
        if len(old) == len(new) == 1:
            return self._alike(old[0], new[0], depth)
        if self._shapes_of(old) != self._shapes_of(new):
            return False
        theirs, mine = ([value for value in held if isinstance(value, Instance)] for held in (old, new))
        return all(any(self._alike(value, each, depth) for each in mine) for value in theirs) and all(
            any(self._alike(value, each, depth) for value in theirs) for each in mine
        )

    def _shapes_of(self, values: list[Value]) -> set[Key]:
        spend(len(values))
        return {self._shape(value) for value in values if not isinstance(value, Instance)}

    def _same_rest(self, theirs: Frame, mine: Frame, depth: int) -> bool:
        """Whether what two calls give to a function's ``**kwargs`` is alike, entry by entry."""
        old, new = theirs.arguments, mine.arguments
        if old is None or new is None:
            return old is new
        if old.keywords.keys() != new.keywords.keys() or len(old.splats) != len(new.splats):
            return False
        pairs = [(old.keywords[name], new.keywords[name]) for name in old.keywords]
        pairs += zip(old.splats, new.splats, strict=True)
        return all(self._same_values(self._given(a), self._given(b), depth) for a, b in pairs)

    def _given(self, argument: Argument) -> list[Value]:
        found = self._evaluator.value_of(argument, HERE)
        return list({value.key: value for value, _ in found}.values())

    def _same_shape(self, theirs: Value, mine: Value) -> bool:
        same: bool = self._shape(theirs) == self._shape(mine)
        return same

    def _shape(self, value: Value) -> Key:
        shape = self._shapes.get(value.key)
        if shape is None:
            shape = self._shapes[value.key] = shape_of(self._evaluator, value, HERE)
        return shape


def _told_by(function: Function) -> Key:
    """What is the same of two functions that may be called alike: what they are, and whose."""
    receiver, owner = function.receiver, function.owner
    kind = receiver.cls.key if isinstance(receiver, Instance) else type(receiver).__name__
    return id(function.node), function.frame.key, owner.key if owner is not None else None, kind


def renamed(world: World, names: dict[Key, Key]) -> World:
    """What a caller assumes of the unknown things that it passes on, under the names they have in the
    summary."""
    for mine, theirs in names.items():
        if mine in world.facts or theirs in world.facts:
            world = world.with_about(theirs, world.about(mine))
    return world
