"""Moves a lambda or local function to the module, where a spawned worker can find it by name.

What it takes from the function around it becomes parameters, bound with ``functools.partial``. A lambda that
only hands its arguments to a function of the module, or to an object, gives way to that, and one that makes
something empty to the type of that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from dlint.changes.hoisting.around import Stays
from dlint.changes.hoisting.plan import Hoist, hoist
from dlint.changes.hoisting.taken import Bound
from dlint.changes.mentions import mentions
from dlint.finding import Finding
from dlint.program.program import Program
from dlint.rewriting import header
from dlint.rewriting.counterparts import Counterparts
from dlint.rewriting.each_process.attribute import is_free, kin_of
from dlint.rewriting.edits import Edits
from dlint.rewriting.moved.asked_names import names_elsewhere
from dlint.rewriting.moved.callable_names import another_name, is_taken, name_for_lambda, says_nothing
from dlint.rewriting.moved.function_at_top import (
    equal_function,
    function_of_lambda,
    insert_before_top,
    moved_out,
    with_bound,
    with_expressions,
    without_gap,
)
from dlint.rewriting.moved.function_layout import with_head_on_lines, with_room_used
from dlint.rewriting.moved.partials import partial_of, put_bound
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.line_comments import kept, let_go_of_lambda
from dlint.rewriting.pieces.room import join_row
from dlint.rewriting.pieces.unused import drop_guarded_imports
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.closures import bindings, owner, trail_to
from dlint.source.module import Module
from dlint.source.nodes import walk
from dlint.values.values import Function

# What calls these gives them their arguments without names.
_BY_PLACE = ("collate_fn", "worker_init_fn")
_METHOD_BY_HAND = "make it a method"
_BY_HAND = "define it at module level, and bind what it needs with functools.partial"


def repair(source: Source, finding: Finding, edits: Edits) -> None:
    """Hoist the callable that the finding points at or names."""
    with source.surroundings.asking() as program:
        module = source.surroundings.module(source)
        trail = _function(program, module, finding)
        try:
            plan = hoist(program, module, trail)
        except Stays as reason:
            raise CannotRepair(str(reason)) from reason
        _Move(source, edits, module, plan, trail, names_elsewhere(program, module)).make()


def _function(program: Program, module: Module, finding: Finding) -> list[ast.AST]:
    """The way down to the lambda or function that the finding points at or names."""
    for node in walk(module.tree):
        if isinstance(node, ast.Lambda | ast.FunctionDef | ast.Name) and _begins_at(module, node, finding):
            trail = trail_to(module.tree, node)
            assert trail is not None
            if not isinstance(node, ast.Name):
                return trail
            found = program.evaluator.values(node, program.evaluator.sites.point_of(module, trail))
            nodes = {value.node if isinstance(value, Function) else None for value, _ in found}
            named = nodes.pop() if len(nodes) == 1 else None
            inside = trail_to(module.tree, named) if isinstance(named, ast.FunctionDef) else None
            if inside is not None:
                return inside
    raise CannotRepair(_BY_HAND)


def _begins_at(module: Module, node: ast.expr | ast.stmt, finding: Finding) -> bool:
    return node.lineno == finding.line and module.column(node.lineno, node.col_offset) == finding.column


@dataclass
class _Move:
    """One function that moves."""

    source: Source
    edits: Edits
    module: Module
    plan: Hoist
    trail: list[ast.AST]
    avoid: frozenset[str]

    def make(self) -> None:
        self.counterparts = Counterparts(self.source, self.module)
        kind = cst.Lambda if isinstance(self.plan.node, ast.Lambda) else cst.FunctionDef
        self.node: cst.Lambda | cst.FunctionDef = self.counterparts.of(
            self.plan.node, self.source.module, kind
        )
        if self.plan.existing is not None:
            self._use_existing()
        elif self.plan.receiver is not None:
            self._to_method(self.plan.receiver)
        elif isinstance(self.node, cst.Lambda) and self._is_line_of_module():
            self._define_in_place(self.node)
        else:
            self._move()

    # A lambda for which there is a function already

    def _use_existing(self) -> None:
        existing = self.plan.existing
        assert existing is not None
        text = ast.get_source_segment(self.module.text, existing.function) or ast.unparse(existing.function)
        every = [*(("", value) for value in existing.first), *existing.keywords]
        given = [(name, ast.get_source_segment(self.module.text, value) or "") for name, value in every]
        self._replace(self.node, text, given)
        line = self.source.line_of(self.node)
        lambdas = self.source.descendants(line, cst.Lambda)
        if isinstance(line, cst.SimpleStatementLine) and all(each is self.node for each in lambdas):
            let_go_of_lambda(self.edits, line)

    # One that uses the object whose method it stands in

    def _to_method(self, receiver: str) -> None:
        """Put it into the class, behind the method that it stands in."""
        plan, source = self.plan, self.source
        around = source.function_of(self.node)
        owner: cst.ClassDef | None = source.enclosing(self.node, cst.ClassDef)
        if not isinstance(around, cst.FunctionDef) or owner is None or plan.imports or plan.at_top:
            raise CannotRepair(_METHOD_BY_HAND)
        if plan.variable is None and isinstance(self.node, cst.FunctionDef):
            raise CannotRepair(_METHOD_BY_HAND)
        name = self._name_of_method(owner)
        line = self._own_line()
        goes = self._goes(line)
        method = self._built(name, self._comments_of(line) if goes else [])
        own = cst.Param(cst.Name(receiver))
        params = method.params.with_changes(params=[own, *method.params.params])
        method = method.with_changes(params=params)
        lines = list(owner.body.body)
        at = lines.index(around) + 1
        self.edits.insert_after(around, [header.spaced(method, 1)])
        if at < len(lines):
            self.edits.change(lines[at], lambda each: header.spaced(each, 1))
        self.edits.claim(owner)
        given = [(each.parameter, self._text(each)) for each in plan.bound]
        said = f"{receiver}.{name}"
        if goes and line is not None:
            statements.take_away(self.source, self.edits, line)
            for use in plan.uses:
                self._replace(self.counterparts.of(use[-1], source.module, cst.Name), said, given)
        else:
            self._replace_itself(said, given)

    def _name_of_method(self, owner: cst.ClassDef) -> str:
        """A name that the object has not, of what the function is called or of its part."""
        plan = self.plan
        said = plan.variable if plan.variable is not None and not says_nothing(plan.variable) else plan.role
        with self.source.surroundings.asking() as program:
            kin = kin_of(self.source, program, owner)
            if said is None and isinstance(self.node, cst.Lambda):
                said = name_for_lambda(self.source, self.node, frozenset(), plan.role)
            bare = (said or plan.variable or "").strip("_")
            for wish in (f"_{bare.removesuffix('_fn')}", f"_{bare}"):
                if bare and is_free(kin, wish):
                    return wish
        raise CannotRepair(_METHOD_BY_HAND)

    # A lambda that the module gives a name

    def _is_line_of_module(self) -> bool:
        assign = self.source.parent(self.node)
        return (
            self.plan.variable is not None
            and isinstance(assign, cst.Assign)
            and self.source.parent(self.source.line_of(assign)) is self.source.module
        )

    def _define_in_place(self, node: cst.Lambda) -> None:
        """``name = lambda x: ...`` in the module becomes ``def name(x): ...``."""
        assert self.plan.variable is not None
        function = self._built(self.plan.variable)
        most = header.blank_lines(self.source.module.body)
        blank = [cst.EmptyLine(indent=False)] * most
        assign = self.source.parent(node)
        assert assign is not None
        _, body, index = statements.block_of(self.source, assign)
        line = body[index]
        assert isinstance(line, header.Statement)
        there = sum(each.comment is None for each in line.leading_lines)
        comments = self._comments_of(line)
        above = [each for each in line.leading_lines if each.comment is None]
        self.edits.remove(line)
        leading = [*above, *(blank[there:] if index else []), *comments]
        self.edits.insert_after(line, [function.with_changes(leading_lines=leading)])
        if index + 1 < len(body):
            self.edits.change(body[index + 1], lambda each: header.spaced(each, most))

    # Any other

    def _move(self) -> None:
        plan = self.plan
        for module, alias in plan.at_top:
            self.edits.add_import(module, alias)
        drop_guarded_imports(self.source, self.edits, plan.at_top)
        for idle in plan.idle:
            found = self.counterparts.of(idle, self.source.module, cst.Import, cst.ImportFrom)
            statements.remove_statement(self.source, self.edits, found)
        line = self._own_line()
        goes = self._goes(line)
        name = self._name(goes)
        function = self._built(name, self._comments_of(line) if goes else [])
        every = [each.name for each in bindings(self.module.tree)]
        once = {each for each in every if every.count(each) == 1 and not self._is_declared(each)}
        by_name = (
            self._given_by_name() if isinstance(self.node, cst.Lambda) and plan.variable is None else None
        )
        there = equal_function(self.source, self.node, function, once, by_name)
        if there is not None and not self._is_hidden(there, goes):
            name = there
        else:
            insert_before_top(self.source, self.edits, self.node, function)
            self.edits.define(name)
        given = [(each.parameter, self._text(each)) for each in plan.bound]
        if goes and line is not None:
            statements.take_away(self.source, self.edits, line)
            if given or name != plan.variable:
                for use in plan.uses:
                    self._replace(self.counterparts.of(use[-1], self.source.module, cst.Name), name, given)
        else:
            self._replace_itself(name, given)

    def _given_by_name(self) -> set[str]:
        """The parameters of the lambda that are bound by their names, or that some call may name."""
        bound = {each.parameter for each in self.plan.bound}
        if self.plan.role in _BY_PLACE:
            return bound
        with self.source.surroundings.asking() as program:
            named = {
                each.name.value
                for each in self.node.params.params
                if any(
                    isinstance(mention.node, ast.keyword) for mention in mentions(program, each.name.value)
                )
            }
        return bound | named

    def _goes(self, line: header.Statement | None) -> bool:
        """Whether the line that gives the function its name is taken away."""
        plan = self.plan
        return line is not None and (not plan.bound or (plan.at_uses and len(plan.uses) <= 2))

    def _replace_itself(self, said: str, given: Sequence[tuple[str, str]]) -> None:
        """Put what says the new function in the place of the old one."""
        if isinstance(self.node, cst.Lambda):
            self._replace(self.node, said, given)
        else:
            self._replace_definition(self.node, said, given)

    def _own_line(self) -> header.Statement | None:
        """The line that does nothing but give the function its name, where the block can do without it."""
        if self.plan.variable is None:
            return None
        line = self.source.line_of(self.node)
        if not isinstance(line, cst.SimpleStatementLine | cst.FunctionDef):
            return None
        if isinstance(line, cst.SimpleStatementLine) and len(line.body) != 1:
            return None
        block, body, _ = statements.block_of(self.source, line)
        if isinstance(block, cst.Module) or len(body) == 1 or not self.plan.can_go:
            return None
        return line

    def _comments_of(self, line: header.Statement | None) -> list[cst.EmptyLine]:
        """The comments over and behind the line of a lambda, which go where it goes."""
        if line is None:
            return []
        found = [each for each in line.leading_lines if each.comment is not None]
        if isinstance(line, cst.SimpleStatementLine):
            behind = line.trailing_whitespace.comment
            for comment in kept(self.edits, [behind] if behind is not None else []):
                found.append(cst.EmptyLine(comment=comment))
        return found

    def _name(self, goes: bool) -> str:
        """The name of the new function."""
        variable = self.plan.variable
        if goes and variable is not None and not says_nothing(variable) and self._is_free(variable):
            return variable
        used = {node.id for node in walk(self.module.tree) if isinstance(node, ast.Name)}
        avoid = self.avoid | used | {variable or ""}
        if isinstance(self.node, cst.FunctionDef):
            variable = self.node.name.value
        if variable is not None:
            return another_name(self.source, self.node, variable, avoid, self.plan.role)
        assert isinstance(self.node, cst.Lambda)
        return name_for_lambda(self.source, self.node, avoid, self.plan.role)

    def _is_declared(self, name: str) -> bool:
        return any(isinstance(node, ast.Global) and name in node.names for node in walk(self.module.tree))

    def _is_free(self, name: str) -> bool:
        """Whether the module has nothing by the name of a variable of a function's, and looks for nothing."""
        if name in self.avoid or is_taken(name) or name == "_":
            return False
        own = {id(use[-1]) for use in self.plan.uses} | {id(each) for each in self.plan.own}
        tree = self.module.tree
        there = [each for each in bindings(tree) if each.name == name]
        if any(each.node is not self.plan.node and each.trail[-2] is not self.trail[-2] for each in there):
            return False
        for node in walk(tree):
            if isinstance(node, ast.Name) and node.id == name and id(node) not in own:
                trail = trail_to(tree, node)
                if trail is not None and isinstance(node.ctx, ast.Load) and owner(name, trail) is None:
                    return False
        return not self._is_declared(name)

    def _is_hidden(self, name: str, goes: bool) -> bool:
        """Whether a scope around has something else by the name of a function of the module."""
        places = [self.trail, *self.plan.uses]
        for trail in places:
            index = owner(name, trail)
            if index is not None and not (goes and name == self.plan.variable):
                return True
        return False

    def _built(self, name: str, comments: Sequence[cst.EmptyLine] = ()) -> cst.FunctionDef:
        """The function as it stands in the module."""
        plan, node = self.plan, self.node
        names: dict[cst.CSTNode, cst.BaseExpression | cst.RemovalSentinel] = {}
        for bound in plan.bound:
            if bound.line is not None:
                line = self.counterparts.of(bound.line, node, cst.Assign)
                names[self.source.line_of(line)] = cst.RemoveFromParent()
            for place in bound.places:
                names[self.counterparts.of(place, node, cst.Attribute, cst.Subscript)] = cst.Name(
                    bound.parameter
                )
        if name != plan.variable:
            for each in plan.own:
                names[self.counterparts.of(each, node, cst.Name)] = cst.Name(name)
        gone = frozenset(each.parameter for each in plan.bound if each.default)
        new = [cst.Param(cst.Name(each.parameter), self._annotation(each)) for each in plan.bound]
        imports = [statements.parse(self.source, line)[0] for line in plan.imports]
        if isinstance(node, cst.Lambda):
            body = with_expressions(node.body, names)
            assert isinstance(body, cst.BaseExpression)
            params = with_bound(node.params, new, gone)
            gives = plan.role != "worker_init_fn" or not all(
                isinstance(use[-2], ast.keyword) and use[-2].arg == plan.role for use in plan.uses
            )
            function = function_of_lambda(self.source, name, params, body, imports, gives=gives)  # type: ignore[arg-type]
            function = with_room_used(self.source, function, self._new_margin())
            return with_head_on_lines(self.source, function, self._new_margin()).with_changes(
                leading_lines=comments
            )
        changed = with_expressions(node, names)
        assert isinstance(changed, cst.FunctionDef)
        changed = changed.with_changes(name=cst.Name(name), params=with_bound(changed.params, new, gone))
        if any(bound.line is not None for bound in plan.bound):
            changed = without_gap(changed)
        if imports:
            if not isinstance(changed.body, cst.IndentedBlock):
                raise CannotRepair(_BY_HAND)
            body_lines = list(changed.body.body)
            at = 1 if statements.is_docstring(body_lines[0]) else 0
            body_lines[at:at] = imports
            changed = changed.with_changes(body=changed.body.with_changes(body=body_lines))
        margin = self._new_margin()
        moved = moved_out(changed, self._margin(node).removeprefix(margin))
        return with_head_on_lines(self.source, moved, margin)

    def _new_margin(self) -> str:
        """How far in the function stands in the end: not at all, or as far as the method around it."""
        around = self.source.function_of(self.node) if self.plan.receiver is not None else None
        return self._margin(around) if around is not None else ""

    def _annotation(self, bound: Bound) -> cst.Annotation | None:
        """What the function around says of a parameter of its own, where the function speaks of types."""
        if not isinstance(self.plan.node, ast.FunctionDef) or not isinstance(bound.expression, ast.Name):
            return None
        own = [*self.plan.node.args.args, *self.plan.node.args.kwonlyargs]
        if not any(each.annotation for each in own):
            return None
        index = owner(bound.expression.id, self.trail)
        scope = self.trail[index] if index is not None else None
        if not isinstance(scope, ast.FunctionDef):
            return None
        for each in [*scope.args.args, *scope.args.kwonlyargs]:
            if each.arg == bound.expression.id and each.annotation is not None:
                names = [node.id for node in walk(each.annotation) if isinstance(node, ast.Name)]
                if all(owner(name, self.trail) is None for name in names):
                    return cst.Annotation(cst.parse_expression(ast.unparse(each.annotation)))
        return None

    def _margin(self, node: cst.CSTNode) -> str:
        (line, column), _ = self.source.range(node)
        return self.module.lines[self.source.line_in_file(line) - 1][:column]

    def _text(self, bound: Bound) -> str:
        return ast.get_source_segment(self.module.text, bound.expression) or ast.unparse(bound.expression)

    # What stands where it stood

    def _replace(self, node: cst.CSTNode, name: str, given: Sequence[tuple[str, str]]) -> None:
        put_bound(self.source, self.edits, node, name, given)
        given_to = self.source.enclosing(node, cst.Call)
        if given_to is not None and any(arg.value is node for arg in given_to.args):
            join_row(self.source, self.edits, given_to)

    def _replace_definition(self, node: cst.FunctionDef, name: str, given: Sequence[tuple[str, str]]) -> None:
        """``def f(x): ...`` in a function becomes ``f = functools.partial(...)`` there."""
        code = partial_of(self.source, self.edits, node, name, given) if given else name
        assign = statements.parse(self.source, f"{node.name.value} = {code}\n")[0]
        self.edits.claim(node)
        self.edits.remove(node)
        _, _, index = statements.block_of(self.source, node)
        blank = [each for each in node.leading_lines if each.comment is None][:1] if index else []
        self.edits.insert_after(node, [assign.with_changes(leading_lines=blank)])
