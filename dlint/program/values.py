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

if TYPE_CHECKING:
    from dlint.module.source import Module
    from dlint.program.frame import Arguments, Frame, Point

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
    """Something the analysis cannot tell; equal keys mean the same thing."""

    __slots__ = ("key",)

    def __init__(self, parts: Key) -> None:
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
    (``Compose([...])``, ``ConcatDataset``).
    """

    __slots__ = ("arguments", "key", "name", "node", "point")

    def __init__(self, name: str, node: ast.AST, arguments: Arguments, point: Point) -> None:
        self.name = name
        self.node = node
        self.arguments = arguments
        self.point = point
        self.key: Key = number(("made", name, id(node), point.frame.key))


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


class World:
    """One way the program can go: what has been assumed so far about unknown things.

    Immutable; a fork gives two worlds that disagree about one thing.
    """

    __slots__ = ("facts",)

    def __init__(self, facts: dict[Key, Any] | None = None) -> None:
        self.facts: dict[Key, Any] = facts or {}

    def known(self, key: Key) -> Any:
        """What this world assumes of a thing, None when nothing yet."""
        return self.facts.get(key)

    def assuming(self, key: Key, fact: Any) -> World:
        facts = dict(self.facts)
        facts[key] = fact
        return World(facts)

    def joined(self, other: World) -> World | None:
        """The world in which both hold, None where they contradict each other."""
        if not other.facts or other is self:
            return self
        if not self.facts:
            return other
        small, large = (other, self) if len(other.facts) <= len(self.facts) else (self, other)
        known_facts = large.facts
        news: dict[Key, Any] = {}
        for key, fact in small.facts.items():
            known = known_facts.get(key)
            if known is None:
                if key[0] in _TIED and _contradicts(key, fact, known_facts):
                    return None
                news[key] = fact
            elif known is not fact and known != fact:
                if key[0] != "different":
                    return None
                news[key] = known | fact
        return World({**known_facts, **news}) if news else large


_TIED = frozenset(("truth", "none", "equal", "different"))


def _contradicts(key: Key, fact: Any, facts: dict[Key, Any]) -> bool:
    """Whether an assumption about a thing contradicts one of another kind about the same thing."""
    kind, thing = key
    if kind == "truth":
        equal = facts.get(("equal", thing))
        return bool(fact and facts.get(("none", thing))) or (
            equal is not None and bool(equal.value) is not fact
        )
    if kind == "none":
        equal = facts.get(("equal", thing))
        return bool(fact and facts.get(("truth", thing))) or (
            equal is not None and (equal.value is None) is not fact
        )
    if kind == "different":
        equal = facts.get(("equal", thing))
        return equal is not None and equal.key in fact
    if facts.get(("none", thing)) or fact.key in (facts.get(("different", thing)) or ()):
        return True
    truth = facts.get(("truth", thing))
    return truth is not None and bool(fact.value) is not truth


HERE = World()  # nothing assumed
