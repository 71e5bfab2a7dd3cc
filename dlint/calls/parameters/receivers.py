"""What ``self`` may be in a method that is looked at without a certain call."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, TypeAlias

from dlint.calls.parameters.callers import ANOTHER, MOST_ASKED, callers_of
from dlint.calls.parameters.heirs import Heirs
from dlint.calls.parameters.written import is_class_method
from dlint.objects.attributes import ANOTHER_HEIR, of_heir
from dlint.source.statements import FunctionNode
from dlint.values.frame import Frame
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, Function, Instance, Key
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

_Receiver: TypeAlias = "tuple[Instance | Class, World]"


class Receivers:
    """Finds what methods are called on. ``asking`` has what is being asked of callers, and how deep."""

    def __init__(self, evaluator: Evaluator, asking: dict[tuple[int, str], int]) -> None:
        self._evaluator = evaluator
        self._asking = asking
        self._heirs: dict[int, list[tuple[int, list[_Receiver]]]] = {}
        self._left_to = Heirs(evaluator)
        self._made: dict[Key, bool] = {}

    def of(self, frame: Frame, owner: Class, world: World) -> list[Outcome]:
        """What ``self`` may be in a method that is looked at without a certain call: the objects that it is
        seen to be called on, and one of its class where that is not all.

        Only an object of an heir says more than the class itself, or of a class whose objects get what they
        hold by name, or are made of others of its objects; whose methods call it themselves says nothing.
        """
        scope = frame.scope
        of_class = is_class_method(scope)
        plain: Instance | Class = owner if of_class else Instance(owner, None, None)
        anyone: list[Outcome] = [(plain, world)]
        mark = (id(scope), "self")
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return anyone
        by_name = self._evaluator.attributes.sets_by_name(owner) or self._evaluator.records.are_replaced(
            owner
        )
        if not by_name and not self._evaluator.classes.subclasses(owner, 1):
            return anyone
        if mark in self._asking or len(self._asking) > MOST_ASKED:
            self._evaluator.cut(self._asking.get(mark, 0))
            return anyone
        choice = ("caller", id(scope))
        chosen = world.known(choice)
        self._asking[mark] = self._evaluator.depth
        try:
            heirs = self._heirs.get(id(scope))
            if heirs is None:
                heirs = [
                    (
                        index,
                        _telling(self._evaluator.sites.receivers(site, scope), owner, by_name),
                    )
                    for index, site in callers_of(self._evaluator, scope, frame)[0]
                ]
                if self._evaluator.sites.knows(scope):  # else they are being looked for, further out
                    self._heirs[id(scope)] = heirs
            if not any(receivers for _, receivers in heirs):
                return self._of_heirs(scope, owner, plain, world) or anyone
            found: list[Outcome] = []
            for index, receivers in heirs:
                if chosen in (None, index, ANOTHER):
                    # One world for all that one call may be on: nothing yet tells those apart.
                    there = world if chosen is not None else world.assuming(choice, index)
                    found += [
                        (each, both)
                        for each, w in receivers or [(plain, there)]
                        if (both := there.joined(w)) is not None
                    ]
            of_heirs = all(each and not _has_own(each, owner) for _, each in heirs)
            if of_heirs and chosen in (None, ANOTHER) and self._is_made(owner):
                # Whoever has those of the class itself calls it as well, by what nobody can follow.
                found.append((plain, world.assuming(choice, ANOTHER)))
            return found or anyone
        finally:
            del self._asking[mark]

    def _of_heirs(
        self, scope: FunctionNode, owner: Class, plain: Instance | Class, world: World
    ) -> list[Outcome]:
        """The same where nobody is seen to call a method of a class that leaves others to those below it: an
        object of one of these, the same one wherever the methods of the class are asked for theirs. Those
        that have a method of their own for it never come to this one; where all have, it is of none that is
        known."""
        which = ("heir", owner.key)
        chosen = world.known(which)
        heirs = [each for each in enumerate(self._left_to.of(owner)) if chosen in (None, each[0])]
        taking = [(index, below) for index, below in heirs if self._takes(below, scope)]
        if heirs and not taking:
            return [(plain, world.assuming(of_heir(plain), ANOTHER_HEIR))]
        by_object = isinstance(plain, Instance)
        return [
            (Instance(below, None, None) if by_object else below, world.assuming(which, index))
            for index, below in taking
        ]

    def _takes(self, cls: Class, scope: FunctionNode) -> bool:
        """Whether objects of a class may have a method from a class above it."""
        members = self._evaluator.classes.member(cls, scope.name)
        return any(not isinstance(value, Function) or value.node is scope for value, _ in members)

    def _is_made(self, cls: Class) -> bool:
        """Whether the program makes objects of a class itself, and not only of those below it."""
        known = self._made.get(cls.key)
        if known is None:
            index, home = self._evaluator.modules.index, cls.module.relative
            made = re.compile(rb"(?<!\bclass )\b%b\(" % re.escape(cls.name.encode()))
            known = self._made[cls.key] = any(
                not index.is_test(relative) and made.search(index.data(relative)) is not None
                for relative in index.calling(cls.name, home, method=False)
            )
        return known


def _telling(receivers: list[_Receiver], owner: Class, by_name: bool) -> list[_Receiver]:
    """What a call calls a method on, where any of it says more than its class: then it may be the others,
    too (``(Debug if debug else Trainer)().run()``)."""
    return receivers if any(_says_more(each, owner, by_name) for each, _ in receivers) else []


def _has_own(receivers: list[_Receiver], owner: Class) -> bool:
    """Whether a class itself, or one of its objects, is among what a call calls a method on."""
    classes = [each if isinstance(each, Class) else each.cls for each, _ in receivers]
    return any(each.node is owner.node for each in classes)


def _says_more(receiver: Instance | Class, owner: Class, by_name: bool) -> bool:
    """Whether what a method is called on says more than its class."""
    if isinstance(receiver, Class):
        return receiver.node is not owner.node
    return receiver.cls.node is not owner.node or (by_name and receiver.arguments is not None)
