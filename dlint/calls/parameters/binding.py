"""What the arguments of a call give to a parameter."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.calls.decorators import fills_arguments
from dlint.calls.parameters.written import default_of
from dlint.evaluation.dicts.own_dicts import ABSENT
from dlint.source.statements import FunctionNode
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, Instance, Items, Key, Table, Unknown, Value
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator


class Binding:
    """Binds the arguments of calls to parameters. What is asked of a frame's own arguments is noted in
    ``reads``."""

    def __init__(self, evaluator: Evaluator, reads: dict[Key, set[str]]) -> None:
        self._evaluator = evaluator
        self._reads = reads
        self._filled: dict[int, bool] = {}

    def of(
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
        self._reads.setdefault(frame.key, set()).add(own)
        return frame.arguments

    def _is_filled(self, scope: FunctionNode | ast.Lambda, outer: Frame) -> bool:
        """Whether a decorator may give a function what its callers leave out."""
        if isinstance(scope, ast.Lambda) or not scope.decorator_list:
            return False
        filled = self._filled.get(id(scope))
        if filled is None:
            filled = self._filled[id(scope)] = fills_arguments(self._evaluator, scope, outer)
        return filled

    def _may_pass(self, splat: Argument, name: str) -> bool:
        """Whether a ``**kwargs`` can hold an argument of this name, whatever has been assumed."""
        return any(
            not isinstance(table, Table) or table.open or name in table.items
            for table, _ in self._evaluator.value_of(splat, HERE)
        )
