"""What an expression can stand for: the few kinds of value that the analysis tells apart.

A value is abstract: an instance is known by the call that makes it, a library's object by the name of what
made it. ``Unknown`` is an answer like the others; it carries a key, so that two reads of the same unknown
thing are known to agree.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping as AbstractMapping
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from dlint.source.module import Module
    from dlint.values.frame import Arguments, Frame, Point

Key: TypeAlias = Any  # hashable; a constant's own, or a number that stands for what the key is built of

_numbers: Final[dict[Any, int]] = {}
_next: Final = count()


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


class Value:
    """What an expression stands for. Equal keys, equal values."""

    __slots__ = ("key",)

    key: Key


class Const(Value):
    """None, a bool, a number, a string or bytes; ``member`` is the enumeration that has a member of this
    value, where that is meant."""

    __slots__ = ("member", "value")

    def __init__(self, value: Any, member: Class | None = None) -> None:
        self.value = value
        self.member = member
        self.key = ("const", type(value).__name__, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Unknown(Value):
    """Something the analysis cannot tell; equal keys mean the same thing.

    ``call`` is the call of something unknown that gives it, where that may make an object: what it was given,
    its node and where it stands. ``text`` is how a string or path begins and ends of which no more is known.
    ``computed``: it is what an operator gives, which is never None. ``is_number``: ``int`` has made it.
    ``is_path``: it is a path, as far as it is not None or a text, which its declaration says. ``stored``: it
    is what a statement is seen to store where it is read.
    """

    __slots__ = ("call", "computed", "is_number", "is_path", "stored", "text")

    def __init__(
        self,
        parts: Key,
        call: tuple[Arguments, ast.Call, Key] | None = None,
        text: tuple[str, str] | None = None,
        computed: bool = False,
        is_number: bool = False,
        is_path: bool = False,
    ) -> None:
        self.call = call
        self.text = text
        self.computed = computed
        self.is_number = is_number
        self.is_path = is_path
        self.stored = False
        self.key = number(parts)

    def as_number(self) -> Unknown:
        """The same, known to be a number."""
        made = Unknown(("number", self.key), computed=self.computed, is_number=True)
        made.key = self.key
        return made

    def as_stored(self) -> Unknown:
        """The same, seen to be stored."""
        made = Unknown(
            ("stored", self.key), self.call, self.text, self.computed, self.is_number, self.is_path
        )
        made.key, made.stored = self.key, True
        return made

    def as_path(self) -> Unknown:
        """The same, declared to be a path."""
        made = Unknown(("path", self.key), self.call, self.text, self.computed, self.is_number, True)
        made.key = self.key
        return made


def slice_of(whole: Value) -> Unknown:
    """A part of something that is not known: ``sys.argv[1:]``."""
    return Unknown(("slice", whole.key))


# What a generator gives is known, not when nor how often.
GENERATOR: Final = "generator"


class Items(Value):
    """A list, tuple, set or generator; ``open`` when it may hold more than what is listed."""

    __slots__ = ("items", "kind", "open")

    def __init__(self, kind: str, items: tuple[Value, ...], open: bool = False) -> None:
        self.kind = kind
        self.items = items
        self.open = open
        self.key = number((kind, tuple(item.key for item in items), open))


class Home(NamedTuple):
    """Where a dict is kept that other code may fill: a name of a module, an attribute of a class or an
    object, or an object that is itself a dict.

    ``word`` is what code calls it, "" for an object itself; ``cls`` is the class whose methods know it.
    """

    mark: Key
    word: str
    cls: Class | None = None

    def inside(self, name: object) -> Home:
        """The home of a dict in this one."""
        return Home(("in", self.mark, name), self.word, self.cls)


class Table(Value):
    """A dict with known keys (constants); ``open`` when it may hold others. ``home`` is where it is kept, for
    whoever fills it."""

    __slots__ = ("home", "items", "open")

    def __init__(
        self, items: AbstractMapping[Any, Value], open: bool = False, home: Home | None = None
    ) -> None:
        self.items = items
        self.open = open
        self.home = home
        kept = home.mark if home is not None else None
        self.key = number(("dict", tuple((k, v.key) for k, v in items.items()), open, kept))


class External(Value):
    """A name of a library or of Python itself: ``cv2.imread``, ``builtins.len``.

    ``owner`` is the made object that it is a method of (``rng.integers``), None for a plain name.
    ``is_path``: the declaration of what it is read from says that it is a path (``args.corpus``).
    """

    __slots__ = ("is_path", "name", "owner")

    def __init__(self, name: str, owner: Made | None = None, is_path: bool = False) -> None:
        self.name = name
        self.owner = owner
        self.is_path = is_path
        self.key = number(("external", name, owner.key if owner else None))


class Made(Value):
    """What a call of a library's function or class gives: ``DistributedSampler(...)``, ``torch.rand(3)``.

    ``name`` is the callee's; ``arguments`` are what went in, for containers of other objects
    (``Compose([...])``, ``ConcatDataset``). ``told`` is what was asked where every such call gives the same.
    """

    __slots__ = ("arguments", "name", "node", "point")

    def __init__(
        self, name: str, node: ast.AST, arguments: Arguments, point: Point, told: Key | None = None
    ) -> None:
        self.name = name
        self.node = node
        self.arguments = arguments
        self.point = point
        self.key = number(told or ("made", name, id(node), point.key))


class ModuleValue(Value):
    """A module or package of the program; ``module`` is None for a package without ``__init__.py``."""

    __slots__ = ("folder", "module")

    def __init__(self, module: Module | None, folder: str | None) -> None:
        self.module = module
        self.folder = folder
        self.key = number(("module", module.relative if module else folder))


class Function(Value):
    """A function, method or lambda of the program; ``receiver`` when it is bound."""

    __slots__ = ("frame", "node", "owner", "receiver")

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
        self.key = number(("function", id(node), frame.key, receiver.key if receiver else None))

    @property
    def module(self) -> Module:
        return self.frame.module


class Class(Value):
    """A class of the program, in the frame of the scope that defines it."""

    __slots__ = ("frame", "node")

    def __init__(self, node: ast.ClassDef, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.key = number(("class", id(node), frame.key))

    @property
    def module(self) -> Module:
        return self.frame.module

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line that it begins in."""
        return self.module.relative, self.node.lineno

    @property
    def name(self) -> str:
        return self.node.name


class Instance(Value):
    """An object of a class of the program; ``arguments`` is None where the making is not known. ``point`` is
    where a call of the class makes it."""

    __slots__ = ("arguments", "cls", "node", "point")

    def __init__(
        self,
        cls: Class,
        arguments: Arguments | None,
        node: ast.AST | None,
        at: Key = None,
        point: Point | None = None,
    ) -> None:
        self.cls = cls
        self.arguments = arguments
        self.node = node
        self.point = point
        self.key = number(("instance", cls.key, id(node) if node is not None else None, at))


class Partial(Value):
    """``functools.partial(callee, ...)``: a callee with some arguments given."""

    __slots__ = ("arguments", "callee")

    def __init__(self, callee: Value, arguments: Arguments) -> None:
        self.callee = callee
        self.arguments = arguments
        self.key = number(("partial", callee.key, arguments.key))


class Super(Value):
    """``super()`` in a method: the receiver, and the class whose bases are meant."""

    __slots__ = ("cls", "receiver")

    def __init__(self, receiver: Value, cls: Class) -> None:
        self.receiver = receiver
        self.cls = cls
        self.key = number(("super", receiver.key, cls.key))


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


def is_none(value: Value | None) -> bool:
    """Whether a value surely is None."""
    return isinstance(value, Const) and value.value is None
