"""Adding to YAML as text, so that comments and style stay; what comes of it is read before it counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import yaml

from dlint.adoption.refusal import CannotAdopt

BY_HAND = "is written in a way that dlint cannot add to"
_LONGEST_MESSAGE = 200

Node: TypeAlias = Any  # of PyYAML, which has no types


def events(text: str) -> list[tuple[object, ...]]:
    """What the text says, comments and style apart. Raises CannotAdopt where it is no YAML."""
    try:
        return [
            (
                type(event).__name__,
                getattr(event, "value", None),
                getattr(event, "anchor", None),
                getattr(event, "tag", None),
            )
            for event in yaml.parse(text, Loader=yaml.SafeLoader)
        ]
    except yaml.YAMLError as error:
        raise CannotAdopt(f"not valid YAML: {_told(error)}") from error
    except RecursionError as error:
        raise CannotAdopt("not valid YAML: nested too deeply") from error


def root(text: str) -> Node | None:
    """The last document of a text, None where there is none. Raises CannotAdopt."""
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise CannotAdopt(f"not valid YAML: {_told(error)}") from error
    except RecursionError as error:
        raise CannotAdopt("not valid YAML: nested too deeply") from error
    return documents[-1] if documents else None


def root_of_new(text: str) -> Node | None:
    """The same of a text that was added to. Raises CannotAdopt where that has made it no YAML."""
    try:
        return root(text)
    except CannotAdopt as error:
        raise CannotAdopt(BY_HAND) from error


def says_nothing(node: Node | None) -> bool:
    """Whether a document holds neither keys nor anything else."""
    return node is None or not node.value


def value_of(node: Node | None, key: str) -> Node | None:
    """The value of a mapping's key."""
    for name, value in _pairs(node):
        if name.value == key:
            return value
    return None


def keys_of(node: Node | None) -> list[str]:
    """The keys of a mapping."""
    return [str(name.value) for name, _ in _pairs(node)]


def words(text: str) -> Iterator[str]:
    """All that the text says in scalars."""
    return (str(value) for name, value, *_ in events(text) if name == "ScalarEvent")


def end_of(node: Node, text: str) -> int:
    """Where the line ends on which the last thing of a node stands, with comments that are its own."""
    end = _last_sign(node)
    if end and text[end - 1] == "\n":  # of a block of text
        return end
    at = _next_line(text, end)
    while True:  # comments that stand deeper than the node
        line = text[at : _next_line(text, at)]
        bare = line.lstrip(" ")
        if not bare.startswith("#") or len(line) - len(bare) <= node.start_mark.column:
            return at
        at += len(line)


def inserted(text: str, at: int, lines: Sequence[str]) -> str:
    """The text with lines put in, which end as the text's own do. Raises CannotAdopt where the text would not
    say all that it said, and one thing more."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = "".join(f"{line}{newline}" for line in lines)
    before = text[:at]
    if before and not before.endswith("\n"):
        before += newline
    return before + block + text[at:]


def check_added(before: str, after: str) -> None:
    """Raises CannotAdopt where a text does not say all that it said, and one thing more in one place."""
    try:
        old, new = events(before), events(after)
    except CannotAdopt as error:
        raise CannotAdopt(BY_HAND) from error
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    if len(new) <= len(old) or new[same + len(new) - len(old) :] != old[same:]:
        raise CannotAdopt(BY_HAND)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return node.value if isinstance(node, yaml.MappingNode) else []


def _last_sign(node: Node) -> int:
    """A collection in blocks ends, for the reader, where the next thing begins."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(node, yaml.MappingNode) else last
    return int(node.end_mark.index)


def _next_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _told(error: yaml.YAMLError) -> str:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{where}{' '.join(str(problem or error).split())}"[:_LONGEST_MESSAGE]
