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
        """a after all an and any are as at before both build by can create data dataloader
        dataloaders dataset datasets def do does each every fetch for from func function get
        has if in init is it its load loader loaders main make must my new no not of on one
        only other own prepare return returns run runs same setup should some test tests the
        then to two use uses using when where with without""",
    )
)
_VERBS: dict[type[cst.CSTNode], str] = {
    cst.Multiply: "scale",
    cst.Divide: "scale",
    cst.Add: "shift",
    cst.Subtract: "shift",
    cst.Power: "raise_to_power",
}
# What to do with what, for names of parts that functions play.
_ALSO = {"collate": ("collate", "batch"), "init": ("init", "worker"), "worker_init": ("init", "worker")}
# What a parameter is called that takes any function.
_ANY = frozenset(
    {"lambd", "lambda_", "function", "func", "fn", "f", "callable", "callback", "op", "transform"}
)
# What a function is called that stands in another one, and nowhere else needs a name.
_INNER = (_ANY - {"transform"}) | {"closure", "helper", "inner", "nested", "wrapped", "wrapper"}
# Names of parts that say what is done: what it is done to comes behind.
_DO = frozenset(
    re.findall(
        r"\w+",
        """augment convert decode embed encode extract load normalise normalize pad parse preprocess
        process read resize tokenise tokenize""",
    )
)
_BLANK = frozenset({"args", "item", "self"})
_SHORT = 3  # what has fewer letters says nothing


def name_for_lambda(source: Source, node: cst.Lambda, avoid: frozenset[str], role: str | None = None) -> str:
    """A name of the module's for a lambda: of what it is given to, else of what it does.

    ``role`` is what the function that takes it calls it.
    """
    for name in _wishes(source, node, _given_to(source, node) or role):
        if _is_good(source, name, avoid):
            return name
    return source.free_name(f"{_of_body(node) or _of_kind(node)}_function")


def another_name(
    source: Source,
    node: cst.Lambda | cst.FunctionDef,
    name: str,
    avoid: frozenset[str],
    role: str | None = None,
) -> str:
    """A name for the function ``name`` of a function, where the module has something else of that name."""
    bare = _bare(name)
    wishes = _wishes(source, node, role) if says_nothing(name) else _others(source, node, bare, role)
    for wish in (wish for each in (wishes, _wishes(source, node, role)) for wish in each):
        if _is_good(source, wish, avoid):
            return wish
    return source.free_name(f"{bare or 'local'}_function")


def says_nothing(name: str) -> bool:
    """Whether the name of a function tells, outside the function around, nothing of what it does."""
    bare = _bare(name)
    return len(bare) < _SHORT or bare in _INNER


def _bare(name: str) -> str:
    return name.strip("_").rstrip("0123456789").rstrip("_")


def is_taken(name: str) -> bool:
    """Whether Python has the name already."""
    return hasattr(builtins, name)


def _is_good(source: Source, name: str, avoid: frozenset[str]) -> bool:
    return (
        name.isidentifier()
        and "__" not in name
        and not is_taken(name.lstrip("_"))
        and name not in source.bound_names
        and name not in avoid
    )


def _wishes(source: Source, node: cst.Lambda | cst.FunctionDef, given: str | None) -> Iterator[str]:
    underscore = "_" if _is_private(source) else ""
    if _gives_back(node):
        yield f"{underscore}identity"
    bare = given.strip("_") if given else ""
    if bare and bare not in _ANY:
        yield underscore + bare
        yield from (underscore + each for each in _others(source, node, bare, None))
    does = _of_body(node) or _of_call(source, node) or _of_kind(node)
    yield underscore + does
    yield from (f"{underscore}{word}_{does}" for word in _words(source, node))
    if bare and bare not in _ANY:
        yield f"_{bare}"


def _others(source: Source, node: cst.Lambda | cst.FunctionDef, bare: str, role: str | None) -> Iterator[str]:
    """What else a function may be called that would be called ``bare``."""
    yield bare
    verb, noun = _ALSO.get(bare.removesuffix("_fn"), ("", ""))
    if verb:
        yield f"{verb}_{_noun(node, noun)}"
    elif is_taken(bare):
        yield "identity" if _gives_back(node) else f"{bare}_{_noun(node)}"
    part = role.strip("_") if role else ""
    for name in (part, bare):
        if name and name not in _ANY:
            yield name
            if name in _DO:
                yield f"{name}_{_noun(node)}"
            yield from (f"{word}_{name}" for word in _words(source, node))


def _given_to(source: Source, node: cst.CSTNode) -> str | None:
    """The keyword, attribute or variable that a lambda is given to; None where that says nothing."""
    default = ""
    for above in source.ancestors(node):
        if isinstance(above, cst.BooleanOperation | cst.IfExp):
            default = "default_"
        elif isinstance(above, cst.Arg):
            named = above.keyword.value if above.keyword is not None else ""
            if named == "default":  # of a field
                default = "default_"
                continue
            return None if named in _ANY or not named else default + named
        elif isinstance(above, cst.Call) and default:
            continue
        elif isinstance(above, cst.Assign | cst.AnnAssign):
            target = above.targets[0].target if isinstance(above, cst.Assign) else above.target
            last = source.code(target).rpartition(".")[2]
            of_class = isinstance(source.parent(source.parent(source.line_of(above)) or above), cst.ClassDef)
            if of_class and last != "collate":  # torch has a default_collate
                default = "default_"
            return default + last if last.isidentifier() and last not in _ANY else None
        elif isinstance(above, cst.Param):
            return f"default_{above.name.value}"
        elif isinstance(above, cst.DictElement):
            key = source.code(above.key).strip("\"'")
            return default + key if key.isidentifier() else None
        else:
            return None
    return None


def _noun(node: cst.Lambda | cst.FunctionDef, usual: str = "sample") -> str:
    """What a function is given, by the name of its first parameter where that says something."""
    for each in node.params.params:
        name = each.name.value.strip("_")
        if each.default is None and len(name) >= _SHORT and name not in _BLANK and not is_taken(name):
            return name
    return usual


def _of_body(node: cst.Lambda | cst.FunctionDef) -> str | None:
    """What a function does, and to what: ``flatten_image``; None where its body does not tell."""
    noun, body = _noun(node), node.body
    if isinstance(body, cst.Call):
        function = body.func
        last = function.attr.value if isinstance(function, cst.Attribute) else getattr(function, "value", "")
        if isinstance(last, str) and re.fullmatch(r"[a-z][a-z0-9_]*", last):
            last = last.rstrip("_")
            return last if noun in last else f"{last}_{noun}"
    if _gives_back(node):
        return "identity"
    if not node.params.params and node.params.star_arg is cst.MaybeSentinel.DEFAULT:
        return "default_value"
    if isinstance(body, cst.BinaryOperation):
        verb = _VERBS.get(type(body.operator), "transform")
        return f"{verb}_{noun}"
    if isinstance(body, cst.Subscript):
        return f"index_{noun}"
    match body:
        case cst.Comparison(left=cst.Name(), comparisons=[cst.ComparisonTarget(operator, cst.Name("None"))]):
            return "is_not_none" if isinstance(operator, cst.IsNot | cst.NotEqual) else "is_none"
    return None


def _of_call(source: Source, node: cst.Lambda | cst.FunctionDef) -> str | None:
    """What the function does that a function is given to by place: ``filter_sample``."""
    given = source.parent(node)
    call = source.parent(given) if isinstance(given, cst.Arg) and given.keyword is None else None
    if not isinstance(call, cst.Call):
        return None
    last = source.code(call.func).rpartition(".")[2]
    says = re.fullmatch(r"[a-z][a-z0-9]*", last) and len(last) >= _SHORT and last not in _COMMON | _ANY
    return f"{last}_{_noun(node)}" if says else None


def _of_kind(node: cst.Lambda | cst.FunctionDef) -> str:
    """What a function is, and of what, where no other thing tells: a test, or something else."""
    test = cst.Comparison | cst.BooleanOperation
    negated = isinstance(node.body, cst.UnaryOperation) and isinstance(node.body.operator, cst.Not)
    return f"{'check' if negated or isinstance(node.body, test) else 'transform'}_{_noun(node)}"


def _gives_back(node: cst.Lambda | cst.FunctionDef) -> bool:
    """Whether a lambda gives what it is given."""
    given = [each.name.value for each in node.params.params]
    return isinstance(node.body, cst.Name) and given == [node.body.value]


def _words(source: Source, node: cst.CSTNode) -> Iterator[str]:
    """What tells a place from others: words of the data that goes the same way, of the function around."""
    for above in source.ancestors(node):
        if isinstance(above, cst.Call) and above.args and isinstance(above.args[0].value, cst.Name):
            yield from _telling(above.args[0].value.value)
        elif isinstance(above, cst.FunctionDef | cst.ClassDef):
            yield from _telling(above.name.value)


def _telling(name: str) -> Iterator[str]:
    parts = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    lower = [part.lower() for part in parts]
    words = [each for each in lower if each not in _COMMON and each.isalpha() and len(each) >= _SHORT]
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
