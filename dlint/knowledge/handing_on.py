"""What calls do with a function that they are given and do not call: keep it, give it back, look at it."""

from __future__ import annotations

from dlint.knowledge.words.reflection import BUILDS, DESCRIBES

# Objects that have what they are made of as attributes, by the same names.
NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace", "easydict.EasyDict"})
# What these give has the function in it, or is the function with something before or after it.
WRAPPING = frozenset(
    {
        "builtins.dict",
        "builtins.list",
        "builtins.staticmethod",
        "builtins.classmethod",
        "builtins.tuple",
        "builtins.zip",
        "builtins.enumerate",
        "collections.OrderedDict",
        "functools.cache",
        "functools.lru_cache",
        "functools.partial",
        "types.MappingProxyType",
        *NAMESPACES,
        *DESCRIBES,
        BUILDS,
    }
)
_LOOKING = frozenset(
    {
        "builtins.callable",
        "builtins.getattr",
        "builtins.hasattr",
        "builtins.id",
        "builtins.isinstance",
        "builtins.issubclass",
        "builtins.print",
        "builtins.repr",
        "builtins.setattr",
        "builtins.str",
        "builtins.type",
        "functools.update_wrapper",
        "functools.wraps",
    }
)
# Methods of what holds things: these put a thing in, and those give what is there.
PUTTING = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "register"})
GIVING = frozenset({"get", "pop", "values", "items", "setdefault", "copy"})
# These give their last argument where they find nothing.
WITH_DEFAULT = frozenset({"get", "pop", "setdefault", "getattr"})


def looks(name: str) -> bool:
    """Whether a library's call looks at a function, and does not call it."""
    return name in _LOOKING or name.startswith("inspect.")
