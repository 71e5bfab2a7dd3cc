"""A name of another module of the project, in a file: imported as the file's own imports show how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.helpers import get_full_name_for_node

from dlint.program.program import Program
from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.pieces.unused import mentions_in
from dlint.rewriting.source import Source

_INIT = "/__init__.py"


def imported(source: Source, edits: Edits, program: Program, home: str, name: str) -> str | None:
    """What stands for ``name`` of the file ``home`` (a relative path) in this file, once it is imported.

    None where the file's imports do not show how: they must bring ``home`` already, and unconditionally, so
    that nothing is imported which was not before.
    """
    mine = source.surroundings.relative(source.path)
    if home not in program.boundaries.imports(mine) or mine in program.boundaries.imports(home):
        return None
    lines = list(lines_of_head(source))
    for _, small in lines:
        found = _in_hand(program, mine, small, home, name)
        if found is not None:
            return found
    if any(True for _ in mentions_in(source, source.module, name)):
        return None
    if _comes_with_star(program, mine, lines, home, name):
        return name
    for line, small in lines:
        if isinstance(small, cst.ImportFrom) and _file_of(program, mine, small) == home:
            add_name(source, edits, line, small, name)
            return name
    for line, small in lines:
        for spelled in _spellings(program, mine, small, home):
            if _file_of(program, mine, new := _from(spelled, name)) == home:
                added = cst.SimpleStatementLine([new])
                edits.insert_after(line, [added], key=("import", home, name))
                return name
    return None


def lines_of_head(source: Source) -> Iterator[tuple[cst.SimpleStatementLine, cst.Import | cst.ImportFrom]]:
    """The imports of the file's import block that stand alone on their line, and on no condition."""
    body = source.module.body
    for line in body[: header.end_of_imports(body)]:
        if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            small = line.body[0]
            if isinstance(small, cst.Import | cst.ImportFrom):
                yield line, small


def _file_of(program: Program, mine: str, statement: cst.ImportFrom) -> str | None:
    """The file, or the folder of a package without ``__init__.py``, that names are imported from."""
    imports = program.modules.imports
    module = get_full_name_for_node(statement.module) if statement.module is not None else None
    if statement.relative:
        return imports.relative(len(statement.relative), module, mine)
    return imports.absolute(module, mine) if module is not None else None


def _in_hand(
    program: Program, mine: str, statement: cst.Import | cst.ImportFrom, home: str, name: str
) -> str | None:
    """What stands for the name where the file has it already, itself or with its module."""
    if isinstance(statement, cst.Import):
        for alias in statement.names:
            if program.modules.imports.absolute(alias.evaluated_name, mine) == home:
                return f"{alias.evaluated_alias or alias.evaluated_name}.{name}"
        return None
    base = _file_of(program, mine, statement)
    if base is None or isinstance(statement.names, cst.ImportStar):
        return None
    for alias in statement.names:
        bound = alias.evaluated_alias or alias.evaluated_name
        if base == home and alias.evaluated_name == name:
            return bound
        is_package = base.endswith(_INIT) or not base.endswith(".py")
        if is_package and program.modules.imports.child(base, alias.evaluated_name) == home:
            return f"{bound}.{name}"
    return None


def _comes_with_star(
    program: Program,
    mine: str,
    lines: Sequence[tuple[cst.SimpleStatementLine, cst.Import | cst.ImportFrom]],
    home: str,
    name: str,
) -> bool:
    """Whether ``from home import *`` brings the name, and no other star does that comes after it."""
    index = program.modules.index
    if name.startswith("_") or home in index.naming("__all__"):
        return False
    stars = [
        _file_of(program, mine, small)
        for _, small in lines
        if isinstance(small, cst.ImportFrom) and isinstance(small.names, cst.ImportStar)
    ]
    if home not in stars:
        return False
    last = len(stars) - 1 - stars[::-1].index(home)
    return all(each is not None and each not in index.naming(name) for each in stars[last + 1 :])


def _spellings(
    program: Program, mine: str, statement: cst.Import | cst.ImportFrom, home: str
) -> Iterator[str]:
    """How the module would be called after the statement's example: as one of the package that it imports
    from, or as a neighbour of the module that it imports from."""
    if not isinstance(statement, cst.ImportFrom):
        return
    base = _file_of(program, mine, statement)
    if base is None:
        return
    dots = "." * len(statement.relative)
    module = (get_full_name_for_node(statement.module) if statement.module is not None else None) or ""
    folder = base.removesuffix(_INIT) if base.endswith(_INIT) else base.rpartition("/")[0]
    if not base.endswith(".py"):
        folder = base
    inside = home.removeprefix(f"{folder}/" if folder else "").removesuffix(".py").removesuffix("/__init__")
    if folder and not home.startswith(f"{folder}/"):
        return
    below = inside.replace("/", ".")
    if base.endswith(_INIT) or not base.endswith(".py"):
        yield f"{dots}{module}.{below}" if module else f"{dots}{below}"
    else:
        package = module.rpartition(".")[0]
        yield f"{dots}{package}.{below}" if package else f"{dots}{below}"


def _from(spelled: str, name: str) -> cst.ImportFrom:
    new = statements.small(f"from {spelled} import {name}")
    assert isinstance(new, cst.ImportFrom)
    return new


def add_name(
    source: Source, edits: Edits, line: cst.SimpleStatementLine, statement: cst.ImportFrom, name: str
) -> None:
    """Import one more name with a statement, where its order has it; on a line of its own where that would
    grow too long."""
    key = ("import", name)
    (first, _), (last, end) = source.range(statement)
    too_long = first == last and end + len(f", {name}") > limit_of(source).columns
    if isinstance(statement.names, cst.ImportStar) or too_long:
        module = source.code(statement).removeprefix("from").partition("import")[0].strip()
        edits.insert_after(line, [cst.SimpleStatementLine([_from(module, name)])], key=key)
        return
    names = list(statement.names)
    known = [alias.evaluated_name for alias in names]
    at = len(names)
    if known == sorted(known) or known == sorted(known, key=_isort_key):
        after = [_isort_key(each) > _isort_key(name) for each in known]
        at = after.index(True) if True in after else at

    def change(node: cst.ImportFrom) -> cst.ImportFrom:
        assert not isinstance(node.names, cst.ImportStar)
        names = list(node.names)
        new = cst.ImportAlias(cst.Name(name))
        if at < len(names):
            comma = names[at].comma
            between = comma if isinstance(comma, cst.Comma) and at + 1 < len(names) else _comma(names)
            names.insert(at, new.with_changes(comma=between))
        else:
            names = [*names[:-1], names[-1].with_changes(comma=_comma(names))]
            names.append(new.with_changes(comma=statement_comma(node)))
        return node.with_changes(names=names)

    def statement_comma(node: cst.ImportFrom) -> cst.Comma | cst.MaybeSentinel:
        assert not isinstance(node.names, cst.ImportStar)
        return node.names[-1].comma

    edits.change(statement, change, key=key)


def _comma(names: list[cst.ImportAlias]) -> cst.Comma:
    """What stands between two of the names."""
    between = [alias.comma for alias in names[:-1] if isinstance(alias.comma, cst.Comma)]
    return between[-1] if between else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _isort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)
