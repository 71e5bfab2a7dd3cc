"""Seeds that functions are given: the worker's number, or what those who call them pass."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import default_of, is_static
from dlint.calls.returned import coming_to
from dlint.knowledge.randomness import sounds_changing
from dlint.randomness.seeds.interface import Trace
from dlint.randomness.seeds.named_seeds import by_name, by_value
from dlint.randomness.seeds.seed import FIXED_SEED, OWN_NUMBER, UNKNOWN_SEED, Seed, few
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.values import Function
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.workers.reach import Link
    from dlint.workers.worker import WorkerCode

# Of more callers nothing is said.
_MOST = 8


class Given:
    """What the parameters of functions are; the first one of a ``worker_init_fn`` is the worker's number."""

    def __init__(
        self, trace: Trace, evaluator: Evaluator, code: WorkerCode, link: Link | None, inside: Set[int]
    ) -> None:
        self._trace = trace
        self._evaluator = evaluator
        # The calls that lead to the seeding: a summary, and so a frame, may be shared with who calls alike.
        self._calls: dict[int, Link] = {}
        while link is not None:
            if link.function is not None:
                self._calls[id(link.function.node)] = link
            link = link.above
        self._inside = inside
        self._init_functions = {
            id(visit.function.node)
            for visit in code.visits
            if visit.role == "worker_init_fn" and _is_first(visit.link)
        }

    def parameter(self, name: str, frame: Frame, world: World) -> list[Seed]:
        """What a parameter of a function may be."""
        scope = frame.scope
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        bound = frame.receiver is not None or (frame.owner is not None and not is_static(scope))
        names = [a.arg for a in [*scope.args.posonlyargs, *scope.args.args]][1 if bound else 0 :]
        if frame.arguments is not None:
            return self._given(name, names, frame, self._arguments(frame, frame.arguments), world)
        if id(scope) in self._init_functions and names[:1] == [name]:
            return [OWN_NUMBER]
        if isinstance(scope, ast.Lambda) or sounds_changing(name):
            return [by_name(name)]
        sites = self._evaluator.sites.of(scope, frame)
        if not sites or len(sites) > _MOST or not self._evaluator.sites.are_all(scope):
            return [by_name(name)]
        chosen = world.known(("caller", id(scope)))
        return [
            seed
            for index, site in enumerate(sites)
            if chosen is None or chosen == index
            for seed in self._given(name, names, frame, site.arguments, world)
        ]

    def _arguments(self, frame: Frame, arguments: Arguments) -> Arguments:
        """The arguments of the call that led to the seeding: the frame may be that of another one."""
        link = self._calls.get(id(frame.scope))
        if link is None or link.caller is None or not isinstance(link.site, ast.Call):
            return arguments
        callees = [callee for callee, _ in self._evaluator.values(link.site.func, link.caller)]
        if getattr(frame.scope, "decorator_list", None) or not all(
            isinstance(callee, Function) and callee.node is frame.scope for callee in callees
        ):
            return arguments  # somebody between them may give others
        return arguments_of(link.site, link.caller)

    def _given(
        self, name: str, names: list[str], frame: Frame, arguments: Arguments, world: World
    ) -> list[Seed]:
        """What a call's arguments give to a parameter."""
        if name in arguments.keywords:
            return self.argument(arguments.keywords[name], world)
        if name in names and names.index(name) < len(arguments.positional):
            return self.argument(arguments.positional[names.index(name)], world)
        scope = frame.scope
        assert isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if id(scope) in self._init_functions:
            # The worker's number is the first argument that nothing else has given.
            free = [each for each in names[len(arguments.positional) :] if each not in arguments.keywords]
            if free[:1] == [name]:
                return [OWN_NUMBER]
        default = default_of(name, scope)
        if default is None or arguments.spread or arguments.splats or frame.outer is None:
            return [by_name(name)]
        return self._trace.of(default, Point(frame.outer, None), world)

    def argument(self, argument: Argument, world: World) -> list[Seed]:
        """What an argument of a call may be."""
        if argument.taken is not None:
            return few([by_value(value, "") for value, _ in self._evaluator.value_of(argument, world)])
        if argument.element:
            return [UNKNOWN_SEED]
        if argument.value is not None:
            # What starts a process tells it its number: the same in every epoch.
            is_rank = argument.value.key in self._evaluator.sites.ranks
            return [FIXED_SEED if is_rank else by_value(argument.value, "")]
        expression, point = argument.expression, argument.point
        assert expression is not None and point is not None
        if id(point.frame.scope) in self._inside:
            return self._trace.of(expression, point, world)
        # What the parent gives it gives where it comes to that: `partial(init, seed=seed) if seed else None`.
        worlds = coming_to(self._evaluator, point, world, expression) or [world]
        return few([seed for w in worlds for seed in self._trace.of(expression, point, w)])


def _is_first(link: Link) -> bool:
    """Whether a function is what the loader was given, or what a decorator of that runs in its place."""
    while link.above is not None and link.above.function is not None:
        if link.caller is None or link.caller.statement is not link.above.function.node:
            return False
        link = link.above
    return link.length == 2
