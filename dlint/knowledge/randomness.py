"""Random numbers: which library calls seed them, draw them, and make generators."""

from __future__ import annotations

# The functions that draw from NumPy's global state.
_NUMPY_DRAWS = frozenset(
    """beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
    laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial
    noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn random
    random_integers random_sample ranf rayleigh sample shuffle standard_cauchy standard_exponential
    standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf""".split()
)
# Library functions that draw from NumPy's global state unless they are given one.
_DRAWS_INSIDE = frozenset({"skimage.util.random_noise", "sklearn.utils.shuffle", "scipy.stats.truncnorm.rvs"})

# Seeding call -> the library whose state it sets.
SEEDS = {
    "numpy.random.seed": "NumPy",
    "random.seed": "random",
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
    "torch.seed": "torch",
}
# Making a generator object with a state of its own -> what a reader calls it.
GENERATORS = {
    "numpy.random.default_rng": "np.random.default_rng(...)",
    "numpy.random.RandomState": "np.random.RandomState(...)",
    "numpy.random.Generator": "np.random.Generator(...)",
    "random.Random": "random.Random(...)",
    "torch.Generator": "torch.Generator()",
}
# Methods of a generator that draw nothing.
_NO_DRAWS = frozenset(
    {"manual_seed", "seed", "get_state", "set_state", "getstate", "setstate", "initial_seed", "spawn", "clone_state"}
)


def draws_from_numpy(name: str) -> bool:
    """Whether a call draws from NumPy's global state."""
    module, _, last = name.rpartition(".")
    return (module == "numpy.random" and last in _NUMPY_DRAWS) or name in _DRAWS_INSIDE


def draws_from_generator(method: str) -> bool:
    """Whether a method of a generator object draws from it."""
    return method not in _NO_DRAWS and not method.startswith("_")
