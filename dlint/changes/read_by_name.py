"""Whether some code may come to an attribute without writing it as one: by ``getattr``, by ``__dict__``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from dlint.source.statements import MUTATORS
from dlint.values.values import External, ModuleValue

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

_BY_NAME = frozenset({"getattr", "attrgetter", "delattr", "setattr", "__getattribute__", "methodcaller"})

_Trail: TypeAlias = Sequence[ast.AST]


def is_read_by_name(program: Program, home: Module, name: str) -> bool:
    """Whether an attribute of this name may be come to so; ``home`` is where what it holds is from."""
    index = program.modules.index
    for word in ("__setattr__", "__getattribute__"):
        if any(b"def " + word.encode() in index.data(each) for each in index.naming(word)):
            return True
    boundaries = program.boundaries
    near = {home.relative, *boundaries.imports(home.relative), *boundaries.importers(home.relative)}
    for word in sorted(_BY_NAME):
        for module in program.modules.each(index.naming(word)):
            says = module.relative in near
            if any(_asks(program, module, trail, name, says) for trail in module.paths_to(word)):
                return True
    return any(
        _shows_all(trail)
        for word in ("vars", "__dict__")
        for module in program.modules.each(sorted(near.intersection(index.naming(word))))
        for trail in module.paths_to(word)
    )


def _asks(program: Program, module: Module, trail: _Trail, name: str, is_near: bool) -> bool:
    """Whether a call of ``getattr`` and the like may ask for an attribute of this name."""
    call = next((each for each in reversed(trail) if isinstance(each, ast.Call)), None)
    if call is None or not any(call.func is each for each in trail[-2:]):
        return False
    said = [each.value for each in call.args if isinstance(each, ast.Constant)]
    if any(isinstance(each, str) for each in said):
        return name in said
    if not is_near or not call.args:
        return False
    point = program.evaluator.sites.point_of(module, list(trail))
    values = [value for value, _ in program.evaluator.values(call.args[0], point)]
    return not values or not all(isinstance(value, ModuleValue | External) for value in values)


def _shows_all(trail: _Trail) -> bool:
    """Whether what stands at the end of a trail gives all attributes of an object to somebody."""
    node, above = trail[-1], trail[-2]
    if isinstance(node, ast.Attribute):
        return not isinstance(above, ast.Attribute) or above.attr not in MUTATORS | {"get"}
    return isinstance(above, ast.Call) and above.func is node and bool(above.args)
