"""Recipes for hypothesis: it makes a failing folder smaller by leaving out programs and changes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.fuzz import bytes_changes, text_changes, tree_changes
from tests.fuzz.mutations import Recipe, Step, cooked, module_name
from tests.fuzz.programs import originals
from tests.fuzz.properties import GOOD, GOOD_NAME


def _steps(names: Sequence[str], most: int) -> st.SearchStrategy[tuple[Step, ...]]:
    step = st.tuples(st.sampled_from(names), st.integers(0, (1 << 30) - 1))
    return st.lists(step, max_size=most).map(tuple)


def recipes() -> st.SearchStrategy[Recipe]:
    """Recipes of which most parse: one in four has changes of its text, one in four of its bytes."""
    none = st.just(())
    return st.builds(
        Recipe,
        st.integers(0, len(originals()) - 1),
        _steps(tree_changes.NAMES, 8),
        st.one_of(none, none, none, _steps(text_changes.NAMES, 2)),
        st.one_of(none, none, none, _steps(bytes_changes.NAMES, 2)),
    )


def folder_of(made: Sequence[Recipe]) -> dict[str, bytes]:
    """The programs of the recipes as the files of a folder, beside the good one."""
    files = {f"{module_name(n)}.py": cooked(recipe, len(made)) for n, recipe in enumerate(made)}
    return {**files, GOOD_NAME: GOOD}
