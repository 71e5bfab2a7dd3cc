"""A Jupyter notebook as one program: its code cells in a row, and which line stands in which cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from dlint.regex import regex
from dlint.source.reading import MAX_BYTES, SourceError
from dlint.source.trees.parsing import parse

SUFFIX = ".ipynb"
# Nothing in the first cell counts as a coding line: the text is UTF-8.
_HEAD = ["", ""]
_LINE_END = regex(r"\r\n|\r|\n")
# Their body is run as a part of the program. That of others is another language, another process or a file.
_PYTHON_CELLS = frozenset(("capture", "time", "timeit", "prun", "debug"))
_CELL_MAGIC = regex(r"%%(\w*)")
_MAGIC = regex(r"[ \t]*(?:[%!?]|[\w.*]*[\w*]\?\??[ \t]*$)")
_TARGETS = regex(r"[\w.,* \t\[\]()]+")
_GIVES = regex(r"[ \t]*(?:!|%[ \t]*[A-Za-z])")
# What IPython itself puts there: nobody knows what comes of it.
_UNKNOWN = "get_ipython()"
_PIECE = regex(r"""\#.*|(?P<quote>\"{3}|'{3}|["'])|(?P<open>[(\[{])|(?P<close>[)\]}])""")


class Place(NamedTuple):
    """A line of a notebook: the cell, among all cells from 1, and the line in it, from 1."""

    cell: int
    line: int


class Cell(NamedTuple):
    """A code cell: its number among all cells from 1, its lines as they stand there, and as Python reads
    them. ``indent`` is what IPython takes off the lines; ``magic`` the name of the cell's magic."""

    number: int
    lines: list[str]
    program: list[str]
    indent: str = ""
    magic: str | None = None


class Notebook:
    """The program of a notebook, and where its lines stand.

    ``cells`` are those of its text, one after the other; ``broken`` those that do not parse, which are no
    part of it.
    """

    def __init__(self, cells: list[Cell], broken: list[tuple[int, SourceError]]) -> None:
        self.cells = cells
        self.broken = broken
        lines = list(_HEAD)
        self.starts: list[int] = []  # the first line of each cell
        for cell in cells:
            self.starts.append(len(lines) + 1)
            lines += cell.program
        self.text = "\n".join([*lines, ""])

    def place(self, line: int) -> Place:
        """Where a line of the text stands; both count from 1."""
        at = bisect_right(self.starts, line) - 1
        return Place(self.cells[at].number, line - self.starts[at] + 1) if at >= 0 else Place(1, 1)

    def indentation(self, line: int) -> int:
        """How many characters IPython takes off the start of what is a line of the text."""
        at = bisect_right(self.starts, line) - 1
        if at < 0 or not (indent := self.cells[at].indent):
            return 0
        own = self.cells[at].lines[line - self.starts[at] :][:1]
        return len(indent) if own and own[0].startswith(indent) else 0

    def line(self, cell: int, line: int) -> int:
        """The line of the text that a line of a cell is; 1 where there is no such cell."""
        numbers = [each.number for each in self.cells]
        return self.starts[numbers.index(cell)] + line - 1 if cell in numbers else 1


def is_notebook(path: PurePath | str) -> bool:
    """Whether a file is one by its name."""
    return str(path).endswith(SUFFIX)


def program_of(path: PurePath | str, data: bytes) -> bytes:
    """The bytes of a file as the analysis reads them: those of a notebook are its program's."""
    return read_notebook(data).text.encode() if is_notebook(path) else data


def read_notebook(data: bytes) -> Notebook:
    """The program of a notebook; SourceError where there is none to be had."""
    cells = [
        _without_magics(number, _LINE_END.split(text))
        for number, text in enumerate(_sources(_document(data)), start=1)
        if text is not None
    ]
    notebook = Notebook(cells, [])
    try:
        parse(notebook.text)
    except SourceError:
        return _without_broken(cells)
    return notebook


def python_of(data: bytes) -> str | None:
    """The Python that a notebook was last run with, where it says so; SourceError where it is no notebook."""
    metadata = _document(data).get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    version = info.get("version") if isinstance(info, dict) else None
    return version if isinstance(version, str) else None


def cell_texts(data: bytes) -> list[str]:
    """What stands in each cell of a notebook, nothing for one that holds no code; SourceError where it is no
    notebook."""
    return [text or "" for text in _sources(_document(data))]


def cell_lines(data: bytes, cell: int) -> list[str]:
    """The lines of a cell as they stand in the notebook, none where it has gone."""
    texts = cell_texts(data)
    return _LINE_END.split(texts[cell - 1]) if 0 < cell <= len(texts) else []


def _without_broken(cells: list[Cell]) -> Notebook:
    """The program of those cells that parse by themselves."""
    good: list[Cell] = []
    broken: list[tuple[int, SourceError]] = []
    for cell in cells:
        try:
            parse("\n".join([*cell.program, ""]))
        except SourceError as error:
            broken.append((cell.number, error))
        else:
            good.append(cell)
    return Notebook(good, broken)


def _document(data: bytes) -> dict[str, Any]:
    """A notebook of Python in the format that is in use."""
    import json  # most programs have no notebook

    if len(data) > MAX_BYTES:
        raise SourceError(f"too large to be checked: the limit is {MAX_BYTES / 1e6:.0f} MB")
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SourceError(f"not valid UTF-8: byte 0x{data[error.start]:02x}") from None
    except json.JSONDecodeError as error:
        raise SourceError(f"not a notebook, which is JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError):  # numbers with too many digits
        raise SourceError("not a notebook: its JSON cannot be read") from None
    if not isinstance(document, dict) or not isinstance(document.get("nbformat", 4), int):
        raise SourceError("not a notebook: it has no cells")
    if document.get("nbformat", 4) < 4:
        raise SourceError("a notebook of an old format; `jupyter nbconvert --to notebook` makes it a new one")
    if not isinstance(document.get("cells"), list):
        raise SourceError("not a notebook: it has no cells")
    language = _language(document.get("metadata"))
    if language not in ("python", "ipython", None):
        raise SourceError("a notebook of another language than Python")
    return document


def _language(metadata: Any) -> str | None:
    if not isinstance(metadata, dict):
        return None
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        info = metadata.get(key)
        if isinstance(info, dict) and isinstance(info.get(name), str):
            language: str = info[name]
            return language.lower()
    return None


def _sources(document: dict[str, Any]) -> Iterator[str | None]:
    """The source of each cell in turn, None of one that holds no code."""
    for cell in document["cells"]:
        code = isinstance(cell, dict) and cell.get("cell_type") == "code"
        source = cell.get("source") if code else None
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        yield source if isinstance(source, str) else None


def _without_magics(number: int, own: list[str]) -> Cell:
    """A cell in which what only IPython understands gives way, line for line, to what says nothing."""
    first = next((at for at, line in enumerate(own) if line.strip()), 0)
    # IPython takes the indentation of the first line off all lines.
    space = own[first][: len(own[first]) - len(own[first].lstrip())]
    lines = [line.removeprefix(space) for line in own]
    magic = _CELL_MAGIC.match(lines[first])
    name = magic[1] if magic is not None else None
    if name is not None:
        if name not in _PYTHON_CELLS:
            return Cell(number, own, [""] * len(lines), space, name)
        lines = [*lines[:first], "", *lines[first + 1 :]]
    found: list[str] = []
    state = _Continued()
    goes_on = False  # a magic whose line ends in a backslash
    for line in lines:
        if goes_on:
            goes_on = line.endswith("\\")
            found.append("")
            continue
        instead = None if state else _instead(line)
        if instead is None:
            state.read(line)
            found.append(line)
        else:
            goes_on = line.endswith("\\")
            found.append(instead)
    return Cell(number, own, found, space, name)


def _instead(line: str) -> str | None:
    """What stands for a line that only IPython understands, None for another."""
    if _MAGIC.match(line):
        return line[: len(line) - len(line.lstrip())] + "pass"
    targets, _, given = line.partition("=")
    if _GIVES.match(given) and _TARGETS.fullmatch(targets):
        return f"{targets}= {_UNKNOWN}"
    return None


class _Continued:
    """Whether the next line goes on with what the lines before began: a string, brackets, a backslash."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._joined = False

    def __bool__(self) -> bool:
        return bool(self._quote) or self._depth > 0 or self._joined

    def read(self, line: str) -> None:
        """Takes one line into account."""
        at = 0
        comment = False
        while at < len(line):
            if self._quote:
                end = _end_of_string(line, at, self._quote)
                if end < 0:
                    break
                at, self._quote = end, ""
                continue
            piece = _PIECE.search(line, at)
            if piece is None:
                break
            at = piece.end()
            comment = piece[0].startswith("#")
            self._quote = piece["quote"] or ""
            self._depth = max(0, self._depth + bool(piece["open"]) - bool(piece["close"]))
        self._joined = line.endswith("\\") and not comment
        if len(self._quote) == 1 and not self._joined:
            self._quote = ""


def _end_of_string(line: str, at: int, quote: str) -> int:
    """Where a string ends that is open at a place of a line, -1 where it does not."""
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return -1
