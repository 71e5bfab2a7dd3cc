"""Frames and points: in whose call, and where in the text, an expression is looked at."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dlint.budget.budget import Place
from dlint.source.layout import Layout, forget_sets
from dlint.source.statements import Scope, parameters
from dlint.values.values import Key, Value, number

if TYPE_CHECKING:
    from dlint.source.module import Module
    from dlint.values.values import Class

_layouts: Final[dict[int, tuple[Scope, Layout]]] = {}


def layout_of(scope: Scope) -> Layout:
    """The scope's layout, read once."""
    held = _layouts.get(id(scope))
    if held is None or held[0] is not scope:
        held = (scope, Layout(scope))
        _layouts[id(scope)] = held
    return held[1]


def forget_layouts() -> None:
    """Lets go of the layouts, and with them of the trees, of the program looked at before."""
    _layouts.clear()
    forget_sets()


class Argument:
    """One argument of a call, looked at only when asked: an expression at a point, or a value.

    ``element`` means not the expression's value but what iterating over it gives, ``taken`` what a variable
    of a target gets of each of these: ``label`` of ``image, label``.
    """

    __slots__ = ("element", "expression", "point", "taken", "value")

    def __init__(
        self,
        expression: ast.expr | None,
        point: Point | None,
        value: Value | None = None,
        *,
        element: bool = False,
        taken: tuple[ast.Tuple | ast.List, str] | None = None,
    ) -> None:
        self.expression = expression
        self.point = point
        self.value = value
        self.element = element
        self.taken = taken

    @property
    def key(self) -> Key:
        if self.value is not None:
            return self.value.key
        whole = (id(self.expression), self.point.key if self.point else None)
        return whole if self.taken is None else (*whole, self.taken[1])


_NONE: Final[dict[str, Argument]] = {}


class Arguments:
    """The arguments of one call. ``spread`` holds ``*args`` values (with the index they follow),
    ``splats`` the ``**kwargs``; ``bound`` tells what partials have given of them. Nobody changes them: all
    that are none are one."""

    __slots__ = ("bound", "keywords", "positional", "splats", "spread")

    positional: Sequence[Argument]
    keywords: Mapping[str, Argument]
    spread: Sequence[Argument]
    splats: Sequence[Argument]

    def __init__(
        self,
        positional: Sequence[Argument] | None = None,
        keywords: Mapping[str, Argument] | None = None,
        spread: Sequence[Argument] | None = None,
        splats: Sequence[Argument] | None = None,
        bound: Key = None,
    ) -> None:
        self.bound = bound
        self.positional = positional or ()
        self.keywords = keywords or _NONE
        self.spread = spread or ()
        self.splats = splats or ()

    @property
    def key(self) -> Key:
        return number(
            (
                tuple(a.key for a in self.positional),
                tuple((name, a.key) for name, a in self.keywords.items()),
            )
        )

    def all(self) -> list[Argument]:
        return [*self.positional, *self.keywords.values(), *self.spread, *self.splats]

    def behind(self, receiver: Value | None) -> Arguments:
        """These arguments as a plain function gets them that stands in for a method: its object first."""
        if receiver is None:
            return self
        own = Argument(None, None, receiver)
        return Arguments([own, *self.positional], self.keywords, self.spread, self.splats, self.bound)

    def without_first(self) -> Arguments:
        """What a method gets behind its object, where that is written out with the others."""
        return Arguments(self.positional[1:], self.keywords, self.spread, self.splats, self.bound)

    def after(self, first: Arguments) -> Arguments:
        """These arguments behind those that a partial holds already."""
        return Arguments(
            [*first.positional, *self.positional],
            {**first.keywords, **self.keywords},
            [*first.spread, *self.spread],
            [*first.splats, *self.splats],
            (first.key, self.bound) if first.all() else self.bound,
        )


def arguments_of(call: ast.Call, point: Point) -> Arguments:
    """The arguments written at a call, to be looked at from that point."""
    positional: list[Argument] = []
    keywords: dict[str, Argument] = {}
    spread: list[Argument] = []
    splats: list[Argument] = []
    for item in call.args:
        if isinstance(item, ast.Starred):
            spread.append(Argument(item.value, point))
        else:
            positional.append(Argument(item, point))
    for keyword in call.keywords:
        if keyword.arg is None:
            splats.append(Argument(keyword.value, point))
        else:
            keywords[keyword.arg] = Argument(keyword.value, point)
    return Arguments(positional, keywords, spread, splats)


def told_beside(arguments: Arguments, site: ast.AST | None) -> Key:
    """What a call was given that the place of it does not tell. What a library calls stands at none of the
    program; a partial has given it something."""
    if site is None:
        return arguments.key if arguments.all() else None
    return arguments.bound


class Frame:
    """One activation of a scope.

    ``arguments`` is None when the function is looked at without a certain call: its parameters are then
    whatever the program's calls of it pass. ``receiver`` is self (or cls) in a method. ``caller`` is the
    frame that the call stands in, ``site`` the call.
    """

    __slots__ = (
        "_layout",
        "arguments",
        "caller",
        "depth",
        "key",
        "module",
        "outer",
        "owner",
        "receiver",
        "scope",
        "site",
    )

    def __init__(
        self,
        module: Module,
        scope: Scope,
        outer: Frame | None = None,
        *,
        arguments: Arguments | None = None,
        receiver: Value | None = None,
        owner: Class | None = None,
        caller: Point | None = None,
        site: ast.AST | None = None,
    ) -> None:
        self.module = module
        self.scope = scope
        self.outer = outer
        self.arguments = arguments
        self.receiver = receiver
        self.owner = owner
        self.site = site
        self._layout: Layout | None = None
        self.caller = caller.frame if caller is not None else None
        self.depth: int = self.caller.depth + 1 if self.caller is not None else 0
        self.key: Key = number(
            (
                id(scope),
                id(site) if site is not None and arguments is not None else None,
                told_beside(arguments, site) if arguments is not None else None,
                caller.key if caller and arguments is not None else None,
                receiver.key if receiver is not None else None,
                outer.key if outer is not None and outer.outer is not None else None,
            )
        )

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            self._layout = layout_of(self.scope)
        return self._layout

    def place(self) -> Place:
        """What a reader calls the scope, and where it stands."""
        name = getattr(self.scope, "name", "lambda" if isinstance(self.scope, ast.Lambda) else "the module")
        return Place(self.module.relative, getattr(self.scope, "lineno", 1), name)

    def times_inside(self, scope: Scope, receiver: Key) -> int:
        """How many calls of a function this frame stands in: its own, and those around it."""
        times = 0
        frame: Frame | None = self
        while frame is not None:
            if frame.scope is scope and receiver == (frame.receiver.key if frame.receiver else None):
                times += 1
            frame = frame.caller
        return times


class Point:
    """A place in a frame: just before ``statement`` runs; None means the end of the scope.

    ``locals`` are the variables of comprehensions around the expression. ``key`` is the frame's, or that of
    one round of a comprehension in it.
    """

    __slots__ = ("frame", "key", "locals", "statement")

    def __init__(
        self,
        frame: Frame,
        statement: ast.stmt | None,
        locals: dict[str, Argument] | None = None,
        key: Key = None,
    ) -> None:
        self.frame = frame
        self.statement = statement
        self.locals = locals or _NONE
        self.key: Key = frame.key if key is None else key

    def binding(self, more: dict[str, Argument]) -> Point:
        return Point(self.frame, self.statement, {**self.locals, **more}, self.key)

    def round(self, more: dict[str, Argument], which: Key) -> Point:
        """The point in one round of a comprehension: what it makes are objects of their own."""
        key = number(("round", self.key, which))
        return Point(self.frame, self.statement, {**self.locals, **more}, key)

    def before(self, statement: ast.stmt) -> Point:
        """The point before another statement of the same scope."""
        return Point(self.frame, statement, self.locals, self.key)


def given_to(frame: Frame, name: str) -> Argument | None:
    """What a certain call gives to a parameter of a function."""
    if frame.arguments is None or not isinstance(frame.scope, ast.FunctionDef):
        return None
    names = [each.arg for each in parameters(frame.scope)][frame.receiver is not None :]
    given = {**dict(zip(names, frame.arguments.positional, strict=False)), **frame.arguments.keywords}
    return given.get(name)
