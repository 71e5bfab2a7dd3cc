"""What a parameter is: what a certain call passes, or, without one, what the program's calls do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.calls.decorators import Inside, calls_inside
from dlint.calls.many_callers import few
from dlint.calls.parameters.binding import Binding
from dlint.calls.parameters.callers import ANOTHER, MOST_ASKED, callers_of
from dlint.calls.parameters.receivers import Receivers
from dlint.calls.parameters.written import is_static, written
from dlint.evaluation.questions import begun
from dlint.source.statements import FunctionNode, parameters, self_name
from dlint.values import declared_paths
from dlint.values.frame import Argument, Arguments, Frame, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Key, Unknown, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

# Beyond so many different things that callers pass, one is also what nobody knows.
_MOST_PASSED = 12


class Parameters:
    """Questions about the parameters of functions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # The parameters that were asked for, by the key of their frame.
        self.reads: dict[Key, set[str]] = {}
        # What they are with nothing assumed: summaries of functions ask it for every call.
        self._known: dict[tuple[str, Key], list[Outcome]] = {}
        self._inside: dict[int, list[Inside] | None] = {}
        self._asking: dict[tuple[int, str], int] = {}
        self._binding = Binding(evaluator, self.reads)
        self._receivers = Receivers(evaluator, self._asking)
        self._paths: dict[int, frozenset[str]] = {}

    def values(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        """The values of a function's parameter in a frame."""
        self.reads.setdefault(frame.key, set()).add(name)
        if world.facts:
            return self._found(name, frame, world)
        mark = (name, frame.key)
        known = self._known.get(mark)
        if known is None:
            found, sure = self._evaluator.whole(lambda: self._found(name, frame, HERE))
            if sure:
                self._known[mark] = found
            return found
        return known

    def _found(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        found = self._values(name, frame, world)
        if name in self._declared_paths(frame):
            found = declared_paths.declared(found)
        return told_apart(found, (frame.key, name))

    def _declared_paths(self, frame: Frame) -> frozenset[str]:
        """The parameters that a function declares to be paths."""
        scope, module = frame.scope, frame.module
        known = self._paths.get(id(scope))
        if known is None:
            known = frozenset[str]()
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) and "pathlib" in module.text:
                known = frozenset(
                    each.arg
                    for each in parameters(scope)
                    if each.annotation is not None and declared_paths.is_path(each.annotation)
                )
            self._paths[id(scope)] = known
        return known

    def _values(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        scope = frame.scope
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        first = self_name(scope)
        if name == first and frame.receiver is not None:
            return [(frame.receiver, world)]
        if not isinstance(scope, ast.Lambda) and scope.decorator_list:
            filled = self._evaluator.commands.decorated(name, scope, frame, world)
            if filled:
                return filled
            if not (name == first and frame.owner is not None and not is_static(scope)):
                inside = self._calls_inside(scope, frame)
                if inside:
                    return self._from_inside(name, scope, frame, inside, world)
        if frame.arguments is not None:
            return self._binding.of(name, scope, frame, frame.arguments, frame.receiver is not None, world)
        if name == first and frame.owner is not None and not is_static(scope):
            return self._receivers.of(frame, frame.owner, world)
        return self._from_callers(name, frame, world)

    def member(self, name: str, attribute: str, frame: Frame, world: World) -> list[Outcome] | None:
        """The values of ``name.attribute`` where a parameter is an object that the caller has under a name:
        what the caller's own ``args.workers`` is at the call. None where no call tells.

        A path belongs to the object, so it crosses calls: what the caller stored under it is there.
        """
        scope = frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        if name not in _given_names(scope, frame) or self._evaluator.members.may_store.through(
            scope, frame.module, name, attribute
        ):
            return None
        unknown = ("attribute", ("parameter", frame.key, name), attribute)
        return self._of_written(
            name, frame, world, unknown, _named, lambda given, w: self._read(given, attribute, w)
        )

    def entry(self, name: str, key: str, frame: Frame, world: World) -> list[Outcome] | None:
        """The values of ``name[key]`` where a parameter is a dict that the caller fills under a name of its
        own, or is handed itself: the entry that it has at the call, and of other callers what is known of
        theirs. None where no call tells.

        Of a dict that a file holds (``yaml.safe_load``) nothing else tells what a caller stores in it.
        """
        scope, entries = frame.scope, self._evaluator.entries
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        if name not in _given_names(scope, frame):
            return None
        unknown = ("entry", ("parameter", frame.key, name), key)
        return self._of_written(
            name,
            frame,
            world,
            unknown,
            self._filled_dict,
            lambda given, w: entries.of_argument(given, key, w),
            lambda table, w: entries.picked(table, key, w),
        )

    def _filled_dict(self, given: Argument | None) -> Argument | None:
        """An argument of whose entries the caller may know more than what made it says."""
        if given is None or given.point is None or not isinstance(given.expression, ast.Name):
            return None
        entries, name = self._evaluator.entries, given.expression.id
        known = entries.is_filled(name, given.point) or entries.is_handed_on(name, given.point)
        return given if known else None

    def _of_written(
        self,
        name: str,
        frame: Frame,
        world: World,
        unknown: Key,
        told: Callable[[Argument | None], Argument | None],
        read: Callable[[Argument, World], list[Outcome]],
        pick: Callable[[Value, World], list[Outcome]] | None = None,
    ) -> list[Outcome] | None:
        """What ``read`` finds of a parameter in what each call writes for it; None where some call writes
        nothing of which ``told`` is that argument, and nothing picks it from what the parameter is there, or
        no call does."""
        scope = frame.scope
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
        if frame.arguments is not None:
            self.reads.setdefault(frame.key, set()).add(name)
            given = told(written(name, scope, frame.arguments, frame.receiver is not None))
            return None if given is None else read(given, world)
        sites, whole = callers_of(self._evaluator, scope, frame)
        kind, _, asked = unknown
        mark = (id(scope), f"{name} {kind} {asked}")  # in whatever frame: else there is no end
        if not sites:
            return None
        if mark in self._asking or len(self._asking) > MOST_ASKED:
            self._evaluator.cut(self._asking.get(mark, 0))
            return None
        choice = ("caller", id(scope))
        chosen = world.known(choice)
        method = frame.owner is not None and not is_static(scope)
        self._asking[mark] = self._evaluator.depth
        try:
            asked_of = [
                (told(written(name, scope, site.arguments, method)), index, site)
                for index, site in sites
                if chosen in (None, index, ANOTHER)
            ]
            if any(given is None for given, _, _ in asked_of) and (
                pick is None or all(given is None for given, _, _ in asked_of)
            ):
                return None
            held: list[list[Outcome]] = []
            for given, index, site in asked_of:
                w = world if chosen is not None else world.assuming(choice, index)
                if given is not None:
                    held.append(read(given, w))
                elif pick is not None:
                    whole_of = self._binding.of(name, scope, frame, site.arguments, method, w)
                    held.append([outcome for value, v in whole_of for outcome in pick(value, v)])
            found, more = few(held)
            if (more or not whole) and chosen in (None, ANOTHER):
                found.append((Unknown(unknown), world.assuming(choice, ANOTHER)))
            return found
        finally:
            del self._asking[mark]

    def rest(self, own: str, name: str, frame: Frame) -> Arguments | None:
        """What a call gives to a function's ``**kwargs``, of which one name is asked; None where it has no
        such, or changes them."""
        return self._binding.rest(own, name, frame)

    def _read(self, given: Argument, attribute: str, world: World) -> list[Outcome]:
        assert given.expression is not None and given.point is not None
        node = self._evaluator.members.path(given.expression, attribute)
        return self._evaluator.values(node, given.point, world)

    def _calls_inside(self, scope: FunctionNode, frame: Frame) -> list[Inside]:
        """The calls in its decorators that a function gets, where they are not as its callers write them."""
        if id(scope) not in self._inside:
            with begun(self._inside, id(scope), None):
                inside = calls_inside(self._evaluator, scope, frame.outer) if frame.outer is not None else []
                self._inside[id(scope)] = inside
        found = self._inside[id(scope)]
        if found is None:
            self._evaluator.cut()
            return []
        return found

    def _from_inside(
        self, name: str, scope: FunctionNode, frame: Frame, inside: list[Inside], world: World
    ) -> list[Outcome]:
        """What those calls give to a parameter."""
        if frame.arguments is not None:
            given: list[tuple[Arguments | None, World]] = [(frame.arguments, world)]
        else:
            choice = ("caller", id(scope))
            chosen = world.known(choice)
            given = [
                (site.arguments, world if chosen is not None else world.assuming(choice, index))
                for index, site in callers_of(self._evaluator, scope, frame)[0]
                if chosen in (None, index)
            ]
        return [
            outcome
            for arguments, w in given or [(None, world)]
            for each in inside
            for outcome in self._binding.of(
                name, scope, frame, arguments_of(each.call, each.point(frame, arguments)), False, w
            )
        ]

    def _from_configuration(
        self, name: str, scope: FunctionNode, frame: Frame, world: World
    ) -> list[Outcome]:
        """What the mappings of a configuration give to a parameter, or anything else; nothing where none has
        the function called."""
        configured = self._evaluator.named.configured
        makings = configured.calling(scope, frame)
        if not makings:
            return []
        choice, mark = ("caller", id(scope)), (id(scope), name)
        chosen = world.known(choice)
        found: list[Outcome] = []
        self._asking[mark] = self._evaluator.depth
        try:
            for index, making in enumerate(makings):
                if chosen in (None, index):
                    w = world if chosen is not None else world.assuming(choice, index)
                    given = configured.given(making, name, frame, w)
                    found += given or [(Unknown(("parameter", frame.key, name)), w)]
        finally:
            del self._asking[mark]
        if found and chosen is None:
            found.append((Unknown(("parameter", frame.key, name)), world.assuming(choice, ANOTHER)))
        return found

    def _from_callers(self, name: str, frame: Frame, world: World) -> list[Outcome]:
        """A parameter in a function that is looked at without a certain call: what its callers pass.

        Which caller it is counts as an assumption, so that two parameters come from the same call.
        """
        scope = frame.scope
        unknown: list[Outcome] = [(Unknown(("parameter", frame.key, name)), world)]
        mark = (id(scope), name)
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return unknown
        if mark in self._asking:
            self._evaluator.cut(self._asking[mark])
            return unknown
        sites, whole = callers_of(self._evaluator, scope, frame)
        if not sites:
            if isinstance(scope, ast.Lambda):
                return unknown
            return (
                self._evaluator.commands.called(name, scope, frame, world)
                or self._from_configuration(name, scope, frame, world)
                or unknown
            )
        if len(self._asking) > MOST_ASKED:
            self._evaluator.cut()
            return unknown
        choice = ("caller", id(scope))
        chosen = world.known(choice)
        self._asking[mark] = self._evaluator.depth
        try:
            found: list[list[Outcome]] = []
            values: set[Key] = set()
            method = frame.owner is not None and not is_static(scope)
            for index, site in sites:
                if chosen not in (None, index, ANOTHER):
                    continue
                if len(values) >= _MOST_PASSED:
                    whole = False
                    break
                w = world if chosen is not None else world.assuming(choice, index)
                passed = self._binding.of(name, scope, frame, site.arguments, method, w)
                values.update(value.key for value, _ in passed if not isinstance(value, Unknown))
                found.append(passed)
            outcomes, more = few(found)
            if (more or not whole) and chosen in (None, ANOTHER):
                # What the others pass is not known; it is none of what these do together.
                outcomes.append((unknown[0][0], world.assuming(choice, ANOTHER)))
            return outcomes or unknown
        finally:
            del self._asking[mark]


def _given_names(scope: FunctionNode, frame: Frame) -> list[str]:
    """The parameters of a function in a frame that its callers write something for."""
    names = [parameter.arg for parameter in parameters(scope)]
    return names[1:] if frame.owner is not None and not is_static(scope) else names


def _named(given: Argument | None) -> Argument | None:
    """An argument that is written as a name, or as the call that gives it."""
    named = given is not None and isinstance(given.expression, ast.Name | ast.Attribute | ast.Call)
    return given if named else None
