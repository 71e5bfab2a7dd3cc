"""A seed of the worker's own in the place of one that repeats; what else told workers apart stays in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.knowledge.randomness import SEEDS
from dlint.program.program import Program
from dlint.rewriting.pieces.unused import is_of_other, only_value
from dlint.rewriting.seeding.init_functions import worker_parameter
from dlint.rewriting.source import Source
from dlint.values.values import External, Function

# What says nothing that torch's own seed of the worker does not say.
_SAY_NOTHING = frozenset(
    {
        "numpy.random.get_state",
        "numpy.uint32",
        "numpy.int64",
        "numpy.random.choice",
        "numpy.random.randint",
        "torch.utils.data.get_worker_info",
    }
)
_BUILTINS = frozenset({"int", "abs", "len"})
_RANK = re.compile(r"rank|gpu|node|process", re.IGNORECASE)
_SEED = re.compile(r"seed", re.IGNORECASE)
_FORMULA = re.compile(r"\w+(?:\.\w+)*(?:[ \t]*[+*][ \t]*\w+(?:\.\w+)*)+")
# Words that say, with no formula, that the worker's number is the seed: "seeds NumPy with the worker id".
_NUMBER = re.compile(
    r"\b(?P<by>with|by|from|using|based on) (?:(?:its|the|each|their) )?(?:own )?(?:worker(?:'s)?[ _-]?)?"
    r"(?:ids?|numbers?|index)\b(?=\.(?!\w)|,|;|\)|\s*$|\s*[\"'])",
    re.MULTILINE | re.IGNORECASE,
)
_ADDED = re.compile(r"(?:\bthe )?\bworker(?:'s)?[ _-]?(?:id|number|index)\b(?= is added\b)", re.IGNORECASE)
_DEEPEST = 8
_FAR = 1000  # a step wider than the number of workers


@dataclass(frozen=True)
class Parts:
    """The terms of a seed's sum; ``dropped`` are those that torch's seed stands for."""

    terms: tuple[cst.BaseExpression, ...]
    dropped: frozenset[int]

    @property
    def kept(self) -> list[cst.BaseExpression]:
        """What is added to torch's seed."""
        return [term for index, term in enumerate(self.terms) if index not in self.dropped]


class FreshSeeds:
    """The new seeds of one worker_init_fn, ``meant`` in the program. Where main seeds torch from the
    settings the user's seed is in what torch gives the worker."""

    def __init__(
        self, source: Source, function: cst.FunctionDef | cst.Lambda, program: Program, meant: Function
    ) -> None:
        self._source = source
        self._function = function
        self._program = program
        self._seeded = is_torch_seeded(program, meant.node)
        self._worker = {worker_parameter(program, meant)}

    def parts(self, value: cst.BaseExpression, *, constants: bool) -> Parts:
        """What a seed is made of; ``constants``: numbers in it stay, as they tell libraries apart."""
        terms = tuple(_terms(value))
        dropped = {
            index
            for index, term in enumerate(terms)
            if self._says_nothing(term, 0) and not (constants and _has_no_names(self._source, term))
        }
        if self._seeded:
            dropped |= {index for index, term in enumerate(terms) if self._is_users(term)}
        return Parts(terms, frozenset(dropped))

    def is_torchs_own(self, parts: Parts) -> bool:
        """Whether a seed would only be torch's own again, or that and the user's."""
        return all(_has_no_names(self._source, term) or self._is_users(term) for term in parts.kept)

    def _says_nothing(self, node: cst.BaseExpression, depth: int) -> bool:
        """Whether an expression is made of numbers, the worker's number and the state word only."""
        if depth > _DEEPEST or "dataset" in self._source.names_in(node):
            return False
        for name in _roots(self._source, node):
            chain = self._source.qualified(_chain(self._source, name))
            if name.value in self._worker or name.value in _BUILTINS or chain in _SAY_NOTHING:
                continue
            if self._is_number(name):
                continue
            assigned = (
                only_value(self._source, self._function, name.value)
                if isinstance(self._function, cst.FunctionDef)
                else None
            )
            if assigned is None or not self._says_nothing(assigned.value, depth + 1):
                return False
        return True

    def _is_number(self, name: cst.Name) -> bool:
        """Whether a name of the module is a number for good: ``SEED = 123``."""
        scope = self._source.metadata(ScopeProvider).get(name)
        bound = list(scope[name.value]) if scope is not None else []
        if len(bound) != 1 or not isinstance(bound[0].scope, GlobalScope):
            return False
        node = getattr(bound[0], "node", None)
        assigned = self._source.enclosing(node, cst.Assign) if node is not None else None
        return isinstance(assigned, cst.Assign) and isinstance(assigned.value, cst.Integer)

    def _is_users(self, term: cst.BaseExpression) -> bool:
        """Whether a term is the user's seed as it is: ``args.seed``, with no rank that is mixed in before."""
        if not isinstance(term, cst.Attribute):
            return False
        name = term.attr.value
        if not _SEED.search(name) or _RANK.search(self._source.code(term)):
            return False
        stored = re.compile(rf"\.{name}\s*(?:\+|:[^=\n]*)?=(?!=)(?P<value>.*)")
        modules = self._program.modules
        texts = (module.text for module in modules.each(modules.index.storing(name)))
        return not any(_RANK.search(match["value"]) for text in texts for match in stored.finditer(text))

    def text(self, parts: Parts, torch: str, below: str) -> str:
        """The new seed as it is written."""
        texts = self.sum(parts, torch)
        return f"{texts} % {below}" if not parts.kept else f"({texts}) % {below}"

    def sum(self, parts: Parts, torch: str) -> str:
        """The new seed before it is made to fit: torch's seed in the place of the worker's number."""
        texts: list[str] = []
        seed = f"{torch}.initial_seed()"
        for index, term in enumerate(parts.terms):
            if index not in parts.dropped:
                code = self._source.code(term)
                texts.append(f"{_FAR} * {code}" if _is_bare_rank(term, code) else code)
            elif seed not in texts:
                texts.append(seed)
        if seed not in texts:
            texts.insert(0, seed)
        return " + ".join(texts)

    def retold(self, text: str, parts: Parts, torch: str) -> str:
        """A comment or docstring in which a formula of the old seed is one of the new, and in which the
        worker's number, where that was the seed, is torch's."""

        def formula(match: re.Match[str]) -> str:
            pieces = [piece.strip() for piece in match[0].split("+")]
            if not any(self._names_worker(piece) for piece in pieces):
                return match[0]
            changed = any(_is_bare_rank(term, self._source.code(term)) for term in parts.kept)
            if changed or len(pieces) != len(parts.terms):
                return self.sum(parts, torch)
            told = [
                "" if self._seeded and _SEED.search(piece) and index in parts.dropped else piece
                for index, piece in enumerate(pieces)
            ]
            return " + ".join(f"{torch}.initial_seed()" if self._names_worker(p) else p for p in told if p)

        if not parts.kept and "seed" in text.lower():
            text = _NUMBER.sub(rf"\g<by> {torch}'s seed of it", text)
        text = _ADDED.sub(f"{torch}'s seed of the worker", text)
        return _FORMULA.sub(formula, text)

    def _names_worker(self, piece: str) -> bool:
        words = set(re.findall(r"\w+", piece))
        return bool(words & (self._worker | {"worker_id", "workerid"}))


def is_torch_seeded(program: Program, function: ast.AST) -> bool:
    """Whether the program seeds torch anywhere but in the function, and with more than a fixed number."""
    words = {name.rpartition(".")[2] for name, libraries in SEEDS.items() if "torch" in libraries} - {"seed"}
    for word in sorted(words):
        for module in program.modules.naming(word):
            for trail in module.paths_to(word, called=True):
                call = trail[-2]
                if not isinstance(call, ast.Call) or call.func is not trail[-1] or function in trail:
                    continue
                if not call.args or isinstance(call.args[0], ast.Constant):
                    continue
                program.evaluator.start()
                point = program.evaluator.sites.point_of(module, trail)
                for value, _ in program.evaluator.values(call.func, point):
                    if isinstance(value, External) and "torch" in SEEDS.get(value.name, ""):
                        return True
    return False


def _terms(value: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    """The terms of a sum, whatever remainder is taken of it."""
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Modulo | cst.BitAnd):
        value = value.left
    return _sum(value)


def _sum(value: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        return [*_sum(value.left), *_sum(value.right)]
    return [value]


def _roots(source: Source, node: cst.BaseExpression) -> list[cst.Name]:
    """The names that an expression begins its attributes and calls with."""
    names = [node] if isinstance(node, cst.Name) else list(source.descendants(node, cst.Name))
    return [name for name in names if not is_of_other(source, name)]


def _chain(source: Source, name: cst.Name) -> cst.BaseExpression:
    """The dotted name that a name begins."""
    chain: cst.BaseExpression = name
    while isinstance(parent := source.parent(chain), cst.Attribute) and parent.value is chain:
        chain = parent
    return chain


def _has_no_names(source: Source, term: cst.BaseExpression) -> bool:
    return not _roots(source, term)


def _is_bare_rank(term: cst.BaseExpression, code: str) -> bool:
    return isinstance(term, cst.Name | cst.Attribute | cst.Call) and _RANK.search(code) is not None
