"""What a parameter is: what a certain call passes, or, without one, what the program's calls do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dlint.calls.decorators import Inside, calls_inside, fills_arguments
from dlint.calls.heirs import Heirs
from dlint.calls.many_callers import different_first, few
from dlint.evaluation.dicts.entries import ABSENT
from dlint.evaluation.questions import begun
from dlint.objects.attributes import ANOTHER_HEIR, of_heir
from dlint.source.statements import FunctionNode, parameters, self_name
from dlint.values import declared_paths
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.outcomes import Outcome, told_apart
from dlint.values.values import Class, Const, Function, Instance, Items, Key, Table, Unknown, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator
    from dlint.calls.site import Site

# Beyond so many callers, or different things that they pass, one is also what nobody knows.
_FEW_CALLERS = 12
_MOST_CALLERS = 48
_MOST_PASSED = 12
_MOST_ASKED = 6  # callers of callers
_ANOTHER = -1  # a caller that is none of the first

_Receiver: TypeAlias = "tuple[Instance | Class, World]"


class Parameters:
    """Questions about the parameters of functions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # The parameters that were asked for, by the key of their frame.
        self.reads: dict[Key, set[str]] = {}
        # What they are with nothing assumed: summaries of functions ask it for every call.
        self._known: dict[tuple[str, Key], list[Outcome]] = {}
        self._filled: dict[int, bool] = {}
        self._inside: dict[int, list[Inside] | None] = {}
        self._asking: dict[tuple[int, str], int] = {}
        self._heirs: dict[int, list[tuple[int, list[_Receiver]]]] = {}
        self._left_to = Heirs(evaluator)
        self._made: dict[Key, bool] = {}
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
            return self.bound(name, scope, frame, frame.arguments, frame.receiver is not None, world)
        if name == first and frame.owner is not None and not is_static(scope):
            return self._receivers(frame, frame.owner, world)
        return self._from_callers(name, frame, world)

    def _receivers(self, frame: Frame, owner: Class, world: World) -> list[Outcome]:
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
        if mark in self._asking or len(self._asking) > _MOST_ASKED:
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
                    for index, site in self._callers(scope, frame)[0]
                ]
                if self._evaluator.sites.knows(scope):  # else they are being looked for, further out
                    self._heirs[id(scope)] = heirs
            if not any(receivers for _, receivers in heirs):
                return self._of_heirs(scope, owner, plain, world) or anyone
            found: list[Outcome] = []
            for index, receivers in heirs:
                if chosen in (None, index, _ANOTHER):
                    # One world for all that one call may be on: nothing yet tells those apart.
                    there = world if chosen is not None else world.assuming(choice, index)
                    found += [
                        (each, both)
                        for each, w in receivers or [(plain, there)]
                        if (both := there.joined(w)) is not None
                    ]
            of_heirs = all(each and not _has_own(each, owner) for _, each in heirs)
            if of_heirs and chosen in (None, _ANOTHER) and self._is_made(owner):
                # Whoever has those of the class itself calls it as well, by what nobody can follow.
                found.append((plain, world.assuming(choice, _ANOTHER)))
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
        sites, whole = self._callers(scope, frame)
        kind, _, asked = unknown
        mark = (id(scope), f"{name} {kind} {asked}")  # in whatever frame: else there is no end
        if not sites:
            return None
        if mark in self._asking or len(self._asking) > _MOST_ASKED:
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
                if chosen in (None, index, _ANOTHER)
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
                    whole_of = self.bound(name, scope, frame, site.arguments, method, w)
                    held.append([outcome for value, v in whole_of for outcome in pick(value, v)])
            found, more = few(held)
            if (more or not whole) and chosen in (None, _ANOTHER):
                found.append((Unknown(unknown), world.assuming(choice, _ANOTHER)))
            return found
        finally:
            del self._asking[mark]

    def _callers(self, scope: FunctionNode | ast.Lambda, frame: Frame) -> tuple[list[tuple[int, Site]], bool]:
        """The calls of a function, each with its number, and whether these are all.

        Of many, those that look different come first, and those in tests after the others.
        """
        known = self._evaluator.sites
        found = known.of_lambda(scope, frame) if isinstance(scope, ast.Lambda) else known.of(scope, frame)
        sites = list(enumerate(found))
        if len(sites) > _FEW_CALLERS:
            sites = different_first(sites)
        return sites[:_MOST_CALLERS], len(sites) <= _MOST_CALLERS and known.are_all(scope)

    def _read(self, given: Argument, attribute: str, world: World) -> list[Outcome]:
        assert given.expression is not None and given.point is not None
        node = self._evaluator.members.path(given.expression, attribute)
        return self._evaluator.values(node, given.point, world)

    def bound(
        self,
        name: str,
        scope: FunctionNode | ast.Lambda,
        frame: Frame,
        arguments: Arguments,
        method: bool,
        world: World,
    ) -> list[Outcome]:
        """What a call's arguments give to a parameter."""
        spec = scope.args
        names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
        if method:
            names = names[1:]
        evaluator = self._evaluator
        if spec.vararg is not None and spec.vararg.arg == name:
            rest = arguments.positional[len(names) :]
            values = tuple(evaluator.value_of(argument, world)[0][0] for argument in rest)
            return self._rest(values, max(0, len(names) - len(arguments.positional)), arguments.spread, world)
        if spec.kwarg is not None and spec.kwarg.arg == name:
            known = {*names, *(a.arg for a in spec.kwonlyargs)}
            extra = {k: a for k, a in arguments.keywords.items() if k not in known}
            return [
                (Table({k: v for k, v in table.items.items() if k not in known}, table.open), w)
                for table, w in evaluator.containers.table(
                    Arguments(keywords=extra, splats=arguments.splats), world
                )
            ]
        if name in arguments.keywords:
            return evaluator.value_of(arguments.keywords[name], world)
        if name in names:
            index = names.index(name)
            if index < len(arguments.positional):
                return evaluator.value_of(arguments.positional[index], world)
            if arguments.spread:
                outcomes: list[Outcome] = []
                place = index - len(arguments.positional)
                for value, w in evaluator.value_of(arguments.spread[0], world):
                    if isinstance(value, Items) and not value.open and place >= len(value.items):
                        outcomes += self._left_out(name, scope, frame, arguments, w)
                    else:
                        outcomes += [(item, w) for item in evaluator.containers.pick(value, Const(place))]
                return outcomes
        return self._left_out(name, scope, frame, arguments, world)

    def _rest(
        self, values: tuple[Value, ...], taken: int, spread: Sequence[Argument], world: World
    ) -> list[Outcome]:
        """What ``*args`` holds: the arguments beyond the parameters, and those of a ``*more`` at the call, of
        which the parameters have ``taken`` so many."""
        if not spread:
            return [(Items("tuple", values), world)]
        return [
            (Items("tuple", (*values, *more.items[taken:]), more.open or len(spread) > 1), w)
            if isinstance(more, Items)
            else (Items("tuple", values, True), w)
            for more, w in self._evaluator.value_of(spread[0], world)
        ]

    def _left_out(
        self, name: str, scope: FunctionNode | ast.Lambda, frame: Frame, arguments: Arguments, world: World
    ) -> list[Outcome]:
        """A parameter that no argument names: from ``**kwargs``, or its default."""
        default = default_of(name, scope)
        outcomes, worlds = self._splatted(name, arguments, world, isinstance(default, ast.Constant))
        for w in worlds:
            if default is None or frame.outer is None or self._is_filled(scope, frame.outer):
                outcomes.append((Unknown(("parameter", frame.key, name)), w))
            if default is not None and frame.outer is not None:
                outcomes += self._evaluator.values(default, Point(frame.outer, None), w)
        return outcomes

    def _splatted(
        self, name: str, arguments: Arguments, world: World, plain: bool
    ) -> tuple[list[Outcome], list[World]]:
        """What the ``**kwargs`` of a call hold under a name, and the worlds in which they do not hold it.

        A dict of which nothing is known, like one read from a file, may always have the name: a ``plain``
        default is not known to hold then. One that is code (a function, a class) stands in no file.
        """
        outcomes: list[Outcome] = []
        worlds = [world]
        for argument in arguments.splats:
            handed_on = self._handed_on(argument, name)
            if handed_on is not None:
                following = []
                for start in worlds:
                    if name in handed_on.keywords:
                        outcomes += self._evaluator.value_of(handed_on.keywords[name], start)
                        continue
                    passed, without = self._splatted(name, handed_on, start, plain)
                    outcomes += passed
                    following += without
                worlds = following
                continue
            kept = [self._evaluator.entries.kept(argument, name, start) for start in worlds]
            if all(kept):
                outcomes += [each for found in kept for each in found if each[0] is not ABSENT]
                worlds = [w for found in kept for value, w in found if value is ABSENT]
                continue
            if not self._may_pass(argument, name):
                continue
            following = []
            for start in worlds:
                tables = self._evaluator.value_of(argument, start)
                if tables and all(self._evaluator.entries.lacks(table, name) for table, _ in tables):
                    following.append(start)  # whichever it is
                    continue
                for table, w in tables:
                    held = self._evaluator.entries.picked_of(argument, table, name, w)
                    absent = [v for value, v in held if value is ABSENT]
                    outcomes += [(value, v) for value, v in held if value is not ABSENT]
                    sure = isinstance(table, Table) and (name in table.items or not table.open)
                    if isinstance(table, Instance):  # a dict of the program's own, known or not
                        sure = not any(isinstance(value, Unknown) for value, _ in held)
                    following += absent if sure or plain else [w]
            worlds = following
        return outcomes, worlds

    def _handed_on(self, splat: Argument, name: str) -> Arguments | None:
        """The arguments of the call that a function's own ``**kwargs`` come from, where it hands them on as
        they are: who asks for one entry need not ask for all of them."""
        if splat.point is None or not isinstance(splat.expression, ast.Name):
            return None
        if splat.expression.id in splat.point.locals:
            return None
        return self.rest(splat.expression.id, name, splat.point.frame)

    def rest(self, own: str, name: str, frame: Frame) -> Arguments | None:
        """What a call gives to a function's ``**kwargs``, of which one name is asked; None where
        it has no such, or changes them."""
        scope = frame.scope
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        kwarg = scope.args.kwarg
        if kwarg is None or kwarg.arg != own or own in frame.layout.binds:
            return None
        if any(each.arg == name for each in [*scope.args.args, *scope.args.kwonlyargs]):
            return Arguments()
        self.reads.setdefault(frame.key, set()).add(own)
        return frame.arguments

    def _is_filled(self, scope: FunctionNode | ast.Lambda, outer: Frame) -> bool:
        """Whether a decorator may give a function what its callers leave out."""
        if isinstance(scope, ast.Lambda) or not scope.decorator_list:
            return False
        filled = self._filled.get(id(scope))
        if filled is None:
            filled = self._filled[id(scope)] = fills_arguments(self._evaluator, scope, outer)
        return filled

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
                for index, site in self._callers(scope, frame)[0]
                if chosen in (None, index)
            ]
        return [
            outcome
            for arguments, w in given or [(None, world)]
            for each in inside
            for outcome in self.bound(
                name, scope, frame, arguments_of(each.call, each.point(frame, arguments)), False, w
            )
        ]

    def _may_pass(self, splat: Argument, name: str) -> bool:
        """Whether a ``**kwargs`` can hold an argument of this name, whatever has been assumed."""
        return any(
            not isinstance(table, Table) or table.open or name in table.items
            for table, _ in self._evaluator.value_of(splat, HERE)
        )

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
            found.append((Unknown(("parameter", frame.key, name)), world.assuming(choice, _ANOTHER)))
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
        sites, whole = self._callers(scope, frame)
        if not sites:
            if isinstance(scope, ast.Lambda):
                return unknown
            return (
                self._evaluator.commands.called(name, scope, frame, world)
                or self._from_configuration(name, scope, frame, world)
                or unknown
            )
        if len(self._asking) > _MOST_ASKED:
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
                if chosen not in (None, index, _ANOTHER):
                    continue
                if len(values) >= _MOST_PASSED:
                    whole = False
                    break
                w = world if chosen is not None else world.assuming(choice, index)
                passed = self.bound(name, scope, frame, site.arguments, method, w)
                values.update(value.key for value, _ in passed if not isinstance(value, Unknown))
                found.append(passed)
            outcomes, more = few(found)
            if (more or not whole) and chosen in (None, _ANOTHER):
                # What the others pass is not known; it is none of what these do together.
                outcomes.append((unknown[0][0], world.assuming(choice, _ANOTHER)))
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


def written(
    name: str, scope: FunctionNode | ast.Lambda, arguments: Arguments, method: bool
) -> Argument | None:
    """The argument that a call gives to a parameter, where it is written out there."""
    names = [a.arg for a in [*scope.args.posonlyargs, *scope.args.args]][1 if method else 0 :]
    given = arguments.keywords.get(name)
    if given is None and name in names and names.index(name) < len(arguments.positional):
        given = arguments.positional[names.index(name)]
    is_whole = given is not None and not given.element and given.expression is not None
    return given if is_whole and given is not None and given.point is not None else None


def default_of(name: str, scope: FunctionNode | ast.Lambda) -> ast.expr | None:
    """The default of a parameter."""
    spec = scope.args
    positional = [*spec.posonlyargs, *spec.args]
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        if parameter.arg == name:
            return default
    for parameter, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if parameter.arg == name:
            return value
    return None


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


def is_class_method(scope: FunctionNode | ast.Lambda | ast.ClassDef | ast.Module) -> bool:
    """Whether a function is a ``@classmethod``."""
    return any(
        isinstance(decorator, ast.Name) and decorator.id == "classmethod"
        for decorator in getattr(scope, "decorator_list", ())
    )


def is_static(scope: FunctionNode | ast.Lambda) -> bool:
    """Whether a function is a static method."""
    return isinstance(scope, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
        for decorator in scope.decorator_list
    )
