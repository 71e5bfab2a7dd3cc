"""Handles that one comprehension opens, one for each of several paths: each process opens them all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from dlint.finding import Finding
from dlint.rewriting.each_process.attribute import check_not_handed_on, check_property, is_free, kin_of
from dlint.rewriting.each_process.made import Made, StaysShared, several
from dlint.rewriting.each_process.moved.kept_arguments import is_parameter
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
_ENDS = frozenset({"__del__", "__exit__", "close"})


def as_several(source: Source, finding: Finding, edits: Edits, why: str) -> None:
    """Turn ``self.files = [open(path) for path in paths]`` into a property that opens them in each
    process."""
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
        if any(
            _is_changed(source, each, made) for each in source.descendants(made.owner.body, cst.Attribute)
        ):
            raise StaysShared
        ended = [read for each in _ending(made.owner) for read in _ended_in(source, each, made.name)]
        setup: list[cst.BaseSmallStatement] = []
        names: dict[str, str] = {}
        own = set(local_names(source, made.value)) - {"self", loop.target.value}
        for name in sorted(own):
            if not is_parameter(source, made, name):
                raise StaysShared
            names[name] = f"self._{made.name.strip('_')}_{name}"
            setup.append(statements.small(f"{names[name]} = {name}"))
        paths, kept_paths = _paths(source, made, loop.iter)
        if kept_paths is not None:
            setup.append(kept_paths)
        new = [kept, *(source.code(each).partition(" ")[0].removeprefix("self.") for each in setup)]
        for name in new:
            if not is_free(kin, name):
                raise StaysShared(f"the name {name} is in use")
        more = leave_out(source, edits, kin, made.owner, made.name, kept)
    for read in ended:
        os = name_for(source, edits, "os", "os")
        edits.replace(read, statements.expression(f"self.{kept}.pop({os}.getpid(), [])"))
    value = with_names(made.value, names) if names else made.value
    later = loop.with_changes(iter=statements.expression(paths))
    whole = comprehension.with_changes(elt=value, for_in=later)
    as_property(
        source, edits, made, PerProcess(why, cst.Module([]).code_for_node(whole)), setup=setup, more=more
    )


def _is_changed(source: Source, node: cst.Attribute, made: Made) -> bool:
    """Whether the list gets, or lets go of, something where it is mentioned."""
    if source.code(node) != f"self.{made.name}":
        return False
    above = source.parent(node)
    if isinstance(above, cst.Attribute):
        return True  # a method of the list
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
            loop = source.parent(read)
            if source.code(read) != f"self.{name}" or not isinstance(loop, cst.For):
                raise StaysShared
            if loop.iter is not read:
                raise StaysShared
            yield read


def _paths(source: Source, made: Made, node: cst.BaseExpression) -> tuple[str, cst.BaseSmallStatement | None]:
    """What a later process goes through, and the statement that keeps it."""
    said = source.code(node)
    if not isinstance(node, cst.Name | cst.Attribute | cst.Call):
        raise StaysShared
    word = said if isinstance(node, cst.Name) and said != made.name.strip("_") else "paths"
    kept = f"self._{made.name.strip('_')}_{word}"
    lists = isinstance(node, cst.Call) and _LISTS.fullmatch(source.code(node.func)) is not None
    return kept, statements.small(f"{kept} = {said if lists else f'list({said})'}")
