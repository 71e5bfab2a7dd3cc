"""What has the memory of a batch where code goes on: inside loops, comprehensions and functions, behind
tests; and what of it is in something that is written out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from dlint.knowledge.tensors import VARIABLE
from dlint.source.nodes import walk
from dlint.source.statements import last_name, own_names
from dlint.streams.memory.loops import as_list, counted_by, each_gone_through, is_of_values, key_gone_through
from dlint.streams.memory.places import Named, Place, Values, View, either, named
from dlint.streams.memory.stored import ANY
from dlint.streams.memory.views import Callees, Views


class Held(Views):
    """What has a batch's memory at one place of the code, and from there inside loops, calls and tests."""

    def __init__(
        self,
        names: Iterable[tuple[str, Named]] = (),
        callees: Callees | None = None,
    ) -> None:
        super().__init__(names, callees)
        # Names of what was written out with several such things in it: parameters of a function.
        self.displays: dict[str, list[View]] = {}
        # Of those the ones that are dicts, and the names of each of their values in a loop.
        self.dicts: dict[str, list[View]] = {}
        self.values: dict[str, list[View]] = {}

    def copy(self) -> Held:
        """The same, to go on from here another way."""
        other = Held(self.names.items(), self._callees)
        other.entries = self.entries.copy()
        other.counts = set(self.counts)
        other.displays = dict(self.displays)
        other.tuples = dict(self.tuples)
        other.dicts = dict(self.dicts)
        other.values = dict(self.values)
        other.keys = dict(self.keys)
        other.written = dict(self.written)
        return other

    def when_called(self, given: Mapping[str, ast.expr], callees: Callees) -> Held:
        """The same inside a function that is called with ``given``, by the names of its parameters."""
        views = [(name, self.view(each)) for name, each in given.items()]
        inside = self.copy()
        inside.names = {name: view.known for name, view in views if view is not None}
        inside.displays = {name: self.views(given[name]) for name, view in views if view is None}
        inside.tuples = {
            name: [self.view(part) for part in each.elts]
            for name, each in given.items()
            if isinstance(each, ast.Tuple)
        }
        inside.dicts = {
            name: [view for part in each.values if (view := self.view(part)) is not None]
            for name, each in given.items()
            if isinstance(each, ast.Dict)
        }
        inside.values = {}
        inside.keys = {}
        inside.written = {}
        inside.counts = set()
        inside._callees = callees
        return inside

    def told(self, target: ast.expr, value: ast.expr, callees: Callees) -> Held:
        """The same where names are told what an expression gives here."""
        other = Held((), callees)
        other.entries = self.entries.copy()
        match target, value:
            case ast.Tuple(elts=parts), ast.Tuple(elts=given) if len(parts) == len(given):
                pairs = list(zip(parts, given, strict=True))
            case _:
                pairs = [(target, value)]
        for part, each in pairs:
            view = self.view(each)
            if view is not None:
                other.names.update(named(part, view.known))
            elif isinstance(part, ast.Name) and (views := self.views(each)):
                other.displays[part.id] = views
                if isinstance(each, ast.Tuple):
                    other.tuples[part.id] = [self.view(inner) for inner in each.elts]
        return other

    def narrow(self) -> bool:
        """Go on where a test has decided what comes here: of the values of a dict some, who knows which; say
        whether there were any."""
        places = [*(known.place for known in self.names.values()), *self.keys.values()]
        if not any(place and Values.EACH in place for place in places):
            return False
        for name, known in self.names.items():
            if known.place:
                self.names[name] = known._replace(place=_some_of(known.place))
        self.keys = {name: _some_of(place) for name, place in self.keys.items()}
        return True

    def where(self, test: ast.expr) -> Held | None:
        """The same where a test has picked one of a dict's keys: ``key == "y"``; None for any other test."""
        match test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=str(key))]
            ) if self.keys.get(name, ())[-1:] == (Values.EACH,):
                each = self.keys[name]
                one = (*each[:-1], key)
                other = self.copy()
                other.keys[name] = one
                for value, known in other.names.items():
                    if known.place == each:
                        other.names[value] = known._replace(place=one)
                return other
        return None

    def rounds(self, loop: ast.For) -> list[Held]:
        """The same inside a loop that goes through parts of a batch, or counts; in each round of one through
        keys that are written out: ``for key in ("x", "y"): kept[key].append(batch[key])``. Nothing inside any
        other."""
        name = loop.target.id if isinstance(loop.target, ast.Name) else None
        if name is not None and self._asks_for(name, loop):
            keys = self._callees.keys_in(loop.iter) if self._callees is not None else []
            if keys:
                return [self._in_round(loop, name, key) for key in keys]
        within = self._within(loop)
        return [] if within is None else [within]

    def _asks_for(self, key: str, node: ast.AST) -> bool:
        """Whether anything below a node asks for parts of a batch under a name of keys."""
        return any(
            isinstance(each, ast.Subscript)
            and isinstance(each.slice, ast.Name)
            and each.slice.id == key
            and self.view(each.value) is not None
            for each in walk(node)
        )

    def _in_round(self, loop: ast.For | ast.comprehension, name: str, key: str | int) -> Held:
        other = self.copy()
        for bound in own_names(loop) if isinstance(loop, ast.For) else (name,):
            for known in (other.names, other.keys, other.displays):
                known.pop(bound, None)
        other.written[name] = key
        return other

    def _within(self, loop: ast.For) -> Held | None:
        """The same inside a loop that goes through parts of a batch, or counts; None inside any other."""
        parts = [(name, known) for name, known in gone_through(loop, self, whole=True) if known.place]
        counts = counted_by(loop)
        values = {
            target.id: self.dicts[through.id]
            for target, through in each_gone_through(loop.target, loop.iter)
            if isinstance(target, ast.Name) and isinstance(through, ast.Name) and is_of_values(loop.iter)
            if self.dicts.get(through.id)
        }
        keys, pairs = dict(self._keys_of(loop)), self._pairs(loop)
        if not parts and not counts and not values and not keys and not pairs:
            return None
        other = self.copy()
        for name in own_names(loop):
            other.names.pop(name, None)
            other.keys.pop(name, None)
            other.displays.pop(name, None)
        other.displays.update(pairs)
        other.names.update((name, known) for name, known in parts if name not in keys)
        other.keys.update(keys)
        other.names.update((name, views[0].known) for name, views in values.items())
        other.values.update(values)
        other.counts = (other.counts - {*own_names(loop)}) | counts
        return other

    def _keys_of(self, loop: ast.For) -> Iterator[tuple[str, Place]]:
        """The name of the keys of a dict that a loop goes through, with the place of what is under each."""
        key, through = key_gone_through(loop)
        view = self.view(through) if key is not None else None
        place = view.known.place if view is not None and not view.known.is_one else None
        if key is not None and view is not None and place is not None and self.entries.whole(view):
            yield key, (*place, Values.EACH)

    def _pairs(self, loop: ast.For | ast.comprehension) -> dict[str, list[View]]:
        """What a loop gives one name to of several things at once: ``for pair in zip(x, y)``."""
        match loop.target, loop.iter:
            case ast.Name(id=name), ast.Call(func=ast.Name(id="zip")) as pairs if views := self.views(pairs):
                return {name: views}
        return {}

    def meet(self, other: Held) -> None:
        """Keep what holds another way as well."""
        self.entries.learn(other.entries)
        self.names = {
            name: either(known, other.names[name])
            for name, known in self.names.items()
            if name in other.names and other.names[name].place == known.place
        }

    def views(self, node: ast.expr) -> list[View]:
        """The parts of an expression that have a batch's memory: itself, or what a display holds."""
        match node:
            case ast.Name(id=name) | ast.Starred(value=ast.Name(id=name)) if name in self.displays:
                return [view._replace(node=node, is_list=True) for view in self.displays[name]]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [view for part in parts for view in self.views(part)]
            case ast.Dict(values=parts):
                return [view for part in parts for view in self.views(part)]
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=entries):
                return [view for entry in entries if entry.arg for view in self.views(entry.value)]
            case (
                ast.ListComp(elt=each, generators=[generator])
                | ast.DictComp(value=each, generators=[generator])
            ):
                return [view for inside in self._insides(generator, each) for view in inside.views(each)]
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[rows], keywords=[]):
                return self._each(rows)
            case ast.Call(func=ast.Name(id="zip"), args=columns, keywords=[]):
                return [view for column in columns for view in self._each(column)]
            case ast.Starred(value=rows):
                return self._each(rows)
            case ast.Call(func=callee, args=parts, keywords=entries) if self._is_record(callee):
                return [view for part in (*parts, *(e.value for e in entries)) for view in self.views(part)]
        found = self.view(node)
        return [found] if found is not None else []

    def _is_record(self, callee: ast.expr) -> bool:
        """Whether what is called makes a record: a class, by its name."""
        name = last_name(callee)
        is_class = name.strip("_")[:1].isupper() and name != VARIABLE
        return is_class and self._callees is not None and self._callees.is_record(callee)

    def _each(self, rows: ast.expr) -> list[View]:
        """The same of what is written out one by one: ``list(y)``, ``[*y]``."""
        written = as_list(rows)
        if written is not rows:
            return self.views(written)
        whole = self.view(rows)
        # What is in an array may be numbers, and of all of a batch it may be the keys.
        if whole is None or not (whole.known.is_tensor or whole.known.place):
            return []
        return [whole.rows() if whole.known.is_array is not False else whole]

    def _insides(self, generator: ast.comprehension, made: ast.expr) -> Iterator[Held]:
        """The same inside a comprehension, for each thing that it goes through where these were written out:
        the keywords that a function was given (``{k: v.cpu() for k, v in parts.items()}``)."""
        yield self.inside(generator)
        match generator:
            case ast.comprehension(target=ast.Name(id=name), iter=through, ifs=[]) if (
                self._callees is not None
            ):
                for key in self._callees.keys_in(through) if self._asks_for(name, made) else ():
                    yield self._in_round(generator, name, key)
        of_values = is_of_values(generator.iter)
        for target, source in each_gone_through(generator.target, generator.iter):
            if not (isinstance(target, ast.Name) and isinstance(source, ast.Name)) or generator.ifs:
                continue
            is_dict = source.id in self.dicts
            parts = self.dicts.get(source.id, []) if of_values else self.displays.get(source.id, [])
            for view in parts if of_values or not is_dict else ():
                inside = self.copy()
                inside.names[target.id] = view.known
                yield inside

    def inside(self, generator: ast.comprehension) -> Held:
        """What has a batch's memory inside a comprehension that goes through parts of one."""
        inside = Held((), self._callees)
        inside.displays.update(self._pairs(generator))
        of_values = is_of_values(generator.iter)
        for target, source in each_gone_through(generator.target, generator.iter):
            view = self.view(source)
            if view is None or not self.entries.whole(view) or (generator.ifs and not of_values):
                continue
            through = view.known
            if of_values and through.place is not None and not through.is_one:
                place = (*through.place, Values.SOME if generator.ifs else Values.EACH)
                inside.names.update(named(target, Named(place, is_array=self.entries.stored_as_array(place))))
            elif through.place and not through.is_one:
                inside.names.update(named(target, Named((*through.place, ANY), in_order=through.in_order)))
            else:
                # A row of a tensor is one as well; what a whole batch is made of may be anything.
                inside.names.update(named(target, through.rows()._replace(place=through.place or None)))
        return inside


def _some_of(place: Place) -> Place:
    """The same of some of a dict's values, where it is of each."""
    return tuple(Values.SOME if each is Values.EACH else each for each in place)


def gone_through(
    loop: ast.For | ast.comprehension, held: Held, *, whole: bool = False
) -> Iterator[tuple[str, Named]]:
    """The names that a loop gives to the parts of a batch; ``whole`` where none of these is overwritten."""
    part = Values.EACH if is_of_values(loop.iter) else ANY
    for target, through in each_gone_through(loop.target, loop.iter):
        view = held.view(through)
        if view is not None and (not whole or held.entries.whole(view)):
            known = view.known
            if known.place is None or known.is_one:
                yield from named(target, known.rows())
            else:
                inner = (*known.place, part)
                is_array = held.entries.stored_as_array(inner)
                yield from named(target, Named(inner, is_array=is_array, in_order=known.in_order))
