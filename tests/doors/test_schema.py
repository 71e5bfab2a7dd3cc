"""The schema of [tool.dlint], and the documents: they say what the reader accepts."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from dlint.project.toml import loads
from dlint.rules import all_codes
from dlint.schema import FILE, schema, text
from dlint.settings.keys import KEYS, SettingsError, checked, field
from dlint.settings.settings import Settings, check_names

REPOSITORY = Path(__file__).parents[2]
VALIDATOR = Draft7Validator(schema())

# What is no choice, and beside the keys.
NO_KEYS = {"places", "nested", "troubles", "configured_in", "torch", "python"}

CODES = st.sampled_from(["DL", "dl1", " DL301 ", "DL101", "D", "", "  ", "E501", "DL1234", "xDL1", "DL1\n2"])
WORDS = st.one_of(
    CODES,
    st.sampled_from(
        ["1.8", "1.8\n", "1.", "v1.8", "1" * 10, "2.1.0", "fork", "spawn ", "note", "a/b", "a\0b"]
    ),
    st.sampled_from(["error", "tests/", "*.py", "\x1c", "\u0661.\u0662"]),
)
PLAIN = st.one_of(WORDS, st.booleans(), st.integers(), st.floats(), st.dates())
VALUES = st.one_of(
    PLAIN,
    st.lists(CODES, max_size=3),
    st.lists(PLAIN, max_size=2),
    st.dictionaries(st.sampled_from(["tests/", "*.py", ""]), st.one_of(st.lists(CODES, max_size=3), PLAIN)),
)


def accepted(table: dict[str, Any]) -> bool:
    """What the reader says of a table whose paths lie in the project."""
    try:
        if not table.keys() <= KEYS.keys():
            return False
        values = {field(key): checked(key, value, key) for key, value in table.items()}
        check_names(all_codes(), Settings(**values))
    except SettingsError:
        return False
    return True


def test_the_file_is_what_the_keys_make() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run python -P -m dlint.schema"
    Draft7Validator.check_schema(json.loads(text()))


def test_every_choice_has_a_key() -> None:
    assert {field(key) for key in KEYS} == set(Settings._fields) - NO_KEYS


@given(st.dictionaries(st.sampled_from([*KEYS, "selct", "target_torch"]), VALUES, max_size=3))
def test_the_schema_and_the_reader_agree(table: dict[str, Any]) -> None:
    assert VALIDATOR.is_valid(table) == accepted(table)


@pytest.mark.parametrize("key", KEYS)
@given(data=st.data())
def test_they_agree_on_each_key(key: str, data: st.DataObject) -> None:
    value = data.draw(VALUES)
    assert VALIDATOR.is_valid({key: value}) == accepted({key: value})


@given(st.text(), st.sampled_from(["target-torch", "cache-dir", "level"]))
def test_they_agree_on_any_text(value: str, key: str) -> None:
    assert VALIDATOR.is_valid({key: value}) == accepted({key: value})


@given(st.text(alphabet="dDlL013 \t\n", max_size=6))
def test_a_code_that_the_reader_takes_is_one_by_the_schema(code: str) -> None:
    assert VALIDATOR.is_valid({"select": [code]}) or not accepted({"select": [code]})


def test_validate_pyproject_finds_it() -> None:
    project = loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["validate_pyproject.tool_schema"]["dlint"].partition(":")
    assert getattr(import_module(module), name)("dlint") == schema()


def test_the_documents_have_every_key() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in (REPOSITORY / "docs" / "configuration.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    documented = {row[0].strip("`"): row for row in rows}
    assert list(documented) == list(KEYS)
    for name, key in KEYS.items():
        _, takes, default, meaning = documented[name]
        assert all(f'`"{each}"`' in takes for each in key.names), name
        assert default.replace("`", "").replace('"', "").startswith(key.default), name
        assert meaning.strip(), name
