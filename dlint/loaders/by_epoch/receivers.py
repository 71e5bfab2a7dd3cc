"""What calls of ``set_epoch`` tell: the sampler of a loader, what hands it on, or something else."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from dlint.knowledge.epochs import SAMPLER, TELLS, is_without_epochs
from dlint.knowledge.loading import WRAPPED_IN
from dlint.loaders.by_epoch.same_epoch import Tell
from dlint.values.values import Class, Const, External, Instance, Made, Super, Value

if TYPE_CHECKING:
    from dlint.loaders.program import Program
    from dlint.loaders.samplers import Dealt

_ATTRIBUTES_OF_CLASSES = (TELLS, "__getattr__", "__getattribute__")


class Receiver(NamedTuple):
    """What a call of ``set_epoch`` may tell the epoch, and how it is called there; ``hands_on``: inside a
    method of that name; ``owner``: the class of the method around it; ``tell``: the number, where that is
    written there; ``asked``: only where the receiver has such a method; ``kinds``: of which of torch's kinds
    it is there."""

    values: list[Value]
    name: str = ""
    hands_on: bool = False
    owner: Class | None = None
    tell: Tell | None = None
    asked: bool = False
    kinds: Sequence[Value] = ()


def reaches(value: Value, dealt: Dealt, sites: Set[ast.AST | None] = frozenset()) -> bool:
    """Whether something is a sampler, or what holds it, or an attribute of these under which it is held.
    ``sites`` are the calls of the function that makes the loader which is meant, where others are known to
    make others."""
    if isinstance(value, External) and value.owner is not None:
        if value.owner.node is dealt.loader:
            site = value.owner.point.frame.site
            if sites and site is not None and site not in sites:
                return False
            return _is_under(value.name.rpartition("().")[2], dealt)
        return value.owner.node in dealt.holders
    return getattr(value, "node", None) in dealt.holders


def _is_under(path: str, dealt: Dealt) -> bool:
    """Whether a loader has a sampler under a path of attributes: torch gives one that gets a batch sampler
    an ordered ``sampler``, and one that gets a sampler a batch sampler around it, which is told nothing."""
    held, path = dealt.under, path.removeprefix(f"{WRAPPED_IN}.")
    if "sampler" in held and f"{path}.".startswith(("sampler.", "batch_sampler.sampler.")):
        return True
    whole = path != "batch_sampler" or dealt.holders == {dealt.loader, dealt.call}
    return "batch_sampler" in held and f"{path}.".startswith("batch_sampler.") and whole


def has_none(program: Program, value: Value) -> bool:
    """Whether something surely has no such method, as torch's loader and a dataset without one, to which
    nobody gives one."""
    if any(program.modules.index.storing(TELLS)):
        return False
    if isinstance(value, Instance):
        classes = program.evaluator.classes
        if any(classes.member(value.cls, name) for name in _ATTRIBUTES_OF_CLASSES):
            return False
        above = [base for cls in classes.line(value.cls) for values in classes.bases(cls) for base in values]
        return all(
            isinstance(base, Class) or (isinstance(base, External) and is_without_epochs(base.name))
            for base in above
        )
    return isinstance(value, Made) and is_without_epochs(value.name)


def is_another(program: Program, receiver: Receiver, value: Value, dealt: Dealt) -> bool:
    """Whether the receiver of a set_epoch is known, so that it is not the sampler that was looked for.

    What is called a dataset is none; what such a one hands on to is looked at in its own method.
    """
    if isinstance(value, Instance):
        return (
            bool(program.evaluator.classes.member(value.cls, TELLS))
            or has_none(program, value)
            or _is_another_sampler(program, value, dealt.sampler)
        )
    if isinstance(value, External) and value.owner is not None:
        return True
    return isinstance(value, Made | Const | Super) or receiver.name.lower().endswith("dataset")


def _is_another_sampler(program: Program, value: Instance, sampler: Value) -> bool:
    """Whether an object of a class derived from torch's sampler, which only tells itself, is not of the class
    of a sampler, nor of one above or below it."""
    classes = program.evaluator.classes
    if SAMPLER not in classes.libraries(value.cls):
        return False
    if isinstance(sampler, Instance):
        return not any(each.node is sampler.cls.node for each in classes.line(value.cls)) and not any(
            each.node is value.cls.node for each in classes.line(sampler.cls)
        )
    return isinstance(sampler, Made)


def may_tell(program: Program, receiver: Receiver, cls: Class, *, here: bool) -> bool:
    """Whether a call may tell objects of a class, which hand it on; ``here``: what is unknown may be one."""
    classes = program.evaluator.classes
    for value in receiver.values:
        if isinstance(value, Instance):
            below = any(each.node is cls.node for each in classes.line(value.cls))
            if below or any(each.node is value.cls.node for each in classes.line(cls)):
                return True
        elif not isinstance(value, Made | Const | Super) and here:
            return True
    return False


def tells_itself(program: Program, receiver: Receiver) -> bool:
    """Whether a method tells its own object."""
    owner = receiver.owner
    return owner is not None and all(
        isinstance(value, Instance)
        and any(each.node is owner.node for each in program.evaluator.classes.line(value.cls))
        for value in receiver.values
    )


def is_made(program: Program, cls: Class, modules: set[str]) -> bool:
    """Whether code of some files may make objects of a class: they name it outside of itself, other than to
    import or export it, or a file of configuration does, or what decorates it or derives it may keep it."""
    classes, index = program.evaluator.classes, program.modules.index
    if any(each.node.decorator_list or each.node.keywords for each in classes.line(cls)):
        return True
    if classes.member(cls, "__init_subclass__") or any(cls.name in text for text in index.configured):
        return True
    quoted = re.compile(rf"[\"']{re.escape(cls.name)}[\"']")
    for relative in index.naming(cls.name):
        module = program.modules.get(relative) if relative in modules else None
        if module is None:
            continue
        if any(
            isinstance(trail[-1], ast.Name | ast.Attribute) and cls.node not in trail
            for trail in module.paths_to(cls.name)
        ) or (quoted.search(module.text) and "__all__" not in module.text):
            return True
    return False
