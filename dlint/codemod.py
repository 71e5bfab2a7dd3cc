"""The remedies as a libcst codemod.

``python -P -m libcst.tool codemod --no-format -x dlint.codemod.FixCommand PATH...``

It gives the files what ``dlint fix PATH...`` gives them. The program is analysed once, before libcst hands
the files to its processes; each of these finds its file's new text in a folder that is gone at the end of the
run. The configuration in ``.libcst.codemod.yaml`` (formatter, blacklist) applies as to every codemod.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from dlint.own_process import safe_path
from dlint.own_process.fault import described, wants_traceback
from dlint.project.files import project_root
from dlint.project.paths import absolute
from dlint.repair import Repairs, repair
from dlint.reports.signs import visible
from dlint.rewriting.files import obstacle, true_roots
from dlint.settings import settings
from dlint.source.reading import NotThere, SourceError, read_bytes

_WHY_NOT = "why-not"


class FixCommand(CodemodCommand):
    """Repairs the findings of one file; libcst writes it."""

    DESCRIPTION = "Repair the data-loading mistakes that dlint finds."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The choices of ``dlint fix`` that make sense here; then the repair of all that is named."""
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="Apply unsafe remedies too.")
        arg_parser.add_argument("--select", default="", metavar="CODES", help="Only these rules.")
        arg_parser.add_argument("--ignore", default="", metavar="CODES", help="Not these rules.")
        arg_parser.add_argument("--target-torch", default=None, metavar="RELEASE")
        arg_parser.add_argument("--start-method", default=None, choices=["fork", "forkserver", "spawn"])
        safe_path.leave_tree_out_of_children()  # libcst is about to hand the files to a pool of its own
        if sys.argv[1:2] == ["codemod"] and not {"-h", "--help"}.intersection(sys.argv):
            given = vars(arg_parser.parse_known_args(sys.argv[2:])[0])
            if given.get("path") and "-" not in given["path"]:
                arg_parser.set_defaults(plan=_planned(given))

    def __init__(
        self,
        context: CodemodContext,
        unsafe_fixes: bool = False,
        select: str = "",
        ignore: str = "",
        target_torch: str | None = None,
        start_method: str | None = None,
        plan: str | None = None,
    ) -> None:
        super().__init__(context)
        self._unsafe = unsafe_fixes
        self._choices = _choices(select, ignore, target_torch, start_method)
        self._plan = plan

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module with its findings repaired. Raises SkipFile where libcst would change more than that."""
        try:
            return self._repaired(tree)
        except settings.SettingsError as error:
            raise SkipFile(visible(f"dlint: {error}")) from error
        except SkipFile:
            raise
        except Exception as error:  # libcst would print a traceback for every file
            if wants_traceback():
                raise
            raise SkipFile(visible(f"dlint: {described(error)}")) from error

    def _repaired(self, tree: cst.Module) -> cst.Module:
        if self.context.filename is None:
            raise SkipFile("dlint needs to know the file's name to see the program it belongs to")
        path = absolute(Path(self.context.filename))
        try:
            data = read_bytes(path)
        except NotThere:
            data = tree.bytes
        except SourceError as error:
            raise SkipFile(error.message) from error
        if data != tree.bytes:
            raise SkipFile("libcst would change blank space elsewhere in the file: use dlint fix")
        outcome = self._outcome(path, data)
        for warning in outcome.get("warnings", ()):
            self.warn(visible(warning))
        if "skip" in outcome:
            raise SkipFile(visible(outcome["skip"]))
        if "new" not in outcome:
            return tree
        if outcome["mark"] != _mark(data):
            raise SkipFile("the file changed while dlint was at work")
        return cst.parse_module(bytes.fromhex(outcome["new"]))

    def _outcome(self, path: Path, data: bytes) -> dict[str, Any]:
        """What the repair came to for one file: of the whole run, or of the file alone where libcst was not
        called by its command."""
        if self._plan is None:
            chosen = settings.load(project_root(path), self._choices)
            repairs = repair([path], chosen, unsafe=self._unsafe, texts={path: data})
            return _outcomes(repairs, [path]).get(path, {})
        why_not = Path(self._plan, _WHY_NOT)
        if why_not.exists():
            return {"skip": why_not.read_text(encoding="utf-8")}
        try:
            found: dict[str, Any] = json.loads(Path(self._plan, _name(path)).read_bytes())
        except FileNotFoundError:
            return {}
        return found


def _planned(given: dict[str, Any]) -> str:
    """A folder with what the repair of all paths came to, for each file that it concerns."""
    folder = Path(tempfile.mkdtemp(prefix="dlint-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    paths = [Path(each) for each in given["path"]]
    names = ("select", "ignore", "target_torch", "start_method")
    try:
        chosen = settings.load(project_root(absolute(paths[0])), _choices(*(given[name] for name in names)))
        repairs = repair(paths, chosen, unsafe=given["unsafe_fixes"])
    except Exception as error:
        if wants_traceback():
            raise
        reason = str(error) if isinstance(error, settings.SettingsError) else described(error)
        (folder / _WHY_NOT).write_text(f"dlint: {reason}", encoding="utf-8")
    else:
        for path, outcome in _outcomes(repairs, paths).items():
            (folder / _name(path)).write_text(json.dumps(outcome), encoding="utf-8")
    return str(folder)


def _outcomes(repairs: Repairs, paths: Sequence[Path]) -> dict[Path, dict[str, Any]]:
    """What there is to do and to say for each file."""
    found: dict[Path, dict[str, Any]] = {}
    for file in repairs.files:
        found[file.path] = {"mark": _mark(file.old), "new": file.new.hex()}
    roots = true_roots(paths)
    for left in repairs.left:
        path = absolute(left.finding.path)
        outcome = found.setdefault(path, {})
        line = f"{left.finding.line}: {left.finding.code} left: {left.reason}"
        outcome.setdefault("warnings", []).append(line)
        why = obstacle(path, roots)
        if why is not None:  # libcst would follow the link
            outcome["skip"] = f"not repaired: {why}"
    for trouble in repairs.troubles:
        found.setdefault(absolute(trouble.path), {}).setdefault("skip", trouble.message)
    return found


def _choices(select: str, ignore: str, target_torch: str | None, start_method: str | None) -> dict[str, Any]:
    given = {
        "select": _codes(select),
        "ignore": _codes(ignore),
        "target_torch": target_torch,
        "start_method": start_method,
    }
    return {name: value for name, value in given.items() if value}


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())


def _name(path: Path) -> str:
    return hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()


def _mark(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
