"""What a project leaves open, and a hazard hangs on: the conditions that findings tell.

A condition is a clause that stands behind "if": ``torch is older than 1.9``. None says that it is so in the
project as it stands, with its default settings, on today's Linux.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dlint.evaluation.options import option_of, setting_of
from dlint.fork.start_method import python_starts_anew, surely_starts_anew
from dlint.loaders.loaders import is_zero
from dlint.values.places import places_around, tests_at
from dlint.values.values import Const, Instance, Unknown
from dlint.values.worlds import HERE

if TYPE_CHECKING:
    from dlint.evaluation.options import Asked
    from dlint.fork.boundaries import Way
    from dlint.loaders.loaders import Loader
    from dlint.program.program import Program
    from dlint.values.frame import Point
    from dlint.values.values import Value
    from dlint.values.worlds import World
    from dlint.workers.events import Event
    from dlint.workers.uses import WorkerUse
    from dlint.workers.worker import WorkerCode

NOT_FORKED = "workers are not forked (macOS, Windows, Python 3.14)"
# Of arguments that contradict each other where the program comes one way, and not where it comes another.
SOME_WAYS = "the program comes a way to this call that gives both"

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda held, others: held in others,
    ast.NotIn: lambda held, others: held not in others,
}


def both(*conditions: str | None) -> str | None:
    """Several conditions as one."""
    return " and ".join(dict.fromkeys(each for each in conditions if each)) or None


def started_anew(program: Program, use: WorkerUse | None) -> str | None:
    """What must be so for the workers of a use to begin anew, where nothing says that they always do; None
    for those of which nothing else is known."""
    sure = surely_starts_anew(program, use) if use is not None else python_starts_anew(program)
    return None if sure else NOT_FORKED


def called(program: Program, loader: Loader) -> str | None:
    """What must be so for a loader to be made: somebody else calls a function that this project only has."""
    names: set[str] = set()
    for way in program.boundaries.ways_to(loader.point):
        outermost = way.functions[-1] if way.functions else None
        if way.whole or not isinstance(outermost, ast.FunctionDef) or not _is_left_alone(program, way):
            return None
        names.add(outermost.name)
    return f"a program calls {sorted(names)[0]}()" if names else None


def _is_left_alone(program: Program, way: Way) -> bool:
    """Whether nothing in the project speaks of the outermost function of a way but where it is defined,
    imported and exported. What is decorated, a test and a script's own main are called by others."""
    function = way.functions[-1]
    assert isinstance(function, ast.FunctionDef)
    name, index = function.name, program.modules.index
    if function not in way.module.tree.body or function.decorator_list:
        return False
    if name == "main" or index.is_test(way.module.relative) or "Fire(" in way.module.text:
        return False
    return all(index.only_exports(relative, name) for relative in index.naming(name))


def with_workers(program: Program, loader: Loader) -> str | None:
    """What must be so for a loader to have workers: that it is made, and not with an option that is 0 where
    nobody says otherwise."""
    return both(called(program, loader), _by_option(program, loader))


def _by_option(program: Program, loader: Loader) -> str | None:
    values = loader.values("num_workers")
    others = [value for value in values if value is not None and not is_zero(value)]
    if not others or any(isinstance(value, Const) for value in others):
        return None
    found = {program.evaluator.options.unasked(value) for value in others}
    asked = found.pop() if len(found) == 1 else None
    if asked is None:
        return None
    nought = asked.default is not None and is_zero(asked.default)
    if len(others) == len(values) and not (nought and asked.default != Const(None)):
        return None
    # Where that is another number the program itself has stored the 0, and has not where none is written.
    by_default = nought or (asked.default is None and option_of(others[0]) is not None)
    return f"{asked.words} is above 0{' (its default is 0)' if by_default else ''}"


def asked_for(program: Program, event: Event) -> str | None:
    """What must be so for worker code to come to a call that stands behind options which are off by default:
    that the user asks for one of them."""
    for point in event.places():
        for place in places_around(point):
            before = point.before(place.block[place.at])
            for test, outcome, _ in tests_at(place):
                for part, wanted in _sure_parts(test, outcome):
                    given = _off_by_default(program, part, wanted, before, event.world)
                    if given is not None:
                        return given
    return None


def _sure_parts(test: ast.expr, outcome: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The variables, attributes and comparisons in a test whose outcome is sure where that of the test is."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _sure_parts(operand, not outcome)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is outcome:
            for value in values:
                yield from _sure_parts(value, outcome)
        case ast.Name() | ast.Attribute() | ast.Compare():
            yield test, outcome


def _off_by_default(program: Program, part: ast.expr, wanted: bool, point: Point, world: World) -> str | None:
    """That the option which a part of a test asks about is given, where by all that it may be and by its
    default the part comes out otherwise: it is the option, or what there is only where the user asks for one
    (``self.noise = Noise(path) if path is not None else None``)."""
    asked = _asked(part)
    if asked is None:
        return None
    program.evaluator.start()
    options = program.evaluator.options
    found: list[set[str]] = []
    for value, w in program.evaluator.values(asked, point, world):
        default = options.default(value, w) if _is_told(value) else None
        if not _fails(part, default or value, wanted):
            values = program.evaluator.values(asked, point, HERE)
            others = [v for each, v in values if _fails(part, each, wanted)]
            found.append({_given(each.value, each.default) for each in _deciding(program, w, others)})
        elif default is not None:
            found.append({_given(value, default)})
    return min(set.intersection(*found), default=None) if found else None


def _is_told(value: Value) -> bool:
    return option_of(value) is not None or setting_of(value) is not None


def _given(value: Value, default: Const) -> str:
    """What is so where an option or a setting is not its default."""
    setting = setting_of(value)
    return (
        f"the setting {setting} is not {default.value}"
        if setting
        else f"the option {option_of(value)} is given"
    )


def _fails(part: ast.expr, held: Value | None, wanted: bool) -> bool:
    return isinstance(held, Const) and _outcome(part, held.value) is (not wanted)


def _asked(part: ast.expr) -> ast.expr | None:
    """What a part of a test asks about: ``level``, ``level > 0``, ``kind in ("noise", "blur")``."""
    match part:
        case ast.Compare(left=left, ops=[op]) if type(op) in _COMPARED:
            part = left
    return part if isinstance(part, ast.Name | ast.Attribute) else None


def _outcome(part: ast.expr, held: Any) -> bool | None:
    """How a part of a test comes out for something; None where it is compared with what is not written out,
    or Python would raise."""
    if not isinstance(part, ast.Compare):
        return bool(held)
    try:
        return bool(_COMPARED[type(part.ops[0])](held, ast.literal_eval(part.comparators[0])))
    except (TypeError, ValueError):
        return None


def loaded(program: Program, use: WorkerUse) -> str | None:
    """What must be so for workers to execute the code of a use."""
    if use.loader is not None:
        return both(with_workers(program, use.loader), chosen(program, use))
    name = use.dataset.cls.name if isinstance(use.dataset, Instance) else "the dataset"
    return f"a DataLoader with workers reads {name}"


def chosen(program: Program, use: WorkerUse) -> str | None:
    """That an option is given which has a loader read the dataset of a use, where that is off by default and
    another one is read: ``Pairs() if args.pairs else Faces()``."""
    if use.loader is None or use.dataset is None:
        return None
    mine: list[World] = []
    others: list[World] = []
    for way, world in use.loader.ways("num_workers", "dataset"):
        if way["dataset"] is not None:
            like, as_seen = program.like(way["dataset"], world)
            if like.key == use.dataset.key and as_seen is use.world:
                mine.append(world)
            elif not isinstance(like, Unknown):  # or there is none, and the program ends
                others.append(world)
    found = [
        {
            _given(each.value, each.default)
            for each in _deciding(program, world, others)
            if not each.default.value
        }
        for world in mine
    ]
    return min(set.intersection(*found), default=None) if found else None


def _deciding(program: Program, world: World, others: list[World]) -> list[Asked]:
    """The options that are not their defaults in a world, and are that in others which they tell apart from
    it. What is asked for in any case decides nothing: ``args.train`` that leads to all of this, or
    ``args.stage`` that says which data there is, and has no default."""
    asked = program.evaluator.options.asked
    named = [(other, {each.value.key for each in asked(other)}) for other in others]
    return [
        each
        for each in asked(world)
        if any(each.value.key not in names and not each.alone.agrees(other) for other, names in named)
    ]


def any_loaded(program: Program, uses: Iterable[WorkerUse]) -> str | None:
    """The same for one of several uses: what needs no condition decides."""
    found: list[str] = []
    for use in uses:
        condition = loaded(program, use)
        if condition is None:
            return None
        found.append(condition)
    return found[0] if found else None


def executed(program: Program, code: WorkerCode) -> str | None:
    """The same for worker code, whichever use has it."""
    return any_loaded(program, (use for use in program.uses if use.code is code or use.beside is code))
