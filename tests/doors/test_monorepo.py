"""Projects of a monorepo: each file goes by the nearest [tool.dlint], in one program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doors import HAZARD, dlint, flake8, write

# DL201 and so on are not what this is about: DL301 in every file.
TOP = "[tool.dlint]\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a file of its own and two projects, of which one has settings."""
    return write(
        tmp_path,
        {
            ".git/HEAD": "",
            "pyproject.toml": TOP,
            "top.py": HAZARD,
            "one/pyproject.toml": "[tool.dlint]\n",
            "one/a.py": HAZARD,
            "one/gen/g.py": HAZARD,
            "two/pyproject.toml": '[project]\nname = "two"\n',
            "two/b.py": HAZARD,
        },
    )


def found(folder: Path, *options: str) -> list[str]:
    result = dlint(folder, "check", "--no-cache", "--output-format", "json", *options)
    assert result.returncode in (0, 1), result.stderr
    return [f"{each['path']} {each['code']}" for each in json.loads(result.stdout)]


ALL = ["one/a.py DL301", "one/gen/g.py DL301", "top.py DL301", "two/b.py DL301"]


def set_in(tree: Path, folder: str, text: str) -> None:
    write(tree, {f"{folder}/pyproject.toml": f"[tool.dlint]\n{text}\n"})


@pytest.mark.parametrize(
    ("top", "one", "expected"),
    [
        ("", "", ALL),
        ("", 'ignore = ["DL3"]', ALL[2:]),
        ('ignore = ["DL3"]', "", ALL[:2]),
        ('select = ["DL1"]', 'select = ["DL301"]', ALL[:2]),
        ("", 'exclude = ["gen/"]', [ALL[0], *ALL[2:]]),
        ('exclude = ["gen/"]', "", ALL),
        ('exclude = ["one/gen/"]', 'extend-exclude = ["/a.py"]', [ALL[1], *ALL[2:]]),
        ("", '[tool.dlint.per-file-ignores]\n"/gen/" = ["DL301"]', [ALL[0], *ALL[2:]]),
        ('[tool.dlint.per-file-ignores]\n"*.py" = ["DL301"]', "", ALL[:2]),
    ],
)
def test_the_nearest_counts(tree: Path, top: str, one: str, expected: list[str]) -> None:
    set_in(tree, ".", top)
    set_in(tree, "one", one)
    assert found(tree) == expected
    assert found(tree, "one", "top.py", "two") == expected
    assert found(tree, ".", "--jobs", "2") == expected


def test_options_count_everywhere_and_patterns_from_the_root(tree: Path) -> None:
    set_in(tree, "one", 'select = ["DL1"]\nexclude = ["/a.py"]')
    assert found(tree, "--select", "DL301") == ALL[1:]
    assert found(tree, "--select", "DL301", "--exclude", "/one/gen/") == [ALL[0], *ALL[2:]]
    assert found(tree, "--select", "DL301", "--per-file-ignores", "/one/gen/:DL3") == ALL[2:]


def test_config_is_for_all_and_isolated_for_none(tree: Path) -> None:
    set_in(tree, "one", 'ignore = ["DL3"]')
    write(tree, {"all.toml": '[tool.dlint]\nexclude = ["top.py"]\n'})
    assert found(tree, "--config", "all.toml") == [*ALL[:2], ALL[3]]
    assert found(tree, "--isolated") == ALL


def test_force_exclude_goes_by_the_nearest(tree: Path) -> None:
    set_in(tree, "one", 'exclude = ["gen/"]')
    assert found(tree, "one/gen/g.py", "--force-exclude") == []
    assert found(tree, "one/gen/g.py") == [ALL[1]]


_DRAWS = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, at):
        return np.random.rand() + at


loader = DataLoader(Data(), num_workers=2)
"""


def test_torch_and_level_of_the_nearest(tree: Path) -> None:
    """What numpy draws in workers is alike with torch before 1.9 only."""
    write(tree, {"one/a.py": _DRAWS, "two/b.py": _DRAWS, "top.py": ""})
    set_in(tree, ".", 'target-torch = "2.0"')
    set_in(tree, "one", 'target-torch = "1.8"\nexclude = ["gen/"]')
    assert found(tree) == ["one/a.py DL202"]
    set_in(tree, ".", 'target-torch = "1.8"\nlevel = "error"')
    set_in(tree, "one", "")
    assert "two/b.py DL202" in found(tree)


def test_one_program_over_the_tree(tree: Path) -> None:
    """The loader of one project runs the dataset of another."""
    dataset, _, loader = _DRAWS.partition("\n\nloader")
    write(
        tree,
        {
            "one/__init__.py": "", "one/a.py": dataset, "one/gen/g.py": "", "top.py": "",
            "two/b.py": f"from one.a import Data, DataLoader\n\nloader{loader}",
        },
    )  # fmt: skip
    set_in(tree, "one", 'target-torch = "2.0"')
    set_in(tree, "two", 'target-torch = "1.8"')
    assert found(tree) == found(tree, "two") == ["two/b.py DL202"]
    set_in(tree, "one", 'target-torch = "1.8"')
    set_in(tree, "two", 'target-torch = "2.0"')
    assert found(tree) == []


def test_comments_are_judged_by_the_nearest(tree: Path) -> None:
    write(tree, {"one/a.py": "x = 1  # noqa: DL301\n", "top.py": "x = 1  # noqa: DL301\n"})
    set_in(tree, "one", 'extend-select = ["DL001"]')
    assert "one/a.py DL001" in found(tree) and "top.py DL001" not in found(tree)


def test_a_wrong_one_is_named(tree: Path) -> None:
    for text, said in (("selct = []", "has no key 'selct'"), ('select = ["DL9"]', "no rule is called 'DL9'")):
        set_in(tree, "one", text)
        result = dlint(tree, "check")
        assert result.returncode == 2 and "one/pyproject.toml: [tool.dlint]" in result.stderr
        assert said in result.stderr and result.stderr.count("\n") == 1


def test_what_is_excluded_is_not_read_unless_it_is_named(tree: Path) -> None:
    set_in(tree, ".", 'exclude = ["one/"]')
    set_in(tree, "one", "selct = []")
    assert found(tree) == ALL[2:]
    set_in(tree, "one", 'extend-select = ["DL301"]\nexclude = ["gen/"]')
    assert found(tree, "one") == ALL[:1]
    set_in(tree, "one", 'ignore = ["DL301"]')
    assert found(tree, "one/gen/g.py") == []


def test_answers_are_kept_by_all_settings(tree: Path) -> None:
    def check() -> int:
        return dlint(tree, "check", "--output-format", "concise").stdout.count("DL301")

    assert (check(), check()) == (4, 4)
    set_in(tree, "one", 'ignore = ["DL3"]')
    assert (check(), check()) == (2, 2)


def test_fix_repairs_what_the_nearest_wants(tree: Path) -> None:
    set_in(tree, "one", 'ignore = ["DL3"]')
    dlint(tree, "fix")
    assert (tree / "one/a.py").read_text() == HAZARD
    assert (tree / "two/b.py").read_text() != HAZARD


def test_the_settings_are_shown(tree: Path) -> None:
    set_in(tree, "one", 'level = "error"')
    lines = dlint(tree, "check", "--show-settings").stdout.splitlines()
    assert 'level = "note" (default)' in lines
    at = lines.index("one:")
    assert '  level = "error" (one/pyproject.toml: [tool.dlint] level)' in lines[at:]
    shown = json.loads(dlint(tree, "check", "--show-settings", "--output-format", "json").stdout)
    assert shown["nested"]["one"]["level"] == {
        "value": "error", "from": "one/pyproject.toml: [tool.dlint] level"
    }  # fmt: skip


def test_flake8_goes_by_its_own(tree: Path) -> None:
    set_in(tree, "one", 'exclude = ["gen/"]\nignore = ["DL3"]')
    assert flake8(tree, "--select", "DL", "one/a.py").stdout.count("DL301") == 1


DRAWS = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand(3)


if __name__ == "__main__":
    loader = DataLoader(Noise(), num_workers=2)
"""


def test_the_torch_that_each_declares_counts_in_it(tmp_path: Path) -> None:
    declared = '[project]\nname = "x"\ndependencies = ["torch{}"]\n[tool.dlint]\nselect = ["DL202"]\n'
    write(
        tmp_path,
        {
            ".git/HEAD": "",
            "old/pyproject.toml": declared.format("<1.9"),
            "old/a.py": DRAWS,
            "new/pyproject.toml": declared.format(">=2"),
            "new/b.py": DRAWS,
            "none/pyproject.toml": "[tool.dlint]\n",
            "none/c.py": DRAWS,
        },
    )
    result = dlint(tmp_path, "check", "--no-cache", "--output-format", "json")
    levels = {each["path"]: each["level"] for each in json.loads(result.stdout) if each["code"] == "DL202"}
    assert levels == {"old/a.py": "error", "none/c.py": "warning"}
    assert found(tmp_path, "new") == []


@pytest.mark.parametrize(
    ("top", "part", "level"),
    [
        ("", "torch<1.9", "error"),
        ("", "torch>=1.7", "warning"),
        ("", "torch>=2", None),
        ("", "torch", None),
        # What one environment can have counts for both.
        ("torch>=1.7", "torch", "warning"),
        ("torch==2.1", "torch>=1.4", None),
        ("torch>=1.7", "torch<1.9", "error"),
        ("torch<1.9", "torch>=1.7", "error"),
        # Else the part is installed by itself.
        ("torch>=2", "torch==1.7.1", "error"),
        ("torch==1.7.1", "torch>=2", None),
        ("torch==1.7.1", "numpy", "error"),
    ],
)
def test_a_part_declares_its_torch(tmp_path: Path, top: str, part: str, level: str | None) -> None:
    """A folder with a list of requirements is no project with settings of its own."""
    write(
        tmp_path,
        {
            ".git/HEAD": "",
            "requirements.txt": f"{top}\n",
            "part/requirements.txt": f"{part}\n",
            "part/tools/train.py": DRAWS,
        },
    )
    result = dlint(tmp_path, "check", "--no-cache", "--output-format", "json")
    found = [each["level"] for each in json.loads(result.stdout) if each["code"] == "DL202"]
    assert found == ([level] if level else [])


def test_parts_beside_each_other(tmp_path: Path) -> None:
    """Also with what was kept from the last run, and with one that cannot be read."""
    write(
        tmp_path,
        {
            ".git/HEAD": "",
            "old/requirements.txt": "torch==1.7.1\n",
            "old/a.py": DRAWS,
            "new/setup.py": "from setuptools import setup\nsetup(install_requires=['torch>=2'])\n",
            "new/b.py": DRAWS,
        },
    )

    def seen() -> list[tuple[str, str]]:
        result = dlint(tmp_path, "check", "--select", "DL202", "--output-format", "json")
        assert result.returncode == 1, result.stderr
        return [(each["path"], each["level"]) for each in json.loads(result.stdout)]

    assert seen() == [("old/a.py", "error")]
    write(tmp_path, {"old/requirements.txt": "torch>=1.7\n", "new/setup.py": "torch = '<1.9'\n"})
    assert seen() == [("new/b.py", "warning"), ("old/a.py", "warning")]
    shown = dlint(tmp_path, "check", "--show-settings").stdout.splitlines()
    assert shown[shown.index("old:") + 1] == "  torch >=1.7 (old/requirements.txt:1)"
    shown = json.loads(dlint(tmp_path, "check", "--show-settings", "--output-format", "json").stdout)
    assert shown["parts"]["old"]["torch"][0]["bounds"] == ">=1.7"
    (tmp_path / "old" / "requirements.txt").unlink()
    (tmp_path / "old" / "requirements.txt").symlink_to("requirements.txt")
    refused = dlint(tmp_path, "check", "--select", "DL202")
    assert refused.returncode == 2
    assert "old/requirements.txt" in refused.stderr
    assert "it may declare any torch release" in refused.stderr
