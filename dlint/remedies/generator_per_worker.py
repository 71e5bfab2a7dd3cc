"""Makes a random generator in each worker, from the seed that torch gives the worker for the epoch.

A seed that the user chose still counts: it is mixed into the worker's.
"""

from __future__ import annotations

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.imports import name_for
from dlint.rewriting.per_process import Made, as_function, as_property, made_at
from dlint.rewriting.source import Source

_WHY = "Each worker has its own generator: torch gives every worker another seed in every epoch."


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Turn the generator that the finding points at into one per process."""
    made = made_at(source, finding)
    inner = made.value.func.value if isinstance(made.value.func, cst.Attribute) else None
    meant: str | None
    if isinstance(inner, cst.Call) and source.code(made.value.func).endswith(".manual_seed"):
        meant = f"{source.qualified(inner.func)}().manual_seed"
    else:
        meant = source.qualified(made.value.func)
    torch = name_for(source, edits, "torch", "torch")

    def factory(value: cst.BaseExpression) -> str:
        if not isinstance(value, cst.Call) or source.code(value.func).startswith("self._make"):
            raise CannotRepair(
                "the seed is known only here: keep it on self and make the generator per process"
            )
        return _seeded(source, meant, value, f"{torch}.initial_seed()")

    if made.owner is None:
        as_function(source, edits, made, _WHY, factory)
    else:
        as_property(source, edits, made, _WHY, factory, keep_seed=True)
    _remove_seeding(source, edits, made)


def _seeded(source: Source, meant: str | None, value: cst.Call, worker: str) -> str:
    """The text that makes a generator of the same kind from the worker's seed."""
    func = source.code(value.func)
    args = [arg for arg in value.args if not _is_fixed(arg.value)]
    if len(value.args) > 1 or any(arg.star for arg in value.args):
        raise CannotRepair("the generator has several arguments: make it per process by hand")
    seed = source.code(args[0].value) if args else None
    if meant == "numpy.random.default_rng":
        return f"{func}({worker})" if seed is None else f"{func}([{worker}, {seed} or 0])"
    if meant == "numpy.random.RandomState":
        short = f"{worker} % 2**32"
        return f"{func}({short})" if seed is None else f"{func}([{short}, {seed} or 0])"
    if meant == "random.Random":
        quote = "'" if source.quote == "'" else '"'
        return f"{func}({worker})" if seed is None else f"{func}(f{quote}{{{worker}}}-{{{seed}}}{quote})"
    if meant == "torch.Generator" and not value.args:
        return f"{func}().manual_seed({worker})"
    if meant == "torch.Generator().manual_seed":
        return f"{func}({worker})" if seed is None else f"{func}({worker} + {seed})"
    raise CannotRepair("make the generator in the worker, from torch.initial_seed(), by hand")


def _is_fixed(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Integer) or (isinstance(value, cst.Name) and value.value == "None")


def _remove_seeding(source: Source, edits: Edits, made: Made) -> None:
    """Take ``self.g.manual_seed(...)`` out of the function that made the generator."""
    if made.method is None:
        return
    for call in source.descendants(made.method.body, cst.Call):
        seeds = source.code(call.func) in (f"self.{made.name}.manual_seed", f"self.{made.name}.seed")
        statement = source.parent(call)
        if seeds and isinstance(statement, cst.Expr):
            statements.remove_statement(source, edits, statement)
