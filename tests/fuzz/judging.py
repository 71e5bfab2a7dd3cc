"""One way to ask what is wrong with a case, for the tests, the long run, its reduction and what is kept."""

from __future__ import annotations

from tests.fuzz.bombs import BOMBS
from tests.fuzz.configurations import CONFIGURATIONS
from tests.fuzz.kept import Kept
from tests.fuzz.properties import GOOD, GOOD_NAME, Failure, command_failures, differences
from tests.fuzz.running import Child, Ended, Files, written

_CHECK = ("check", "--output-format", "concise")
# With the same sample of orders, what failed for its order fails again.
_SEED = 1


def of_programs(files: Files, first: Child, second: Child) -> list[Failure]:
    """What is wrong with a folder of programs, the good one among them."""
    files = {**files, GOOD_NAME: GOOD}
    with written(files) as folder:
        return differences(folder, files, first, second, _SEED)


def of_generated(kind: str, size: int, child: Child) -> tuple[list[Failure], Ended]:
    """What is wrong with a bomb or a configuration of a size, and how the command ended."""
    configuration = CONFIGURATIONS.get(kind)
    made = BOMBS[kind].files(size) if configuration is None else configuration.files_of(size)
    with written({**made, GOOD_NAME: GOOD}) as folder:
        if configuration is not None and configuration.special is not None:
            configuration.special(folder)
        ended = child.command(folder, *_CHECK)
    return command_failures(ended, refused=configuration.refused if configuration else ""), ended


def of_kept(case: Kept, first: Child, second: Child) -> list[Failure]:
    """What is wrong with a kept case today."""
    if case.generator:
        return of_generated(case.generator, case.size, first)[0]
    return of_programs(case.files, first, second)
