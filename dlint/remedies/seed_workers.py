"""Has every worker seed NumPy and ``random`` from the seed that torch gave it.

The function is a module-level ``seed_worker(worker_id)``; one that the module has already is used. What a
bad one seeds with is replaced, what it does besides stays.
"""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.arguments import keyword, with_keyword
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import name_for
from dlint.rewriting.source import Function, Source

_KEYWORD = "worker_init_fn"
_NUMPY, _RANDOM = "numpy.random.seed", "random.seed"
_TORCH = frozenset({"torch.manual_seed", "torch.random.manual_seed"})
_SEEDS = frozenset({_NUMPY, _RANDOM}) | _TORCH


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Perform the kind of repair that the rule asks for."""
    kind = finding.remedy.data.get("kind", "missing") if finding.remedy else "missing"
    call = source.at(finding, cst.Call)
    if kind == "missing":
        _pass_one(source, edits, call)
    elif kind == "called":
        _pass_called(source, edits, call)
    elif kind == "out-of-range":
        _into_range(source, edits, call)
    else:
        _from_torch(source, edits, call)


def _pass_one(source: Source, edits: Edits, call: cst.Call) -> None:
    """Give the loader a seeding function: the module's, or a new one."""
    if any(arg.star == "**" and _is_own_parameter(source, call, arg.value) for arg in call.args):
        raise CannotRepair(f"the caller may pass {_KEYWORD} in its own keywords: pass one there")
    given = keyword(call, _KEYWORD)
    if given is None and _among_splatted(source, call):
        raise CannotRepair(f"{_KEYWORD} is among the keywords that are passed with **: set it there")
    name = _good_one(source, call) or _new_one(source, edits)
    if given is not None:
        if source.code(given.value) != "None":
            raise CannotRepair(f"the {_KEYWORD} that is passed can be None: pass one that seeds")
        edits.replace(given.value, cst.Name(name), key=_KEYWORD)
        return
    column = source.range(call)[1][1] + len(f", {_KEYWORD}={name}")
    edits.change(call, lambda node: with_keyword(node, _KEYWORD, cst.Name(name), column), key=_KEYWORD)


def _among_splatted(source: Source, call: cst.Call) -> bool:
    """Whether the function around names the keyword, as it may where it gathers what ``**`` passes."""
    around: cst.CSTNode = source.function_of(call) or source.module
    return any(arg.star == "**" for arg in call.args) and _KEYWORD in source.code(around)


def _pass_called(source: Source, edits: Edits, call: cst.Call) -> None:
    """Pass the function instead of calling it, or a new one where it cannot be a worker_init_fn."""
    given = keyword(call, _KEYWORD)
    called = given.value if given is not None else call  # the finding may point at the argument itself
    if not isinstance(called, cst.Call):
        raise CannotRepair(f"pass the function to {_KEYWORD} instead of what it returns")
    if source.qualified(called.func) in _SEEDS:
        edits.replace(called, cst.Name(_good_one(source, call) or _new_one(source, edits)))
        return
    function = _definition(source, called.func)
    if function is None:
        raise CannotRepair(
            f"pass {source.code(called.func)} instead of calling it, if it takes a worker's id"
        )
    if _takes_one(function.params):
        edits.change(called, lambda node: node.func, key="pass")
    elif _only_seeds(source, function):
        edits.replace(called, cst.Name(_good_one(source, call) or _new_one(source, edits)))
    else:
        raise CannotRepair(f"{function.name.value} must take one argument, the worker's id, to be passed")


def _into_range(source: Source, edits: Edits, call: cst.Call) -> None:
    """Take the seed modulo 2**32, which is as much as NumPy accepts."""
    value = _seed_of(source, call)
    loose = isinstance(value, cst.BinaryOperation | cst.UnaryOperation | cst.IfExp | cst.BooleanOperation)
    brackets = loose and not value.lpar

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        if brackets:
            node = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cst.BinaryOperation(node, cst.Modulo(), cst.parse_expression("2**32"))

    edits.change(value, change, key="range")


def _from_torch(source: Source, edits: Edits, call: cst.Call) -> None:
    """Seed with what torch gave the worker, in every seeding call of the function."""
    function = source.function_of(call)
    if function is None:
        raise CannotRepair("seed in the worker, from torch.initial_seed() % 2**32")
    calls = [call]
    if isinstance(function, cst.FunctionDef):
        calls = [
            each
            for each in source.descendants(function.body, cst.Call)
            if source.qualified(each.func) in _SEEDS and (each is call or not _is_good(source, each))
        ] or [call]
    for each in calls:
        statement = source.parent(each)
        if source.qualified(each.func) in _TORCH:
            if not isinstance(statement, cst.Expr):
                raise CannotRepair("torch has its seed in a worker already: leave torch.manual_seed out")
            statements.remove_statement(source, edits, statement)
            continue
        torch = name_for(source, edits, "torch", "torch")
        value = _seed_of(source, each)
        new = _seed_text(source, torch, value)
        if source.code(value) != new:
            edits.replace(value, statements.expression(new), key=("seed", new))


def _seed_text(source: Source, torch: str, value: cst.BaseExpression) -> str:
    """torch's seed for the worker; what told the ranks of a distributed run apart stays."""
    terms = [term for term in _terms(value) if "rank" in source.code(term).lower()]
    if not terms:
        return f"{torch}.initial_seed() % 2**32"
    texts = [source.code(term) for term in terms]
    if any(isinstance(term, cst.Name | cst.Attribute) for term in terms):
        texts = [f"1000 * {text}" for text in texts]  # a step wider than the number of workers
    return f"({torch}.initial_seed() + {' + '.join(texts)}) % 2**32"


def _terms(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        return [*_terms(value.left), *_terms(value.right)]
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Modulo):
        return _terms(value.left)
    return [value]


def _seed_of(source: Source, call: cst.Call) -> cst.BaseExpression:
    """The expression that decides the seed: the argument, or what the local it names was set to."""
    if not call.args or call.args[0].star:
        raise CannotRepair("seed with torch.initial_seed() % 2**32")
    value = call.args[0].value
    function = source.function_of(call)
    if isinstance(value, cst.Name) and isinstance(function, cst.FunctionDef):
        given = [
            each.value
            for each in source.descendants(function.body, cst.Assign)
            if len(each.targets) == 1
            and isinstance(each.targets[0].target, cst.Name)
            and each.targets[0].target.value == value.value
        ]
        if len(given) == 1:
            found: cst.BaseExpression = given[0]
            return found
    return value


def _good_one(source: Source, call: cst.Call) -> str | None:
    """The name of a module-level function that seeds workers rightly and is defined by now."""
    top = source.top_level(call)
    inside = source.function_of(call) is not None
    for line in source.module.body:
        if line is top and not inside:
            break
        if (
            isinstance(line, cst.FunctionDef)
            and _takes_one(line.params)
            and any(_is_good(source, each, _NUMPY) for each in source.descendants(line.body, cst.Call))
        ):
            return line.name.value
        if isinstance(line, cst.SimpleStatementLine):
            for small in line.body:
                if isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                    names = [alias.asname.name if alias.asname else alias.name for alias in small.names]
                    found = [n.value for n in names if isinstance(n, cst.Name) and n.value == "seed_worker"]
                    if found:
                        return found[0]
    return None


def _is_good(source: Source, call: cst.Call, library: str | None = None) -> bool:
    meant = source.qualified(call.func)
    if meant not in ((_NUMPY, _RANDOM) if library is None else (library,)) or not call.args:
        return False
    seed = source.code(_seed_of(source, call))
    from_torch = "initial_seed()" in seed or "get_worker_info().seed" in seed
    return from_torch and ("%" in seed or "&" in seed or meant == _RANDOM)


def _new_one(source: Source, edits: Edits) -> str:
    """Have ``seed_worker`` defined after the imports, with what it needs."""
    name = "seed_worker"
    if name in source.identifiers:
        name = source.free_name("seed_data_worker", "seed_worker_process")
    torch = name_for(source, edits, "torch", "torch")
    numpy = name_for(source, edits, "numpy", "np")
    random = name_for(source, edits, "random", "random")
    hints = any(each.returns for each in source.descendants(source.module, cst.FunctionDef))
    head = f"def {name}(worker_id: int) -> None:" if hints else f"def {name}(worker_id):"
    text = (
        f"{head}\n"
        f"    seed = {torch}.initial_seed() % 2**32\n"
        f"    {numpy}.random.seed(seed)\n"
        f"    {random}.seed(seed)\n"
    )
    edits.add_after_imports("seed_worker", statements.parse(source, text))
    return name


def _definition(source: Source, func: cst.BaseExpression) -> cst.FunctionDef | None:
    if not isinstance(func, cst.Name):
        return None
    found = [
        each for each in source.descendants(source.module, cst.FunctionDef) if each.name.value == func.value
    ]
    return found[0] if len(found) == 1 else None


def _takes_one(params: cst.Parameters) -> bool:
    positional = [*params.posonly_params, *params.params]
    required = [each for each in positional if each.default is None]
    strict = [each for each in params.kwonly_params if each.default is None]
    return bool(positional) and len(required) <= 1 and not strict and positional[0].name.value != "self"


def _only_seeds(source: Source, function: cst.FunctionDef) -> bool:
    calls = [source.qualified(each.func) for each in source.descendants(function.body, cst.Call)]
    return bool(calls) and all(name in _SEEDS for name in calls)


def _is_own_parameter(source: Source, call: cst.Call, value: cst.BaseExpression) -> bool:
    function: Function | None = source.function_of(call)
    star = function.params.star_kwarg if function is not None else None
    return star is not None and isinstance(value, cst.Name) and value.value == star.name.value
