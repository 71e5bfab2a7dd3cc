"""Which function, or object that is called, there is already that a lambda only hands its arguments to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.changes.hoisting.around import Around, Hoisted
from dlint.changes.hoisting.entries import is_stored
from dlint.changes.mentions import mentions
from dlint.changes.stores import Kin
from dlint.knowledge.processes.by_name import is_found_by_name
from dlint.knowledge.scripts import PLAIN_DECORATORS
from dlint.project.main_guards import is_guarded
from dlint.regex import regex
from dlint.source.closures import Binding, bindings, owner
from dlint.source.nodes import walk
from dlint.source.settled import is_before, unsettled
from dlint.source.statements import dotted, head_name, parameters
from dlint.values.values import Class, External, Function, Instance

if TYPE_CHECKING:
    from dlint.program.program import Program
    from dlint.source.module import Module

_CONTAINERS = frozenset(
    {"collections.defaultdict", "collections.Counter", "collections.OrderedDict", "collections.deque"}
)
_TYPES = frozenset({"bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple"})
# What may call something of the program when it is run.
_CALLS = (
    ast.Call,
    ast.Await,
    ast.For,
    ast.AsyncFor,
    ast.With,
    ast.AsyncWith,
    ast.comprehension,
    ast.Import,
    ast.ImportFrom,
)

# Library classes whose objects have nothing of their own.
_PLAIN = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.Dataset",
        "torch.utils.data.dataset.IterableDataset",
        "typing.Generic",
        "typing.Protocol",
    }
)
# Attributes by whose names an object holds far more than what makes batches.
HEAVY = regex(
    r"model|network|(?:^|_)net(?:s|$)|backbone|optim|trainer|criterion|scheduler|teacher|student|encoder"
    r"|decoder|loader|engine|logger|writer",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Existing:
    """What a lambda only hands its arguments to, with what else it gives it; ``is_type``: a builtin type that
    makes the same. ``first`` are arguments that it is given before any other."""

    function: ast.expr
    keywords: tuple[tuple[str, ast.expr], ...]
    is_type: bool = False
    first: tuple[ast.expr, ...] = ()


class HandedOn(Around):
    """The search for the function that the lambda at the end of a trail hands its arguments to."""

    def __init__(self, program: Program, module: Module, trail: list[ast.AST], node: Hoisted) -> None:
        super().__init__(program, module, trail, node)
        # Whether what is bound may be something else by then, for all that is known.
        self.risky = False

    def find(self) -> Existing | None:
        """The function, where it can be given to all instead of the lambda."""
        node = self._node
        if not isinstance(node, ast.Lambda):
            return None
        if not parameters(node):
            return self._type_of_empty(node.body) or self._container(node.body)
        if not isinstance(node.body, ast.Call):
            return None
        call, own = node.body, [each.arg for each in node.args.args]
        if len(own) != len(parameters(node)) or node.args.defaults or not own or len(call.args) < len(own):
            return None
        if [each.id if isinstance(each, ast.Name) else "" for each in call.args[: len(own)]] != own:
            return None
        if any(isinstance(each, ast.Starred) for each in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            return None
        names = self._found_by_name(call.func)
        if names is None:
            names = self._of_object(call.func)
        if names is None:
            names = self._of_method(call.func)
        if names is None:
            return None
        more, first = call.args[len(own) :], len(own)
        if len(names) < first + len(more) and (more or names):
            return None
        keywords = [
            *zip(names[first:], more, strict=False),
            *((each.arg or "", each.value) for each in call.keywords),
        ]
        if not all(self._can_be_bound(value) for _, value in keywords):
            return None
        if any(name != other and self._is_given_by_keyword(name) for name, other in _pairs(own, names)):
            return None
        return Existing(call.func, tuple(keywords))

    def _type_of_empty(self, made: ast.expr) -> Existing | None:
        """The builtin type that makes the same as an expression: ``float`` for ``0.0``, ``list`` for
        ``[]``."""
        match made:
            case ast.Constant(value=value) if value is not None and not value and str(value) != "-0.0":
                name = type(value).__name__
            case ast.List(elts=[]):
                name = "list"
            case ast.Dict(keys=[]):
                name = "dict"
            case ast.Call(func=ast.Name(id="list" | "dict" | "set" as name), args=[], keywords=[]):
                pass
            case _:
                return None
        known = owner(name, self._trail) is None and all(
            each.name not in (name, "*") for each in bindings(self._module.tree)
        )
        return Existing(ast.Name(name, ast.Load()), (), is_type=True) if known else None

    def _container(self, made: ast.expr) -> Existing | None:
        """The container of the standard library that an expression makes, of builtin types and numbers:
        ``defaultdict(int)``."""
        if not isinstance(made, ast.Call) or not all(map(self._is_builtin, made.args)) or made.keywords:
            return None
        if self._found_by_name(made.func) is None:
            return None
        values = [value for value, _ in self._program.evaluator.values(made.func, self._point)]
        if not all(isinstance(each, External) and each.name in _CONTAINERS for each in values):
            return None
        return Existing(made.func, (), first=tuple(made.args))

    def _is_builtin(self, node: ast.expr) -> bool:
        """Whether an expression is a number, a string, or a type that Python has by its name."""
        if isinstance(node, ast.Constant):
            return True
        return (
            isinstance(node, ast.Name)
            and node.id in _TYPES
            and owner(node.id, self._trail) is None
            and all(each.name not in (node.id, "*") for each in bindings(self._module.tree))
        )

    def _is_given_by_keyword(self, name: str) -> bool:
        """Whether some call that may be one of the function gives an argument by this name."""
        for mention in mentions(self._program, name):
            call = mention.trail[-2] if len(mention.trail) > 1 else None
            if isinstance(mention.node, ast.keyword) and isinstance(call, ast.Call):
                self._program.evaluator.start()
                point = self._program.evaluator.sites.point_of(mention.module, mention.trail[:-1])
                callees = [value for value, _ in self._program.evaluator.values(call.func, point)]
                if not callees or not all(isinstance(each, External | Class) for each in callees):
                    return True
        return False

    def _found_by_name(self, function: ast.expr) -> list[str] | None:
        """The parameters of what a worker finds by its name (none of a library's); None for other things."""
        path = dotted(function)
        root = path.partition(".")[0] if path else ""
        if not root or owner(root, self._trail) is not None or self._is_of_guard(root):
            return None
        places = [each for each in bindings(self._module.tree) if each.name == root]
        frame = self._program.evaluator.modules.frame(self._module)
        if len(places) > 1 or self._program.evaluator.namespaces.declared_global(root, frame):
            return None
        if places and not is_before(places[0].trail, self._trail) and not self._waits_for(places[0]):
            return None
        if any(map(self._program.modules.index.stored_elsewhere, (path or "").split("."))):
            return None
        values = [value for value, _ in self._program.evaluator.values(function, self._point)]
        match values:
            case [External(name=name)] if is_found_by_name(name):
                return []
            case [Function(receiver=None, owner=None, node=ast.FunctionDef() as node) as value]:
                if isinstance(value.frame.scope, ast.Module) and not is_guarded(value.frame, node):
                    if node.decorator_list or node.args.posonlyargs or node.args.vararg:
                        return None
                    return [each.arg for each in node.args.args]
        return None

    def _of_object(self, function: ast.expr) -> list[str] | None:
        """The parameters of what a function around has made, of the program's own, and workers can be sent:
        ``collate = PadCollator(0)``; None for other things."""
        if not isinstance(function, ast.Name) or not self._can_be_bound(function):
            return None
        found: list[list[str]] = []
        for value, _ in self._program.evaluator.values(function, self._point):
            if not isinstance(value, Instance) or value.node is None:
                return None
            for method in self._program.evaluator.classes.methods(value, "__call__"):
                node = method.node
                if not isinstance(node, ast.FunctionDef) or node.decorator_list:
                    return None
                if node.args.posonlyargs or node.args.vararg:
                    return None
                found.append([each.arg for each in node.args.args[1:]])
        return found[0] if found and all(each == found[0] for each in found) else None

    def _of_method(self, function: ast.expr) -> list[str] | None:
        """The parameters of a method of an object of the program's own that workers can be sent, and be it
        the one around: ``self.pad``; None for other things."""
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return None
        holder, name = function.value, function.attr
        index = owner(holder.id, self._trail)
        if index is None or holder.id in {each.arg for each in parameters(self._node)}:
            return None
        scope = self._trail[index]
        if unsettled(holder.id, scope, self._trail[index:]) is not None:
            return None
        if self._import_line(holder.id, scope) is not None:
            return None
        found: list[list[str]] = []
        for value, _ in self._program.evaluator.values(function, self._point):
            match value:
                case Function(receiver=Instance(cls=cls), node=ast.FunctionDef() as node):
                    if node.decorator_list or node.args.posonlyargs or node.args.vararg:
                        return None
                    if not is_light(self._program, cls, name):
                        return None
                    found.append([each.arg for each in node.args.args[1:]])
                case _:
                    return None
        if not found or any(each != found[0] for each in found):
            return None
        self._judge(holder, but=self._node)
        self.risky = True  # a method of the same name may be put in its place until it is called
        return found[0]

    def _waits_for(self, place: Binding) -> bool:
        """Whether a function that the module defines further down is there before the lambda is made: it is
        made in a function's body, and until then the module runs nothing that could call that."""
        body = self._module.tree.body
        if not isinstance(place.node, ast.FunctionDef) or len(place.trail) != 2:
            return False
        if not isinstance(self._outside(), ast.FunctionDef):
            return False
        first = next(i for i, each in enumerate(body) if each is self._trail[1])
        last = next(i for i, each in enumerate(body) if each is place.node)
        return all(map(_only_defines, body[first : last + 1]))

    def _can_be_bound(self, value: ast.expr) -> bool:
        """Whether an argument of a call is the same when it is looked at earlier."""
        if is_constant(value):
            return True
        names = [each for each in walk(value) if isinstance(each, ast.Name)]
        if len(names) != 1 or dotted(_base(value)) is None:
            return False
        name = names[0].id
        index = owner(name, self._trail)
        if index is None or name in {each.arg for each in parameters(self._node)}:
            return False
        scope = self._trail[index]
        if value is names[0] and self._is_receiver(name, scope):
            return False
        if (
            self._import_line(name, scope) is not None
            or unsettled(name, scope, self._trail[index:]) is not None
        ):
            return False
        if value is not names[0]:
            if not self._has_all_options(names[0]) or is_stored(
                self._program, value, self._trail, self._module, self._point
            ):
                return False
            self.risky = self.risky or not self._is_plain(names[0])
        self._judge(value)
        return True


def is_light(program: Program, cls: Class, method: str | None = None) -> bool:
    """Whether an object of a class may be sent to workers for one of its methods (in whose place nobody
    stores anything): as far as can be seen, it holds what makes batches."""
    kin = Kin(program, cls)
    for each in kin.classes:
        if any(not _is_plain(value) for values in kin.bases(each) for value in values):
            return False
        if any(keyword.arg == "metaclass" for keyword in each.node.keywords):
            return False
        for node in walk(each.node):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                    if HEAVY.search(name):
                        return False
                case ast.FunctionDef(
                    name="__getattr__" | "__getattribute__" | "__reduce__" | "__reduce_ex__"
                ):
                    return False
    return method is None or not any(True for _ in kin.stores(method))


def _is_plain(value: object) -> bool:
    return isinstance(value, Class) or (isinstance(value, External) and value.name in _PLAIN)


def _only_defines(statement: ast.stmt) -> bool:
    """Whether a statement of a module calls nothing when it is run, but for decorators that only wrap."""
    decorators: list[ast.expr] = []
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _CALLS):
            return False
        inner = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            decorators += node.decorator_list
            inner = [each for each in inner if each not in node.decorator_list]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = [node.args]
        waiting += inner
    return all(head_name(each) in PLAIN_DECORATORS for each in decorators)


def _pairs(own: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parameters of a lambda with those of the function that it calls; a library's have no name here."""
    for index, name in enumerate(own):
        yield name, names[index] if index < len(names) else ""


def _base(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    return node


def is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return is_constant(operand)
        case ast.Tuple(elts=items):
            return all(map(is_constant, items))
    return False
