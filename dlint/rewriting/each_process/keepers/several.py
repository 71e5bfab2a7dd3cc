"""Handles that one comprehension opens, one for each of several paths, in a list or under keys: each process
opens them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

import libcst as cst

from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.finding import Finding
from dlint.rewriting.each_process.attribute import check_not_handed_on, check_property, is_free, kin_of
from dlint.rewriting.each_process.made import Made, StaysShared, several
from dlint.rewriting.each_process.moved.kept_arguments import is_parameter, on_self
from dlint.rewriting.each_process.moved.locals import local_names, with_names
from dlint.rewriting.each_process.opened_later import check_opened_later
from dlint.rewriting.each_process.per_process import PerProcess, as_property, kept_under
from dlint.rewriting.each_process.states import leave_out
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.source import Source

# What gives a list of its own, that nobody else has.
_LISTS = re.compile(r"sorted|list|range|os\.listdir|(?:glob\.)?glob|tuple")
# What only reads a dict.
_READS = frozenset({"get", "items", "keys", "values"})
_CHANGES = frozenset({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "shuffle", "sort"})
_ENDS = frozenset({"__del__", "__exit__", "close"})


def as_several(source: Source, finding: Finding, edits: Edits, why: str) -> None:
    """Turn ``self.files = [open(path) for path in paths]``, or a dict of such, into a property that opens
    them in each process."""
    made, comprehension = several(source, finding)
    assert made.owner is not None and made.method is not None
    loop = comprehension.for_in
    if made.method.name.value != "__init__" or loop.inner_for_in or loop.ifs or loop.asynchronous:
        raise StaysShared
    if not isinstance(loop.target, cst.Name):
        raise StaysShared
    kept = kept_under(made.name)
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, made.owner)
        check_property(source, kin, made.name, made.statement)
        check_not_handed_on(source, made)
        check_opened_later(source, made)
        of_dict = isinstance(comprehension, cst.DictComp)
        mentioned = source.descendants(made.owner.body, cst.Attribute)
        if any(_is_changed(source, each, made, of_dict=of_dict) for each in mentioned):
            raise StaysShared
        ended = [read for each in _ending(made.owner) for read in _ended_in(source, each, made.name)]
        setup: list[cst.BaseSmallStatement] = []
        names: dict[str, str] = {}
        key = comprehension.key if isinstance(comprehension, cst.DictComp) else None
        own = {name for node in (key, made.value) if node is not None for name in local_names(source, node)}
        own -= {"self", loop.target.value}
        lasting = on_self(source, kin, made)
        for name in sorted(own):
            if not is_parameter(source, made, name):
                raise StaysShared
            if name in lasting:
                names[name] = lasting[name]
                continue
            names[name] = f"self._{made.name.strip('_')}_{name}"
            setup.append(statements.small(f"{names[name]} = {name}"))
        there = _kept_already(source, kin, made, loop.iter, lasting)
        paths, kept_paths = (there, None) if there is not None else _paths(source, made, loop.iter)
        if kept_paths is not None:
            setup.append(kept_paths)
        new = [kept, *(source.code(each).partition(" ")[0].removeprefix("self.") for each in setup)]
        for name in new:
            if not is_free(kin, name):
                raise StaysShared(f"the name {name} is in use")
        more = leave_out(source, edits, kin, made.owner, made.name, kept)
    for read in ended:
        os = name_for(source, edits, "os", "os")
        nothing = "{}" if of_dict else "[]"
        edits.replace(read, statements.expression(f"self.{kept}.pop({os}.getpid(), {nothing})"))
    later = loop.with_changes(iter=statements.expression(paths))
    value = with_names(made.value, names) if names else made.value
    whole: cst.BaseExpression
    if key is None:
        whole = comprehension.with_changes(elt=value, for_in=later)
    else:
        key = with_names(key, names) if names else key
        whole = comprehension.with_changes(key=key, value=value, for_in=later)
    as_property(
        source, edits, made, PerProcess(why, cst.Module([]).code_for_node(whole)), setup=setup, more=more
    )


def _is_changed(source: Source, node: cst.Attribute, made: Made, *, of_dict: bool) -> bool:
    """Whether the list or dict gets, or lets go of, something where it is mentioned."""
    if source.code(node) != f"self.{made.name}":
        return False
    above = source.parent(node)
    if isinstance(above, cst.Attribute):
        return not (of_dict and above.attr.value in _READS)  # a method of it
    return isinstance(above, cst.Subscript) and isinstance(
        source.parent(above), cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.Del
    )


def _ending(owner: cst.ClassDef) -> list[cst.FunctionDef]:
    """The methods that end what an object has: they would open it only to close it."""
    return [
        each for each in owner.body.body if isinstance(each, cst.FunctionDef) and each.name.value in _ENDS
    ]


def _ended_in(source: Source, method: cst.FunctionDef, name: str) -> Iterator[cst.Attribute]:
    """Where a method goes through the list, to end what this process has of it. Raises StaysShared where it
    does anything else with the list."""
    if re.search(rf"['\"]{re.escape(name)}['\"]", source.code(method)):
        raise StaysShared  # it may look whether there is one, and there would always be
    read: cst.Attribute
    for read in source.descendants(method.body, cst.Attribute):
        if read.attr.value == name:
            gone_through, loop = _gone_through(source, read)
            if source.code(read) != f"self.{name}" or not isinstance(loop, cst.For):
                raise StaysShared
            if loop.iter is not gone_through:
                raise StaysShared
            yield read


def _kept_already(
    source: Source, kin: Kin, made: Made, node: cst.BaseExpression, lasting: Mapping[str, str]
) -> str | None:
    """The attribute that keeps the paths as they are anyway; None where there is none, or where it may be
    something that is gone through once, or change."""
    assert made.owner is not None and made.method is not None
    said = lasting.get(source.code(node), source.code(node))
    name = said.removeprefix("self.")
    if not re.fullmatch(r"self\.\w+", said) or sum(1 for _ in kin.stores(name)) != 1:
        return None
    functions = [each for each in made.owner.body.body if isinstance(each, cst.FunctionDef)]
    if any(each.name.value == name for each in functions):
        return None
    known = {said, source.code(node)} if isinstance(node, cst.Name) else {said}
    lists = [
        each
        for function in functions
        for each in source.descendants(function.body, cst.Name, cst.Attribute)
        if source.code(each) in (known if function is made.method else {said})
    ]
    loops = [each for each in lists if isinstance(source.parent(each), cst.For | cst.CompFor)]
    again = sum(source.function_of(each) is made.method for each in loops) > 1
    if not again and not any(_is_as_list(source, each) for each in lists):
        return None
    if said != source.code(node) and isinstance(made.whole, cst.ListComp):
        return None  # it is the caller's list, who may put it in another order
    for mention in mentions(kin.program, name):
        match mention.trail[-3:]:
            case [_, ast.Call(func=ast.Name(id=does) | ast.Attribute(attr=does)), ast.Attribute()] if (
                does in _CHANGES
            ):
                return None
            case [_, ast.Attribute(attr=changes), ast.Attribute()] if changes in _CHANGES:
                return None
            case [_, ast.Subscript(ctx=ast.Store() | ast.Del()), ast.Attribute()]:
                return None
    return said


def _is_as_list(source: Source, node: cst.Name | cst.Attribute) -> bool:
    """Whether something is used as only a list is: its length is taken, or one of it."""
    match source.parent(node):
        case cst.Subscript() as above:
            return above.value is node
        case cst.Arg() as argument:
            call = source.parent(argument)
            return isinstance(call, cst.Call) and source.code(call.func) == "len"
        case cst.AssignTarget() as target:
            assign = source.parent(target)
            value = assign.value if isinstance(assign, cst.Assign) else None
            made = isinstance(value, cst.Call) and _LISTS.fullmatch(source.code(value.func)) is not None
            return made or isinstance(value, cst.List | cst.ListComp | cst.Tuple)
    return False


def _gone_through(source: Source, read: cst.Attribute) -> tuple[cst.CSTNode, cst.CSTNode | None]:
    """What is gone through where the list, or what a dict has under its keys, is read, and what does that."""
    above = source.parent(read)
    if isinstance(above, cst.Attribute) and above.attr.value in _READS:
        call = source.parent(above)
        if isinstance(call, cst.Call):
            return call, source.parent(call)
    return read, above


def _paths(source: Source, made: Made, node: cst.BaseExpression) -> tuple[str, cst.BaseSmallStatement | None]:
    """What a later process goes through, and the statement that keeps it."""
    said = source.code(node)
    if not isinstance(node, cst.Name | cst.Attribute | cst.Call):
        raise StaysShared
    word = said if isinstance(node, cst.Name) and said != made.name.strip("_") else "paths"
    kept = f"self._{made.name.strip('_')}_{word}"
    lists = isinstance(node, cst.Call) and _LISTS.fullmatch(source.code(node.func)) is not None
    return kept, statements.small(f"{kept} = {said if lists else f'list({said})'}")
