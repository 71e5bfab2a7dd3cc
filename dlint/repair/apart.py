"""What a program told its processes apart by, in the seeds that it set before a repair and sets after it.

torch gives every worker of one process its own seed, but two processes that are seeded alike give theirs the
same ones: the rank that a project mixed into its seeds must be in them still, whatever the remedy wrote.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dlint.rewriting.refusal import CannotRepair
from dlint.source.statements import bare_name, given_in

_RANK = re.compile(r"rank|process_index", re.IGNORECASE)
_SEEDS = re.compile(r"seed|^default_rng$|^RandomState$|^Generator$", re.IGNORECASE)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Ranks = dict[tuple[Path, str], str]


def check_apart(texts: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Raise CannotRepair where a rank that was in the seeds before is not in them after.

    ``texts`` are the bytes of the files that change, before and after, all of which parse.
    """
    before: _Ranks = {}
    after: _Ranks = {}
    still_seed: set[tuple[Path, str]] = set()
    for path, (old, new) in texts.items():
        before.update(((path, name), rank) for name, rank in _ranks(old) if rank)
        for name, rank in _ranks(new):
            still_seed.add((path, name))
            if rank:
                after[path, name] = rank
    fewer = len(after) < len(before)  # else it may have gone to a helper that the function calls now
    lost = [at for at in before if at not in after and (not after or (fewer and at in still_seed))]
    if lost:
        path, name = lost[0]
        raise CannotRepair(
            f"it would take {before[lost[0]]!r} out of the seeds in {name} ({path.name}), which tells "
            "processes apart: mix it into the new seed"
        )


def _ranks(text: bytes) -> Iterator[tuple[str, str | None]]:
    """The functions that set seeds, with the rank that is in one of these."""
    for name, bodies in _functions(ast.parse(text)):
        seeds = [each for each in _own(bodies[-1]) if isinstance(each, ast.Call) and _sets_seed(each)]
        if seeds:
            yield name, _rank_in(seeds, bodies)


def _functions(
    tree: ast.AST, within: str = "", around: tuple[_Function, ...] = ()
) -> Iterator[tuple[str, tuple[_Function, ...]]]:
    """Each function, behind those that it is in: what one of these assigns may be in its seeds."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, _Function | ast.ClassDef):
            name = f"{within}.{child.name}" if within else child.name
            bodies = (*around, child) if isinstance(child, _Function) else around
            if isinstance(child, _Function):
                yield name, bodies
            yield from _functions(child, name, bodies)
        else:
            yield from _functions(child, within, around)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, and not in one that is defined there."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, _Function):
            yield child
            yield from _own(child)


def _sets_seed(call: ast.Call) -> bool:
    words = bare_name(call.func)
    return bool(call.args or call.keywords) and _SEEDS.search(words) is not None


def _rank_in(seeds: Iterable[ast.Call], bodies: Iterable[ast.AST]) -> str | None:
    """The first rank in the arguments of calls, or in what the names there are assigned."""
    assigned: dict[str, list[ast.expr]] = {}
    for each in (node for body in bodies for node in _own(body)):
        if isinstance(each, ast.Assign | ast.AugAssign | ast.AnnAssign) and each.value is not None:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            for name in (target.id for target in targets if isinstance(target, ast.Name)):
                assigned.setdefault(name, []).append(each.value)
    todo: list[ast.expr] = [arg for call in seeds for arg in given_in(call)]
    seen: set[str] = set()
    while todo:
        for node in ast.walk(todo.pop()):
            word = _word(node)
            if word is not None and _RANK.search(word):
                return word
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                todo += assigned.get(node.id, ())
    return None


def _word(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
            return word
    return None
