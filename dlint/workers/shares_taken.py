"""Whether worker code takes its worker's part of what comes in some order: a function itself, what it hands
that to, or who calls it."""

from __future__ import annotations

import ast
from typing import TypeAlias

from dlint.calls.evaluator import Evaluator
from dlint.source.statements import FunctionNode, dotted, parameters, self_name, statements_in
from dlint.streams.dividing.informed import UNTOLD, Part, Told
from dlint.streams.dividing.orders import is_what
from dlint.streams.dividing.shares import Shares
from dlint.values.frame import Frame, Point
from dlint.values.functions import passed
from dlint.values.methods import is_property
from dlint.values.places import loops_around
from dlint.values.values import Function, Instance, Value
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

# What functions do with the worker's number, by their id and what is kept of that in their objects.
Known: TypeAlias = dict[tuple[int, Told], Shares]


def is_divided_of(evaluator: Evaluator, use: WorkerUse, name: str, shares: Known) -> bool:
    """Whether the methods of a dataset that workers execute take the worker's part of an attribute, as it
    came to them in its order."""
    divided = False
    for visit in use.code.visits:
        function, receiver = visit.function.node, visit.frame.receiver
        if not isinstance(function, FunctionNode) or not isinstance(receiver, Instance):
            continue
        if not isinstance(use.dataset, Instance) or receiver.cls.node is not use.dataset.cls.node:
            continue
        own, start = shares_of(evaluator, shares, use.code, visit.frame), Point(visit.frame, None)
        whole = f"{self_name(function)}.{name}"
        if own.orders_again(whole, start):
            return False
        divided = divided or is_divided(evaluator, shares, use.code, whole, start)
    return divided


def shares_of(evaluator: Evaluator, shares: Known, code: WorkerCode, frame: Frame) -> Shares:
    """What a function of worker code does with the number of its worker."""
    function = frame.scope
    assert isinstance(function, FunctionNode)
    kept = _kept(code, function, frame.receiver)
    mark = (id(function), kept)
    if mark not in shares:
        shares[mark] = Shares(function, kept, _given(evaluator, function, frame))
    return shares[mark]


def _kept(code: WorkerCode, function: FunctionNode, receiver: Value | None) -> Told:
    """What the methods of a method's object that workers execute keep in it of the worker that they run in,
    and its properties give of that: ``self.worker_id = info.id``."""
    found = UNTOLD
    if isinstance(receiver, Instance):
        for visit in code.visits:
            other, node = visit.function.receiver, visit.function.node
            if (
                isinstance(node, FunctionNode)
                and node is not function
                and isinstance(other, Instance)
                and other.cls.node is receiver.cls.node
                and "get_worker_info" in visit.function.module.text_of(node)
            ):
                own, holder = Shares(node), self_name(function)
                found = found.joined(own.kept(holder))
                match own.results() if is_property(node) else ():
                    case [part]:
                        found = found.joined(part.called(f"{holder}.{node.name}"))
    return found


def _given(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> dict[int, list[Part]]:
    """What a function gets of the worker from other functions of the project: ``me, of = my_slot()``."""
    found: dict[int, list[Part]] = {}
    for statement in statements_in(function.body):
        match statement:
            case ast.Assign(value=ast.Call() | ast.Attribute() as read):
                called = _called(evaluator, read, Point(frame, statement))
                nodes = [each.node for each in called if isinstance(each, Function)]
                if len(called) == len(nodes) == 1 and isinstance(nodes[0], FunctionNode):
                    found[id(read)] = Shares(nodes[0]).results()
    return found


def _called(evaluator: Evaluator, read: ast.Call | ast.Attribute, point: Point) -> list[Value]:
    """What a call calls, or the property that an attribute of the object itself is."""
    if isinstance(read, ast.Call):
        evaluator.start()
        return [value for value, _ in evaluator.values(read.func, point)]
    receiver, scope = point.frame.receiver, point.frame.scope
    if (
        not isinstance(receiver, Instance)
        or not isinstance(scope, FunctionNode)
        or dotted(read.value) != self_name(scope)
    ):
        return []
    getters = evaluator.classes.properties(receiver.cls).get(read.attr, ())
    return [Function(each.node, each.frame, receiver, owner) for each, owner in getters]


def is_divided(
    evaluator: Evaluator, shares: Known, code: WorkerCode, whole: str | ast.expr, point: Point
) -> bool:
    """Whether the worker's part is taken of what a call gives, or a name stands for after a statement: there,
    or by a function of the project that gets it."""
    if any(isinstance(loop, ast.While) for loop in loops_around(point)):
        return False  # what this round leaves out, the next may give
    own = shares_of(evaluator, shares, code, point.frame)
    if own.taken_of(whole, point) if isinstance(whole, str) else own.takes_of(whole):
        return True
    for statement, call in own.calls_with(whole, point):
        at = Point(point.frame, statement)
        if own.is_of_lone(at):
            continue
        evaluator.start()
        called = [value for value, _ in evaluator.values(call.func, at)]
        if called and all(_takes(code, own, whole, function, call) for function in called):
            return True
        # What takes the share of a rank, or a copy, leaves the order to whoever takes the worker's of it.
        name = own.name_of(call, at)
        through = bool(called) and all(_hands_through(whole, function, call) for function in called)
        if through and (
            is_divided(evaluator, shares, code, call, at)
            or (
                name is not None
                and not own.is_one(name, call)
                and is_divided(evaluator, shares, code, name, at)
            )
        ):
            return True
    if _is_taken_by_property(evaluator, code, own, whole, point):
        return True
    for statement, made in own.in_order_of(whole, point):
        at = Point(point.frame, statement)
        if not own.is_of_lone(at) and is_divided(evaluator, shares, code, made, at):
            return True
    return False


def _is_taken_by_property(
    evaluator: Evaluator, code: WorkerCode, own: Shares, whole: str | ast.expr, point: Point
) -> bool:
    """Whether a property of the object takes the worker's part of an attribute of it, as a statement left
    that: ``self.share``."""
    if not isinstance(whole, str):
        return False
    _, _, name = whole.partition(".")
    for statement, read in own.reads_beside(whole, point):
        at = Point(point.frame, statement)
        getters = [] if own.is_of_lone(at) else _called(evaluator, read, at)
        for getter in getters:
            if isinstance(getter, Function) and isinstance(getter.node, FunctionNode):
                inside = Shares(getter.node, _kept(code, getter.node, getter.receiver))
                if inside.taken_of(f"{self_name(getter.node)}.{name}", None):
                    return True
    return False


def _hands_through(whole: str | ast.expr, function: Value, call: ast.Call) -> bool:
    """Whether a function gives back what a call gives it, or a slice of it, in its order."""
    if not isinstance(function, Function) or not isinstance(function.node, FunctionNode):
        return False
    names = [name for name, each in passed(function, call).items() if is_what(each, whole)]
    return any(Shares(function.node).gives_back(name) for name in names)


def _takes(code: WorkerCode, own: Shares, whole: str | ast.expr, function: Value, call: ast.Call) -> bool:
    """Whether a function takes the worker's part of what a call gives it."""
    if not isinstance(function, Function) or not isinstance(function.node, FunctionNode):
        return False
    given = passed(function, call)
    kept = _kept(code, function.node, function.receiver)
    inside = Shares(function.node, own.telling(given).joined(kept))
    names = [name for name, each in given.items() if is_what(each, whole)]
    if function.receiver is not None and isinstance(call.func, ast.Attribute) and isinstance(whole, str):
        on = dotted(call.func.value)
        if on is not None and whole.startswith(f"{on}."):
            names += [f"{each.arg}{whole[len(on) :]}" for each in parameters(function.node)[:1]]
    return any(inside.taken_of(name, None) for name in names)


def is_divided_by_caller(
    evaluator: Evaluator, code: WorkerCode, event: Event, drawn: Event, shares: Known
) -> bool:
    """Whether who calls the function of an event, or goes through its object, takes the worker's part of what
    that gives, or hands it on to one who does: ``islice(self.shuffled(), info.id, None, info.num_workers)``;
    but of one that begins again without end."""
    if any(isinstance(loop, ast.While) for loop in loops_around(event.point)):
        return False
    links = [each.link for each in code.each_way([drawn])]
    # What draws the keys of a sorting is called by that.
    links = links if drawn is event else [each.above for each in links if each.above is not None]
    return any(_is_divided_above(evaluator, code, each, shares) for each in links)


def is_divided_later(
    evaluator: Evaluator, code: WorkerCode, event: Event, drawn: Event, name: str, shares: Known
) -> bool:
    """Whether who calls the method of an event takes the worker's part of what that leaves in an attribute of
    its object: ``self.shuffle()``, and then ``self.files[info.id :: info.num_workers]``."""
    if any(isinstance(loop, ast.While) for loop in loops_around(event.point)):
        return False
    for link in (each.link for each in code.each_way([drawn])):
        above = link if drawn is event else link.above
        if above is None or above.caller is None:
            continue
        match above.site:
            case ast.Call(func=ast.Attribute(value=holder)) if (
                isinstance(above.caller.frame.scope, FunctionNode) and dotted(holder) is not None
            ):
                own, whole = (
                    shares_of(evaluator, shares, code, above.caller.frame),
                    f"{dotted(holder)}.{name}",
                )
                if own.is_of_lone(above.caller) or own.is_one(whole, above.site):
                    continue
                if is_divided(evaluator, shares, code, whole, above.caller):
                    return True
    return False


def _is_divided_above(evaluator: Evaluator, code: WorkerCode, link: Link | None, shares: Known) -> bool:
    """Whether one of those along a chain of calls takes the worker's part of what it gets by the call that
    leads on, and the others hand that on as it is."""
    while link is not None and isinstance(link.site, ast.expr) and link.caller is not None:
        point, given = link.caller, link.site
        if not isinstance(point.frame.scope, FunctionNode):
            return False
        own = shares_of(evaluator, shares, code, point.frame)
        if own.is_of_lone(point):
            return False
        name = own.name_of(given, point)
        if name is not None and own.is_one(name, given):
            name = None
        wholes: list[str | ast.expr] = [given] if name is None else [given, name]
        if any(is_divided(evaluator, shares, code, whole, point) for whole in wholes):
            return True
        begins_again = any(isinstance(loop, ast.While) for loop in loops_around(point))
        if begins_again or not any(own.hands_on(whole, point) for whole in wholes):
            return False
        link = link.above
    return False
