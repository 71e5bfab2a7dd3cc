"""The hook in a .pre-commit-config.yaml."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from dlint.adoption import yaml_text
from dlint.adoption.refusal import CannotAdopt
from dlint.adoption.running import runs_dlint

_REPOSITORY = "https://github.com/torch-dlint/torch-dlint"


def with_hook(text: str, version: str, options: Sequence[str] = ()) -> str:
    """The text with dlint's hook as its last, called with options; the same text where it has one. Raises
    CannotAdopt."""
    root = yaml_text.root(text)
    if runs_dlint(text):
        return text
    repos = yaml_text.value_of(root, "repos")
    if repos is None:
        new = yaml_text.inserted(text, len(text), ["repos:", *_entry(version, options, 2, 2, 2)])
    elif not repos.value:
        text, at = _without_value(text, repos)
        new = yaml_text.inserted(text, at, _entry(version, options, 2, 2, 2))
    elif isinstance(repos, yaml.SequenceNode) and not repos.flow_style:
        new = _as_last(text, repos, version, options)
    else:
        raise CannotAdopt(yaml_text.BY_HAND)
    if repos is not None and repos.value:
        yaml_text.check_added(text, new)
    _check(new, root)
    return new


def _without_value(text: str, repos: yaml_text.Node) -> tuple[str, int]:
    """The text without an empty list, and where the next line begins."""
    head = text[: repos.start_mark.index].rstrip(" ")
    bare = head + text[repos.end_mark.index :]
    return bare, bare.find("\n", len(head)) + 1 or len(bare)


def _as_last(text: str, repos: yaml_text.Node, version: str, options: Sequence[str]) -> str:
    """The text with the hook behind the others, indented as the last of them is."""
    last = repos.value[-1]
    dash = last.start_mark.column - repos.start_mark.column
    hooks = yaml_text.value_of(last, "hooks")
    deeper = 2
    if isinstance(hooks, yaml.SequenceNode) and not hooks.flow_style:
        deeper = hooks.start_mark.column - last.start_mark.column
    entry = _entry(version, options, repos.start_mark.column, dash, deeper)
    return yaml_text.inserted(text, yaml_text.end_of(repos, text), entry)


def _entry(version: str, options: Sequence[str], column: int, dash: int, deeper: int) -> list[str]:
    """A repository of hooks: ``dash`` is how far its keys stand behind the dash, ``deeper`` how far behind
    these the dashes of its hooks stand."""
    indent = " " * (column + dash)
    item = f"-{' ' * (dash - 1)}"
    return [
        f"{' ' * column}{item}repo: {_REPOSITORY}",
        f"{indent}rev: v{version}",
        f"{indent}hooks:",
        f"{indent}{' ' * deeper}{item}id: dlint",
        *([f"{indent}{' ' * (deeper + dash)}args: [{', '.join(options)}]"] if options else []),
    ]


def _check(text: str, before: yaml_text.Node | None) -> None:
    """Raises CannotAdopt unless the hook is where pre-commit looks for it, beside all other keys."""
    root = yaml_text.root_of_new(text)
    repos = yaml_text.value_of(root, "repos")
    last = repos.value[-1] if isinstance(repos, yaml.SequenceNode) and repos.value else None
    repo = yaml_text.value_of(last, "repo")
    lost = set(yaml_text.keys_of(before)) - set(yaml_text.keys_of(root))
    if repo is None or repo.value != _REPOSITORY or lost:
        raise CannotAdopt(yaml_text.BY_HAND)
