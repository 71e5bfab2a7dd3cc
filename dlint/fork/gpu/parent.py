"""Whether the parent has used the GPU before it forks workers, so that they cannot.

Measured with torch 2.11 on an H100: ``torch.cuda.is_available()`` is enough, and so is ``pin_memory=True``,
for which the loader itself uses the GPU. What the parent does with the first batches counts for the workers
of the next epoch.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlint.fork.gpu.placed import chooses_gpu, names_gpu, uses_gpu
from dlint.fork.sides import calls_named, worker_functions
from dlint.fork.together import beside, run_together
from dlint.knowledge.processes.devices import ENDS_FOR_FORKED, MOVES, PIN, PREPARE, SET_DEFAULT
from dlint.values.frame import Point
from dlint.values.places import places_around
from dlint.values.values import Const, External
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.workers.uses import WorkerUse

# A device that is written out; one that the program chooses it chooses by asking for the GPU.
_PRESENT = re.compile("is_available|__name__")
_MOVED = re.compile(r"""\.to\(["']cuda""")
# What the argument is called that tells ``x.to()`` a device.
_TELLS_DEVICE = re.compile(r"\.to\(.*(?:device|dev\b|cuda|gpu)")


def parent_uses_gpu(program: Program, use: WorkerUse) -> bool:
    """Whether code outside workers that runs with the loader of a use is seen to use the GPU, or to ask for
    it so that forked workers cannot use it any more."""
    if use.loader is None:
        return False
    pinned = use.loader.values(PIN)
    if pinned and all(isinstance(value, Const) and value.value is True for value in pinned):
        return True
    return any(_is_of_this_run(program, point, use) for point in _uses(program)) or any(
        _is_of_this_run(program, point, use) and not _is_asked_for(point) and _puts(program, call, point)
        for call, point in _moves(program)
    )


def default_on_gpu(program: Program, use: WorkerUse) -> Point | None:
    """Where code outside workers that runs with the loader of a use has tensors made on the GPU that are not
    told a device: ``torch.set_default_device("cuda")``."""
    of_this_run = [
        (point, on_gpu) for point, on_gpu in _defaults(program) if _is_of_this_run(program, point, use)
    ]
    if not all(on_gpu for _, on_gpu in of_this_run):
        return None  # it is set back, perhaps before the workers start
    return next((point for point, _ in of_this_run if not _is_asked_for(point)), None)


def _is_asked_for(point: Point) -> bool:
    """Whether a place stands behind a test of something else than the GPU or ``__name__``."""
    return any(
        isinstance(around.owner, ast.If) and not _PRESENT.search(ast.unparse(around.owner.test))
        for around in places_around(point)
    )


def _defaults(program: Program) -> list[tuple[Point, bool]]:
    """The places outside worker code that set the default device, and whether that is the GPU."""
    mark = "the default device is the GPU"
    if mark not in program.answers:
        worker = worker_functions(program)
        program.answers[mark] = [
            (point, any(names_gpu(program.evaluator, given, point, HERE) for given in call.args[:1]))
            for name in sorted(SET_DEFAULT)
            for module, call, point in calls_named(program, name.rpartition(".")[2], everywhere=True)
            if id(point.frame.scope) not in worker
            and not program.modules.index.is_test(module.relative)
            and any(
                isinstance(callee, External) and callee.name in SET_DEFAULT
                for callee, _ in program.evaluator.values(call.func, point)
            )
        ]
    answer: list[tuple[Point, bool]] = program.answers[mark]
    return answer


def _is_of_this_run(program: Program, point: Point, use: WorkerUse) -> bool:
    relative = point.frame.module.relative
    if isinstance(point.frame.scope, ast.Module | ast.ClassDef):
        of_loader = use.loader.module.relative if use.loader is not None else relative
        return relative == of_loader or relative in beside(program, of_loader)
    return run_together(program, point, use)


def _uses(program: Program) -> list[Point]:
    """The places outside worker code where the program uses the GPU."""
    mark = "the parent uses the GPU"
    if mark not in program.answers:
        worker = worker_functions(program)
        words = {name.rpartition(".")[2] for name in ENDS_FOR_FORKED} | {"cuda"}
        if any(_MOVED.search(module.text) for module in program.modules.mentioning("cuda")):
            words.add("to")
        program.answers[mark] = [
            point
            for word in sorted(words)
            for module, call, point in calls_named(program, word, everywhere=True)
            if id(point.frame.scope) not in worker
            and not program.modules.index.is_test(module.relative)
            and _is_use(program, call, point)
        ]
    answer: list[Point] = program.answers[mark]
    return answer


def _moves(program: Program) -> list[tuple[ast.Call, Point]]:
    """The calls outside worker code that may move something to a device which has some name there:
    ``model.to(args.device)``, ``accelerator.prepare(model)``."""
    mark = "the parent moves something"
    if mark not in program.answers:
        worker = worker_functions(program)
        words = {name.rpartition(".")[2]: name.partition(".")[0] for name in PREPARE}
        program.answers[mark] = [
            (call, point)
            for word, library in [("to", ""), *sorted(words.items())]
            for module, call, point in calls_named(program, word, everywhere=True)
            if id(point.frame.scope) not in worker
            and not program.modules.index.is_test(module.relative)
            and (library or _TELLS_DEVICE.search(ast.unparse(call)))
        ]
    answer: list[tuple[ast.Call, Point]] = program.answers[mark]
    return answer


def _puts(program: Program, call: ast.Call, point: Point) -> bool:
    """Whether one of these calls puts something on the GPU."""
    mark = ("puts on the GPU", id(call))
    if mark not in program.answers:
        program.evaluator.start()
        program.answers[mark] = uses_gpu(program.evaluator, call, point, HERE) or any(
            isinstance(callee, External) and callee.name in PREPARE and chooses_gpu(program.evaluator, callee)
            for callee, _ in program.evaluator.values(call.func, point)
        )
    answer: bool = program.answers[mark]
    return answer


def _is_use(program: Program, call: ast.Call, point: Point) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in MOVES:
        return uses_gpu(program.evaluator, call, point, HERE)
    callees = [value for value, _ in program.evaluator.values(call.func, point)]
    return any(isinstance(callee, External) and callee.name in ENDS_FOR_FORKED for callee in callees)
