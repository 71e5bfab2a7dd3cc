"""The functions of a file by all names that it gives them, and what they name in their turn."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from dlint.rewriting.source import Source


class Functions:
    """The functions of a file by their names: those of the module, and the methods."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.of_module: dict[str, list[cst.FunctionDef]] = {}
        self._methods: dict[str, list[cst.FunctionDef]] = {}
        for each in source.descendants(source.module, cst.FunctionDef):
            above = source.enclosing(each, cst.ClassDef, cst.FunctionDef)
            of = self._methods if isinstance(above, cst.ClassDef) else self.of_module
            of.setdefault(each.name.value, []).append(each)
            if isinstance(above, cst.ClassDef) and each.name.value == "__init__":
                self.of_module.setdefault(above.name.value, []).append(each)
        self._add_other_names()

    def _add_other_names(self) -> None:
        """Has a function go by the names, too, that it or a partial of it is assigned to."""
        waiting = list(self.of_module)
        names: dict[str, list[str]] = {}
        for each in self._source.descendants(self._source.module, cst.Name):
            other = other_name(self._source, each)
            if other is not None:
                names.setdefault(each.value, []).append(other)
        while waiting:
            name = waiting.pop()
            for other in names.get(name, ()):
                there = self.of_module.setdefault(other, [])
                new = [each for each in self.of_module[name] if each not in there]
                if new:
                    there += new
                    waiting.append(other)

    def named(self, name: str, of_class: bool) -> list[cst.FunctionDef]:
        """The methods, or the module's functions and its classes' constructors, of this name."""
        return (self._methods if of_class else self.of_module).get(name, [])

    def said(self, function: cst.FunctionDef) -> Iterator[tuple[str, bool]]:
        """What a function may call: names, and whether they are attributes."""
        for name in self._source.descendants(function, cst.Name):
            parent = self._source.parent(name)
            of_other = isinstance(parent, cst.Attribute) and parent.attr is name
            if of_other or not is_parameter(self._source, name):
                yield name.value, of_other


def is_parameter(source: Source, name: cst.Name) -> bool:
    """Whether a name is the one of a parameter, of this function or of one that is called."""
    parent = source.parent(name)
    if isinstance(parent, cst.Arg) and parent.keyword is name:
        return True
    inner: cst.CSTNode = name
    for each in source.ancestors(name):
        if isinstance(each, cst.Param) and each.name is inner:
            return True
        if isinstance(each, cst.FunctionDef | cst.Lambda) and each.body is inner:
            own = source.descendants(each.params, cst.Param)
            if any(one.name.value == name.value for one in own):
                return True
        inner = each
    return False


def other_name(source: Source, name: cst.Name) -> str | None:
    """The variable that alone gets what a name stands for, or a partial of it: ``run = partial(f, 3)``."""
    node: cst.CSTNode = name
    above = source.parent(node)
    if isinstance(above, cst.Arg):
        call = source.parent(above)
        if not isinstance(call, cst.Call) or source.qualified(call.func) != "functools.partial":
            return None
        if above is not call.args[0] or above.keyword is not None or above.star:
            return None
        node, above = call, source.parent(call)
    if not isinstance(above, cst.Assign | cst.AnnAssign) or above.value is not node:
        return None
    if isinstance(source.enclosing(above, cst.ClassDef, cst.FunctionDef), cst.ClassDef):
        return None
    targets = [each.target for each in above.targets] if isinstance(above, cst.Assign) else [above.target]
    (target, *more) = targets
    return target.value if isinstance(target, cst.Name) and not more else None
