"""What a script sets on its options once they are there: ``args.log = open(path, "w")``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.callbacks import PLAIN_BUILTINS
from dlint.knowledge.commands import PARSED
from dlint.knowledge.loading import NAMESPACES
from dlint.regex import regex
from dlint.values.values import Instance, Made

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.source.module import Module
    from dlint.values.frame import Frame

_OPTIONS = frozenset({PARSED, "easydict.EasyDict"}) | NAMESPACES
# What is set on others than self, and is no number or text as it is written.
_SET = regex(
    r"^[ \t]*(?!(?:self|cls)\.\w+[ \t]*=)[\w.]+\.(\w+)[ \t]*=[ \t]*(?:lambda\b|([\w.]+)[ \t]*(?:\(|$))", re.M
)
_PLAIN = ("os.path.", "torch.device")


def is_options(name: str) -> bool:
    """Whether a library's call makes an object of which each attribute is an option, that pickle takes along
    with all of them."""
    return name in _OPTIONS


def set_on_options(evaluator: Evaluator, made: Made, loading: Module | None) -> tuple[str, ...]:
    """The attributes that the files which make options set there, or those whose functions ask for them, or
    the one that is loading, to what may be more than a number or a text."""
    known = evaluator.kept.setdefault(_Set, _Set())
    assert isinstance(known, _Set)
    modules = [*_modules(made.point.frame), *([loading] if loading is not None else [])]
    names = {name: None for module in modules for name in known.of(module)}
    return tuple(names)


def may_lack(evaluator: Evaluator, held: Instance | Made, name: str) -> bool:
    """Whether some code may take an attribute off what has it, or make a copy of options, which stands for
    the same ones: what is set on either is not on the other."""
    taken = re.compile(rf"\bdel\b[^\n]{{0,300}}\.{name}\b|(?:\.pop|delattr)\([^\n]{{0,300}}[\"']{name}[\"']")
    if any(map(taken.search, evaluator.modules.index.texts(name))):
        return True
    return isinstance(held, Made) and is_options(held.name) and _is_copied(evaluator, held)


def _is_copied(evaluator: Evaluator, made: Made) -> bool:
    if not evaluator.depth:
        evaluator.start()  # else what has been asked before decides what is found here
    for word in ("copy", "deepcopy"):
        for module in evaluator.modules.naming(word):
            for trail in module.paths_to(word, called=True):
                call = trail[-2]
                if isinstance(call, ast.Call) and len(call.args) == 1:
                    point = evaluator.sites.point_of(module, trail)
                    copied = evaluator.values(call.args[0], point)
                    if any(isinstance(value, Made) and value.node is made.node for value, _ in copied):
                        return True
    return False


def _modules(frame: Frame | None) -> Iterator[Module]:
    while frame is not None:
        yield frame.module
        frame = frame.caller


class _Set:
    """The attributes that each file sets so on something that is not called self."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, module: Module) -> tuple[str, ...]:
        known = self._known.get(module.relative)
        if known is None:
            found = {
                each[1]: None
                for each in _SET.finditer(module.text)
                if each[2] not in PLAIN_BUILTINS and not (each[2] or "").startswith(_PLAIN)
            }
            known = self._known[module.relative] = tuple(found)
        return known
