"""What Lightning keeps of a constructor's arguments: ``self.hparams``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.trainers import HPARAMS, SAVES_ARGUMENTS
from dlint.regex import regex
from dlint.source.statements import FunctionNode, given_by_name, parameters, statements_in
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Instance, Made, Table
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator

# Changes of what is kept by names that are not followed.
_CHANGED = regex(
    r"\bhparams(?:\.update\(|\[[^\]\n]{1,99}\]\s*=(?!=))|\bsetattr\([\w.]*\bhparams\b|=\s*[\w.]+\.hparams\s*$",
    re.MULTILINE,
)


class Hparams:
    """Questions about kept arguments."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        # Names that stand in no text, by the function and what they say: answers are remembered by node.
        self._nodes: dict[tuple[int, str], ast.Name] = {}
        self._changed: bool | None = None

    def of(self, instance: Instance, world: World) -> list[Outcome]:
        """What an object keeps; empty where it keeps nothing, or nobody knows what."""
        if self._are_changed():
            return []
        frames = [frame for _, frame in self._evaluator.initialisers.of(instance)]
        saving = [(at, *each) for at, frame in enumerate(frames) for each in _saves(frame)]
        if len(saving) != 1:  # of several each adds to what is kept
            return []
        at, call, statement = saving[0]
        return self._kept(call, Point(frames[at], statement), frames[: at + 1], world)

    def _are_changed(self) -> bool:
        """Whether some file changes what is kept by names that are not followed, or under another name."""
        if self._changed is None:
            self._changed = any(map(_CHANGED.search, self._evaluator.modules.index.texts("hparams")))
        return self._changed

    def _kept(self, call: ast.Call, point: Point, frames: list[Frame], world: World) -> list[Outcome]:
        words = [each.value for each in call.args if isinstance(each, ast.Constant)]
        given = given_by_name(call)
        if given.keys() - {"ignore", "logger"}:
            return []
        if len(words) == len(call.args):
            left_out = _words(given.get("ignore"))
            if left_out is None:
                return []
            arguments = self._arguments(point, frames, set(map(str, words)), left_out)
            return [(Made(HPARAMS, call, arguments, point), world)]
        if len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
            return []
        # Settings that are given whole: a dict, or what was parsed.
        found: list[Outcome] = []
        for value, w in self._evaluator.values(call.args[0], point, world):
            if isinstance(value, Table):
                splat = Argument(None, None, value)
                found.append((Made(HPARAMS, call, Arguments(splats=[splat]), point), w))
            else:
                found.append((value, w))
        return found

    def _arguments(self, point: Point, frames: list[Frame], only: set[str], left_out: set[str]) -> Arguments:
        """The parameters of the constructors that are at work, those of the object's own class first."""
        keywords: dict[str, Argument] = {}
        splats: list[Argument] = []
        for frame in frames:
            scope = frame.scope
            if not isinstance(scope, FunctionNode):
                continue
            at = point if frame is point.frame else Point(frame, scope.body[0])
            for each in parameters(scope)[1:]:
                if each.arg in left_out or (only and each.arg not in only):
                    continue
                if frame is not point.frame and each.arg in frame.layout.binds:
                    continue  # kept as it is when the constructor above is called
                if each is scope.args.kwarg:
                    splats.append(Argument(self._name(scope, each.arg), at))
                elif each is not scope.args.vararg:
                    keywords.setdefault(each.arg, Argument(self._name(scope, each.arg), at))
        return Arguments(keywords=keywords, splats=splats)

    def _name(self, scope: FunctionNode, word: str) -> ast.Name:
        known = self._nodes.get((id(scope), word))
        if known is None:
            known = ast.copy_location(ast.Name(word, ast.Load()), scope)
            self._nodes[id(scope), word] = known
        return known


def _saves(frame: Frame) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """The calls in a constructor that have its arguments kept."""
    scope = frame.scope
    if not isinstance(scope, FunctionNode) or SAVES_ARGUMENTS not in frame.module.text:
        return
    own = next((each.arg for each in parameters(scope)), None)
    for statement in statements_in(scope.body):
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=called)) as call
            ):
                if receiver == own and called == SAVES_ARGUMENTS:
                    yield call, statement


def _words(node: ast.expr | None) -> set[str] | None:
    """The words that an expression says, None where they are not written out."""
    match node:
        case None:
            return set()
        case ast.Constant(value=str(word)):
            return {word}
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            words = {str(each.value) for each in elements if isinstance(each, ast.Constant)}
            return words if len(words) == len(elements) else None
    return None
