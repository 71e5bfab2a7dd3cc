"""What the parent lets go of by the name of what keeps it, before workers start: ``ARCHIVES.clear()``,
``for archive in ARCHIVES.values(): archive.close()``, or a function that does so."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.fork.early.let_go import dropped_after, is_dropped_in_rounds
from dlint.fork.early.starts import starts
from dlint.regex import regex
from dlint.source.nodes import walk
from dlint.source.statements import own_nodes, statement_at, statements_in
from dlint.values.frame import Frame, Point
from dlint.values.values import Function

if TYPE_CHECKING:
    from dlint.fork.program import Program
    from dlint.source.module import Module
    from dlint.workers.uses import WorkerUse

Empties = Callable[[ast.stmt, Frame], bool]
# A search is ten times as fast where a pattern begins with a text: what stands before it is looked at after.
_LAMBDA = regex(rb"= *lambda\b")
_NAMED = regex(rb"[ \t]*(\w+) *$")
_CLOSES = regex(r"\.(?:clear|close|pop|popitem|release)\(")


def emptying(program: Program, use: WorkerUse, name: str) -> Empties:
    """Whether a statement of the parent, in some frame, empties what goes by a name or closes what is in it:
    itself, or by a function that it calls, which is none of those that workers run."""
    evaluator = program.evaluator
    anew = r"(?:None|\{\}|\[\]|(?:dict|list|OrderedDict)\(\))"
    by_name = re.compile(
        rf"\b{name}(?:\[[^\n]{{0,300}}\])?\.(?:cache_clear|clear|close|pop|popitem|release)\("
        rf"|\bdel [^\n]{{0,300}}\b{name}\b|\b{name}(?:\[:\])? = {anew}\s*(?:#|$)",
        re.MULTILINE,
    )
    goes_through = re.compile(rf"\bin (?:\w+\()*(?:\w+\.)*{name}\b|\bwhile (?:\w+\.)*{name}\b")
    own = {id(visit.function.node) for visit in use.code.visits}

    speaking = _functions_beside(program, name)

    def may_speak(called: ast.expr, frame: Frame) -> bool:
        """Whether what is called may be a function with the name in it, by what it is called itself."""
        match called:
            case ast.Attribute(attr=word):
                return word in speaking
            case ast.Name(id=word):
                return word in speaking or _is_other_name(program, frame.module, word)
        return True

    def says(text: str) -> bool:
        return name in text and (
            by_name.search(text) is not None
            or (goes_through.search(text) is not None and _CLOSES.search(text) is not None)
        )

    def says_function(callee: Function) -> bool:
        mark = ("function empties", id(callee.node), name)
        if mark not in program.answers:
            program.answers[mark] = says(callee.module.text_of(callee.node))
        answer: bool = program.answers[mark]
        return answer

    def empties(statement: ast.stmt, frame: Frame) -> bool:
        if isinstance(statement, ast.For | ast.While):
            if name not in frame.module.text_of(statement):
                return False
            header = ast.unparse(statement.iter if isinstance(statement, ast.For) else statement.test)
            return re.search(rf"\b{name}\b", header) is not None and says(ast.unparse(statement))
        if hasattr(statement, "body"):
            return False
        return (name in frame.module.text_of(statement) and says(ast.unparse(statement))) or any(
            isinstance(callee, Function) and id(callee.node) not in own and says_function(callee)
            for node in own_nodes(statement)
            if isinstance(node, ast.Call) and may_speak(node.func, frame)
            for callee, _ in evaluator.values(node.func, Point(frame, statement))
        )

    return empties


def _is_other_name(program: Program, module: Module, word: str) -> bool:
    """Whether a name may be another one for a function: ``from caches import reset as clear``."""
    mark = ("other name", module.relative, word)
    if mark not in program.answers:
        program.answers[mark] = f" as {word}" in module.text or f"{word} = " in module.text
    answer: bool = program.answers[mark]
    return answer


def _functions_beside(program: Program, name: str) -> frozenset[str]:
    """The names of all functions in the files that have a name."""
    mark = ("functions beside", name)
    if mark not in program.answers:
        index = program.evaluator.modules.index
        program.answers[mark] = frozenset().union(
            *(_functions_of(program, relative) for relative in index.naming(name))
        )
    answer: frozenset[str] = program.answers[mark]
    return answer


def _functions_of(program: Program, relative: str) -> frozenset[str]:
    """The names of a file's functions."""
    mark = ("functions of", relative)
    if mark not in program.answers:
        index = program.evaluator.modules.index
        data, found = index.data(relative), {name.decode() for name in index.functions(relative)}
        for each in _LAMBDA.finditer(data):
            named = _NAMED.match(data, data.rfind(b"\n", 0, each.start()) + 1, each.start())
            if named:
                found.add(named[1].decode())
        program.answers[mark] = frozenset(found)
    answer: frozenset[str] = program.answers[mark]
    return answer


def is_emptied(program: Program, use: WorkerUse, name: str, made: ast.AST | None) -> bool:
    """Whether the code around a use's loader, or around the calls that lead there, surely empties what goes
    by a name before workers start, and after it has ``made`` something, where it has."""
    empties = emptying(program, use, name)
    for start in starts(program.evaluator, use.loader) if use.loader is not None else ():
        drops = emptied_in(start.frame, empties)
        if not drops:
            continue
        statement = statement_at(start.frame.scope, made) if isinstance(made, ast.expr) else None
        if statement is not None and any(node is made for node in walk(statement)):
            assert isinstance(made, ast.expr)
            if dropped_after(made, Point(start.frame, statement), start, drops):
                return True
        elif is_dropped_in_rounds((0, 0), Point(start.frame, None), start, drops):
            return True
    return False


def emptied_in(frame: Frame, empties: Empties | None) -> list[ast.stmt]:
    """The statements of a frame that empty something."""
    if empties is None or isinstance(frame.scope, ast.Lambda):
        return []
    return [each for each in statements_in(frame.scope.body) if empties(each, frame)]
