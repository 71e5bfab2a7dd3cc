"""Numbers and devices in a project's Hydra configuration: what ``cfg.data.workers`` and ``cfg.device`` are
where the user overrides nothing.

Only what is plain is read, line by line: one mapping in another, and a number, null or a device's name behind
a key. Whatever may be meant otherwise (references, merged keys, packages, defaults of defaults) tells
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from dlint.regex import regex

Plain = int | float | str | None

_KEY = regex(r" *(?P<key>[A-Za-z_][\w-]*):(?:\s+(?P<value>.*))?")
_DEFAULT = regex(r"\s*-\s*(?P<group>[A-Za-z_]\w*)\s*:\s*(?P<option>[\w-]+)(?:\.yaml)?\s*(?:#.*)?")
_HARMLESS = regex(r"\s*-\s*(?:_self_|(?:override\s+)?hydra/[\w/]+\s*:.*)\s*(?:#.*)?")
_INTEGER, _FLOAT = regex(r"[+-]?[0-9]+"), regex(r"[+-]?[0-9]+\.[0-9]*")
_DEVICE = regex(r"""(?P<quote>["']?)(?P<name>cpu|(?:cuda|mps|xpu)(?::[0-9]+)?)(?P=quote)""")
# Words and signs with which a line means something else, here or for other lines.
_UNSURE = regex(
    r"\t|<<|@package|^---|[&*][A-Za-z]|:\s*[|>][+-]?\s*$"
    r"""|:[ ]*(?:"[^"\n]*|'[^'\n]*|\[[^\]\n]*|\{[^}\n]*)$""",
    re.MULTILINE,
)


class Found(NamedTuple):
    """What stands in a configuration: a number, nothing or a device's name."""

    value: Plain


class _File:
    """The mappings of one file."""

    def __init__(self, text: str) -> None:
        self.entries: dict[tuple[str, ...], str] = {}
        self.defaults: list[str] = []
        self.sure = _UNSURE.search(text) is None
        above: list[tuple[int, str]] = []  # the keys that the line stands below, with their indents
        for line in text.splitlines():
            content = line.strip()
            if not content or content.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip())
            if content.startswith("-"):
                if above and above[0][1] == "defaults":
                    self.defaults.append(line)
                while above and (above[-1][0] > indent or above[-1] == (indent, "-")):
                    above.pop()
                above.append((indent, "-"))
                continue
            key = _KEY.fullmatch(line.rstrip())
            if key is None:
                continue  # of a value that goes on
            while above and above[-1][0] >= indent:
                above.pop()
            above.append((indent, key["key"]))
            path = tuple(name for _, name in above)
            self.sure = self.sure and path not in self.entries
            self.entries[path] = re.split(r"\s#", key["value"] or "", maxsplit=1)[0].strip()

    def plain(self, path: tuple[str, ...]) -> Found | None:
        """The number or the device under a path of keys."""
        value = self.entries.get(path) if self.sure else None
        if value is None:
            return None
        if _INTEGER.fullmatch(value) and len(value) < 20:
            return Found(int(value))
        if _FLOAT.fullmatch(value):
            return Found(float(value))
        device = _DEVICE.fullmatch(value)
        if device is not None:
            return Found(device["name"])
        return Found(None) if value in ("null", "~") else None


def plain_in(files: Mapping[str, bytes], folder: str, name: str, path: tuple[str, ...]) -> Found | None:
    """The number or the device that stands under a path of keys in a configuration of a folder, with its
    groups."""
    primary = _read(files, folder, name)
    if primary is None:
        return None
    groups: dict[str, str] = {}
    for line in primary.defaults:
        chosen = _DEFAULT.fullmatch(line)
        if chosen is not None and chosen["group"] not in groups:
            groups[chosen["group"]] = chosen["option"]
        elif not _HARMLESS.fullmatch(line):
            return None
    chosen_files = {group: _read(files, f"{folder}/{group}", option) for group, option in groups.items()}
    if any(file is None or not file.sure or file.defaults for file in chosen_files.values()):
        return None
    group = chosen_files.get(path[0])
    if group is None:
        return primary.plain(path)
    if (path[0],) in primary.entries:
        return None  # two say something, and their order decides
    return group.plain(path[1:])


def _read(files: Mapping[str, bytes], folder: str, name: str) -> _File | None:
    stem = name.removesuffix(".yaml")
    data = files.get(f"{folder}/{stem}.yaml".removeprefix("./"))
    return None if data is None else _File(data.decode("utf-8", "replace"))
