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
from dlint.finding import Report
from dlint.own_process.fault import wants_traceback
from dlint.project.files import Listing
from dlint.project.paths import display_path

__all__ = ["Folder", "Question", "folder_for", "remembered"]


def remembered(question: Question, find: Callable[[Listing], Report], folder: Folder | None) -> Report:
    """The answer that the folder has, else what ``find`` makes of the files, which is kept.

    It is not kept where a file changed while it was looked for, nor where a fault of dlint's own (a lack of
    memory) may have spoilt it.
    """
    listed = question.listing()
    if folder is None or not listed.asked or wants_traceback():
        return find(listed)
    from dlint.cache.answer import packed, unpacked
    from dlint.cache.key import key_of

    key = key_of(question, listed)
    data = folder.read(key)
    known = unpacked(data, frozenset(map(display_path, listed.asked))) if data is not None else None
    if known is not None:
        return known
    report = find(listed)
    if not report.faults and key_of(question, listed) == key:
        folder.write(key, packed(report))
    return report
