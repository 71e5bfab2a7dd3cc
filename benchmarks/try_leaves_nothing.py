"""`dlint try` again and again, half of the runs interrupted at some moment: what is left afterwards?

    python benchmarks/try_leaves_nothing.py [--runs 200] [--seed 1]

Processes (by a mark in their environment), files in the folder for temporary ones, and entries of /dev/shm.
The programs are a sound loader, one that hangs, and one that ends with an error. SIGINT, SIGTERM and SIGKILL
go to the command alone, as from a shell's kill.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from dlint.running import processes

MARK = "DLINT_LEAVES_NOTHING"
_SHARED = Path("/dev/shm")
# Other programs of the machine use shared memory, too: what is there after so many seconds has been left.
_TO_GO = 60.0
PROGRAM = """\
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, pool=None, broken=False):
        self.pool = pool
        self.broken = broken

    def __len__(self):
        return 16

    def __getitem__(self, index):
        if self.broken and index == 5:
            raise KeyError(index)
        if self.pool is not None:
            self.pool.map(abs, [index])
        return torch.full((64, 64), float(index))


def sound():
    return DataLoader(Rows(), batch_size=2)


def hangs():
    return DataLoader(Rows(ThreadPool(2)), batch_size=2)


def raises():
    return DataLoader(Rows(broken=True), batch_size=2)
"""


def main() -> int:
    """1 where something was left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    left: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    before, new = set(_SHARED.iterdir()), set()
    for number in range(arguments.runs):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "tmp").mkdir()
            (home / "data.py").write_text(PROGRAM)
            (home / "pyproject.toml").touch()
            name = chance.choice(("sound", "hangs", "raises"))
            method = chance.choice(("fork", "spawn", "forkserver"))
            command = [
                sys.executable,
                "-P",
                "-m",
                "dlint",
                "try",
                f"data.py:{name}",
                "--start-method",
                method,
            ]
            command += ["--workers", "2", "--stall", "4", "--items", "8"]
            token = f"{os.getpid()}-{number}"
            run = subprocess.Popen(
                command,
                cwd=home,
                env={**os.environ, MARK: token, "TMPDIR": str(home / "tmp")},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            told = "ended"
            if number % 2:
                time.sleep(chance.uniform(0.1, 12))
                which = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
                told = which.name
                run.send_signal(which)
            run.wait()
            ends[told] += 1
            # Watchdogs whose command was killed see that at once, and clean up.
            deadline = time.monotonic() + 30
            while processes.marked(MARK, token) and time.monotonic() < deadline:
                time.sleep(0.1)
            for pid in processes.marked(MARK, token):
                left[f"process after {told}: {processes.command_line(pid)[:120]}"] += 1
                os.kill(pid, signal.SIGKILL)
            for path in (home / "tmp").iterdir():
                left[f"file after {told}: {path.name[:10]}"] += 1
            new |= set(_SHARED.iterdir()) - before
        if number % 20 == 19:
            print(f"{number + 1} runs: {sum(left.values())} left", flush=True)
    time.sleep(_TO_GO)
    for entry in new & set(_SHARED.iterdir()):
        left[f"shared memory: {entry.name[:8]}"] += 1
    print(dict(ends))
    for what, count in left.most_common():
        print(f"{count} {what}")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
