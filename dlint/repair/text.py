"""What the text of an edited file must be, whatever the remedy."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterable

from dlint.rewriting.refusal import CannotRepair


def check_text(before: bytes, after: bytes, dropped: Iterable[str] = ()) -> None:
    """Raise CannotRepair unless ``after`` parses and has every comment of ``before``.

    ``dropped`` are the comments that the remedy took away because they spoke of what is gone.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(after)
        lost = _comments(before) - _comments(after) - Counter(dropped)
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError) as error:
        raise CannotRepair(f"the edited file would not parse: {error}") from error
    if lost:
        raise CannotRepair(f"the edit would lose a comment: {next(iter(lost))}")


def _comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)
