"""Configuration that nobody would write ends in one line or declares nothing; never a traceback, never slow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doors import HAZARD, REPOSITORY, write

from dlint.project.releases.torch_release import CURRENT_TORCH, declarations_of_torch
from dlint.project.toml import TOMLError, loads
from dlint.settings.settings import Settings, SettingsError, load

DIGITS = "1" * 5_000
DEEP = "[" * 100_000
SPACES = " " * 200_000


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`dlint check` in ``folder``, which must come to an end."""
    return subprocess.run(
        [sys.executable, "-m", "dlint", "check", "--output-format", "concise", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=60,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"x = {DEEP}", "not valid TOML: nested too deeply"),
        ("x = " + "{a = " * 50_000, "not valid TOML: nested too deeply"),
        (f"x = {DIGITS}", "not valid TOML: a number of more digits"),
        ("[" + "a." * 400_000 + "a]", "not valid TOML: a key of more than 64 parts"),
        ("a." * 400_000 + "a = 1", "not valid TOML: a key of more than 64 parts"),
        ('"a\\"" . ' * 100_000 + "a = 1", "not valid TOML: a key of more than 64 parts"),
        ("x = \x00", "not valid TOML: "),
        ("x = \udcff", "not valid TOML: 'utf-8' codec"),
        ("x = 1\n" * 2, "not valid TOML: Cannot overwrite"),
        (f"target-torch = '{DIGITS}'", "target-torch: must be a torch release"),
        ("target-torch = '1." + "0." * 50 + "1'", "target-torch: must be a torch release"),
        ("target-torch = '1.8\\n'", "target-torch: must be a torch release"),
        ("target-torch = '\u0661.8'", "target-torch: must be a torch release"),
        ("target-torch = 1.8", "target-torch: must be a torch release"),
        ("target-torch = " + "[" * 100 + "]" * 100, "target-torch: must be a torch release"),
        (f"select = ['{'x' * 500_000}']", "no rule is called"),
        (f"{'x' * 500_000} = 1", "has no key"),
        ("troubles = []", "has no key 'troubles'"),
        ("'' = 1", "has no key ''"),
        ("select = {}", "select: must be a list of strings"),
        ("select = [[]]", "select: must be a list of strings"),
        ("exclude = [1979-05-27]", "exclude: must be a list of strings"),
        ("exclude = ['a[']", "exclude: 'a[' is no pattern of .gitignore"),
        (f"exclude = ['{'[' * 500_000}']", "is no pattern of .gitignore"),
        ("exclude = [" + "'a?b'," * 3_000 + "]", "exclude: too many wildcards"),
        ("start-method = []", "start-method: must be one of"),
        ("start-method = nan", "start-method: must be one of"),
        ("[[x]]\n[x.y]\n" * 10_000 + "=", "not valid TOML"),
    ],
    ids=range(28),
)
def test_a_configuration_ends_in_one_short_line(tmp_path: Path, text: str, message: str) -> None:
    data = f"[tool.dlint]\n{text}\n".encode("utf-8", "surrogateescape")
    write(tmp_path, {"pyproject.toml": data, "a.py": HAZARD, ".git/HEAD": ""})
    result = check(tmp_path)
    assert message in result.stderr
    assert result.stderr.startswith("dlint: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 400
    assert (result.stdout, result.returncode) == ("", 2)


@pytest.mark.parametrize(
    "text", ["tool = 3", "[[tool]]\ndlint = 1", "tool = 'dlint'", "dlint = 1", "# dlint"]
)
def test_other_tables_say_nothing(tmp_path: Path, text: str) -> None:
    assert load(write(tmp_path, {"pyproject.toml": text, ".git/HEAD": ""})) == Settings()


@pytest.mark.parametrize("text", ["[tool]\ndlint = []", "[[tool.dlint]]\n", "tool.dlint = 1979-05-27"])
def test_a_table_of_ours_must_be_one(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"\[tool\.dlint\] must be a table"):
        load(write(tmp_path, {"pyproject.toml": text, ".git/HEAD": ""}))


@pytest.mark.parametrize(
    "release",
    [DIGITS, "1." * 5_000 + "1", "1.8" + SPACES[:50_000], "\u0661", "1.8\n", "1.", ".8", "-1", "1e3"],
)
def test_an_option_that_is_no_release(tmp_path: Path, release: str) -> None:
    result = check(write(tmp_path, {"a.py": HAZARD}), "--target-torch", release)
    assert result.stderr.startswith("dlint: --target-torch: must be a torch release such as")
    assert (result.stderr.count("\n"), len(result.stderr) < 400, result.returncode) == (1, True, 2)


@pytest.mark.parametrize("depth", [64, 65])
def test_keys_of_some_parts_are_fine(depth: int) -> None:
    key = ".".join(["a"] * depth)
    if depth == 64:
        assert loads(f"{key} = 1")
    else:
        with pytest.raises(TOMLError, match="a key of more than 64 parts"):
            loads(f"{key} = 1")


# What a project declares: file by file, text and the oldest release.
DECLARED: dict[str, tuple[str, str, str | None]] = {
    "spaces behind": ("requirements.txt", f"torch{SPACES}x", CURRENT_TORCH),
    "spaces between": ("requirements.txt", f"torch >=1.8{SPACES}x{SPACES},{SPACES}<2", "1.8"),
    "spaces before the release": ("requirements.txt", f"torch >={SPACES}1.8", "1.8"),
    "spaces before a comment": ("requirements.txt", f"torch>=1.8{SPACES}# torch-1.0", "1.8"),
    "tabs": ("requirements.txt", "torch" + "\t" * 200_000 + "x", CURRENT_TORCH),
    "digits": ("requirements.txt", f"torch>={DIGITS}", None),
    "a hundred digits": ("requirements.txt", f"torch>={DIGITS[:100]}", None),
    "other digits": ("requirements.txt", "torch>=\u0661.8", CURRENT_TORCH),
    "parts": ("requirements.txt", "torch>=" + "1." * 400 + "1", None),
    "many bounds": ("requirements.txt", "torch" + ">=1.8," * 100_000, None),
    "many alternatives": ("pyproject.toml", f"[tool.poetry.dependencies]\ntorch = '{'1.8|' * 10_000}'", None),
    "a wheel": ("requirements.txt", f"https://x/torch-{DIGITS}-cp38.whl", None),
    "a wheel in a comment": ("requirements.txt", "numpy # torch-1.0", None),
    "extras without an end": ("requirements.txt", "torch[" * 100_000, None),
    "brackets": ("requirements.txt", "torch" + "(" * 100_000 + ">=1.8", None),
    "many lines": ("requirements.txt", "torch>=1.8\n" * 100_000, "1.8"),
    "nothing but the word": ("requirements.txt", "xtorch" * 1_000_000, None),
    "deep TOML": ("pyproject.toml", f"torch = {DEEP}", None),
    "a long number": ("pyproject.toml", f"torch = {DIGITS}", None),
    "numbers for lists": ("pyproject.toml", "torch = 1\n[project]\ndependencies = 5\noptional-dependencies = 5", None),
    "lists of lists": ("pyproject.toml", "[project]\ndependencies = [['torch'], {torch = 1}, 1]", None),
    "a project that is none": ("pyproject.toml", "project = ['torch']", None),
    "groups of numbers": ("pyproject.toml", "[dependency-groups]\ntorch = 5\n[tool.poetry.group]\ntorch = 5", None),
    "poetry's torch": ("pyproject.toml", "[tool.poetry.dependencies]\ntorch = [[['1.8']], 5, {version = 5}]", None),
    "poetry's tables": ("pyproject.toml", "[tool.poetry.dependencies]\ntorch = [{version='^1.8'}, {version='2'}]", "1.8"),
    "setup.cfg of spaces": ("setup.cfg", f"[options]\nx{SPACES}y\ninstall_requires = torch{SPACES}x", CURRENT_TORCH),
    "setup.cfg of brackets": ("setup.cfg", "[options]\n" + "[" * 200_000 + "\ntorch", None),
    "setup.cfg in depth": ("setup.cfg", "[options]\n  install-requires:\n    numpy\n\n    # x\n    torch>=1.6\n  x = 1", "1.6"),
    "setup.cfg elsewhere": ("setup.cfg", "[metadata]\ninstall_requires = torch\n[options]\nx =\n  torch", None),
    "setup.cfg twice": ("setup.cfg", "[options]\ninstall_requires = torch>=1.6\ninstall_requires = torch>=1.7", "1.6"),
    "setup.py of depth": ("setup.py", "torch = " + "(" * 50_000, None),
    "setup.py of operators": ("setup.py", "torch = " + "-" * 50_000 + "1", None),
    "setup.py that names one list often": (
        "setup.py",
        f"x = {['torch>=1.8'] * 10_000}\n{'f(install_requires=x);' * 10_000}",
        "1.8",
    ),
    "environment of spaces": ("environment.yml", f"dependencies:\n{SPACES}x\n  -{SPACES}pytorch{SPACES}x", CURRENT_TORCH),
    "environment of quotes": ("environment.yml", "dependencies:\n  - '" + "pytorch" * 30_000 + '"', None),
}  # fmt: skip
_DECLARED = "import sys; from pathlib import Path; from dlint.project.releases.torch_release import declarations_of_torch as f; print((f(Path()).allowed or [None])[0])"


@pytest.mark.parametrize("name", DECLARED)
def test_a_declaration(tmp_path: Path, name: str) -> None:
    file, text, oldest = DECLARED[name]
    write(tmp_path, {file: text})
    result = subprocess.run(
        [sys.executable, "-c", _DECLARED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=60,
    )
    assert (result.stdout.strip(), result.stderr) == (str(oldest), "")


def test_files_without_number(tmp_path: Path) -> None:
    write(tmp_path, {f"requirements/{number:03}.txt": "torch>=1.8" for number in range(101)})
    told: list[tuple[str, str]] = []
    declared = declarations_of_torch(tmp_path, lambda path, why: told.append((path.name, why)))
    assert declared.allowed is None
    assert told == [("requirements", "more than 100 files *.txt; the others are not read")]


def test_text_that_is_no_text(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": b"\xff\xfe\0torch>=1.8\n\x80torch\ntorch>=1.7\n"})
    allowed = declarations_of_torch(tmp_path).allowed
    assert allowed is not None and allowed.oldest == "1.7"
