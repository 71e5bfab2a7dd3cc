"""Type hints for what a remedy moves, where the code around has them."""

from __future__ import annotations

import builtins
import re

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.rewriting.each_process.made import Made
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.imports import for_types_only, name_for
from dlint.rewriting.pieces.project_imports import add_name, lines_of_head
from dlint.rewriting.source import Source

_BUILTIN = re.compile(r"\b(?:dict|list|set|tuple|type)\[")
_LATER = "from __future__ import annotations"
_OPTIONAL = re.compile(r"\b(?:\w+\.)?Optional\[")
_CLASSES = ("RandomState", "Random", "Generator", "ThreadPool", "ThreadPoolExecutor", "ZipFile", "File")


def is_hinted(method: cst.FunctionDef) -> bool:
    """Whether a function has type hints."""
    params = [*method.params.params, *method.params.kwonly_params]
    return method.returns is not None or any(each.annotation is not None for each in params)


def is_evaluated_later(source: Source) -> bool:
    """Whether hints are text when the file is read."""
    return _LATER in source.module.code


def number_or_none(source: Source, edits: Edits) -> str:
    """How the file says ``int | None``, which older Pythons and what checks types for them do not know."""
    optional = _OPTIONAL.search(source.module.code)
    if optional is not None:
        return f"{optional[0]}int]"
    if _LATER not in source.module.code and " | None" not in source.module.code:
        with source.surroundings.asking() as program:
            if program.releases.of(str(source.path)).python_may_be_older((3, 10)):
                if _take_from_typing(source, edits, "Optional"):
                    return "Optional[int]"
                return f"{name_for(source, edits, 'typing', 'typing')}.Optional[int]"
    return "int | None"


def _take_from_typing(source: Source, edits: Edits, name: str) -> bool:
    """Have the file import a name from typing, where it imports others from there, and nothing else goes by
    it; whether it does."""
    if name in source.identifiers:
        return False
    for line, small in lines_of_head(source):
        star = not isinstance(small, cst.ImportFrom) or isinstance(small.names, cst.ImportStar)
        if not star and source.code(small).startswith("from typing import "):
            add_name(source, edits, line, small, name)  # type: ignore[arg-type]
            return True
    return False


def dict_type(source: Source) -> str:
    """How the file says ``dict`` in hints: as typing's where it has that, and no ``list[`` or the like."""
    code = source.module.code
    if _BUILTIN.search(code) is not None:
        return "dict"
    for each in source.descendants(source.module, cst.ImportFrom):
        if each.module is not None and source.code(each.module) == "typing":
            names = [] if isinstance(each.names, cst.ImportStar) else each.names
            if any(alias.evaluated_name == "Dict" and alias.asname is None for alias in names):
                return "Dict"
    return "typing.Dict" if "typing.Dict[" in code else "dict"


def dict_by_worker(source: Source, edits: Edits, hint: str | None) -> str:
    """How a class's body says what is kept for each worker. Hints there are evaluated: where nobody says
    which Python it is, or it may be an old one, ``dict[int | None, ...]`` may be more than it knows."""
    if hint is None:
        return "dict"
    if not is_evaluated_later(source) and " | None" not in source.module.code:
        with source.surroundings.asking() as program:
            releases = program.releases.of(str(source.path))
            if releases.python_is_unsaid or releases.python_may_be_older((3, 9)):
                return "dict"
    return f"{dict_type(source)}[{number_or_none(source, edits)}, {hint}]"


def class_of(source: Source, made: Made) -> str | None:
    """How the file can say the class of what an assignment makes, None where it cannot."""
    if isinstance(made.statement, cst.AnnAssign):
        annotation = made.statement.annotation.annotation
        return source.code(annotation) if _is_known(source, annotation) else None
    func = made.value.func
    if isinstance(made.whole, cst.ListComp | cst.DictComp):
        return None
    if made.whole is not None:
        said = cst.Module([]).code_for_node(func)
        return said.replace("default_rng", "Generator")
    if (
        isinstance(func, cst.Attribute)
        and func.attr.value == "manual_seed"
        and isinstance(func.value, cst.Call)
    ):
        func = func.value.func
    meant = source.qualified(func) or ""
    text = source.code(func)
    if meant == "numpy.random.default_rng" and text.endswith(".default_rng"):
        return f"{text.removesuffix('default_rng')}Generator"
    return text if meant.rpartition(".")[2] in _CLASSES and meant.count(".") else None


def _is_known(source: Source, annotation: cst.BaseExpression) -> bool:
    """Whether an annotation can be evaluated where a method of the module is defined."""
    if _LATER in source.module.code:
        return True
    scope = next(s for s in source.metadata(ScopeProvider).values() if isinstance(s, GlobalScope))
    for name in [annotation, *source.descendants(annotation, cst.Name)]:
        parent = source.parent(name)
        if not isinstance(name, cst.Name) or (isinstance(parent, cst.Attribute) and parent.attr is name):
            continue
        if hasattr(builtins, name.value) and name.value not in scope:
            continue
        nodes = [getattr(each, "node", None) for each in scope[name.value]]
        if not nodes or any(node is None or for_types_only(source, node) for node in nodes):
            return False
    return True
