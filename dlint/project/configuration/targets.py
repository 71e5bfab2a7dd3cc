"""What a project's Hydra configuration has made: the mappings with a ``_target_``, and what stands in them.

Only what is plain is read, line by line: mappings and lists in blocks. Of what else is written behind a key
only the text is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias, Union

from dlint.regex import regex

TARGET: Final = "_target_"
PARTIAL: Final = "_partial_"
# What says how something is made, and is not handed on.
TELLS: Final = frozenset({TARGET, PARTIAL, "_args_", "_convert_", "_recursive_"})
_KEY = regex(r"""(?P<quote>["']?)(?P<key>[A-Za-z_][\w-]*)(?P=quote):(?:\s+(?P<value>.*))?""")
_NAME = regex(r"""(?P<quote>["']?)(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?P=quote)""")
_COMMENT = regex(r"(?:^|\s)#")
# What lies deeper was written by no hand.
_DEEPEST = 24


class Section:
    """A mapping of a configuration, and the key under which it stands: of a whole file the group that this is
    an option of."""

    __slots__ = ("entries", "key")

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.entries: dict[str, Node] = {}

    @property
    def target(self) -> str | None:
        """The dotted name of what is made of it."""
        text = self.entries.get(TARGET)
        name = _NAME.fullmatch(text) if isinstance(text, str) else None
        return None if name is None else name["name"]

    @property
    def called(self) -> str:
        """The last part of that name."""
        return (self.target or "").rpartition(".")[2]


class Listed:
    """A list of a configuration."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Node] = []


Node: TypeAlias = Union[str, Section, Listed]  # noqa: UP007 (mypyc asks for the union when the module runs)


def made_in(files: dict[str, bytes]) -> Iterator[Section]:
    """The mappings with a target in some files, by their paths, the outer ones first."""
    for path, text in files.items():
        if TARGET.encode() not in text or not path.endswith((".yaml", ".yml")):
            continue
        group = path.rpartition("/")[0].rpartition("/")[2]
        waiting: list[Node] = [_Reader(text.decode("utf-8", "replace"), group).root]
        while waiting:
            node = waiting.pop(0)
            if isinstance(node, Section):
                if node.target is not None:
                    yield node
                waiting += node.entries.values()
            elif isinstance(node, Listed):
                waiting += node.items


class _Reader:
    """Reads a file, line by line."""

    def __init__(self, text: str, group: str) -> None:
        self.root = Section(group)
        # What is open, each with the indent of its entries: that of the keys, or of the dashes.
        self._open: list[tuple[int, Section | Listed]] = [(0, self.root)]
        # The key whose value begins in the next line, and its indent.
        self._awaited: tuple[int, str] | None = None
        for line in text.splitlines():
            content = _COMMENT.split(line, maxsplit=1)[0].strip()
            if content and not content.startswith("---"):
                self._line(content, len(line) - len(line.lstrip()))

    def _line(self, content: str, indent: int) -> None:
        while content == "-" or content.startswith("- "):
            self._close(indent, for_item=True)
            rest = content[1:].lstrip()
            indent += len(content) - len(rest)
            content = rest
            around = self._open[-1][1]
            if not isinstance(around, Listed) or len(self._open) > _DEEPEST:
                return
            if _KEY.fullmatch(rest) is None:
                around.items.append(rest)
                return
            item = Section()
            around.items.append(item)
            self._open.append((indent, item))
        self._close(indent, for_item=False)
        around, found = self._open[-1][1], _KEY.fullmatch(content)
        if found is not None and isinstance(around, Section):
            value = found["value"] or ""
            around.entries[found["key"]] = value
            self._awaited = None if value else (indent, found["key"])

    def _close(self, indent: int, *, for_item: bool) -> None:
        """Opens what an awaited value is, and closes what a line with this indent is not in."""
        awaited, self._awaited = self._awaited, None
        if awaited is not None and (indent > awaited[0] or (for_item and indent == awaited[0])):
            around = self._open[-1][1]
            inner: Section | Listed = Listed() if for_item else Section(awaited[1])
            if isinstance(around, Section) and len(self._open) <= _DEEPEST:
                around.entries[awaited[1]] = inner
                self._open.append((indent, inner))
        while len(self._open) > 1:
            at, last = self._open[-1]
            if at < indent or (at == indent and for_item == isinstance(last, Listed)):
                break
            self._open.pop()
