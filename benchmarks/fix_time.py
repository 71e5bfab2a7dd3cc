"""How the time of `dlint fix` divides: finding in the whole tree, repairing the few files with findings.

Usage: python benchmarks/fix_time.py TREE [--unsafe]

Repairs in memory only. Prints seconds of processor time for `check`, for `repair` (which checks first), and
for what the repair adds, in all and for each file repaired.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dlint import engine
from dlint.repair import repair
from dlint.settings.settings import Settings


def main() -> None:
    """Measure one tree."""
    tree = Path(sys.argv[1])
    settings = Settings()
    started = time.process_time()
    report = engine.check([tree], settings)
    checked = time.process_time() - started
    started = time.process_time()
    repairs = repair([tree], settings, unsafe="--unsafe" in sys.argv)
    repaired = time.process_time() - started
    added = repaired - checked
    files = len(repairs.files)
    print(f"files {report.checked}, findings {len(report.findings)}, files repaired {files}")
    print(f"check {checked:.2f} s, repair {repaired:.2f} s, added {added:.2f} s", end="")
    print(f", {added / files:.2f} s a repaired file" if files else "")


if __name__ == "__main__":
    main()
