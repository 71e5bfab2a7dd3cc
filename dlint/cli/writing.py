"""Files that a command writes because the user has named them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from dlint.cli.options import CannotDo
from dlint.own_process.ending import whole
from dlint.project.paths import display_path
from dlint.rewriting.files import umask


def write_file(file: Path, text: str, option: str) -> None:
    """Have a file hold a text, or what it held: nobody reads half a report. Raises CannotDo, which names the
    option that the file is of."""
    written: Path | None = None
    try:
        if file.exists() and not file.is_file():  # a pipe, a terminal
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
            return
        with whole() as not_to_outlast:
            handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".dlint", dir=file.parent)
            written = Path(name)
            not_to_outlast(written)
            with os.fdopen(handle, "wb") as out:
                out.write(text.encode("utf-8", "backslashreplace"))
            written.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o666 & ~umask())
            written.replace(file.resolve())  # a link stays one
    except OSError as error:
        if written is not None:
            written.unlink(missing_ok=True)
        raise CannotDo(f"{option}: {display_path(file)}: {error.strerror or error}") from error
