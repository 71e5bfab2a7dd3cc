"""An edited program of a notebook put back into its cells; all else stays as it was, byte for byte: outputs,
metadata, magics, how the JSON is laid out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

import libcst as cst

from dlint.rewriting import header, json_text
from dlint.rewriting.json_text import Part
from dlint.rewriting.refusal import CannotRepair
from dlint.source.notebooks import Cell, Notebook, read_notebook
from dlint.source.reading import SourceError
from dlint.source.trees.parsing import parse

_WORD = re.compile(r"[^\W\d]\w*")
_IMPORT = re.compile(r"\s*(?:import|from)\s")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_END = re.compile(r"\r\n|\r|\n")
# A character that JSON can say as it is, said in ASCII.
_ESCAPED = re.compile(r"\\u(?!00[01])[0-9a-fA-F]{4}")
# What the others define is not there for the cells behind them.
_KEEPING = frozenset((None, "time", "capture"))


class _Line(NamedTuple):
    """A line of an edited cell, and which of the cell's it was."""

    text: str
    old: int | None


def with_program(data: bytes, after: str) -> bytes:
    """The notebook ``data`` with the text ``after`` for a program. Raises CannotRepair where no cell can hold
    what has changed."""
    try:
        notebook = read_notebook(data)
    except SourceError as error:
        raise CannotRepair(error.message) from error
    if notebook.text == after:
        return data
    if notebook.broken:
        cell, why = notebook.broken[0]
        raise CannotRepair(f"cell {cell} cannot be checked, and may need what would change: {why.message}")
    _keep_what_magics_name(notebook, after)
    edited = _edited(notebook, after)
    new = _written(data.decode(), edited).encode()
    try:
        there = read_notebook(new)
        for each in there.cells:
            if each.number in edited:  # together with its neighbours it may parse all the same
                parse("\n".join([*each.program, ""]))
    except SourceError as error:
        raise CannotRepair(f"the change does not fit into cells: {error.message}") from error
    if _said(there.text) != _said(after):
        raise CannotRepair("the change does not fit into cells")
    return new


def _said(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _keep_what_magics_name(notebook: Notebook, after: str) -> None:
    """Raises CannotRepair where a name would go that a line for IPython alone speaks of."""
    gone = set(_WORD.findall(notebook.text)) - set(_WORD.findall(after))
    for cell in notebook.cells if gone else ():
        for line, program in zip(cell.lines, cell.program, strict=True):
            named = gone.intersection(_WORD.findall(line)) if line.strip() != program.strip() else set()
            if named:
                raise CannotRepair(
                    f"{min(named)} would go, of which cell {cell.number} speaks: {line.strip()}"
                )


def _edited(notebook: Notebook, after: str) -> dict[int, tuple[Cell, list[_Line]]]:
    """The new lines of the cells that change."""
    old, new = notebook.text.split("\n"), after.split("\n")
    cells = {
        at: [_Line(line, number) for number, line in enumerate(cell.lines)]
        for at, cell in enumerate(notebook.cells)
    }
    changed: set[int] = set()
    blocks = list(_blocks(old, new))
    for first, last, begin, end in reversed(blocks):
        lines = new[begin:end]
        if not any(line.strip() for line in (*old[first:last], *lines)):
            continue  # blank lines between cells, which need none
        elsewhere = {at: new[k:m] for at, _, k, m in blocks if k != begin}
        at, start, stop = _place(notebook, old, first, last, lines, elsewhere)
        cell = notebook.cells[at]
        _refuse_magics(cell, start, stop)
        here = cells[at]
        # Magics, of which the program has blank lines, may stand between the lines and their place.
        passed = notebook.starts[at] - 1 + start - first
        lines = [*([""] if passed < 0 else []), *lines, *([""] if passed > 0 else [])]
        code = _edges(cell.program)
        lines = _trimmed(lines, at_start=start <= code.start, at_end=stop >= code.stop)
        here[start:stop] = [_Line(cell.indent + line if line.strip() else line, None) for line in lines]
        changed.add(at)
    return {notebook.cells[at].number: (notebook.cells[at], cells[at]) for at in sorted(changed)}


def _place(
    notebook: Notebook,
    old: list[str],
    first: int,
    last: int,
    lines: list[str],
    elsewhere: dict[int, list[str]],
) -> tuple[int, int, int]:
    """In which cell lines of the program give way to others, and which lines of the cell those are.
    ``elsewhere``: the other lines that are new, by where they go."""
    spans = [
        _Span(at, start - 1, *_edges_at(start - 1, cell.program))
        for at, (start, cell) in enumerate(zip(notebook.starts, notebook.cells, strict=True))
        if _holds(cell)
    ]
    if first < last:
        span = next((each for each in spans if each.first <= first and last <= each.last), None)
    else:
        span = next((each for each in spans if each.first < first < each.last), None)
        before = [each for each in spans if each.last <= first]
        behind = [each for each in spans if first <= each.first]
        # What begins with a blank line stands apart from what is above it.
        is_close = not _is_blank(lines[0]) and not _is_blank(old[first - 1])
        if span is None and behind and _gives_names(notebook, lines, elsewhere, behind[0]):
            span = behind[0]
            first = last = span.first
        elif (
            span is None
            and before
            and (is_close or not behind or _ends_in_imports(notebook.cells[before[-1].at]))
        ):
            span = before[-1]
            first = last = span.last
        elif span is None and behind:
            span = behind[0]
            first = last = span.first
    if span is None:
        raise CannotRepair("the change goes beyond one cell")
    return span.at, first - span.start, last - span.start


class _Span(NamedTuple):
    """The lines of the program that are a cell's: its start, and those from the first to the last (exclusive)
    that say something."""

    at: int
    start: int
    first: int
    last: int


def _gives_names(notebook: Notebook, lines: list[str], elsewhere: dict[int, list[str]], cell: _Span) -> bool:
    """Whether lines give a name that the program has not had, and that of all cells only this one speaks of:
    an iterator, for the loop that the cell begins with."""
    said = set(_WORD.findall("\n".join(lines))).difference(_WORD.findall(notebook.text))
    if not said or any(_IMPORT.match(line) for line in lines):
        return False
    there = {at for at, others in elsewhere.items() if said.intersection(_WORD.findall("\n".join(others)))}
    return bool(there) and all(cell.first <= at < cell.last for at in there)


def _edges_at(start: int, lines: list[str]) -> tuple[int, int]:
    said = _edges(lines)
    return start + said.start, start + said.stop


def _blocks(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Which lines give way to which: of as many, one to one, as neighbours may lie in different cells. Blank
    lines are no landmarks, and those at the ends belong to no cell."""
    here, there = _edges(old), _edges(new)
    matcher = SequenceMatcher(_is_blank, old[here], new[there], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        first, last, begin, end = i + here.start, j + here.start, k + there.start, m + there.start
        if tag == "replace" and last - first == end - begin:
            yield from ((first + n, first + n + 1, begin + n, begin + n + 1) for n in range(last - first))
        elif tag != "equal":
            yield first, last, begin, end


def _is_blank(line: str) -> bool:
    return not line.strip()


def _edges(lines: list[str]) -> slice:
    """From the first line that says something to the last."""
    said = [at for at, line in enumerate(lines) if not _is_blank(line)]
    return slice(said[0], said[-1] + 1) if said else slice(0, 0)


def _holds(cell: Cell) -> bool:
    """Whether a cell can hold code of the program."""
    return cell.magic in _KEEPING and any(line.strip() for line in cell.program)


def _ends_in_imports(cell: Cell) -> bool:
    """Whether a cell has imports last, and lines after them at most that set libraries up."""
    body = list(cst.parse_module("\n".join(cell.program)).body)
    while body and header.sets_up(body[-1]):
        body.pop()
    return bool(body) and header.is_import(body[-1])


def _refuse_magics(cell: Cell, start: int, stop: int) -> None:
    for line, program in zip(cell.lines[start:stop], cell.program[start:stop], strict=True):
        if line.removeprefix(cell.indent) != program:
            raise CannotRepair(f"a line of cell {cell.number} that only IPython understands would change")


def _trimmed(lines: list[str], *, at_start: bool, at_end: bool) -> list[str]:
    """The lines without blank ones that would begin or end the cell."""
    first, last = 0, len(lines)
    while at_start and first < last and not lines[first].strip():
        first += 1
    while at_end and first < last and not lines[last - 1].strip():
        last -= 1
    return lines[first:last]


def _written(text: str, edited: dict[int, tuple[Cell, list[_Line]]]) -> str:
    """The notebook's JSON with other sources in some cells."""
    cells = json_text.elements(text, json_text.members(text, json_text.first(text))["cells"].start)
    ascii_only = text.isascii() and _ESCAPED.search(text) is not None
    for number, (cell, lines) in sorted(edited.items(), reverse=True):
        source = json_text.members(text, cells[number - 1].start)["source"]
        text = text[: source.start] + _source(text, source, cell, lines, ascii_only) + text[source.end :]
    return text


def _source(text: str, where: Part, cell: Cell, lines: list[_Line], ascii_only: bool) -> str:
    """The new value of a cell's source, laid out as the old one."""
    held = json.loads(text[where.start : where.end])
    if isinstance(held, list) and not all(isinstance(part, str) for part in held):
        raise CannotRepair(f"the source of cell {cell.number} is not one that Jupyter writes")
    whole = "".join(held) if isinstance(held, list) else held
    ended = _WITH_END.findall(whole)
    end = _END.search(whole)
    line_end = end[0] if end is not None else "\n"
    new: list[tuple[str, int | None]] = []
    for at, line in enumerate(lines):
        known = ended[line.old] if line.old is not None and line.old < len(ended) else None
        is_last = at == len(lines) - 1
        ends = "" if is_last else line_end
        stays = known is not None and known.rstrip("\r\n") == line.text
        if known is not None and stays and bool(ends) == known.endswith(("\r", "\n")):
            new.append((known, line.old))
        elif line.text or ends:
            new.append((line.text + ends, None))
    if not isinstance(held, list):
        return json.dumps("".join(line for line, _ in new), ensure_ascii=ascii_only)
    parts = json_text.elements(text, where.start)
    by_line = held == ended
    raw = [
        text[parts[old].start : parts[old].end]
        if by_line and old is not None
        else json.dumps(line, ensure_ascii=ascii_only)
        for line, old in new
    ]
    if not raw:
        return "[]"
    opening = text[where.start : parts[0].start]
    between = text[parts[0].end : parts[1].start] if len(parts) > 1 else "," + opening[1:]
    return opening + between.join(raw) + text[parts[-1].end : where.end]
