"""Words that tell that a program imports modules or makes objects by names that its text does not show."""

from __future__ import annotations

BY_NAME = (
    "import_module",
    "__import__",
    "instantiate",  # Hydra's, and the like of it in many projects
    "hydra.main",
    "LightningCLI",
    "pydoc.locate",
    "get_obj_from_str",
)

# Calls that give an object of whatever class their argument names.
MAKES_ANYTHING = frozenset({"builtins.eval", "hydra.utils.instantiate", "hydra.utils.call"})
