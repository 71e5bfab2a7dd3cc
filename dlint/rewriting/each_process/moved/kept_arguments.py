"""A call that a method makes, as it can be made later and elsewhere: what it is given is kept on ``self``."""

from __future__ import annotations

import ast
import re

import libcst as cst

from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.rewriting.each_process.attribute import is_free
from dlint.rewriting.each_process.made import Made, StaysShared, pairs_of
from dlint.rewriting.each_process.moved.locals import local_names, with_names
from dlint.rewriting.each_process.moved.shared_settings import may_read_another
from dlint.rewriting.pieces import statements
from dlint.rewriting.source import Source
from dlint.source.statements import functions_in

# Calls that give the same whenever they are made.
_PURE = re.compile(
    r"(?:os\.path|osp|path)\.(?:join|abspath|expanduser|normpath)|os\.fspath|os\.fsencode"
    r"|\w+(?:\.\w+)*\.(?:endswith|startswith|lower)|(?:pathlib\.)?(?:Pure)?(?:Posix)?Path|str|int|bool|bytes"
    r"|r?f?['\"].*['\"]\.(?:format|join|encode)"
)
_CONTEXTS = ("multiprocessing.get_context", "torch.multiprocessing.get_context")


def made_later(
    source: Source, kin: Kin, made: Made, word: str, imported: bool = False
) -> tuple[cst.Call, list[cst.BaseSmallStatement]]:
    """The call as any method of the object can make it at any time, and statements that keep what it needs on
    ``self``. Raises CannotRepair where there is no such form.

    ``word`` is what the first argument is called where it has no name of its own; ``imported``: the names of
    what makes it will be there.
    """
    func = made.value.func
    local = not imported and any(name != "self" for name in local_names(source, func))
    others = isinstance(func, cst.Attribute) and may_read_another(source, kin.program, func.value)
    if local or others or not _is_lasting(source, kin, func):
        raise StaysShared("what makes it is known only here")
    args, setup = kept_arguments(source, kin, made, word)
    return made.value.with_changes(args=args), setup


def either_later(
    source: Source, kin: Kin, made: Made, either: cst.IfExp
) -> tuple[cst.IfExp, list[cst.BaseSmallStatement]]:
    """The same for one of two calls, as a test of what the method was given says."""
    lasting = on_self(source, kin, made)
    setup: list[cst.BaseSmallStatement] = []
    names: dict[str, str] = {}
    for name in local_names(source, either):
        if name == "self":
            continue
        if not is_parameter(source, made, name):
            raise StaysShared("what it is made from is known only here")
        if name not in lasting:
            kept = _kept_name(made, name, "source")
            if not is_free(kin, kept):
                raise StaysShared(f"the name {kept} is in use")
            setup.append(statements.small(f"self.{kept} = {name}"))
        names[name] = lasting.get(name, f"self.{_kept_name(made, name, 'source')}")
    later = cst.ensure_type(with_names(either, names), cst.IfExp)
    calls = [each for each in (either.body, either.orelse) if isinstance(each, cst.Call)]
    asked = [*(arg.value for call in calls for arg in call.args), either.test]
    if (
        any(arg.star for call in calls for arg in call.args)
        or not all(_is_lasting(source, kin, each) for each in asked)
        or may_read_another(source, kin.program, later)
    ):
        raise StaysShared("what it is made from is known only here")
    return later, setup


def imports_for(source: Source, made: Made) -> tuple[str, ...]:
    """The method's own imports that what makes an object needs. Raises CannotRepair where it needs more."""
    assert made.method is not None
    needed = [name for name in local_names(source, made.value.func) if name != "self"]
    found: list[str] = []
    for statement in source.descendants(made.method.body, cst.Import, cst.ImportFrom):
        names = () if isinstance(statement.names, cst.ImportStar) else statement.names
        bound = {
            alias.asname.name.value
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name)
            else source.code(alias.name).partition(".")[0]
            for alias in names
        }
        if bound.intersection(needed):
            found.append(source.code(statement))
            needed = [name for name in needed if name not in bound]
    if needed:
        raise StaysShared("what makes it is known only here")
    return tuple(dict.fromkeys(found))


def kept_arguments(
    source: Source, kin: Kin, made: Made, word: str
) -> tuple[list[cst.Arg], list[cst.BaseSmallStatement]]:
    """The same for the arguments alone."""
    method = made.method
    assert method is not None
    value = made.value
    args: list[cst.Arg] = []
    setup: list[cst.BaseSmallStatement] = []
    lasting = on_self(source, kin, made)
    for index, arg in enumerate(value.args):
        if arg.star:
            star, kept_star = _kept_star(source, kin, made, arg)
            args.append(star)
            setup += kept_star
            continue
        local = [name for name in local_names(source, arg.value) if name != "self"]
        if all(name in lasting for name in local) and _is_lasting(source, kin, arg.value):
            later = with_names(arg.value, lasting) if local else arg.value
            if not may_read_another(source, kin.program, later):
                args.append(arg.with_changes(value=later))
                continue
        name = _kept_name(made, _word(arg), word if index == 0 else f"argument_{index}")
        if not is_free(kin, name) or any(source.code(each).startswith(f"self.{name} ") for each in setup):
            raise StaysShared(f"the name {name} is in use")
        kept = cst.Attribute(cst.Name("self"), cst.Name(name))
        setup.append(cst.Assign([cst.AssignTarget(kept)], arg.value))
        args.append(arg.with_changes(value=kept))
    return args, setup


def _kept_star(
    source: Source, kin: Kin, made: Made, arg: cst.Arg
) -> tuple[cst.Arg, list[cst.BaseSmallStatement]]:
    """The same for ``**options``: a dict of the module that nothing changes, or what the method got of
    keywords that it does not know, and hands on as it is."""
    method, value = made.method, arg.value
    assert method is not None
    if arg.star == "**" and isinstance(value, cst.Name):
        name = value.value
        more = method.params.star_kwarg
        if more is not None and more.name.value == name:
            reads = [each for each in source.descendants(method.body, cst.Name) if each.value == name]
            if all(isinstance(each := source.parent(read), cst.Arg) and each.star for read in reads):
                kept = cst.Attribute(cst.Name("self"), cst.Name(_kept_name(made, name, "options")))
                if is_free(kin, kept.attr.value):
                    return arg.with_changes(value=kept), [cst.Assign([cst.AssignTarget(kept)], value)]
        elif not (
            local_names(source, value)
            or may_read_another(source, kin.program, value)
            or _is_changed(kin, name)
        ):
            return arg, []
    raise StaysShared("what it is made from is known only here")


def _is_changed(kin: Kin, name: str) -> bool:
    """Whether the program may change a dict of a module, or hand it on to what may."""
    for mention in mentions(kin.program, name):
        match mention.trail[-3:]:
            case [_, ast.keyword(arg=None), ast.Name()] | [_, ast.Subscript(ctx=ast.Load()), _]:
                continue
            case [_, _, ast.Name(ctx=ast.Store()) | ast.alias()]:
                continue
        return True
    return False


def _kept_name(made: Made, said: str, otherwise: str) -> str:
    """The attribute that keeps an argument: an object that is called as what it is made from
    (``self.bam = open_bam(bam)``) has no use for that name twice."""
    name = made.name.strip("_")
    return f"_{name}_{otherwise if said in ('', name) else said}"


def _word(arg: cst.Arg) -> str:
    """What an argument is called when it is kept, "" where it has no name."""
    if isinstance(arg.value, cst.Name):
        said = arg.value.value
    elif isinstance(arg.value, cst.Attribute):
        said = arg.value.attr.value.strip("_")
    else:
        return arg.keyword.value if arg.keyword is not None else ""
    return said.lower() if said.isupper() else said


def _is_lasting(source: Source, kin: Kin, node: cst.BaseExpression) -> bool:
    """Whether an expression has the same value at any later time, as far as the program tells."""
    for call in (each for each in [node, *source.descendants(node, cst.Call)] if isinstance(each, cst.Call)):
        if not _PURE.fullmatch(source.code(call.func)) and source.qualified(call.func) not in _CONTEXTS:
            return False
    walrus = any(True for _ in source.descendants(node, cst.NamedExpr, cst.Await, cst.Yield))
    attributes = [node, *source.descendants(node, cst.Attribute)]
    names = {
        each.attr.value
        for each in attributes
        if isinstance(each, cst.Attribute) and source.code(each.value) == "self"
    }
    bare = any(
        isinstance(each, cst.Name)
        and each.value == "self"
        and not isinstance(source.parent(each), cst.Attribute)
        for each in [node, *source.descendants(node, cst.Name)]
    )
    computed = any(
        function.name in names and function.decorator_list
        for cls in kin.classes
        for function in functions_in(cls.node.body)
    )
    once = all(sum(1 for _ in kin.stores(name)) <= 1 for name in names)
    return not walrus and not bare and not computed and once


def _bound(target: cst.CSTNode) -> set[str]:
    """The variables that an assignment to a target sets."""
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, cst.Tuple | cst.List):
        return set().union(*(_bound(each.value) for each in target.elements))
    return set()


def _is_unconditional(source: Source, small: cst.CSTNode, method: cst.FunctionDef) -> bool:
    return source.parent(source.line_of(small)) is method.body


def is_parameter(source: Source, made: Made, name: str) -> bool:
    """Whether a name of the method is a parameter that the method never sets."""
    method = made.method
    assert method is not None
    kinds = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.AsName, cst.CompFor)
    bound: set[str] = set()
    for each in source.descendants(method.body, *kinds):
        bound |= _bound(each.name if isinstance(each, cst.AsName) else each.target)
    parameters = {each.name.value for each in source.descendants(method.params, cst.Param)}
    return name in parameters and name not in bound


def on_self(source: Source, kin: Kin, made: Made) -> dict[str, str]:
    """Parameters of the method that the object keeps, unchanged: {"threads": "self.threads"}."""
    method = made.method
    assert method is not None
    kept: dict[str, str] = {}
    for assign in source.descendants(method.body, cst.Assign):
        before = assign is made.statement or source.range(assign) < source.range(made.statement)
        alone = [(assign.targets[0].target, assign.value)] if len(assign.targets) == 1 else []
        for target, value in pairs_of(assign) or alone:
            said = source.code(target)
            if (
                before
                and isinstance(value, cst.Name)
                and re.fullmatch(r"self\.\w+", said)
                and _is_unconditional(source, assign, method)
            ):
                kept.setdefault(value.value, said)
    return {
        name: said
        for name, said in kept.items()
        if is_parameter(source, made, name) and sum(1 for _ in kin.stores(said.removeprefix("self."))) <= 1
    }
