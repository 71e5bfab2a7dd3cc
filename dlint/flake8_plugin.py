"""The door of flake8: the findings of ``dlint check``, file by file, as flake8 asks for them.

flake8 hands over one file after another, in several processes, but a hazard is a matter of the whole
program. So the program is checked once, and each file is looked up: before flake8 forks its processes,
where it does fork, and else in each process at the first file that could hold a finding. ``# noqa`` and
the choice of codes are left to flake8.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dlint import __version__
from dlint.cache import Folder, Question, folder_for, remembered
from dlint.knowledge.words.subjects import may_concern
from dlint.own_process import name_clash, safe_path
from dlint.project import files
from dlint.project.paths import absolute, display_path
from dlint.settings.settings import Settings, SettingsError, load
from dlint.source import reading

if TYPE_CHECKING:
    import argparse

    from flake8.options.manager import OptionManager

    from dlint.finding import Report
    from dlint.project.files import Listing

_NOT_CHECKED = "DL000"
_Violation = tuple[int, int, str, type[Any]]


class DataLoadingChecker:
    """What flake8 makes one of for every file. Findings carry their own code, ``DL000`` is "not checked"."""

    name = "torch-dlint"
    version = __version__

    _options: ClassVar[argparse.Namespace | None] = None
    _settings: ClassVar[Settings] = Settings()
    _folder: ClassVar[Folder | None] = None
    _violations: ClassVar[dict[str, list[_Violation]] | None] = None

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        """``tree`` is what makes flake8 call once a file; the engine parses for itself what it needs."""
        self._filename = filename
        self._text = "".join(lines)

    @classmethod
    def add_options(cls, parser: OptionManager) -> None:
        """The options, for the command line and for flake8's configuration files."""
        parser.add_option(
            "--dlint-target-torch",
            parse_from_config=True,
            metavar="RELEASE",
            help="The oldest torch release the code must work with. (Default: what the project declares)",
        )
        parser.add_option(
            "--dlint-start-method",
            parse_from_config=True,
            metavar="METHOD",
            help="How workers start: fork, forkserver or spawn. (Default: what the project sets, else any)",
        )
        parser.add_option(
            "--dlint-level",
            parse_from_config=True,
            metavar="LEVEL",
            help="Show from there on: error, warning or note. (Default: note, everything)",
        )
        parser.add_option(
            "--dlint-baseline",
            parse_from_config=True,
            metavar="FILE",
            normalize_paths=True,
            help="The file of known findings, which are not reported. (Default: what the project names)",
        )
        parser.add_option(
            "--dlint-cache-dir",
            parse_from_config=True,
            metavar="PATH",
            normalize_paths=True,
            help="Where what was found is kept. (Default: .dlint_cache in the project)",
        )
        parser.add_option(
            "--dlint-no-cache",
            parse_from_config=True,
            action="store_true",
            help="Neither read nor keep what runs have found.",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take the options, and the project's own choices; a wrong one ends flake8 with its message."""
        wrong = name_clash.problem()
        if wrong:
            raise _critical(wrong)
        with _in_one_line():
            cls._take(options)

    @classmethod
    def _take(cls, options: argparse.Namespace) -> None:
        cls._options = options
        cls._violations = None
        choices = {
            "target_torch": options.dlint_target_torch,
            "start_method": options.dlint_start_method,
            "level": options.dlint_level,
            "cache_dir": options.dlint_cache_dir,
            "baseline": options.dlint_baseline,
        }
        try:
            chosen = load(files.project_root(_named(options)[0]), choices)
            cls._settings = _with_flake8s_choice(chosen, options)
            cls._folder = folder_for(chosen, wanted=not options.dlint_no_cache)
        except SettingsError as error:
            message = str(error)
            raise _critical(
                message.replace("--", "--dlint-", 1) if message[:2] == "--" else message
            ) from error
        if not _will_fork(options):
            safe_path.leave_tree_out_of_children()
        elif _may_select_ours(options):
            cls._violations = cls._check(jobs=0)

    def run(self) -> Iterator[_Violation]:
        """The file's findings as flake8 wants them: line, column from 0, code and message."""
        with _in_one_line():
            yield from self._found()

    @classmethod
    def _check(cls, jobs: int) -> dict[str, list[_Violation]]:
        """What there is to say of all files that flake8 was told to check."""
        assert cls._options is not None
        paths, settings = _named(cls._options), cls._settings
        question = Question(paths, settings, suppress=False)
        report = remembered(
            question, lambda listed: _report(paths, settings, None, listed, jobs), cls._folder
        )
        return _by_path(_without_known(report, paths, settings, {}))

    def _found(self) -> Iterator[_Violation]:
        assert self._options is not None
        from_stdin = "-" in (self._options.filenames or ())
        if not from_stdin and (len(self._text) > reading.MAX_BYTES or not self._text.isascii()):
            # flake8 reads what is not valid as Latin-1 and says nothing; dlint check says so, and so do we.
            try:
                reading.read_text(Path(self._filename))
            except reading.SourceError as error:
                yield _not_checked(error.message, error.line)
                return
        known = None if from_stdin else DataLoadingChecker._violations
        if known is not None and display_path(self._filename) not in known:
            return
        if not may_concern(self._text):
            return
        if from_stdin:
            path = absolute(self._filename)
            texts = {path: _encoded(self._text)}
            report = _report((path,), self._settings, texts)
            known = _by_path(_without_known(report, (path,), self._settings, texts))
        elif known is None:
            known = DataLoadingChecker._violations = self._check(jobs=1)
        yield from known.get(display_path(self._filename), ())


def _named(options: argparse.Namespace) -> tuple[Path, ...]:
    """What the user told flake8 to check."""
    return tuple(Path(name) for name in options.filenames or () if name != "-") or (Path(),)


def _will_fork(options: argparse.Namespace) -> bool:
    """Whether flake8 is about to hand the files to processes that know what this one knows."""
    import multiprocessing

    several = options.jobs.is_auto or options.jobs.n_jobs > 1
    from_stdin = "-" in (options.filenames or ())
    return (
        several
        and not from_stdin
        and multiprocessing.parent_process() is None
        and multiprocessing.get_start_method() == "fork"
    )


def _may_select_ours(options: argparse.Namespace) -> bool:
    chosen = (*(options.select or ()), *(options.extend_select or ()))
    return not options.select or any(code.startswith("DL") or "DL".startswith(code) for code in chosen)


def _with_flake8s_choice(settings: Settings, options: argparse.Namespace) -> Settings:
    """Rules that are off by default run when flake8 is told to select them by name."""
    named = {*(options.select or ()), *(options.extend_select or ())}
    ours = sorted(code for code in named if code.startswith("DL") and code != "DL")
    if ours:
        from dlint.rules import all_codes

        ours = [code for code in ours if any(rule.startswith(code) for rule in all_codes())]
    return settings._replace(extend_select=(*settings.extend_select, *ours))


def _report(
    paths: Sequence[Path],
    settings: Settings,
    texts: dict[Path, bytes] | None = None,
    listed: Listing | None = None,
    jobs: int = 1,
) -> Report:
    """What the engine finds."""
    from dlint.analysis.kept import Kept
    from dlint.engine import check

    try:
        # Kept, the program is not taken apart, and no search for garbage goes through it, here or in the
        # processes that flake8 forks: each would cost as much as the check did.
        report = check(paths, settings, texts=texts, jobs=jobs, suppress=False, listed=listed, kept=Kept())
    except SettingsError as error:
        raise _critical(str(error)) from error
    return report


def _without_known(
    report: Report, paths: Sequence[Path], settings: Settings, texts: dict[Path, bytes]
) -> Report:
    """The report without the findings that the project's file of known ones has."""
    if settings.baseline is None or not report.findings:
        return report
    from dlint.new_findings.baseline import BaselineError, read, under
    from dlint.project.lines import source_lines
    from dlint.rules import once_per_file

    try:
        known = read(Path(settings.baseline))
    except BaselineError as error:
        raise _critical(str(error)) from error
    compared = known.compare(report.findings, source_lines(texts), under(paths), once_per_file())
    return report._replace(findings=compared.new)


def _by_path(report: Report) -> dict[str, list[_Violation]]:
    """Violations by the path that reports show."""
    from dlint.reports.line import one_line

    violations: dict[str, list[_Violation]] = {}
    for finding in report.findings:
        violation = (finding.line, finding.column - 1, one_line(finding), DataLoadingChecker)
        violations.setdefault(finding.path, []).append(violation)
    for trouble in report.troubles:
        violations.setdefault(trouble.path, []).append(_not_checked(trouble.message, trouble.line))
    return violations


def _not_checked(message: str, line: int | None) -> _Violation:
    from dlint.reports.signs import visible

    return (line or 1, 0, visible(f"{_NOT_CHECKED} not checked: {message}"), DataLoadingChecker)


def _encoded(text: str) -> bytes:
    """The text of standard input as the bytes it was, so that its coding line stays true."""
    data = text.encode("utf-8", "replace")
    try:
        return text.encode(reading.encoding_of(data))
    except (LookupError, UnicodeError):
        return data


@contextmanager
def _in_one_line() -> Iterator[None]:
    """A fault of dlint's own ends flake8 as a wrong choice does; with DLINT_TRACEBACK, as it likes."""
    from flake8.exceptions import Flake8Exception

    try:
        yield
    except Flake8Exception:
        raise
    except Exception as error:
        from dlint.own_process.fault import described, wants_traceback

        if wants_traceback():
            raise
        raise _critical(described(error)) from None


def _critical(message: str) -> Exception:
    """What flake8 shows as one line instead of a traceback."""
    from flake8.exceptions import ExecutionError

    from dlint.reports.signs import visible

    error: Exception = ExecutionError(f"dlint: {visible(message)}")
    return error
