"""Options that a file declares with argparse's ``add_argument``, and what a line of words gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from dlint.source.module import Module
from dlint.source.statements import dotted, given_by_name, last_name

# What argparse makes of a word, where that can be told.
_TYPES: Final = {"int": int, "float": float, "str": str}
# What a flag is that nobody gives.
_FLAGS: Final[dict[object, bool]] = {"store_true": False, "store_false": True}
# Keywords beside which a word stands for more, or for something else, than the option's value.
_UNUSUAL = frozenset({"action", "nargs", "const", "choices"})
# What says whether, how often and in which call something is done.
_AROUND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.Try,
    ast.match_case,
)


class NotTold(Exception):
    """Nobody can tell what a line of words gives an option."""


def declarations(module: Module, name: str, parsed: ast.AST, scope: ast.AST) -> list[ast.Call]:
    """The calls of ``add_argument`` that declare the option which is kept under a name; of several those for
    the parser that a call in a scope parses with, where they stand in this scope too."""
    found = _declared(module).get(name, [])
    if len(found) > 1 and not isinstance(scope, ast.Module):
        parser = _receiver(parsed)
        own = [call for call, trail in found if scope in trail and _receiver(call) == parser is not None]
        if own:
            return own
    return [call for call, _ in found]


def _declared(module: Module) -> dict[str | None, list[tuple[ast.Call, list[ast.AST]]]]:
    """The calls of ``add_argument`` of a file by the name under which their option is kept."""
    known = module.options
    if known is None:
        known = module.options = {}
        for call, trail in _calls(module, "add_argument"):
            known.setdefault(_kept_as(call), []).append((call, trail))
    return known


def set_afterwards(module: Module, name: str) -> bool:
    """Whether a file gives an option another default than its declaration does, by ``set_defaults``."""
    return bool(_set_defaults(module, name))


def default_set(module: Module, declared: ast.Call) -> ast.expr | None:
    """The default that the function which declares an option surely gives it afterwards."""
    name = _kept_as(declared)
    found = _set_defaults(module, name) if name is not None else []
    if len(found) != 1 or found[0][0].arg is None:
        return None
    keyword, call, trail = found[0]
    if _receiver(call) != _receiver(declared) or call.lineno < declared.lineno:
        return None
    return keyword.value if _home(module, declared) == _around(trail) else None


def default_of(module: Module, declared: ast.Call) -> ast.expr | None:
    """The default of an option that takes a value, as its declaration or ``set_defaults`` says it; None where
    neither does."""
    name = _kept_as(declared)
    if name is not None and set_afterwards(module, name):
        return default_set(module, declared)
    given = given_by_name(declared)
    return None if None in given or "action" in given else given.get("default")


def unasked(call: ast.Call) -> ast.Constant | None:
    """What the option that an ``add_argument`` declares is where nobody asks for it: a flag, or one whose
    default is written out."""
    given = given_by_name(call)
    if given.keys() & {None, "required"} or not call.args:
        return None
    action, default = given.get("action"), given.get("default")
    flag = _FLAGS.get(action.value) if isinstance(action, ast.Constant) else None
    if action is not None and flag is None and not _is_switch(action):
        return None
    if isinstance(default, ast.Constant) and isinstance(default.value, str) and not _is_text(given):
        return None  # what its type makes of that: `type=str2bool, default="no"`
    if default is not None:
        return plain(default)
    return ast.Constant(flag) if flag is not None or _is_flag(call) else None


def unasked_in(module: Module, declared: Sequence[ast.Call]) -> ast.Constant | None:
    """What an option is where nobody asks for it, declared by one call, or by several for the same parser, of
    which the first says it (``--pin`` and ``--no-pin``); ``set_defaults`` may say another thing."""
    if len({(_receiver(each), *_home(module, each)) for each in declared}) != 1:
        return None
    first = declared[0]
    name, given = _kept_as(first), given_by_name(first)
    if name is None or not set_afterwards(module, name):
        return unasked(first)
    if given.keys() & {None, "required"} or not first.args or not _is_flag(first):
        return None
    default = plain(default_set(module, first))
    is_made = default is not None and isinstance(default.value, str) and not _is_text(given)
    return None if is_made else default


def plain(node: ast.expr | None) -> ast.Constant | None:
    """A constant as it is written, a number below nought too."""
    match node:
        case ast.Constant():
            return node
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return ast.Constant(-number)
    return None


def _set_defaults(module: Module, name: str) -> list[tuple[ast.keyword, ast.Call, list[ast.AST]]]:
    if "set_defaults" not in module.text:
        return []
    return [
        (keyword, call, trail)
        for call, trail in _calls(module, "set_defaults")
        for keyword in call.keywords
        if keyword.arg in (None, name)
    ]


def _home(module: Module, declared: ast.Call) -> list[int]:
    """What stands around a call that declares an option."""
    found = _declared(module)[_kept_as(declared)]
    return next(_around(trail) for each, trail in found if each is declared)


def _around(trail: list[ast.AST]) -> list[int]:
    """What stands around a call: the function, and each test and loop in it."""
    return [id(each) for each in trail if isinstance(each, _AROUND)]


def in_words(call: ast.Call, words: Sequence[str]) -> str | int | float | bool | None:
    """What a line of words gives the option that a call declares, None where it does not name it; raises
    ``NotTold`` where it may, but cannot be read so plainly."""
    flags = flags_of(call)
    if not flags or not all(flag.startswith("-") for flag in flags):
        raise NotTold
    given = given_by_name(call)
    found: str | int | float | bool | None = None
    for at, word in enumerate(words):
        if word.startswith("@") or _is_short_with_value(word, flags):
            raise NotTold
        flag, _, inside = word.partition("=")
        if not any(each.startswith(flag) for each in flags) or not flag.startswith("-"):
            continue
        if flag not in flags:
            raise NotTold  # short for one of several, perhaps
        action = given.get("action")
        if isinstance(action, ast.Constant) and action.value == "store_true":
            found = True
            continue
        value = inside if inside else words[at + 1] if at + 1 < len(words) else ""
        found = _read(value, given)
    return found


def _is_short_with_value(word: str, flags: Sequence[str]) -> bool:
    """Whether a word may be a short flag and its value, or several of them: ``-j4``, ``-vj``."""
    return len(word) > 2 and word[0] == "-" != word[1] and word not in flags


def is_users_line(node: ast.expr) -> bool:
    """Whether an expression is the words that the user of a command has written: ``sys.argv[1:]``."""
    match node:
        case ast.Subscript(value=argv, slice=ast.Slice(lower=ast.Constant(value=1), upper=None, step=None)):
            return dotted(argv) in ("sys.argv", "argv")
    return False


def _is_switch(action: ast.expr) -> bool:
    """Whether an option is turned on and off by two flags: ``--keep`` and ``--no-keep``."""
    return last_name(action) == "BooleanOptionalAction"


def _is_text(given: dict[str | None, ast.expr]) -> bool:
    """Whether an option is the text that a user writes."""
    kind = given.get("type")
    return kind is None or (isinstance(kind, ast.Name) and kind.id == "str")


def _is_flag(call: ast.Call) -> bool:
    """Whether the user may leave the option out: it is written with dashes, and is None then."""
    first = call.args[0]
    return isinstance(first, ast.Constant) and str(first.value).startswith("-")


def _read(word: str, given: dict[str | None, ast.expr]) -> str | int | float:
    made = given.get("type")
    kind = _TYPES.get(dotted(made) or "") if made is not None else str
    if kind is None or not word or _UNUSUAL & {each for each in given if each}:
        raise NotTold
    try:
        value: str | int | float = kind(word)
        return value
    except ValueError:
        raise NotTold from None


def _receiver(call: ast.AST) -> str | None:
    return (
        dotted(call.func.value)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        else None
    )


def _calls(module: Module, method: str) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    for trail in module.paths_to(method, called=True):
        call = trail[-2] if len(trail) > 1 else None
        if isinstance(call, ast.Call) and call.func is trail[-1]:
            yield call, trail


def flags_of(call: ast.Call) -> list[str]:
    """What an option is called by whoever asks for it: ``-j``, ``--workers``."""
    return [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]


def _kept_as(call: ast.Call) -> str | None:
    """The attribute under which argparse keeps what an ``add_argument`` declares."""
    for keyword in call.keywords:
        if keyword.arg == "dest":
            return str(keyword.value.value) if isinstance(keyword.value, ast.Constant) else None
    flags = flags_of(call)
    long = [flag for flag in flags if flag.startswith("--")]
    name = (long or flags or [""])[0].lstrip("-")
    return name.replace("-", "_") if long or (flags and flags[0].startswith("-")) else name
