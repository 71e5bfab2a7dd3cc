"""What the user and the project chose: one value that every door hands to the engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

from dlint.finding import LEVELS, Level, Trouble
from dlint.project.files import absolute, display_path, is_shared, lies_in
from dlint.project.ignoring import Ignore, lines_in, useless
from dlint.project.torch_release import declared_torch, is_release
from dlint.source.reading import MAX_CONFIGURATION_BYTES, NotThere, SourceError, read_bytes

StartMethod = Literal["fork", "forkserver", "spawn"]

_TABLE = "tool.dlint"
_CACHE_DIR = "DLINT_CACHE_DIR"
_LONGEST_SHOWN = 100
_NO_CHOICES = ("places", "troubles", "configured_in")
# What has no part in what is found.
NO_ANSWER = frozenset(("places", "cache_dir", "configured_in"))
_LISTS = ("select", "ignore", "extend_select", "exclude")
_ONE_OF: dict[str, tuple[str, ...]] = {"start_method": get_args(StartMethod), "level": LEVELS}


class SettingsError(Exception):
    """A choice that cannot be honoured, in one line that names where it stands."""


class Settings(NamedTuple):
    """Choices for one run.

    ``select`` / ``ignore`` / ``extend_select`` are code prefixes. ``target_torch`` is the oldest torch
    release the program must work with ("1.8"), None where neither option nor project says;
    ``start_method`` None means any. ``exclude`` are gitignore-style patterns besides .gitignore's,
    counted from the project's root; ``force_exclude``: they hold for paths that the user names, too.
    ``level``: findings from there on are shown.
    ``cache_dir`` is the absolute path of the folder for what runs have found, None where the user has named
    none.
    ``places`` tells where the user wrote each choice, to be shown when it turns out wrong;
    ``configured_in`` is the folder of the project's own choices.
    ``troubles`` are no choice: they tell what kept the project's own torch release from being known.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    target_torch: str | None = None
    start_method: StartMethod | None = None
    level: Level = "note"
    cache_dir: str | None = None
    configured_in: Path | None = None
    places: tuple[tuple[str, str], ...] = ()
    troubles: tuple[Trouble, ...] = ()

    @property
    def names_rules(self) -> bool:
        """Whether somebody chose rules, by codes that may be wrong."""
        return bool(self.select or self.ignore or self.extend_select)


class Selectable(Protocol):
    """What a selection must know of a rule."""

    @property
    def code(self) -> str: ...
    @property
    def on_by_default(self) -> bool: ...


def load(root: Path, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings of the project at ``root``: [tool.dlint], then what the user said for this run.

    ``overrides`` has Settings' field names; None and empty tuples say nothing. A ``select`` there
    replaces the project's whole selection, its ``ignore`` and ``extend-select`` too. The torch release
    comes from the project's own declarations where neither says. Raises SettingsError.
    """
    chosen = _from_pyproject(root)
    said = {key: value for key, value in (overrides or {}).items() if value not in (None, ())}
    places = {key: f"--{_kebab(key)}" for key in said}
    if "cache_dir" not in said and os.environ.get(_CACHE_DIR):
        said["cache_dir"], places["cache_dir"] = os.environ[_CACHE_DIR], _CACHE_DIR
    if "select" in said:
        chosen = chosen._replace(select=(), ignore=(), extend_select=())
    for key, value in said.items():
        said[key] = _checked(key, list(value) if isinstance(value, tuple) else value, places[key])
    if "cache_dir" in said:
        said["cache_dir"] = str(absolute(said["cache_dir"]))
    chosen = chosen._replace(**said, places=tuple({**dict(chosen.places), **places}.items()))
    if chosen.target_torch is None:
        troubles: list[Trouble] = []
        declared = declared_torch(root, lambda file, why: troubles.append(Trouble(display_path(file), why)))
        chosen = chosen._replace(target_torch=declared, troubles=tuple(troubles))
    return chosen


def enabled(rules: Iterable[Selectable], settings: Settings) -> set[str]:
    """The codes of the rules to run.

    The longest matching prefix decides, ``ignore`` wins a tie. Without ``select`` every rule runs that is
    on by default. A rule that is off by default runs only when a prefix longer than "DL" names it.
    Raises SettingsError for a prefix that no rule has.
    """
    rules = tuple(rules)
    check_names([rule.code for rule in rules], settings)
    return {rule.code for rule in rules if _runs(rule, settings)}


def check_names(codes: Sequence[str], settings: Settings) -> None:
    """Raises SettingsError for a prefix that is none of any rule's code."""
    for option in ("select", "extend_select", "ignore"):
        for prefix in getattr(settings, option):
            if not any(code.startswith(prefix) for code in codes):
                where = dict(settings.places).get(option, _kebab(option))
                raise SettingsError(f"{where}: no rule is called {_quoted(prefix)}{_nearest(prefix, codes)}")


def _runs(rule: Selectable, settings: Settings) -> bool:
    wanted = -1 if settings.select or not rule.on_by_default else 0
    for prefix in (*settings.select, *settings.extend_select):
        if rule.code.startswith(prefix) and (rule.on_by_default or len(prefix) > len("DL")):
            wanted = max(wanted, len(prefix))
    unwanted = max((len(each) for each in settings.ignore if rule.code.startswith(each)), default=-1)
    return wanted > unwanted


def _from_pyproject(root: Path) -> Settings:
    """[tool.dlint] of the nearest pyproject.toml upwards that has it, inside the repository.

    Where there is no repository, what lies in a folder that is nobody's project says nothing of it.
    """
    for folder in (root, *root.parents):
        if folder != root and is_shared(folder):
            break
        file = folder / "pyproject.toml"
        table = _dlint_table(file)
        if table is not None:
            return _settings(table, file)
        if os.path.exists(folder / ".git"):  # noqa: PTH110 - the other one raises where it may not look
            break
    return Settings()


def _dlint_table(file: Path) -> Mapping[str, Any] | None:
    try:
        data = read_bytes(file, MAX_CONFIGURATION_BYTES)
    except NotThere:
        return None
    except SourceError as error:
        raise SettingsError(f"{display_path(file)}: {error.message}") from error
    if b"dlint" not in data:
        return None
    from dlint.project.toml import TOMLError, loads

    try:
        document = loads(data.decode("utf-8"))
    except (TOMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{display_path(file)}: not valid TOML: {error}") from error
    tool = document.get("tool", {})
    table = tool.get("dlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{display_path(file)}: [{_TABLE}] must be a table")
    return table


def _settings(table: Mapping[str, Any], file: Path) -> Settings:
    known = {_kebab(name): name for name in Settings._fields if name not in _NO_CHOICES}
    where = f"{display_path(file)}: [{_TABLE}]"
    values = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{where} has no key {_quoted(key)}{_nearest(key, known)}")
        values[known[key]] = _checked(known[key], value, f"{where} {key}")
    if "cache_dir" in values:
        values["cache_dir"] = _within(file.parent, values["cache_dir"], f"{where} cache-dir")
    places = tuple((name, f"{display_path(file)}: [{_TABLE}] {_kebab(name)}") for name in values)
    return Settings(**values, places=places, configured_in=file.parent)


def _within(folder: Path, path: str, where: str) -> str:
    """The absolute path; a tree that somebody else made must not say what is written outside it."""
    inner = absolute(folder / path)
    if inner == folder or not lies_in(os.path.realpath(inner), os.path.realpath(folder)):
        raise SettingsError(
            f"{where}: must be a folder in the project, not {_quoted(path)}; --cache-dir may name any"
        )
    return str(inner)


def _checked(name: str, value: Any, where: str) -> Any:
    """The value in the field's type; SettingsError names the place where the user wrote it."""
    if name in _LISTS:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise SettingsError(f"{where}: must be a list of strings")
        if name == "exclude":
            _check_patterns(value, where)
        return tuple(value if name == "exclude" else (each.strip().upper() for each in value if each.strip()))
    if name == "force_exclude" and not isinstance(value, bool):
        raise SettingsError(f"{where}: must be true or false, not {value!r}")
    if name == "cache_dir" and not (isinstance(value, str) and value.strip() and "\0" not in value):
        raise SettingsError(f"{where}: must be the path of a folder, not {_quoted(value)}")
    if name == "target_torch" and not (isinstance(value, str) and is_release(value)):
        raise SettingsError(
            f'{where}: must be a torch release such as "1.8" or "2.1.0", not {_quoted(value)}'
        )
    if name in _ONE_OF and value not in _ONE_OF[name]:
        names = ", ".join(_ONE_OF[name])
        hint = _nearest(value, _ONE_OF[name]) if isinstance(value, str) else ""
        raise SettingsError(f"{where}: must be one of {names}, not {_quoted(value)}{hint}")
    return value


def _check_patterns(lines: Sequence[str], where: str) -> None:
    for line in lines:
        if useless(line):
            raise SettingsError(f"{where}: {_quoted(line)} is no pattern of .gitignore")
    if Ignore("", lines_in(lines)).cut is not None:
        raise SettingsError(f"{where}: too many wildcards")


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _quoted(value: Any) -> str:
    """What the user wrote, as far as one line has room for it."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
