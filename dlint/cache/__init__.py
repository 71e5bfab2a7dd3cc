"""What a run has found, kept for the next one: an unchanged tree is answered without being analysed.

An answer is a whole report. It is looked up by all that it hangs on, the content of every file included
(``key``), and kept as plain data that is looked at before it is believed (``answer``), in a folder of
its own (``folder``). What was not found there is found anew, and nobody is told: the cache changes how long a
run takes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from dlint.cache.folder import Folder, folder_for
from dlint.cache.question import Question
from dlint.finding import Finding, Report
from dlint.own_process.fault import wants_traceback
from dlint.project.files import Listing
from dlint.project.paths import display_path

__all__ = ["Asked", "Folder", "Question", "folder_for", "remembered"]


def remembered(question: Question, find: Callable[[Listing], Report], folder: Folder | None) -> Report:
    """The answer that the folder has, else what ``find`` makes of the files, which is kept.

    It is not kept where a file changed while it was looked for, nor where a fault of dlint's own (a lack of
    memory) may have spoilt it.
    """
    return Asked(question, folder).report(find)


class Asked:
    """A question, with what the folder has of it: its answer, and what the remedies of its findings would
    change. The files are read for that once."""

    def __init__(self, question: Question, folder: Folder | None) -> None:
        self._question = question
        self._listed = question.listing()
        self._folder = folder if self._listed.asked and not wants_traceback() else None
        self._key = self._present_key()

    def report(self, find: Callable[[Listing], Report]) -> Report:
        """The answer, as :func:`remembered` says."""
        return self._kept(self._key, self._present_key, lambda: find(self._listed))

    def tried(self, findings: tuple[Finding, ...], try_them: Callable[[], Report]) -> Report:
        """These findings of the answer with what their remedies would change, as ``try_them`` finds out where
        the folder does not have it."""

        if self._folder is None:
            return try_them()
        from dlint.cache.answer import packed
        from dlint.cache.key import key_of_tried

        def key(found: str) -> str:
            return key_of_tried(found, self._question, self._listed, packed(Report(findings, (), 0)))

        return self._kept(key(self._key), lambda: key(self._present_key()), try_them)

    def _kept(self, key: str, key_now: Callable[[], str], find: Callable[[], Report]) -> Report:
        if self._folder is None:
            return find()
        from dlint.cache.answer import packed, unpacked

        data = self._folder.read(key)
        asked = frozenset(map(display_path, self._listed.asked))
        known = unpacked(data, asked) if data is not None else None
        if known is not None:
            return known
        report = find()
        if not report.faults and key_now() == key:
            self._folder.write(key, packed(report))
        return report

    def _present_key(self) -> str:
        if self._folder is None:
            return ""
        from dlint.cache.key import key_of

        return key_of(self._question, self._listed)
