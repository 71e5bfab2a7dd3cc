"""What a proof claims: ``proof.toml`` read into data."""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Outcome = Literal["hang", "error", "silent", "slow"]
StartMethod = Literal["fork", "forkserver", "spawn"]

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


class ProofError(Exception):
    """A proof.toml that does not say what it must; the message names the file."""


@dataclass(frozen=True)
class Condition:
    """A comparison with a number, such as ``<= 12``."""

    symbol: str
    number: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read ``<operator> <number>``. Raises ValueError."""
        match = re.fullmatch(r"\s*(<=|>=|==|!=|<|>)\s*(-?[\d.]+)\s*", text)
        if match is None:
            raise ValueError(f"not a condition: {text!r}")
        return cls(match[1], float(match[2]))

    def holds(self, number: float) -> bool:
        """Whether the number meets the condition."""
        return _OPERATORS[self.symbol](number, self.number)

    def __str__(self) -> str:
        return f"{self.symbol} {self.number:g}"


@dataclass(frozen=True)
class Needs:
    """What a machine must have to show a claim.

    ``python`` is a version range; ``packages`` are requirements; ``opencv_backend`` is the parallel backend
    that cv2 must have been built with ("pthreads", "openmp"); ``openmp_opencv`` asks for the build of
    :mod:`dlint.proofs.openmp_opencv` and runs the programs with it, ``older_torch`` for the environment of
    :mod:`dlint.proofs.older_torch`; ``opencl_cpu`` asks for an OpenCL device that is a CPU; ``gpu`` for a
    CUDA device.
    """

    cores: int = 1
    packages: tuple[str, ...] = ()
    python: str | None = None
    older_torch: bool = False
    platform: str = "linux"
    gpu: bool = False
    opencv_backend: str | None = None
    openmp_opencv: bool = False
    opencl_cpu: bool = False


@dataclass(frozen=True)
class Proof:
    """One claim about one rule, and the programs that show it.

    ``folder`` holds the programs; ``fixed`` is None where no cure is known. ``limit`` and ``still`` are
    seconds: how long a program may run, and how long it must stand still to count as hung.
    ``environment`` is set for the programs. ``alone`` keeps other programs from running at the same time.
    """

    code: str
    rule: str
    folder: Path
    name: str
    claim: str
    bad: str
    outcome: Outcome
    fixed: str | None = None
    not_a_cure: tuple[str, ...] = ()
    start_methods: tuple[StartMethod, ...] = ("fork",)
    error: str | None = None
    measure: str | None = None
    bad_value: Condition | None = None
    fixed_value: Condition | None = None
    limit: float = 60.0
    still: float = 10.0
    alone: bool = False
    needs: Needs = field(default_factory=Needs)
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fixture:
    """All that one proof.toml says. ``near`` are needs of near misses that have special ones; ``check``
    the settings (``target_torch``, ``start_method``) under which the rule is to find the bad programs."""

    folder: Path
    code: str
    rule: str
    proofs: tuple[Proof, ...]
    near: Mapping[str, Needs]
    no_proof: str | None
    check: Mapping[str, str] = field(default_factory=dict)


def read(folder: Path) -> Fixture:
    """Read a fixture folder's proof.toml. Raises ProofError."""
    path = folder / "proof.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ProofError(f"{path}: {error}") from None
    code, _, rest = folder.name.partition("_")
    rule = rest.replace("_", "-")
    try:
        no_proof = data.pop("no-proof", None)
        near = {name: _needs(dict(table).pop("needs", {})) for name, table in data.pop("near", {}).items()}
        check = _check(data.pop("check", {}))
        proofs = tuple(_proof(code, rule, folder, table) for table in data.pop("proof", []))
        if data:
            raise ValueError(f"unknown key {min(data)!r}")
        if not proofs and not no_proof:
            raise ValueError('neither a [[proof]] nor a "no-proof" reason')
        if len({proof.name for proof in proofs}) < len(proofs):
            raise ValueError("two proofs have one name")
    except (KeyError, TypeError, ValueError) as error:
        said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ProofError(f"{path}: {said}") from None
    return Fixture(folder, code, rule, proofs, near, no_proof, check)


def _proof(code: str, rule: str, folder: Path, table: Mapping[str, Any]) -> Proof:
    left = dict(table)
    fixed = left.pop("fixed", None)
    outcome = left.pop("outcome")
    if outcome not in get_args(Outcome):
        raise ValueError(f"unknown outcome {outcome!r}")
    methods = tuple(left.pop("start-methods", ["fork"]))
    if not methods or not set(methods) <= set(get_args(StartMethod)):
        raise ValueError(f"unknown start method in {list(methods)}")
    bad_value, fixed_value = left.pop("bad-value", None), left.pop("fixed-value", None)
    proof = Proof(
        code=code,
        rule=rule,
        folder=folder,
        name=left.pop("name"),
        claim=left.pop("claim"),
        bad=left.pop("bad", "bad.py"),
        outcome=cast(Outcome, outcome),
        fixed=fixed,
        not_a_cure=tuple(left.pop("not-a-cure", [])),
        start_methods=cast("tuple[StartMethod, ...]", methods),
        error=left.pop("error", None),
        measure=left.pop("measure", None),
        bad_value=None if bad_value is None else Condition.parse(bad_value),
        fixed_value=None if fixed_value is None else Condition.parse(fixed_value),
        limit=float(left.pop("limit", 60)),
        still=float(left.pop("still", 10)),
        alone=bool(left.pop("alone", outcome == "slow")),
        needs=_needs(left.pop("needs", {})),
        environment={name: str(value) for name, value in left.pop("env", {}).items()},
    )
    if left:
        raise ValueError(f"unknown key {min(left)!r}")
    if proof.outcome == "error" and not proof.error:
        raise ValueError(f"{proof.name}: an error needs its text")
    if proof.outcome in ("silent", "slow"):
        if proof.measure is None or proof.bad_value is None:
            raise ValueError(f"{proof.name}: {proof.outcome} needs measure and bad-value")
        if proof.fixed is not None and proof.fixed_value is None:
            raise ValueError(f"{proof.name}: {proof.outcome} needs fixed-value")
    for program in (proof.bad, *([proof.fixed] if proof.fixed else []), *proof.not_a_cure):
        if not (folder / program).exists():
            raise ValueError(f"{proof.name}: no program {program}")
    return proof


def _check(table: Mapping[str, Any]) -> Mapping[str, str]:
    unknown = set(table) - {"target-torch", "start-method"}
    if unknown:
        raise ValueError(f"unknown key {min(unknown)!r} in [check]")
    return {key.replace("-", "_"): str(value) for key, value in table.items()}


def _needs(table: Mapping[str, Any]) -> Needs:
    known = {key.replace("-", "_"): value for key, value in table.items()}
    if isinstance(known.get("packages"), list):
        known["packages"] = tuple(known["packages"])
    return Needs(**known)
