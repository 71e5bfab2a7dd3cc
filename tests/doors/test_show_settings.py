"""``dlint check --show-settings``."""

from __future__ import annotations

import json
from pathlib import Path

from doors import dlint, write

PYPROJECT = """[project]
requires-python = ">=3.8"
dependencies = [
  "numpy",
  "torch >=1.9,<3",
]
[tool.dlint]
ignore = ["DL1"]
"""


def test_each_choice_with_its_origin(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": PYPROJECT, "a.py": "import (\n"})
    result = dlint(tmp_path, "check", "--show-settings", "--start-method", "spawn", ".")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert 'ignore = ["DL1"] (pyproject.toml: [tool.dlint] ignore)' in lines
    assert 'start-method = "spawn" (--start-method)' in lines
    assert 'target-torch = "1.9" (declared)' in lines
    assert "force-exclude = false (default)" in lines
    assert lines[-2:] == ["torch >=1.9,<3 (pyproject.toml:5)", "python >=3.8 (pyproject.toml:2)"]


def test_json(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "numpy\ntorch\n"})
    result = dlint(
        tmp_path, "check", "--show-settings", "--output-format", "json", "--target-torch", "1.8", "."
    )
    assert result.returncode == 0
    shown = json.loads(result.stdout)
    assert shown["settings"]["target-torch"] == {"value": "1.8", "from": "--target-torch"}
    assert shown["torch"] == [{"bounds": "", "path": "requirements.txt", "line": 2}]
    assert shown["python"] == []


def test_nothing_declared(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    result = dlint(tmp_path, "check", "--show-settings", ".")
    lines = result.stdout.splitlines()
    assert lines[-2:] == ["torch: not declared", "python: not declared"]
    assert "target-torch = null (default)" in lines


def test_the_oldest_torch_that_the_code_can_run_on(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import torch\nif x := 1:\n    torch.compile(x)\n", "setup.py": ""})
    lines = dlint(tmp_path, "check", "--show-settings", ".").stdout.splitlines()
    assert 'target-torch = "2.0" (torch.compile: a.py:3)' in lines
    (tmp_path / "setup.py").write_text("setup(python_requires='>=3.12')\n")
    lines = dlint(tmp_path, "check", "--show-settings", ".").stdout.splitlines()
    assert 'target-torch = "2.2" (Python >=3.12: setup.py:1)' in lines
    (tmp_path / "requirements.txt").write_text("torch>=1.6,<3\n")
    lines = dlint(tmp_path, "check", "--show-settings", ".").stdout.splitlines()
    assert 'target-torch = "2.2" (Python >=3.12: setup.py:1)' in lines
    (tmp_path / "setup.py").write_text("")
    lines = dlint(tmp_path, "check", "--show-settings", ".").stdout.splitlines()
    assert 'target-torch = "1.6" (declared)' in lines


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"setup.py": "#" * 1_100_000})
    result = dlint(tmp_path, "check", "--show-settings", ".")
    assert result.returncode == 2
    assert "setup.py" in result.stderr
