"""Whether other files of the project import a file: then its module-level names are not its own."""

from __future__ import annotations

from dlint.rewriting.source import Source


def is_imported(source: Source) -> bool:
    """Whether another file of the program imports this one, directly or through others."""
    surroundings = source.surroundings
    with surroundings.asking() as program:
        return any(program.boundaries.importers(surroundings.relative(source.path)))
