"""Whether a method surely waits for all that it hands to a pool: then the pool may live on after it.

The results, or the futures of them, are followed through the names and containers that the method keeps them
in, to where all of them are asked for. What is not seen to be waited for is not.
"""

from __future__ import annotations

from enum import Enum, auto

import libcst as cst

from dlint.knowledge.processes.pools import SUBMITS, WAITS
from dlint.rewriting.each_process.surely import follows, is_in_each_round, is_surely_evaluated
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_LAZY = frozenset({"map", "imap", "imap_unordered"})
_ASKS = frozenset({"exception", "get", "result", "wait"})
# What reads all of what it is given, keeps all of it, or gives it on one by one.
_READS = frozenset({"dict", "list", "max", "min", "set", "sorted", "sum", "tuple", "np.stack", "torch.stack"})
_HOLDS = frozenset({"list", "set", "tuple"})
_PASSES_ON = frozenset({"enumerate", "iter", "reversed", "tqdm", "zip"})
_OF_DICT = frozenset({"items", "keys", "values"})
_TAKES_OUT = frozenset({"clear", "pop", "popitem", "popleft", "remove"})


def check_awaited(source: Source, call: cst.Call, method: str, *, executor: bool, by_hand: str) -> None:
    """Raise CannotRepair where what the call of a pool's ``method`` hands over may not be done when the
    function around goes on without the pool."""
    if method in WAITS and not executor:
        return
    search = _Search(source, call)
    if method in _LAZY or method in SUBMITS:
        search.follow(call, _Kind.RESULTS if method in _LAZY else _Kind.FUTURE)
    if any(follows(source, call, place) for place in search.waits):
        return
    raise CannotRepair(f"{search.why_not or 'it is not sure that all results are read'}: {by_hand}")


class _Kind(Enum):
    """What an expression stands for: one result to come, several in a container, or results that are waited
    for one by one as they are read."""

    FUTURE = auto()
    FUTURES = auto()
    RESULTS = auto()


class _Search:
    """Where all of what a call hands over is waited for (``waits``), and why some places do not do."""

    def __init__(self, source: Source, call: cst.Call) -> None:
        self._source = source
        self._function = source.function_of(call)
        self._been: set[tuple[str, _Kind]] = set()
        self.waits: list[cst.CSTNode] = []
        self.why_not: str | None = None

    def follow(self, node: cst.CSTNode, kind: _Kind) -> None:
        """Go where an expression's value goes."""
        parent = self._source.parent(node)
        match parent:
            case cst.Attribute(value=value) if value is node:
                self._method(parent, kind)
            case cst.Arg():
                call = self._source.parent(parent)
                if isinstance(call, cst.Call):
                    self._given(call, kind)
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as target)])
                | cst.AnnAssign(target=cst.Name() as target, value=cst.BaseExpression())
            ):
                self._named(target, kind)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name() as kept))]):
                self._named(kept, _Kind.FUTURES)
            case cst.Index():
                self._key(node, kind)
            case cst.StarredElement() if kind is _Kind.RESULTS:
                self.waits.append(node)
            case cst.Element() | cst.StarredElement() | cst.DictElement():
                display = self._source.parent(parent)
                if display is not None and kind is not _Kind.RESULTS:
                    self.follow(display, _Kind.FUTURES)
            case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                if kind is not _Kind.RESULTS:
                    self.follow(parent, _Kind.FUTURES)
            case cst.For(iter=held) if held is node:
                self._loop(parent, kind)
            case cst.CompFor(iter=held) if held is node:
                self._comprehension(parent, kind)

    def _method(self, attribute: cst.Attribute, kind: _Kind) -> None:
        """A method of it is called."""
        call, name = self._source.parent(attribute), attribute.attr.value
        if not isinstance(call, cst.Call) or call.func is not attribute:
            return
        if kind is _Kind.FUTURE and name in _ASKS:
            self._asked(call, call)
        elif kind is _Kind.FUTURES and name in _OF_DICT:
            self.follow(call, kind)

    def _asked(self, call: cst.Call, place: cst.CSTNode) -> None:
        """A future is waited for, where that is without end."""
        if call.args:
            self.why_not = "a task that takes too long would keep a thread of the pool"
        else:
            self.waits.append(place)

    def _given(self, call: cst.Call, kind: _Kind) -> None:
        """It is an argument of a call."""
        called = self._source.code(call.func)
        last = called.rpartition(".")[2]
        if isinstance(call.func, cst.Attribute) and last in ("add", "append"):
            if isinstance(call.func.value, cst.Name) and kind is not _Kind.RESULTS:
                self._named(call.func.value, _Kind.FUTURES)
        elif kind is _Kind.FUTURES and last in ("as_completed", "wait"):
            if len(call.args) > 1:
                self.why_not = "a task that takes too long would keep a thread of the pool"
            elif last == "wait":
                self.waits.append(call)
            else:
                self.follow(call, _Kind.RESULTS)
        elif kind is _Kind.RESULTS and called in _READS:
            self.waits.append(call)
        elif last in _PASSES_ON or (kind is _Kind.FUTURES and called in _HOLDS):
            self.follow(call, kind)

    def _key(self, node: cst.CSTNode, kind: _Kind) -> None:
        """A dict has it for a key: ``futures[future] = name``."""
        place = self._source.enclosing(node, cst.Subscript)
        stored = isinstance(self._source.parent(place), cst.AssignTarget)
        if stored and kind is _Kind.FUTURE and isinstance(place.value, cst.Name):
            self._named(place.value, _Kind.FUTURES)

    def _named(self, name: cst.Name, kind: _Kind) -> None:
        """A variable has it, or has it in its list or dict."""
        mark = (name.value, kind)
        if mark in self._been or self._function is None:
            return
        self._been.add(mark)
        uses = [
            each
            for each in self._source.descendants(self._function.body, cst.Name)
            if each.value == name.value
        ]
        if sum(map(self._is_bound, uses)) == 1 and not any(map(self._loses_some, uses)):
            for use in uses:
                self.follow(use, kind)

    def _is_bound(self, use: cst.Name) -> bool:
        parent = self._source.parent(use)
        targets = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.AsName)
        return isinstance(parent, targets) and getattr(parent, "value", None) is not use

    def _loses_some(self, use: cst.Name) -> bool:
        """Whether a container is left without some of what it had."""
        parent = self._source.parent(use)
        taken = isinstance(parent, cst.Attribute) and parent.value is use and parent.attr.value in _TAKES_OUT
        return taken or isinstance(self._source.statement_of(use), cst.Del)

    def _loop(self, loop: cst.For, kind: _Kind) -> None:
        """A loop goes over it."""
        source = self._source
        if any(True for _ in source.descendants(loop.body, cst.Break, cst.Return, cst.Yield)):
            self.why_not = "the loop over the results may end before all are there"
        elif kind is _Kind.RESULTS:
            self.waits.append(loop)
        else:
            for call in self._calls_that_ask(loop.body, loop.target):
                if is_in_each_round(source, loop, call):
                    self._asked(call, loop)

    def _comprehension(self, going: cst.CompFor, kind: _Kind) -> None:
        """A comprehension goes over it."""
        source = self._source
        whole = source.parent(going)
        if not isinstance(whole, cst.BaseComp) or going.ifs or going.inner_for_in is not None:
            return
        if isinstance(whole, cst.GeneratorExp):
            call = source.enclosing(whole, cst.Call, cst.BaseStatement)
            given = isinstance(source.parent(whole), cst.Arg) and isinstance(call, cst.Call)
            if not given or source.code(call.func) not in _READS:
                return
        if kind is _Kind.RESULTS:
            self.waits.append(whole)
            return
        for call in self._calls_that_ask(whole, going.target):
            if is_surely_evaluated(source, call, whole):
                self._asked(call, whole)

    def _calls_that_ask(self, part: cst.CSTNode, target: cst.BaseExpression) -> list[cst.Call]:
        """The calls that ask a variable of a loop for its result."""
        names = {target.value} if isinstance(target, cst.Name) else self._source.names_in(target)
        return [
            call
            for call in self._source.descendants(part, cst.Call)
            if isinstance(call.func, cst.Attribute)
            and call.func.attr.value in _ASKS
            and isinstance(call.func.value, cst.Name)
            and call.func.value.value in names
        ]
