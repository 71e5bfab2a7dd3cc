"""Puts what a script does behind ``if __name__ == "__main__":``; its definitions stay outside.

Nothing moves into a function, so the names stay the module's. Options and constants above a definition stay
there, constants also below what acts; what else stands between definitions moves to the end with the rest,
where the definitions mean the same without it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import libcst as cst

from dlint.changes.asked_scripts import why_needed_elsewhere
from dlint.finding import Finding
from dlint.knowledge.scripts import LEAVE_TRACES
from dlint.program.program import Program
from dlint.rewriting import header
from dlint.rewriting.edits import Edits
from dlint.rewriting.moved.script import Script, Statement, last_name
from dlint.rewriting.pieces.indenting import blank_lines_at_end, indented, lines_of
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.module import Module

_BY_HAND = 'put what starts the workers under `if __name__ == "__main__":`'
_LOOKS_AT_NAMES = frozenset({"globals", "locals", "vars", "exec"})
_MODELINE = re.compile(r"#.*\b(?:vim?:|ex:|-\*-|Local Variables|End:|fmt:|pylint:|ruff:|isort:)")
_MOST_BLOCKS = 2

Run = list[Statement]


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Guard what acts in the script, in one block where that can be."""
    with source.surroundings.asking() as program:
        others = any(program.modules.index.mentioning(word) for word in ("__init_subclass__", "metaclass"))
    script = Script(source, classes_are_made_by_others=others)
    top = _top(script, finding)
    guard = _guard(script, top)
    guarded, blocks = _chosen(script, top, guard)
    _check(script, guarded, guard)
    for block in blocks:
        _write(script, edits, block, guard if block is blocks[-1] else None)


def _top(script: Script, finding: Finding) -> Statement:
    """The statement of the script's body that starts the workers: where the finding stands, or at
    ``data["line"]`` where it calls the function that the finding stands in."""
    source = script.source
    line = finding.remedy.data.get("line") if finding.remedy else None
    if line is None:
        node = source.at(finding, cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement)
        top = script.statement_of(node)
    else:
        top = next((each for each in script.body if _has_line(source, each, line)), None)
    if top is None or script.defines(top):
        raise CannotRepair(_BY_HAND)
    if any(header.begins_cell(each) for each in script.body):
        raise CannotRepair(f"the file is a notebook's: {_BY_HAND}")
    return top


def _has_line(source: Source, statement: Statement, line: int) -> bool:
    (first, _), (last, _) = source.range(statement)
    return source.line_in_file(first) <= line <= source.line_in_file(last)


def _guard(script: Script, top: Statement) -> cst.If | None:
    """The main guard that ends the script, if there is one."""
    asking = [each for each in script.body if isinstance(each, cst.If) and "__name__" in _code(script, each)]
    if not asking:
        return None
    last = asking[0]
    plain = re.fullmatch(r"""\(?__name__ == ("__main__"|'__main__')\)?""", _code(script, last))
    if (
        len(asking) > 1
        or last is not script.body[-1]
        or last is top
        or plain is None
        or last.orelse is not None
        or not isinstance(last.body, cst.IndentedBlock)
    ):
        raise CannotRepair(_BY_HAND)
    return last


def _code(script: Script, statement: cst.If) -> str:
    return script.source.code(statement.test)


def _chosen(script: Script, top: Statement, guard: cst.If | None) -> tuple[Run, list[Run]]:
    """The statements that go behind the guard, and their blocks; constants between them stay where they are,
    unless more blocks come of that."""
    guarded = _guarded(script, top, guard, stay=script.is_constant)
    try:
        blocks = _blocks(script, guarded, guard)
    except CannotRepair:
        blocks = []
    if len(blocks) != 1:
        guarded = _guarded(script, top, guard, stay=lambda _: False)
        blocks = _blocks(script, guarded, guard)
    return guarded, blocks


def _guarded(script: Script, top: Statement, guard: cst.If | None, stay: Callable[[Statement], bool]) -> Run:
    """The statements that go behind the guard, in their order; ``stay`` is asked of those that stand above a
    definition and do not depend on what does."""
    body = script.body
    at = next(i for i, each in enumerate(body) if each is top)
    start = 1 + max((i for i, each in enumerate(body[:at]) if script.imports(each)), default=-1)
    start = max(start, header.after_docstring(body))
    for each in body[:start]:
        _check_before_imports(script, each)
    needed = _needed(script, body)
    found: Run = []
    names: set[str] = set()
    for run, is_last in _runs(script, body[start:], guard):
        kept = 0 if is_last else _options(script, run, names)
        if found and kept < len(run):
            kept = 0
        for index, each in enumerate(run):
            own = script.binds(each)
            free = script.is_setup(each) and not script.mentions(each) & names
            if free and (index < kept or (own & needed and all(map(script.bound_once, own)))):
                continue
            if not is_last and each is not top and stay(each) and script.is_plain(each, found):
                continue
            found.append(each)
            names |= own | _changed(script, each)
    if not any(each is top for each in found):
        raise CannotRepair(_BY_HAND)
    return found


def _check_before_imports(script: Script, statement: Statement) -> None:
    """Refuse where the script shows or changes something before it has imported all that it needs."""
    if script.defines(statement) or script.imports(statement):
        return
    calls = {last_name(call.func) for call in script.source.descendants(statement, cst.Call)}
    if isinstance(statement, cst.For | cst.While | cst.With) or calls & LEAVE_TRACES:
        raise CannotRepair(
            f"the script acts before it has imported what it needs: move the imports up, then {_BY_HAND}"
        )


def _runs(script: Script, body: Sequence[Statement], guard: cst.If | None) -> list[tuple[Run, bool]]:
    """The statements between definitions, run by run, and whether a run is the last before the end."""
    runs: list[Run] = [[]]
    for each in body:
        if each is guard:
            continue
        if script.defines(each):
            runs.append([])
        else:
            runs[-1].append(each)
    last = max((i for i, run in enumerate(runs) if run), default=0)
    return [(run, index == last) for index, run in enumerate(runs) if run]


def _options(script: Script, run: Run, names: set[str]) -> int:
    """How many statements at the head of a run need no guard: options, constants and the like."""
    kept = 0
    while kept < len(run) and script.is_setup(run[kept]) and not script.mentions(run[kept]) & names:
        kept += 1
    if kept < len(run):
        # What prepares the rest stays with it: `device = ...`, a seed.
        while kept and not script.is_option(run[kept - 1]):
            kept -= 1
    return kept


def _changed(script: Script, statement: Statement) -> set[str]:
    """The names whose objects a statement stores something in."""
    found: set[str] = set()
    for target in script.source.descendants(statement, cst.AssignTarget, cst.AugAssign, cst.AnnAssign):
        node: cst.CSTNode = target.target
        if isinstance(node, cst.Attribute | cst.Subscript):
            while isinstance(node, cst.Attribute | cst.Subscript):
                node = node.value
            if isinstance(node, cst.Name):
                found.add(node.value)
    return found


def _needed(script: Script, body: Sequence[Statement]) -> set[str]:
    """The names that definitions need, when they are made or in a worker."""
    source = script.source
    with source.surroundings.asking() as program:
        home = source.surroundings.module(source)
        run = _functions_of_workers(program)
        named = [getattr(node, "name", "") for module, node in run if module is home]
    needed = script.read_by_workers(named)
    for each in body:
        if script.defines(each):
            needed |= script.reads_at_once(each)
    return needed


def _functions_of_workers(program: Program) -> list[tuple[Module, ast.AST]]:
    """The functions of the program that its loaders' workers run, and their modules."""
    codes = [code for use in program.uses for code in (use.code, use.beside) if code is not None]
    return [(visit.frame.module, visit.function.node) for code in codes for visit in code.visits]


def _check_shared(script: Script, guarded: Run) -> None:
    """Refuse where the body changes what workers read in other modules: they would have it unchanged."""
    source = script.source
    changed: set[str] = set()
    for each in guarded:
        changed |= _changed(script, each) | _given_away(script, each)
    shared = {name for name in changed if script.is_imported_from(name)}
    if not shared:
        return
    with source.surroundings.asking() as program:
        home = source.surroundings.module(source)
        for module, function in _functions_of_workers(program):
            said = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            if module is not home and said & shared:
                raise CannotRepair(
                    f"workers read {min(said & shared)}, which the script's body changes: spawned ones would "
                    f"have it unchanged; hand it to the dataset, then {_BY_HAND}"
                )


def _given_away(script: Script, statement: Statement) -> set[str]:
    """The names that calls get whose results nobody takes, and those whose methods are called so."""
    found: set[str] = set()
    for each in script.source.descendants(statement, cst.Expr):
        if isinstance(each.value, cst.Call):
            given = [arg.value for arg in each.value.args]
            if isinstance(each.value.func, cst.Attribute):
                given.append(each.value.func.value)
            found |= {node.value for node in given if isinstance(node, cst.Name)}
    return found


def _blocks(script: Script, guarded: Run, guard: cst.If | None) -> list[Run]:
    """One block, where nothing between its parts minds; else one for each part, if they are two."""
    parts: list[Run] = []
    last = -2
    for index, each in enumerate(script.body):
        if any(each is other for other in guarded):
            if index == last + 1:
                parts[-1].append(each)
            else:
                parts.append([each])
            last = index
    if guard is None and len(parts) == 1:
        return parts
    end = next(i for i, each in enumerate(script.body) if each is (guard or guarded[-1]))
    above: Run = []
    mind = False
    for each in script.body[:end]:
        if any(each is other for other in guarded):
            above.append(each)
        elif above and not script.is_plain(each, above):
            mind = True
    if not mind:
        return [guarded]
    if guard is not None or len(parts) > _MOST_BLOCKS:
        raise CannotRepair(f"definitions need what the script does between them: {_BY_HAND}")
    return parts


def _set_by_functions(script: Script, said: set[str]) -> set[str]:
    """The globals that functions set which the script calls, or which those call."""
    functions = {
        each.name.value: each for each in script.source.descendants(script.source.module, cst.FunctionDef)
    }
    waiting, seen = list(said & functions.keys()), set(said)
    found: set[str] = set()
    while waiting:
        function = functions[waiting.pop()]
        for each in script.source.descendants(function, cst.Global):
            found |= {item.name.value for item in each.names}
        more = (script.source.names_in(function) & functions.keys()) - seen
        seen |= more
        waiting += more
    return found


def _check(script: Script, guarded: Run, guard: cst.If | None) -> None:
    """Refuse where someone needs a name that only the main process would have."""
    source = script.source
    said = {name for each in guarded for name in script.mentions(each)}
    if said & _LOOKS_AT_NAMES or any(_has_star(script, each) for each in guarded):
        raise CannotRepair(_BY_HAND)
    names = {name for each in guarded for name in script.binds(each)} | _set_by_functions(script, said)
    outside = [each for each in script.body if each is not guard and not any(each is one for one in guarded)]
    for each in outside:
        early = script.reads_at_once(each) & names
        if early:
            raise CannotRepair(f"a definition needs {min(early)}, which the script's body sets: {_BY_HAND}")
    in_workers = names & _needed(script, outside)
    in_workers = {name for name in in_workers if any(name in script.reads(each) for each in outside)}
    if in_workers:
        raise CannotRepair(
            f"functions that workers run read {min(in_workers)}, which the script's body sets: "
            f"hand it to them, then {_BY_HAND}"
        )
    kept = {name for each in outside for name in script.binds(each)}
    stale = kept & _needed(script, outside) & {name for each in guarded for name in _changed(script, each)}
    if stale:
        raise CannotRepair(f"workers would not see what the script's body stores in {min(stale)}: {_BY_HAND}")
    _check_shared(script, guarded)
    with source.surroundings.asking() as program:
        why = why_needed_elsewhere(program, source.surroundings.module(source), names)
        if why is not None:
            raise CannotRepair(f"{why}: {_BY_HAND}")


def _has_star(script: Script, statement: Statement) -> bool:
    return any(True for _ in script.source.descendants(statement, cst.ImportStar))


def _write(script: Script, edits: Edits, block: Run, guard: cst.If | None) -> None:
    """Take the statements away where they stand and write them under a guard."""
    source = script.source
    module = source.module
    spans = [lines_of(source, each) for each in block]
    footer = [line for line in module.footer if line.comment is not None]
    if (
        block[-1] is module.body[-1]
        and footer
        and not any(_MODELINE.match(_comment(line)) for line in footer)
    ):
        spans[-1] = (spans[-1][0], spans[-1][1] + len(module.footer))
        edits.change(module, lambda node: node.with_changes(footer=[]))
    own = guard.body.indent if guard is not None and isinstance(guard.body, cst.IndentedBlock) else None
    text = indented(source, spans, own or module.default_indent)
    test = f"if __name__ == {source.quote}__main__{source.quote}:{module.default_newline}"
    try:
        (new,) = cst.parse_module(test + text, config=module.config_for_parsing).body
    except (cst.ParserSyntaxError, ValueError) as error:  # lines that end in odd ways
        raise CannotRepair(f"the lines cannot be indented as a whole: {_BY_HAND}") from error
    assert isinstance(new, cst.If)
    for each in block:
        edits.remove(each)
    _space(script, edits, block)
    if guard is not None:
        moved = list(new.body.body)
        # Set off from the definition above it, where something has stood between.
        most = header.blank_lines(module.body)
        blank = most if any(each is script.body[-2] for each in block) else None

        def extended(node: cst.If) -> Statement:
            first, *rest = node.body.body
            assert isinstance(first, Statement)
            body = [*moved, header.spaced(first, 1), *rest]
            new = node.with_changes(body=node.body.with_changes(body=body))
            return new if blank is None else header.spaced(new, blank)

        edits.change(guard, extended)
        return
    body = list(module.body)
    index = next(i for i, each in enumerate(body) if each is block[-1])
    above = _above(script, block)
    # After imports as many as there were; formatters want one there, and leave two.
    most = header.blank_lines(body)
    wanted = min(2, max(1, _blank_lines(block[0]))) if above is not None and script.imports(above) else most
    blank = blank_lines_at_end(source, above) if above is not None else 0
    edits.insert_after(block[-1], [header.spaced(new, max(0, wanted - blank))])
    if index + 1 < len(body):
        edits.change(body[index + 1], lambda node: header.spaced(node, most))


def _space(script: Script, edits: Edits, block: Run) -> None:
    """Set off the definitions before which statements are taken away; what else stays there has the blank
    lines that those had above them."""
    blank, most = 0, header.blank_lines(script.source.module.body)
    for above, each in pairwise(script.body):
        if any(each is one for one in block):
            if not any(above is one for one in block):
                blank = _blank_lines(each)
        elif above is not block[-1] and any(above is one for one in block):
            lines = most if script.defines(each) else blank
            edits.change(each, partial(header.spaced, blank=lines))


def _blank_lines(statement: Statement) -> int:
    """The blank lines before a statement and its comments."""
    comments = (i for i, each in enumerate(statement.leading_lines) if each.comment is not None)
    return next(comments, len(statement.leading_lines))


def _above(script: Script, block: Run) -> Statement | None:
    """The statement that will stand before the guard."""
    index = next(i for i, each in enumerate(script.body) if each is block[-1])
    kept = [each for each in script.body[:index] if not any(each is one for one in block)]
    return kept[-1] if kept else None


def _comment(line: cst.EmptyLine) -> str:
    return line.comment.value if line.comment is not None else ""
