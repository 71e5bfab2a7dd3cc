"""Whether a loader, or a pass over it, is for training, or only to look at what a model makes of the data."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.epochs import (
    WITHOUT_GRADIENTS,
    names_evaluation,
    speaks_of_evaluation,
    speaks_of_training,
)
from dlint.source.layout import Layout
from dlint.source.nodes import is_text, walk
from dlint.source.statements import dotted, head_name, last_name, own_names, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.places import places_around, tests_around
from dlint.values.values import Function
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.calls.site import Site

_SWITCH = "set_grad_enabled"


def is_called_after_evaluation(calls: Iterable[tuple[ast.Call, Frame]], others: Iterable[str] = ()) -> bool:
    """Whether the names around calls that make a loader, or its sampler, say that it evaluates: those of the
    function, of the dataset, of what the loader is assigned to, of its place among others, and ``others``."""
    names: list[str] = []
    for call, frame in calls:
        scope = frame.scope
        if isinstance(scope, ast.FunctionDef) and names_evaluation(scope.name, frame.module.text_of(scope)):
            return True
        names += [ast.unparse(node) for node in call.args[:1]]
        names += [ast.unparse(word.value) for word in call.keywords if word.arg == "dataset"]
        statement = assignment_of(call, frame)
        names += map(ast.unparse, statement.targets if statement is not None else ())
        variable = _variable(statement, call, frame)
        labels = list(_labels(call, variable, frame))
        # What is called after training may be looked at in an evaluation, too.
        if labels and all(map(speaks_of_evaluation, labels)) and "train" not in (variable or "").lower():
            return True
    return any(speaks_of_evaluation(part) for name in (*names, *others) for part in name.split("."))


def _variable(statement: ast.Assign | None, call: ast.Call, frame: Frame) -> str | None:
    """The variable that is a call's result, and nothing else."""
    if statement is None or statement.value is not call or len(statement.targets) != 1:
        return None
    name = dotted(statement.targets[0])
    bound = [each for each in statements_in(frame.layout.body) if name in own_names(each)]
    return name if len(bound) == 1 else None


def _labels(call: ast.Call, variable: str | None, frame: Frame) -> Iterator[str]:
    """What the result of a call, or its variable, goes by among others: its key in a dict, its keyword, the
    text beside it (``("val", loader)``)."""
    for node in frame.layout.nodes:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                named = is_text(key)
                if named and _is_meant(value, call, variable):
                    assert isinstance(key, ast.Constant)
                    yield str(key.value)
        elif isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg is not None and _is_meant(word.value, call, variable):
                    yield word.arg
        elif isinstance(node, ast.Tuple | ast.List):
            texts = [each.value for each in node.elts if isinstance(each, ast.Constant)]
            beside = texts[0] if len(texts) == 1 else None
            if isinstance(beside, str) and any(_is_meant(each, call, variable) for each in node.elts):
                yield beside


def _is_meant(node: ast.expr, call: ast.Call, variable: str | None) -> bool:
    return node is call or (isinstance(node, ast.Name) and node.id == variable)


def assignment_of(call: ast.Call, frame: Frame) -> ast.Assign | None:
    """The assignment around a call."""
    for statement in statements_in(frame.layout.body):
        if isinstance(statement, ast.Assign) and any(node is call for node in walk(statement.value)):
            return statement
    return None


def is_without_gradients(point: Point) -> bool:
    """Whether no gradients are kept where a point stands: by a decorator or a ``with`` around it."""
    for place in places_around(point):
        if isinstance(place.owner, ast.With) and any(
            _turns_off(item.context_expr) for item in place.owner.items
        ):
            return True
    decorators = getattr(point.frame.scope, "decorator_list", [])
    return any(_turns_off(decorator) for decorator in decorators)


def trains_nothing_by(evaluator: Evaluator, point: Point, site: Site) -> bool:
    """Whether a loop at a point in a function trains nothing, as one call has it: no gradients are kept
    (``torch.set_grad_enabled(optimizer is not None)``), or no step is taken (``if train: loss.backward()``).
    """
    switches = [
        (item.context_expr.args[0], Point(point.frame, place.owner))
        for place in places_around(point)
        if isinstance(place.owner, ast.With)
        for item in place.owner.items
        if isinstance(item.context_expr, ast.Call) and item.context_expr.args
        if last_name(item.context_expr.func) == _SWITCH
    ]
    loop = [point.statement] if point.statement is not None else []
    steps = [Point(point.frame, each) for each in statements_in(loop) if _takes_step(each)]
    tests = [[(test, step, outcome) for test, outcome, _ in tests_around(step)] for step in steps]
    if not switches and not (tests and all(tests)):
        return False
    frames = [
        evaluator.calls.enter(callee, site.arguments, site.call, site.point)
        for callee, _ in evaluator.values(site.call.func, site.point)
        if isinstance(callee, Function) and callee.node is point.frame.scope
    ]

    def never(test: ast.expr, at: Point, outcome: bool) -> bool:
        return all(
            result is not outcome
            for frame in frames
            for result, _ in evaluator.truth(test, Point(frame, at.statement), HERE)
        )

    off = any(never(switch, at, True) for switch, at in switches)
    left_out = bool(tests) and all(any(never(*test) for test in around) for around in tests)
    return bool(frames) and (off or left_out)


def _takes_step(statement: ast.stmt) -> bool:
    """Whether a statement itself trains: what stands inside it is another."""
    return isinstance(statement, ast.Expr | ast.Assign) and speaks_of_training(ast.unparse(statement))


def _turns_off(node: ast.expr) -> bool:
    name = head_name(node)
    given = node.args if isinstance(node, ast.Call) else []
    if name == _SWITCH:
        return bool(given) and isinstance(given[0], ast.Constant) and not given[0].value
    return name in WITHOUT_GRADIENTS


def _put_into_evaluation(layout: Layout) -> set[str | None]:
    """The models that a function puts into evaluation mode; none where it does what trains. Read once for all
    its loops."""
    if _put_into_evaluation not in layout.answers:
        calls = [node for node in layout.nodes if isinstance(node, ast.Call)]
        models = {
            dotted(call.func.value)
            for call in calls
            if isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not call.args
        }
        trains = models and speaks_of_training("\n".join(ast.unparse(call.func) + "(" for call in calls))
        layout.answers[_put_into_evaluation] = set() if trains else models
    found: set[str | None] = layout.answers[_put_into_evaluation]
    return found


def evaluates(point: Point) -> bool:
    """Whether a loop at a point calls a model that the same function has put into evaluation mode, and the
    function does nothing that trains."""
    loop, scope = point.statement, point.frame.scope
    if not isinstance(loop, ast.For) or not isinstance(scope, ast.FunctionDef):
        return False
    models = _put_into_evaluation(point.frame.layout)
    if not models:
        return False
    used = {
        dotted(node.func)
        for statement in statements_in(loop.body)
        for node in walk(statement)
        if isinstance(node, ast.Call)
    }
    return any(model is not None and model in used for model in models)
