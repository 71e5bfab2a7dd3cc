"""An attribute that each process makes for itself and that no pickle holds: a pool, a handle."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from dlint.changes.stores import Kin
from dlint.program.program import Program
from dlint.rewriting.each_process.attribute import (
    check_not_handed_on,
    check_property,
    declaration,
    defining,
    is_free,
    kin_of,
)
from dlint.rewriting.each_process.ended_objects import Ending, end_what_is_there, endings
from dlint.rewriting.each_process.made import Made, StaysShared, asked_of, cursor_of
from dlint.rewriting.each_process.moved.kept_arguments import (
    either_later,
    imports_for,
    is_parameter,
    made_later,
)
from dlint.rewriting.each_process.parts import Part, as_properties, check_asked_first
from dlint.rewriting.each_process.per_process import PerProcess, as_property, kept_under
from dlint.rewriting.each_process.states import forgotten, leave_out
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.unused import drop_own_imports
from dlint.rewriting.source import Source


def as_unpickled_property(
    source: Source,
    edits: Edits,
    made: Made,
    why: str,
    word: str,
    *,
    once: bool = False,
    parts: Sequence[Part] = (),
    by_threads: bool = False,
) -> None:
    """Turn ``self.file = open(...)`` into a property that opens one in each process that asks for it.

    ``word`` is what its first argument is called, where that is kept and has no name. ``parts`` of it are
    properties then, too. ``by_threads``: threads may ask for it together.
    """
    assert made.owner is not None and made.method is not None
    kept = kept_under(made.name)
    with source.surroundings.asking() as program:
        kin = kin_of(source, program, made.owner)
        left_out = forgotten(source, made.owner, made.name)
        ended = endings(source, made)
        lines = [line for ending in ended for line in ending.lines]
        declared = declaration(source, kin, made.owner, made.name)
        check_property(source, kin, made.name, made.statement, [*left_out, *lines], declared=declared)
        _check_ending(kin, ended)
        check_not_handed_on(source, made)
        _check_looks(source, program, made)
        if not is_free(kin, kept):
            raise StaysShared(f"the name {kept} is in use")
        imports = imports_for(source, made)
        if made.part is not None and cursor_of(made.part) is not None:
            check_asked_first(source, made, made.name)
        if made.choice is not None and (ended or once):
            raise StaysShared("it may be None, and is closed")
        value: cst.BaseExpression
        if made.either is not None:
            if once or imports or by_threads:
                raise StaysShared("it is made within another expression")
            value, setup = either_later(source, kin, made, made.either)
        else:
            call, setup = made_later(source, kin, made, word, bool(imports))
            value = _or_none(source, made, call)
        for ending in ended:
            end_what_is_there(source, edits, made, ending)
        more = as_properties(source, edits, kin, made, parts) if parts else ""
        cursors = [kept_under(part.name) for part in parts if part.is_cursor]
        more += leave_out(source, edits, kin, made.owner, made.name, kept, also=cursors)
        how = PerProcess(why, source.code(value), imports, once=once, by_threads=by_threads)
        as_property(source, edits, made, how, setup=setup, more=more, declared=declared)
        if imports and by_threads:
            raise StaysShared("its module is imported in the method")
        if imports:
            needed = {name for each in setup for name in re.findall(r"\w+", source.code(each))}
            drop_own_imports(source, edits, made.method, made.statement, needed)


def _or_none(source: Source, made: Made, value: cst.Call) -> cst.BaseExpression:
    """What each process stores: the call as it makes it, a part of it, or None where it is given nothing."""
    choice = made.choice
    if made.part is not None:
        part = made.part.deep_replace(made.value, value)
        assert isinstance(part, cst.BaseExpression)
        return part
    asked = asked_of(choice, made.value) if choice is not None else None
    if choice is None or asked is None:
        return value
    if not is_parameter(source, made, asked.value):
        raise StaysShared(f"{asked.value} is known only here")
    names = [getattr(arg.value, "value", None) for arg in made.value.args]
    kept = value.args[names.index(asked.value)].value
    test = kept if choice.test is asked else _with(choice.test, kept)
    there = choice.body is made.value
    return choice.with_changes(test=test, **{"body" if there else "orelse": value})


def _with(test: cst.BaseExpression, asked: cst.BaseExpression) -> cst.BaseExpression:
    """A test that asks the same of something else."""
    return test.with_changes(**{"left" if isinstance(test, cst.Comparison) else "expression": asked})


def _check_looks(source: Source, program: Program, made: Made) -> None:
    """Refuse where the program looks whether an attribute is there that may not be: a property always is."""
    assert made.method is not None
    asked = re.compile(rf"""(?:has|get)attr\([^()]*['"]{re.escape(made.name)}['"]""")
    if source.parent(source.line_of(made.statement)) is not made.method.body and any(
        asked.search(module.text) for module in program.modules.mentioning(made.name)
    ):
        raise StaysShared("the program looks whether there is one")


def _check_ending(kin: Kin, ended: list[Ending]) -> None:
    """Refuse where an object may be made only to be ended with the one that has it."""
    own = any(ending.method.name.value == "__del__" for ending in ended)
    for cls in defining(kin, "__del__"):
        if not own or cls.node is not kin.cls.node:
            raise StaysShared(f"the class {cls.name} defines __del__")
