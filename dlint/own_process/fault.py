"""A fault of dlint's own, in one line: every door says it in the same words."""

from __future__ import annotations

import os

_REPORT_TO = "https://github.com/torch-dlint/torch-dlint/issues"


def wants_traceback() -> bool:
    """Whether whoever looks for the fault has asked for all of it."""
    return bool(os.environ.get("DLINT_TRACEBACK"))


def described(error: BaseException) -> str:
    """What went wrong and in which line of dlint, for a report."""
    where = ""
    package = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # noqa: PTH118, PTH120
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(package):
            where = f" in dlint/{file[len(package) :].replace(os.sep, '/')}:{trace.tb_lineno}"
        trace = trace.tb_next
    try:
        words = str(error).partition("\n")[0]
    except Exception:
        words = ""
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        f"a fault of dlint's own: {what}{where}; please report it at {_REPORT_TO} "
        "(with DLINT_TRACEBACK=1 it shows the traceback)"
    )
