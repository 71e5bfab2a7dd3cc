"""Whether what a function does with an object it is given may store an attribute there, by its text alone."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from dlint.budget.budget import spend
from dlint.knowledge.callbacks import PLAIN_BUILTINS
from dlint.source.statements import FunctionNode, functions_in, parameters
from dlint.values.frame import layout_of

if TYPE_CHECKING:
    from dlint.project.modules import Modules

# What stores attributes by names that nobody can read there.
_BY_NAME = re.compile(r"\bsetattr\(|\bvars\(|__dict__|\.update\(|\bnamespace\s*=")


class MayStore:
    """Answers for one program, each kept by the function, the parameter and the attribute."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._known: dict[tuple[int, str, str], bool] = {}
        self._defined: dict[str, list[tuple[str, FunctionNode]]] = {}

    def through(self, function: FunctionNode, name: str, attribute: str) -> bool:
        """Whether a function hands what it has under a name on to another that may store the attribute, keep
        it, or hand it on to one that does."""
        mark = (id(function), name, attribute)
        known = self._known.get(mark)
        if known is None:
            known = self._known[mark] = self._is_stored_beyond(function, name, attribute)
        return known

    def _is_stored_beyond(self, function: FunctionNode, name: str, attribute: str) -> bool:
        seen: set[tuple[int, str]] = set()
        waiting = [(function, name)]
        while waiting:
            at, under = waiting.pop()
            if (id(at), under) in seen:
                continue
            seen.add((id(at), under))
            for call in layout_of(at).nodes:
                spend(1)
                taken = self._taken(call, under) if isinstance(call, ast.Call) else []
                if taken is None:
                    return True
                for text, callee, parameter in taken:
                    nodes = layout_of(callee).nodes
                    if _BY_NAME.search(text) or any(_is_stored(node, parameter, attribute) for node in nodes):
                        return True
                    waiting.append((callee, parameter))
        return False

    def _taken(self, call: ast.Call, name: str) -> list[tuple[str, FunctionNode, str]] | None:
        """The functions of the program that a call may give what has a name, with their text and under which
        parameter; None where nobody can tell what becomes of it."""
        places = [at for at, each in enumerate(call.args) if _is_name(each, name)]
        keywords = [each.arg for each in call.keywords if _is_name(each.value, name)]
        if not places and not keywords:
            return []
        match call.func:
            case ast.Name(id=word) if word in PLAIN_BUILTINS:
                return []
            case ast.Name(id=word) | ast.Attribute(attr=word):
                functions = self._functions(word)
            case _:
                return None
        keeps = word == "setattr" or not word[:1].islower()  # an object of a library that keeps it
        if None in keywords or "namespace" in keywords or (not functions and keeps):
            return None
        return [
            (text, function, each.arg)
            for text, function in functions
            for at, each in enumerate(parameters(function))
            # A method, or a constructor, has its object first.
            if each.arg in keywords or at in places or (at - 1 in places and _may_be_method(call, function))
        ]

    def _functions(self, word: str) -> list[tuple[str, FunctionNode]]:
        """The program's functions and methods of a name, and the constructors of its classes, with their
        text."""
        found = self._defined.get(word)
        if found is None:
            found = self._defined[word] = []
            needle = re.compile(rb"\b(?:def|class)\s+%b\b" % re.escape(word).encode())
            index = self._modules.index
            files = [each for each in index.mentioning(word) if needle.search(index.data(each))]
            for module in self._modules.each(files):
                for trail in module.paths_to(word):
                    node = trail[-1]
                    made = functions_in(node.body) if isinstance(node, ast.ClassDef) else ()
                    for each in (node, *(init for init in made if init.name == "__init__")):
                        if isinstance(each, FunctionNode) and (each is not node or each.name == word):
                            found.append((module.text_of(each), each))
        return found


def _may_be_method(call: ast.Call, function: FunctionNode) -> bool:
    return isinstance(call.func, ast.Attribute) or function.name == "__init__"


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_stored(node: ast.AST, name: str, attribute: str) -> bool:
    """Whether a part of a function stores the attribute of something, or keeps what has a name where others
    find it."""
    match node:
        case ast.Attribute(attr=stored, ctx=ast.Store()):
            return stored == attribute
        case ast.Assign(targets=targets, value=ast.Name(id=kept)) if kept == name:
            return any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
    return False
