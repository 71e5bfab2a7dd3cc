"""The fixtures: small programs, and on which of their lines which rule is to fire."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dlint.proofs.proof import Fixture, read

FOLDER = Path(__file__).parents[2] / "test_fixtures"
_EXPECT = re.compile(r"#\s*expect:\s*(DL\d{3}(?:[,\s]+DL\d{3})*)")


@dataclass(frozen=True)
class Program:
    """One program of a fixture: a file, or a folder of files."""

    path: Path

    @property
    def kind(self) -> str:
        """What the program is there to show: bad, fixed, near or not_a_cure."""
        return next(
            kind for kind in ("bad", "fixed", "near", "not_a_cure") if self.path.name.startswith(kind)
        )

    @property
    def files(self) -> list[Path]:
        return sorted(self.path.rglob("*.py")) if self.path.is_dir() else [self.path]

    def expected(self) -> set[tuple[str, int, str]]:
        """File, line and code of every finding that the program's comments ask for."""
        return {
            (file.relative_to(self.path.parent).as_posix(), number, code)
            for file in self.files
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
            for comment in _EXPECT.findall(line)
            for code in re.findall(r"DL\d{3}", comment)
        }

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"


def fixtures() -> dict[str, Fixture]:
    """Every fixture folder by the code of its rule."""
    found = [read(folder) for folder in sorted(FOLDER.iterdir()) if (folder / "proof.toml").exists()]
    return {fixture.code: fixture for fixture in found}


def programs(fixture: Fixture) -> list[Program]:
    """The programs of a fixture folder."""
    return [
        Program(path)
        for path in sorted(fixture.folder.iterdir())
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    ]
