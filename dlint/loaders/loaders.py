"""The program's loaders: where they are built, and what their arguments may be, path by path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import default_of
from dlint.evaluation.library.arguments import given_for
from dlint.knowledge.loading import SIGNATURE, LoaderClass
from dlint.loaders.given.put_right import is_put_right
from dlint.regex import regex
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import (
    FunctionNode,
    dotted,
    functions_in,
    parameters,
    self_name,
    statements_in,
)
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.outcomes import STORED, Outcome, each_once
from dlint.values.places import guards_around
from dlint.values.values import (
    Class,
    Const,
    Function,
    Key,
    Unknown,
    Value,
    is_none,
)
from dlint.values.worlds import FOLDED, HERE, World

# What asks the library for an iterator.
_ASKS_ABOVE = regex(r"\bsuper\([^)\n]{0,99}\)\.__iter__\(|\biter\(super\(|\b_get_iterator\(")

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# A way through the program to a loader: the arguments asked for (None: not given), and its world.
Way = tuple[dict[str, Value | None], World]
# More ways than this are not looked at.
MOST_WAYS = 64


def is_as_written(call: ast.Call, given: Arguments) -> bool:
    """Whether arguments are those that are written at a call, and no others."""
    written = {keyword.arg for keyword in call.keywords} - {None}
    return len(call.args) == len(given.positional) + len(given.spread) and written == given.keywords.keys()


def _asks_what_changes(point: Point) -> bool:
    """Whether a test in front of a point asks for an attribute that may be another by the time the function
    called there asks for it: what the scope itself stores, and the state of a method's own object."""
    frame, layout = point.frame, point.frame.layout
    stored = layout.binding(layout.body)
    own = None
    if frame.owner is not None and isinstance(frame.scope, FunctionNode):
        own = self_name(frame.scope)
    return any(
        isinstance(node, ast.Attribute)
        and ((isinstance(node.value, ast.Name) and node.value.id == own) or dotted(node) in stored)
        for guard in guards_around(point)
        for node in walk(guard.test)
    )


class Loader:
    """One construction of a loader.

    ``call`` is where it is written; ``arguments`` are those that torch's constructor gets in the end, and
    ``point`` the place from which they are looked at. ``inherited`` is a loader class's own call of
    ``super().__init__``: conflicts are judged there, its datasets where the class is used. ``named`` is such
    a call of a class that is only made by its name: it stands for its loaders, which are written nowhere
    else.
    ``on_device``: a library puts its batches on the device, which copies those for a GPU.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        call: ast.Call,
        point: Point,
        kind: LoaderClass,
        arguments: Arguments,
        *,
        inherited: bool = False,
        named: bool = False,
        cls: Class | None = None,
        on_device: bool = False,
    ) -> None:
        self._evaluator = evaluator
        self.call = call
        self.point = point
        self.kind = kind
        self.arguments = arguments
        self.inherited = inherited
        self.named = named
        self.cls = cls
        self.on_device = on_device
        # What torch's constructor gets, looked at from another point, where a loader class is called.
        self.again: Callable[[Point], Arguments] | None = None
        self._put_right: bool | None = None
        self._ways: dict[tuple[str, ...], list[Way]] = {}

    @property
    def module(self) -> Module:
        return self.point.frame.module

    def word_for(self, name: str) -> str:
        """What whoever writes the call names an argument."""
        return name

    def keyword(self, name: str) -> ast.keyword | None:
        """The keyword as it is written at the call, if it is."""
        return next((keyword for keyword in self.call.keywords if keyword.arg == name), None)

    def written(self, name: str) -> ast.expr | None:
        """The expression of an argument as it is written at the call, by keyword or by position."""
        keyword = self.keyword(name)
        if keyword is not None:
            return keyword.value
        init = self._own_init
        signature = [each.arg for each in parameters(init)[1:]] if init is not None else self.kind.signature
        if name in signature:
            index = signature.index(name)
            before = self.call.args[: index + 1]
            if len(before) == index + 1 and not any(isinstance(a, ast.Starred) for a in before):
                return before[index]
        return None

    def written_here(self, *names: str) -> tuple[ast.expr | ast.keyword, ...]:
        """Where some arguments stand in the call itself, those that do not left aside."""
        found = (self.keyword(name) or self.written(name) for name in names)
        parts = [*self.call.args, *self.call.keywords]
        return tuple(each for each in found if each is not None and any(each is part for part in parts))

    def in_options(self, name: str) -> ast.expr | None:
        """What an argument is in a dict that is written out and that the call takes by ``**options``."""
        taken = {
            each.value.id for each in self.call.keywords if not each.arg and isinstance(each.value, ast.Name)
        }
        scope = self.point.frame.scope
        if not taken or isinstance(scope, ast.Lambda) or self.written(name) is not None:
            return None
        for body in (scope.body, self.module.tree.body):
            for statement in statements_in(body):
                if isinstance(statement, ast.Assign) and any(
                    isinstance(each, ast.Name) and each.id in taken for each in statement.targets
                ):
                    value = _entry(statement.value, name)
                    if value is not None:
                        return value
        return None

    def may_leave_out(self, name: str) -> bool:
        """Whether an argument is written at the call, or in its options, and the call can do without it."""
        if self.keyword(name) is None and self.in_options(name) is None:
            torchs = self.cls is None and self.kind.signature == SIGNATURE
            whole = len(self.call.args) == len(self.arguments.positional)  # no partial, no self before them
            return torchs and whole and self.written(name) is not None
        init = self._own_init
        required = init is not None and any(each.arg == name for each in parameters(init))
        return init is None or not required or default_of(name, init) is not None

    def default_of_class(self, name: str) -> ast.expr | None:
        """What the program's own class of the loader makes of an argument that a call leaves out; None where
        that is torch's to say."""
        init = self._own_init
        return default_of(name, init) if init is not None else None

    @property
    def _own_init(self) -> FunctionNode | None:
        """The program's own constructor, where the call is one of a loader class that has one."""
        if self.cls is not None and not (self.inherited or self.named):
            for value, _ in self._evaluator.classes.member(self.cls, "__init__"):
                if isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
                    return value.node
        return None

    def put_on_device(self) -> Loader:
        """The same loader, made ready by a library that puts its batches on the device."""
        return Loader(
            self._evaluator,
            self.call,
            self.point,
            self.kind,
            self.arguments,
            inherited=self.inherited,
            named=self.named,
            cls=self.cls,
            on_device=True,
        )

    def by_callers(self) -> Iterator[Loader]:
        """The same as each call of the function around it alone has it: of what many callers give, only what
        they have in common is known."""
        frame, scope, again = self.point.frame, self.point.frame.scope, self.again
        if frame.caller is not None or not isinstance(scope, FunctionNode):
            return
        if again is None and (self.cls is not None or not is_as_written(self.call, self.arguments)):
            return
        for site in self._evaluator.sites.of(scope, frame):
            inside = Frame(
                frame.module,
                scope,
                frame.outer,
                arguments=site.arguments,
                receiver=frame.receiver,
                owner=frame.owner,
                caller=site.point,
                site=site.call,
            )
            point = Point(inside, self.point.statement)
            told = again(point) if again is not None else arguments_of(self.call, point)
            yield Loader(self._evaluator, self.call, point, self.kind, told, cls=self.cls)

    def ways(self, *names: str) -> list[Way]:
        """What the named arguments may be together, one entry for each way to get to the call."""
        known = self._ways.get(names)
        if known is None:
            self._evaluator.start()
            known = self._find_ways(names)
            # Within another question less may be known than at any other time.
            if not (self._evaluator.depth or self._evaluator.exhausted):
                self._ways[names] = known
        return known

    def _find_ways(self, names: tuple[str, ...]) -> list[Way]:
        if not names:
            # What the ways to the call have in common holds for all arguments alike.
            reaching = self._evaluator.flow.reaching(self.point, HERE)
            return [({}, world.forgetting(FOLDED)) for world in reaching]
        *before, name = names
        found = [
            ({**way, name: value}, v)
            for way, w in self.ways(*before)
            for value, v in self._argument(name, w)
            if v.may_be  # else this argument excludes those before
        ]
        return _first_of_each(
            [(way, there) for way, world in found if (there := self._as_come_to(world)) is not None]
        )

    def _as_come_to(self, world: World) -> World | None:
        """A world, and what else is known where the caller that led here comes to its call: the call that is
        for an evaluation is none of those with ``phase == "train"``. None where it does not, given all that
        is assumed."""
        frame, scope = self.point.frame, self.point.frame.scope
        caller = world.known(("caller", id(scope)))
        if caller is None or not isinstance(scope, FunctionNode):
            return world
        sites = self._evaluator.sites.of(scope, frame)
        if not 0 <= caller < len(sites):
            return world
        # What its objects hold by now the caller may have stored behind its test.
        assumed = world.forgetting(FOLDED).forgetting_all(STORED)
        reached = self._evaluator.flow.reaching(sites[caller].point, assumed)
        if not reached:
            return None
        if _asks_what_changes(sites[caller].point):
            return world
        return world.joined(reached[0].shared(reached[1:], ways=False).forgetting(FOLDED)) or world

    def values(self, name: str) -> list[Value | None]:
        """What one argument may be, each possibility once."""
        found = {}
        for way, _ in self.ways(name):
            value = way[name]
            found[value.key if value is not None else None] = value
        return list(found.values())

    def may_get(self, name: str) -> bool:
        """Whether an argument is given at all, as far as the call shows."""
        given, signature = self.arguments, self.kind.signature
        at = signature.index(name) if name in signature else len(given.positional)
        return name in given.keywords or at < len(given.positional) or bool(given.spread or given.splats)

    def given_to_workers(self, name: str) -> list[Outcome]:
        """What one argument may be, given at all, where the loader may have workers: each value once."""
        return each_once(
            [
                (value, world)
                for way, world in self.ways("num_workers", name)
                if (value := way[name]) is not None and not is_zero(way["num_workers"])
            ]
        )

    @property
    def may_have_workers(self) -> bool:
        """Whether the loader may start worker processes; an unknown number counts as some."""
        return any(not is_zero(value) for value in self.values("num_workers"))

    def may_have_workers_in(self, worlds: Iterable[World]) -> bool:
        """The same for the runs of which something is assumed, such as that they come to some other place."""
        evaluator = self._evaluator
        evaluator.start()
        return any(
            not (is_zero(value) or (value is not None and there.known(("truth", value.key)) is False))
            for assumed in worlds
            for world in evaluator.flow.reaching(self.point, assumed)
            for value, there in self._argument("num_workers", world.forgetting(FOLDED))
        )

    @property
    def keeps_workers(self) -> bool:
        """Whether the loader's workers surely stay from epoch to epoch."""
        return (
            self._goes_on()
            or self._keeps_any()
            or all(
                isinstance(value, Const) and value.value is True
                for value in self.values("persistent_workers")
            )
        )

    def _keeps_any(self) -> bool:
        """Whether the loader keeps its workers wherever it has some: ``persistent_workers=workers > 0``."""
        asked = [self.arguments.keywords.get(name) for name in ("num_workers", "persistent_workers")]
        given = [(each.expression, each.point) for each in asked if each is not None]
        match given:
            case [(ast.expr() as number, Point() as at), (ast.expr() as keeps, Point() as there)]:
                return at.key == there.key and _is_some(keeps, ast.dump(number))
        return False

    def _goes_on(self) -> bool:
        """Whether it is of a loader class that takes all its batches from one iterator, which
        its constructor makes: ``self.iterator = super().__iter__()``."""
        line = self._evaluator.classes.line(self.cls) if self.cls is not None else []
        methods = [
            (each.name, cls.module.text_of(each)) for cls in line for each in functions_in(cls.node.body)
        ]
        return any(name == "__init__" and _ASKS_ABOVE.search(text) for name, text in methods) and any(
            name == "__iter__" and "super(" not in text for name, text in methods
        )

    def _has_put_right(self) -> bool:
        if self._put_right is None:
            self._put_right = any(is_put_right(self._evaluator, options) for options in self.arguments.splats)
        return self._put_right

    def _argument(self, name: str, world: World) -> list[tuple[Value | None, World]]:
        arguments = self.arguments
        put_right = name not in arguments.keywords and self._has_put_right()
        if put_right:
            arguments = Arguments(arguments.positional, spread=arguments.spread)
        outcomes, worlds = given_for(self._evaluator, arguments, name, self.kind.signature, world)
        left_out = Unknown(("put right", id(self.call), name)) if put_right else None
        return [*outcomes, *((left_out, w) for w in worlds)]


def _entry(node: ast.expr, name: str) -> ast.expr | None:
    """What a dict that is written out has under a name."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    return value
        case ast.Call(func=ast.Name(id="dict")):
            return next((each.value for each in node.keywords if each.arg == name), None)
    return None


def _first_of_each(ways: list[Way]) -> list[Way]:
    """The first ways, as many as are looked at: of too many first one for each different thing that the
    arguments may be together."""
    if len(ways) <= MOST_WAYS:
        return ways
    seen: set[tuple[Key | None, ...]] = set()
    news: list[Way] = []
    others: list[Way] = []
    for way in ways:
        given = tuple(None if value is None else value.key for value in way[0].values())
        (others if given in seen else news).append(way)
        seen.add(given)
    return [*news, *others][:MOST_WAYS]


def _is_some(test: ast.expr, number: str) -> bool:
    """Whether a test asks whether a number, as it is written, is more than none."""
    match test:
        case ast.IfExp(test=inner, body=ast.Constant(value=True), orelse=ast.Constant(value=False)):
            return _is_some(inner, number)
        case ast.Call(func=ast.Name(id="bool"), args=[asked], keywords=[]):
            return ast.dump(asked) == number
        case ast.Compare(left=asked, ops=[ast.Gt() | ast.NotEq()], comparators=[ast.Constant(value=0)]):
            return ast.dump(asked) == number
        case ast.Compare(left=asked, ops=[ast.GtE()], comparators=[ast.Constant(value=1)]):
            return ast.dump(asked) == number
    return False


def is_given(value: Value | None) -> bool:
    """Whether a loader gets anything for an argument: not for one that is left out, or is None."""
    return value is not None and not is_none(value)


def is_zero(value: Value | None) -> bool:
    """Whether a number of workers is surely none."""
    return value is None or (isinstance(value, Const) and not value.value)
