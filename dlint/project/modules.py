"""The modules of a program, parsed when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.budget.accounts import by_file
from dlint.project.imported_from import ImportedFrom
from dlint.project.imports import Imports
from dlint.project.index.index import Index
from dlint.project.search_path import SearchPath
from dlint.source.desugaring.plain import made_plain
from dlint.source.module import Module
from dlint.source.reading import SourceError, decode
from dlint.source.trees.compact import made_compact
from dlint.source.trees.parsing import parse
from dlint.values.frame import Frame


class Modules:
    """All files of an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.imports = Imports(index.paths, SearchPath(index).has, ImportedFrom(index).has)
        self._modules: dict[str, Module | None] = {}
        self._frames: dict[int, Frame] = {}

    def get(self, relative: str) -> Module | None:
        """The module of a file, None when it cannot be read or parsed."""
        if relative not in self._modules:
            module: Module | None = None
            path = self.index.paths.get(relative)
            if path is not None:
                try:
                    text = decode(self.index.data(relative))
                    module = Module(path, relative, text, made_plain(made_compact(parse(text)), text))
                except SourceError:
                    module = None
            self._modules[relative] = module
        return self._modules[relative]

    def has(self, relative: str) -> bool:
        """Whether a file has been parsed already."""
        return self._modules.get(relative) is not None

    def let_go(self) -> None:
        """Forgets all trees."""
        self._modules.clear()
        self._frames.clear()

    @property
    def count(self) -> int:
        """How many files have been asked for."""
        return len(self._modules)

    @property
    def parsed(self) -> set[str]:
        """The absolute paths of the files that were asked for and did parse."""
        return {str(module.path) for module in self._modules.values() if module is not None}

    def frame(self, module: Module) -> Frame:
        """The frame of a module's own body."""
        frame = self._frames.get(id(module))
        if frame is None:
            frame = self._frames[id(module)] = Frame(module, module.tree)
        return frame

    def deriving(self, name: str) -> Iterator[Module]:
        """The parsed modules in which the bases of some class name a class."""
        return self.each(self.index.deriving(name))

    def naming(self, word: str) -> Iterator[Module]:
        """The parsed modules in which an identifier stands."""
        return self.each(self.index.naming(word))

    def mentioning(self, word: str) -> Iterator[Module]:
        """The parsed modules that mention a word."""
        return self.each(self.index.mentioning(word))

    def each(self, files: Iterable[str]) -> Iterator[Module]:
        """The modules of those files that parse; what is done with each is booked to it."""
        for relative in by_file(files, str):
            module = self.get(relative)
            if module is not None:
                yield module
