"""Worlds: what is assumed on one way that the program can go, the condition of a path."""

from __future__ import annotations

from typing import Any, Final

from dlint.budget.budget import spend
from dlint.values.facts import NOTHING, About, alike, both, is_unlikely
from dlint.values.values import Key

# What an assumption begins with that tells whether the user asks for something in place of a default.
OPTION: Final = "option"
# Assumed by what several worlds have in common, where they have more: that another world agrees with it does
# not show that it agrees with one of them.
FOLDED: Final = ("folded",)
# What the key of a text begins with.
_OF_TEXT: Final = ("const", "str")
# Of more ways than these nobody remembers what each of them assumes.
_MOST_WAYS: Final = 64
_FIELDS: Final = {"truth": 0, "none": 1, "equal": 2, "different": 3}


class _Choice:
    """Stands for a tuple under which something is assumed: the tuples nest, and every comparison of two
    worlds would hash them again. Equal tuples have one. ``kind`` is what the tuple begins with."""

    __slots__ = ("kind",)

    def __init__(self, kind: Key) -> None:
        self.kind = kind


_choices: dict[Key, _Choice] = {}


def _choice(parts: Key) -> _Choice:
    known = _choices.get(parts)
    if known is None:
        known = _choices[parts] = _Choice(parts[0])
    return known


class Folded:
    """What each of the worlds that were folded assumes beyond what they have in common; nothing where that is
    not known. That there were several is all that worlds are compared by: any two are equal."""

    __slots__ = ("_shared", "_worlds", "many")

    def __init__(self, many: int, shared: dict[Key, Any], worlds: tuple[dict[Key, Any], ...]) -> None:
        # How many ways there are, 0 where they are not known. Hardly anybody asks what each of them assumes.
        self.many = many
        self._shared = shared
        self._worlds = worlds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded)

    def __hash__(self) -> int:
        return hash(FOLDED)

    def ways(self) -> list[dict[Key, Any]]:
        """What each way assumes beyond what all have in common."""
        spend(1 + self.many)
        mark = _choice(FOLDED)
        ask = self._shared.get
        found: list[dict[Key, Any]] = []
        for facts in self._worlds:
            own: dict[Key, Any] = {}
            for key, fact in facts.items():
                known = ask(key)
                if key is not mark and known is not fact and known != fact:
                    own[key] = fact
            before: Folded | None = facts.get(mark)
            found += [own] if before is None else [{**way, **own} for way in before.ways()]
        return found


# A program has a few hundred different facts, each in thousands of worlds. With one object for each, most
# are compared by identity.
_abouts: dict[About, About] = {}


def _one(about: About) -> About:
    return _abouts.setdefault(about, about)


# What worlds assume that are kept for good, by what it is made of: half of them assume what another does, and
# nearly always one that was kept lately.
_kept: dict[int, dict[Key, Any]] = {}
_MOST_KEPT: Final = 1 << 16


def forget_choices() -> None:
    """Lets go of all tuples, when another program is looked at."""
    _choices.clear()
    _abouts.clear()
    _kept.clear()


class World:
    """One way the program can go: what has been assumed so far about unknown things.

    Immutable; a fork gives two worlds that disagree about one thing. ``facts`` holds what is assumed of a
    thing under the thing's key (a number), and every other assumption under what stands for a tuple.
    """

    __slots__ = ("_is_kept", "facts")

    def __init__(self, facts: dict[Key, Any] | None = None) -> None:
        self.facts: dict[Key, Any] = facts or {}
        self._is_kept = False

    def keep(self) -> None:
        """Says that this world is there to stay: it shares its facts with those that assume the same. They
        stay worlds of their own."""
        if self._is_kept:
            return
        self._is_kept = True
        facts = self.facts
        # Facts are compared by identity: what was folded is equal, and not the same.
        mark = hash((tuple(facts), tuple(map(id, facts.values()))))
        known = _kept.get(mark)
        if known is None:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[mark] = facts
        elif known == facts:
            self.facts = known

    def known(self, key: Key) -> Any:
        """What this world assumes, None when nothing yet. ``(kind, thing)`` with one of the kinds truth,
        none, equal and different asks about an unknown thing."""
        field = _FIELDS.get(key[0])
        if field is None:
            choice = _choices.get(key)
            return self.facts.get(choice) if choice is not None else None
        about = self.facts.get(key[1])
        return about[field] if about is not None else None

    def assuming(self, key: Key, fact: Any) -> World:
        """The world with one more assumption, which must not contradict it."""
        facts = dict(self.facts)
        spend(1 + len(facts) // 32)
        field = _FIELDS.get(key[0])
        if field is None:
            facts[_choice(key)] = fact
        else:
            about = facts.get(key[1], NOTHING)
            facts[key[1]] = _one((*about[:field], fact, *about[field + 1 :]))
        return World(facts)

    def forgetting(self, key: Key) -> World:
        """The world without what it assumes under a tuple."""
        choice = _choices.get(key)
        if choice is None or choice not in self.facts:
            return self
        return World({known: fact for known, fact in self.facts.items() if known is not choice})

    def forgetting_all(self, kind: Key) -> World:
        """The world without what it assumes under tuples that begin so."""
        return World(
            {k: fact for k, fact in self.facts.items() if not (isinstance(k, _Choice) and k.kind == kind)}
        )

    def tells(self, kind: Key) -> bool:
        """Whether it assumes anything under a tuple that begins so."""
        return any(isinstance(key, _Choice) and key.kind == kind for key in self.facts)

    def as_before(self, before: World, after: World) -> World:
        """The world without what ``after`` assumes and ``before`` did not."""
        gone = after.facts.keys() - before.facts.keys()
        if gone.isdisjoint(self.facts):
            return self
        return World({known: fact for known, fact in self.facts.items() if known not in gone})

    def about(self, key: Key) -> About:
        """All that is assumed of an unknown thing."""
        about: About = self.facts.get(key, NOTHING)
        return about

    def texts(self) -> frozenset[tuple[str, bool]]:
        """The texts that unknown things are assumed to be equal to, or (False) not to."""
        found: set[tuple[str, bool]] = set()
        for key, about in self.facts.items():
            if isinstance(key, _Choice):
                continue
            equal, different = about[2], about[3]
            if equal is not None and isinstance(equal.value, str):
                found.add((equal.value, True))
            found.update((each[2], False) for each in different if each[:2] == _OF_TEXT)
        return frozenset(found)

    def with_about(self, key: Key, about: About) -> World:
        """The world that assumes this of an unknown thing, instead of what it assumed before."""
        spend(1 + len(self.facts) // 32)
        return World({**self.facts, key: _one(about)})

    @property
    def may_be(self) -> bool:
        """Whether one of the ways that were folded, where they are remembered, agrees with what else is
        assumed: what all have in common may, and none of them."""
        held: Folded | None = self.known(FOLDED)
        return held is None or not held.many or any(World(way).agrees(self) for way in held.ways())

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
        if len(theirs) <= len(mine):
            small, large, whole = theirs, mine, self
        else:
            small, large, whole = mine, theirs, other
        spend(1 + len(small) // 8 + len(large) // 32)
        ask = large.get
        news: dict[Key, Any] = {}
        for key, fact in small.items():
            known = ask(key)
            if known is fact:
                continue
            if known is None:
                news[key] = fact
            elif type(known) is not Folded and known != fact:
                agreed = both(known, fact) if type(key) is int else None
                if agreed is None:
                    return None
                news[key] = _one(agreed)
        return World(large | news) if news else whole

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
            if known is fact or known is None or type(known) is Folded or known == fact:
                continue
            if type(key) is not int or both(known, fact) is None:
                return False
        return True

    @property
    def flags_on(self) -> int:
        """How many unknown things are assumed to be true."""
        return sum(type(key) is int and fact[0] is True for key, fact in self.facts.items())

    @property
    def is_as_it_stands(self) -> bool:
        """Whether the user asks for nothing: every option has its default."""
        return not any(
            fact and isinstance(key, _Choice) and key.kind == OPTION for key, fact in self.facts.items()
        )

    def is_of_other_caller(self, other: World) -> bool:
        """Whether another call has led here than in another world."""
        return any(
            isinstance(key, _Choice) and key.kind == "caller" and other.facts.get(key, fact) != fact
            for key, fact in self.facts.items()
        )

    def is_within(self, other: World) -> bool:
        """Whether this world assumes all that another does: what cannot be there cannot be here."""
        mine, theirs = self.facts, other.facts
        spend(1 + len(theirs) // 8)
        if mine is theirs:
            return True
        if len(theirs) > len(mine):
            return False
        ask = mine.get
        for key, fact in theirs.items():
            known = ask(key)
            if known is not fact and known != fact:
                return False
        return True

    def shared(self, others: list[World], *, ways: bool = True) -> World:
        """The world that assumes only what this one and all the others assume; not ``ways``: where nobody
        will ask what else each of them does."""
        spend(1 + len(self.facts) * (1 + len(others)) // 8)
        # Each is a world of its own, also where it assumes the same: see `told_apart`.
        unlike = [other.facts for other in others if other.facts is not self.facts]
        if not unlike or not self.facts:
            return World(self.facts)
        mark = _choice(FOLDED)
        if not all(unlike) or (not ways and len(self.facts) == 1 and mark in self.facts):
            return World({mark: _UNKNOWN_WAYS})
        facts = self.facts
        less = False  # whether of something less is kept than is assumed of it
        for other in unlike:
            ask = other.get
            held: dict[Key, Any] = {}
            for key, fact in facts.items():
                known = ask(key)
                if known is fact or known == fact:
                    held[key] = fact
                elif known is not None and type(key) is int:
                    both_know = alike(known, fact)
                    if both_know is not None:
                        held[key] = _one(both_know)
                        less = True
            facts = held
            if not facts:
                break
        many = len(facts)
        if less or len(self.facts) != many or any(len(each) != many for each in unlike):
            folded = _folded(facts, (self.facts, *unlike)) if ways else _UNKNOWN_WAYS
            # Not into `facts`: what is folded keeps these, and a circle would never be let go of.
            return World({**facts, mark: folded})
        return World(facts)

    def is_together_with(self, other: World) -> bool:
        """Whether some way of this world surely is one of another. Where one of them is what many ways have
        in common, that they agree does not show it: one of those must assume all that the other does."""
        mine, theirs = self.known(FOLDED), other.known(FOLDED)
        if mine is None and theirs is None:
            return True
        if mine is not None and theirs is not None:
            return False
        folded, plain, held = (self, other, mine) if theirs is None else (other, self, theirs)
        return folded.is_within(plain) or any(
            World({**folded.facts, **way}).is_within(plain) for way in held.ways()
        )


def _folded(shared: dict[Key, Any], worlds: tuple[dict[Key, Any], ...]) -> Folded:
    """What is lost of some worlds where only what they share is kept."""
    mark = _choice(FOLDED)
    many = 0
    for facts in worlds:
        before: Folded | None = facts.get(mark)
        many += 1 if before is None else before.many
        if many > _MOST_WAYS or (before is not None and not before.many):
            return _UNKNOWN_WAYS
    spend(1 + many // 8)
    return Folded(many, shared, worlds)


_UNKNOWN_WAYS: Final = Folded(0, {}, ())
HERE: Final = World()  # nothing assumed
