"""Children that live as long as the tests of a module, and the profile of hypothesis: the same run each time."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.fuzz.running import Child

_WHOLE = (Phase.explicit, Phase.generate)

settings.register_profile(
    "fuzz",
    # Making a failure smaller takes minutes: FUZZ_SHRINK=1 asks for it, as does benchmarks/fuzz.py.
    phases=(*_WHOLE, Phase.shrink) if os.environ.get("FUZZ_SHRINK") else _WHOLE,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
collect_ignore_glob = ["*"] if os.name == "nt" else []  # no limits of resources there, no sessions


@pytest.fixture(scope="module")
def children() -> Iterator[tuple[Child, Child]]:
    """Two processes with different hash seeds."""
    with Child(0) as first, Child(1) as second:
        yield first, second
