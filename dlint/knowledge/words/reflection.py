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

# Calls that import the module that they are told.
IMPORTS = frozenset({"importlib.import_module", "builtins.__import__"})
# Calls that give what stands at the path that they are told.
LOCATES = frozenset(
    {
        "pydoc.locate",
        "pkgutil.resolve_name",
        "hydra.utils.get_class",
        "hydra.utils.get_object",
        "hydra.utils.get_method",
    }
)
# Calls that make what a configuration names under `_target_`.
INSTANTIATES = frozenset({"hydra.utils.instantiate", "hydra.utils.call", "hydra_zen.instantiate"})

# What describes such an object in code, and the keywords that are not for that.
BUILDS = "hydra_zen.builds"
_OF_BUILDS = ("zen_", "hydra_", "populate_full_signature", "builds_bases", "frozen", "dataclass_name")


def is_for_built(keyword: str) -> bool:
    """Whether a keyword of such a call is one for the object that is described."""
    return not keyword.startswith(_OF_BUILDS)


# What describes a call of what it is given, by being called, what reads a file of such, and what makes what
# such a call describes.
DESCRIBES = frozenset({"detectron2.config.LazyCall"})
LOADS_DESCRIBED = "detectron2.config.LazyConfig.load"
MAKES_DESCRIBED = frozenset({"detectron2.config.instantiate"})

# Whoever makes one of these calls mentions one of these words.
FINDS_BY_NAME = ("import_module", "__import__", "pydoc", "pkgutil", "hydra")

# Calls that give an object of whatever class their argument names.
MAKES_ANYTHING = frozenset({"builtins.eval"}) | INSTANTIATES | MAKES_DESCRIBED
