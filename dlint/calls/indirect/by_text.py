"""Methods that are asked for by their names as texts: ``getattr(runner, "train")()``, also where a class puts
the name together (``getattr(self, f"make_{kind}")``), or a variable gives it (``getattr(self, mode)``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.indirect.handed_on import Way
from dlint.calls.indirect.starting import Trail
from dlint.evaluation.named import fits
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.values import Class, Const, Unknown

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator

# One may begin inside another.
_BEGINS = regex(r"[\"'](\w+_)(?=[\"'{%])")
_ASKS_SELF = regex(r"\bgetattr\(\s*self,\s*[A-Za-z_][\w.]*\s*[,)]")
_ENDS = regex(r"[\"'}s](?=(_\w+)[\"'])")


class ByText:
    """The places that ask for a method so."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._asking: dict[Module, list[tuple[str, str | None, Trail]]] = {}
        self._parts: dict[Module, NameParts | None] = {}

    def written_out(self, name: str) -> Iterator[Way]:
        """The calls of what has a name that is written out."""
        files = self._evaluator.modules.index.asking_for(name)
        if not files:
            return
        asked = re.compile(rf"\bgetattr\([^\n]{{0,300}},\s*['\"]{re.escape(name)}['\"]\s*[,)]")
        for module in self._evaluator.modules.each(files):
            for trail in module.trails_at(module.lines_like(asked)):
                for node in walk(trail[-1]):
                    if isinstance(node, ast.Call) and _asks_for(node.func, name):
                        yield node, [*trail, node.func], module

    def put_together(self, name: str, owner: Class) -> Iterator[tuple[Module, Trail]]:
        """The places of a class, and of those above it, that ask for what has such a beginning or end, or for
        what a variable names."""
        for cls in self._evaluator.classes.line(owner):
            parts = self._name_parts(cls.module)
            if parts is None or not parts.may_make(name):
                continue
            for begin, end, trail in self._asked_for(cls.module):
                if name == begin if end is None else fits(name, begin, end):
                    yield cls.module, trail

    def _name_parts(self, module: Module) -> NameParts | None:
        """The parts of names in a file that asks for attributes by names."""
        if module not in self._parts:
            self._parts[module] = NameParts(module.text) if "getattr(" in module.text else None
        return self._parts[module]

    def _asked_for(self, module: Module) -> list[tuple[str, str | None, Trail]]:
        """The places of a file that ask for an attribute of which a beginning or end is known, or the whole
        name, which has no end then."""
        known = self._asking.get(module)
        if known is None:
            self._asking[module] = []  # for whoever asks for it meanwhile
            found, whole = self._evaluator.apart(lambda: list(self._asking_in(module)))
            if whole:
                self._asking[module] = found
            else:
                del self._asking[module]
            return found
        return known

    def _asking_in(self, module: Module) -> Iterator[tuple[str, str | None, Trail]]:
        for trail in module.paths_to("getattr", called=True):
            call = trail[-2] if len(trail) > 1 else None
            if isinstance(call, ast.Call) and call.func is trail[-1] and len(call.args) > 1:
                if isinstance(call.args[1], ast.Constant):
                    continue
                for name, _ in self._evaluator.values(
                    call.args[1], self._evaluator.sites.point_of(module, trail)
                ):
                    if isinstance(name, Unknown) and name.text is not None and any(name.text):
                        yield (*name.text, trail[:-1])
                    elif isinstance(name, Const) and isinstance(name.value, str):
                        yield (name.value, None, trail[:-1])


class NameParts:
    """The parts of names in a text that strings end or begin with: ``f"make_{kind}"``, ``"%s_step"``; and
    whether its objects are asked for what a variable names: ``getattr(self, mode)``."""

    def __init__(self, text: str) -> None:
        self._begins = frozenset(_BEGINS.findall(text))
        self._ends = frozenset(_ENDS.findall(text))
        self._asks_by_variable = _ASKS_SELF.search(text) is not None

    def may_make(self, name: str) -> bool:
        """Whether a name may be given by a variable, or put together: a string ends as it begins, or begins
        as it ends, at one of its underscores."""
        return self._asks_by_variable or any(
            name[: at + 1] in self._begins or name[at:] in self._ends
            for at, sign in enumerate(name)
            if sign == "_" and name[:at].strip("_") and name[at:].strip("_")
        )


def _asks_for(node: ast.expr, name: str) -> bool:
    """Whether an expression is ``getattr(x, "name")``."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(asked)), *_]):
            return asked == name
    return False
