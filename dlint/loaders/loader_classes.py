"""Loader classes of the program, judged by themselves: what their ``__init__`` gives to the library's.

So are those that are only made by a name, ``getattr(module, config["type"])(**args)``: their loaders are
there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.loading import LOADER_WORDS, LOADERS, LoaderClass
from dlint.loaders.conflicts import Conflict, Judge, conflicts
from dlint.loaders.loaders import Loader
from dlint.objects.initialisers import base_init_calls
from dlint.regex import regex
from dlint.source.module import TYPE_PARAMETERS, Module
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode, functions_in
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.values import Class, External, Instance, Super, Unknown

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.program import Program

_DERIVED = regex(rb"^[ \t]*class[ \t]+\w+%b\([^)]{0,2000}Loader" % TYPE_PARAMETERS.encode(), re.MULTILINE)
_CLASS = regex(rf"^[ \t]*class[ \t]+(\w+){TYPE_PARAMETERS}\(([^)]{{0,2000}})", re.MULTILINE)
# What finds a class by its name, not what an object holds, and how many files are looked at for such: those
# first that speak of loaders.
_ASKING = ("getattr(", "globals()", "eval(")
_ASKS = regex(
    rb"(?<![.\w])(?:getattr\((?!\s*(?:self|cls)\s*[.,]|[^,\n]{1,99},\s*['\"])|eval\((?!['\"])|globals\(\)\s*[\[.])"
)
_MOST_FILES = 24
# What looking for the class that one name means may cause to be asked: most such names are of no class.
_STEPS = 150


def conflicting(
    program: Program, names: tuple[str, ...], judge: Judge, needs: tuple[str, ...]
) -> Iterator[tuple[Loader, Conflict]]:
    """The loaders of this block whose arguments conflict, with the conflict.

    There is none where an argument that the judge ``needs`` is not given at all. What a loader class sets by
    itself is judged once, at its own ``super().__init__(...)``; what its callers bring together, where they
    call the class.
    """
    by_themselves: set[int] = set()
    for loader in loader_classes(program):
        conflict = conflicts(loader, names, judge) if all(map(loader.may_get, needs)) else None
        if conflict is not None and loader.cls is not None:
            by_themselves.add(id(loader.cls.node))
            if program.mine(loader.module.relative):
                yield loader, conflict
    for loader in program.loaders:
        if loader.inherited or not all(map(loader.may_get, needs)):
            continue
        line = program.evaluator.classes.line(loader.cls) if loader.cls is not None else []
        if any(id(cls.node) in by_themselves for cls in line):
            continue
        conflict = conflicts(loader, names, judge)
        if conflict is not None:
            yield loader, conflict


def loader_classes(program: Program) -> Iterator[Loader]:
    """The calls of the library's ``__init__`` in the program's loader classes, whoever makes an instance."""
    evaluator = program.evaluator
    index = program.modules.index
    files = (
        relative
        for relative in sorted({file for word in LOADER_WORDS for file in index.mentioning(word)})
        if b"__init__" in (data := index.data(relative)) and _DERIVED.search(data)
    )
    for module in program.modules.each(files):
        for cls in _classes(evaluator, module):
            yield from _of_class(evaluator, cls)


class NamedClasses:
    """The loader classes that the program finds by names: whoever makes one does not write which."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._found: set[int] | None = None

    def loaders_of(self, module: Module) -> Iterator[Loader]:
        """The calls of the library's ``__init__`` in those of a module that no call makes by their own
        names; what they are given is what the classes below them give."""
        if not _derives(module.text):
            return
        for cls in _classes(self._evaluator, module):
            init = _own_init(cls)
            if init is None or self._kind(cls) is None:
                continue
            frame = Frame(cls.module, init, Frame(cls.module, cls.node, cls.frame), owner=cls)
            if not self._is_written(init, frame, ()) and id(cls.node) in self._by_name():
                yield from _own_calls(self._evaluator, cls, frame, named=True)

    def _kind(self, cls: Class) -> LoaderClass | None:
        return _kind(self._evaluator, cls)

    def _by_name(self) -> set[int]:
        """The classes, by id of their node, that names may mean, and those above them."""
        if self._found is None:
            self._found = set()
            index = self._evaluator.modules.index
            mentioning = sorted({file for word in _ASKING for file in index.mentioning(word)})
            files = [
                each for each in mentioning if not index.is_test(each) and _ASKS.search(index.data(each))
            ]
            files.sort(key=lambda each: b"oader" not in index.data(each))
            for module in self._evaluator.modules.each(files[:_MOST_FILES]):
                lines = [line for line, text in enumerate(module.lines, 1) if _ASKS.search(text.encode())]
                for trail in module.trails_at(lines):
                    for node in walk(trail[-1]) if isinstance(trail[-1], ast.stmt) else ():
                        if isinstance(node, ast.Call | ast.Subscript) and _is_asked(node):
                            self._take(node, module, [*trail, node])
        return self._found

    def _take(self, node: ast.expr, module: Module, trail: list[ast.AST]) -> None:
        assert self._found is not None
        self._evaluator.start(_STEPS)
        for value, _ in self._evaluator.values(node, self._evaluator.sites.point_of(module, trail)):
            if isinstance(value, Class) and self._kind(value) is not None:
                self._found.update(id(each.node) for each in self._evaluator.classes.line(value))

    def _is_written(self, init: FunctionNode, frame: Frame, seen: tuple[int, ...]) -> bool:
        """Whether a class, or one below it, is made where that is written, not only by its name."""
        index = self._evaluator.modules.index
        for site in self._evaluator.sites.of(init, frame):
            func, above = site.call.func, site.point.frame
            if not (isinstance(func, ast.Attribute) and func.attr == "__init__"):
                if not index.is_test(above.module.relative):
                    return True
            elif (
                isinstance(above.scope, FunctionNode)
                and id(above.scope) not in seen
                and self._is_written(above.scope, above, (*seen, id(init)))
            ):
                return True
        return False


def _is_asked(node: ast.Call | ast.Subscript) -> bool:
    """Whether an expression may find a class by a name that is not written there."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, asked, *_]):
            return not isinstance(asked, ast.Constant)
        case ast.Call(func=ast.Name(id="eval"), args=[asked, *_]):
            return not isinstance(asked, ast.Constant)
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals"), args=[]), slice=asked):
            return not isinstance(asked, ast.Constant)
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="globals"), args=[]), attr="get")):
            return True
    return False


def _derives(text: str) -> bool:
    return "__init__" in text and any("Loader" in match[2] for match in _CLASS.finditer(text))


def _classes(evaluator: Evaluator, module: Module) -> Iterator[Class]:
    """The classes of a module whose bases look like loaders."""
    for match in _CLASS.finditer(module.text):
        if "Loader" in match[2]:
            for trail in module.paths_to(match[1]):
                node = trail[-1]
                if isinstance(node, ast.ClassDef):
                    evaluator.start()
                    yield Class(node, evaluator.sites.frame_of(module, trail))


def _kind(evaluator: Evaluator, cls: Class) -> LoaderClass | None:
    return next((LOADERS[name] for name in sorted(evaluator.classes.libraries(cls)) if name in LOADERS), None)


def _own_init(cls: Class) -> FunctionNode | None:
    return next((each for each in functions_in(cls.node.body) if each.name == "__init__"), None)


def _of_class(evaluator: Evaluator, cls: Class) -> Iterator[Loader]:
    init = _own_init(cls)
    if init is None or _kind(evaluator, cls) is None:
        return
    anything = Argument(None, None, Unknown(("whoever makes it", id(init))))
    frame = Frame(
        cls.module,
        init,
        Frame(cls.module, cls.node, cls.frame),
        arguments=Arguments(spread=[anything], splats=[anything]),
        receiver=Instance(cls, None, None),
        owner=cls,
    )
    yield from _own_calls(evaluator, cls, frame)


def _own_calls(evaluator: Evaluator, cls: Class, frame: Frame, *, named: bool = False) -> Iterator[Loader]:
    """The loaders that a constructor's own calls of the library's make."""
    kind = _kind(evaluator, cls)
    for call, statement in base_init_calls(frame) if kind is not None else ():
        assert isinstance(call.func, ast.Attribute) and kind is not None
        point = Point(frame, statement)
        given = arguments_of(call, point)
        for base, _ in evaluator.values(call.func.value, point):
            if isinstance(base, External) and base.name in LOADERS:
                given = given.without_first()
            elif not isinstance(base, Super) or evaluator.classes.member_above(cls, "__init__"):
                continue
            yield Loader(evaluator, call, point, kind, given, inherited=not named, named=named, cls=cls)
            break
