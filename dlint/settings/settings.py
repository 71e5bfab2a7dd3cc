"""What the user and the project chose: one value that every door hands to the engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from dlint.finding import Level, Trouble
from dlint.project.files import declarations_around, is_shared, project_root
from dlint.project.path_patterns.excluding import Exclude, matches
from dlint.project.paths import absolute, display_path, lies_in
from dlint.project.releases.declarations import NOTHING, Declared
from dlint.project.releases.python_release import declarations_of_python
from dlint.project.releases.torch_release import declarations_of_torch
from dlint.settings.keys import (
    KEYS,
    TABLE,
    PerFileIgnores,
    checked,
    field,
    kebab,
    nearest,
    quoted,
    table_of_pairs,
)
from dlint.settings.keys import SettingsError as SettingsError
from dlint.settings.keys import StartMethod as StartMethod
from dlint.source.reading import MAX_CONFIGURATION_BYTES, NotThere, SourceError, read_bytes

_CACHE_DIR = "DLINT_CACHE_DIR"
# What has no part in what is found.
NO_ANSWER = frozenset(("places", "cache_dir", "baseline", "configured_in"))


class Settings(NamedTuple):
    """Choices for one run.

    ``select`` / ``ignore`` / ``extend_select`` are code prefixes. ``target_torch`` is the oldest torch
    release the program must work with ("1.8"), None where the user does not say: then ``torch`` counts, what
    the project declares; ``python`` is the same of Python. ``start_method`` None means any. ``exclude`` are
    gitignore-style patterns besides .gitignore's, counted from the project's root, to which
    ``extend_exclude`` adds; ``force_exclude``: they hold for paths that the user names, too.
    ``per_file_ignores`` are beginnings of codes for the files that such a pattern matches.
    ``level``: findings from there on are shown.
    ``cache_dir`` is the absolute path of the folder for what runs have found, None where the user has named
    none.
    ``baseline`` is the absolute path of the file of known findings, None where there is none.
    ``places`` tells where the user wrote each choice, to be shown when it turns out wrong;
    ``configured_in`` is the folder of the project's own choices.
    ``nested`` are the choices of projects further down, which count in their folders in place of these.
    ``troubles`` are no choice: they tell what kept the project's own torch release from being known.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    per_file_ignores: PerFileIgnores = ()
    force_exclude: bool = False
    target_torch: str | None = None
    start_method: StartMethod | None = None
    level: Level = "note"
    cache_dir: str | None = None
    baseline: str | None = None
    configured_in: Path | None = None
    places: tuple[tuple[str, str], ...] = ()
    nested: tuple[Settings, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    torch: Declared = NOTHING
    python: Declared = NOTHING

    @property
    def names_rules(self) -> bool:
        """Whether somebody chose rules, by codes that may be wrong."""
        chosen = self.select or self.ignore or self.extend_select or self.per_file_ignores
        return bool(chosen) or any(each.names_rules for each in self.nested)

    @property
    def left_out(self) -> Exclude:
        """The patterns of files that are not checked."""
        names = ("exclude", "extend_exclude")
        return Exclude(
            (*self.exclude, *self.extend_exclude),
            tuple(line for name in names if self.is_said(name) for line in getattr(self, name)),
            tuple(
                (
                    each.configured_in,
                    tuple(line for name in names if not each.is_said(name) for line in getattr(each, name)),
                )
                for each in self.nested
                if each.configured_in is not None
            ),
        )

    def is_said(self, name: str) -> bool:
        """Whether the user has made a choice for this run."""
        return dict(self.places).get(name) == f"--{kebab(name)}"

    def at(self, path: Path) -> Settings:
        """What counts for a file: the choices of the nearest folder above it that has some."""
        folders = {each.configured_in: each for each in self.nested}
        return (
            next((folders[folder] for folder in path.parents if folder in folders), self) if folders else self
        )

    def ignored_in(self, path: Path, root: Path) -> tuple[str, ...]:
        """The beginnings of codes that are ignored in a file of the project at ``root``."""
        here = self.at(path)
        if here is not self and not here.is_said("per_file_ignores") and here.configured_in is not None:
            root = here.configured_in
        found = (codes for pattern, codes in here.per_file_ignores if matches(path, root, (pattern,)))
        return tuple(code for codes in found for code in codes)

    def of_all_rules(self) -> Settings:
        """The same with all rules, also those that were chosen though they are off by default."""
        return self._replace(
            select=(),
            ignore=(),
            extend_select=self.select + self.extend_select,
            nested=tuple(each.of_all_rules() for each in self.nested),
        )


class Selectable(Protocol):
    """What a selection must know of a rule."""

    @property
    def code(self) -> str: ...
    @property
    def on_by_default(self) -> bool: ...


def load(
    root: Path,
    overrides: Mapping[str, Any] | None = None,
    *,
    config: Path | None = None,
    isolated: bool = False,
) -> Settings:
    """The settings of the project at ``root``: [tool.dlint], then what the user said for this run.

    ``overrides`` has Settings' field names; None and empty tuples say nothing. A ``select`` there
    replaces the project's whole selection, its ``ignore`` and ``extend-select`` too. What
    the project declares of torch and of Python comes with them. ``config`` is a TOML file that is read in
    place of the project's; ``isolated``: none is read. Raises SettingsError.
    """
    chosen = Settings() if isolated else _from_file(config) if config is not None else _from_pyproject(root)
    chosen = _with_said(chosen, overrides)
    if chosen.target_torch is None:
        chosen = _with_declared_torch(chosen, root)
    return chosen._replace(python=declarations_of_python(root))


def for_run(paths: Sequence[Path], choices: Mapping[str, Any]) -> Settings:
    """The settings for a run over ``paths``, the first of which decides which project it is: ``choices`` are
    what the user said, with ``config`` and ``isolated`` as :func:`load` has them. Raises SettingsError."""
    given = dict(choices)
    config, isolated = given.pop("config", None), given.pop("isolated", False)
    if config is not None and isolated:
        raise SettingsError("--config and --isolated exclude each other")
    chosen = load(project_root(absolute(paths[0])), given, config=config, isolated=isolated)
    if config is None and not isolated:
        chosen = with_nested(chosen, paths, given)
    return chosen


def with_nested(chosen: Settings, paths: Sequence[Path], overrides: Mapping[str, Any] | None) -> Settings:
    """The same with the settings of the projects further down among which some paths are; what the user said
    counts over them, too.

    They are not merged with those above. What a project declares of torch and of Python counts in its folder;
    where it declares nothing, what is declared above. Raises SettingsError.
    """
    nested = []
    for file in declarations_around(paths, chosen.left_out):
        table = None if file.parent == chosen.configured_in else _dlint_table(file)
        if table is not None:
            nested.append(_with_said(_settings(table, file), overrides))
    if nested and chosen.target_torch is not None:
        chosen = _with_declared_torch(chosen, project_root(absolute(paths[0])))
    return chosen._replace(nested=tuple(_with_own_declarations(each, chosen) for each in nested))


def _with_own_declarations(nested: Settings, above: Settings) -> Settings:
    """The settings of a project further down, with the torch and the Python that it declares."""
    assert nested.configured_in is not None
    declared = _with_declared_torch(nested, nested.configured_in)
    python = declarations_of_python(nested.configured_in)
    return declared._replace(
        torch=above.torch if declared.torch == NOTHING else declared.torch,
        python=above.python if python == NOTHING else python,
    )


def _with_said(chosen: Settings, overrides: Mapping[str, Any] | None) -> Settings:
    """The choices with what the user said for this run in their place."""
    said = {key: value for key, value in (overrides or {}).items() if value not in (None, ())}
    places = {key: f"--{kebab(key)}" for key in said}
    if "cache_dir" not in said and os.environ.get(_CACHE_DIR):
        said["cache_dir"], places["cache_dir"] = os.environ[_CACHE_DIR], _CACHE_DIR
    if "select" in said:
        chosen = chosen._replace(select=(), ignore=(), extend_select=())
    for key, value in said.items():
        said[key] = _said(kebab(key), value, places[key])
    return chosen._replace(**said, places=tuple({**dict(chosen.places), **places}.items()))


def _with_declared_torch(chosen: Settings, root: Path) -> Settings:
    troubles: list[Trouble] = []
    torch = declarations_of_torch(root, lambda file, why: troubles.append(Trouble(display_path(file), why)))
    return chosen._replace(torch=torch, troubles=tuple(troubles))


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
    for each in settings.nested:
        check_names(codes, each)
    chosen = {option: getattr(settings, option) for option in ("select", "extend_select", "ignore")}
    chosen["per_file_ignores"] = [code for _, each in settings.per_file_ignores for code in each]
    for option, prefixes in chosen.items():
        for prefix in prefixes:
            if not any(code.startswith(prefix) for code in codes):
                where = dict(settings.places).get(option, kebab(option))
                raise SettingsError(f"{where}: no rule is called {quoted(prefix)}{nearest(prefix, codes)}")


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


def _from_file(file: Path) -> Settings:
    """[tool.dlint] of a file that the user has named."""
    file = absolute(file)
    if not file.exists():
        raise SettingsError(f"--config: {display_path(file)}: no such file")
    table = _dlint_table(file)
    if table is None:
        raise SettingsError(f"--config: {display_path(file)}: has no table [{TABLE}]")
    return _settings(table, file)


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
        raise SettingsError(f"{display_path(file)}: [{TABLE}] must be a table")
    return table


def _settings(table: Mapping[str, Any], file: Path) -> Settings:
    where = f"{display_path(file)}: [{TABLE}]"
    values = {}
    for key, value in table.items():
        if key not in KEYS:
            raise SettingsError(f"{where} has no key {quoted(key)}{nearest(key, KEYS)}")
        values[field(key)] = checked(key, value, f"{where} {key}")
        if KEYS[key].kind in ("file", "folder"):
            values[field(key)] = _within(file.parent, value, f"{where} {key}")
    places = tuple((name, f"{display_path(file)}: [{TABLE}] {kebab(name)}") for name in values)
    return Settings(**values, places=places, configured_in=file.parent)


def _said(key: str, value: Any, where: str) -> Any:
    """What the user said for this run: lists are tuples there, tables pairs, and paths count from here."""
    kind = KEYS[key].kind
    if isinstance(value, tuple):
        value = table_of_pairs(value) if kind == "codes by pattern" else list(value)
    value = checked(key, value, where)
    return str(absolute(value)) if kind in ("file", "folder") else value


def _within(folder: Path, path: str, where: str) -> str:
    """The absolute path; a tree that somebody else made must not say what is written outside it."""
    inner = absolute(folder / path)
    if inner == folder or not lies_in(os.path.realpath(inner), os.path.realpath(folder)):
        key = where.rpartition(" ")[2]
        raise SettingsError(
            f"{where}: must be a {KEYS[key].kind} in the project, not {quoted(path)}; --{key} may name any"
        )
    return str(inner)
