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
from dlint.regex import regex

if TYPE_CHECKING:
    from dlint.values.values import Made

# The same with what it changes.
_CHANGED = regex(
    r"\b(?:setattr\(|vars\()\s*([\w.]+)|(?<![\w.])([\w.]+)(?:\.update\(|\.__dict__|\[[^\]\n]{1,99}\]\s*=(?!=))"
)
_READS = ("merge_from", "")
# The names that settings are given one by one: ``_C.TRAIN.SHUFFLE = True``.
_STORED = regex(r"^[ \t]*\w+(?:\.\w+)*\.(\w+)[ \t]*=(?!=)", re.MULTILINE)
_SEVERAL = 2


class Changes:
    """Answers for one program."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._anywhere: bool | None = None
        self._by_key: dict[str, bool] = {}
        self._below: dict[tuple[str, str], bool] = {}
        self._said: dict[str, bool] = {}

    def may_be(self, made: Made, name: str) -> bool:
        """Whether code may change what stands under a name in settings: in the file that makes them, or, of
        something that is called like settings, in another."""
        if made.point.frame.module.says(CHANGES_BY_NAME) or any(map(self._is_said, CHANGES_SETTINGS)):
            return True
        if isinstance(made.point.frame.scope, ast.Module):  # all files have them
            return any(map(self._is_said, CHANGES_BY_WORDS)) or self.is_stored_by_key(name)
        if self._anywhere is None:
            self._anywhere = any(map(self._is_said, MERGES_SETTINGS)) or self._are_called_so()
        return self._anywhere or self.is_stored_by_key(name)

    def may_be_by_code(self, made: Made, name: str) -> bool:
        """The same of code alone, that reads no user's file into them."""
        return (
            CHANGES_BY_NAME.search(made.point.frame.module.text.replace(*_READS)) is not None
            or any(map(self._is_said, CHANGES_SETTINGS))
            or self.is_stored_by_key(name)
            or self.is_updated(name)
            or self._is_listed(name)
            or self._are_called_so()
        )

    def are_left_by_files(self, made: Made, name: str) -> bool:
        """Whether files that are read into settings leave what stands there under a name as it is: the
        project has such files, which set several of the others, and none sets it."""
        index = self._modules.index
        if not any(map(self._is_said, MERGES_SETTINGS)):
            return True
        others = sorted(set(_STORED.findall(made.point.frame.module.text)) - {name})
        return bool(others) and index.is_configured(*others, least=_SEVERAL) and not index.is_configured(name)

    def _is_said(self, word: str) -> bool:
        """Whether some file has a word on a line that is no comment, and not of the object's own."""
        known = self._said.get(word)
        if known is None:
            said = rb"(?<!\bself\.)" + re.escape(word.encode())
            line = re.compile(rb"^(?![ \t]*#).*" + said, re.MULTILINE)
            index = self._modules.index
            known = self._said[word] = any(line.search(index.data(file)) for file in index.mentioning(word))
        return known

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

    def _is_listed(self, name: str) -> bool:
        """Whether some file sets it in a list of names and values: ``merge_from_list(["A.WORKERS", 4])``."""
        lists = re.compile(rf"""merge_from_list\([^()]{{0,999}}["'](?:\w+\.)*{re.escape(name)}["']""")
        return any(map(lists.search, self._modules.index.texts(name)))

    def may_be_below(self, attribute: str, name: str) -> bool:
        """Whether some file may store under a key of what an attribute holds: ``self.cfg["workers"] = 4``,
        ``self.cfg.update(given)``."""
        mark = (attribute, name)
        known = self._below.get(mark)
        if known is None:
            stores = re.compile(
                rf"""\.{re.escape(attribute)}\s*(?:\[\s*["']{re.escape(name)}["']\s*\]\s*(?:=(?!=)|[-+*/|]=)"""
                r"""|\[\s*[^"'\s\]][^\]\n]{0,300}\]\s*=(?!=)|\.(?:update|pop|setdefault|clear)\()"""
            )
            texts = self._modules.index.texts(attribute)
            known = self._below[mark] = any(map(stores.search, texts))
        return known

    def _are_called_so(self) -> bool:
        """Whether something is changed so that is called like settings."""
        for text in (text for word in CHANGES_BY_WORDS for text in self._modules.index.texts(word)):
            spend(len(text) // 100)
            for found in _CHANGED.finditer(text):
                if any(map(sounds_like_settings, (found[1] or found[2]).split("."))):
                    return True
        return False
