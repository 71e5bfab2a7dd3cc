"""Source text as a syntax tree, whatever way the parser gives up, and no deeper than what reads it can go."""

from __future__ import annotations

import ast
import re
import warnings
from itertools import accumulate, islice

from dlint.regex import regex
from dlint.source.reading import SourceError

_PYTHON_2 = regex(
    r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be parenthesized"
    r"|leading zeros in decimal integer literals"
)
# A token makes about half a kilobyte of tree. What has more of them than this is data.
_MOST_TOKENS = 1_000_000
_TOKEN = regex(r"\w+|[^\w\s]")
# Expressions inside expressions, and statements inside statements (a chain of elif is one in another). People
# write a tenth of it.
_DEEPEST = 200
# Each of these takes an expression at most two levels down; so does each of two words.
_GOES_DOWN = dict.fromkeys(map(ord, "+-*/%@&|^~<>.,:=([{"))
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_PLAIN = frozenset(
    {ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Import, ast.ImportFrom}
)


def parse(text: str) -> ast.Module:
    """The syntax tree; SourceError whatever way the parser gives up. Warnings about the code are silent.

    In place of what stands deeper in an expression than anybody writes there is an `ast.Await` of nothing,
    which stands for something that nobody knows.
    """
    if len(text) > _MOST_TOKENS and next(islice(_TOKEN.finditer(text), _MOST_TOKENS, None), None) is not None:
        raise SourceError(f"too large to be checked: more than {_MOST_TOKENS:,} words and signs")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        message = error.msg or "invalid syntax"
        if _PYTHON_2.search(message):
            raise SourceError(f"Python 2 code, which is not checked: {message}", error.lineno) from None
        raise SourceError(f"syntax error: {message}", error.lineno) from None
    except (RecursionError, MemoryError):
        raise SourceError("nested too deeply to be parsed") from None
    except ValueError as error:  # NUL characters, numbers with too many digits, lone surrogates
        raise SourceError(f"cannot be parsed: {error}") from None
    _make_shallow(tree, text)
    return tree


def is_deep(text: str) -> bool:
    """Whether something in the text stands deeper than anybody writes. No where it is no Python."""
    try:
        return _make_shallow(ast.parse(text), text)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError, SourceError):
        return True


def _make_shallow(tree: ast.Module, text: str) -> bool:
    """Takes away what stands too deep. Statements are gone through one by one, of their expressions only
    those whose text has room for so much."""
    cut = False
    bytes_a_character = 1 if text.isascii() else 4
    starts = [0, *accumulate(map(len, _lines(text)))]
    waiting: list[tuple[list[ast.AST], int]] = [(list(tree.body), 0)]
    while waiting:
        block, depth = waiting.pop()
        if depth > _DEEPEST:
            raise SourceError("nested too deeply to be checked", getattr(block[0], "lineno", None))
        for node in block:
            if type(node) in _PLAIN:
                first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
            else:
                inner = [found for field in _BLOCKS if isinstance(found := getattr(node, field, None), list)]
                waiting += [(each, depth + 1) for each in inner if each]
                first, last = _extent(node, inner)
            start, end = starts[first - 1], starts[last]
            if first == last and type(node) in _PLAIN:
                # Of a line of many statements only this one; columns are in bytes, up to four a character.
                end = start + node.end_col_offset  # type: ignore[attr-defined]
                start += node.col_offset // bytes_a_character  # type: ignore[attr-defined]
            if end - start <= _DEEPEST or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            ):
                continue  # a docstring is long and flat
            if _ways_down(text[start:end]) > _DEEPEST // 2:
                cut = _cut(node) or cut
    return cut


def _lines(text: str) -> list[str]:
    """The lines as the parser counts them, with their ends: form feeds do not end one."""
    if "\r" in text:
        return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    return [line + "\n" for line in text.split("\n")]


def _extent(node: ast.AST, blocks: list[list[ast.AST]]) -> tuple[int, int]:
    """The lines on which a statement stands, without the blocks in it."""
    first: int = getattr(node, "lineno", 1)
    last: int = getattr(node, "end_lineno", None) or first
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        first = min(first, decorators[0].lineno)
    if isinstance(node, ast.match_case):
        first = last = node.pattern.lineno
    starts = [getattr(block[0], "lineno", first) for block in blocks if block]
    return first, max(first, min([last, *starts]))


def _ways_down(written: str) -> int:
    return len(written) - len(written.translate(_GOES_DOWN)) + written.count("if") + written.count("not")


def _cut(statement: ast.AST) -> bool:
    """Puts nothing in the place of what stands too deep in a statement's own expressions; whether it did."""
    cut = False
    level: list[ast.AST] = [statement]
    for depth in range(_DEEPEST + 1):
        below: list[ast.AST] = []
        for node in level:
            for field in node._fields:
                if node is statement and field in _BLOCKS and isinstance(getattr(node, field, None), list):
                    continue
                value = getattr(node, field, None)
                if isinstance(value, ast.AST):
                    if depth == _DEEPEST and isinstance(value, ast.expr):
                        setattr(node, field, _nothing(value))
                        cut = True
                    else:
                        below.append(value)
                elif isinstance(value, list):
                    for index, item in enumerate(value):
                        if depth == _DEEPEST and isinstance(item, ast.expr):
                            value[index] = _nothing(item)
                            cut = True
                        elif isinstance(item, ast.AST):
                            below.append(item)
        level = below
    return cut


def _nothing(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Await(ast.copy_location(ast.Constant(None), node)), node)
