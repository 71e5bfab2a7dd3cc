"""What an expression can stand for: the few kinds of value that the analysis tells apart.

A value is abstract: an instance is known by the call that makes it, a library's object by the name of what
made it. ``Unknown`` is an answer like the others; it carries a key, so that two reads of the same unknown
thing are known to agree.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping as AbstractMapping
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from dlint.budget import spend
from dlint.values.facts import NOTHING, About, alike, both, is_unlikely

if TYPE_CHECKING:
    from dlint.source.module import Module
    from dlint.values.frame import Arguments, Frame, Point

Key: TypeAlias = Any  # hashable; a constant's own, or a number that stands for what the key is built of

_numbers: dict[Any, int] = {}
_next = count()


def number(parts: Any) -> int:
    """A small number for a composite key: equal parts, equal number. Keys nest, and hashing a nested tuple
    costs its whole depth every time."""
    known = _numbers.get(parts)
    if known is None:
        known = _numbers[parts] = next(_next)
    return known


def forget_numbers() -> None:
    """Lets go of all keys, when another program is looked at; no number is ever given twice."""
    _numbers.clear()


class Const:
    """None, a bool, a number, a string or bytes."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key: Key = ("const", type(value).__name__, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Unknown:
    """Something the analysis cannot tell; equal keys mean the same thing.

    ``call`` is the call of something unknown that gives it, where that may make an object: what it was given,
    its node and where it stands.
    """

    __slots__ = ("call", "key")

    def __init__(self, parts: Key, call: tuple[Arguments, ast.Call, Key] | None = None) -> None:
        self.call = call
        self.key: Key = number(parts)


class Items:
    """A list, tuple or set; ``open`` when it may hold more than what is listed."""

    __slots__ = ("items", "key", "kind", "open")

    def __init__(self, kind: str, items: tuple[Value, ...], open: bool = False) -> None:
        self.kind = kind
        self.items = items
        self.open = open
        self.key: Key = number((kind, tuple(item.key for item in items), open))


class Table:
    """A dict with known keys (constants); ``open`` when it may hold others."""

    __slots__ = ("items", "key", "open")

    def __init__(self, items: AbstractMapping[Any, Value], open: bool = False) -> None:
        self.items = items
        self.open = open
        self.key: Key = number(("dict", tuple((k, v.key) for k, v in items.items()), open))


class External:
    """A name of a library or of Python itself: ``cv2.imread``, ``builtins.len``.

    ``owner`` is the made object that it is a method of (``rng.integers``), None for a plain name.
    """

    __slots__ = ("key", "name", "owner")

    def __init__(self, name: str, owner: Made | None = None) -> None:
        self.name = name
        self.owner = owner
        self.key: Key = number(("external", name, owner.key if owner else None))


class Made:
    """What a call of a library's function or class gives: ``DistributedSampler(...)``, ``torch.rand(3)``.

    ``name`` is the callee's; ``arguments`` are what went in, for containers of other objects
    (``Compose([...])``, ``ConcatDataset``). ``told`` is what was asked where every such call gives the same.
    """

    __slots__ = ("arguments", "key", "name", "node", "point")

    def __init__(
        self, name: str, node: ast.AST, arguments: Arguments, point: Point, told: Key | None = None
    ) -> None:
        self.name = name
        self.node = node
        self.arguments = arguments
        self.point = point
        self.key: Key = number(told or ("made", name, id(node), point.key))


class ModuleValue:
    """A module or package of the program; ``module`` is None for a package without ``__init__.py``."""

    __slots__ = ("folder", "key", "module")

    def __init__(self, module: Module | None, folder: str | None) -> None:
        self.module = module
        self.folder = folder
        self.key: Key = number(("module", module.relative if module else folder))


class Function:
    """A function, method or lambda of the program; ``receiver`` when it is bound."""

    __slots__ = ("frame", "key", "node", "owner", "receiver")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        frame: Frame,
        receiver: Value | None = None,
        owner: Class | None = None,
    ) -> None:
        self.node = node
        self.frame = frame  # of the scope that defines it
        self.receiver = receiver
        self.owner = owner
        self.key: Key = number(("function", id(node), frame.key, receiver.key if receiver else None))

    @property
    def module(self) -> Module:
        return self.frame.module


class Class:
    """A class of the program, in the frame of the scope that defines it."""

    __slots__ = ("frame", "key", "node")

    def __init__(self, node: ast.ClassDef, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.key: Key = number(("class", id(node), frame.key))

    @property
    def module(self) -> Module:
        return self.frame.module

    @property
    def name(self) -> str:
        return self.node.name


class Instance:
    """An object of a class of the program; ``arguments`` is None where the making is not known."""

    __slots__ = ("arguments", "cls", "key", "node")

    def __init__(self, cls: Class, arguments: Arguments | None, node: ast.AST | None, at: Key = None) -> None:
        self.cls = cls
        self.arguments = arguments
        self.node = node
        self.key: Key = number(("instance", cls.key, id(node) if node is not None else None, at))


class Partial:
    """``functools.partial(callee, ...)``: a callee with some arguments given."""

    __slots__ = ("arguments", "callee", "key")

    def __init__(self, callee: Value, arguments: Arguments) -> None:
        self.callee = callee
        self.arguments = arguments
        self.key: Key = number(("partial", callee.key, arguments.key))


class Super:
    """``super()`` in a method: the receiver, and the class whose bases are meant."""

    __slots__ = ("cls", "key", "receiver")

    def __init__(self, receiver: Value, cls: Class) -> None:
        self.receiver = receiver
        self.cls = cls
        self.key: Key = number(("super", receiver.key, cls.key))


Value: TypeAlias = (
    Const
    | Unknown
    | Items
    | Table
    | External
    | Made
    | ModuleValue
    | Function
    | Class
    | Instance
    | Partial
    | Super
)

NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


_FIELDS = {"truth": 0, "none": 1, "equal": 2, "different": 3}


class World:
    """One way the program can go: what has been assumed so far about unknown things.

    Immutable; a fork gives two worlds that disagree about one thing. ``facts`` holds what is assumed of a
    thing under the thing's key (a number), and every other assumption under a tuple of its own.
    """

    __slots__ = ("facts",)

    def __init__(self, facts: dict[Key, Any] | None = None) -> None:
        self.facts: dict[Key, Any] = facts or {}

    def known(self, key: Key) -> Any:
        """What this world assumes, None when nothing yet. ``(kind, thing)`` with one of the kinds truth,
        none, equal and different asks about an unknown thing."""
        field = _FIELDS.get(key[0])
        if field is None:
            return self.facts.get(key)
        about = self.facts.get(key[1])
        return about[field] if about is not None else None

    def assuming(self, key: Key, fact: Any) -> World:
        """The world with one more assumption, which must not contradict it."""
        facts = dict(self.facts)
        spend(1 + len(facts) // 32)
        field = _FIELDS.get(key[0])
        if field is None:
            facts[key] = fact
        else:
            about = facts.get(key[1], NOTHING)
            facts[key[1]] = (*about[:field], fact, *about[field + 1 :])
        return World(facts)

    def forgetting(self, key: Key) -> World:
        """The world without what it assumes under a tuple."""
        if key not in self.facts:
            return self
        return World({known: fact for known, fact in self.facts.items() if known != key})

    def about(self, key: Key) -> About:
        """All that is assumed of an unknown thing."""
        about: About = self.facts.get(key, NOTHING)
        return about

    def with_about(self, key: Key, about: About) -> World:
        """The world that assumes this of an unknown thing, instead of what it assumed before."""
        spend(1 + len(self.facts) // 32)
        return World({**self.facts, key: about})

    @property
    def is_likely(self) -> bool:
        """Whether no number is assumed to be what counts and ranks hardly are."""
        return not any(type(key) is int and is_unlikely(fact) for key, fact in self.facts.items())

    def joined(self, other: World) -> World | None:
        """The world in which both hold, None where they contradict each other."""
        mine, theirs = self.facts, other.facts
        if not theirs or other is self:
            return self
        if not mine:
            return other
        small, large = (other, self) if len(theirs) <= len(mine) else (self, other)
        spend(1 + len(small.facts) // 8 + len(large.facts) // 32)
        ask = large.facts.get
        news: dict[Key, Any] = {}
        for key, fact in small.facts.items():
            known = ask(key)
            if known is fact:
                continue
            if known is None:
                news[key] = fact
            elif known != fact:
                agreed = both(known, fact) if type(key) is int else None
                if agreed is None:
                    return None
                news[key] = agreed
        return World({**large.facts, **news}) if news else large

    def agrees(self, other: World) -> bool:
        """Whether there is a world in which both hold."""
        mine, theirs = self.facts, other.facts
        if not mine or not theirs or mine is theirs:
            return True
        small, large = (theirs, mine) if len(theirs) <= len(mine) else (mine, theirs)
        spend(1 + len(small) // 8)
        ask = large.get
        for key, fact in small.items():
            known = ask(key)
            if known is fact or known is None or known == fact:
                continue
            if type(key) is not int or both(known, fact) is None:
                return False
        return True

    def shared(self, others: list[World]) -> World:
        """The world that assumes only what this one and all the others assume."""
        facts: dict[Key, Any] = {}
        spend(1 + len(self.facts) * (1 + len(others)) // 8)
        for key, fact in self.facts.items():
            for other in others:
                known = other.facts.get(key)
                if known is not fact and known != fact:
                    fact = alike(known, fact) if type(key) is int and known is not None else None
                    if fact is None:
                        break
            if fact is not None:
                facts[key] = fact
        return World(facts)


HERE = World()  # nothing assumed
