"""An attribute or a module-level name that every process makes for itself, keyed on the process id.

An object keyed on the process id is right under every start method: a forked worker makes its own instead
of using the inherited one, and a spawned worker is sent none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import GlobalScope, ScopeProvider

from dlint.finding import Finding
from dlint.rewriting import statements
from dlint.rewriting.edits import CannotRepair, Edits
from dlint.rewriting.header import spaced
from dlint.rewriting.importers import is_imported
from dlint.rewriting.imports import name_for
from dlint.rewriting.locals import kept_on_self, local_names, with_names
from dlint.rewriting.source import Source


@dataclass(frozen=True)
class Made:
    """An assignment that makes an object: ``self.attribute = value`` in a method, or ``NAME = value``."""

    statement: cst.Assign | cst.AnnAssign
    value: cst.Call
    name: str
    method: cst.FunctionDef | None
    owner: cst.ClassDef | None


def made_at(source: Source, finding: Finding) -> Made:
    """The assignment that the finding points at. Raises CannotRepair where it is not a plain one."""
    node = source.at(finding, cst.Call, cst.Assign, cst.AnnAssign)
    statement = source.statement_of(node)
    if (
        not isinstance(statement, cst.Assign | cst.AnnAssign)
        or not isinstance(statement.value, cst.Call)
        or (isinstance(node, cst.Call) and node not in (statement.value, _receiver(statement.value)))
    ):
        raise CannotRepair("make it in each process, keyed on os.getpid(), by hand")
    targets = (
        [each.target for each in statement.targets]
        if isinstance(statement, cst.Assign)
        else [statement.target]
    )
    target = targets[0]
    if len(targets) == 1 and isinstance(target, cst.Name) and source.function_of(statement) is None:
        if source.enclosing(statement, cst.ClassDef) is not None:
            raise CannotRepair("it is an attribute of the class: make it in each process, by hand")
        return Made(statement, statement.value, target.value, None, None)
    method = source.function_of(statement)
    owner: cst.ClassDef | None = source.enclosing(statement, cst.ClassDef)
    if (
        len(targets) > 1
        or not isinstance(target, cst.Attribute)
        or source.code(target.value) != "self"
        or not isinstance(method, cst.FunctionDef)
        or owner is None
        or source.parent(source.parent(method) or method) is not owner
    ):
        raise CannotRepair("make it in each process, keyed on os.getpid(), by hand")
    return Made(statement, statement.value, target.attr.value, method, owner)


def _receiver(call: cst.Call) -> cst.BaseExpression | None:
    """What a method is called on: ``Generator()`` of ``Generator().manual_seed(0)``."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def as_property(
    source: Source,
    edits: Edits,
    made: Made,
    why: str,
    factory: Callable[[cst.BaseExpression], str] | None = None,
    keep_seed: bool = False,
    close: bool = False,
    by_name: bool = False,
) -> None:
    """Turn ``self.pool = make()`` into a property ``pool`` that makes one for each process.

    ``why`` is the comment in the property. ``factory`` gives the text of the expression that makes the
    object from the one in the file (the same by default). What it is made from and only the method knows
    is kept on ``self``: as a ``functools.partial``, with ``keep_seed`` as the one argument, or name by name
    (``by_name``: where pickle cannot send the function). ``close``: the inherited one is closed first.
    """
    owner, method = made.owner, made.method
    assert owner is not None and method is not None
    _check_class(source, made, owner)
    name = made.name
    kept = f"_{name}" if not name.startswith("_") else f"{name}_here"
    pid = f"_{name.lstrip('_')}_pid"
    if {kept, pid} & source.identifiers:
        raise CannotRepair(f"the names {kept} and {pid} are in use: make it in each process by hand")
    if by_name:
        value, setup = _named_outside_method(source, made, method)
    else:
        value, setup = _outside_method(source, edits, made, method, keep_seed)
    text = factory(value) if factory is not None else source.code(value)
    os = name_for(source, edits, "os", "os")
    new = [statements.small(f"self.{kept} = None"), statements.small(f"self.{pid} = None"), *setup]
    _replace_statement(source, edits, made.statement, new)
    members = "\n" + property_text(name, kept, pid, text, why, os, close=close)
    state = state_text(source, kept, pid)
    existing = _own_getstate(source, owner)
    if existing is None:
        members += getstate_text(state)
    else:
        more = cst.ensure_type(statements.expression(f"{{{state}}}"), cst.Dict).elements
        edits.change(existing, lambda node: node.with_changes(elements=[*_closed(node.elements), *more]))
    edits.insert_after(method, statements.parse(source, members))
    _, body, index = statements.block_of(source, method)
    if index + 1 < len(body):
        edits.change(body[index + 1], lambda node: spaced(node, 1))
    edits.claim(owner)


def property_text(
    name: str, kept: str, pid: str, made: str, why: str, os: str, *, close: bool = False
) -> str:
    """A property that makes its object once in each process."""
    closed = f"        if self.{kept} is not None:\n            self.{kept}.close()\n" if close else ""
    return (
        f"@property\ndef {name}(self):\n"
        f"    # {why}\n"
        f"    if self.{pid} != {os}.getpid():\n"
        f"{closed}"
        f"        self.{kept} = {_inside(made)}\n"
        f"        self.{pid} = {os}.getpid()\n"
        f"    return self.{kept}\n"
    )


def _inside(made: str) -> str:
    """An expression of several lines as it stands two levels deeper; strings stay as they are."""
    return made if '"""' in made or "'''" in made else made.replace("\n", "\n        ")


def state_text(source: Source, kept: str, pid: str) -> str:
    """The entries of a pickled state that say that there is no object yet."""
    quote = source.quote
    return f"{quote}{kept}{quote}: None, {quote}{pid}{quote}: None"


def getstate_text(state: str) -> str:
    """A ``__getstate__`` that leaves the object out."""
    return f"\ndef __getstate__(self):\n    return {{**self.__dict__, {state}}}\n"


def as_function(
    source: Source,
    edits: Edits,
    made: Made,
    why: str,
    factory: Callable[[cst.BaseExpression], str] | None = None,
    *,
    close: bool = False,
) -> None:
    """Turn a module-level ``POOL = make()`` into ``pool()``, which makes one for each process."""
    name = made.name
    scope = next(s for s in source.metadata(ScopeProvider).values() if isinstance(s, GlobalScope))
    if not (name.startswith("_") or _is_script(source)) or is_imported(source.path):
        raise CannotRepair("other modules may import it: make it in each process, by hand")
    assignments = list(scope[name])
    if len(assignments) != 1 or source.parent(source.line_of(made.statement)) is not source.module:
        raise CannotRepair("it is assigned more than once: make it in each process, by hand")
    uses = [_root(access.node) for access in assignments[0].references]
    function = name.lower()
    store = f"_{function.strip('_')}s"
    if (function != name and function in source.bound_names) or store in source.bound_names:
        raise CannotRepair(f"the names {function} and {store} are in use: make it in each process by hand")
    text = factory(made.value) if factory is not None else source.code(made.value)
    os = name_for(source, edits, "os", "os")
    closed = f"        for inherited in {store}.values():\n            inherited.close()\n" if close else ""
    new = statements.parse(
        source,
        f"{store} = {{}}\n\n\ndef {function}():\n"
        f"    # {why}\n"
        f"    if {os}.getpid() not in {store}:\n"
        f"{closed}"
        f"        {store}.clear()\n"
        f"        {store}[{os}.getpid()] = {_inside(text)}\n"
        f"    return {store}[{os}.getpid()]\n",
    )
    statements.replace_line(source, edits, made.statement, new)
    edits.define(function)
    for use in uses:
        edits.replace(use, cst.Call(cst.Name(function)), key=("use", name))


def _root(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def _check_class(source: Source, made: Made, owner: cst.ClassDef) -> None:
    name = made.name
    if name.startswith("__"):
        raise CannotRepair("the attribute's name is private to the class: make it in each process by hand")
    for each in source.descendants(source.module, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Del):
        if each is not made.statement and any(_ends_with(target, name) for target in _targets(each)):
            raise CannotRepair(f"{name} is also set elsewhere: make it in each process, by hand")
    members = {each.name.value for each in source.descendants(owner.body, cst.FunctionDef)}
    special = members & {name, "__setattr__", "__reduce__", "__reduce_ex__", "__del__", "__setstate__"}
    if special:
        raise CannotRepair(f"the class defines {min(special)}: make it in each process, by hand")
    if "__getstate__" in members and _own_getstate(source, owner) is None:
        raise CannotRepair("the class has a __getstate__ of its own: make it in each process, by hand")
    if "__slots__" in source.code(owner.body):
        raise CannotRepair("the class has __slots__: make it in each process, by hand")


def _targets(statement: cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Del) -> Sequence[cst.CSTNode]:
    if isinstance(statement, cst.Assign):
        return [each.target for each in statement.targets]
    return [statement.target]


def _ends_with(target: cst.CSTNode, name: str) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return any(_ends_with(each.value, name) for each in target.elements)
    return isinstance(target, cst.Attribute) and target.attr.value == name


def _own_getstate(source: Source, owner: cst.ClassDef) -> cst.Dict | None:
    """The dictionary in a ``__getstate__`` of the form that this module writes."""
    for each in owner.body.body:
        if isinstance(each, cst.FunctionDef) and each.name.value == "__getstate__":
            for returned in source.descendants(each.body, cst.Return):
                if isinstance(returned.value, cst.Dict) and "**self.__dict__" in source.code(returned.value):
                    return returned.value
    return None


def _closed(elements: object) -> list[cst.BaseDictElement]:
    *others, last = list(elements)  # type: ignore[call-overload]
    return [*others, last.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))]


def _outside_method(
    source: Source, edits: Edits, made: Made, method: cst.FunctionDef, keep_seed: bool
) -> tuple[cst.BaseExpression, list[cst.BaseSmallStatement]]:
    """The expression as it can be said outside the method, and what the method must keep for it."""
    needed = [name for name in local_names(source, made.value) if name != "self"]
    on_self = kept_on_self(source, method)
    value = with_names(made.value, {name: on_self[name] for name in needed if name in on_self})
    if all(name in on_self for name in needed):
        return value, []
    if local_names(source, made.value.func) or any(arg.star for arg in made.value.args):
        raise CannotRepair("what it is made from is known only here: make it in each process, by hand")
    if keep_seed:
        if len(made.value.args) != 1:
            raise CannotRepair("the generator has several arguments: make it per process by hand")
        kept = f"_{made.name.lstrip('_')}_seed"
        call = statements.expression(f"{source.code(made.value.func)}(self.{kept})")
        return call, [statements.small(f"self.{kept} = {source.code(made.value.args[0].value)}")]
    functools = name_for(source, edits, "functools", "functools")
    maker = f"_make_{made.name.lstrip('_')}"
    partial = _partial(f"{functools}.partial", made.value)
    target = cst.AssignTarget(cst.Attribute(cst.Name("self"), cst.Name(maker)))
    return statements.expression(f"self.{maker}()"), [cst.Assign([target], partial)]


def _named_outside_method(
    source: Source, made: Made, method: cst.FunctionDef
) -> tuple[cst.BaseExpression, list[cst.BaseSmallStatement]]:
    """The same, where each name of the method that the expression reads is kept."""
    on_self = kept_on_self(source, method)
    kept = {
        name: f"_{made.name.lstrip('_')}_{name}"
        for name in local_names(source, made.value)
        if name != "self" and name not in on_self
    }
    taken = sorted(source.identifiers.intersection(kept.values()))
    if taken:
        raise CannotRepair(f"the name {taken[0]} is in use: make it in each process by hand")
    value = with_names(made.value, {**on_self, **{name: f"self.{own}" for name, own in kept.items()}})
    return value, [statements.small(f"self.{own} = {name}") for name, own in kept.items()]


def _partial(partial: str, call: cst.Call) -> cst.Call:
    """``partial(func, ...)`` for ``func(...)``, laid out as the call is."""
    gap = call.whitespace_before_args
    first = cst.Arg(call.func)
    if call.args:
        between = gap if isinstance(gap, cst.ParenthesizedWhitespace) else cst.SimpleWhitespace(" ")
        first = first.with_changes(comma=cst.Comma(whitespace_after=between))
        gap = (
            cst.ParenthesizedWhitespace(indent=gap.indent, last_line=gap.last_line)
            if isinstance(gap, cst.ParenthesizedWhitespace)
            else gap
        )
    return call.with_changes(
        func=statements.expression(partial), whitespace_before_args=gap, args=[first, *call.args]
    )


def _replace_statement(
    source: Source, edits: Edits, old: cst.BaseSmallStatement, new: list[cst.BaseSmallStatement]
) -> None:
    """Put several small statements, each on its line, in the place of one."""
    first, *rest = new
    line = source.line_of(old)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        edits.replace(old, first)
        edits.insert_after(line, [cst.SimpleStatementLine([each]) for each in rest])
        return
    small = list(line.body) if isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite) else []
    if small[-1] is not old:
        raise CannotRepair("the statement shares its line with others: make it in each process, by hand")
    edits.remove(old)
    edits.change(line, lambda node: node.with_changes(body=[*_unclosed(node.body), *new]))


def _unclosed(body: object) -> list[cst.BaseSmallStatement]:
    all_of_them = list(body)  # type: ignore[call-overload]
    if not all_of_them:
        return []
    return [*all_of_them[:-1], all_of_them[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


def _is_script(source: Source) -> bool:
    return any(
        isinstance(each, cst.If) and "__name__" in source.code(each.test) for each in source.module.body
    )
