"""A loader of an IterableDataset gets shuffle, a sampler or a batch sampler.

## What it finds

A `DataLoader(...)` whose dataset is an `IterableDataset` while `shuffle` is true, or a `sampler` or
`batch_sampler` is given, on some way through the program. `shuffle=not isinstance(dataset,
IterableDataset)` and the like are understood, and so is that a dataset of which nothing else is known is one
behind `if isinstance(dataset, ChainDataset):`; in a function, or a method of a class, that asks for the kind
of dataset, or whether it has a length (`hasattr(dataset, "__len__")`, `try: len(dataset)`), only what every
way does is reported. torch's `IterDataPipe` accepts `shuffle`; that is not reported, and neither is what a
test expects to raise (`with pytest.raises(ValueError):`).

## Why is this bad

The constructor raises: `ValueError: DataLoader with IterableDataset: expected unspecified shuffle option, but
got shuffle=True`, likewise for the others.

## Example

```python
loader = DataLoader(Stream(paths), batch_size=8, shuffle=True)
```

Use instead: a stream that shuffles itself, through a buffer or by the order of its files.

```python
loader = DataLoader(Stream(paths, buffer=1000), batch_size=8)
```

## Level

- `error`, error: every way to the call gives both.
- `warning`, error: only some do.

## Fix safety

Safe where every way to the call raises: the argument goes, with the comments on it and the names that were
there for it alone. The order is then the stream's own. Unsafe where a `try` around the call catches the
error.

## References

- https://pytorch.org/docs/stable/data.html#iterable-style-datasets
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.finding import Remedy
from dlint.knowledge.loading import ITERABLE_WORDS, is_iterable_dataset
from dlint.loaders.conflicts import Conflict, Judge, applicability, conflicts, is_on, surely_given
from dlint.loaders.loaders import Loader
from dlint.program.conditions import SOME_WAYS
from dlint.program.program import Program
from dlint.regex import regex
from dlint.rules.rule import Found
from dlint.source.nodes import walk
from dlint.source.statements import FunctionNode
from dlint.values.values import Class, External, Instance, Made, Unknown, Value
from dlint.values.worlds import World

# A stream has no length: to ask for it is to ask for the kind.
_LENGTH = regex(r"\bhasattr\([^)\n]{0,300}[\"\']__len__|\btry:\s{0,99}\n[^\n]{0,300}\blen\(")


def check(program: Program) -> Iterator[Found]:
    """Loaders that order what cannot be ordered."""
    if not any(program.modules.index.mentioning(word) for word in ITERABLE_WORDS):
        return
    for loader in program.loaders:
        found = {
            name: conflict
            for name in filter(loader.may_get, ("shuffle", "sampler", "batch_sampler"))
            for conflict in [conflicts(loader, ("dataset", name), _judge(program, loader, name))]
            if conflict is not None and (conflict.always or not _asks_for_kind(loader))
        }
        if found:
            yield _found(loader, found)


def _judge(program: Program, loader: Loader, name: str) -> Judge:
    asked = _asked_kinds(program, loader)

    def judge(given: dict[str, Value | None], world: World) -> bool:
        dataset = given["dataset"]
        libraries = _libraries(program, dataset)
        for cls, kinds in asked:
            if dataset and world.known(("truth", Unknown(("isinstance", dataset.key, cls.key)).key)):
                libraries |= kinds
        if not any(is_iterable_dataset(library) for library in libraries):
            return False
        if name == "shuffle":
            pipe = any(library.endswith("IterDataPipe") for library in libraries)
            return is_on(program.evaluator, given[name], world) and not pipe
        return surely_given(given[name], world)

    return judge


def _asked_kinds(program: Program, loader: Loader) -> list[tuple[Value, set[str]]]:
    """The classes that the function around a loader asks for by ``isinstance``, with the library classes that
    they are, or are derived from: behind ``if isinstance(dataset, ChainDataset):`` an unknown one is that."""
    scope, found = loader.point.frame.scope, list[tuple[Value, set[str]]]()
    if not isinstance(scope, FunctionNode) or "isinstance(" not in loader.module.text_of(scope):
        return found
    for node in walk(scope):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
                for cls, _ in program.evaluator.values(kind, loader.point):
                    if isinstance(cls, External):
                        found.append((cls, {cls.name}))
                    elif isinstance(cls, Class):
                        found.append((cls, program.evaluator.classes.libraries(cls)))
    return found


def _asks_for_kind(loader: Loader) -> bool:
    """Whether the function around a loader, or the class that it is a method of, tells iterable datasets from
    others: ``self.make_sampler()`` may ask for both."""
    frame = loader.point.frame
    scope = (
        frame.owner.node if frame.owner is not None and frame.owner.module is loader.module else frame.scope
    )
    lines = loader.module.lines
    first, last = (1, len(lines)) if isinstance(scope, ast.Module) else (scope.lineno, scope.end_lineno or 0)
    if _LENGTH.search("\n".join(lines[first - 1 : last])):
        return True
    asked = loader.module.lines_with("IterableDataset")
    return any(first <= line <= last and "isinstance" in lines[line - 1] for line in asked)


def _libraries(program: Program, value: Value | None) -> set[str]:
    """The library classes that a dataset is an instance of."""
    if isinstance(value, Instance):
        return program.evaluator.classes.libraries(value.cls)
    return {value.name} if isinstance(value, Made) else set()


def _found(loader: Loader, found: dict[str, Conflict]) -> Found:
    names = list(found)
    always = all(conflict.always for conflict in found.values())
    shown = " and ".join("shuffle=True" if name == "shuffle" else name for name in names)
    remedy = None
    if always and all(map(loader.may_leave_out, names)):
        remedy = Remedy(
            "drop_argument", applicability(loader), f"Remove {' and '.join(names)}", {"arguments": names}
        )
    return Found(
        loader.module,
        loader.call,
        f"the dataset is an IterableDataset and {shown} is given: DataLoader raises ValueError",
        "error",
        "let the dataset order its items itself",
        None if all(conflict.as_it_stands for conflict in found.values()) else SOME_WAYS,
        remedy=remedy,
        by_hand=None if remedy else "give it only where the dataset is no IterableDataset",
        marked=loader.written_here(*names),
    )
