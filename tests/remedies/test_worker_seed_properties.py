"""Programs made up around a loader and what seeds its workers, before and after the remedy: what a worker does
besides is the same, main's own numbers are, and every worker has NumPy numbers of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import Case, repaired

_FAST = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)


@contextmanager
def _in_worker(seed: int) -> Iterator[None]:
    """As in a worker of torch before 1.9: torch and ``random`` are seeded, NumPy is as in every other."""
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    with (
        mock.patch("torch.initial_seed", lambda: seed),
        mock.patch("torch.random.initial_seed", lambda: seed),
    ):
        random.seed(seed), np.random.seed(5), torch.manual_seed(seed)
        yield
    random.setstate(states[0]), np.random.set_state(states[1]), torch.set_rng_state(states[2])


def _case(remedy: str, marked: str, data: dict[str, Any] | None = None) -> Case:
    return Case(remedy, "made up", marked, data or {}, None)


def _run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "module", "told": []}
    exec(compile(text, "made_up", "exec"), names)
    return names


def _streams() -> tuple[float, float, float]:
    return random.random(), float(np.random.random()), torch.rand(1).item()


def _of_worker(names: dict[str, Any], number: int, seed: int) -> tuple[list[Any], tuple[float, float, float]]:
    """What a worker's function says, and the numbers that the worker then draws."""
    names["told"].clear()
    with _in_worker(seed):
        init = names["loader"].worker_init_fn
        if init is not None:
            init(number)
        return list(names["told"]), _streams()


def _are_apart(names: dict[str, Any]) -> None:
    """Whether workers draw from NumPy what torch's seed of theirs says, and that alone."""
    numbers = [_of_worker(names, number, seed)[1][1] for number, seed in ((0, 7), (1, 8), (0, 2**40 + 9))]
    assert len(set(numbers)) == 3
    assert numbers[0] == _of_worker(names, 0, 7)[1][1]


_IMPORTS = [
    "import numpy as np\nimport torch\n",
    "import numpy as np\n",
    "import numpy\nimport random\n",
    "import torch\nfrom random import random\n",
    "from numpy import *\n",
    "from random import *\nimport numpy as np\n",
    "from torch import initial_seed\nimport numpy.random as npr\n",
]
_LOADERS = [
    "⟦DataLoader(data, num_workers=2)⟧",
    "⟦DataLoader(data, 4, False, num_workers=2,)⟧",
    "⟦DataLoader(\n    data,\n    num_workers=2,\n)⟧",
    "⟦DataLoader(data, num_workers=2, worker_init_fn=None)⟧",
]
_AROUND = [
    "loader = {}\n",
    "if data:\n    loader = {}\nelse:\n    loader = None\n",
    "def make(np=None, torch=None):\n    return {}\n\n\nloader = make()\n",
    "def make(seed_worker):\n    return {}\n\n\nloader = make(3)\n",
    "class Module:\n    def loader(self):\n        random = 3\n        return {}\n\n\nloader = Module().loader()\n",
]
_BODIES = [
    "    told.append(worker_id)\n",
    '    """Begins a worker."""\n    told.append(worker_id)\n',
    "    torch.manual_seed(100 + worker_id)\n    told.append(torch.rand(1).item())\n",
    "    if worker_id:\n        return\n    told.append(worker_id)\n",
    "    for number in range(worker_id):\n        told.append(random.random())\n",
    "    random.seed(worker_id)\n    told.append(3)\n",
]


@_FAST
@given(st.sampled_from(_IMPORTS), st.sampled_from(_LOADERS), st.sampled_from(_AROUND), st.booleans())
def test_a_loader_gets_a_function_that_seeds_numpy_and_nothing_else(
    imports: str, loader: str, around: str, taken: bool
) -> None:
    head = f"{imports}from torch.utils.data import DataLoader\n\ndata = [1, 2]\n"
    head += "seed_worker = 3\n" if taken else ""
    case = _case("seed_workers", head + "\n\n" + around.format(loader))
    with _in_worker(3):
        before = _run(case.before)
        drawn = _streams()
    with _in_worker(3):
        after = _run(repaired(case))
        assert drawn == _streams()
    _are_apart(after)
    (_, one), (_, other) = _of_worker(before, 1, 9), _of_worker(after, 1, 9)
    assert (one[0], one[2]) == (other[0], other[2])


@_FAST
@given(st.lists(st.sampled_from(_BODIES), min_size=1, max_size=3), st.sampled_from(["", "_", "in_"]))
def test_a_function_that_seeds_no_numpy_does_the_rest_as_before(bodies: list[str], prefix: str) -> None:
    bodies = [body.replace('    """Begins a worker."""\n', "") for body in bodies[1:]]
    text = (
        "import random\nimport torch\nfrom torch.utils.data import DataLoader\n\n\n"
        f"def {prefix}init(worker_id):\n{''.join([bodies[0] if bodies else _BODIES[1], *bodies[1:]])}\n\n"
        f"loader = ⟦DataLoader([1], num_workers=2, worker_init_fn={prefix}init)⟧\n"
    )
    case = _case("seed_workers", text, {"kind": "append"})
    before, after = _run(case.before), _run(repaired(case))
    _are_apart(after)
    for number in range(3):
        (log, one), (same, other) = (_of_worker(names, number, 9) for names in (before, after))
        assert log == same and (one[0], one[2]) == (other[0], other[2])


# Those of these that seed the process which makes the loader: whoever trains there relies on that.
_SEED_MAIN = frozenset({"a seed", "a library's", "a library's own name"})
# What is called in the place of a worker_init_fn: how it is defined, the call, and whether to be passed it
# lacks a parameter or has one too many.
_CALLED = {
    "its own seeding": (
        "def init(worker_id):\n    np.random.seed(torch.initial_seed() % 2**32)\n",
        "init(0)",
        False,
    ),
    "more than seeding": (
        "def init(number):\n    told.append(number)\n    np.random.seed(torch.initial_seed() % 2**32)\n",
        "init(0)",
        False,
    ),
    "a default": (
        "def init(number=0, rank=1):\n    told.append((number, rank))\n"
        "    np.random.seed(torch.initial_seed() % 2**32)\n",
        "init()",
        False,
    ),
    "a seed": (
        "def set_seed(seed):\n    random.seed(seed)\n    np.random.seed(seed)\n",
        "set_seed(42)",
        False,
    ),
    "a library's": ("", "np.random.seed(0)", False),
    "a library's own name": ("from numpy.random import seed\n", "seed(0)", False),
    "no parameter": ("def init():\n    told.append(1)\n", "init()", True),
    "two parameters": ("def init(a, b):\n    told.append(a + b)\n", "init(1, 2)", True),
    "a seed and more": (
        "def set_up(seed):\n    np.random.seed(seed)\n    told.append(seed)\n",
        "set_up(3)",
        True,
    ),
    "a method": (
        "class Tools:\n    @staticmethod\n    def init(worker_id):\n        told.append(worker_id)\n"
        "        np.random.seed(torch.initial_seed() % 2**32)\n",
        "Tools.init(0)",
        False,
    ),
}


@_FAST
@given(st.sampled_from(sorted(_CALLED)), st.sampled_from(_AROUND[:2] + _AROUND[4:]), st.booleans())
def test_what_was_called_is_called_in_the_worker(called: str, around: str, wide: bool) -> None:
    definition, call, refused = _CALLED[called]
    loader = f"DataLoader([1], num_workers=2, worker_init_fn=⟦{call}⟧)"
    if wide:
        loader = loader.replace("(", "(\n    ", 1).replace(", ", ",\n    ", 2)
    head = "import random\n\nimport numpy as np\nimport torch\nfrom torch.utils.data import DataLoader\n\n\n"
    case = _case("pass_function", f"{head}{definition}\n\ndata = [1, 2]\n{around.format(loader)}")
    if refused:
        with pytest.raises(CannotRepair):
            repaired(case)
        return
    with _in_worker(3):
        after = _run(repaired(case))
        assert after["told"] == []
        inside = _streams()
    with _in_worker(3):
        if called in _SEED_MAIN:
            _run(case.before)
        assert inside == _streams()
    _are_apart(after)
    said, _ = _of_worker(after, 4, 9)
    assert said in ([], [4], [(4, 1)])


_SEEDS = [
    "torch.initial_seed()",
    "torch.initial_seed() + worker_id",
    "(torch.initial_seed() + worker_id)",
    "seed",
    "seed if worker_id else seed + 1",
    "seed=torch.initial_seed()",
    "torch.initial_seed() % 2**64",
    "torch.initial_seed() % (2 ** 40)",
    "seed ^ worker_id",
    "abs(seed)",
]
_NUMPY = [
    ("import numpy as np\n", "np.random.seed"),
    ("import numpy\n", "numpy.random.seed"),
    ("from numpy.random import seed as fix\n", "fix"),
    ("from numpy import random as npr\nfrom random import *\n", "npr.seed"),
]


@_FAST
@given(
    st.sampled_from(_SEEDS),
    st.sampled_from(_NUMPY),
    st.sampled_from(["{}", "for _ in range(2): {}", "return {}"]),
)
def test_a_seed_that_fits_is_what_it_was_and_others_fit(
    seed: str, numpy: tuple[str, str], around: str
) -> None:
    imports, function = numpy
    line = around.format(f"⟦{function}({seed})⟧")
    text = (
        f"import torch\n{imports}\n\ndef init(worker_id):\n    seed = torch.initial_seed()\n    told.append(seed)\n"
        f"    {line}\n"
    )
    case = _case("seed_in_range", text)
    before, after = _run(case.before), _run(repaired(case))

    def state(names: dict[str, Any], given: int, number: int) -> tuple[list[int], float]:
        names["told"].clear()
        with _in_worker(given):
            names["init"](number)
            return list(names["told"]), float(np.random.random())

    for number in range(3):
        assert state(before, 12345, number) == state(after, 12345, number)
        wide = 2**35 + 12345
        with pytest.raises(ValueError, match="Seed must be"):
            state(before, wide, number)
        seen, drawn = state(after, wide, number)
        assert seen == [wide]
        assert drawn == state(after, 12345, number)[1]
