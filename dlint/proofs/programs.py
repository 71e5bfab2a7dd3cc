"""Where the proof programs lie: inside the installed package, or in the checkout's test_fixtures."""

from __future__ import annotations

from pathlib import Path


def home() -> Path:
    """The folder that holds one folder of programs a rule. Raises FileNotFoundError."""
    installed = Path(__file__).with_name("programs")
    checkout = Path(__file__).parents[2] / "test_fixtures"
    for folder in (installed, checkout):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("the proof programs are not part of this installation of dlint")


def folders() -> list[Path]:
    """The folders that hold a proof, by rule."""
    return sorted(folder for folder in home().iterdir() if (folder / "proof.toml").is_file())
