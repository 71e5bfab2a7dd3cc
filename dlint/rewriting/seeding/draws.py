"""Draws of random numbers from a library's global state, and the same draws from a local generator.

The generators are of the kind that the global state is, so that the same seed gives the same numbers to the
last bit: measured for every function named here (NumPy 2.4, Python 3.11, torch 2.13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.arguments import keyword, with_keyword
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.pieces.room import Room
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_IN_NUMPY = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power rand
    randint randn random random_integers random_sample ranf rayleigh sample shuffle standard_cauchy
    standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises
    wald weibull zipf
"""
# Names that the module alone has for a method.
_ALIASES = {"ranf": "random_sample", "sample": "random_sample"}
_IN_RANDOM = """
    random randint randrange choice choices shuffle sample uniform gauss normalvariate
    betavariate expovariate gammavariate lognormvariate paretovariate triangular
    vonmisesvariate weibullvariate getrandbits randbytes
"""
# What a tensor of the same kind is filled with, which takes a generator in every torch.
_FILLS = {"randn_like": "normal_", "rand_like": "uniform_"}
_IN_TORCH = "rand randn randint randperm normal bernoulli multinomial poisson " + " ".join(_FILLS)


@dataclass(frozen=True)
class Library:
    """A library whose global random state worker code seeds and draws from. ``known`` is what the analysis
    calls it, ``maker`` what makes a generator of the kind that its global state is."""

    known: str
    module: str
    alias: str
    seeds: frozenset[str]
    prefixes: tuple[str, ...]
    draws: frozenset[str]
    maker: str
    local_names: tuple[str, ...]

    def draws_with(self, source: Source, call: cst.Call) -> str | None:
        """The name of the drawing function when the call draws from this library's global state."""
        prefix, _, name = (source.qualified(call.func) or "").rpartition(".")
        return name if prefix in self.prefixes and name in self.draws else None

    def local_generator(self, source: Source, edits: Edits, call: cst.Call) -> cst.BaseExpression:
        """The expression that makes a generator with the seed of a seeding call."""
        if len(call.args) != 1 or call.args[0].star:
            raise CannotRepair("the seed is not given as one argument: make a local generator")
        argument = call.args[0]
        name = argument.keyword.value if argument.keyword is not None else None
        if name not in (None, "seed", "a"):
            raise CannotRepair("the seed is not given as one argument: make a local generator")
        if self.module == "torch":
            torch = name_for(source, edits, self.module, self.alias)
            made = statements.expression(f"{torch}.Generator().manual_seed(0)")
            assert isinstance(made, cst.Call)
            return made.with_changes(args=[cst.Arg(_as_number(source, argument.value))])
        if isinstance(call.func, cst.Attribute):  # `np.random.seed(0)` becomes `np.random.RandomState(0)`
            maker: cst.BaseExpression = call.func.with_changes(attr=cst.Name(self.maker))
        else:
            module = name_for(source, edits, self.module, self.alias)
            inside = ".random" if self.module == "numpy" else ""
            maker = statements.expression(f"{module}{inside}.{self.maker}")
        if self.module == "random":
            argument = cst.Arg(argument.value)
        return call.with_changes(func=maker, args=[argument])

    def shared(self, source: Source, edits: Edits, call: cst.Call) -> cst.BaseExpression:
        """What is drawn from where a seeding call is not come to."""
        if self.module == "torch":
            return cst.Name("None")
        if isinstance(call.func, cst.Attribute):
            return call.func.value
        module = name_for(source, edits, self.module, self.alias)
        return statements.expression(f"{module}.random" if self.module == "numpy" else module)


LIBRARIES = (
    Library(
        "NumPy",
        "numpy",
        "np",
        frozenset({"numpy.random.seed"}),
        ("numpy.random", "numpy.random.mtrand"),
        frozenset(_IN_NUMPY.split()),
        "RandomState",
        ("rng", "numpy_rng", "item_rng"),
    ),
    Library(
        "random",
        "random",
        "random",
        frozenset({"random.seed"}),
        ("random",),
        frozenset(_IN_RANDOM.split()),
        "Random",
        ("rng", "python_rng", "item_rng"),
    ),
    Library(
        "torch",
        "torch",
        "torch",
        frozenset({"torch.manual_seed", "torch.random.manual_seed"}),
        ("torch",),
        frozenset(_IN_TORCH.split()),
        "Generator",
        ("generator", "item_generator", "torch_generator"),
    ),
)


def rewritten(
    source: Source, library: Library, call: cst.Call, name: str, *, alone: bool
) -> Callable[[cst.Call], cst.Call]:
    """How to draw the same from the local generator ``name``; ``alone``: no other call of the line is
    edited."""
    drawn = library.draws_with(source, call)
    assert drawn is not None
    if drawn in _FILLS:
        return _filled(source, call, _FILLS[drawn], name)
    if library.module == "torch":
        return _with_generator(call, name, Room.of(source, call) if alone else None)
    method = _ALIASES.get(drawn, drawn) if library.module == "numpy" else drawn

    def change(node: cst.Call) -> cst.Call:
        func = cst.Attribute(cst.Name(name), cst.Name(method))
        if isinstance(node.func, cst.Attribute):
            func = node.func.with_changes(value=cst.Name(name), attr=cst.Name(method))
        return node.with_changes(func=func)

    return change


def _filled(source: Source, call: cst.Call, method: str, name: str) -> Callable[[cst.Call], cst.Call]:
    """How to have a tensor like another filled: ``torch.empty_like(x).normal_(generator=generator)``."""
    function = source.function_of(call)
    said = source.code(function) if function is not None else "device"
    if not isinstance(call.func, cst.Attribute) or "device" in said or "cuda" in said:
        raise CannotRepair("the draws may be on another device: give them a torch.Generator")

    def change(node: cst.Call) -> cst.Call:
        assert isinstance(node.func, cst.Attribute)
        empty = node.with_changes(func=node.func.with_changes(attr=cst.Name("empty_like")))
        filled = statements.expression(f"made.{method}(generator={name})")
        assert isinstance(filled, cst.Call) and isinstance(filled.func, cst.Attribute)
        return filled.with_changes(func=filled.func.with_changes(value=empty))

    return change


def _with_generator(call: cst.Call, name: str, room: Room | None) -> Callable[[cst.Call], cst.Call]:
    if any(keyword(call, each) for each in ("generator", "device")) or any(arg.star for arg in call.args):
        raise CannotRepair("the draws may be on another device: give them a torch.Generator")
    return lambda node: with_keyword(node, "generator", cst.Name(name), room)


def _as_number(source: Source, value: cst.BaseExpression) -> cst.BaseExpression:
    """The seed as the generator takes it: unlike ``torch.manual_seed`` it makes no number of what it gets."""
    is_number = isinstance(value, cst.Integer) or (
        isinstance(value, cst.Call) and source.code(value.func) == "int"
    )
    return value if is_number else cst.Call(cst.Name("int"), [cst.Arg(value)])
