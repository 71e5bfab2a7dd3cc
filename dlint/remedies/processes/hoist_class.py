"""Moves a class of a function to the module, where a spawned worker can find it by name."""

from __future__ import annotations

import ast

import libcst as cst

from dlint.changes.hoisting.around import Stays
from dlint.changes.hoisting.of_class import check_class
from dlint.finding import Finding
from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.moved.function_at_top import insert_before_top, moved_out
from dlint.rewriting.pieces import statements
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Put the class that the finding points at before the statement of the module that it stands in."""
    node = source.at(finding, cst.ClassDef)
    module = source.surroundings.module(source)
    try:
        check_class(module, source.surroundings.trail(source, node, ast.ClassDef))
    except Stays as reason:
        raise CannotRepair(str(reason)) from reason
    (line, column), _ = source.range(node)
    margin = module.lines[source.line_in_file(line) - 1][:column]
    comments = [each for each in node.leading_lines if each.comment is not None]
    moved = moved_out(node, margin).with_changes(leading_lines=comments)
    insert_before_top(source, edits, node, moved)
    edits.define(node.name.value)
    assert isinstance(node, header.Statement)
    statements.take_away(source, edits, node)
