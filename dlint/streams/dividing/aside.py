"""Whether all that code asks of its worker is a seed, or to tell the user of it: it divides nothing then, and
leaves its dataset as it is."""

from __future__ import annotations

import ast
import re

from dlint.regex import regex
from dlint.source.nodes import children, speaks_of, walk
from dlint.source.statements import (
    FunctionNode,
    bare_name,
    own_nodes,
    parameters,
    statements_in,
    target_names,
)

WORKER = regex("worker", re.IGNORECASE)
_SEED = regex("seed", re.IGNORECASE)
# What a progress bar is told of itself, and what says something to whoever runs the program.
_OF_BAR = frozenset({"desc", "disable", "position"})
_SAYS = frozenset({"critical", "debug", "error", "info", "print", "warn", "warning"})
# What is called with a seed.
_SEEDED = frozenset(
    {
        "Random",
        "RandomState",
        "SeedSequence",
        "default_rng",
        "manual_seed",
        "seed",
        "seed_all",
        "seed_everything",
    }
)
# What gives its arguments to nobody, or only numbers and texts made of them.
_LOOKS_AT = (
    _SEEDED
    | _SAYS
    | {"get_worker_info", "hasattr", "initial_seed", "int", "isinstance", "len", "set_num_threads"}
    | {"setNumThreads", "str", "type"}
)
# By its name, what makes a seed of its worker, or seeds with it.
_SEEDING = regex(r"(?:^|_)seed(?:s|er|ing|_fn|_all|_everything|_worker)?$")
# Smaller moduli may tell workers apart by their seeds, which follow one another.
_SEEDS = 1 << 31


def asks_aside(function: ast.AST) -> bool:
    """Whether all that code says of workers is that it takes the seed of ``get_worker_info()``, or that it
    tells the user which worker it is: it divides neither by that nor by how many there are, nor hands it
    on. It does not refuse to run in workers, either."""
    above = {id(child): node for node in walk(function) for child in children(node)}
    infos = _named_infos(function, above)
    told = {id(each) for node in walk(function) if _is_told(node) for each in walk(node)}
    asks = False
    for node in walk(function):
        if id(node) in told:
            asks = asks or _is_worker_info(node)
            continue
        if _refuses_workers(node, infos):
            return False
        match node:
            case ast.Call() if _is_worker_info(node):
                asks = True
                if not _is_kept(node, above) and not _is_for_seed(node, above):
                    return False
            case ast.Name(id=name, ctx=ast.Load()) if name in infos:
                if not _is_for_seed(node, above) and _named_by(node, above) not in infos:
                    return False
            case ast.Name(id="get_worker_info") | ast.Attribute(attr="get_worker_info"):
                if not _is_worker_info(above.get(id(node))):
                    return False
            case ast.alias(name="get_worker_info"):
                pass
            case ast.Name(id=name) if name in infos or name == "worker_seed":
                pass
            case ast.BinOp(op=ast.Mod(), left=left, right=right):
                if not isinstance(left, ast.Constant | ast.JoinedStr) and not _is_large(right):
                    return False  # a seed tells which worker it is, too
            case ast.BinOp(op=ast.Sub() | ast.FloorDiv()) if speaks_of(_SEED, node):
                return False
            case _ if (
                _speaks_itself(node)
                and not _is_looked_up_in(node, above)
                and _named_by(node, above) not in infos
            ):
                return False
    return asks


def only_looks(function: FunctionNode | ast.Lambda) -> bool:
    """Whether all that a ``worker_init_fn`` does with its worker and its dataset is to seed generators with
    it, or to tell the user of it, so that the dataset stays as it is."""
    if isinstance(function, ast.Lambda):
        return False
    held = {each.arg for each in parameters(function)}
    statements = list(statements_in(function.body))
    before = -1
    while before != len(held):
        before = len(held)
        for each in statements:
            if isinstance(each, ast.Assign | ast.For) and _speaks_of_held(
                each.value if isinstance(each, ast.Assign) else each.iter, held
            ):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                held |= {name for target in targets for name in target_names(target)}
    return all(_only_looks(each, held) for each in statements)


def _only_looks(statement: ast.stmt, held: set[str]) -> bool:
    """Whether a statement itself leaves what some names stand for as it is, and gives it to nobody."""
    match statement:
        case ast.Assign(targets=targets) if any(
            not isinstance(each, ast.Name | ast.Tuple) for each in targets
        ):
            return False
        case (
            ast.Assert() | ast.Assign() | ast.Expr() | ast.If() | ast.Pass() | ast.Import() | ast.ImportFrom()
        ):
            pass
        case ast.Return(value=None):
            pass
        case _:
            return False
    for node in own_nodes(statement):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _LOOKS_AT:
                continue
            case ast.Call(func=ast.Name(id=name), args=given) if _SEEDING.search(name) and not any(
                map(_is_of_dataset, given)
            ):
                continue  # what the worker is seeded with
            case ast.Call(func=ast.Attribute(value=on, attr=name)) if (
                name in _LOOKS_AT and not _speaks_of_held(on, held)
            ):
                continue
            case ast.Call() | ast.Lambda() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr():
                return False
    return True


def _is_of_dataset(node: ast.expr) -> bool:
    return any("dataset" in bare_name(each) for each in walk(node))


def _speaks_of_held(node: ast.AST, held: set[str]) -> bool:
    return any(
        _is_worker_info(each) or (isinstance(each, ast.Name) and each.id in held) for each in walk(node)
    )


def _refuses_workers(node: ast.AST, infos: set[str]) -> bool:
    """Whether a statement lets nothing pass in a worker: ``if get_worker_info() is not None: raise ...``."""
    match node:
        case ast.Assert(test=test):
            return _is_in_worker(test, infos, outcome=False)
        case ast.If(test=test, body=body):
            return isinstance(body[-1], ast.Raise) and _is_in_worker(test, infos, outcome=True)
    return False


def _is_in_worker(test: ast.expr, infos: set[str], *, outcome: bool) -> bool:
    """Whether a test comes out so in every worker."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_in_worker(inner, infos, outcome=not outcome)
        case ast.Compare(
            left=asked, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None)]
        ):
            return isinstance(operator, ast.IsNot) == outcome and _is_info(asked, infos)
    return outcome and _is_info(test, infos)


def _is_info(node: ast.expr, infos: set[str]) -> bool:
    """Whether an expression is what ``get_worker_info()`` gives, be it by a name."""
    match node:
        case ast.NamedExpr(value=value):
            return _is_worker_info(value)
        case ast.Name(id=name):
            return name in infos
    return _is_worker_info(node)


def _named_infos(function: ast.AST, above: dict[int, ast.AST]) -> set[str]:
    """The names of what ``get_worker_info()`` gives, and of what is made of that and is not its seed."""
    infos: set[str] = set()
    for node in walk(function):
        if not isinstance(node, ast.Assign | ast.NamedExpr):
            continue
        names = {
            target.id
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        if _is_worker_info(node.value) or any(
            isinstance(each, ast.Name) and each.id in infos and not _is_for_seed(each, above)
            for each in walk(node.value)
        ):
            infos |= names
    return infos


def _named_by(node: ast.AST, above: dict[int, ast.AST]) -> str | None:
    """The name that an expression, of which a node is a part that nobody is called with, is given alone."""
    at: ast.AST | None = node
    while isinstance(at, ast.Name | ast.Attribute | ast.BinOp | ast.Compare | ast.BoolOp | ast.IfExp):
        at = above.get(id(at))
    match at:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return None


def _is_told(node: ast.AST) -> bool:
    """Whether a part of code only tells the user something: ``print(info.id)``, ``disable=info.id > 0``, or
    a branch in which nothing else is done."""
    match node:
        case ast.keyword(arg=str(name)):
            return name in _OF_BAR
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in _SAYS
        case ast.If(body=body, orelse=[]):
            return all(_is_told(each) for each in body)
    return False


def _is_worker_info(node: ast.AST | None) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "get_worker_info"
    return False


def _is_kept(node: ast.expr, above: dict[int, ast.AST]) -> bool:
    """Whether an expression is given a name, and nothing else."""
    match above.get(id(node)):
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Name) for target in targets)
        case ast.NamedExpr() as named:
            return _is_for_seed(named, above)
    return False


def _is_for_seed(node: ast.expr, above: dict[int, ast.AST]) -> bool:
    """Whether an expression is only asked for its seed, or whether there is one at all, or is itself in what
    something is seeded with: ``random.Random(self.seed + info.id)``."""
    if _seeds(node, above):
        return True
    match above.get(id(node)):
        case ast.Attribute(attr="seed"):
            return True
        case ast.Compare(comparators=[ast.Constant(value=None)]) | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.If() | ast.Assert():
            return True
        case ast.IfExp(test=test):
            return test is node
    return False


def _seeds(node: ast.expr, above: dict[int, ast.AST]) -> bool:
    """Whether an expression is reckoned with in what a generator is seeded with, and in nothing else."""
    at: ast.AST | None = node
    while isinstance(at, ast.expr):
        inside, at = at, above.get(id(at))
        match at:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given) if name in _SEEDED:
                return any(each is inside for each in given)
    return isinstance(at, ast.keyword) and at.arg == "seed"


def _is_looked_up_in(node: ast.AST, above: dict[int, ast.AST]) -> bool:
    """Whether something is a table that a key is looked up in (``self._rng_by_worker[key]``): it is the key
    that may tell which worker this is."""
    match above.get(id(node)):
        case ast.Subscript(value=whole):
            return whole is node
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[whole]):
            return whole is node
    return False


def _is_large(node: ast.expr) -> bool:
    """Whether a number is as large as seeds may be: ``2**32``, ``0xFFFFFFFF``."""
    match node:
        case ast.Constant(value=int(number)):
            return number >= _SEEDS
        case ast.BinOp(op=ast.Pow(), left=ast.Constant(value=2), right=ast.Constant(value=int(bits))):
            return 1 << min(bits, 64) >= _SEEDS
        case ast.BinOp(op=ast.Sub(), left=left, right=ast.Constant(value=1)):
            return _is_large(left)
    return False


def _speaks_itself(node: ast.AST) -> bool:
    return any(
        isinstance(name, str) and WORKER.search(name) is not None
        for field in ("id", "attr", "arg", "name")
        for name in [getattr(node, field, None)]
    )
