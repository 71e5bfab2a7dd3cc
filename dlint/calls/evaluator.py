"""What an expression stands for at a point, path by path.

Every answer is a list of outcomes: a value, and the world in which it is that value. A world carries what
had to be assumed on the way, so that two questions asked one after the other in the same world agree:
``shuffle=(sampler is None)`` is never true where ``sampler`` is a sampler.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.budget.budget import BUDGET, spend
from dlint.calls import subscripts
from dlint.calls.calls import Calls
from dlint.calls.command_lines.apps import Apps
from dlint.calls.command_lines.commands import Commands
from dlint.calls.indirect.of_trainers import OfTrainers, is_read_of_trainer
from dlint.calls.leads import Leads
from dlint.calls.parameters.parameters import Parameters
from dlint.calls.sites import Sites
from dlint.evaluation import displays, texts
from dlint.evaluation.comprehensions import Comprehensions
from dlint.evaluation.containers import Containers
from dlint.evaluation.dicts.entries import Entries
from dlint.evaluation.flow import Flow
from dlint.evaluation.library.elements import CONTAINERS, contents_of, elements_of
from dlint.evaluation.library.held import Held
from dlint.evaluation.library.library import Library
from dlint.evaluation.marks import Marks
from dlint.evaluation.named import Named
from dlint.evaluation.names import Names
from dlint.evaluation.namespaces import Namespaces
from dlint.evaluation.options.options import Options
from dlint.evaluation.questions import Questions
from dlint.evaluation.registries import Registries
from dlint.evaluation.truth import Truth, is_bool
from dlint.knowledge.names import canonical
from dlint.knowledge.processes.devices import gives_itself, is_network
from dlint.objects.attributes import Attributes
from dlint.objects.classes import Classes
from dlint.objects.construction import Construction
from dlint.objects.elsewhere.changed_later import ChangedLater
from dlint.objects.filled import Filled
from dlint.objects.filled_fields import FilledFields
from dlint.objects.initialisers import Initialisers
from dlint.objects.members import Members
from dlint.objects.prepared import Prepared
from dlint.objects.records import Records
from dlint.source.nodes import Comprehension
from dlint.source.statements import dotted
from dlint.values import declared_paths
from dlint.values.frame import Argument, Arguments, Point, arguments_of
from dlint.values.operators import method_of, negative, operate
from dlint.values.outcomes import OUTCOMES, Outcome, fold, told_apart, within
from dlint.values.values import (
    FALSE,
    TRUE,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    ModuleValue,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import HERE, World

if TYPE_CHECKING:
    from dlint.project.modules import Modules


class Evaluator(Questions):
    """Answers questions about values; its parts know names, control flow, classes, calls and libraries."""

    def __init__(self, modules: Modules) -> None:
        super().__init__()
        self.modules = modules
        # What those who ask keep of their answers, by what they are.
        self.kept: dict[type, object] = {}
        self.flow = Flow(self)
        self.names = Names(self)
        self.marks = Marks(self)
        self.namespaces = Namespaces(self)
        self.classes: Classes = Classes(self)
        self.initialisers = Initialisers(self)
        self.construction = Construction(self)
        self.filled = Filled(self)
        self.named = Named(self)
        self.attributes = Attributes(self)
        self.changed_later = ChangedLater(self, self.attributes.outside)
        self.records = Records(self)
        self.prepared = Prepared(self)
        self.calls = Calls(self)
        self.members = Members(self)
        self.parameters = Parameters(self)
        self.sites = Sites(self)
        self.library = Library(self)
        self.held = Held(self)
        self.containers = Containers(self)
        self.entries = Entries(self)
        self.comprehensions = Comprehensions(self)
        self.truths = Truth(self)
        self.leads: Leads = Leads(modules.index)
        self.registries = Registries(self)
        self.options = Options(self)
        self.filled_fields = FilledFields(self)
        self.commands = Commands(self)
        self.apps = Apps(self)
        self.of_trainers = OfTrainers(self)

    def let_go(self) -> None:
        """Forgets all answers, its own and those that were kept with it."""
        self.forget()
        self.kept.clear()
        self.modules.let_go()

    def values(self, node: ast.expr, point: Point, world: World = HERE) -> list[Outcome]:
        """The values of an expression looked at from a point, in the worlds below ``world``."""
        spend(1)
        kind = type(node)
        if kind is ast.Constant:
            return [(Const(node.value), world)]  # type: ignore[attr-defined]
        handler = _HANDLERS.get(kind)
        if handler is None:
            return [(Unknown(("at", id(node), point.frame.key)), world)]
        if kind not in _REMEMBERED:
            # Its parts are questions of their own.
            return fold(handler(self, node, point, world))
        mark = self.marks.of(node, point)
        known = self._known.get(mark)
        if known is not None:
            return within(known, world)
        BUDGET.at = point.frame.place
        return self.answer(mark, world, lambda w: handler(self, node, point, w))

    def is_known(self, node: ast.expr, point: Point) -> bool:
        """Whether what an expression stands for is remembered for good."""
        return self.marks.of(node, point) in self._known

    def value_of(self, argument: Argument, world: World) -> list[Outcome]:
        """The values of a call's argument."""
        if argument.value is not None:
            return [(argument.value, world)]
        if argument.taken is not None:
            return self.names.taken(argument, world)
        assert argument.expression is not None and argument.point is not None
        outcomes = self.values(argument.expression, argument.point, world)
        if argument.element:
            # Two questions about a comprehension's variable are about the same element.
            items = [
                (item, w)
                for value, w in outcomes
                for item in self.iterated(value, argument.expression, argument.point, w)
            ]
            return told_apart(items, ("element", id(argument.expression), argument.point.frame.key))
        return outcomes

    def iterated(self, value: Value, node: ast.AST, point: Point, world: World) -> list[Value]:
        """What going through a value may give, by Python's protocol where it is an object of the program."""
        if isinstance(value, Made):
            held = elements_of(self, value, world)
            return [*held, *self.containers.elements(value)]  # what is added later, too
        if not isinstance(value, Instance):
            return self.containers.elements(value)
        found: dict[Key, Value] = {}
        for method in self.classes.methods(value, "__iter__"):
            for given, w in self.calls.returns(method, Arguments(), node, point, world):
                steps = self.classes.methods(given, "__next__") if isinstance(given, Instance) else []
                each = [v for step in steps for v, _ in self.calls.returns(step, Arguments(), node, point, w)]
                found.update((v.key, v) for v in each or self.containers.elements(given))
        if found:
            return list(found.values())
        if not CONTAINERS.isdisjoint(self.classes.libraries(value.cls)):
            for library, arguments in self.initialisers.of_libraries(value):
                found.update((v.key, v) for v in contents_of(self, library, arguments, world))
        return [*found.values(), *self.containers.elements(value)]

    def truth(self, node: ast.expr, point: Point, world: World) -> list[tuple[bool, World]]:
        """What a test may come out as, and in which worlds below ``world``."""
        results: list[tuple[bool, World]] = []
        for value, w in within(self._truths(node, point), world):
            if value is TRUE or value is FALSE:
                results.append((value is TRUE, w))
            else:  # cut short: either way
                results += [(True, w), (False, w)]
        return results

    def assume(self, test: ast.expr, wanted: bool, point: Point, world: World) -> list[World]:
        """The worlds below ``world`` in which a test comes out as wanted."""
        # Of the others it need not be known whether they agree with what is assumed.
        other = FALSE if wanted else TRUE
        possible = [outcome for outcome in self._truths(test, point) if outcome[0] is not other]
        return [w for _, w in within(possible, world)]

    def is_decided(self, test: ast.expr, point: Point) -> bool:
        """Whether what a test may come out as is remembered for good."""
        return ("truth", id(test), point.frame.key, id(point.locals)) in self._known

    def _truths(self, node: ast.expr, point: Point) -> list[Outcome]:
        mark = ("truth", id(node), point.frame.key, id(point.locals))
        known = self._known.get(mark)
        if known is not None:
            return known
        return self.answered(
            mark,
            lambda w: [(TRUE if result else FALSE, v) for result, v in self.truths.of(node, point, w)],
            test=True,
        )

    # One method a kind of expression.

    def _name(self, node: ast.Name, point: Point, world: World) -> list[Outcome]:
        local = point.locals.get(node.id)
        if local is not None:
            return self.value_of(local, world)
        return self.names.lookup(node.id, point, world)

    def _attribute(self, node: ast.Attribute, point: Point, world: World) -> list[Outcome]:
        path = dotted(node)
        outcomes: list[Outcome] = []
        worlds = [world]
        is_stored = False
        if path is not None and not point.locals:
            layout = point.frame.layout
            is_stored = path in layout.binds
            also = self.members.changing(node, point.frame)
            if is_stored or also:
                worlds = []
                anew = path not in layout.changes
                for statement, w in self.flow.definitions(path, point, world, anew=anew, also=also):
                    if statement is None:
                        worlds.append(w)
                    elif id(statement) in also and path not in layout.bound_by(statement):
                        outcomes += self.members.after(statement, node, point.frame, w)
                    else:
                        outcomes += self.names.defined(statement, path, point.frame, w)
                if outcomes and (
                    self.attributes.stored.changed_by_calls(point.frame, node)
                    or self.members.is_stored_otherwise(node, point)
                ):
                    return [(Unknown(("changed", id(node), point.frame.key)), world)]
        for start in worlds:
            by_bases = self.attributes.stored.by_bases(node, point, start) if is_stored else []
            outcomes += by_bases or self._beyond(node, point, start)
        return outcomes

    def _beyond(self, node: ast.Attribute, point: Point, world: World) -> list[Outcome]:
        """The values of an attribute that the scope itself does not store."""
        value = node.value
        if self.modules.index.stored_elsewhere(node.attr):
            stored = self.members.of(value, node.attr, point, world)
            if stored is not None:
                return stored
        found = [
            outcome
            for base, w in self.values(value, point, world)
            for outcome in self.attribute(base, node.attr, node, point, w)
        ]
        return self.of_trainers.held(node, found, point, world) if is_read_of_trainer(node) else found

    def attribute(self, base: Value, name: str, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """The values of ``base.name``."""
        of_path = declared_paths.member(base, name, node, point)
        if of_path is not None:
            return [(of_path, world)]
        if isinstance(base, Const | Made):
            of_member = self.classes.of_member(base, name, node, point, world)
            if of_member:
                return of_member
        match base:
            case External():
                member = External(canonical(f"{base.name}.{name}"), base.owner)
                return self.options.below(base, name, member, world) or [(member, world)]
            case Made():
                kept = self.held.under(base, name, world)
                plain = External(f"{base.name}().{name}", base)
                return kept or self.options.value(base, name, plain, world) or [(plain, world)]
            case Unknown() | Const():
                text_method = texts.method(base, name)
                return [(text_method or Unknown(("attribute", base.key, name)), world)]
            case Items() | Table():
                return [(self.containers.method(base, name), world)]
        if name == "__dict__" and isinstance(base, ModuleValue):
            return [(self.named.all_of(base), world)]
        if hasattr(base, "folder"):
            return self.namespaces.member(base, name, world)  # type: ignore[arg-type]
        return self.attributes.of(base, name, node, point, world)

    def _call(self, node: ast.Call, point: Point, world: World) -> list[Outcome]:
        arguments = arguments_of(node, point)
        if isinstance(node.func, ast.Attribute) and gives_itself(node.func.attr):
            itself = self._itself(node.func, point, world)
            if itself:
                return itself
        found = [
            outcome
            for callee, w in self.values(node.func, point, world)
            for outcome in self.invoke(callee, arguments, node, point, w)
        ]
        self.options.beside.read(node, found)
        return found

    def _itself(self, method: ast.Attribute, point: Point, world: World) -> list[Outcome]:
        """The program's own networks of which a method is called that gives back the network; nothing where
        it may be anything else."""
        held = self.values(method.value, point, world)
        own = [
            isinstance(value, Instance)
            and not self.classes.member(value.cls, method.attr)
            and any(is_network(name) for name in self.classes.libraries(value.cls))
            for value, _ in held
        ]
        return held if all(own) else []

    def invoke(
        self, callee: Value, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What calling a value gives."""
        return self.calls.invoke(callee, arguments, node, point, world)

    def _conditional(self, node: ast.IfExp, point: Point, world: World) -> list[Outcome]:
        return [
            outcome
            for result, w in self.truth(node.test, point, world)
            for outcome in self.values(node.body if result else node.orelse, point, w)
        ]

    def _boolean(self, node: ast.BoolOp, point: Point, world: World) -> list[Outcome]:
        wanted = isinstance(node.op, ast.And)  # go on to the next operand while the truth is this
        outcomes: list[Outcome] = []
        worlds = [world]
        for index, operand in enumerate(node.values):
            last = index == len(node.values) - 1
            following: list[World] = []
            for start in worlds:
                for value, w in self.values(operand, point, start):
                    if last:
                        outcomes.append((value, w))
                        continue
                    for result, decided in self.truths.of_value(value, w):
                        if result is wanted:
                            following.append(decided)
                        else:
                            outcomes.append((value, decided))
            # Beyond so many ways the next operand is asked about with what all of them assume.
            worlds = following if len(following) <= OUTCOMES else [following[0].shared(following[1:])]
            outcomes = fold(outcomes)
        return outcomes

    def _truth_value(self, node: ast.expr, point: Point, world: World) -> list[Outcome]:
        return [(Const(result), w) for result, w in self.truth(node, point, world)]

    def _unary(self, node: ast.UnaryOp, point: Point, world: World) -> list[Outcome]:
        if isinstance(node.op, ast.Not):
            return self._truth_value(node, point, world)
        return [(negative(node, value), w) for value, w in self.values(node.operand, point, world)]

    def _binary(self, node: ast.BinOp, point: Point, world: World) -> list[Outcome]:
        if is_bool(node):
            return self._truth_value(node, point, world)
        lefts = self.values(node.left, point, world)
        if isinstance(node.op, ast.Add) and len(lefts) > 1:
            sides = [value for value, _ in [*lefts, *self.values(node.right, point, world)]]
            lists = [side for side in sides if isinstance(side, Items)]
            if len(lefts) * (len(sides) - len(lefts)) > OUTCOMES and len(lists) == len(sides):
                # Any of what the lists hold may be in their sum.
                held = {item.key: item for each in lists for item in each.items}
                return [(Items("list", tuple(held.values()), True), world)]
        return [outcome for left, w in lefts for outcome in self._operated(node, left, point, w)]

    def _operated(self, node: ast.BinOp, left: Value, point: Point, world: World) -> list[Outcome]:
        """The values of ``left op right``, by a method of an object of the program (``steps | more``)."""
        method = method_of(node.op)
        if isinstance(left, Instance) and method is not None:
            given = Arguments([Argument(node.right, point)])
            own = self.classes.methods(left, method)
            found = [each for one in own for each in self.calls.returns(one, given, node, point, world)]
            if not all(isinstance(value, Unknown) for value, _ in found):
                return found
        return [(operate(node, left, right, point), w) for right, w in self.values(node.right, point, world)]

    def inside(self, node: Comprehension, point: Point) -> Point:
        """The point inside a comprehension: its variables are elements of what it goes through."""
        return self.comprehensions.inside(node, point)

    def _comprehension(self, node: Comprehension, point: Point, world: World) -> list[Outcome]:
        return self.comprehensions.values(node, point, world)

    def _lambda(self, node: ast.Lambda, point: Point, world: World) -> list[Outcome]:
        return [(Function(node, point.frame), world)]

    def _inner(self, node: ast.Starred | ast.NamedExpr, point: Point, world: World) -> list[Outcome]:
        return self.values(node.value, point, world)


_REMEMBERED = frozenset((ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.IfExp))
_HANDLERS: dict[type[ast.expr], Callable[..., list[Outcome]]] = {
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Call: Evaluator._call,
    ast.IfExp: Evaluator._conditional,
    ast.BoolOp: Evaluator._boolean,
    ast.Compare: Evaluator._truth_value,
    ast.UnaryOp: Evaluator._unary,
    ast.BinOp: Evaluator._binary,
    ast.Subscript: subscripts.subscript,
    ast.List: displays.sequence,
    ast.Tuple: displays.sequence,
    ast.Set: displays.sequence,
    ast.Dict: displays.table,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._comprehension,
    ast.Lambda: Evaluator._lambda,
    ast.Starred: Evaluator._inner,
    ast.NamedExpr: Evaluator._inner,
    ast.JoinedStr: texts.put_together,
}
