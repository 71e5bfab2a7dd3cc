"""The program's loaders: where they are built, and what their arguments may be, path by path."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dlint.calls.parameters import default_of, passed
from dlint.evaluation.entries import ABSENT
from dlint.knowledge.loading import LOADERS, SIGNATURE, LoaderClass, loader_words
from dlint.objects.initialisers import base_init_calls
from dlint.project.index.index import as_base
from dlint.source.layout import FunctionNode, parameters, statements_in, steps
from dlint.source.module import Module
from dlint.values.frame import Argument, Arguments, Point, arguments_of, layout_of
from dlint.values.values import (
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Partial,
    Super,
    Unknown,
    Value,
)
from dlint.values.worlds import FOLDED, HERE, World

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# A way through the program to a loader: the arguments asked for (None: not given), and its world.
Way = tuple[dict[str, Value | None], World]
# More ways than this are not looked at.
MOST_WAYS = 64


class Loader:
    """One construction of a loader.

    ``call`` is where it is written; ``arguments`` are those that torch's constructor gets in the end, and
    ``point`` the place from which they are looked at. ``inherited`` is a loader class's own call of
    ``super().__init__``: conflicts are judged there, its datasets where the class is used.
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
        cls: Class | None = None,
        on_device: bool = False,
    ) -> None:
        self._evaluator = evaluator
        self.call = call
        self.point = point
        self.kind = kind
        self.arguments = arguments
        self.inherited = inherited
        self.cls = cls
        self.on_device = on_device
        self._put_right: bool | None = None

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

    def may_leave_out(self, name: str) -> bool:
        """Whether an argument is written at the call, and the call can do without it."""
        if self.keyword(name) is None:
            torchs = self.cls is None and self.kind.signature == SIGNATURE
            whole = len(self.call.args) == len(self.arguments.positional)  # no partial, no self before them
            return torchs and whole and self.written(name) is not None
        init = self._own_init
        required = init is not None and any(each.arg == name for each in parameters(init))
        return init is None or not required or default_of(name, init) is not None

    @property
    def _own_init(self) -> FunctionNode | None:
        """The program's own constructor, where the call is one of a loader class that has one."""
        if self.cls is not None and not self.inherited:
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
            cls=self.cls,
            on_device=True,
        )

    def ways(self, *names: str) -> list[Way]:
        """What the named arguments may be together, one entry for each way to get to the call."""
        evaluator = self._evaluator
        evaluator.start()
        # What the ways to the call have in common holds for all arguments alike.
        ways: list[Way] = [
            ({}, world.forgetting(FOLDED)) for world in evaluator.flow.reaching(self.point, HERE)
        ]
        for name in names:
            ways = _first_of_each(
                [({**found, name: value}, v) for found, w in ways for value, v in self._argument(name, w)]
            )
        return ways

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

    @property
    def may_have_workers(self) -> bool:
        """Whether the loader may start worker processes; an unknown number counts as some."""
        return any(not is_zero(value) for value in self.values("num_workers"))

    @property
    def keeps_workers(self) -> bool:
        """Whether the loader's workers surely stay from epoch to epoch."""
        return all(
            isinstance(value, Const) and value.value is True for value in self.values("persistent_workers")
        )

    def _has_put_right(self) -> bool:
        if self._put_right is None:
            self._put_right = any(self._is_put_right(options) for options in self.arguments.splats)
        return self._put_right

    def _is_put_right(self, options: Argument) -> bool:
        """Whether a dict of options is handed to a function of the program that changes it in place:
        ``fill_in(options)``."""
        point = options.point
        given = steps(options.expression)[0] if options.expression is not None else None
        if not isinstance(given, ast.Name) or point is None or isinstance(point.frame.scope, ast.Lambda):
            return False
        for statement in statements_in(point.frame.scope.body):
            match statement:
                case ast.Expr(value=ast.Call(args=[*args]) as call) if any(
                    isinstance(each, ast.Name) and each.id == given.id for each in args
                ):
                    for callee, _ in self._evaluator.values(call.func, Point(point.frame, statement)):
                        if isinstance(callee, Function) and any(
                            isinstance(value, ast.Name) and value.id == given.id and _changes(callee, name)
                            for name, value in passed(callee, call).items()
                        ):
                            return True
        return False

    def _argument(self, name: str, world: World) -> list[tuple[Value | None, World]]:
        evaluator = self._evaluator
        given = self.arguments
        if name in given.keywords:
            return list(evaluator.value_of(given.keywords[name], world))
        signature = self.kind.signature
        if name in signature:
            index = signature.index(name)
            if index < len(given.positional):
                return list(evaluator.value_of(given.positional[index], world))
        outcomes: list[tuple[Value | None, World]] = []
        worlds = [world]
        if given.spread and name in signature:
            worlds = []
            place = signature.index(name) - len(given.positional)
            for value, w in evaluator.value_of(given.spread[0], world):
                if isinstance(value, Items) and not value.open and place >= len(value.items):
                    worlds.append(w)
                else:
                    outcomes += [(item, w) for item in evaluator.containers.pick(value, Const(place))]
        if self._has_put_right():
            return [*outcomes, *((Unknown(("put right", id(self.call), name)), w) for w in worlds)]
        for argument in given.splats:
            following = []
            for start in worlds:
                for value, w in evaluator.entries.of_argument(argument, name, start):
                    if value is ABSENT:
                        following.append(w)
                    else:
                        outcomes.append((value, w))
            worlds = following
        return outcomes + [(None, w) for w in worlds]


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


def _changes(function: Function, name: str) -> bool:
    return isinstance(function.node, FunctionNode) and name in layout_of(function.node).changes


def is_zero(value: Value | None) -> bool:
    """Whether a number of workers is surely none."""
    return value is None or (isinstance(value, Const) and not value.value)


class LoaderFinder:
    """Finds the loaders of modules, or what else ``kinds`` names and is seen as ``made``."""

    def __init__(
        self, evaluator: Evaluator, kinds: Mapping[str, LoaderClass] = LOADERS, made: type[Loader] = Loader
    ) -> None:
        self._evaluator = evaluator
        self._kinds = kinds
        self._made = made
        self._modules = evaluator.modules
        self._words: list[str] | None = None

    @property
    def words(self) -> list[str]:
        """The names that loader classes go by in this program: the libraries' and its own subclasses'."""
        if self._words is None:
            self._words = list(loader_words(self._kinds))
            for word in self._words:  # grows meanwhile
                for module in self._naming(word):
                    for trail in module.paths_to(word):
                        self._words += [
                            node.name
                            for node in trail[-3:-1]
                            if isinstance(node, ast.ClassDef)
                            and node.name not in self._words
                            and any(trail[-1] in (base, getattr(base, "value", None)) for base in node.bases)
                        ]
                        self._words += self._renamed(trail[-1], word)
        return self._words

    def _naming(self, word: str) -> Iterator[Module]:
        """The modules that may derive a class from a loader class or import it under another name."""
        named = re.compile(as_base(word) + rb"|\b%b\s+as\s" % word.encode())
        return self._modules.each(
            relative
            for relative in self._modules.index.mentioning(word)
            if named.search(self._modules.index.data(relative))
        )

    def _renamed(self, node: ast.AST, word: str) -> list[str]:
        if isinstance(node, ast.alias) and node.asname and node.asname not in (self._words or ()):
            return [node.asname] if node.name.rpartition(".")[2] == word else []
        return []

    def files(self) -> list[str]:
        """The files that mention a loader class."""
        return sorted({file for word in self.words for file in self._modules.index.mentioning(word)})

    def of_module(self, module: Module) -> Iterator[Loader]:
        """The loaders that a module builds, in order."""
        seen: dict[int, Loader] = {}
        for word in self.words:
            if word not in module.text:
                continue
            for trail in module.paths_to(word):
                for call, path in self._calls(trail, module):
                    if id(call) not in seen:
                        loader = self._loader(call, path, module)
                        if loader is not None:
                            seen[id(call)] = loader
        yield from sorted(seen.values(), key=lambda loader: (loader.call.lineno, loader.call.col_offset))

    def _calls(
        self, trail: list[ast.AST], module: Module, seen: frozenset[int] = frozenset()
    ) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
        node, above = trail[-1], trail[-2] if len(trail) > 1 else None
        if isinstance(above, ast.Call) and above.func is node:
            yield above, trail[:-1]
            return
        if isinstance(above, ast.ClassDef) or (
            isinstance(above, ast.Attribute) and len(trail) > 2 and isinstance(trail[-3], ast.ClassDef)
        ):
            return
        if isinstance(above, ast.Attribute) and above.attr == "__init__" and isinstance(trail[-3], ast.Call):
            yield trail[-3], trail[:-2]
            return
        if isinstance(above, ast.arguments) and isinstance(trail[-3], FunctionNode):
            yield from _calls_of_parameter(node, trail[-3], module)
            return
        statement = next((n for n in reversed(trail) if isinstance(n, ast.stmt)), None)
        if (
            isinstance(statement, ast.Assign)
            and isinstance(node, ast.Name | ast.Attribute)
            and id(statement) not in seen
        ):
            # The class under another name, in a table or a partial: look at the calls of that name in the
            # same scope, and of what is made of that in turn.
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    for other in module.paths_to(target.id):
                        if isinstance(statement.value, ast.Dict) and isinstance(other[-2:][0], ast.Subscript):
                            other = other[:-1]
                        call = other[-2] if len(other) > 1 else None
                        if isinstance(call, ast.Call) and call.func is other[-1]:
                            yield call, other[:-1]
                        elif isinstance(call, ast.Call):
                            yield from self._calls(other, module, seen | {id(statement)})

    def _loader(self, call: ast.Call, trail: list[ast.AST], module: Module) -> Loader | None:
        evaluator = self._evaluator
        evaluator.start()
        point = evaluator.sites.point_of(module, trail)
        arguments = arguments_of(call, point)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
            return self._inherited(call, point, arguments)
        callees = evaluator.values(call.func, point)
        if isinstance(call.func, ast.Subscript) and len(callees) > 1:
            return None  # a table of several: each may be given other arguments
        found = {value.key: self._of_callee(value, call, point, arguments) for value, _ in callees}
        loaders = [loader for loader in found.values() if loader is not None]
        if len(loaders) < len(found) and _is_parameter(call.func, point):
            others = (value for value, _ in callees if found[value.key] is None)
            if not all(isinstance(value, Unknown) for value in others):
                return None  # the same holds of a class that callers choose
        return loaders[0] if loaders else None

    def _of_callee(self, value: Value, call: ast.Call, point: Point, arguments: Arguments) -> Loader | None:
        if isinstance(value, Partial):
            return self._of_callee(value.callee, call, point, arguments.after(value.arguments))
        if isinstance(value, External):
            kind = self._kinds.get(value.name)
            return self._made(self._evaluator, call, point, kind, arguments) if kind else None
        if isinstance(value, Class):
            kind = self._kind(value)
            if kind is None:
                return None
            given = self._through_init(value, call, point, arguments)
            return self._made(self._evaluator, call, point, kind, given, cls=value)
        return None

    def _kind(self, cls: Class) -> LoaderClass | None:
        for name in sorted(self._evaluator.classes.libraries(cls)):
            if name in self._kinds:
                return self._kinds[name]
        return None

    def _through_init(self, cls: Class, call: ast.Call, point: Point, arguments: Arguments) -> Arguments:
        """What the library's constructor gets when a subclass of the program is called."""
        classes = self._evaluator.classes
        instance = Instance(cls, arguments, call, point.key)
        frames = self._evaluator.initialisers.of(instance)
        if not frames:
            return arguments
        for owner, frame in reversed(frames):
            for init, statement in base_init_calls(frame):
                at = Point(frame, statement)
                assert isinstance(init.func, ast.Attribute)
                for base, _ in self._evaluator.values(init.func.value, at):
                    own = isinstance(base, Super) and not classes.member_above(owner, "__init__")
                    if own or isinstance(base, External):
                        given = arguments_of(init, at)
                        if isinstance(base, External):
                            given = _without_first(given)
                        return given
        return Arguments(splats=[Argument(None, None, Unknown(("init", cls.key)))])

    def _inherited(self, call: ast.Call, point: Point, arguments: Arguments) -> Loader | None:
        """``DataLoader.__init__(self, ...)`` in a class derived from a library's loader; ``super().__init__``
        names none, and is found by its class."""
        assert isinstance(call.func, ast.Attribute)
        for base, _ in self._evaluator.values(call.func.value, point):
            owner = point.frame.owner
            if isinstance(base, External) and base.name in self._kinds and owner is not None:
                return self._made(
                    self._evaluator,
                    call,
                    point,
                    self._kinds[base.name],
                    _without_first(arguments),
                    inherited=True,
                    cls=owner,
                )
        return None


def _is_parameter(node: ast.expr, point: Point) -> bool:
    scope = point.frame.scope
    return (
        isinstance(node, ast.Name)
        and isinstance(scope, FunctionNode)
        and any(each.arg == node.id for each in parameters(scope))
    )


def _calls_of_parameter(
    default: ast.AST, function: FunctionNode, module: Module
) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """The calls, in a function, of the parameter that has something as its default: ``klass=DataLoader``."""
    for parameter in parameters(function):
        if default_of(parameter.arg, function) is default:
            for trail in module.paths_to(parameter.arg):
                call = trail[-2] if len(trail) > 1 else None
                if isinstance(call, ast.Call) and call.func is trail[-1] and function in trail:
                    yield call, trail[:-1]


def _without_first(arguments: Arguments) -> Arguments:
    return Arguments(arguments.positional[1:], arguments.keywords, arguments.spread, arguments.splats)
