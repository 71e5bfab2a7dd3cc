"""How often a program comes to a place: once, or again for every item or batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.implicit_calls import calls_of_object
from dlint.source.desugaring.made_by_new import keeps_one
from dlint.source.nodes import COMPREHENSIONS, names_in, walk
from dlint.source.statements import FunctionNode, changed_names, dotted, own_names, statements_in
from dlint.values.frame import Point
from dlint.values.functions import is_generator
from dlint.values.methods import is_cached
from dlint.values.places import LOOPS, loops_around, path_to, places_around, tests_around
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.values.frame import Frame
    from dlint.workers.events import Visit
    from dlint.workers.program import Program
    from dlint.workers.worker import WorkerCode

_FAR = 6
# What code asks to know in which process it is.
TELL_PROCESSES = ("getpid", "get_worker_info", "current_process")
_STEPS = frozenset(
    {"training_step", "validation_step", "test_step", "predict_step"}
)  # Lightning's, per batch


class Repetition:
    """Whether something is made anew time after time; what a "time" is, a subclass says."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def starts(self, scope: ast.AST) -> bool | None:
        """Whether a function is run each time (True), only once (False), or by its callers (None)."""
        raise NotImplementedError

    def counts(self, loop: ast.stmt | None, point: Point) -> bool:
        """Whether a loop around a point goes round once a time; None stands for a comprehension."""
        raise NotImplementedError

    def concerns(self, scope: ast.AST) -> bool:
        """Whether calls from a scope are looked at."""
        raise NotImplementedError

    def made_anew(self, call: ast.AST, point: Point, far: int = 0) -> bool:
        """Whether what a call makes is made each time, and not kept from an earlier one."""
        scope = point.frame.scope
        if far > _FAR or is_once(call, point) or is_cached(scope) or _makes_one(scope, point.frame):
            return False
        kept = kept_as(call, point)
        inside = self.looped(call, point)
        if kept == "returned" and isinstance(scope, ast.FunctionDef):
            return any(self.made_anew(site, at, far + 1) for site, at in self._sites(scope, point.frame))
        if kept == "stored" and isinstance(scope, ast.FunctionDef) and scope.name == "__init__":
            # The object goes where the instance goes.
            return any(self.made_anew(site, at, far + 1) for site, at in self._sites(scope, point.frame))
        return inside or self.often(scope, point.frame, far)

    def often(self, scope: ast.AST, frame: Frame, far: int = 0) -> bool:
        """Whether a function runs each time."""
        known = self.starts(scope)
        if known is not None or far > _FAR:
            return bool(known)
        if is_cached(scope) or not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        if _makes_one(scope, frame):
            return False
        for call, at in self._sites(scope, frame):
            again = self.looped(call, at) or self.often(at.frame.scope, at.frame, far + 1)
            if again and not is_once(call, at):
                return True
        return False

    def looped(self, call: ast.AST, point: Point) -> bool:
        """Whether a loop around the call, in its own scope, counts."""
        inside = any(isinstance(node, COMPREHENSIONS) for node in path_to(point.statement, call))
        return (inside and self.counts(None, point)) or any(
            self.counts(loop, point) for loop in loops_around(point)
        )

    def _sites(self, scope: FunctionNode, frame: Frame) -> Iterator[tuple[ast.AST, Point]]:
        """Where a function is called."""
        for site in self._evaluator.sites.of(scope, frame):
            if self.concerns(site.point.frame.scope):
                yield site.call, site.point


class PerItem(Repetition):
    """What worker code comes to once an item or a batch."""

    def __init__(self, evaluator: Evaluator, code: WorkerCode) -> None:
        super().__init__(evaluator)
        self._visits: dict[int, list[Visit]] = {}
        for visit in code.visits:
            self._visits.setdefault(id(visit.function.node), []).append(visit)

    def starts(self, scope: ast.AST) -> bool | None:
        visits = self._visits.get(id(scope), [])
        if all(visit.role == "worker_init_fn" for visit in visits):
            return False
        name = getattr(scope, "name", "")
        if (
            name in ("__call__", "forward")
            and isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
            and not is_generator(scope)
        ):
            return True
        for visit in visits:
            above = visit.link.above
            if visit.role == "dataset" and (above is None or visit.link.site is None):
                return bool(name != "__iter__")  # torch calls it
            if visit.role == "collate_fn" and above is not None and above.above is None:
                return True
        return None

    def counts(self, loop: ast.stmt | None, point: Point) -> bool:
        # A round that gives several items goes through a file of them or a batch.
        return loop is None or not _gives_several(loop)

    def concerns(self, scope: ast.AST) -> bool:
        return id(scope) in self._visits

    def _sites(self, scope: FunctionNode, frame: Frame) -> Iterator[tuple[ast.AST, Point]]:
        """The places from which worker code was followed into a function: they are known where its name does
        not tell (``self.load(index)`` in a base class, ``self.inner[index]``)."""
        for visit in self._visits.get(id(scope), ()):
            if visit.link.site is not None and visit.link.caller is not None:
                yield visit.link.site, visit.link.caller
        yield from super()._sites(scope, frame)


class PerBatch(Repetition):
    """What the main process comes to once a batch of a loader.

    ``worker`` are the functions that workers execute.
    """

    def __init__(self, program: Program, worker: frozenset[int]) -> None:
        super().__init__(program.evaluator)
        self._program = program
        self._worker = worker

    def made_anew(self, call: ast.AST, point: Point, far: int = 0) -> bool:
        return not _is_every_nth(point) and super().made_anew(call, point, far)

    def starts(self, scope: ast.AST) -> bool | None:
        return True if getattr(scope, "name", "") in _STEPS else None

    def counts(self, loop: ast.stmt | None, point: Point) -> bool:
        if not isinstance(loop, ast.For):
            return False
        return self.gives_batches(loop.iter, point.before(loop))

    def gives_batches(self, node: ast.expr, point: Point) -> bool:
        """Whether an expression is a loader, or something that goes through one (``enumerate``, ``tqdm``)."""
        for value, _ in self._evaluator.values(node, point):
            made = getattr(value, "node", None)
            if made is not None and self._program.made_by(made) is not None:
                return True
        if isinstance(node, ast.Call):
            return any(self.gives_batches(argument, point) for argument in node.args[:2])
        if isinstance(node, ast.Name):
            return any(
                self.gives_batches(statement.value, point.before(statement))
                for statement, _ in self._evaluator.flow.definitions(node.id, point, HERE)
                if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
            )
        return False

    def concerns(self, scope: ast.AST) -> bool:
        return id(scope) not in self._worker

    def _sites(self, scope: FunctionNode, frame: Frame) -> Iterator[tuple[ast.AST, Point]]:
        for call, at in super()._sites(scope, frame):
            if not _is_every_nth(at):
                yield call, at
        for call, at in calls_of_object(self._evaluator, scope, frame):
            if self.concerns(at.frame.scope) and not _is_every_nth(at):
                yield call, at


def _makes_one(scope: ast.AST, frame: Frame) -> bool:
    """Whether a function is the constructor of a class that keeps the one object that it has made."""
    named = getattr(scope, "name", "") == "__init__"
    return named and frame.owner is not None and keeps_one(frame.owner.node)


def _is_every_nth(point: Point) -> bool:
    """Whether control comes to a point only now and then: ``if step % 1000 == 0:``."""
    return any(_is_of_remainder(test, wanted) for test, wanted, _ in tests_around(point))


def _is_of_remainder(test: ast.expr, wanted: bool) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_of_remainder(operand, not wanted)
        case ast.BoolOp(op=ast.And(), values=values):
            return wanted and any(_is_of_remainder(value, wanted) for value in values)
        case ast.BinOp(op=ast.Mod()):
            return not wanted
        case ast.Compare(left=ast.BinOp(op=ast.Mod()), ops=[ast.Eq()]):
            return wanted
        case ast.Compare(left=ast.BinOp(op=ast.Mod()), ops=[ast.NotEq()]):
            return not wanted
    return False


def _gives_several(loop: ast.stmt) -> bool:
    """Whether a round of a loop yields in a loop of its own, or all that something gives."""
    return any(
        isinstance(node, ast.YieldFrom)
        or (isinstance(node, LOOPS) and any(isinstance(each, ast.Yield) for each in walk(node)))
        for statement in getattr(loop, "body", ())
        for node in walk(statement)
    )


def is_once(call: ast.AST, point: Point) -> bool:
    """Whether a call is made only where its result is not there yet: ``if self.pool is None``, ``except
    KeyError``, ``self.pool or make()``, ``if not os.path.exists(cache)``."""
    if any(place.role == "handler" for place in places_around(point)) or is_for_absent(point):
        return True
    return any(isinstance(node, ast.IfExp | ast.BoolOp) for node in path_to(point.statement, call))


def is_for_absent(point: Point) -> bool:
    """Whether control comes to a point only where a test finds nothing there yet, or of another process."""
    return any(
        _is_absence(test, wanted, block) or (isinstance(test, ast.Compare) and _is_of_process(test, point))
        for test, wanted, block in tests_around(point)
    )


def is_only_where_none(statement: ast.stmt, point: Point) -> bool:
    """Whether a statement stores something only where nothing is there yet."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.IfExp | ast.BoolOp) or is_once(value or statement, point)


def is_spare(call: ast.AST, point: Point) -> bool:
    """Whether what a call makes is kept, in a dict that the function does not make itself, only where that
    has nothing under the key yet, and let go of again otherwise: ``POOLS.setdefault(os.getpid(), make())``,
    or by the name that then stands for what is kept."""
    for node in path_to(point.statement, call):
        if _kept_first(node, point) is call:
            return True
    match point.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            place = next(places_around(point), None)
            after = place.block[place.at + 1 : place.at + 2] if place is not None else []
            for statement in after:
                anew = isinstance(statement, ast.Return) or name in own_names(statement)
                match _kept_first(getattr(statement, "value", statement), point) if anew else None:
                    case ast.Name(id=kept) if kept == name:
                        return True
    return False


def _kept_first(node: ast.AST, point: Point) -> ast.expr | None:
    """What a call hands to a dict that keeps the first under each key."""
    match node:
        case ast.Call(func=ast.Attribute(value=held, attr="setdefault"), args=[_, given]):
            if not isinstance(held, ast.Name) or held.id not in point.frame.layout.binds:
                return given
            own = (each for each in statements_in(point.frame.layout.body) if held.id in own_names(each))
            if not any(isinstance(getattr(each, "value", None), ast.Dict | ast.Call) for each in own):
                return given
    return None


def _is_absence(test: ast.expr, wanted: bool, block: list[ast.stmt]) -> bool:
    """Whether a test that comes out as ``wanted`` says that something is not there yet."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_absence(operand, not wanted, block)
        case ast.BoolOp(values=values):
            return any(_is_absence(value, wanted, block) for value in values)
        case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]):
            return wanted
        case ast.Compare(ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=None)]):
            return not wanted
        case ast.Compare(ops=[ast.NotIn()]):
            return wanted
        case ast.Compare(ops=[ast.In()]):
            return not wanted
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as held]),
            ops=[ast.Eq() | ast.Lt()],
        ):
            # So many are kept, and no more.
            return wanted and any(dotted(held) in changed_names(statement) for statement in block)
        case ast.Compare():
            return "_pid" in ast.unparse(test)
        case ast.Call(func=ast.Name(id="hasattr") | ast.Attribute(attr="exists" | "isfile" | "is_file")):
            return not wanted
        case ast.Name(id=name):
            # A container that what follows puts something in.
            return not wanted and any(
                name in {*own_names(statement), *changed_names(statement)} for statement in block
            )
        case ast.Attribute(attr=name):
            # A flag counts where what follows sets it, here or in a method of its own; a container as well
            # where what follows puts something in.
            return not wanted and any(
                dotted(test) in changed_names(statement)
                or (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store))
                or (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and "init" in node.func.attr
                )
                for statement in block
                for node in walk(statement)
            )
    return False


def _is_of_process(test: ast.Compare, point: Point) -> bool:
    """Whether a comparison tells processes apart, be it by a variable: ``pid = os.getpid()``, and then
    ``self.pid != pid``."""
    if any(isinstance(side, ast.Constant) for side in (test.left, *test.comparators)):
        return False  # it asks for one process, and keeps nothing for each
    read: list[ast.expr] = [test]
    seen: set[str] = set()
    while read:
        node = read.pop()
        text = ast.unparse(node)
        if any(word in text for word in TELL_PROCESSES):
            return True
        named = names_in(node) & point.frame.layout.binds
        for statement in statements_in(point.frame.layout.body) if named - seen else ():
            value = getattr(statement, "value", None)
            if isinstance(value, ast.expr) and not (named - seen).isdisjoint(own_names(statement)):
                read.append(value)
        seen |= named
    return False


def kept_as(call: ast.AST, point: Point) -> str:
    """What the function does with what a call makes: ``stored`` in an attribute, an item or a global,
    ``returned``, or ``local``."""
    statement = point.statement
    match statement:
        case ast.Return():
            return "returned" if statement.value is call else "local"
        case ast.Assign(targets=targets, value=value):
            if not _is_whole(value, call):
                return "local"
            if any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets):
                return "stored"
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            return _fate(names, point)
    return "local"


def _is_whole(value: ast.expr, call: ast.AST) -> bool:
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            return _is_whole(body, call) or _is_whole(orelse, call)
        case ast.BoolOp(values=values):
            return any(_is_whole(each, call) for each in values)
    return value is call


def _fate(names: set[str], point: Point) -> str:
    """What becomes of local variables that hold a thing."""
    scope = point.frame.scope
    if isinstance(scope, ast.Module | ast.Lambda):
        return "stored"
    fate = "local"
    for statement in statements_in(scope.body):
        match statement:
            case ast.Global(names=declared) | ast.Nonlocal(names=declared) if names & set(declared):
                return "stored"
            case ast.Return(value=ast.Name(id=name)) if name in names:
                fate = "returned"
            case ast.Assign(targets=targets, value=ast.Name(id=name)) if name in names:
                if any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets):
                    return "stored"
            case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=args)):
                if any(isinstance(each, ast.Name) and each.id in names for each in args):
                    return "stored"
    return fate
