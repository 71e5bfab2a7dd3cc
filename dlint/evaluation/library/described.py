"""Calls that are described or bound to some arguments before anything is made: what files of lazy calls have
under their names, and what is made of what such a call describes."""

from __future__ import annotations

import ast
import posixpath
from typing import Final

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.library.arguments import Answers, first
from dlint.knowledge.words.reflection import BUILDS, DESCRIBES, LOADS_DESCRIBED, MAKES_DESCRIBED, is_for_built
from dlint.values.frame import Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Const, External, ModuleValue, Partial, Unknown, Value
from dlint.values.worlds import World


def loaded(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``LazyConfig.load("configs/small.py")``: what the file has, where its path is known from the root or
    from the folder of whoever loads it."""
    home = point.frame.module.relative.rpartition("/")[0]
    found: list[Outcome] = []
    for value, w in first(evaluator, arguments, world) if len(arguments.all()) == 1 else ():
        written = value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
        for path in (posixpath.normpath(written), posixpath.normpath(f"{home}/{written}")):
            module = evaluator.modules.get(path)
            if module is not None:
                found.append((ModuleValue(module, None), w))
                break
        else:
            return []
    return found


def made(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``instantiate(cfg.dataloader.train)``: what was made where it was described."""
    given = [(_set(evaluator, value), w) for value, w in first(evaluator, arguments, world)]
    return [] if any(isinstance(value, Unknown | External) for value, _ in given) else given


def _set(evaluator: Evaluator, value: Value) -> Value:
    """What a project sets in its settings, where nothing changes it."""
    return evaluator.options.set_by_default(value) or value


def built(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``builds(Birds, root="birds")``: a call that is described, one of a partial where it is told so."""
    if not arguments.positional or "builds_bases" in arguments.keywords:
        return []
    given = {name: each for name, each in arguments.keywords.items() if is_for_built(name)}
    described = Arguments(arguments.positional[1:], given, arguments.spread, arguments.splats)
    if "zen_partial" in arguments.keywords:
        described = Arguments(arguments.positional, given, arguments.spread, arguments.splats)
        return [(Partial(External("functools.partial"), described), world)]
    return [(Partial(callee, described), w) for callee, w in first(evaluator, arguments, world)]


def bound(
    evaluator: Evaluator, arguments: Arguments, node: ast.AST, point: Point, world: World
) -> list[Outcome]:
    """``partial(make, size=4)``, ``LazyCall(make)``."""
    rest = arguments.without_first()
    return [(Partial(callee, rest), w) for callee, w in first(evaluator, arguments, world)]


DESCRIBED: Final[Answers] = {
    "functools.partial": bound,
    **dict.fromkeys(DESCRIBES, bound),
    LOADS_DESCRIBED: loaded,
    BUILDS: built,
    **dict.fromkeys(MAKES_DESCRIBED, made),
}
