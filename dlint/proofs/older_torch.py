"""Makes an environment with a torch before 1.9 for DL202's proofs: ``python -m dlint.proofs.older_torch``.

The wheels of that torch end at Python 3.9, where dlint does not run: the programs of such a proof run with
the Python of this environment, their watchdog with dlint's own. It needs a Python 3.6 to 3.9 and some
2 GB in the user's cache folder; nothing else is touched.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dlint.proofs.user_cache import BuildError, cache_folder, run

TORCH = "1.8.1"
# It was built against NumPy 1.
_PACKAGES = (f"torch=={TORCH}", "numpy<2")
_PYTHONS = ("python3.9", "python3.8", "python3.7", "python3.6")


def folder() -> Path:
    """Where the environment is kept."""
    return cache_folder() / f"torch-{TORCH}"


def python() -> Path:
    """The environment's Python."""
    return folder() / "bin" / "python"


def is_made() -> bool:
    """Whether the environment lies in the cache."""
    return python().exists()


def find(names: Iterable[str] = _PYTHONS) -> str:
    """A Python on the path that this torch has wheels for. Raises BuildError."""
    for name in names:
        found = shutil.which(name)
        # Version managers put names on the path that they refuse to run.
        if found and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
            return found
    raise BuildError(f"torch {TORCH} needs a Python 3.6 to 3.9: name one with --python")


def make(base: str) -> Path:
    """Make the environment with a Python and put it into the cache. Raises BuildError."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / "older-torch.log"
    shutil.rmtree(folder(), ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="older-torch-", dir=cache) as scratch, log.open("wb") as out:
        made = Path(scratch) / "made"
        run([base, "-m", "venv", str(made)], cache, out, log)
        inside = str(made / "bin" / "python")
        run([inside, "-m", "pip", "install", "--no-warn-script-location", *_PACKAGES], cache, out, log)
        run([inside, "-c", "import numpy, torch; torch.zeros(1).numpy()"], cache, out, log)
        made.rename(folder())
    return folder()


def main() -> int:
    """The command line: make it unless it is made."""
    parser = argparse.ArgumentParser(prog="python -m dlint.proofs.older_torch", description=__doc__)
    parser.add_argument("--python", help="a Python 3.6 to 3.9; the newest on the path unless told")
    parser.add_argument("--again", action="store_true", help="make it even if the cache has it")
    chosen = parser.parse_args()
    if is_made() and not chosen.again:
        print(f"already made: {folder()}")
        return 0
    try:
        made = make(chosen.python or find())
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"made: {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
