"""Grep first, parse later: the files of a program, and which of them mention a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from dlint.budget.budget import spend
from dlint.knowledge.testing import is_script, is_test, may_be_script
from dlint.knowledge.words.reflection import BY_NAME
from dlint.project.configuration.configured import by_path, names
from dlint.project.index.roles import Roles
from dlint.project.index.words import Words
from dlint.regex import regex
from dlint.source.module import TYPE_PARAMETERS
from dlint.source.notebooks import program_of
from dlint.source.reading import SourceError, read_bytes

# Up to so many bytes of a program's text are kept; the rest is read again where the words do not say enough.
KEPT_BYTES = 16 * 1024 * 1024

_IMPORT = regex(  # not ^, which the search would try at every byte
    rb"\n[ \t]*(?:from|import)\b(?:[^\n(\\]+|\\(?:\r?\n)?)*(?:\([^)]*)?"  # more lines, after \ and in ( )
)
_RENAMED = regex(rb"\b(\w+) as (?=(\w+))")
_WORDS = regex(rb"[\w\x80-\xff]+")
_CHAIN = regex(rb"(?<![\w.])(\w+)(?:\s*\.\s*\w+)*\s*$")  # x and x.y, up to where the search ends
_CHAIN_BYTES = 100
# A property and those that remember what they gave, and the function below it.
_PROPERTY = regex(
    rb"^[ \t]*@(?:\w+\.)*\w{0,99}property\b[^\n]*\n(?:[ \t]*[@#][^\n]*\n){0,9}[ \t]*def (\w+)", re.MULTILINE
)
_KEY = regex(rb"(?<!\w)(\w+)[\"']?\s*[:=]")  # of a file of configuration
_BY_NAME = tuple(word.encode() for word in BY_NAME)


class Index:
    """The files below a root by relative posix path, and their bytes.

    A file that cannot be read counts as empty here; whoever is asked to check it reports why.
    """

    def __init__(self, root: Path, files: Iterable[Path], texts: Mapping[Path, bytes]) -> None:
        self.root = root
        self.paths: dict[str, Path] = {}
        self._kept: dict[str, bytes] = {}
        self._sizes: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        self._words = Words()
        self._answers: dict[str, tuple[str, ...]] = {}
        self._sets: dict[str, frozenset[str]] = {}
        self._taking: dict[tuple[str, str], bool] = {}
        self._asking: dict[tuple[str, bytes], bool] = {}
        self._import_lines: dict[str, bytes] = {}
        self._import_words: dict[str, frozenset[bytes]] = {}
        self._renames: dict[str, dict[bytes, set[bytes]]] = {}
        self._stores: dict[str, tuple[str, ...]] = {}
        self._tests: dict[str, bool] = {}
        self._makes_by_name: dict[str, bool] = {}
        # Found when somebody asks.
        self._configured: tuple[str, ...] | None = None
        self._configuration: dict[str, bytes] | None = None
        self._configuration_keys: list[frozenset[bytes]] | None = None
        self._properties: frozenset[str] | None = None
        self._texts = texts
        self._roles = Roles(self.data)
        room = KEPT_BYTES
        prefix = len(root.as_posix().rstrip("/")) + 1
        for path in files:
            relative = str(path)[prefix:].replace("\\", "/")
            self.paths[relative] = path
            data = texts.get(path) if texts else None
            if data is None:
                data = _read(path)
                room -= len(data)
                if room >= 0:
                    self._kept[relative] = data
            else:
                data = self._kept[relative] = _program(path, data)
            self._sizes[relative] = len(data)
            self._lines[relative] = data.count(b"\n") + 1
            self._words.add(relative, data)

    def data(self, relative: str) -> bytes:
        """The bytes of a file of the program."""
        kept = self._kept.get(relative)
        spend(1 + self._sizes[relative] // 1024)  # whoever asks for a text looks through it
        return _read(self.paths[relative]) if kept is None else kept

    def whole(self, relative: str) -> bytes:
        """The bytes of a file as it is, a notebook's too; SourceError where it cannot be read."""
        path = self.paths[relative]
        given = self._texts.get(path) if self._texts else None
        return read_bytes(path) if given is None else given

    def is_test(self, relative: str) -> bool:
        """Whether a file is a test: by its name, but for an evaluation that is called like one."""
        known = self._tests.get(relative)
        if known is None:
            known = is_test(relative) and not (
                relative in self.paths and may_be_script(relative) and is_script(self.data(relative))
            )
            self._tests[relative] = known
        return known

    def size(self, relative: str) -> int:
        """The length of a file in bytes."""
        return self._sizes[relative]

    def lines(self, relative: str) -> int:
        """The number of a file's lines."""
        return self._lines[relative]

    def mentioning(self, word: str) -> tuple[str, ...]:
        """The files in which a word stands (not necessarily as a whole word), in order."""
        answer = self._answers.get(word)
        if answer is None:
            needle = _bytes(word)
            found, sure = self._words.files_with(needle)
            answer = found if sure else tuple(relative for relative in found if needle in self.data(relative))
            self._answers[word] = answer
        return answer

    def naming(self, word: str) -> tuple[str, ...]:
        """The files in which an identifier stands as a word of its own, in order."""
        return self._words.files_with_word(_bytes(word), called=False)

    def calling(self, name: str, home: str, *, method: bool) -> list[str]:
        """The files that may call a function, or with ``method`` a method or class, which ``home`` defines.

        They write ``name(``. For a function they are that file, or mention a part of its path, as an import
        of it must, and have the name from elsewhere.
        """
        found = self._words.files_with_word(_bytes(name), called=True)
        return list(found) if method else self._of_home(found, name, home)

    def calls(self, relative: str, name: str) -> bool:
        """Whether ``name(`` stands in a file."""
        return self._words.stands(relative, _bytes(name))[1]

    def mentions(self, relative: str, name: str) -> bool:
        """Whether a name stands in a file where no parenthesis follows it at once."""
        return self._words.stands(relative, _bytes(name))[0]

    def knowing(self, name: str, home: str) -> list[str]:
        """The files that may hand on or keep a function which ``home`` defines: that file, and those that
        have it from there, by an import of it or of its module: a text or a variable that is called so is
        none."""
        word = _bytes(name)
        return [
            relative
            for relative in self._words.files_with_word(word, called=False)
            if self.may_mean(relative, name, home)
        ]

    def may_mean(self, relative: str, name: str, home: str) -> bool:
        """Whether a file that names something may mean what ``home`` defines: it is that file, or may have
        that from there."""
        return relative == home or (self.reaches(relative, home) and self._has(relative, _bytes(name)))

    def _has(self, relative: str, word: bytes) -> bool:
        """Whether a file imports what is called so, or all that a module has, asks an imported module for it,
        or may do so by its name as a text."""
        return (
            word in self._imported_words(relative)
            or b"*" in self._imports(relative)
            or self._may_make_by_name(relative)
            or self._asks(relative, word)
        )

    def _of_home(self, files: Iterable[str], name: str, home: str) -> list[str]:
        return [
            relative
            for relative in files
            if relative == home or (self.reaches(relative, home) and self._takes(relative, name))
        ]

    def renaming(self, name: str, home: str) -> list[tuple[str, str]]:
        """The files that import a function or class of ``home`` under another name, with that name."""
        word = _bytes(name)
        return [
            (relative, other.decode())
            for relative in self.naming(name)
            if self.reaches(relative, home)
            for other in sorted(self._other_names(relative).get(word, ()))
        ]

    def _other_names(self, relative: str) -> dict[bytes, set[bytes]]:
        """The other names that a file's import statements give, by the names that they take."""
        found = self._renames.get(relative)
        if found is None:
            found = self._renames[relative] = {}
            if b" as " in self.data(relative):
                for word, other in _RENAMED.findall(self._imports(relative)):
                    found.setdefault(word, set()).add(other)
        return found

    def reaches(self, relative: str, home: str) -> bool:
        """Whether a file mentions a part of another's path, as an import of it must."""
        return any(relative in self._set(part) for part in home[:-3].split("/") if part != "__init__")

    def _takes(self, relative: str, name: str) -> bool:
        """Whether a file that writes a name may mean what another file has under this name.

        It asks an imported module for it, imports all that a module has, or mentions the name itself where
        it is neither called nor defined: in an import, an assignment, a parameter.
        """
        known = self._taking.get((relative, name))
        if known is None:
            word = _bytes(name)
            alone, _ = self._words.stands(relative, word)
            known = (
                self._may_make_by_name(relative)
                or self._asks(relative, word)
                or ((alone or b"*" in self._imports(relative)) and self._has_from_elsewhere(relative, word))
            )
            self._taking[relative, name] = known
        return known

    def _may_make_by_name(self, relative: str) -> bool:
        known = self._makes_by_name.get(relative)
        if known is None:
            data = self.data(relative)
            known = self._makes_by_name[relative] = any(by_name in data for by_name in _BY_NAME)
        return known

    def _has_from_elsewhere(self, relative: str, word: bytes) -> bool:
        """Whether a file imports all of a module, or mentions a name that it does not call or define."""
        defines, mentions = _ways_to_mention(word)
        data = self.data(relative)
        if _matches(defines, data, b"def " + word):
            return False
        return b"*" in self._imports(relative) or _matches(mentions, data, word)

    def _asks(self, relative: str, word: bytes) -> bool:
        """Whether a file has ``x.name`` or ``x.y.name`` where an import binds x."""
        known = self._asking.get((relative, word))
        if known is None:
            data, imported = self.data(relative), self._imported_words(relative)
            known = self._asking[relative, word] = any(
                chain[1] in imported
                for dot in _dots_before(data, word)
                if (chain := _CHAIN.search(data, max(0, dot - _CHAIN_BYTES), dot))
            )
        return known

    def _set(self, word: str) -> frozenset[str]:
        known = self._sets.get(word)
        if known is None:
            known = self._sets[word] = frozenset(self.mentioning(word))
        return known

    def importing(self, stem: str) -> list[str]:
        """The files with an import statement that names a module by its last part (or imports all)."""
        word = _bytes(stem)
        return [relative for relative in self.naming(stem) if word in self._imported_words(relative)]

    def deriving(self, name: str) -> list[str]:
        """The files in which the bases of some class name a class."""
        word = _bytes(name)
        return [relative for relative in self.naming(name) if self._roles.is_base(relative, word)]

    def definitions(self, name: str) -> list[tuple[str, int]]:
        """The files that define functions or classes of a name, and how many of them."""
        word = _bytes(name)
        files = ((relative, self._roles.definitions(relative)) for relative in self.naming(name))
        return [(relative, defined[word]) for relative, defined in files if word in defined]

    def functions(self, relative: str) -> frozenset[bytes]:
        """The names of the functions and classes that a file defines."""
        return frozenset(self._roles.definitions(relative))

    def asking_for(self, name: str) -> list[str]:
        """The files that ask for an attribute by its name as a text: ``getattr(x, "name")``."""
        word = _bytes(name)
        return [relative for relative in self.naming(name) if self._roles.is_asked_for(relative, word)]

    def only_imports(self, relative: str, name: str) -> bool:
        """Whether a file names something in its import statements alone."""
        word = re.compile(rb"\b%b\b" % re.escape(_bytes(name)))
        return len(word.findall(self.data(relative))) == len(word.findall(self._imports(relative)))

    def only_exports(self, relative: str, name: str) -> bool:
        """Whether a file names something where it defines, imports or exports it (``__all__``) alone, and
        nothing is asked for it by its name."""
        word = re.escape(_bytes(name))
        if re.search(rb"\bgetattr\([^\n]{0,300},\s*['\"]%b['\"]" % word, self.data(relative)) is not None:
            return False
        export = rb"'%b'|\"%b\"|\bdef %b\b" % (word, word, word)
        mentions = len(re.findall(rb"\b%b\b" % word, self.data(relative)))
        elsewhere = len(re.findall(rb"\b%b\b" % word, self._imports(relative)))
        return mentions == elsewhere + len(re.findall(export, self.data(relative)))

    def _imports(self, relative: str) -> bytes:
        """A file's import statements, wherever they stand."""
        lines = self._import_lines.get(relative)
        if lines is None:
            lines = self._import_lines[relative] = b"".join(_IMPORT.findall(b"\n" + self.data(relative)))[1:]
        return lines

    def _imported_words(self, relative: str) -> frozenset[bytes]:
        """The words of a file's import statements."""
        words = self._import_words.get(relative)
        if words is None:
            words = self._import_words[relative] = frozenset(_WORDS.findall(self._imports(relative)))
        return words

    @property
    def configured(self) -> tuple[str, ...]:
        """The dotted names in the program's YAML, JSON and TOML files."""
        if self._configured is None:
            self._configured = names(self.root)
        return self._configured

    @property
    def configuration_files(self) -> dict[str, bytes]:
        """The texts of these files, by their path from the root."""
        if self._configuration is None:
            self._configuration = by_path(self.root)
        return self._configuration

    def is_configured(self, *names: str, least: int = 1) -> bool:
        """Whether one of these files has keys of these names, at ``least`` so many of them."""
        if self._configuration_keys is None:
            texts = self.configuration_files.values()
            self._configuration_keys = [frozenset(_KEY.findall(data)) for data in texts]
        wanted = {_bytes(name) for name in names}
        return any(len(wanted & keys) >= least for keys in self._configuration_keys)

    @property
    def properties(self) -> frozenset[str]:
        """The names of the program's properties: reading an attribute that is called so may run code."""
        if self._properties is None:
            texts = map(self.data, self.mentioning("property"))
            self._properties = frozenset(name.decode() for each in texts for name in _PROPERTY.findall(each))
        return self._properties

    def stored_elsewhere(self, attribute: str) -> bool:
        """Whether some code sets ``x.attribute`` on something that is not called self."""
        return bool(self.storing(attribute))

    def texts(self, word: str) -> Iterator[str]:
        """The text of each file that mentions a word, which no one need parse for that."""
        for relative in self.mentioning(word):
            yield self.data(relative).decode(errors="replace")

    def storing(self, attribute: str) -> tuple[str, ...]:
        """The files with such code."""
        answer = self._stores.get(attribute)
        if answer is None:
            needle = _bytes(attribute)
            answer = tuple(
                relative for relative in self.naming(attribute) if self._roles.is_stored(relative, needle)
            )
            self._stores[attribute] = answer
        return answer

    def stores_in(self, holder: str, attribute: str) -> bool:
        """Whether some code sets an attribute of what goes by a name (``Settings.workers = 0``)."""
        words = _bytes(holder), _bytes(attribute)
        return any(self._roles.is_stored_in(relative, *words) for relative in self.storing(attribute))


def as_base(name: str) -> bytes:
    """A pattern for the head of a class that has a name among its bases."""
    return rb"\bclass\s+\w+%b\((?:[^:c]|c(?!lass\b)){0,2000}?\b%b\b" % (
        TYPE_PARAMETERS.encode(),
        re.escape(_bytes(name)),
    )


@lru_cache(4096)
def _ways_to_mention(word: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """What defines a function at the top of a file, and what mentions it without calling or defining it."""
    escaped = re.escape(word)
    return (
        re.compile(rb"^def %b\b" % escaped, re.MULTILINE),
        re.compile(rb"(?<![\w.])(?<!def )(?<!class )%b\b(?!\()" % escaped),
    )


def _dots_before(data: bytes, word: bytes) -> Iterator[int]:
    """Where a dot stands before a word; finding the word as text first is ten times as fast as a pattern."""
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if not _is_of_word(data[end : end + 1]):
            before = at
            while data[before - 1 : before].isspace():
                before -= 1
            if data[before - 1 : before] == b".":
                yield before - 1
        at = data.find(word, end)


def _is_of_word(sign: bytes) -> bool:
    return sign.isalnum() or sign == b"_"


def _matches(pattern: re.Pattern[bytes], data: bytes, text: bytes) -> bool:
    """Whether a pattern matches where a text that it begins with stands: what comes before the text in the
    pattern only looks back, and would be tried at every byte."""
    at = data.find(text)
    while at >= 0:
        if pattern.match(data, at):
            return True
        at = data.find(text, at + 1)
    return False


def _bytes(text: str) -> bytes:
    """A word as it stands in files; a word taken from a file's name may hold what is no text."""
    return text.encode(errors="surrogateescape")


def _read(path: Path) -> bytes:
    try:
        return program_of(path, read_bytes(path))
    except SourceError:
        return b""


def _program(path: Path, data: bytes) -> bytes:
    try:
        return program_of(path, data)
    except SourceError:
        return b""
