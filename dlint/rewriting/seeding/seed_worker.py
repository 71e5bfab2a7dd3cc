"""The project's function that seeds NumPy in its workers: the one it has, else one written for it.

torch seeds itself and ``random`` in every worker, so NumPy is all that is left to seed. There is one such
function a project: it stands beside the datasets, and the files that make loaders import it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.knowledge.randomness import SEEDS
from dlint.program.program import Program
from dlint.randomness.init_functions import takes_one
from dlint.randomness.seeds.seed import TORCH
from dlint.randomness.seeds.seeds import seeds_of
from dlint.randomness.worker_seeds import code_of
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import bound_in_module, imports_that_bind, name_for
from dlint.rewriting.pieces.project_imports import imported
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.module import Module
from dlint.values.values import Function

OLD_TORCH = "torch before 1.9 gives every worker the same NumPy state."
OWN_SEED = "torch gives every worker of every epoch a seed of its own."

_NAMES = ("seed_worker", "seed_data_worker", "seed_worker_process")
_SOURCES_OF_SEEDS = ("initial_seed", "get_worker_info")


def seeding_function(
    source: Source, edits: Edits, place: cst.CSTNode, why: str, home: str | None = None
) -> str:
    """What stands at a place of a file for a function that seeds NumPy in a worker, once the edits (of this
    file or of the one they began with) are made.

    ``home`` is the file (as the program calls it) of the dataset, where a new one belongs; ``why`` becomes
    its comment.
    """
    mine = source.surroundings.relative(source.path)
    with source.surroundings.asking() as program:
        found = existing_function(source, edits, program, place)
        if found is not None:
            return found
        if home is not None and home != mine:
            written = _written_elsewhere(source, edits, program, home, why)
            if written is not None:
                return written
    name = source.free_name(*_NAMES)
    _define(source, edits.elsewhere(source), name, why)
    return name


def existing_function(source: Source, edits: Edits, program: Program, place: cst.CSTNode) -> str | None:
    """What stands at a place for a function of the project's own that seeds NumPy well; None where there is
    none that the file has or can import."""
    mine = source.surroundings.relative(source.path)
    for module, name in _good_ones(program, mine):
        if module.relative == mine:
            if _is_defined(source, place, name):
                return name
            continue
        found = imported(source, edits.elsewhere(source), program, module.relative, name)
        if found is not None:
            return found
    return None


def seed_of_worker(source: Source, edits: Edits) -> str:
    """The statement that seeds NumPy with torch's seed of the worker."""
    return f"{_module(source, edits, 'numpy', 'np')}.random.seed({torch_seed(source, edits)})"


def torch_seed(source: Source, edits: Edits) -> str:
    """torch's seed of the worker, as NumPy takes it."""
    return f"{torch_name(source, edits)}.initial_seed() % 2**32"


def torch_name(source: Source, edits: Edits) -> str:
    """What torch is called in a file."""
    return _module(source, edits, "torch", "torch")


def _good_ones(program: Program, mine: str) -> Iterator[tuple[Module, str]]:
    """The project's own functions, this file's first, that do nothing but seed NumPy (and others) well."""
    index = program.modules.index
    files = sorted({file for word in _SOURCES_OF_SEEDS for file in index.mentioning(word)})
    for module in program.modules.each(sorted(files, key=lambda file: (file != mine, file))):
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                function = Function(node, program.modules.frame(module))
                if takes_one(function) and _only_seeds_well(program, function):
                    yield module, node.name


def _only_seeds_well(program: Program, function: Function) -> bool:
    assert isinstance(function.node, ast.FunctionDef)
    if not all(_is_plain(each) for each in function.node.body):
        return False
    text = ast.dump(function.node)
    if not any(f"'{word}'" in text for word in _SOURCES_OF_SEEDS):
        return False
    code = code_of(program.evaluator, function)
    seeding = [event for event in code.events if event.name in SEEDS]
    good = all(
        seeds and all(TORCH in seed.kinds and not _is_too_wide(event.name, seed.wide) for seed in seeds)
        for event in seeding
        for seeds in [seeds_of(program.evaluator, code, event)]
    )
    others = [event.name for event in code.events if event.name not in SEEDS]
    harmless = ("torch.initial_seed", "torch.utils.data.get_worker_info", "builtins.int", "numpy.uint32")
    return (
        good
        and any("NumPy" in SEEDS[event.name] for event in seeding)
        and all(name in harmless for name in others)
    )


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but call something, or give a local its value."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets)
    return isinstance(statement, ast.Expr)


def _is_too_wide(name: str, wide: bool) -> bool:
    return wide and name == "numpy.random.seed"


def _is_defined(source: Source, call: cst.CSTNode, name: str) -> bool:
    """Whether the name stands for the module's function at a place, and does so when that is run."""
    scopes = source.metadata(ScopeProvider)
    scope = scopes.get(call)
    bound = list(scope[name]) if scope is not None else []
    if len(bound) != 1 or not isinstance(bound[0].scope, GlobalScope):
        return False
    function = getattr(bound[0], "node", None)
    if not isinstance(function, cst.FunctionDef):
        return False
    return source.function_of(call) is not None or source.range(function)[0] < source.range(call)[0]


def _written_elsewhere(source: Source, edits: Edits, program: Program, home: str, why: str) -> str | None:
    """The name of a new function in another file; None where that cannot be, or this file cannot have it."""
    try:
        other = source.surroundings.open(home)
    except CannotRepair:
        return None
    taken = source.identifiers | other.identifiers
    name = next((each for each in _NAMES if each not in taken), None)
    if name is None:
        return None
    found = imported(source, edits.elsewhere(source), program, home, name)
    if found is not None:
        _define(other, edits.elsewhere(other), name, why)
    return found


def _define(source: Source, edits: Edits, name: str, why: str) -> None:
    """Have the function defined after the imports, with what it needs."""
    hints = any(each.returns for each in source.descendants(source.module, cst.FunctionDef))
    head = f"def {name}(worker_id: int) -> None:" if hints else f"def {name}(worker_id):"
    text = f"{head}\n    # {why}\n    {seed_of_worker(source, edits)}\n"
    edits.add_after_imports(name, statements.parse(source, text))


def _module(source: Source, edits: Edits, module: str, wished: str) -> str:
    """A name that stands for a library's module in the whole file, whatever else it is bound to."""
    name = name_for(source, edits, module, wished)
    if "." in name or _means(source, module, name):
        return name
    name = source.free_name(module, f"{wished}_module")
    edits.add_import(module, name)
    return name


def _means(source: Source, module: str, name: str) -> bool:
    """Whether nothing but imports of the module, or None where they fail, binds a name at module level."""
    bound = bound_in_module(source, name)
    nodes = [getattr(each, "node", None) for each in bound]
    imports = [each for each, node in zip(bound, nodes, strict=True) if isinstance(node, cst.Import)]
    others = [node for node in nodes if not isinstance(node, cst.Import)]
    found = imports_that_bind(name, imports) or []
    return all(dotted.partition(".")[0] == module for dotted, _ in found) and not any(
        not _is_none(source, node) for node in others
    )


def _is_none(source: Source, node: cst.CSTNode | None) -> bool:
    assigned = source.enclosing(node, cst.Assign) if node is not None else None
    return isinstance(assigned, cst.Assign) and source.code(assigned.value) == "None"
