"""Where the program itself refuses what its options are as long as the user asks for nothing:
``if args.workers == 0: parser.error("...")``."""

from __future__ import annotations

import ast

from dlint.knowledge.commands import PARSER
from dlint.program.program import Program
from dlint.source.nodes import walk
from dlint.source.statements import dotted, ends
from dlint.values.facts import fits
from dlint.values.frame import Point
from dlint.values.values import External, Made, Value
from dlint.values.worlds import HERE, World


def is_refused(program: Program, option: External) -> bool:
    """Whether some test of an option, wherever it stands, ends the program as it comes out where all options
    have their defaults."""
    evaluator, index = program.evaluator, program.modules.index
    name = option.name.rpartition(".")[2]
    files = [relative for relative in index.mentioning(name) if not index.is_test(relative)]
    for module in program.modules.each(files):
        for trail in module.paths_to(name):
            at = max((n for n, node in enumerate(trail) if isinstance(node, ast.If | ast.Assert)), default=0)
            ways: list[tuple[bool, list[ast.stmt] | None]]
            match trail[at]:
                case ast.If(test=test, body=body, orelse=orelse):
                    ways = [(True, body), (False, orelse)]
                case ast.Assert(test=test):
                    ways = [(False, None)]
                case _:
                    continue
            read = trail[-1]
            if test is not trail[at + 1] or not isinstance(read, ast.expr):
                continue
            evaluator.start()
            point = evaluator.sites.point_of(module, trail[: at + 1])
            if not _may_be(option, [value for value, _ in evaluator.values(read, point)]):
                continue
            for wanted, block in ways:
                if (block is None or _stops(program, block, point)) and any(
                    _is_as_it_stands(program, test, point, world)
                    for world in evaluator.assume(test, wanted, point, HERE)
                ):
                    return True
    return False


def _may_be(option: External, values: list[Value]) -> bool:
    """Whether what a test reads may be an option, and is none that another parser reads."""
    read = [value.owner for value in values if isinstance(value, External)]
    return not read or any(
        made is None or option.owner is None or made.node is option.owner.node for made in read
    )


def _is_as_it_stands(program: Program, test: ast.expr, point: Point, world: World) -> bool:
    """Whether the options that a test reads may have their defaults in a world. Of those that are true or
    false the world itself does not tell."""
    if not world.is_as_it_stands:
        return False
    for node in walk(test):
        if isinstance(node, ast.Name | ast.Attribute):
            for value, _ in program.evaluator.values(node, point):
                default = program.evaluator.options.default(value, world)
                if default is not None and not fits(default, world.about(value.key)):
                    return False
    return True


def _stops(program: Program, block: list[ast.stmt], point: Point) -> bool:
    """Whether a block ends the program, for all that can be seen there."""
    match block:
        case [*_, ast.Return() | ast.Continue() | ast.Break()]:
            return False
        case [*_, ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr="error" | "exit")))] if (
            dotted(holder) != "sys"
        ):
            return "pars" in (dotted(holder) or "").lower() or any(
                isinstance(value, Made) and value.name == PARSER
                for value, _ in program.evaluator.values(holder, point)
            )
    return ends(block)
