"""Whether code changes settings by names that it does not show: ``cfg.update(given)``,
``setattr(cfg, key, 4)``."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.knowledge.names import CHANGES_BY_NAME, CHANGES_BY_WORDS, CHANGES_SETTINGS, MERGES_SETTINGS
from dlint.knowledge.randomness import sounds_like_settings
from dlint.project.modules import Modules

if TYPE_CHECKING:
    from dlint.source.module import Module
    from dlint.values.values import Made

# The same with what it changes.
_CHANGED = re.compile(
    r"\b(?:setattr\(|vars\()\s*([\w.]+)|(?<![\w.])([\w.]+)(?:\.update\(|\.__dict__|\[[^\]\n]{1,99}\]\s*=(?!=))"
)


class Changes:
    """Answers for one program."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._in: dict[int, bool] = {}  # by module
        self._anywhere: bool | None = None
        self._by_key: dict[str, bool] = {}
        self._below: dict[tuple[str, str], bool] = {}

    def may_be(self, made: Made, name: str) -> bool:
        """Whether code may change what stands under a name in settings: in the file that makes them, or, of
        something that is called like settings, in another."""
        index = self._modules.index
        if self._is_in(made.point.frame.module) or any(map(index.mentioning, CHANGES_SETTINGS)):
            return True
        if isinstance(made.point.frame.scope, ast.Module):  # all files have them
            return any(map(index.mentioning, CHANGES_BY_WORDS)) or self.is_stored_by_key(name)
        if self._anywhere is None:
            self._anywhere = any(map(index.mentioning, MERGES_SETTINGS)) or self._are_called_so()
        return self._anywhere or self.is_stored_by_key(name)

    def is_stored_by_key(self, name: str) -> bool:
        """Whether some file stores under a key that is written out: ``cfg["workers"] = 4``."""
        known = self._by_key.get(name)
        if known is None:
            stores = re.compile(rf"""\[\s*["']{re.escape(name)}["']\s*\]\s*(?:=(?!=)|[-+*/|]=)""")
            known = self._by_key[name] = any(map(stores.search, self._modules.index.texts(name)))
        return known

    def is_updated(self, name: str) -> bool:
        """Whether some file stores under a key among others: ``cfg.update(workers=4)``."""
        stores = re.compile(rf"\.update\([^()]{{0,999}}\b{re.escape(name)}\b")
        return any(map(stores.search, self._modules.index.texts(name)))

    def may_be_below(self, attribute: str, name: str) -> bool:
        """Whether some file may store under a key of what an attribute holds: ``self.cfg["workers"] = 4``,
        ``self.cfg.update(given)``."""
        mark = (attribute, name)
        known = self._below.get(mark)
        if known is None:
            stores = re.compile(
                rf"""\.{re.escape(attribute)}\s*(?:\[\s*["']{re.escape(name)}["']\s*\]\s*(?:=(?!=)|[-+*/|]=)"""
                r"""|\[\s*[^"'\s\]][^\]\n]*\]\s*=(?!=)|\.(?:update|pop|setdefault|clear)\()"""
            )
            texts = self._modules.index.texts(attribute)
            known = self._below[mark] = any(map(stores.search, texts))
        return known

    def _is_in(self, module: Module) -> bool:
        known = self._in.get(id(module))
        if known is None:
            spend(len(module.text) // 100)
            known = self._in[id(module)] = CHANGES_BY_NAME.search(module.text) is not None
        return known

    def _are_called_so(self) -> bool:
        """Whether something is changed so that is called like settings."""
        for text in (text for word in CHANGES_BY_WORDS for text in self._modules.index.texts(word)):
            spend(len(text) // 100)
            for found in _CHANGED.finditer(text):
                if any(map(sounds_like_settings, (found[1] or found[2]).split("."))):
                    return True
        return False
