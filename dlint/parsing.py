"""Source text as a syntax tree, whatever way the parser gives up."""

from __future__ import annotations

import ast
import re
import warnings

from dlint.files import SourceError

_PYTHON_2 = re.compile(
    r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be parenthesized"
    r"|leading zeros in decimal integer literals"
)


def parse(text: str) -> ast.Module:
    """The syntax tree; SourceError whatever way the parser gives up. Warnings about the code are silent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        message = error.msg or "invalid syntax"
        if _PYTHON_2.search(message):
            raise SourceError(f"Python 2 code, which is not checked: {message}", error.lineno) from None
        raise SourceError(f"syntax error: {message}", error.lineno) from None
    except (RecursionError, MemoryError):
        raise SourceError("nested too deeply to be parsed") from None
    except ValueError as error:  # NUL characters, numbers with too many digits, lone surrogates
        raise SourceError(f"cannot be parsed: {error}") from None
