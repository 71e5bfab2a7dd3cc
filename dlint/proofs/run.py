"""One program of a proof, as a task for the runner."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

from dlint.proofs import older_torch, opencl_cpu, openmp_opencv
from dlint.proofs.environment import variables
from dlint.proofs.proof import Proof, StartMethod
from dlint.running.watchdog import MARK, PROGRAMS, Job

_HARNESS = Path(__file__).with_name("harness")


@dataclass(frozen=True)
class Run:
    """One program of a proof under one start method. ``program`` is a file, or a folder with main.py."""

    proof: Proof
    program: str
    method: StartMethod

    @property
    def path(self) -> str:
        """The file to run, below the proof's folder."""
        return f"{self.program}/main.py" if (self.proof.folder / self.program).is_dir() else self.program

    @property
    def python(self) -> str:
        """The Python to run it with."""
        return str(older_torch.python()) if self.proof.needs.older_torch else sys.executable

    def environment(self, token: str) -> dict[str, str]:
        """The environment to run it in; ``token`` marks its processes."""
        needs = self.proof.needs
        path = [str(_HARNESS)]
        if needs.openmp_opencv:
            path.append(str(openmp_opencv.module_folder()))
        added = {**self.proof.environment, MARK: token, "DLINT_PROOF_START_METHOD": self.method}
        if needs.opencl_cpu:
            added |= opencl_cpu.variables()
        environment = variables(added)
        # What the user has on the path is for the Python that runs dlint.
        if environment.get("PYTHONPATH") and not needs.older_torch:
            path.append(environment["PYTHONPATH"])
        environment["PYTHONPATH"] = os.pathsep.join(path)
        return environment

    @property
    def alone(self) -> bool:
        """Whether nothing else may run at the same time."""
        return self.proof.alone

    @property
    def will_stand_still(self) -> bool:
        """Whether the proof claims that it hangs."""
        return self.proof.outcome == "hang" and self.program != self.proof.fixed

    def job(self, folder: Path, token: str) -> Job:
        """What the watchdog is told: the program runs in a copy of the proof's folder."""
        path = PurePath(PROGRAMS, self.path)
        return Job(
            folder=str(folder),
            command=(self.python, path.name),
            cwd=str(path.parent),
            environment=self.environment(token),
            limit=self.proof.limit,
            still=self.proof.still,
            programs=str(self.proof.folder),
        )
