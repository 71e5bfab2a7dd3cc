"""Whether what stands under an attribute is surely the same at any later time.

Settings are shared: who keeps ``args`` reads there what somebody else has stored since, under the attribute
itself, by its name, or in what a property makes it of. Whose attribute it is, is not asked. Who keeps a value
although nothing changes it does no harm.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from dlint.changes.by_name import WORDS, stores_around
from dlint.changes.mentions import mentions
from dlint.knowledge.randomness import sounds_like_settings
from dlint.program.program import Program
from dlint.regex import regex
from dlint.source.statements import FunctionNode

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
# Methods that store by names in an object of which nobody knows yet, or what is stored there anyway.
_MAKE = _CONSTRUCTORS | {"__setstate__", "__setattr__", "__delattr__"}
# Most scripts parse their arguments, into an object of their own.
_PARSES_INTO = regex(rb"\bparse_(?:known_)?args\(\s*[^\s)]")
_UPDATED = regex(r"(?<![\w.])([\w.]+)\.update\(")


def lasts(program: Program, attribute: str) -> bool:
    """Whether nothing but a constructor, of its own object, stores something under an attribute."""
    if _is_stored(program, attribute):
        return False
    stored = _stored_by_name(program)
    return stored is not None and attribute not in stored


def is_rebound(program: Program, name: str) -> bool:
    """Whether a function sets a module's name anew: ``global PATH``."""
    said = re.compile(rf"\bglobal\s[^\n]{{0,300}}\b{re.escape(name)}\b")
    return any(said.search(module.text) for module in program.modules.naming(name))


def _is_stored(program: Program, attribute: str) -> bool:
    if program.modules.index.stored_elsewhere(attribute) or is_rebound(program, attribute):
        return True
    for mention in mentions(program, attribute):
        node, above = mention.node, mention.trail[-2]
        if isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load) and not _is_of_own(
                node.value, mention.trail, _CONSTRUCTORS
            ):
                return True
        elif isinstance(node, FunctionNode) and isinstance(above, ast.ClassDef) and node.decorator_list:
            return True  # a property, as far as the name tells
    return False


def _is_of_own(owner: ast.expr, trail: Sequence[ast.AST], methods: frozenset[str]) -> bool:
    """Whether the last node of a trail stands in such a method, and does something to the method's object."""
    own = isinstance(owner, ast.Name) and owner.id == "self"
    around = next((each for each in reversed(trail) if isinstance(each, FunctionNode)), None)
    return own and around is not None and around.name in methods


def _stored_by_name(program: Program) -> frozenset[str] | None:
    """The attributes that some code may store in by their names; None for any."""
    mark = "stored by name"
    if mark not in program.answers:
        program.answers[mark] = _found_by_name(program)
    answer: frozenset[str] | None = program.answers[mark]
    return answer


def _found_by_name(program: Program) -> frozenset[str] | None:
    index = program.modules.index
    for relative in index.mentioning(".update"):
        receivers = _UPDATED.findall(index.data(relative).decode(errors="replace"))
        if any(sounds_like_settings(each.rpartition(".")[2]) for each in receivers):
            return None
    found: set[str] = set()
    for word in WORDS:
        files = index.naming(word)
        if word.startswith("parse_"):
            files = tuple(each for each in files if _PARSES_INTO.search(index.data(each)))
        for module in program.modules.each(files):
            for trail in module.paths_to(word):
                for store in stores_around(trail):
                    if _is_of_own(store.owner, trail, _MAKE):
                        continue
                    if store.names is None:
                        return None
                    found |= store.names
    return frozenset(found)
