"""Conda's environment files, read line by line: what they list as dependencies."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.regex import regex

_ITEM = regex(r"\s*-\s*(?P<quote>['\"]?)(?P<spec>[^'\"]*)(?P=quote)")
# The key whose list stands in brackets, at the beginning of a line or of an item: ``- pip: [torch==1.7]``.
_OPENS = regex(r"(?:dependencies\s*:|\s*-\s*pip\s*:|\s*-)?\s*[\[{]")
_COMMENT = regex(r"(?:^|\s)#.*")
_PART = regex(r"'([^']*)'|\"([^\"]*)\"|([^\s,\[\]{}'\"][^,\[\]{}]*)|[\[{\]}]")


def dependencies(text: str) -> Iterator[tuple[str, int]]:
    """What each dependency says, and its line: items of a list, or of one in brackets."""
    section, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not depth:
            section = line if line[:1].isalpha() else section
            if not section.startswith("dependencies"):  # "pytorch" is a channel, too
                continue
        opens = _OPENS.match(line)
        if depth or opens is not None:
            written = _COMMENT.sub("", line if opens is None or depth else line[opens.end() - 1 :])
            for part in _PART.finditer(written):
                if part[0] in ("[", "{"):
                    depth += 1
                elif part[0] in ("]", "}"):
                    depth = max(depth - 1, 0)
                else:
                    yield (part[1] or part[2] or part[3] or "").strip(), number
            continue
        item = _ITEM.match(line)
        if item is not None:
            yield item["spec"], number
