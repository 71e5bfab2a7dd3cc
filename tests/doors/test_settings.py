"""[tool.dlint], the options over it, and which rules run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dlint.settings.settings import Settings, SettingsError, enabled, load


@dataclass(frozen=True)
class FakeRule:
    code: str
    on_by_default: bool = True


RULES = (FakeRule("DL101"), FakeRule("DL102"), FakeRule("DL301"), FakeRule("DL305", on_by_default=False))


def project(tmp_path: Path, text: str) -> Path:
    (tmp_path / ".git").mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        (Settings(), {"DL101", "DL102", "DL301"}),
        (Settings(select=("DL",)), {"DL101", "DL102", "DL301"}),
        (Settings(select=("DL1",)), {"DL101", "DL102"}),
        (Settings(select=("DL3",)), {"DL301", "DL305"}),
        (Settings(select=("DL305",)), {"DL305"}),
        (Settings(extend_select=("DL305",)), {"DL101", "DL102", "DL301", "DL305"}),
        (Settings(ignore=("DL1",)), {"DL301"}),
        (Settings(ignore=("DL",)), set()),
        (Settings(select=("DL101",), ignore=("DL1",)), {"DL101"}),
        (Settings(select=("DL1",), ignore=("DL101",)), {"DL102"}),
        (Settings(select=("DL1",), ignore=("DL1",)), set()),
        (Settings(select=("DL1",), extend_select=("DL301",)), {"DL101", "DL102", "DL301"}),
    ],
)
def test_the_longest_prefix_decides(settings: Settings, codes: set[str]) -> None:
    assert enabled(RULES, settings) == codes


@pytest.mark.parametrize("option", ["select", "ignore", "extend_select"])
def test_an_unknown_code_names_the_nearest(option: str) -> None:
    with pytest.raises(SettingsError, match=r"no rule is called 'DL109'; did you mean 'DL10[12]'"):
        enabled(RULES, Settings(**{option: ("DL109",)}))


def test_every_key_is_read(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        '[tool.dlint]\nselect = ["DL1", "dl2"]\nignore = ["DL101"]\nextend-select = ["DL305"]\n'
        'exclude = ["third_party/"]\ntarget-torch = "1.8"\nstart-method = "spawn"\n'
        'cache-dir = "build/found"\n',
    )
    assert load(root)._replace(places=()) == Settings(
        ("DL1", "DL2"), ("DL101",), ("DL305",), ("third_party/",), target_torch="1.8", start_method="spawn",
        cache_dir=str(root / "build" / "found"), configured_in=root,
    )  # fmt: skip


def test_options_of_the_run_go_before_the_project(tmp_path: Path) -> None:
    root = project(tmp_path, '[tool.dlint]\nignore = ["DL101"]\ntarget-torch = "1.8"\n')
    assert load(root, {"target_torch": "2.1", "select": ()}).target_torch == "2.1"
    assert load(root, {"ignore": ("DL3",)}).ignore == ("DL3",)
    assert load(root, {"select": ("DL101",)}).ignore == ()


def test_the_nearest_pyproject_with_a_table_counts(tmp_path: Path) -> None:
    root = project(tmp_path, '[tool.dlint]\nselect = ["DL1"]\n')
    inner = root / "packages" / "one"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text('[project]\nname = "dlint-user"\n')
    assert load(inner).select == ("DL1",)
    (inner / "pyproject.toml").write_text('[tool.dlint]\nselect = ["DL2"]\n')
    assert load(inner).select == ("DL2",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[tool.dlint]\ntarget_torch = "1.8"', "has no key 'target_torch'; did you mean 'target-torch'"),
        ('[tool.dlint]\nselct = ["DL1"]', "has no key 'selct'; did you mean 'select'"),
        ("[tool.dlint]\nfrobnicate = 1", "has no key 'frobnicate'$"),
        ('[tool.dlint]\nselect = "DL1"', "select: must be a list of strings"),
        ("[tool.dlint]\nignore = [1]", "ignore: must be a list of strings"),
        ("[tool.dlint]\ntarget-torch = 1.8", "target-torch: must be a torch release"),
        ('[tool.dlint]\ntarget-torch = ">=1.8"', "target-torch: must be a torch release"),
        ('[tool.dlint]\nstart-method = "forks"', "must be one of .*; did you mean 'fork'"),
        (
            '[tool.dlint]\nlevel = "warnings"',
            "must be one of error, warning, note, .*; did you mean 'warning'",
        ),
        ('[tool.dlint]\nexclude = ["!"]', "exclude: '!' is no pattern of .gitignore"),
        ("[tool]\ndlint = 3", "must be a table"),
        ("[tool.dlint\nselect = 1", "not valid TOML"),
    ],
)
def test_a_wrong_configuration_names_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        load(project(tmp_path, text))
    assert "pyproject.toml" in str(caught.value)


def test_a_wrong_option_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--target-torch: must be a torch release"):
        load(tmp_path, {"target_torch": "new"})
