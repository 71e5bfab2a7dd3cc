"""What code has done to the entries of a batch since it came."""

from __future__ import annotations

from dlint.streams.memory.places import Place, View, may_be


class Entries:
    """The entries of a batch that are its no longer, and what has been done to objects that it holds."""

    def __init__(self) -> None:
        # Places at which something else is, or nothing.
        self.gone: set[Place] = set()
        # Those in which the same memory was stored as an array.
        self.arrays: set[Place] = set()
        # Objects of which a method is called, or which something is given: it may store in their attributes.
        self.told: set[Place] = set()
        # Those that are moved: `batch.to(device)` of what is no tensor may do so in place, and give itself.
        self.moved: set[Place] = set()

    def copy(self) -> Entries:
        """The same, to go on from here another way."""
        other = Entries()
        other.learn(self)
        return other

    def learn(self, other: Entries) -> None:
        """Learn what other code has done to them."""
        self.gone |= other.gone
        self.arrays |= other.arrays
        self.told |= other.told
        self.moved |= other.moved

    def whole(self, view: View) -> bool:
        """Whether nothing of a view is overwritten, so that it holds what came with the batch."""
        place = view.known.place
        return place is None or not self._gone_below(place)

    def left_of(self, view: View) -> View | None:
        """What a view still has of the batch: all, or all but some entries; None where nobody can tell."""
        place = view.known.place
        below = self._gone_below(place) if place is not None else []
        if place is None or not below:
            return view
        keys = [each[-1] for each in below if len(each) == len(place) + 1]
        texts = frozenset(key for key in keys if isinstance(key, str))
        return view._replace(without=texts) if len(keys) == len(below) and texts == set(keys) else None

    def _gone_below(self, place: Place) -> list[Place]:
        return [each for each in self.gone if len(each) > len(place) and may_be(each[: len(place)], place)]

    def are_there(self, place: Place) -> bool:
        """Whether what came with the batch is still at a place."""
        return not any(may_be(each, place) for each in self.gone)

    def stored_as_array(self, place: Place) -> bool | None:
        """Whether what is at a place of the batch is an array: None where one may have been stored there."""
        return None if any(may_be(each, place) for each in self.arrays) else False
