"""The remedies as a libcst codemod.

``python -P -m libcst.tool codemod -x dlint.codemod.FixCommand --no-format PATH``

The findings are those of ``dlint check`` for the file within its project; the configuration in
``.libcst.codemod.yaml`` (formatter, blacklist) applies as to every codemod.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from dlint import safe_path, settings
from dlint.fault import described, wants_traceback
from dlint.files import absolute, project_root
from dlint.reading import NotThere, SourceError, read_bytes
from dlint.repair import repair
from dlint.reports.signs import visible
from dlint.rewriting.files import obstacle, true_roots


class FixCommand(CodemodCommand):
    """Repairs the findings of one file; libcst writes it."""

    DESCRIPTION = "Repair the data-loading mistakes that dlint finds."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The choices of ``dlint fix`` that make sense for one file."""
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="Apply unsafe remedies too.")
        arg_parser.add_argument("--select", default="", metavar="CODES", help="Only these rules.")
        arg_parser.add_argument("--ignore", default="", metavar="CODES", help="Not these rules.")
        arg_parser.add_argument("--target-torch", default=None, metavar="RELEASE")
        arg_parser.add_argument("--start-method", default=None, choices=["fork", "forkserver", "spawn"])

    def __init__(
        self,
        context: CodemodContext,
        unsafe_fixes: bool = False,
        select: str = "",
        ignore: str = "",
        target_torch: str | None = None,
        start_method: str | None = None,
    ) -> None:
        super().__init__(context)
        safe_path.leave_tree_out_of_children()  # libcst is about to hand the files to a pool of its own
        self._unsafe = unsafe_fixes
        self._choices = {
            "select": _codes(select),
            "ignore": _codes(ignore),
            "target_torch": target_torch,
            "start_method": start_method,
        }

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
        chosen = settings.load(project_root(path), {k: v for k, v in self._choices.items() if v})
        repairs = repair([path], chosen, unsafe=self._unsafe, texts={path: data})
        for left in repairs.left:
            self.warn(visible(f"{left.finding.line}: {left.finding.code} left: {left.reason}"))
        for trouble in repairs.troubles:
            raise SkipFile(visible(trouble.message))
        why = obstacle(path, true_roots([path])) if repairs.left else None
        if why is not None:  # libcst would follow the link
            raise SkipFile(visible(f"not repaired: {why}"))
        return cst.parse_module(repairs.files[0].new) if repairs.files else tree


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())
