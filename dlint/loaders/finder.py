"""Where a program makes loaders: every call that gives one, whatever leads to its class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from dlint.calls.indirect.handed_on import Ways
from dlint.knowledge.loading import LOADERS, LoaderClass, loader_words
from dlint.loaders.loader_classes import NamedClasses
from dlint.loaders.loaders import Loader, is_as_written
from dlint.objects.initialisers import base_init_calls
from dlint.project.index.index import as_base
from dlint.regex import regex
from dlint.source.closures import trail_to
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, call_of, dotted, own_names, parameters, self_name
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.values import (
    Class,
    External,
    Instance,
    Partial,
    Super,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator

# A call, the trail to it, and its module.
_Call: TypeAlias = tuple[ast.Call, list[ast.AST], Module]
_GETATTR = regex(r"\bgetattr\(\s*[\w.]+\s*,\s*(['\"])(\w+)\1")
# What torch's loaders take as attributes as well, and read when an iteration begins.
_LATER = ("collate_fn", "worker_init_fn")


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
        self._found: dict[Module, list[_Call]] = {}
        # By the id of a call: the module that gives it, where that is another one than it stands in.
        self._given_by: dict[int, Module] = {}
        self._named = NamedClasses(evaluator) if made is Loader else None

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
        """The modules that may derive a class from a loader class, or import it under another name."""
        named = re.compile(as_base(word) + rb"|\b%b\s+as\s" % re.escape(word.encode()))
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
        """The loaders that a module builds, in order; so are those that others do by what it hands on to them
        (``LOADERS = {"plain": DataLoader}``), unless another module has given them."""
        seen: dict[int, Loader] = {}
        for call, path, where in self._all_calls(module):
            if where is not module and not self._is_to_give(call, where, module):
                continue
            loader = self._loader(call, path, where)
            if loader is not None:
                seen[id(call)] = loader
        for loader in self._named.loaders_of(module) if self._named is not None else ():
            seen[id(loader.call)] = loader
        yield from sorted(seen.values(), key=lambda loader: (loader.call.lineno, loader.call.col_offset))

    def _is_to_give(self, call: ast.Call, where: Module, module: Module) -> bool:
        """Whether a call that stands in another module is given by this one: not by its own, nor by one that
        was asked before."""
        if any(call is own and at is where for own, _, at in self._all_calls(where)):
            return False
        return self._given_by.setdefault(id(call), module) is module

    def _all_calls(self, module: Module) -> list[_Call]:
        """The calls of loader classes that a module writes, or hands those on to, each once."""
        found = self._found.get(module)
        if found is None:
            each: dict[int, _Call] = {}
            for word in self.words:
                for trail in module.paths_to(word) if word in module.text else ():
                    for call in self._calls(trail, module):
                        each.setdefault(id(call[0]), call)
            for trail in self._asked_for(module):
                for call in self._calls(trail, module):
                    each.setdefault(id(call[0]), call)
            found = self._found[module] = list(each.values())
        return found

    def _asked_for(self, module: Module) -> Iterator[list[ast.AST]]:
        """The trails to what asks for a loader class by its name: ``getattr(data, "DataLoader")``."""
        if "getattr(" not in module.text:
            return
        words = set(self.words)
        lines = [
            module.text.count("\n", 0, match.start()) + 1
            for match in _GETATTR.finditer(module.text)
            if match[2] in words
        ]
        for trail in module.trails_at(lines) if lines else ():
            for node in walk(trail[-1]):
                match node:
                    case ast.Call(
                        func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]
                    ) if name in words:
                        yield [*trail[:-1], *(trail_to(trail[-1], node) or [])]

    def _calls(self, trail: list[ast.AST], module: Module) -> Iterator[_Call]:
        """The calls of what a trail leads to, there or of what it is handed on as, each with the trail to it
        and its module."""
        called = call_of(trail)
        if called is not None:
            yield called[0], called[1][:-1], module
            return
        node, above = trail[-1], trail[-2] if len(trail) > 1 else None
        if not isinstance(node, ast.Call) and not isinstance(getattr(node, "ctx", None), ast.Load):
            return
        if isinstance(above, ast.Attribute) and above.attr == "__init__" and isinstance(trail[-3], ast.Call):
            yield trail[-3], trail[:-2], module
        elif Ways.leads_on(trail):
            self._evaluator.start()
            for call, way, where in Ways(self._evaluator, {}).calls(module, trail):
                yield call, way[:-1], where

    def _loader(self, call: ast.Call, trail: list[ast.AST], module: Module) -> Loader | None:
        evaluator = self._evaluator
        evaluator.start()
        point = evaluator.sites.point_of(module, trail)
        arguments = evaluator.calls.lazy.told(call, point)
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
        if len(loaders) < 2:
            return loaders[0] if loaders else None
        # Of several what is made where the user asks for nothing else, and flags are off.
        ways = [(each, world) for value, world in callees if (each := found[value.key]) is not None]
        chosen, _ = min(ways, key=lambda way: (any(evaluator.options.asked(way[1])), way[1].flags_on))
        return chosen

    def _of_callee(self, value: Value, call: ast.Call, point: Point, arguments: Arguments) -> Loader | None:
        if isinstance(value, Partial):
            return self._of_callee(value.callee, call, point, arguments.after(value.arguments))
        if isinstance(value, External):
            kind = self._kinds.get(value.name)
            if kind is None or _may_take_threads(kind, arguments):
                return None
            return self._made(self._evaluator, call, point, kind, set_behind(call, point, arguments))
        if isinstance(value, Class):
            kind = self._kind(value)
            if kind is None or _may_take_threads(kind, arguments):
                return None
            given = set_behind(call, point, self._through_init(value, call, point, arguments))
            loader = self._made(self._evaluator, call, point, kind, given, cls=value)
            if is_as_written(call, arguments):
                loader.again = partial(self._given_from, value, call)
            return loader
        return None

    def _given_from(self, cls: Class, call: ast.Call, point: Point) -> Arguments:
        """What the library's constructor gets by a call of a subclass, looked at from a point."""
        return set_behind(call, point, self._through_init(cls, call, point, arguments_of(call, point)))

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
                            given = given.without_first()
                        return _set_by_inits(frames, given)
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
                    arguments.without_first(),
                    inherited=True,
                    cls=owner,
                )
        return None


def _may_take_threads(kind: LoaderClass, given: Arguments) -> bool:
    """Whether a loader may have no worker processes, however many workers it is given."""
    if kind.threads is None:
        return False
    told = given.keywords.get(kind.threads)
    if told is None:
        return len(given.positional) > 1 or bool(given.spread or given.splats)
    return not (isinstance(told.expression, ast.Constant) and told.expression.value is False)


def _is_parameter(node: ast.expr, point: Point) -> bool:
    scope = point.frame.scope
    return (
        isinstance(node, ast.Name)
        and isinstance(scope, FunctionNode)
        and any(each.arg == node.id for each in parameters(scope))
    )


def _set_by_inits(frames: list[tuple[Class, Frame]], given: Arguments) -> Arguments:
    """The arguments of the library's constructor, with what the constructors of loader classes, the outermost
    first, store behind that call."""
    found: dict[str, Argument] = {}
    for _, frame in frames:
        scope = frame.scope
        if not isinstance(scope, ast.FunctionDef):
            continue
        above = [id(statement) for _, statement in base_init_calls(frame)]
        for at, statement in enumerate(scope.body):
            if id(statement) in above:
                receiver = self_name(scope)
                found = {**_stored_in(receiver, scope.body[at + 1 :], frame, None), **found}
                break
    return _given_later(given, found)


def set_behind(call: ast.Call, point: Point, given: Arguments) -> Arguments:
    """The arguments of a loader, with what the statements behind the call that makes it store in it."""
    match point.statement:
        case ast.Assign(targets=[target], value=value) if value is call:
            name = dotted(target)
            place = point.frame.layout.places.get(id(point.statement))
            if name is not None and place is not None:
                return _given_later(given, _stored_in(name, place.block[place.at + 1 :], point.frame, point))
    return given


def _stored_in(holder: str, block: list[ast.stmt], frame: Frame, made: Point | None) -> dict[str, Argument]:
    """What a block stores in any case in the attributes of what a name holds."""
    found: dict[str, Argument] = {}
    for statement in block:
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=held, attr=attribute)], value=value):
                if attribute in _LATER and dotted(held) == holder:
                    at = made.before(statement) if made is not None else Point(frame, statement)
                    found[attribute] = Argument(value, at)
        if holder in own_names(statement):
            break
    return found


def _given_later(given: Arguments, later: dict[str, Argument]) -> Arguments:
    if not later:
        return given
    return Arguments(given.positional, {**given.keywords, **later}, given.spread, given.splats)
