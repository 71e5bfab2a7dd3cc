"""What a class leaves out of pickles: its own ``__getstate__`` extended, or one built on what it inherits."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from dlint.changes.stores import Kin
from dlint.rewriting.each_process.attribute import defining, unknown_bases
from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces import statements
from dlint.rewriting.pieces.imports import name_for
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source
from dlint.source.statements import functions_in
from dlint.values.values import Class

_BY_HAND = "leave it out of the pickled state"
# Library classes, by the beginning of their names, that have no __getstate__ of their own.
_PLAIN = (
    "builtins.object",
    "abc.ABC",
    "collections.abc.",
    "typing.Generic",
    "typing.Iterable",
    "typing.Iterator",
    "typing.Mapping",
    "typing.MutableMapping",
    "typing.Protocol",
    "typing.Sequence",
    "torch.distributed.checkpoint.stateful.Stateful",
    "torchdata.stateful_dataloader.Stateful",
    "torchdata.stateful_dataloader.stateful.Stateful",
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
    "torch.utils.data.IterableDataset",
    "torch.utils.data.dataset.IterableDataset",
    "torch.utils.data.Subset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.Sampler",
    "torch.nn.Module",
    "torch.nn.modules.module.Module",
    "torchvision.datasets.",
    "torchvision.transforms.",
)
_LONGEST_LINE = 88  # where neither a configuration nor the file itself has longer ones
_NOT_SENT = "a spawned worker makes its own"
_COPY = re.compile(r"(?:copy\.)?(?:dict|copy|deepcopy)\(self\.__dict__\)|self\.__dict__\.copy\(\)")
_OF_SUPER = re.compile(r"super\(\w*(?:, *\w+)?\)\.__getstate__\(\)(?:\.copy\(\))?")
_UPDATE = re.compile(r"self\.__dict__\.update\(|self\.__dict__ *=|super\(.*\)\.__setstate__\(")


def forgotten(source: Source, owner: cst.ClassDef, name: str) -> list[cst.BaseSmallStatement]:
    """The statements of the class's own ``__getstate__`` that leave the attribute out."""
    own = _own(owner)
    found: list[cst.BaseSmallStatement] = []
    for string in source.descendants(own.body, cst.SimpleString) if own is not None else ():
        statement = source.statement_of(string)
        quoted = rf"""['"]{re.escape(name)}['"]"""
        said = source.code(statement)
        if re.fullmatch(
            rf"(?:del )?\w+\[{quoted}\](?: = None)?|\w+\.pop\({quoted}(?:, None)?\)", said
        ) and isinstance(statement, cst.BaseSmallStatement):
            found.append(statement)
    return found


def leave_out(
    source: Source,
    edits: Edits,
    kin: Kin,
    owner: cst.ClassDef,
    name: str,
    kept: str,
    *,
    only_to_workers: bool = False,
    also: Sequence[str] = (),
    left: str = "{}",
) -> str:
    """Have pickles hold ``left``, an empty dict, under ``kept`` (and ``also``), or only those that a process
    is started with. Gives the text of the method to add, if any."""
    for special in ("__setstate__", "__getstate__"):
        for cls in defining(kin, special):
            if cls.node is not kin.cls.node or special == "__setstate__":
                _check_inherited(kin, cls, special)
    # What a class above gets by another remedy, this one could not build upon.
    above = [cls.place for cls in kin.above]
    edits.extend(above[0], above[1:])
    quote = source.quote
    own = _own(owner)
    if own is not None:
        if also:
            raise CannotRepair(f"the class has a __getstate__ of its own: {_BY_HAND}")
        spawning = _spawning(source, edits) if only_to_workers else ""
        _extend(source, edits, owner, own, name, f"{quote}{kept}{quote}", spawning, left)
        return ""
    nodes = {id(cls.node) for cls in kin.above}
    inherits = any(id(cls.node) in nodes for cls in defining(kin, "__getstate__"))
    if not inherits:
        for base in unknown_bases(kin):
            if not base.startswith(_PLAIN):
                shown = base or "a class that is not known here"
                raise CannotRepair(f"{shown}, a base, may have a __getstate__ of its own: {_BY_HAND}")
    start = "super().__getstate__()" if inherits else "self.__dict__"
    head = f"def __getstate__(self){' -> object' if _is_typed(owner) else ''}:"
    if only_to_workers:
        lines = [
            f"state = {{**{start}}}",
            *_left_out_of(source, owner, "state", f"{quote}{kept}{quote}", _spawning(source, edits)),
        ]
        return f"\n{head}\n" + "".join(f"    {line}\n" for line in [*lines, "return state"])
    entries = ", ".join(f"{quote}{each}{quote}: {left}" for each in (kept, *also))
    return f"\n{head}\n    return {{**{start}, {entries}}}\n"


def _is_typed(owner: cst.ClassDef) -> bool:
    """Whether all methods of a class say what they give back, as who checks types has it."""
    methods = [each for each in owner.body.body if isinstance(each, cst.FunctionDef)]
    return bool(methods) and all(each.returns is not None for each in methods)


def _spawning(source: Source, edits: Edits) -> str:
    """The test whether a pickle goes to a process that is being started."""
    return f"{name_for(source, edits, 'multiprocessing', 'multiprocessing')}.context.get_spawning_popen()"


def _left_out_of(source: Source, owner: cst.ClassDef, state: str, key: str, spawning: str) -> list[str]:
    """The lines, for a method of a class, that leave an entry out of what is sent to a process that is being
    started."""
    test, comment = f"if {spawning} is not None:", f"# {_NOT_SENT}"
    column = source.range(owner)[0][1] + 2 * len(source.module.default_indent.expandtabs(4))
    fits = column + len(f"{test}  {comment}") <= limit_of(source, _LONGEST_LINE).columns
    head = [f"{test}  {comment}"] if fits else [comment, test]
    return [*head, f"    {state}[{key}] = {{}}"]


def _check_inherited(kin: Kin, cls: Class, special: str) -> None:
    """Refuse where another class's state method would hide the new one, or not do with what it gives."""
    texts = [cls.module.text_of(f) for f in functions_in(cls.node.body) if f.name == special]
    if special == "__setstate__":
        if not all(_UPDATE.search(text) and "__init__" not in text for text in texts):
            raise CannotRepair(f"the class {cls.name} has a __setstate__ of its own: {_BY_HAND}")
        return
    calls_super = all(_OF_SUPER.search(text) for text in texts)
    if any(above.node is cls.node for above in kin.above):
        if not calls_super and not all("__dict__" in text for text in texts):
            raise CannotRepair(f"the class {cls.name} has a __getstate__ of another kind: {_BY_HAND}")
    elif not (calls_super and kin.is_below(cls)):
        raise CannotRepair(f"the class {cls.name} has a __getstate__ of its own: {_BY_HAND}")


def _own(owner: cst.ClassDef) -> cst.FunctionDef | None:
    for each in owner.body.body:
        if isinstance(each, cst.FunctionDef) and each.name.value == "__getstate__":
            return each
    return None


def _extend(
    source: Source,
    edits: Edits,
    owner: cst.ClassDef,
    method: cst.FunctionDef,
    name: str,
    key: str,
    spawning: str,
    left: str,
) -> None:
    """Add the entry to a ``__getstate__`` that returns a dict display, or a copy that it has changed; with
    ``spawning``, only where that is so."""
    returns = list(source.descendants(method.body, cst.Return))
    last = method.body.body[-1] if method.body.body else None
    if len(returns) == 1 and last is source.line_of(returns[0]):
        value = returns[0].value
        if isinstance(value, cst.Dict) and _is_whole(source, value) and spawning:
            if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1:
                before = [
                    f"state = {source.code(value)}",
                    *_left_out_of(source, owner, "state", key, spawning),
                ]
                edits.insert_before(last, statements.parse(source, "\n".join(before) + "\n"))
                edits.replace(value, cst.Name("state"))
                return
        elif isinstance(value, cst.Dict) and _is_whole(source, value):
            more = cst.ensure_type(statements.expression(f"{{{key}: {left}}}"), cst.Dict).elements
            edits.change(value, lambda node: node.with_changes(elements=[*_closed(node.elements), *more]))
            return
        if isinstance(value, cst.Name) and _is_copied_state(source, method, value.value):
            new = statements.small(f"{value.value}[{key}] = {left}")
            gone = forgotten(source, owner, name)
            if len(gone) == 1:
                edits.replace(gone[0], new)
                return
            if not gone and isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1:
                above = method.body.body[-2]
                if spawning and isinstance(above, cst.If) and spawning in source.code(above.test):
                    edits.insert_after(above.body.body[-1], [cst.SimpleStatementLine([new])])
                    return
                lines = (
                    _left_out_of(source, owner, value.value, key, spawning)
                    if spawning
                    else [source.code(new)]
                )
                edits.insert_before(last, statements.parse(source, "\n".join(lines) + "\n"))
                return
    raise CannotRepair(f"the class has a __getstate__ of its own: {_BY_HAND}")


def _is_whole(source: Source, display: cst.Dict) -> bool:
    """Whether a dict display begins with the object's attributes."""
    first = display.elements[0] if display.elements else None
    if not isinstance(first, cst.StarredDictElement):
        return False
    said = source.code(first.value)
    return said == "self.__dict__" or _OF_SUPER.fullmatch(said) is not None


def _is_copied_state(source: Source, method: cst.FunctionDef, state: str) -> bool:
    """Whether a variable is set once, to a copy of the object's attributes."""
    values = [
        source.code(each.value)
        for each in source.descendants(method.body, cst.Assign)
        if any(source.code(target.target) == state for target in each.targets)
    ]
    return len(values) == 1 and bool(
        _COPY.fullmatch(values[0])
        or _OF_SUPER.fullmatch(values[0])
        or values[0] in ("{**self.__dict__}", "dict(vars(self))", "vars(self).copy()")
    )


def _closed(elements: object) -> list[cst.BaseDictElement]:
    *others, last = list(elements)  # type: ignore[call-overload]
    return [*others, last.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))]
