"""The keys of ``[tool.dlint]``: what each takes and means, for the reader, the schema and the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from dlint.finding import LEVELS
from dlint.project.path_patterns.ignoring import Ignore, lines_in, useless
from dlint.project.releases.bounds import RELEASE, is_release

TABLE: Final = "tool.dlint"
StartMethod = Literal["fork", "forkserver", "spawn"]
# Patterns of .gitignore with the beginnings of codes that are ignored where they match.
PerFileIgnores = tuple[tuple[str, tuple[str, ...]], ...]
Kind = Literal["codes", "patterns", "codes by pattern", "yes or no", "release", "choice", "folder", "file"]

_LONGEST_SHOWN = 100
# The beginning of a code, in either case; blank ones count as none.
_CODE = r"^\s*([Dd]([Ll][0-9]{0,3})?)?\s*$"


class SettingsError(Exception):
    """A choice that cannot be honoured, in one line that names where it stands."""


class Key(NamedTuple):
    """What a key takes, what it means, and what holds without it, in words.

    ``names`` are the values of a choice.
    """

    kind: Kind
    meaning: str
    default: str
    names: tuple[str, ...] = ()


KEYS: Final[Mapping[str, Key]] = {
    "select": Key("codes", "Only these rules: codes or their beginnings.", "all that are on by default"),
    "ignore": Key("codes", "Not these rules.", "none"),
    "extend-select": Key("codes", "These rules as well, for instance one that is off by default.", "none"),
    "exclude": Key(
        "patterns",
        "Files and folders to leave out, written as in .gitignore, from the project's root.",
        "none",
    ),
    "extend-exclude": Key(
        "patterns", "The same, besides: on the command line it adds to the project's exclude.", "none"
    ),
    "per-file-ignores": Key(
        "codes by pattern",
        "Patterns as in .gitignore with lists of codes: these rules are not reported where one matches.",
        "none",
    ),
    "force-exclude": Key("yes or no", "What is excluded is left out even where it is named.", "false"),
    "target-torch": Key(
        "release", "The oldest torch release that the code must work with.", "what the project declares"
    ),
    "start-method": Key(
        "choice", "How workers are started.", "what the project sets, else any", get_args(StartMethod)
    ),
    "level": Key("choice", "Findings from there on are shown.", "note", LEVELS),
    "baseline": Key("file", "The file of known findings, which are not reported.", "none"),
    "cache-dir": Key("folder", "Where what runs have found is kept.", ".dlint_cache"),
}


def checked(key: str, value: Any, where: str) -> Any:
    """The value in the type of its setting; SettingsError names the place where the user wrote it."""
    kind = KEYS[key].kind
    if kind == "codes":
        return _codes(_texts(value, where))
    if kind == "patterns":
        _check_patterns(_texts(value, where), where)
        return tuple(value)
    if kind == "codes by pattern":
        return _per_file(value, where)
    if kind == "yes or no" and not isinstance(value, bool):
        raise SettingsError(f"{where}: must be true or false, not {quoted(value)}")
    if kind in ("file", "folder") and not (isinstance(value, str) and value.strip() and "\0" not in value):
        raise SettingsError(f"{where}: must be the path of a {kind}, not {quoted(value)}")
    if kind == "release" and not (isinstance(value, str) and is_release(value)):
        raise SettingsError(f'{where}: must be a torch release such as "1.8" or "2.1.0", not {quoted(value)}')
    if kind == "choice" and value not in KEYS[key].names:
        hint = nearest(value, KEYS[key].names) if isinstance(value, str) else ""
        raise SettingsError(
            f"{where}: must be one of {', '.join(KEYS[key].names)}, not {quoted(value)}{hint}"
        )
    return value


def as_schema(key: Key) -> dict[str, Any]:
    """What a key takes, in JSON schema: what ``checked`` accepts, but for what a pattern of .gitignore is."""
    code = {"type": "string", "pattern": _CODE}
    codes = {"type": "array", "items": code}
    match key.kind:
        case "codes":
            return codes
        case "patterns":
            return {"type": "array", "items": {"type": "string"}}
        case "codes by pattern":
            return {"type": "object", "additionalProperties": {**codes, "contains": {"pattern": r"\S"}}}
        case "yes or no":
            return {"type": "boolean"}
        case "release":
            return {"type": "string", "pattern": rf"^{RELEASE}(?!\n)$"}
        case "choice":
            return {"enum": list(key.names)}
        case "file" | "folder":
            return {"type": "string", "pattern": r"\S", "not": {"pattern": r"\x00"}}


def table_of_pairs(pairs: Iterable[str]) -> dict[str, list[str]]:
    """The table that ``PATTERN:CODES`` of an option mean."""
    parts = [each.rpartition(":") for each in pairs]
    return {pattern if colon else codes: codes.split(",") if colon else [] for pattern, colon, codes in parts}


def kebab(name: str) -> str:
    """The key of a setting's field."""
    return name.replace("_", "-")


def field(key: str) -> str:
    """The setting's field of a key."""
    return key.replace("-", "_")


def quoted(value: Any) -> str:
    """What the user wrote, as far as one line has room for it."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at what the user may have meant, where something is near."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SettingsError(f"{where}: must be a list of strings")
    return value


def _codes(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.strip().upper() for word in words if word.strip())


def _per_file(value: Any, where: str) -> PerFileIgnores:
    if not isinstance(value, dict):
        raise SettingsError(f"{where}: must be a table of patterns with lists of codes")
    for pattern, codes in value.items():
        if (
            not isinstance(codes, list)
            or not all(isinstance(each, str) for each in codes)
            or not _codes(codes)
        ):
            raise SettingsError(f"{where}: {quoted(pattern)} must have codes: a list of strings")
        _check_patterns([pattern], where)
    return tuple((pattern, _codes(codes)) for pattern, codes in value.items())


def _check_patterns(lines: Sequence[str], where: str) -> None:
    for line in lines:
        if useless(line):
            raise SettingsError(f"{where}: {quoted(line)} is no pattern of .gitignore")
    if Ignore("", lines_in(lines)).cut is not None:
        raise SettingsError(f"{where}: too many wildcards")
