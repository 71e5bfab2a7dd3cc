"""Draws of random numbers from a library's global state, and the same draws from a local generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from dlint.rewriting.edits import CannotRepair
from dlint.rewriting.source import Source

_SAME_IN_NUMPY = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial normal pareto permutation poisson power rayleigh shuffle standard_cauchy
    standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises
    wald weibull zipf
"""
_RENAMED_IN_NUMPY = {
    "rand": "random",
    "randn": "standard_normal",
    "randint": "integers",
    "random": "random",
    "random_sample": "random",
    "ranf": "random",
    "sample": "random",
}
_IN_RANDOM = """
    random randint randrange choice choices shuffle sample uniform gauss normalvariate
    betavariate expovariate gammavariate lognormvariate paretovariate triangular
    vonmisesvariate weibullvariate getrandbits randbytes
"""
_TAKES_GENERATOR = frozenset(
    ["rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "poisson"]
)
_LIKE = frozenset(["rand_like", "randn_like", "randint_like"])


@dataclass(frozen=True)
class Library:
    """A library whose global random state worker code seeds and draws from."""

    module: str
    alias: str
    seeds: frozenset[str]
    prefixes: tuple[str, ...]
    draws: frozenset[str]
    local_names: tuple[str, ...]
    example: str

    def draws_with(self, source: Source, call: cst.Call) -> str | None:
        """The name of the drawing function when the call draws from this library's global state."""
        meant = source.qualified(call.func)
        if meant is None or meant in self.seeds:
            return None
        prefix, _, name = meant.rpartition(".")
        if prefix not in self.prefixes:
            return None
        if self.module == "torch":
            return name if name in self.draws else None
        return name if name.islower() and not name.startswith("default_rng") else None

    def local_generator(self, module: str, seed: tuple[str | None, str | None], index: str) -> str:
        """The expression that makes a generator for one item.

        ``seed`` is what is mixed with the index, or None and the expression that has both in it.
        """
        base, both = seed
        if self.module == "numpy":
            return f"{module}.random.default_rng({both or f'[{base}, {index}]'})"
        if self.module == "random":
            return f"{module}.Random({both or _fstring(base or '', index)})"
        mixed = index if base == "0" else f"{base} + {index}"
        return f"{module}.Generator().manual_seed({both or mixed})"


LIBRARIES = (
    Library(
        "numpy",
        "np",
        frozenset({"numpy.random.seed"}),
        ("numpy.random", "numpy.random.mtrand"),
        frozenset(_SAME_IN_NUMPY.split()) | _RENAMED_IN_NUMPY.keys(),
        ("rng", "item_rng", "numpy_rng"),
        "np.random.default_rng([seed, index])",
    ),
    Library(
        "random",
        "random",
        frozenset({"random.seed"}),
        ("random",),
        frozenset(_IN_RANDOM.split()),
        ("item_random", "local_random", "python_random"),
        'random.Random(f"{seed}-{index}")',
    ),
    Library(
        "torch",
        "torch",
        frozenset({"torch.manual_seed", "torch.random.manual_seed"}),
        ("torch",),
        _TAKES_GENERATOR | _LIKE,
        ("generator", "item_generator", "torch_generator"),
        "torch.Generator().manual_seed(seed + index)",
    ),
)


def rewritten(source: Source, library: Library, call: cst.Call, name: str) -> Callable[[cst.Call], cst.Call]:
    """How to draw the same from the local generator ``name``.

    Raises CannotRepair where the generator has no equal method.
    """
    drawn = library.draws_with(source, call)
    assert drawn is not None
    if drawn not in library.draws or (library.module == "torch" and drawn in _LIKE):
        raise CannotRepair(f"{drawn} has no equal on a local generator: rewrite the draws by hand")
    if library.module == "torch":
        return _with_generator(call, name)
    method = _RENAMED_IN_NUMPY.get(drawn, drawn) if library.module == "numpy" else drawn
    as_shape = library.module == "numpy" and drawn in ("rand", "randn") and len(call.args) > 1
    if as_shape and any(arg.star or arg.keyword for arg in call.args):
        raise CannotRepair("the shape of a draw is unpacked with `*`: rewrite it by hand")

    def change(node: cst.Call) -> cst.Call:
        func = cst.Attribute(cst.Name(name), cst.Name(method))
        if isinstance(call.func, cst.Attribute):
            assert isinstance(node.func, cst.Attribute)
            func = node.func.with_changes(value=cst.Name(name), attr=cst.Name(method))
        node = node.with_changes(func=func)
        return node.with_changes(args=[_shape(node)]) if as_shape else node

    return change


def _shape(call: cst.Call) -> cst.Arg:
    """The arguments of ``rand(2, 3)`` as the one argument ``(2, 3)``."""
    elements = [
        cst.Element(arg.value, arg.comma if isinstance(arg.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT)
        for arg in call.args
    ]
    return cst.Arg(cst.Tuple(elements))


def _with_generator(call: cst.Call, name: str) -> Callable[[cst.Call], cst.Call]:
    from dlint.rewriting.arguments import keyword, with_keyword

    if keyword(call, "generator"):
        return lambda node: node
    if keyword(call, "device") or any(arg.star for arg in call.args):
        raise CannotRepair("the draws may be on another device: give them a torch.Generator by hand")
    return lambda node: with_keyword(node, "generator", cst.Name(name))


def _fstring(seed: str, index: str) -> str:
    quote = next((each for each in ('"', "'") if each not in seed), None)
    if quote is None or "\n" in seed or "\\" in seed:
        raise CannotRepair("the seed is a long expression: make a local generator by hand")
    return f"f{quote}{seed if seed.isdigit() else f'{{{seed}}}'}-{{{index}}}{quote}"
