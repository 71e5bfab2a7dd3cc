"""How a worker's generator is seeded: from the seed that torch gives the worker for the epoch, with the old
seed mixed in, so that generators which differed still differ, from each other and from the global ones."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

_BY_HAND = "make the generator in the worker, from torch.initial_seed()"
_BIT_GENERATORS = frozenset(
    f"numpy.random.{name}" for name in ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")
)


@dataclass(frozen=True)
class Kind:
    """A kind of generator: ``seed`` is a worker's seed mixed with the old one, ``drawn`` one mixed with what
    the inherited generator gives, "" where there is none (spawned workers cannot be sent it)."""

    seed: str
    drawn: str


_KINDS = {
    "numpy.random.default_rng": Kind("[{worker}, {old}]", "[{worker}, inherited.integers(2**32)]"),
    "numpy.random.RandomState": Kind(
        "[{worker} % 2**32, {old}]", "[{worker} % 2**32, inherited.randint(2**31)]"
    ),
    "random.Random": Kind("", "{worker} ^ inherited.getrandbits(64)"),
    "torch.Generator": Kind("hash(({worker}, {old}))", ""),
}


@dataclass(frozen=True)
class Seeded:
    """A call that makes a generator: its kind, the text around its seed, and the seed."""

    kind: Kind
    before: str
    after: str
    seed: cst.Arg | None
    is_torch: bool

    def made_with(self, seed: str) -> str:
        """The text of the same call with another seed."""
        return f"{self.before}{seed}{self.after}"

    @property
    def constant(self) -> str | None:
        """The seed, where it is a number written there."""
        value = self.seed.value if self.seed is not None else None
        return value.value if isinstance(value, cst.Integer) else None

    def mixed(self, source: Source, worker: str, old: str) -> str:
        """A seed of a worker and a constant."""
        if not self.kind.seed:  # random.Random takes no list, and its arithmetic would give equal seeds
            inside = old if old.isdigit() else f"{{{old}}}"
            return f"f{source.quote}{{{worker}}}-{inside}{source.quote}"
        return self.kind.seed.format(worker=worker, old=old)

    def drawn(self, worker: str) -> str:
        """A seed of a worker and of what the inherited generator draws."""
        return self.kind.drawn.format(worker=worker)


def drawn(kind: str, worker: str) -> str:
    """A seed of a worker and of what the inherited generator of a kind draws."""
    return _KINDS[kind].drawn.format(worker=worker)


def made_with(maker: cst.Call, seed: str) -> str:
    """The text of a call that makes a generator from a seed."""
    return f"{cst.Module([]).code_for_node(maker.func)}({seed})"


def seeded(source: Source, call: cst.Call) -> Seeded:
    """What a call that makes a generator is made of. Raises CannotRepair where it is none of a known kind."""
    func = source.code(call.func)
    meant = source.qualified(call.func)
    inner = call.func.value if isinstance(call.func, cst.Attribute) else None
    if isinstance(inner, cst.Call) and func.endswith(".manual_seed"):
        if source.qualified(inner.func) == "torch.Generator" and not inner.args:
            return Seeded(_KINDS["torch.Generator"], f"{func}(", ")", _only(call), is_torch=True)
    elif meant == "torch.Generator" and not call.args:
        return Seeded(_KINDS[meant], f"{func}().manual_seed(", ")", None, is_torch=True)
    elif meant == "numpy.random.Generator":
        bits = _only(call)
        if bits is not None and isinstance(bits.value, cst.Call):
            name = source.qualified(bits.value.func)
            if name in _BIT_GENERATORS:
                start = f"{func}({source.code(bits.value.func)}("
                kind = _KINDS["numpy.random.default_rng"]
                return Seeded(kind, start, "))", _only(bits.value), is_torch=False)
    elif meant in _KINDS and meant != "torch.Generator":
        return Seeded(_KINDS[meant], f"{func}(", ")", _only(call), is_torch=False)
    raise CannotRepair(_BY_HAND)


def _only(call: cst.Call) -> cst.Arg | None:
    if len(call.args) > 1 or any(arg.star for arg in call.args):
        raise CannotRepair(f"the generator has several arguments: {_BY_HAND}")
    return call.args[0] if call.args else None
