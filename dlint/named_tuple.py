"""``NamedTuple`` as :mod:`typing` has it, made in a tenth of the time.

A check of a small file makes some hundred and fifty such classes. With typing's own they take a tenth of its
time: every annotation is compiled from its text, and so is what makes each class's objects. Here the classes
share their methods, and those with as many fields the code that makes one. Type checkers, and mypyc in what
it compiles, see typing's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    # Python's own getter of a field, without which each read would be a call.
    from collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    class _Named(tuple):
        """What all named tuples can do."""

        __slots__ = ()

        def __repr__(self):
            said = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({said})"

        def __getnewargs__(self):
            return tuple(self)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"no such fields: {list(changes)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

    class _Maker(type):
        """Makes classes that are no longer of this type: ``isinstance`` is faster with plain ones."""

        def __new__(meta, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            given = {field: namespace[field] for field in fields if field in namespace}
            namespace["__slots__"] = ()
            namespace["_fields"] = namespace["__match_args__"] = fields
            namespace["_field_defaults"] = given
            # As it is called: by the names of its fields.
            code = _maker(len(fields)).replace(co_name="__new__", co_varnames=("_cls", *fields))
            defaults = tuple(given.values())
            namespace["__new__"] = FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)
            for number, field in enumerate(fields):
                namespace[field] = _tuplegetter(number, "")
            return type(name, (_Named,), namespace)

    @cache
    def _maker(count):
        """The code that makes a tuple of so many fields; :mod:`collections` makes its own in the same way."""
        fields = "".join(f"f{number}, " for number in range(count))
        return eval(f"lambda _cls, {fields}: _new(_cls, ({fields}))").__code__

    class _NamedTuple:
        """What classes name as their base, and have no more once they are made."""

        def __mro_entries__(self, bases):
            return (_Base,)

    _Base = type.__new__(_Maker, "NamedTuple", (), {})
    NamedTuple = _NamedTuple()
