"""Whether what stands under an attribute is surely the same at any later time.

Settings are shared: who keeps ``args`` reads there what somebody else has stored since. A word is enough to
doubt it here. Who keeps a value although nothing changes it does no harm.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from dlint.changes.mentions import mentions
from dlint.knowledge.randomness import sounds_like_settings
from dlint.program.program import Program
from dlint.source.statements import FunctionNode

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_MAKE = _CONSTRUCTORS | {"__setstate__"}
# What stores under names that are not written there.
_BY_NAME = re.compile(
    r"\bdelattr\(|\bsetattr\(\s*[^,]+,\s*(?!['\"])|\bnamespace\s*=|\bmerge_from_\w+\("
    r"|(?:\bvars\([^()\n]*\)|\b__dict__)\s*(?:\.update\(|\[[^\]\n]*\]\s*=(?!=)|=(?!=))"
)
_UPDATED = re.compile(r"([\w.]+)\.update\(")
_FUNCTION = re.compile(r"\bdef (\w+)\(")
# Words without which none of these stands there.
_WORDS = ("delattr", "setattr", "namespace", "merge_from", "vars", "__dict__", "update")


def lasts(program: Program, attribute: str) -> bool:
    """Whether nothing but a constructor, of its own object, stores something under an attribute."""
    return not _is_stored(program, attribute) and not _is_stored_by_name(program)


def is_rebound(program: Program, name: str) -> bool:
    """Whether a function sets a module's name anew: ``global PATH``."""
    said = re.compile(rf"\bglobal\s[^\n]*\b{re.escape(name)}\b")
    return any(said.search(module.text) for module in program.modules.naming(name))


def _is_stored(program: Program, attribute: str) -> bool:
    if program.modules.index.stored_elsewhere(attribute) or is_rebound(program, attribute):
        return True
    return any(
        isinstance(mention.node, ast.Attribute)
        and not isinstance(mention.node.ctx, ast.Load)
        and not _is_of_constructor(mention.node, mention.trail)
        for mention in mentions(program, attribute)
    )


def _is_of_constructor(node: ast.Attribute, trail: Sequence[ast.AST]) -> bool:
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    around = next((each for each in reversed(trail) if isinstance(each, FunctionNode)), None)
    return own and around is not None and around.name in _CONSTRUCTORS


def _is_stored_by_name(program: Program) -> bool:
    """Whether some code may store under any name in settings."""
    mark = "something is stored under any name"
    if mark not in program.answers:
        index = program.modules.index
        files = sorted({relative for word in _WORDS for relative in index.mentioning(word)})
        texts = (index.data(relative).decode(errors="replace") for relative in files)
        program.answers[mark] = any(
            any(not _is_in_constructor(text, each.start()) for each in _BY_NAME.finditer(text))
            or any(sounds_like_settings(each[1].rpartition(".")[2]) for each in _UPDATED.finditer(text))
            for text in texts
        )
    answer: bool = program.answers[mark]
    return answer


def _is_in_constructor(text: str, at: int) -> bool:
    """Whether the last function that begins before a place makes an object, of which nobody knows yet."""
    names = _FUNCTION.findall(text, 0, at)
    return bool(names) and names[-1] in _MAKE
