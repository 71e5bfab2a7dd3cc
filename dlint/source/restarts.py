"""Where a file makes an iterator and takes one thing out of it: ``next(iter(x))``, in one step or in two,
``next(enumerate(x))``, ``next(cycle(x))``, ``next(zip(x, y))``, ``next(x.__iter__())``,
``next(y for y in x)``, ``islice(x, 1)``, be that a number by its name, ``more_itertools.first(x)``, or a loop
that its first round ends."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import dotted

_NEXTS = ("next", "__next__")
_AGAIN = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# In what both steps may stand one after the other, and what is run later, or again.
_STEPS_IN = (*_AGAIN, ast.FunctionDef)
_LATER = (*_AGAIN, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# How a loop begins, and what ends it.
_LOOP = regex(r"[ \t]*(?:async[ \t]+)?for\b")
_LEAVES = regex(r"(?:break|return)\b")
_LEFT_BESIDE = regex(r"[:;][ \t]*(?:break|return)\b")
# One thing, or as many as something says.
_SOME = regex(r",\s*(?:1|[A-Za-z_][\w.]{0,99})\s*\)")
_COUNTED = regex(r"\bnext\(\s*(?:enumerate|zip|(?:itertools\.)?cycle)\(")
_GENERATED = regex(r"\bnext\(\s*\(?[^\n()]{1,99}\sfor\b")
_BY_METHOD = regex(r"\.__iter__\(\)\s*(?:\)|\.__next__\()")
# Who gives the first thing by the name ``first``: whoever asks must look whether it is theirs.
FIRSTS = frozenset({"more_itertools.first", "toolz.first", "cytoolz.first", "funcy.first"})
_OF_FIRST = regex(r"^[ \t]*(?:import|from)[ \t]+(?:more_itertools|cytoolz|toolz|funcy)\b", re.MULTILINE)
_BARS = frozenset({"tqdm", "track"})
_NEXT = "next(iter({}))"
_FIRST = "first({})"
_LEFT_AT_ONCE = "for ... in {}, left at once,"


class Restart(NamedTuple):
    """One of them: the nodes down to it, the expression that takes the thing, what is gone through, whether
    it is written as one expression, how, and whether it leaves the function with it. Where a method makes
    the iterator for others of its object to take from, the attribute by which it is ``kept``."""

    trail: list[ast.AST]
    taking: ast.expr
    source: ast.expr
    at_once: bool
    spelling: str = _NEXT
    returns: bool = False
    number: ast.expr | None = None
    kept: str | None = None

    @property
    def is_of_function(self) -> bool:
        """Whether each call of a function comes to it, and makes an iterator of its own."""
        return self.at_once or isinstance(self.trail[-2], ast.FunctionDef)

    @property
    def is_next(self) -> bool:
        return self.spelling == _NEXT

    @property
    def called(self) -> ast.expr | None:
        """What is called by a name that others may have, too."""
        return self.taking.func if self.spelling == _FIRST and isinstance(self.taking, ast.Call) else None


def restarts(module: Module) -> Iterator[Restart]:
    """Every place of a module that starts an iterator for one thing, or for what others take of it."""
    for each in _restarts(module):
        yield from _of_each(each)


def _of_each(restart: Restart) -> Iterator[Restart]:
    """A restart of what stands in a progress bar, or is numbered, and of each thing that ``zip`` goes
    through."""
    match restart.source:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[source, *_]) if name in _BARS:
            shown = restart.spelling.format(f"{name}({{}})")
            yield from _of_each(restart._replace(source=source, spelling=shown))
        case ast.Call(func=ast.Name(id="enumerate"), args=[source, *_]):
            shown = restart.spelling.format("enumerate({})")
            yield from _of_each(restart._replace(source=source, spelling=shown))
        case ast.Call(func=ast.Name(id="zip"), args=sources):
            for source in sources:
                among = ("{}" if each is source else dotted(each) or "..." for each in sources)
                shown = restart.spelling.format(f"zip({', '.join(among)})")
                yield from _of_each(restart._replace(source=source, spelling=shown))
        case _:
            yield restart


def _restarts(module: Module) -> Iterator[Restart]:
    for trail in module.paths_to("iter"):
        if len(trail) < 3:
            continue
        inner, outer = trail[-2], trail[-3]
        if not isinstance(inner, ast.Call) or inner.func is not trail[-1] or len(inner.args) != 1:
            continue
        if isinstance(outer, ast.Attribute) and outer.attr in _NEXTS and len(trail) > 3:
            call = trail[-4]
            if isinstance(call, ast.Call) and call.func is outer:
                yield Restart(trail[:-3], call, inner.args[0], True)
        elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id == "next":
            yield Restart(trail[:-2], outer, inner.args[0], True)
        elif isinstance(outer, ast.Assign) and outer.value is inner and isinstance(trail[-4], _STEPS_IN):
            taken = _taken(trail[-4], outer, trail)
            if taken is not None:
                yield Restart(trail[:-2], taken, inner.args[0], False)
            elif (kept := _kept(trail[-4], outer)) is not None:
                yield Restart(trail[:-2], inner, inner.args[0], False, kept=kept)

    for giver in ("enumerate", "cycle"):
        for trail in module.paths_to(giver, called=True):
            match trail[-3:-1]:
                case [ast.Call(func=ast.Name(id="next")) as taking, ast.Call(args=[source, *_]) as inner] if (
                    inner in taking.args and inner.func is trail[-1]
                ):
                    yield Restart(trail[:-2], taking, source, True, f"next({giver}({{}}))")
    for trail in module.paths_to("__iter__", called=True):
        match trail[-4:]:
            case [*_, ast.Call(func=ast.Name(id="next")) as taking, ast.Call(args=[]) as inner, iterating]:
                above = trail[:-2]
            case [ast.Call() as taking, ast.Attribute() as asked, ast.Call(args=[]) as inner, iterating] if (
                taking.func is asked and asked.attr in _NEXTS
            ):
                above = trail[:-3]
            case _:
                continue
        if isinstance(iterating, ast.Attribute) and inner.func is iterating:
            yield Restart(above, taking, iterating.value, True, "next({}.__iter__())")
    for trail in module.paths_to("next", called=True) if _GENERATED.search(module.text) else ():
        match trail[-2]:
            case (
                ast.Call(
                    args=[
                        ast.GeneratorExp(generators=[ast.comprehension(iter=source, ifs=[], is_async=0)]),
                        *_,
                    ]
                ) as call
            ) if call.func is trail[-1]:
                yield Restart(trail[:-1], call, source, True, "next(... for ... in {})")
    for trail in module.paths_to("zip", called=True):
        match trail[-3:-1]:
            case [ast.Call(func=ast.Name(id="next")) as taking, ast.Call() as inner] if (
                inner in taking.args[:1] and inner.func is trail[-1]
            ):
                yield Restart(trail[:-2], taking, inner, True, "next({})")
    for trail in module.paths_to("islice", called=True):
        match trail[-2]:
            case ast.Call(args=[source, ast.Constant(value=1)], keywords=[]) as call if (
                call.func is trail[-1]
            ):
                yield Restart(trail[:-1], call, source, True, "islice({}, 1)")
            case ast.Call(args=[source, ast.Name() | ast.Attribute() as count], keywords=[]) as call if (
                call.func is trail[-1] and (name := dotted(count)) is not None
            ):
                yield Restart(trail[:-1], call, source, True, f"islice({{}}, {name})", number=count)
    if _OF_FIRST.search(module.text):
        for trail in module.paths_to("first", called=True):
            match trail[-2]:
                case ast.Call(args=[source, *_]) as call if call.func is trail[-1]:
                    yield Restart(trail[:-1], call, source, True, _FIRST)
    lines = [number for number, line in enumerate(module.lines, 1) if _LOOP.match(line)]
    for trail in module.trails_at(lines):
        match trail[-1]:
            case ast.For(iter=through, body=[*_, ast.Break() | ast.Return() as last]) as loop if takes_first(
                loop
            ):
                match through:
                    case ast.Call(func=ast.Name(id="enumerate"), args=[source]):
                        pass
                    case source:
                        pass
                yield Restart(
                    [*trail, through], through, source, True, _LEFT_AT_ONCE, isinstance(last, ast.Return)
                )


def may_restart(text: str) -> bool:
    """Whether a file's text may have one of them that is no ``next``."""
    return (
        ("islice" in text and _SOME.search(text) is not None)
        or ("first" in text and _OF_FIRST.search(text) is not None)
        or ("next" in text and any(each.search(text) for each in (_COUNTED, _GENERATED, _BY_METHOD)))
        or _may_be_left(text)
    )


def _may_be_left(text: str) -> bool:
    """Whether by its indentation a ``break`` or ``return`` stands in a loop's own body."""
    # The lines around a line: how far each is indented, and whether it is a loop's.
    around: list[tuple[int, bool]] = []
    for line in text.splitlines():
        written = line.lstrip()
        if not written or written[0] == "#":
            continue
        indent, above = len(line) - len(written), False
        while around and around[-1][0] >= indent:
            above = around.pop()[1]
        if around and around[-1][1] and _LEAVES.match(written):
            return True
        # What closes a bracket ends what began before it.
        is_loop = above if written[0] in ")]}" else _LOOP.match(written) is not None
        if is_loop and _LEFT_BESIDE.search(written):
            return True
        around.append((indent, is_loop))
    return False


def takes_first(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop is surely left in its first round, for which it is there: all that it does is done with
    one thing, once."""
    inside = [node for statement in loop.body for node in walk(statement)]
    return isinstance(loop.body[-1], ast.Break | ast.Return) and not any(
        isinstance(node, (ast.Continue, *_AGAIN)) for node in inside
    )


def _taken(loop: ast.AST, statement: ast.Assign, trail: list[ast.AST]) -> ast.Call | None:
    """The call that takes one thing out of what a statement of a loop's body, or of a function's, has just
    made, if nothing else is done with it there, nor, where an object keeps it, in another place of the
    file."""
    body = getattr(loop, "body", [])
    target = statement.targets[0]
    name = dotted(target) if isinstance(target, ast.Name | ast.Attribute) else None
    if name is None or len(statement.targets) > 1 or statement not in body:
        return None
    taken: list[ast.Call] = []
    others = 0
    if any(isinstance(each, ast.Global | ast.Nonlocal) and name in each.names for each in body):
        return None
    for each in body[body.index(statement) + 1 :]:
        again = isinstance(each, _LATER)
        for node in walk(each):
            again = again or isinstance(node, _LATER)
            match node:
                case ast.Call(func=ast.Name(id="next"), args=[given, *_]) if dotted(given) == name:
                    taken.append(node)
                case ast.Call(func=ast.Attribute(value=given, attr=method)) if dotted(given) == name:
                    if method in _NEXTS:
                        taken.append(node)
                case ast.Name() | ast.Attribute() if dotted(node) == name:
                    others += 1
        if again and any(
            isinstance(node, ast.Name | ast.Attribute) and dotted(node) == name for node in walk(each)
        ):
            return None
    if len(taken) != 1 or others != 1:
        return None
    if isinstance(target, ast.Attribute) and _reads(trail[0], target.attr) > 1:
        return None
    return taken[0]


def _kept(method: ast.AST, statement: ast.Assign) -> str | None:
    """The attribute by which the object of a method has what a statement of it has just made."""
    match method, statement.targets:
        case ast.FunctionDef(args=ast.arguments(args=[ast.arg(arg=own), *_]), body=body), [
            ast.Attribute(value=ast.Name(id=holder), attr=name)
        ] if holder == own and statement in body:
            return name
    return None


def _reads(tree: ast.AST, name: str) -> int:
    """How often an attribute of a name is read."""
    return sum(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        for node in walk(tree)
    )


def base_of(source: ast.expr) -> str | None:
    """The dotted name of what is gone through, or of what it is picked from (``loaders[k]``)."""
    return dotted(source.value if isinstance(source, ast.Subscript) else source)
