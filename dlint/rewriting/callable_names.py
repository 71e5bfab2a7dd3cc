"""A name for a function that had none, or that another thing has already."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

import libcst as cst

from dlint.rewriting.source import Source

# Words of a function around that do not tell what is different about its part of the program.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """a an and build by create data dataloader dataloaders dataset datasets def do fetch for from func
        function get init is load loader loaders main make my new of on prepare return returns run runs setup
        test tests the to use uses using with""",
    )
)
_VERBS: dict[type[cst.CSTNode], str] = {
    cst.Multiply: "scale",
    cst.Divide: "scale",
    cst.Add: "shift",
    cst.Subtract: "shift",
    cst.Power: "raise_to_power",
}
_ALSO = {"collate_fn": "collate_batch", "worker_init_fn": "init_worker"}
# What a parameter is called that takes any function.
_ANY = frozenset(
    {"lambd", "lambda_", "function", "func", "fn", "f", "callable", "callback", "op", "transform"}
)
_BLANK = frozenset({"", "_", "x", "y", "t", "v", "a", "b", "e", "i", "item", "args", "self"})


def name_for_lambda(source: Source, node: cst.Lambda, avoid: frozenset[str]) -> str:
    """A name of the module's for a lambda: of what it is given to, else of what it does."""
    for name in _wishes(source, node):
        if _is_good(source, name, avoid):
            return name
    return source.free_name(f"{_of_body(node)}_function")


def another_name(source: Source, node: cst.CSTNode, name: str, avoid: frozenset[str]) -> str:
    """A name for the function ``name`` of a function, where the module has something else of that name."""
    bare = name.lstrip("_")
    for word in _words(source, node):
        if _is_good(source, f"{word}_{bare}", avoid):
            return f"{word}_{bare}"
    for other in (_ALSO.get(name, ""), f"_{name}"):
        if other and _is_good(source, other, avoid):
            return other
    return source.free_name(f"{name}_function")


def is_taken(name: str) -> bool:
    """Whether Python has the name already."""
    return hasattr(builtins, name)


def _is_good(source: Source, name: str, avoid: frozenset[str]) -> bool:
    return name.isidentifier() and not is_taken(name) and name not in source.bound_names and name not in avoid


def _wishes(source: Source, node: cst.Lambda) -> Iterator[str]:
    given = _given_to(source, node)
    underscore = "_" if _is_private(source) else ""
    if given:
        bare = given.lstrip("_")
        yield underscore + bare
        yield from (f"{underscore}{word}_{bare}" for word in _words(source, node))
        if bare in _ALSO:
            yield underscore + _ALSO[bare]
    does = _of_body(node)
    yield underscore + does
    yield from (f"{underscore}{word}_{does}" for word in _words(source, node))
    if given:
        yield f"_{given.lstrip('_')}"


def _given_to(source: Source, node: cst.CSTNode) -> str | None:
    """The keyword, attribute or variable that a lambda is given to; None where that says nothing."""
    default = ""
    for above in source.ancestors(node):
        if isinstance(above, cst.BooleanOperation | cst.IfExp):
            default = "default_"
        elif isinstance(above, cst.Arg):
            named = above.keyword.value if above.keyword is not None else ""
            return None if named in _ANY or not named else default + named
        elif isinstance(above, cst.Assign | cst.AnnAssign):
            target = above.targets[0].target if isinstance(above, cst.Assign) else above.target
            last = source.code(target).rpartition(".")[2]
            return default + last if last.isidentifier() and last not in _ANY else None
        elif isinstance(above, cst.Param):
            return f"default_{above.name.value}"
        elif isinstance(above, cst.DictElement):
            key = source.code(above.key).strip("\"'")
            return default + key if key.isidentifier() else None
        else:
            return None
    return None


def _of_body(node: cst.Lambda) -> str:
    """What a lambda does, and to what: ``flatten_image``."""
    params = [each.name.value for each in node.params.params if each.default is None]
    noun = next((each.strip("_") for each in params if each.strip("_") not in _BLANK), "sample")
    body: cst.BaseExpression = node.body
    if isinstance(body, cst.Call):
        function = body.func
        last = function.attr.value if isinstance(function, cst.Attribute) else getattr(function, "value", "")
        if isinstance(last, str) and re.fullmatch(r"[a-z][a-z0-9_]*", last):
            return last if noun in last else f"{last}_{noun}"
    if isinstance(body, cst.BinaryOperation):
        verb = _VERBS.get(type(body.operator), "transform")
        return f"{verb}_{noun}"
    if isinstance(body, cst.Subscript):
        return f"index_{noun}"
    return f"transform_{noun}"


def _words(source: Source, node: cst.CSTNode) -> Iterator[str]:
    """What tells a place from others: words of the data that goes the same way, of the function around."""
    for above in source.ancestors(node):
        if isinstance(above, cst.Call) and above.args and isinstance(above.args[0].value, cst.Name):
            yield from _telling(above.args[0].value.value)
        elif isinstance(above, cst.FunctionDef | cst.ClassDef):
            yield from _telling(above.name.value)


def _telling(name: str) -> Iterator[str]:
    parts = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    words = [part.lower() for part in parts if part.lower() not in _COMMON and not part.isdigit()]
    if words:
        yield "_".join(words[:1])
        if len(words) > 1:
            yield "_".join(words[:2])
            yield "_".join(words)


def _is_private(source: Source) -> bool:
    """Whether the module's functions of its own are private by their names."""
    names = [
        each.name.value
        for each in source.module.body
        if isinstance(each, cst.FunctionDef) and not each.name.value.startswith("test")
    ]
    hidden = [name for name in names if name.startswith("_")]
    return len(hidden) * 2 > len([name for name in names if name != "main"])
