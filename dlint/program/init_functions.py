"""Functions plainly written to be a ``worker_init_fn``, whether or not a loader is seen to get them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.module.layout import parameters
from dlint.module.source import Module
from dlint.program.values import HERE, Function
from dlint.program.worker import WorkerCode

if TYPE_CHECKING:
    from dlint.program.evaluate import Evaluator
    from dlint.program.program import Program

_DEFINED = re.compile(r"^[ \t]*def[ \t]+(\w*(?:worker_init|init_fn|seed_worker)\w*)[ \t]*\(", re.MULTILINE)
_WORDS = ("worker_init", "init_fn", "seed_worker")
# A parameter of such a name is the seed of something else, not a worker's number.
_NOT_A_WORKER = re.compile(r"seed|cfg|conf|args|model|module|layer|self|cls|^m$")
_OTHER_USES = ("initializer",)


def init_functions(program: Program) -> Iterator[WorkerCode]:
    """What the workers would execute for each such function of this block."""
    index = program.modules.index
    for relative in sorted({file for word in _WORDS for file in index.mentioning(word)}):
        if not program.mine(relative) or not _DEFINED.search(index.data(relative).decode(errors="replace")):
            continue
        module = program.modules.get(relative)
        if module is None:
            continue
        for name in dict.fromkeys(match[1] for match in _DEFINED.finditer(module.text)):
            yield from _of_name(program.evaluator, module, name)


def _of_name(evaluator: Evaluator, module: Module, name: str) -> Iterator[WorkerCode]:
    trails = [list(trail) for trail in module.paths_to(name)]
    if any(isinstance(node, ast.keyword) and node.arg in _OTHER_USES for trail in trails for node in trail):
        return
    for trail in trails:
        node = trail[-1]
        if isinstance(node, ast.FunctionDef) and _takes_a_worker(node):
            frame = evaluator.sites.frame_of(module, trail)
            code = WorkerCode(evaluator)
            code.add_callable(Function(node, frame), HERE, "worker_init_fn", module, node.lineno)
            yield code


def _takes_a_worker(node: ast.FunctionDef) -> bool:
    given = parameters(node)
    return len(given) == 1 and node.args.vararg is None and not _NOT_A_WORKER.search(given[0].arg.lower())
