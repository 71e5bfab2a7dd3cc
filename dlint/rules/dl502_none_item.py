"""A dataset's __getitem__ can return None, and nothing takes it out of the batch.

## What it finds

A `__getitem__` that returns None for some items, for a loader that makes batches with the default collate
function: `return None` (or a tuple of nothing else, or the result of a function that gives no other:
`return self.note(index)`) where reading failed or the item is not good enough, an
`except` or a `suppress(OSError)` that falls off the end, attempts that run out, a search among what was read
that compares sizes (`if abs(frame.time - t) < 0.01: return frame`; `next(... if box.score > 0.5, None)`), a
list that what was read has left too short (`if len(frames) < n: return None`), an `if` about the item as the
last statement and no `return` behind it.
So is None inside an item: in a tuple, named tuple, list or dict that is returned
(`{"frame": self.frame(path, t)}`, `item["depth"] = self.depth(i)`, `return image, None` where other items
have something there, `return None, label` where `cv2.imread` gave None, `[self.read(p) for p in paths]`).
Also where the None comes from a function of the project, be it one that a decorator has registered, or from
another dataset (`return self.inner[index]`, `self.images[index], self.masks[index]`,
`tuple(data[index] for data in self.datasets)`), whose result is returned as it is, be it past a test of it
(`if pair is not None: pair = self.crop(*pair)`, and then `return pair`); from an object that is called
(`return self.pipeline(item)`), of the steps that it runs where one of those that are made by their own names
(`Pipeline([Pick(8)])`) gives None; where it is a parameter that this caller gives None
(`except OSError: return fallback`), or one of several things that a function gives together (`image, mask =
self.pair(path)`); where a variable that starts as None is returned after an exception that
kept it from being set, or for items that a test leaves out (`if path.exists(): depth = read(path)`, or a
conditional expression), an entry of a dict as well; and where what a decorator of the project puts around the
function ends after an exception, or when its attempts at calling it run out (`return default`, of which it
was told nothing). The same of what `get` returns to PyTorch Geometric's `Dataset`, and for its `DataLoader`.

So it is for a loader whose `collate_fn` is `default_data_collator` of transformers (`TypeError: 'NoneType'
object is not subscriptable`), and for the datasets of its `Trainer`, which takes that where it is given no
`data_collator` and no tokenizer; a None inside an item may be left out there.

So it is for one of the project whose `collate_fn` surely takes each item apart before anything could leave
None out: `zip(*batch)`, `[item["wave"] for item in batch]`, `for image, label in batch:`, `sorted(batch,
key=lambda item: item[0])`, `default_collate(batch)` (`TypeError` as well).

It is silent where another `collate_fn` takes the items (it may filter them), be it set later or patched into
torch, or given to this one of several datasets under a test that may ask for its name, where another
decorator of `__getitem__` may replace what it returns, where the loader makes no batches (`batch_size=None`),
where a `Subset` is of items that were looked at (`if dataset[i] is not None`), where the constructor has
tried the same function on each item to choose which to keep
(`[p for p in paths if self.parse(p) is not None]`), where a helper gives None for None alone
(`if image is None: return None`) and is not seen to be given that, where a class looks for the None of what
derived classes define and the one at hand gives none, where a helper's result is replaced where it is None,
or anything else is done with it on the way to the `return` (what works with it raises an error of its own,
what is given it may replace it), where only a mode of the dataset would get there, and where a list has
something for each of so many settings.

## Why is this bad

`default_collate` does not know what to do with None, and one such item stops the training, perhaps after
days. As measured: `TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or
lists; found <class 'NoneType'>`, and `RuntimeError: Could not infer dtype of NoneType` where a later item of
the batch is None (`TypeError: expected Tensor as element 1 in argument 0, but got NoneType` beside tensors,
inside tuples and dicts). Filtering all items of a batch away gives an IndexError instead. The loader of
PyTorch Geometric says `AttributeError: 'NoneType' object has no attribute 'stores'`, or TypeError where the
first item is None; a `collate_fn` that it is given it does not use.

## Example

```python
class Pictures(Dataset):
    def __getitem__(self, index):
        try:
            return read_image(self.paths[index])
        except OSError:
            return None
```

Use instead a collate function that leaves None out:

```python
def collate_readable(batch):
    return default_collate([item for item in batch if item is not None])

loader = DataLoader(Pictures(paths), batch_size=8, collate_fn=collate_readable)
```

Or find out before the training which items can be read.

## Level

- `error`, error: one None in a batch.

## Fix safety

No remedy: what to do with an item that cannot be read is the author's choice.

## References

- https://pytorch.org/docs/stable/data.html#working-with-collate-fn
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlint.knowledge.loading import fails_for_none, gives_graphs
from dlint.knowledge.trainers import DEFAULT_COLLATES
from dlint.loaders.loaders import Loader, Way
from dlint.loaders.trainers import TrainerLoader
from dlint.program.conditions import called
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.streams.items.items import Reader, are_chosen, handed_on, is_default_collate, readers
from dlint.streams.nones.nones import Nones
from dlint.streams.nones.refusing import refuses_none
from dlint.streams.nones.scope import How
from dlint.values.values import External, Key, Made, Value, is_none
from dlint.values.worlds import World

_TORCHS = frozenset({"torch.utils.data.DataLoader", "torchdata.stateful_dataloader.StatefulDataLoader"})
_DEFAULT = "default_collate"


class _Taker(NamedTuple):
    """A ``collate_fn`` that fails for None: what it is called, and whether the program has written it."""

    name: str
    own: bool = False

    @property
    def is_torchs(self) -> bool:
        return self.name == _DEFAULT and not self.own


_Judged = tuple[Reader, list[tuple[ast.stmt, How]]]


def check(program: Program) -> Iterator[Found]:
    """Items that can be None, for loaders that batch with the default collate function."""
    index = program.modules.index
    if index.mentioning("default_collate_fn_map") or index.stored_elsewhere("default_collate"):
        return  # the program says what the default one does with None
    nones, takers = Nones(program.evaluator), _Takers(program)
    known: dict[tuple[Key, World], list[_Judged]] = {}
    for loader in (*program.loaders, *program.trainers):
        if not _is_judged(loader) or loader.module.relative in index.storing(loader.word_for("collate_fn")):
            continue
        default = _default_of(loader)
        seen: set[tuple[int, _Taker]] = set()
        ways = loader.ways("dataset", "collate_fn", "batch_size")
        for way, world in ways:
            batch_size, dataset = way["batch_size"], way["dataset"]
            batches = not is_none(batch_size)
            collate = takers.of(way["collate_fn"]) if way["collate_fn"] is not None else default
            if dataset is None or not batches or collate is None:
                continue
            if are_chosen(program.evaluator, dataset, world) or _may_be_filtered(
                takers, dataset, world, ways
            ):
                continue
            like, as_seen = program.like(dataset, world)
            mark = (like.key, as_seen)
            if mark not in known:
                known[mark] = [
                    (reader, list(nones.of_reader(reader)))
                    for outer in readers(program.evaluator, like, as_seen, by_library=True)
                    for reader in (outer, *handed_on(program.evaluator, outer))
                ]
            for reader, places in known[mark]:
                if (id(reader.node), collate) not in seen:
                    seen.add((id(reader.node), collate))
                    for node, how in places:
                        if not how.inside or collate.is_torchs:
                            yield _found(program, loader, reader, node, how, collate)


def _is_judged(loader: Loader) -> bool:
    """Whether what makes a loader's batches is what it is told, or one that is known."""
    if isinstance(loader, TrainerLoader):
        return loader.kind.name in DEFAULT_COLLATES and not loader.collates_itself
    return not loader.inherited and (loader.kind.name in _TORCHS or gives_graphs(loader.kind.name))


def _default_of(loader: Loader) -> _Taker | None:
    """What takes the items of a loader that is told nothing; None where that is not known."""
    name = loader.default_collate if isinstance(loader, TrainerLoader) else _DEFAULT
    return _Taker(name) if name is not None else None


def _may_be_filtered(takers: _Takers, dataset: Value, world: World, ways: list[Way]) -> bool:
    """Whether a loader of one of several datasets has a function that takes the items of this one, under a
    test that is not seen to have to do with which of them it is, but may: ``"Sparse" in name``."""
    if all(way["dataset"] is None or takers.of(way["collate_fn"]) is not None for way, _ in ways):
        return False
    here = [way for way, w in ways if not world.is_of_other_caller(w)]
    given = [(each, way["collate_fn"]) for way in here if (each := way["dataset"]) is not None]
    return any(each.key != dataset.key for each, _ in given) and any(
        each.key == dataset.key and takers.of(collate) is None for each, collate in given
    )


class _Takers:
    """What the functions that make batches do with None, each looked at once."""

    def __init__(self, program: Program) -> None:
        self._evaluator = program.evaluator
        self._own: dict[Key, str | None] = {}

    def of(self, collate: Value | None) -> _Taker | None:
        """A ``collate_fn`` that takes the items as they are and fails for None; None where it is another one,
        which may leave that out."""
        if collate is None or is_default_collate(collate):
            return _Taker(_DEFAULT)
        if isinstance(collate, External | Made):
            name = fails_for_none(collate.name)
            return _Taker(name) if name is not None else None
        if collate.key not in self._own:
            self._own[collate.key] = refuses_none(self._evaluator, collate)
        name = self._own[collate.key]
        return _Taker(name, own=True) if name is not None else None


def _found(
    program: Program, loader: Loader, reader: Reader, node: ast.stmt, how: How, collate: _Taker
) -> Found:
    owner = reader.function.owner.name if reader.function.owner is not None else reader.instance.cls.name
    where = f"{loader.module.relative}:{loader.call.lineno}"
    of_graphs = gives_graphs(loader.kind.name)
    taker = f"a {loader.word_for('collate_fn')}"
    place = "before it is loaded" if of_graphs else "there" if collate.own else f"in {taker}"
    return Found(
        reader.function.module,
        node,
        f"{owner}.{reader.node.name} {how.said}: "
        + ("torch_geometric cannot collate it" if of_graphs else f"{collate.name} raises TypeError"),
        "error",
        f"{'leave such items' if how.inside else 'leave None'} out {place} (loader at {where})",
        called(program, loader),
        by_hand="find out beforehand which items can be read: torch_geometric's loader uses no collate_fn"
        if of_graphs
        else "give every item something there, or leave those without out in a collate_fn"
        if how.inside
        else f"filter the batch at the top of {collate.name}: [i for i in batch if i is not None]"
        if collate.own
        else f"filter the batch in {taker}: {collate.name}([i for i in batch if i is not None])",
    )
