"""A value in the few words that a reader knows it by."""

from __future__ import annotations

from dlint.values.functions import display_name
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Made,
    ModuleValue,
    Partial,
    Table,
    Value,
)

_MOST_LETTERS = 60
_MOST_ITEMS = 6
UNKNOWN = "?"


def described(value: Value | None) -> str:
    """The value; ``?`` for what nobody can tell from the code."""
    match value:
        case None:
            return "not given"
        case Const():
            return _short(repr(value.value))
        case Instance():
            given = value.arguments is None or value.arguments.all()
            return f"{value.cls.name}(...)" if given else f"{value.cls.name}()"
        case Class():
            return value.name
        case Function():
            return display_name(value)
        case Partial():
            return f"partial({described(value.callee)}, ...)"
        case Made():
            return f"{value.name}(...)"
        case External():
            return "what the user asks for" if ".parse_" in value.name else value.name
        case ModuleValue():
            return "a module"
        case Items():
            held = [described(item) for item in value.items[:_MOST_ITEMS]]
            more = ["..."] if value.open or len(value.items) > _MOST_ITEMS else []
            return _short(f"[{', '.join([*held, *more])}]")
        case Table():
            entries = (f"{key!r}: {described(item)}" for key, item in value.items.items())
            return _short("{" + ", ".join(entries) + "}")
    return UNKNOWN


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
