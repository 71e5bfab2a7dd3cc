"""The body of a script: which of its statements act, which only prepare, and who needs the names they set."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.knowledge.scripts import (
    ANYTIME,
    OF_OPTIONS,
    OF_SETUP,
    PLAIN_BASES,
    PLAIN_DECORATORS,
    RUN_IN_MAIN,
    WORKER_METHODS,
)
from dlint.rewriting import header
from dlint.rewriting.moved.functions import Functions, is_parameter, other_name
from dlint.rewriting.pieces.unused import is_of_other
from dlint.rewriting.source import Source

Statement = header.Statement

_COMPOUND = (cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.Match)
_DEFINITION = (cst.FunctionDef, cst.ClassDef)
_NO_CONSTANT = (cst.Attribute, cst.Await, cst.BaseComp, cst.Call, cst.Lambda, cst.NamedExpr, cst.Subscript)


class Script:
    """The top-level statements of a file and the names between them."""

    def __init__(self, source: Source, *, classes_are_made_by_others: bool = False) -> None:
        """``classes_are_made_by_others``: the project has a metaclass or an ``__init_subclass__``."""
        self.source = source
        self._made_by_others = classes_are_made_by_others
        self.body: list[Statement] = list(source.module.body)

    # Kinds of statements

    def defines(self, statement: Statement) -> bool:
        """Whether a statement is a definition, or an ``if`` or ``try`` that holds one of the module's."""
        if isinstance(statement, _DEFINITION):
            return True
        return any(
            self.source.function_of(each) is None and self.source.enclosing(each, cst.ClassDef) is None
            for each in self.source.descendants(statement, *_DEFINITION)
        )

    def imports(self, statement: Statement) -> bool:
        """Whether a statement imports, whatever the script has read or made so far."""
        if not header.is_import(statement):
            return False
        if not isinstance(statement, cst.If):
            return True
        asked = [self._bindings.get(name, ()) for name in self.source.names_in(statement.test)]
        kinds = (cst.Import, cst.ImportFrom)
        return all(isinstance(node, kinds) for nodes in asked for node in nodes)

    def is_option(self, statement: Statement) -> bool:
        """Whether a statement only names a constant, reads the command line or sets a path."""
        return self._only_calls(statement, OF_OPTIONS) and all(
            isinstance(target, cst.Name | cst.Tuple) or self._of_environment(target)
            for target in self._targets(statement)
        )

    def is_setup(self, statement: Statement) -> bool:
        """Whether a statement may run again in every process that imports the script."""
        return self._only_calls(statement, OF_OPTIONS | OF_SETUP)

    def is_constant(self, statement: Statement) -> bool:
        """Whether a statement only names what is the same whenever it is made: numbers, texts, a logger."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
        for small in statement.body:
            if not isinstance(small, cst.Assign | cst.AnnAssign) or small.value is None:
                return False
            value = small.value
            calls = [value] if isinstance(value, cst.Call) and last_name(value) in ANYTIME else []
            inside = [arg.value for call in calls for arg in call.args] if calls else [value]
            parts = [
                part for each in inside for part in (each, *self.source.descendants(each, *_NO_CONSTANT))
            ]
            if any(isinstance(part, _NO_CONSTANT) for part in parts):
                return False
        return all(_binds_names(target) for target in self._targets(statement))

    def _only_calls(self, statement: Statement, names: frozenset[str]) -> bool:
        acts = (cst.Await, cst.Yield, cst.Del, *_COMPOUND)
        if isinstance(statement, acts) or any(True for _ in self.source.descendants(statement, *acts)):
            return False
        return all(last_name(call.func) in names for call in self.source.descendants(statement, cst.Call))

    def _targets(self, statement: Statement) -> Iterator[cst.BaseExpression]:
        kinds = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign)
        for each in self.source.descendants(statement, *kinds):
            yield each.target

    def _of_environment(self, target: cst.BaseExpression) -> bool:
        """``os.environ["..."]``, or an option of arguments that were parsed here."""
        return "environ" in self.source.names_in(target)

    # Names

    @cached_property
    def _scope(self) -> GlobalScope:
        scopes = self.source.metadata(ScopeProvider).values()
        return next(scope for scope in scopes if isinstance(scope, GlobalScope))

    @cached_property
    def _of_node(self) -> dict[cst.CSTNode, Statement]:
        return {each: each for each in self.body}

    def statement_of(self, node: cst.CSTNode) -> Statement | None:
        """The top-level statement that a node stands in."""
        for each in (node, *self.source.ancestors(node)):
            if each in self._of_node:
                return self._of_node[each]
        return None

    @cached_property
    def _bindings(self) -> dict[str, list[cst.CSTNode]]:
        found: dict[str, list[cst.CSTNode]] = {}
        for assignment in self._scope.assignments:
            node = getattr(assignment, "node", None)
            if node is not None:
                found.setdefault(assignment.name, []).append(node)
        return found

    @cached_property
    def _bound(self) -> dict[Statement, set[str]]:
        found: dict[Statement, set[str]] = {}
        for name, nodes in self._bindings.items():
            for node in nodes:
                statement = self.statement_of(node)
                if statement is not None and not self._is_deferred(node):
                    found.setdefault(statement, set()).add(name.partition(".")[0])
        return found

    def binds(self, statement: Statement) -> set[str]:
        """The module's names that a statement sets when it runs."""
        return self._bound.get(statement, set())

    def is_imported_from(self, name: str) -> bool:
        """Whether a name of the module comes with ``from ... import``."""
        return any(isinstance(node, cst.ImportFrom) for node in self._bindings.get(name, ()))

    def bound_once(self, name: str) -> bool:
        """Whether one place of the file alone sets a name of the module."""
        return len(self._bindings.get(name, ())) == 1 and not self.imports_all

    @cached_property
    def imports_all(self) -> bool:
        """Whether the file has a star import: any name may come from there."""
        return any(True for _ in self.source.descendants(self.source.module, cst.ImportStar))

    @cached_property
    def _reads(self) -> dict[Statement, dict[str, list[cst.CSTNode]]]:
        found: dict[Statement, dict[str, list[cst.CSTNode]]] = {}
        for assignment in self._scope.assignments:
            for access in assignment.references:
                statement = self.statement_of(access.node)
                if statement is not None:
                    of = found.setdefault(statement, {})
                    of.setdefault(assignment.name.partition(".")[0], []).append(access.node)
        return found

    def reads(self, statement: Statement) -> dict[str, list[cst.CSTNode]]:
        """The module's names that a statement says, and where, functions' bodies too."""
        return self._reads.get(statement, {})

    def reads_at_once(self, statement: Statement) -> set[str]:
        """The module's names that a statement needs when it runs, not when its functions are called."""
        return {
            name
            for name, nodes in self.reads(statement).items()
            if any(not self._is_deferred(node) for node in nodes)
        }

    def _is_deferred(self, node: cst.CSTNode) -> bool:
        inner = node
        for each in self.source.ancestors(node):
            if isinstance(each, cst.FunctionDef | cst.Lambda) and each.body is inner:
                return True
            inner = each
        return False

    def mentions(self, statement: Statement) -> frozenset[str]:
        """Every name in a statement, attributes' names too."""
        return self.source.names_in(statement)

    def _says(self, statement: Statement, names: set[str]) -> bool:
        """Whether one of the names, which are no attributes there, stands in a statement."""
        for name in self.source.descendants(statement, cst.Name):
            if name.value in names and not is_of_other(self.source, name):
                return True
        return False

    # Definitions that may be run before what stands above them

    def is_plain(self, definition: Statement, above: Sequence[Statement]) -> bool:
        """Whether a definition means the same when it is made before the statements ``above`` it have run."""
        source = self.source
        changed = {name for each in above for name in self.binds(each)}
        if self.reads_at_once(definition) & changed:
            return False
        # It may ask whether that is there, or mean what a star import has brought.
        if any(self._says(each, self.binds(definition)) for each in above):
            return False
        if any(len(self._bindings.get(name, ())) > 1 for name in self.binds(definition)):
            return False
        said = {name for each in above if not self._only_shows(each) for name in self.mentions(each)}
        if not isinstance(definition, _DEFINITION):
            plain = not isinstance(definition, _COMPOUND) and self._is_constant(definition, said)
            return plain or self.is_constant(definition)
        for node in (definition, *source.descendants(definition, *_DEFINITION, cst.Lambda)):
            if source.function_of(node) is not None:
                continue
            decorators = getattr(node, "decorators", ())
            if any(last_name(each.decorator) not in PLAIN_DECORATORS for each in decorators):
                return False
            if isinstance(node, cst.ClassDef) and (node.keywords or not self._has_plain_bases(node)):
                return False
        return all(self._is_constant(each, said) for each in self._evaluated(definition))

    def _only_shows(self, statement: Statement) -> bool:
        """Whether a statement prints, and changes nothing."""
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
        calls = self.source.descendants(statement, cst.Call)
        return all(isinstance(each, cst.Expr) and _is_print(each.value) for each in statement.body) and all(
            last_name(each.func) in ("print", "format", "len", "str") for each in calls
        )

    def _has_plain_bases(self, node: cst.ClassDef) -> bool:
        """Whether no base class has a say in how a class is made."""
        bases = [b.value.value if isinstance(b.value, cst.Subscript) else b.value for b in node.bases]
        known = all(last_name(base) in PLAIN_BASES for base in bases)
        return known or not (self._made_by_others or any(isinstance(b.value, cst.Call) for b in node.bases))

    def _evaluated(self, definition: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The defaults of parameters and the statements of class bodies that a definition runs."""
        parts = [definition, *self.source.descendants(definition, cst.Param, *_DEFINITION)]
        for each in parts:
            if self._is_deferred(each):
                continue
            if isinstance(each, cst.Param) and each.default is not None:
                yield each.default
            elif isinstance(each, cst.ClassDef):
                for line in each.body.body:
                    if not isinstance(line, _DEFINITION):
                        yield line

    def _is_constant(self, node: cst.CSTNode, said: set[str]) -> bool:
        """Whether code calls nothing, and reads nothing of ``said`` but modules."""
        acts = (cst.Call, cst.Await, cst.NamedExpr, *_COMPOUND)
        nodes = [node, *self.source.descendants(node, *acts)]
        if any(isinstance(each, acts) for each in nodes):
            return False
        return all(name not in said or self._is_module(name) for name in self.source.names_in(node))

    def _is_module(self, name: str) -> bool:
        nodes = self._bindings.get(name, ())
        return bool(nodes) and all(isinstance(node, cst.Import) for node in nodes)

    # What workers run

    def read_by_workers(self, named: Iterable[str]) -> set[str]:
        """The module's names that functions read which workers may run.

        Those are the methods that a loader calls on a dataset, the functions that the file hands on, and the
        functions ``named``, with whatever function of the file they name in their turn.
        """
        found = Functions(self.source)
        waiting = [(name, True) for name in (*WORKER_METHODS, *named)]
        waiting += [(name, False) for name in (*named, *self._handed_on(found.of_module))]
        seen: set[tuple[str, bool]] = set()
        run: set[cst.CSTNode] = set()
        while waiting:
            word = waiting.pop()
            if word not in seen:
                seen.add(word)
                for function in found.named(*word):
                    run.add(function)
                    waiting += found.said(function)
        return {
            name
            for statement in self.body
            for name, nodes in self.reads(statement).items()
            if any(above in run for node in nodes for above in self.source.ancestors(node))
        }

    def _handed_on(self, functions: Container[str]) -> Iterator[str]:
        """The functions that the file gives to a call or keeps under another name, for whoever to run."""
        for name in self.source.descendants(self.source.module, cst.Name):
            if name.value not in functions:
                continue
            parent = self.source.parent(name)
            plain = (cst.FunctionDef, cst.ClassDef, cst.Attribute, cst.AssignTarget, cst.Annotation, cst.Call)
            if isinstance(parent, plain):  # its own name, or a call of it
                continue
            if is_parameter(self.source, name):
                continue
            if other_name(self.source, name) is not None:  # looked at by that name
                continue
            around = self.source.enclosing(name, cst.Call, cst.BaseSmallStatement, cst.BaseCompoundStatement)
            if isinstance(around, cst.ClassDef):
                continue
            if isinstance(around, cst.Call) and last_name(around.func) in RUN_IN_MAIN:
                continue
            yield name.value


def _is_print(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "print"


def _binds_names(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple):
        return all(isinstance(each.value, cst.Name) for each in target.elements)
    return isinstance(target, cst.Name)


def last_name(node: cst.BaseExpression) -> str:
    """The last part of a dotted name, that of a call's callee too; empty for others."""
    if isinstance(node, cst.Call):
        return last_name(node.func)
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
