"""Whether what stands at a place goes to a worker_init_fn, by whatever way, and nowhere else."""

from __future__ import annotations

import ast

from dlint.changes.mentions import Mention, mentions, uses_elsewhere
from dlint.program.program import Program
from dlint.source.closures import owner, reads

ARGUMENT = "worker_init_fn"


def is_passed(program: Program, place: Mention) -> bool:
    """Whether the value at a place goes to a worker_init_fn: as it is, in a partial, on a condition, as what
    a factory gives, by way of a variable or of a key or attribute of that name."""
    return _Ways(program).lead(place)


def is_partial(call: ast.Call) -> bool:
    """Whether a call makes a ``functools.partial``."""
    func = call.func
    return (isinstance(func, ast.Name) and func.id == "partial") or (
        isinstance(func, ast.Attribute) and func.attr == "partial"
    )


class _Ways:
    """The ways that a value goes; one that comes back to where it has been goes nowhere else."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._been: set[ast.AST] = set()

    def lead(self, place: Mention) -> bool:
        """Whether all of them lead to a worker_init_fn."""
        inner = place.node
        for at in range(len(place.trail) - 2, -1, -1):
            node = place.trail[at]
            match node:
                case ast.Call() if is_partial(node) and node.args and node.args[0] is inner:
                    pass
                case ast.keyword(arg=arg):
                    return arg == ARGUMENT
                case ast.IfExp(test=test):
                    if test is inner:
                        return False
                case ast.Return():
                    return self._from_factory(place.trail[:at])
                case ast.Dict(keys=keys, values=values):
                    key = next((key for key, value in zip(keys, values, strict=True) if value is inner), None)
                    return isinstance(key, ast.Constant) and key.value == ARGUMENT
                case ast.Assign(targets=[target]):
                    return self._from_variable(target, Mention(place.module, place.trail[: at + 1]))
                case _:
                    return False
            inner = node
        return False

    def _from_factory(self, trail: list[ast.AST]) -> bool:
        """Whether what the function around gives goes to a worker_init_fn wherever the function is called."""
        factory = next((each for each in reversed(trail) if isinstance(each, ast.FunctionDef)), None)
        if factory is None:
            return False
        if factory in self._been:
            return True
        self._been.add(factory)
        for mention in mentions(self._program, factory.name):
            if isinstance(mention.node, ast.Name | ast.Attribute):
                call = mention.trail[-2]
                if not isinstance(call, ast.Call) or call.func is not mention.node:
                    return False
                if factory in mention.trail or not self.lead(Mention(mention.module, mention.trail[:-1])):
                    return False
        return True

    def _from_variable(self, target: ast.expr, assigned: Mention) -> bool:
        """Whether a variable that is ``assigned``, or the entry or attribute of that name, goes to
        worker_init_fn and nowhere else."""
        match target:
            case ast.Attribute(attr=attr):
                return attr == ARGUMENT
            case ast.Subscript(slice=ast.Constant(value=key)):
                return bool(key == ARGUMENT)
            case ast.Name(id=name) if _is_of_class(assigned.trail):
                return name == ARGUMENT
            case ast.Name(id=name):
                return assigned.node in self._been or self._reads(name, assigned)
        return False

    def _reads(self, name: str, assigned: Mention) -> bool:
        self._been.add(assigned.node)
        module, trail = assigned
        at = owner(name, trail) or 0
        if at == 0 and any(True for _ in uses_elsewhere(self._program, module.relative, name)):
            return False
        return all(self.lead(Mention(module, each)) for each in reads(name, trail[at], trail[: at + 1]))


def _is_of_class(trail: list[ast.AST]) -> bool:
    """Whether a place is the body of a class itself."""
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    innermost = next((each for each in reversed(trail) if isinstance(each, scopes)), None)
    return isinstance(innermost, ast.ClassDef)
