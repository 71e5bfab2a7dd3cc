"""Repeats proofs beside busy loops and counts the verdicts: load must not change any.

python benchmarks/proofs_under_load.py --times 20 --loops 2 DL1

Programs run in batches where the tests do so (tests/proofs/batches.py), or each by itself with --single.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from dlint.proofs import environment, programs
from dlint.proofs.judge import Verdict
from dlint.proofs.proof import read
from dlint.proofs.prove import claims, prove
from dlint.proofs.run import Run
from dlint.running.runner import Runner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.proofs.batches import BatchRunner


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", default=[""], help="codes or the beginnings of codes")
    parser.add_argument("--times", type=int, default=20, help="repetitions")
    parser.add_argument("--loops", type=int, default=2, help="busy processes beside the proofs")
    parser.add_argument("--jobs", type=int, default=4, help="programs at the same time")
    parser.add_argument("--outcome", help="only proofs with this outcome, such as hang")
    parser.add_argument("--name", default="", help="only proofs whose names have this text")
    parser.add_argument("--start-method", help="only under this start method")
    parser.add_argument("--single", action="store_true", help="every program by itself")
    chosen = parser.parse_args()

    machine = environment.look()
    proofs = [
        proof
        for folder in programs.folders()
        if folder.name.startswith(tuple(chosen.rules))
        for proof in read(folder).proofs
        if chosen.outcome in (None, proof.outcome) and chosen.name in proof.name
    ]
    wanted = [
        claim
        for claim in claims(proofs, chosen.start_method)
        if machine.lacks(claim[0].needs, claim[1]) is None
    ]
    counts: dict[str, Counter[str]] = {}
    # A loop ends when its parent is gone, however that came.
    loop = f"import os\nwhile os.getppid() == {os.getpid()}: pass"
    loops = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(chosen.loops)]
    try:
        for time in range(chosen.times):
            with tempfile.TemporaryDirectory() as folder, Runner[Run](chosen.jobs) as single:
                runner = single if chosen.single else BatchRunner(single, Path(folder))
                for each in prove(runner, machine, wanted):
                    if isinstance(each, Verdict):
                        name = f"{each.proof.code} {each.proof.name} ({each.method})"
                        counts.setdefault(name, Counter())[each.status] += 1
                        if each.status == "contradicted":
                            print(f"{name}: {each.bad} {each.fixed} {each.not_cures}", flush=True)
            print(f"{time + 1} of {chosen.times}", file=sys.stderr, flush=True)
    finally:
        for process in loops:
            process.kill()
            process.wait()
    for name, count in sorted(counts.items()):
        print(f"{name}: {', '.join(f'{number} {status}' for status, number in count.most_common())}")
    return int(any(count["contradicted"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
