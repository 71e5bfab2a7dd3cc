"""Random numbers: which library calls seed them, draw them, make generators, and what a seed is made of."""

from __future__ import annotations

import re

from dlint.knowledge.augmentation import monai
from dlint.regex import regex

# The functions that draw from NumPy's global state.
_NUMPY_DRAWS = frozenset(
    re.findall(
        r"\w+",
        """beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel
        hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
        negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson
        power rand randint randn random random_integers random_sample ranf rayleigh sample
        shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t
        triangular uniform vonmises wald weibull zipf""",
    )
)
# Library functions that draw from NumPy's global state unless they are given one, or a seed.
_DRAWS_INSIDE = frozenset({"skimage.util.random_noise", "sklearn.utils.shuffle"})
_DRAWS_OF_SCIPY = regex(r"scipy\.stats\.\w+(?:\(\))?\.rvs")
GIVEN_STATE = ("random_state", "seed", "rng")
# Transforms of libraries that draw from NumPy's global state where an argument of what makes them says so:
# timm's RandAugment and AugMix choose their operations with np.random, others draw from `random`
# and torch (1.0.31: timm/data/auto_augment.py).
_DRAWS_AS_TOLD = {"timm.data.create_transform": ("auto_augment", regex("rand|augmix"))}

# Seeding call -> the library whose state it sets.
SEEDS = {
    "numpy.random.seed": "NumPy",
    "random.seed": "random",
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
    "torch.seed": "torch",
    "pytorch_lightning.seed_everything": "random, NumPy and torch",
    "transformers.set_seed": "random, NumPy and torch",
    "accelerate.utils.set_seed": "random, NumPy and torch",
    "lightning_fabric.seed_everything": "random, NumPy and torch",
    "lightning_fabric.utilities.seed.seed_everything": "random, NumPy and torch",
    "monai.utils.set_determinism": "random, NumPy and torch",
    "mmcv.runner.set_random_seed": "random, NumPy and torch",
    "mmengine.runner.set_random_seed": "random, NumPy and torch",
    "detectron2.utils.env.seed_all_rng": "random, NumPy and torch",
    "imgaug.seed": "imgaug",
    "imgaug.random.seed": "imgaug",
    "imgaug.augmenters.seed": "imgaug",
    "cv2.setRNGSeed": "OpenCV",
}
# Seeding calls that do not take every seed of 32 bits -> what it must be smaller than.
_NARROWER = {"cv2.setRNGSeed": "2**31"}
# Seeding calls that choose the seed themselves.
TAKES_NO_SEED = frozenset({"torch.seed"})
# Calls that make a trainer seed the workers of its loaders -> whether their second argument, or the keyword,
# must say so.
TRAINER_SEEDS_WORKERS = {
    "pytorch_lightning.seed_everything": True,
    "lightning_fabric.seed_everything": True,
    "lightning_fabric.utilities.seed.seed_everything": True,
    "pytorch_lightning.cli.LightningCLI": False,
}
SAYS_WORKERS = "workers"
# What some of those calls give: nothing that a worker could call.
SEED_RESULTS = {
    "numpy.random.seed": "None",
    "random.seed": "None",
    "torch.manual_seed": "a torch.Generator",
    "torch.seed": "a number",
    "torch.cuda.manual_seed": "None",
    "torch.cuda.manual_seed_all": "None",
    "pytorch_lightning.seed_everything": "a number",
    "transformers.set_seed": "None",
}
# Libraries none of whose calls seeds NumPy, those that say so by their name left aside.
_SEEDS_NOTHING = (
    "builtins.",
    "cv2.",
    "torch.",
    "numpy.",
    "random.",
    "os.",
    "sys.",
    "gc.",
    "time.",
    "signal.",
    "logging.",
    "warnings.",
    "threading.",
    "resource.",
    "psutil.",
)
# What those calls name their seed when it is given by keyword.
SEED_KEYWORDS = ("seed", "a", "x")
# NumPy takes seeds of 32 bits only.
NARROW_SEEDS = frozenset({"numpy.random.seed", "numpy.random.RandomState"})
# What functions that seed do besides.
BESIDE_SEEDS = frozenset(
    {
        "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all",
        "torch.cuda.is_available",
        "torch.initial_seed",
        "torch.use_deterministic_algorithms",
        "builtins.str",
        "builtins.int",
    }
)
# Context managers that put the state of these libraries back after their block.
KEEPS_STATE = {
    "torch.fork_rng": "torch",
    "torch.random.fork_rng": "torch",
    "lightning_fabric.utilities.seed.isolate_rng": "random, NumPy and torch",
    "pytorch_lightning.isolate_rng": "random, NumPy and torch",
}
# Library -> the calls that read its state and put it back.
STATE_CALLS = {
    "NumPy": ("get_state", "set_state"),
    "random": ("getstate", "setstate"),
    "torch": ("get_rng_state", "set_rng_state"),
}
# What sets a library's state to one that was read -> the library, and what reads it.
SETS_STATE = {
    "numpy.random.set_state": ("NumPy", "numpy.random.get_state"),
    "random.setstate": ("random", "random.getstate"),
    "torch.set_rng_state": ("torch", "torch.get_rng_state"),
    "torch.random.set_rng_state": ("torch", "torch.random.get_rng_state"),
}
# What libraries have for a `worker_init_fn` that seeds its worker, and does nothing else.
ONLY_SEED = monai.SEEDS_WORKERS | {
    "lightning_fabric.utilities.seed.pl_worker_init_function",
    "pytorch_lightning.pl_worker_init_function",
    "pytorch_lightning.seed.pl_worker_init_function",
    "timm.data.loader._worker_init",
}
# What shuffles its argument in place, and what gives a new order -> the library whose global numbers
# it draws.
SHUFFLES_IN_PLACE = {"random.shuffle": "random", "numpy.random.shuffle": "NumPy"}
SHUFFLES_ANEW = {"random.sample": "random", "numpy.random.permutation": "NumPy", "torch.randperm": "torch"}
# Those that draw NumPy's global numbers where they are given no others; rows in groups stay in those.
_SHUFFLES_UNLESS_TOLD = regex(r"sklearn\.utils\.shuffle|pandas\.(?!.*groupby).*\(\)\.sample")
SHUFFLES = frozenset(SHUFFLES_IN_PLACE) | frozenset(SHUFFLES_ANEW)
# Making a generator object with a state of its own -> what a reader calls it.
GENERATORS = {
    "numpy.random.default_rng": "np.random.default_rng(...)",
    "numpy.random.RandomState": "np.random.RandomState(...)",
    "numpy.random.Generator": "np.random.Generator(...)",
    "random.Random": "random.Random(...)",
    "torch.Generator": "torch.Generator()",
    "torch.Generator().manual_seed": "torch.Generator()",
    "torch.quasirandom.SobolEngine": "SobolEngine(...)",
}
# The methods of Python's generator that all its others draw by: whose class has one of its own draws from
# something else.
DRAWN_BY = ("random", "getrandbits", "_randbelow")
# What makes one of a seed, and gives back a generator as it is.
CHECKED_STATES = frozenset(
    {"sklearn.utils.check_random_state", "sklearn.utils.validation.check_random_state"}
)
MADE_OF_SEED = "numpy.random.RandomState"
# Methods of a generator that seed it again, set its state or have it go on from elsewhere.
RESEEDS = frozenset({"__setstate__", "fast_forward", "manual_seed", "seed", "set_state", "setstate"})
# What NumPy's generators draw from: to set its ``state`` is the way to seed a ``Generator`` again.
BIT_GENERATORS = frozenset({"_bit_generator", "bit_generator"})
# Methods of a generator that draw nothing.
_NO_DRAWS = frozenset(
    {
        "manual_seed",
        "seed",
        "get_state",
        "set_state",
        "getstate",
        "setstate",
        "initial_seed",
        "spawn",
        "clone_state",
        "fast_forward",
        "reset",
    }
)

# What a seed can be made of. torch gives every worker of every epoch a seed of 64 bits of its own.
TORCH_SEEDS = frozenset({"torch.initial_seed"})
WORKER_INFO = "torch.utils.data.get_worker_info"
STATE_WORD = "numpy.random.get_state"
_CLOCKS = ("time.", "datetime.", "timeit.")
_ENTROPY = (
    "uuid.uuid1",
    "uuid.uuid4",
    "os.urandom",
    "os.getrandom",
    "secrets.",
    "random.SystemRandom",
    "torch.seed",
)
_TORCH_DRAWS = frozenset(
    re.findall(
        r"\w+",
        """bernoulli empty multinomial normal poisson rand rand_like randint randint_like randn randn_like
        randperm""",
    )
)
# Methods that fill a tensor with numbers from torch's global state.
TORCH_FILLS = frozenset({"random_", "uniform_", "normal_"})
# Methods of tensors and data frames, and of distributions, that draw.
_DRAWING_METHODS = TORCH_FILLS | {
    "bernoulli",
    "bernoulli_",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "multinomial",
    "rvs",
    "sample",
}
# Of torch's functions of no state, those that draw: drop out, or sample. What makes batches draws nothing.
_FUNCTIONS = regex(r"torch\.nn\.functional\.\w+|torch\.nn\.utils\.rnn\.\w+|torch\.utils\.data\.default_\w+")
_DRAWING_FUNCTIONS = regex(r"attention|dropout|fractional_|gumbel_|rrelu")
# Generators that have a state of their own.
_OWN_STATES = (
    "numpy.random.RandomState",
    "numpy.random.default_rng",
    "numpy.random.Generator",
    "random.Random",
    "random.SystemRandom",
    "torch.Generator",
)
# Libraries that draw from none of the global states, what their names say themselves left aside.
_DRAW_NOTHING = (
    "builtins.",
    "numpy.",
    "torch.",
    "random.",
    "cv2.",
    "PIL.",
    "os.",
    "sys.",
    "io.",
    "re.",
    "json.",
    "math.",
    "copy.",
    "glob.",
    "time.",
    "pickle.",
    "shutil.",
    "struct.",
    "string.",
    "logging.",
    "pathlib.",
    "datetime.",
    "operator.",
    "warnings.",
    "functools.",
    "itertools.",
    "collections.",
    "h5py.",
    "imageio.",
    "tifffile.",
    "nibabel.",
    "soundfile.",
    "pandas.",
    "skimage.io.",
    "skimage.color.",
    "skimage.transform.",
    "scipy.io.",
    "scipy.ndimage.",
    "scipy.signal.",
    "scipy.spatial.",
    "scipy.interpolate.",
    "torchvision.io.",
    "torchvision.transforms.functional.",
    "typing.",
)
# Calls whose result follows from their arguments alone.
_PURE = ("builtins.", "math.", "operator.", "zlib.", "hashlib.", "binascii.", "numpy.random.SeedSequence")
_IMPURE_BUILTINS = frozenset({"builtins.id", "builtins.input", "builtins.object", "builtins.next"})
_NUMPY_NUMBERS = regex(r"numpy\.(u?int\w*|abs|array|asarray|mod|remainder|bitwise_\w+)")
# Calls and names that tell processes apart, the same in every epoch.
_PROCESS = regex(r"rank|world_size|dist_info|num_workers|device_count|ordinal|process_index|num_processes")
_ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})
_CHANGING_NAME = regex(r"epoch|step|iter|time|round|cycle|random|entropy|uuid|pid")
_SETTINGS_NAME = regex(
    r"(?:^|[._])(?:args?|arguments|cfg|conf|config\w*|opts?|options?|h?params?|parameters|settings?|flags?)$"
)
_FIXED_NAME = regex(r"seed|rank|world_size|worker|gpu|node|ordinal|process_index|num_processes")


def seeds_below(name: str) -> str:
    """The number that a seeding call's seed must be smaller than, as it is written."""
    return _NARROWER.get(name, "2**32")


def draws_from_numpy(name: str) -> bool:
    """Whether a call draws from NumPy's global state."""
    module, _, last = name.rpartition(".")
    return (module == "numpy.random" and last in _NUMPY_DRAWS) or draws_inside(name)


def draws_inside(name: str) -> bool:
    """Whether a call draws from NumPy's global state where it is given no other."""
    return name in _DRAWS_INSIDE or _DRAWS_OF_SCIPY.fullmatch(name) is not None


def shuffles_unless_told(name: str) -> bool:
    """Whether a call puts things in an order of NumPy's global numbers where it is given no state."""
    return _SHUFFLES_UNLESS_TOLD.fullmatch(name) is not None


def draws_as_told(name: str) -> tuple[str, re.Pattern[str]] | None:
    """The keyword of what makes a library's transform, and the texts that make it draw from NumPy."""
    return _DRAWS_AS_TOLD.get(name)


def may_seed_numpy(name: str) -> bool:
    """Whether a library's call seeds NumPy's global state, or may do so for all its name tells."""
    if name in SEEDS:
        return "NumPy" in SEEDS[name]
    last = name.rpartition(".")[2].lower()
    return (
        last in ("seed", "set_state") or ("seed" in last and last != "initial_seed") or "determinis" in last
    )


def seeds_nothing(name: str) -> bool:
    """Whether a library's call surely leaves NumPy's global state alone, and the dataset as well, which may
    seed it later."""
    return (
        name.startswith(_SEEDS_NOTHING)
        and not name.startswith((WORKER_INFO, "builtins.exec", "builtins.eval"))
        and not may_seed_numpy(name)
    )


def draws_from_generator(method: str) -> bool:
    """Whether a method of a generator object draws from it."""
    return method not in _NO_DRAWS and not method.startswith("_")


def draws(name: str) -> bool:
    """Whether a call draws from a global random state."""
    module, _, last = name.rpartition(".")
    return (
        draws_from_numpy(name)
        or (module == "random" and last[:1].islower() and last not in _NO_DRAWS)
        or (module == "torch" and last in _TORCH_DRAWS)
    )


def draws_from(name: str, library: str) -> bool:
    """Whether a call draws from the global state of ``library``, as :data:`SEEDS` calls it."""
    module, _, last = name.rpartition(".")
    if library == "NumPy":
        return draws_from_numpy(name)
    if library == "torch":
        return module == "torch" and last in _TORCH_DRAWS - {"empty"}
    return draws(name) and module == library


def may_draw(name: str, library: str) -> bool:
    """Whether a library's call draws from the global state of ``library`` (or sets it), or may do so for all
    that is known of it."""
    state = name.rpartition(".")[2] in STATE_CALLS.get(library, ()) and name.startswith(library.lower())
    if state or draws_from(name, library) or library in SEEDS.get(name, ""):
        return True
    if name.startswith(_OWN_STATES) or name in SEEDS or name == WORKER_INFO:
        return False
    if name.rpartition(".")[2] in _DRAWING_METHODS:
        return True
    if library == "torch" and name.startswith(("torch.nn.", "torch.distributions.", "torch.utils.")):
        return _FUNCTIONS.fullmatch(name) is None or _DRAWING_FUNCTIONS.search(name) is not None
    return not name.startswith(_DRAW_NOTHING)


def is_clock(name: str) -> bool:
    """Whether a call reads the clock."""
    return name.startswith(_CLOCKS)


def is_fine_clock(name: str) -> bool:
    """Whether a call reads the clock in units so small that no two items read the same number."""
    return name.startswith("time.") and name.endswith("_ns")


def is_entropy(name: str) -> bool:
    """Whether a call gives something new every time, in every process."""
    return name.startswith(_ENTROPY)


def is_pure(name: str) -> bool:
    """Whether what a call gives follows from its arguments alone."""
    if name in _IMPURE_BUILTINS:
        return False
    return name.startswith(_PURE) or _NUMPY_NUMBERS.fullmatch(name) is not None


def tells_processes_apart(name: str) -> bool:
    """Whether a call gives the process's rank or the like: the same in every epoch."""
    return name in _ENVIRONMENT or _PROCESS.search(name.rpartition(".")[2].lower()) is not None


def is_environment(name: str) -> bool:
    """Whether a name is that of the variables which a process is started with."""
    return name == "os.environ"


def sounds_fixed(name: str) -> bool:
    """Whether a name whose value cannot be told reads like a number that stays for a whole run."""
    lower = name.lower()
    return _CHANGING_NAME.search(lower) is None and _FIXED_NAME.search(lower) is not None


def sounds_changing(name: str) -> bool:
    """Whether a name reads like something that is another number in every epoch."""
    return _CHANGING_NAME.search(name.lower()) is not None


def sounds_like_settings(name: str) -> bool:
    """Whether a name reads like that of a program's settings."""
    return _SETTINGS_NAME.search(name.lower()) is not None
