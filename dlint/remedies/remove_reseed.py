"""Takes a seeding call out of worker code.

Where ``__getitem__`` seeds with the item's index, or seeds in one branch only (evaluation, mostly), and
draws after it, the same numbers for the same item are wanted: those draws get a local generator seeded with
the index. Elsewhere the statement goes, and the draws follow the stream that DataLoader seeded for the
worker: a local generator would freeze every item's augmentation for the whole training.
"""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.draws import LIBRARIES, Library, rewritten
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import name_for
from dlint.rewriting.source import Source

_ITEM_METHODS = frozenset({"__getitem__", "get_item", "_getitem", "__getitems__"})


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Remove the seeding statement, or make its draws local to the item."""
    call = source.at(finding, cst.Call)
    meant = source.qualified(call.func)
    library = next((each for each in LIBRARIES if meant in each.seeds), None)
    if library is None:
        raise CannotRepair("take this seeding call out of worker code")
    statement = source.parent(call)
    if not isinstance(statement, cst.Expr):
        raise CannotRepair("the seeding call's result is used: take the call out of worker code by hand")
    function = source.function_of(call)
    if not isinstance(function, cst.FunctionDef):
        raise CannotRepair("the call seeds while the module is imported: move it to the training script")
    if _only_seeds(source, function):
        raise CannotRepair(f"do not call {function.name.value} from worker code")
    number = _worker_id(source, call)
    if number is not None:  # seeding once in a worker is right, with the seed that torch gave it
        seed = f"{source.code(number.value)}.seed" + (" % 2**32" if library.module == "numpy" else "")
        edits.replace(number, statements.expression(seed))
        return
    following = _following(source, statement)
    draws = [
        each
        for line in following
        for each in source.descendants(line, cst.Call)
        if library.draws_with(source, each)
    ]
    _check_other_draws(source, library, function, statement, draws)
    index = _index_parameter(source, function)
    per_item = index is not None and (
        index in source.names_in(call) or _in_branch(source, statement, function)
    )
    if not draws or index is None or not per_item or not _is_fixed(source, call):
        statements.remove_statement(source, edits, statement)
        return
    name = _local_name(source, function, library)
    module = name_for(source, edits, library.module, library.alias)
    made = library.local_generator(module, _seed(source, call, index), index)
    assignment = statements.small(f"{name} = {made}")
    edits.change(statement, lambda _old: assignment, key=("local", name))
    for each in draws:
        new = rewritten(source, library, each, name)
        edits.change(each, new, key=("draw", name))


def _in_branch(source: Source, statement: cst.CSTNode, function: cst.FunctionDef) -> bool:
    return source.parent(source.line_of(statement)) is not function.body


def _seed(source: Source, call: cst.Call, index: str) -> tuple[str | None, str | None]:
    """The seed without the index, None where that is all; or None and the expression that mixes the two."""
    value = call.args[0].value
    if isinstance(value, cst.Name) and value.value == index:
        return None, index
    if index not in source.names_in(call):
        return source.code(value), None
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        for side, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(side, cst.Name) and side.value == index and index not in source.names_in(other):
                return source.code(other), None
    return None, source.code(value)


def _only_seeds(source: Source, function: cst.FunctionDef) -> bool:
    """Whether seeding is all that the function is for: others may call it rightly."""
    if function.name.value.startswith("__"):
        return False
    seeds = {name for each in LIBRARIES for name in each.seeds}
    seeds |= {"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}
    calls = [source.qualified(each.func) for each in source.descendants(function.body, cst.Call)]
    gives = any(each.value is not None for each in source.descendants(function.body, cst.Return))
    return not gives and ("seed" in function.name.value.lower() or all(name in seeds for name in calls))


def _worker_id(source: Source, call: cst.Call) -> cst.Attribute | None:
    """``info.id`` where it is the whole seed: the worker's number, the same in every epoch."""
    value = call.args[0].value if len(call.args) == 1 else None
    if (
        not isinstance(value, cst.Attribute)
        or value.attr.value != "id"
        or not isinstance(value.value, cst.Name)
    ):
        return None
    return value if "info" in value.value.value.lower() and "get_worker_info" in source.identifiers else None


def _following(source: Source, statement: cst.BaseSmallStatement) -> list[cst.CSTNode]:
    """What surely runs after the statement: the rest of its line and of its block."""
    line = source.line_of(statement)
    assert isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite)
    small = list(line.body)
    rest: list[cst.CSTNode] = list(small[small.index(statement) + 1 :])
    if isinstance(line, cst.SimpleStatementLine):
        _, body, index = statements.block_of(source, line)
        rest += body[index + 1 :]
    return rest


def _check_other_draws(
    source: Source,
    library: Library,
    function: cst.FunctionDef,
    statement: cst.CSTNode,
    draws: list[cst.Call],
) -> None:
    """Refuse when draws after the block may or may not follow the seeding."""
    start = source.range(statement)[0]
    if not _in_branch(source, statement, function):
        return
    block = source.parent(source.line_of(statement))
    branch = source.parent(block) if block is not None else None
    while isinstance(branch, cst.Else | cst.If) and isinstance(source.parent(branch), cst.If):
        branch = source.parent(branch)
    for each in source.descendants(function.body, cst.Call):
        outside = branch is None or not source.encloses(branch, each)
        if (
            each not in draws
            and outside
            and source.range(each)[0] > start
            and library.draws_with(source, each)
        ):
            raise CannotRepair(
                "numbers are drawn after this block whether or not it seeded: give them a local generator "
                f"such as {library.example} by hand"
            )


def _index_parameter(source: Source, function: cst.FunctionDef) -> str | None:
    """The name of the item's index where the function is a dataset's ``__getitem__``."""
    params = function.params.params
    if function.name.value not in _ITEM_METHODS or len(params) < 2:
        return None
    return params[1].name.value


def _is_fixed(source: Source, call: cst.Call) -> bool:
    """Whether the seed is a number that stays: a literal, an attribute, a parameter, the index."""
    if len(call.args) != 1 or call.args[0].star:
        return False
    value = call.args[0].value
    if any(True for _ in source.descendants(value, cst.Call)) or isinstance(value, cst.Call):
        return False
    if isinstance(value, cst.Name) and value.value == "None":
        return False
    name = value.attr.value if isinstance(value, cst.Attribute) else source.code(value)
    text = source.module.code
    if f"{name}=None" in text or f"{name} = None" in text:
        raise CannotRepair("the seed can be None here: take the call away, or use a local generator, by hand")
    return True


def _local_name(source: Source, function: cst.FunctionDef, library: Library) -> str:
    used = {node.value for node in source.descendants(function, cst.Name)}
    return next(
        name for name in (*library.local_names, f"{library.local_names[0]}_of_item") if name not in used
    )
