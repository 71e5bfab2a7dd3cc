"""Loader classes of the program, judged by themselves: what their ``__init__`` gives to the library's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.knowledge.loading import LOADER_WORDS, LOADERS, LoaderClass
from dlint.loaders.conflicts import Conflict, Judge, conflicts
from dlint.loaders.loaders import Loader
from dlint.objects.initialisers import base_init_calls
from dlint.source.module import TYPE_PARAMETERS
from dlint.source.statements import functions_in
from dlint.values.frame import Argument, Arguments, Frame, Point, arguments_of
from dlint.values.values import Class, External, Instance, Super, Unknown

if TYPE_CHECKING:
    from dlint.calls.evaluator import Evaluator
    from dlint.loaders.program import Program

_DERIVED = re.compile(
    rb"^[ \t]*class[ \t]+\w+%b\([^)]{0,2000}Loader" % TYPE_PARAMETERS.encode(), re.MULTILINE
)
_CLASS = re.compile(rf"^[ \t]*class[ \t]+(\w+){TYPE_PARAMETERS}\(([^)]*)", re.MULTILINE)


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
        for match in _CLASS.finditer(module.text):
            if "Loader" not in match[2]:
                continue
            for trail in module.paths_to(match[1]):
                node = trail[-1]
                if isinstance(node, ast.ClassDef):
                    evaluator.start()
                    yield from _of_class(evaluator, Class(node, evaluator.sites.frame_of(module, trail)))


def _of_class(evaluator: Evaluator, cls: Class) -> Iterator[Loader]:
    kind = next((LOADERS[name] for name in sorted(evaluator.classes.libraries(cls)) if name in LOADERS), None)
    init = next((each for each in functions_in(cls.node.body) if each.name == "__init__"), None)
    if kind is None or init is None:
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
    for call, statement in base_init_calls(frame):
        yield from _of_call(evaluator, cls, kind, call, Point(frame, statement))


def _of_call(
    evaluator: Evaluator, cls: Class, kind: LoaderClass, call: ast.Call, point: Point
) -> Iterator[Loader]:
    assert isinstance(call.func, ast.Attribute)
    given = arguments_of(call, point)
    for base, _ in evaluator.values(call.func.value, point):
        if isinstance(base, External) and base.name in LOADERS:
            given = Arguments(given.positional[1:], given.keywords, given.spread, given.splats)
        elif not isinstance(base, Super) or evaluator.classes.member_above(cls, "__init__"):
            continue
        yield Loader(evaluator, call, point, kind, given, inherited=True, cls=cls)
        return
