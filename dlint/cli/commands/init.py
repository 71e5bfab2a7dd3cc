"""``dlint init``: what a project needs to use dlint, file by file, each shown and asked about."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from dlint import __version__
from dlint.adoption.refusal import CannotAdopt
from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.options import CannotDo, settings_for
from dlint.cli.output import complain, complain_of, in_colour, say
from dlint.finding import Trouble
from dlint.new_findings.baseline import NAME
from dlint.project.files import is_shared, project_root
from dlint.project.paths import absolute, display_path, is_folder, lies_in
from dlint.reports.closing import of
from dlint.reports.signs import visible, visible_lines
from dlint.rewriting.files import CannotWrite, create, obstacle, replace
from dlint.settings.settings import Settings
from dlint.source.reading import MAX_CONFIGURATION_BYTES, NotThere, SourceError, read_bytes

_HELP = """\
y - write this file
n - leave it as it is
a - write this file and all others
q - write no more
? - this list"""


class _Change(NamedTuple):
    """A file, what it holds (None where it is not there), and what it is to hold."""

    file: Path
    old: bytes | None
    new: bytes


# What a file's text becomes; the text is "" where there is no file. Raises CannotAdopt.
_Adopting = Callable[[str], str]


@click.command()
@click.option("--yes", "-y", is_flag=True, help="Write without asking.")
def init(yes: bool) -> int:
    """Have the project of the working directory use dlint.

    Adds [tool.dlint] to pyproject.toml, a hook to .pre-commit-config.yaml, and a step to the CI: a workflow
    for GitHub, or a job in .gitlab-ci.yml where there is one. Shows what would change and asks before each
    file; what has dlint already stays. Where nobody can be asked, nothing is written without --yes.

    Exit code: 0 done, or you said no; 1 something is to be written, and nobody could be asked; 2 could not do
    the job: a file that cannot be read, understood or written (the others are seen to all the same).
    """
    root = project_root(absolute(Path()))
    if is_shared(root):
        raise CannotDo(f"{root} is nobody's project: call dlint init in the folder of one")
    top = _top(root)
    settings = settings_for([root], {})
    troubles: list[Trouble] = []
    changes = list(_changes(root, top, settings, troubles))
    asked = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    for change in _agreed(changes, _Asking() if asked else _show):
        if not (yes or asked):
            continue
        try:
            _write(change, top)
        except CannotWrite as error:
            troubles.append(Trouble(display_path(change.file), f"not written: {error}"))
        else:
            say([visible(f"Wrote {display_path(change.file)}.")])
    complain_of(tuple(troubles))
    if troubles:
        return FAILED
    if not changes:
        say(["Nothing to write: the project uses dlint already."])
    if not _may_have_table(root, settings):
        say(["No pyproject.toml is made: with one, pip builds setup.py where it does not find torch."])
    _hint(root, settings)
    if changes and not (yes or asked):
        complain("nothing was written, as there is no terminal to ask on: `dlint init --yes` writes")
        return FINDINGS
    return CLEAN


def _top(root: Path) -> Path:
    """The top of the project's repository, where hooks and CI are told of; else the project."""
    for folder in (root, *root.parents):
        if folder != root and is_shared(folder):
            break
        if os.path.exists(folder / ".git"):  # noqa: PTH110 - the other one raises where it may not look
            return folder
    return root


def _changes(root: Path, top: Path, settings: Settings, troubles: list[Trouble]) -> Iterator[_Change]:
    """The files that lack something of dlint. What cannot be read or understood becomes a trouble."""
    for file, adopting in _files(root, top, settings):
        try:
            data = read_bytes(file, MAX_CONFIGURATION_BYTES)
        except NotThere:
            data = None
        except SourceError as error:
            troubles.append(error.trouble(display_path(file)))
            continue
        try:
            text = (data or b"").decode("utf-8")
            new = adopting(text)
        except UnicodeDecodeError:
            troubles.append(Trouble(display_path(file), "is not UTF-8"))
        except CannotAdopt as error:
            troubles.append(Trouble(display_path(file), str(error)))
        else:
            if new != text:
                yield _Change(file, data, new.encode("utf-8"))


def _files(root: Path, top: Path, settings: Settings) -> Iterator[tuple[Path, _Adopting]]:
    from dlint.adoption import pipelines, pre_commit, table

    known = _known(root, settings)
    options: tuple[str, ...] = ()
    if _may_have_table(root, settings):
        yield _configured_in(root, settings) / "pyproject.toml", lambda text: table.with_table(text, known)
    elif known is not None:
        options = ("--baseline", display_path(_configured_in(root, settings) / known))
    hooks = top / ".pre-commit-config.yaml"
    yield hooks, lambda text: pre_commit.with_hook(text, __version__, options)
    gitlab, github = top / ".gitlab-ci.yml", top / ".github"
    if os.path.lexists(gitlab):
        yield gitlab, lambda text: pipelines.with_job(text, options)
    if (is_folder(github) or not os.path.lexists(gitlab)) and not _runs_in(github / "workflows"):
        yield github / "workflows" / "dlint.yml", lambda text: text or pipelines.workflow(options)


def _may_have_table(root: Path, settings: Settings) -> bool:
    """Whether there is a pyproject.toml, or one does no harm: where there is one, pip builds a setup.py apart
    from the environment, and one that imports torch does not find it there."""
    file = _configured_in(root, settings) / "pyproject.toml"
    return os.path.lexists(file) or not os.path.lexists(root / "setup.py")


def _runs_in(workflows: Path) -> bool:
    """Whether any workflow has dlint run; one that cannot be read or understood has not."""
    from dlint.adoption.running import runs_dlint

    for file in sorted(workflows.glob("*.y*ml")):
        try:
            if runs_dlint(read_bytes(file, MAX_CONFIGURATION_BYTES).decode("utf-8")):
                return True
        except (SourceError, UnicodeDecodeError, CannotAdopt):
            continue
    return False


def _agreed(changes: Sequence[_Change], may: Callable[[_Change], bool]) -> Iterator[_Change]:
    try:
        yield from (change for change in changes if may(change))
    except click.Abort:
        click.echo()


def _show(change: _Change) -> bool:
    """Print what would change."""
    from dlint.repair import Repaired
    from dlint.reports.repairs import as_diff, painted

    difference = as_diff(Repaired(change.file, change.old or b"", change.new))
    shown = visible_lines(difference.decode("utf-8", "backslashreplace"))
    click.echo(painted(shown) if in_colour() else shown, nl=False, color=in_colour())
    return True


class _Asking:
    """The user's answers, file by file. Raises click.Abort where the user wants no more."""

    def __init__(self) -> None:
        self._always = False

    def __call__(self, change: _Change) -> bool:
        _show(change)
        while not self._always:
            question = f"Write {visible(display_path(change.file))} [y,n,a,q,?]"
            match str(click.prompt(question, prompt_suffix="? ")).strip().lower()[:1]:
                case "y":
                    return True
                case "n":
                    return False
                case "a":
                    self._always = True
                case "q":
                    raise click.Abort
                case _:
                    click.echo(_HELP)
        return True


def _write(change: _Change, top: Path) -> None:
    """Raises CannotWrite."""
    true = os.path.realpath(top)
    if not lies_in(os.path.realpath(change.file), true):
        raise CannotWrite("it is, or lies behind, a link that leads out of the project")
    if change.old is None:
        create(change.file, change.new)
        return
    why = obstacle(change.file, [true])
    if why is not None:
        raise CannotWrite(why)
    replace(change.file, change.old, change.new)


def _hint(root: Path, settings: Settings) -> None:
    """Tell of the findings that are there, which would break the step from its first run on."""
    if settings.baseline is not None or _known(root, settings) is not None:
        return
    from dlint import engine
    from dlint.cli.progress import progress

    with progress() as show:
        report = engine.check([root], settings, jobs=0, progress=show)
    if report.findings:
        say(
            [
                f"`dlint check` shows {of(len(report.findings), 'finding')}. Repair what you want to; then "
                "`dlint baseline` makes the rest known, so that only new ones break the step; call it before "
                "`dlint init`, which then names its file."
            ]
        )


def _known(root: Path, settings: Settings) -> str | None:
    """The file of known findings that nobody has named yet."""
    return NAME if (_configured_in(root, settings) / NAME).is_file() else None


def _configured_in(root: Path, settings: Settings) -> Path:
    return settings.configured_in or root
