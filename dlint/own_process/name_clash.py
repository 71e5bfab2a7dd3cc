"""The other distribution that installs a package ``dlint``: noticing it, and saying so plainly."""

from __future__ import annotations

from pathlib import Path

_THEIRS = ("extension.py", "linters", "redos")


def problem(package: Path | None = None) -> str | None:
    """What is wrong with the installed package ``dlint`` and what to do about it; None when all is well.

    ``package`` is the folder to look at, by default the one that dlint was imported from.
    """
    folder = package or Path(__file__).parents[1]
    if any((folder / name).exists() for name in _THEIRS):
        return (
            "this environment also holds the distribution 'dlint', a security linter (codes DUO) that "
            "installs a package of the same name; the two cannot share an environment. "
            "Keep one: pip uninstall -y dlint torch-dlint && pip install torch-dlint"
        )
    if not (folder / "__init__.py").exists():
        return (
            "the package 'dlint' is damaged, as it is after the distribution 'dlint' of the same name was "
            "uninstalled. Repair it: pip install --force-reinstall --no-deps torch-dlint"
        )
    return None
