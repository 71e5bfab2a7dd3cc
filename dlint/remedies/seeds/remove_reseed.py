"""Takes a seeding call out of worker code.

Where the same numbers for an item may be what is wanted (the item goes into the seed, only one branch seeds,
or names speak of evaluation), the draws that surely follow get a local generator with the same seed, and so
the same numbers; whatever else draws from the library is then left alone. A number that always seeds has
every item of a training draw the same: that call goes, and the draws follow the stream that the worker has,
unless the parent calls the function as well: what it draws there is then other in each run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

import libcst as cst

from dlint.changes.on_both_sides import is_for_parent_too
from dlint.finding import Finding
from dlint.knowledge.epochs import speaks_of_evaluation
from dlint.knowledge.randomness import is_clock
from dlint.program.program import Program
from dlint.randomness.later_draws import Later, later_draws
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.unused import drop_unused_imports, drop_unused_locals
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.seeding.draws import LIBRARIES, Library, rewritten
from dlint.rewriting.source import Source
from dlint.values.frame import Frame
from dlint.values.values import Function
from dlint.values.worlds import HERE, World
from dlint.workers.events import Event
from dlint.workers.reach import Link
from dlint.workers.sharing import codes_of
from dlint.workers.worker import WorkerCode

_BY_HAND = "take this seeding call out of worker code"
# What is no local generator with the same seed: it would draw the same for all items of a worker, or in each
# epoch.
_REMOVE = "remove it"
_ONCE = "get_worker_info().seed"
_EPOCH = "the seed and the epoch"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Remove the seeding statement, or make its draws local."""
    call = source.at(finding, cst.Call)
    meant = source.qualified(call.func)
    library = next((each for each in LIBRARIES if meant in each.seeds), None)
    if library is None:
        raise CannotRepair(_BY_HAND)
    statement = source.parent(call)
    if not isinstance(statement, cst.Expr):
        raise CannotRepair(f"the seeding call's result is used: {_BY_HAND}")
    function = source.function_of(call)
    if not isinstance(function, cst.FunctionDef):
        raise CannotRepair("the call seeds while the module is imported: move it to the training script")
    cure = finding.remedy.data.get("cure") if finding.remedy else None
    number = _worker_id(source, call, alone=cure is None or _ONCE not in cure)
    if number is not None:  # seeding once in a worker is right, with the seed that torch gave it
        _seed_from_worker(edits, library, call, number)
        return
    if _only_seeds(source, function):
        name = function.name.value
        raise CannotRepair(
            f"seeding is what {name} is for, and main may call it rightly: take its call out of worker code"
        )
    if cure is not None and (_ONCE in cure or _EPOCH in cure):
        raise CannotRepair(f"a local generator with the same seed would draw the same in each epoch: {cure}")
    same = _has_all_draw_the_same(source, call, statement, function, cure)
    if same and _is_for_parent_too(source, call):
        raise CannotRepair(
            f"{function.name.value} is called outside worker code too, where its numbers would be other ones "
            "in each run: have worker code draw from a local generator"
        )
    if same or _is_of_clock(source, call):
        _remove(source, edits, function, statement)
        return
    if cure is not None and cure.startswith(_REMOVE) and not _is_for_evaluation(source, call, function):
        raise CannotRepair(f"a local generator with the same seed would draw the same for every item: {cure}")
    with source.surroundings.asking() as program:
        later = _Place(source, program, call, library).later()
    draws, around = _following_draws(source, library, statement, {each.lineno for each in later.own})
    if later.others:
        what = ", ".join(dict.fromkeys(later.others[:3]))
        raise CannotRepair(
            f"{what} may draw from {library.known} too, after the seed: "
            f"{cure or 'draw from a local generator there'}"
        )
    moved = {_position(source, each) for each in draws}
    module = source.surroundings.module(source)
    if {(each.lineno, module.column(each.lineno, each.col_offset) - 1) for each in later.own} != moved:
        raise CannotRepair(
            f"numbers are drawn from {library.known} that may or may not follow the seed, or in a way that "
            f"has no equal: {cure or 'give them a local generator'}"
        )
    if not draws:
        _remove(source, edits, function, statement)
        return
    name = _local_name(source, function, library)
    made = library.local_generator(source, edits, call)
    assignment = cst.Assign([cst.AssignTarget(cst.Name(name))], made)
    edits.change(statement, lambda old: assignment.with_changes(semicolon=old.semicolon), key=("local", name))
    if around is not None:
        _draw_from_all_else(source, edits, library, call, name, around)
    lines = [source.range(each)[0][0] for each in draws]
    for each, line in zip(draws, lines, strict=True):
        new = rewritten(source, library, each, name, alone=lines.count(line) == 1)
        edits.change(each, new, key=("draw", name))
    if library.module != "torch":  # whose functions are called as before
        kept = _root(call.func) if isinstance(call.func, cst.Attribute) else None
        gone = [each.func for each in [call, *draws] if kept is None or _root(each.func) != kept]
        drop_unused_imports(source, edits, gone)


def _root(node: cst.BaseExpression) -> str:
    """The name that a dotted name begins with."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _remove(source: Source, edits: Edits, function: cst.FunctionDef, statement: cst.Expr) -> None:
    """Take the statement away, with what only it used."""
    if statements.leaves_pass(source, statement):
        raise CannotRepair(f"nothing would be left of the block around it: {_BY_HAND}")
    statements.remove_statement(source, edits, statement)
    drop_unused_locals(source, edits, function, [statement])
    drop_unused_imports(source, edits, [statement])


class _Place:
    """The seeding call in the program's eyes: every way in which worker code comes to it."""

    def __init__(self, source: Source, program: Program, call: cst.Call, library: Library) -> None:
        self._program = program
        self._library = library.known
        trail = source.surroundings.trail(source, call, ast.Call)
        self._node = trail[-1]
        inside = [each for each in trail if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        if not inside:
            raise CannotRepair(_BY_HAND)
        self._function = inside[-1]
        self._frame = program.evaluator.sites.frame_of(source.surroundings.module(source), trail)

    def later(self) -> Later:
        """What draws after it, in any of these ways."""
        own: dict[int, ast.Call] = {}
        others: dict[str, None] = {}
        found = False
        for code in codes_of(self._program.uses):
            for event in code.each_way([same for same in code.events if same.node is self._node]):
                found = True
                each = self._in(code, event.point.frame, event.world)
                own |= {id(node): node for node in each.own}
                others |= dict.fromkeys(each.others)
                if not each.own:
                    others |= dict.fromkeys(self._in_callers(code, event))
        if not found:
            code = WorkerCode(self._program.evaluator)
            function = Function(self._function, self._frame)
            code.add_callable(function, "dataset", function.module, self._function.lineno)
            return self._in(code, self._frame, HERE)
        return Later(list(own.values()), list(others))

    def _in(self, code: WorkerCode, frame: Frame, world: World) -> Later:
        return later_draws(
            self._program.evaluator, self._function, frame, world, code, self._node, self._library
        )

    def _in_callers(self, code: WorkerCode, event: Event) -> list[str]:
        """What the functions draw, or may, that the call was reached from, once it is back in them: where
        nothing is drawn with the seed in its own function, it may be meant for theirs."""
        found: list[str] = []
        link: Link | None = event.link
        while link is not None:
            if link.caller is not None and link.site is not None:
                scope = link.caller.frame.scope
                if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                    later = later_draws(
                        self._program.evaluator,
                        scope,
                        link.caller.frame,
                        event.world,
                        code,
                        link.site,
                        self._library,
                    )
                    found += [*later.others, *map(ast.unparse, later.own)]
            elif link.above is not None and link.above.above is not None:
                found.append(f"what calls {link.name}")
            link = link.above
        return found


def _following_draws(
    source: Source, library: Library, statement: cst.Expr, lines: Collection[int]
) -> tuple[Sequence[cst.Call], cst.If | None]:
    """The draws in what surely runs after the statement: the rest of its line and of its block. Where draws
    in other ``lines`` follow, that stand behind the conditions around it, those as well, and the outermost
    condition that must be looked behind."""
    around: cst.CSTNode = statement
    found: list[cst.Call] = []
    outermost: cst.If | None = None
    while True:
        found += _draws_behind(source, library, around)
        known = {source.line_in_file(source.range(each)[0][0]) for each in found}
        block = (
            source.parent(source.line_of(around)) if isinstance(around, cst.Expr) else source.parent(around)
        )
        branch = source.parent(block) if isinstance(block, cst.IndentedBlock) else None
        while isinstance(branch, cst.Else) or (isinstance(branch, cst.If) and _is_elif(source, branch)):
            branch = source.parent(branch)
        if known.issuperset(lines) or not isinstance(branch, cst.If):
            return found, outermost
        around = outermost = branch


def _is_elif(source: Source, branch: cst.If) -> bool:
    above = source.parent(branch)
    return isinstance(above, cst.If) and above.orelse is branch


def _draws_behind(source: Source, library: Library, statement: cst.CSTNode) -> list[cst.Call]:
    """The draws in the rest of a statement's line, and of its block."""
    line = source.line_of(statement)
    rest: list[cst.CSTNode] = []
    if isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
        small = list(line.body)
        rest += small[next(i for i, each in enumerate(small) if each is statement) + 1 :]
    if not isinstance(line, cst.SimpleStatementSuite):
        _, body, index = statements.block_of(source, line)
        rest += body[index + 1 :]
    return [
        each
        for following in rest
        for each in source.descendants(following, cst.Call)
        if library.draws_with(source, each) and source.function_of(each) is source.function_of(statement)
    ]


def _position(source: Source, node: cst.CSTNode) -> tuple[int, int]:
    (line, column), _ = source.range(node)
    return source.line_in_file(line), column


def _is_of_clock(source: Source, call: cst.Call) -> bool:
    """Whether the seed is the time: other numbers every time are what is wanted."""
    inside = (source.qualified(each.func) for arg in call.args for each in source.calls_in(arg.value))
    return any(name is not None and is_clock(name) for name in inside)


def _has_all_draw_the_same(
    source: Source, call: cst.Call, statement: cst.Expr, function: cst.FunctionDef, cure: str | None
) -> bool:
    """Whether the seed is a number, or nothing of the item (as the rule says), set for every item, in code
    that nothing says is for evaluation."""
    literal = len(call.args) == 1 and isinstance(call.args[0].value, cst.Integer)
    always = source.parent(source.line_of(statement)) is function.body
    if not (literal or (cure or "").startswith(_REMOVE)) or not (always or cure == _REMOVE):
        return False
    return not any(map(speaks_of_evaluation, _names_around(source, function)))


def _names_around(source: Source, function: cst.FunctionDef) -> list[str]:
    owner: cst.ClassDef | None = source.enclosing(function, cst.ClassDef)
    return [function.name.value, source.path.stem, owner.name.value if owner is not None else ""]


def _is_for_evaluation(source: Source, call: cst.Call, function: cst.FunctionDef) -> bool:
    """Whether the names around a seed, or the conditions it stands under, speak of evaluation: there the
    same numbers for every item may be meant."""
    if any(map(speaks_of_evaluation, _names_around(source, function))):
        return True
    return any(
        _holds_in_evaluation(source, each.test, otherwise=_is_otherwise(source, call, each))
        for each in source.ancestors(call)
        if isinstance(each, cst.If) and source.encloses(function, each)
    )


def _is_otherwise(source: Source, call: cst.Call, branch: cst.If) -> bool:
    """Whether a call stands where a test does not hold."""
    return branch.orelse is not None and any(each is branch.orelse for each in source.ancestors(call))


def _holds_in_evaluation(source: Source, test: cst.BaseExpression, *, otherwise: bool) -> bool:
    """Whether the words of a test say that it holds, or (``otherwise``) does not, where a model is evaluated:
    ``self.mode == "val"``, and not ``self.train``."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return _holds_in_evaluation(source, inner, otherwise=not otherwise)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.NotEqual())]):
            otherwise = not otherwise
    words = re.findall(r"\w+", source.code(test))
    return any("train" in word.lower() if otherwise else speaks_of_evaluation(word) for word in words)


def _is_for_parent_too(source: Source, call: cst.Call) -> bool:
    """Whether the parent runs the function that seeds as well: a split by the constructor."""
    with source.surroundings.asking() as program:
        _, point = source.surroundings.point(source, call, ast.Call)
        return is_for_parent_too(program, point.frame)


def _only_seeds(source: Source, function: cst.FunctionDef) -> bool:
    """Whether seeding is all that the function is for: others may call it rightly, if not in a worker."""
    if function.name.value.startswith("__") or "get_worker_info" in source.names_in(function):
        return False
    seeds = {name for each in LIBRARIES for name in each.seeds}
    seeds |= {"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}
    calls = [source.qualified(each.func) for each in source.descendants(function.body, cst.Call)]
    gives = any(each.value is not None for each in source.descendants(function.body, cst.Return))
    return not gives and ("seed" in function.name.value.lower() or all(name in seeds for name in calls))


def _draw_from_all_else(
    source: Source, edits: Edits, library: Library, call: cst.Call, name: str, around: cst.If
) -> None:
    """Have a name stand for the library's own state where the condition around a seed does not hold."""
    function = source.function_of(call)
    assert function is not None
    for each in source.descendants(function.body, cst.Call):
        if each is not call and source.qualified(each.func) in library.seeds:
            raise CannotRepair(
                f"{library.known} is seeded in several places here: give its draws a local generator"
            )
    shared = library.shared(source, edits, call)
    line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], shared)])
    edits.insert_before(around, [line.with_changes(leading_lines=around.leading_lines)])
    edits.change(around, lambda node: node.with_changes(leading_lines=()))


def _worker_id(source: Source, call: cst.Call, *, alone: bool) -> cst.Attribute | None:
    """``info.id`` where it is the whole seed, or (not ``alone``) the one thing in it that a worker has of
    its own: the worker's number, the same in every epoch."""
    value = call.args[0].value if len(call.args) == 1 else None
    inside = [] if value is None or alone else list(source.descendants(value, cst.Attribute))
    found = [
        each
        for each in [value, *inside]
        if isinstance(each, cst.Attribute) and each.attr.value == "id" and isinstance(each.value, cst.Name)
    ]
    if len(found) != 1 or "get_worker_info" not in source.identifiers:
        return None
    return found[0] if "info" in source.code(found[0].value).lower() else None


def _seed_from_worker(edits: Edits, library: Library, call: cst.Call, number: cst.Attribute) -> None:
    """Write ``info.seed`` in the place of ``info.id``, in a number that the library takes."""
    seed = cst.Attribute(number.value, cst.Name("seed"))
    value = call.args[0].value
    if library.module != "numpy":
        edits.replace(number, seed)
        return
    whole = seed if value is number else value.deep_replace(number, seed)
    text = cst.Module([]).code_for_node(whole)
    plain = isinstance(whole, cst.Attribute) or whole.lpar
    edits.replace(value, statements.expression(f"{text if plain else f'({text})'} % 2**32"))


def _local_name(source: Source, function: cst.FunctionDef, library: Library) -> str:
    used = {node.value for node in source.descendants(function, cst.Name)}
    return next(
        name for name in (*library.local_names, f"{library.local_names[0]}_of_item") if name not in used
    )
