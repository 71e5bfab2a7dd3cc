"""What a parser of a command line reads: what the user writes, or a line that the program has written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from dlint.evaluation.interface import Evaluator
from dlint.evaluation.options.option import ASKED
from dlint.knowledge.commands import PARSER
from dlint.regex import regex
from dlint.source.declared_options import is_users_line
from dlint.source.statements import given_in
from dlint.values.frame import Point
from dlint.values.values import Const, External, Items, Made, Unknown, Value, slice_of
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.values.outcomes import Outcome


# What changes a list of words, by whatever name of those that these have.
_CHANGED = regex(
    r"\b(?!\w*kwargs)(?=\w*arg)\w+(?:\.(?:append|extend|insert|remove|pop|clear)\(|\[[^]\n]{0,300}\]\s*=(?!=))"
    r"|\bdel\s+(?:[\w.]*\.)?(?=\w*arg)\w+\["
)


class Asks:
    """The words of a line are what the user of the command asks for."""


Line: TypeAlias = "list[str] | Asks | None"


def is_asked(evaluator: Evaluator, made: Made, world: World) -> bool:
    """Whether what a parser reads is what the user of the command writes."""
    return all(isinstance(words, Asks) for words, _ in lines(evaluator, made, world))


def lines(evaluator: Evaluator, made: Made, world: World) -> list[tuple[Line, World]]:
    """What a parser may read: the words of a line that the program has written, what the user asks for,
    or (None) nobody knows what."""
    given = made.arguments
    if not given.all():
        return [(Asks(), world)]
    line = given.keywords.get("args") or (given.positional[0] if given.positional else None)
    if line is None or len(given.all()) != 1:
        return [(None, world)]
    if line.expression is not None and is_users_line(line.expression):
        return [(Asks(), world)]
    changed = made.point.frame.module.says(_CHANGED)
    return [(_line(value, changed=changed), w) for value, w in evaluator.value_of(line, world)]


def _line(value: Value, *, changed: bool) -> Line:
    """The words of a line as a parser reads it; ``changed``: code may change lists of such words."""
    if isinstance(value, Unknown) and not changed and value.key == slice_of(External(ASKED)).key:
        return Asks()
    match value:
        case Const(value=None):
            return Asks()
        case Items(kind="list" | "tuple", items=items, open=False):
            words = [item.value for item in items if isinstance(item, Const) and isinstance(item.value, str)]
            return words if len(words) == len(items) else None
    return None


def still_parser(evaluator: Evaluator, node: ast.AST, point: Point, world: World) -> list[Outcome]:
    """The parser that a call of something unknown is given, and whose name then stands for what it gives:
    ``parser = deepspeed.add_config_arguments(parser)``."""
    match point.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if call is node:
            given = given_in(call)
            for argument in given:
                if isinstance(argument, ast.Name) and argument.id == name:
                    found = evaluator.values(argument, point, world)
                    whole = all(isinstance(value, Made) and value.name == PARSER for value, _ in found)
                    return found if whole else []
    return []
