"""Hostile configuration beside a good program: deep, huge, of wrong types, in odd encodings, explosive.

What a configuration says of wrong things may be refused, in one line that names its file; anything else
leaves the good program's finding where it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

Contents = dict[str, bytes]


class Configuration(NamedTuple):
    """A kind of hostile configuration; ``refused`` names the file that the command may complain about."""

    kind: str
    files_of: Callable[[int], Contents]
    usual: int
    large: int
    refused: str
    special: Callable[[Path], None] | None = None


# What patterns of many stars try in every way.
_LONG_NAME = f"{'a' * 100}.py"

CONFIGURATIONS: dict[str, Configuration] = {}


def _text(kind: str, name: str, usual: int, large: int, write: Callable[[int], str | bytes]) -> None:
    """Enter a kind whose one file is text or bytes of a size."""

    def files(size: int) -> Contents:
        content = write(size)
        return {name: content if isinstance(content, bytes) else content.encode(), _LONG_NAME: b""}

    CONFIGURATIONS[kind] = Configuration(kind, files, usual, large, name)


def _special(kind: str, name: str, make: Callable[[Path], None]) -> None:
    """Enter a kind whose file is no plain one, and may not be left in the way of who removes the folder."""
    CONFIGURATIONS[kind] = Configuration(
        kind, lambda _size: {}, 1, 1, name, lambda folder: make(folder / name)
    )


# pyproject.toml --------------------------------------------------------------------------------------

_PY = "pyproject.toml"
_DL = "[tool.dlint]\n"


def _py(kind: str, usual: int, large: int, write: Callable[[int], str | bytes]) -> None:
    _text(f"pyproject_{kind}", _PY, usual, large, write)


_py("deep_arrays", 5_000, 100_000, lambda n: f"{_DL}exclude = {'[' * n}{']' * n}\n")
_py("deep_arrays_of_others", 5_000, 100_000, lambda n: f"{_DL}[tool.torch]\nx = {'[' * n}{']' * n}\n")
_py("deep_tables", 2_000, 20_000, lambda n: f"{_DL}[tool.torch]\nx = {'{a = ' * n}1{'}' * n}\n")
_py("dotted_keys", 2_000, 20_000, lambda n: f"{_DL}[tool.{'.'.join(['a'] * n)}]\nx = 'torch'\n")
_py(
    "many_keys",
    20_000,
    500_000,
    lambda n: _DL + "[tool.torch]\n" + "".join(f"k{i} = {i}\n" for i in range(n)),
)
_py("many_tables", 5_000, 50_000, lambda n: _DL + "".join(f"[tool.torch.t{i}]\nx = {i}\n" for i in range(n)))
_py("long_number", 5_000, 1_000_000, lambda n: f"{_DL}[tool.torch]\nx = {'9' * n}\n")
_py("long_number_as_option", 5_000, 1_000_000, lambda n: f"{_DL}target-torch = {'9' * n}\n")
_py("long_release", 5_000, 1_000_000, lambda n: f'{_DL}target-torch = "{"9" * n}.1"\n')
_py("release_of_many_parts", 5_000, 1_000_000, lambda n: f'{_DL}target-torch = "{"1." * n}1"\n')
_py("release_in_other_digits", 1, 1, lambda n: f'{_DL}target-torch = "\u0661.\u0662"\n')
_py("superscript_release", 1, 1, lambda n: f'{_DL}target-torch = "\u00b2"\n')
_py(
    "declared_long_release",
    5_000,
    1_000_000,
    lambda n: f'{_DL}[project]\ndependencies = ["torch=={"9" * n}"]\n',
)
_py("declared_superscripts", 1, 1, lambda n: f'{_DL}[project]\ndependencies = ["torch>=\u00b2,<\u0663"]\n')
_py("declared_blanks", 20_000, 2_000_000, lambda n: f'{_DL}[project]\ndependencies = ["torch{" " * n}x"]\n')
_py("declared_bounds", 20_000, 500_000, lambda n: f'{_DL}[project]\ndependencies = ["torch{">=1.8," * n}"]\n')
_py(
    "declared_alternatives",
    5_000,
    500_000,
    lambda n: f'{_DL}[tool.poetry.dependencies]\ntorch = "{"1.8||" * n}"\n',
)
_py(
    "declared_wrong_types",
    1,
    1,
    lambda n: (
        f"{_DL}[project]\ndependencies = {{torch = 1}}\noptional-dependencies = {{x = 'torch', y = [[1]]}}\n"
    ),
)
_py(
    "project_is_no_table",
    1,
    1,
    lambda n: "project = 'torch'\ntool = {dlint = {}, poetry = [1]}\ndependency-groups = 3\n",
)
_py(
    "poetry_in_poetry",
    300,
    20_000,
    lambda n: f"{_DL}[tool.poetry.dependencies]\ntorch = {'[' * n}{']' * n}\n",
)
_py(
    "every_option_a_table",
    1,
    1,
    lambda n: f"{_DL}select = {{a = 1}}\nignore = 1.5\nexclude = 2020-01-01\nstart-method = []\n",
)
_py("start_method_a_list", 1, 1, lambda n: f"{_DL}start-method = [[['fork']]]\n")
_py("tool_a_list", 1, 1, lambda n: "tool = ['dlint']\n")
_py("dlint_a_list", 1, 1, lambda n: "[[tool.dlint]]\nselect = ['DL1']\n")
_py("unknown_key", 5_000, 1_000_000, lambda n: f"{_DL}{'k' * n} = 1\n")
_py("keys_with_control_signs", 1, 1, lambda n: f'{_DL}"a\\nb\\u001b[31m" = 1\n')
_py(
    "codes_unknown",
    5_000,
    100_000,
    lambda n: f"{_DL}ignore = [{', '.join(repr(f'XX{i}') for i in range(n))}]\n",
)
_py("codes_in_other_letters", 1, 1, lambda n: f'{_DL}ignore = ["dł301", "", " ", "DLﬁ"]\n')
_py("utf_16", 1, 1, lambda n: f"{_DL}exclude = []\n".encode("utf-16"))
_py("not_utf_8", 1, 1, lambda n: f"{_DL}# caf".encode() + b"\xe9\n")
_py("nul", 1, 1, lambda n: f"{_DL}exclude = ['a\0']\n")
_py("nul_escaped", 1, 1, lambda n: f'{_DL}exclude = ["a\\u0000b"]\n')
_py("byte_order_mark", 1, 1, lambda n: b"\xef\xbb\xbf" + _DL.encode())
_py("old_line_ends", 1, 1, lambda n: f"{_DL}exclude = []\n".replace("\n", "\r"))
_py("truncated", 1, 1, lambda n: f'{_DL}exclude = ["a')
_py("random_bytes", 200_000, 9_000_000, lambda n: b"dlint torch \n" + bytes(range(256)) * (n // 256))
_py("huge_comment", 5_000_000, 50_000_000, lambda n: f"{_DL}# torch {'x' * n}\n")
_py("quotes", 20_000, 1_000_000, lambda n: f"{_DL}x = '''{chr(39) * 2 * n}\n")
_py("exclude_class_backwards", 1, 1, lambda n: f"{_DL}exclude = ['[z-a]', '[[.', '[!']\n")
_py("exclude_stars", 30, 300, lambda n: f"{_DL}exclude = ['{'*a' * n}']\n")
_py("exclude_double_stars", 30, 300, lambda n: f"{_DL}exclude = ['{'**/a/' * n}b']\n")
_py("exclude_long", 20_000, 1_000_000, lambda n: f"{_DL}exclude = ['{'x' * n}']\n")
_py(
    "exclude_many",
    2_000,
    50_000,
    lambda n: f"{_DL}exclude = [{', '.join(repr(f'p{i}*/') for i in range(n))}]\n",
)

# Ignore files ----------------------------------------------------------------------------------------


def _ignore(kind: str, usual: int, large: int, write: Callable[[int], str | bytes]) -> None:
    _text(f"gitignore_{kind}", ".gitignore", usual, large, write)


_ignore("class_backwards", 1, 1, lambda n: "[z-a]\n[b-a]*\n")
_ignore("class_open", 1, 1, lambda n: "[\n[!\n[^]\n[]\n[[:foo:]]\n[[:alpha:]\n[\\\n\\\n!\n")
_ignore("stars", 30, 300, lambda n: "*a" * n + "\n")
_ignore("stars_and_marks", 30, 300, lambda n: "*?" * n + "z\n")
_ignore("double_stars", 30, 300, lambda n: "**/a/" * n + "b\n")
_ignore("double_stars_only", 30, 3_000, lambda n: "**/" * n + "zz\n")
_ignore("long_line", 200_000, 9_000_000, lambda n: "x" * n + "\n")
_ignore("many_lines", 3_000, 100_000, lambda n: "".join(f"folder{i}/*.x{i}\n" for i in range(n)))
_ignore("same_lines", 20_000, 1_000_000, lambda n: "*.pyc\n" * n)
_ignore("classes", 3_000, 100_000, lambda n: "[ab]" * n + "\n")
_ignore("groups", 100, 3_000, lambda n: "(a|b)+{1,2}$^" * n + "\n(?P<ps_d>x)\n")
_ignore("back_references", 99, 99, lambda n: "\\1" * n + "\n")
_ignore("utf_16", 1, 1, lambda n: "*.pyc\n".encode("utf-16"))
_ignore("nul", 1, 1, lambda n: "a\0b\n\0\n")
_ignore(
    "random_bytes",
    20_000,
    1_000_000,
    lambda n: bytes(each for each in range(1, 256) if each not in b"*?/!") * (n // 256),
)
_ignore("blanks", 50_000, 5_000_000, lambda n: "x" + " " * n + "\\ \n" + " " * n + "\n")
_ignore("backslashes", 20_000, 1_000_000, lambda n: "x" + "\\" * n + "\n")

# Requirements and the like ---------------------------------------------------------------------------


def _requirements(kind: str, usual: int, large: int, write: Callable[[int], str | bytes]) -> None:
    _text(f"requirements_{kind}", "requirements.txt", usual, large, write)


_requirements("blanks", 200_000, 5_000_000, lambda n: f"torch{' ' * n}x\n")
_requirements("blanks_in_the_middle", 200_000, 2_000_000, lambda n: f"torch>=1.8{' ' * n}x\n")
_requirements("blanks_before", 200_000, 5_000_000, lambda n: f"{' ' * n}torch\n")
_requirements("long_number", 5_000, 1_000_000, lambda n: f"torch=={'9' * n}\n")
_requirements("many_parts", 5_000, 1_000_000, lambda n: f"torch=={'1.' * n}2\n")
_requirements("many_parts_of_a_wheel", 5_000, 1_000_000, lambda n: f"http://x/torch-{'1.' * n}whl\n")
_requirements("wheels", 20_000, 1_000_000, lambda n: "/torch-" * n + "\n")
_requirements("superscripts", 1, 1, lambda n: "torch==\u00b2\ntorch>=\u2460\ntorch==\uff11.\uff18\n")
_requirements("extras", 200_000, 5_000_000, lambda n: f"torch[{'[' * n}\n")
_requirements("bounds", 20_000, 1_000_000, lambda n: "torch" + ">=1.8," * n + "\n")
_requirements("bars", 20_000, 1_000_000, lambda n: "torch" + "|" * n + "\n")
_requirements("lines", 100_000, 2_000_000, lambda n: "torch>=1.8\n" * n)
_requirements("includes_itself", 1, 1, lambda n: "-r requirements.txt\n-c requirements.txt\ntorch\n")
_requirements("utf_16", 1, 1, lambda n: "torch==1.8\n".encode("utf-16"))
_requirements("nul", 1, 1, lambda n: "torch==1.8\0\n")
_text(
    "setup_cfg_interpolation",
    "setup.cfg",
    1,
    1,
    lambda n: "[options]\ninstall_requires = %(torch)s\n ${x:y}\n torch==%%\n",
)
_text("setup_cfg_no_section", "setup.cfg", 1, 1, lambda n: "torch = 1\n[options\n[options]\n[options]\n")
_text(
    "setup_cfg_lines",
    "setup.cfg",
    20_000,
    500_000,
    lambda n: "[options]\ninstall_requires =\n" + "  torch>=1.8\n" * n,
)
_text(
    "setup_cfg_keys",
    "setup.cfg",
    20_000,
    500_000,
    lambda n: "[options.extras_require]\n" + "".join(f"k{i} = torch\n" for i in range(n)),
)
_text(
    "setup_cfg_utf_16", "setup.cfg", 1, 1, lambda n: "[options]\ninstall_requires = torch\n".encode("utf-16")
)
_text(
    "setup_cfg_blanks",
    "setup.cfg",
    200_000,
    5_000_000,
    lambda n: f"[options]\ninstall_requires = torch{' ' * n}x\n",
)
_text("setup_py_deep", "setup.py", 5_000, 60_000, lambda n: f"setup(install_requires={'-' * n}['torch'])\n")
_text(
    "setup_py_sum", "setup.py", 9_000, 60_000, lambda n: f"setup(install_requires=['torch']{' + []' * n})\n"
)
_text(
    "setup_py_long_number",
    "setup.py",
    5_000,
    1_000_000,
    lambda n: f"setup(install_requires=['torch'], x={'9' * n})\n",
)
_text("setup_py_large", "setup.py", 12_000_000, 30_000_000, lambda n: f"# torch {'x' * n}\n")
_text(
    "setup_py_many",
    "setup.py",
    3_000,
    30_000,
    lambda n: "X = ['torch']\n" + "setup(install_requires=X)\n" * n,
)
_text("setup_py_nul", "setup.py", 1, 1, lambda n: "setup(install_requires=['torch'])\0\n")
_text(
    "environment_blanks",
    "environment.yml",
    200_000,
    5_000_000,
    lambda n: f"dependencies:\n{' ' * n}- pytorch{' ' * n}x\n",
)
_text(
    "environment_dashes",
    "environment.yml",
    20_000,
    1_000_000,
    lambda n: "dependencies:\n" + "- " * n + "pytorch\n",
)
_text(
    "environment_quotes",
    "environment.yml",
    20_000,
    1_000_000,
    lambda n: "dependencies:\n - '" + "'\"" * n + "pytorch\n",
)
_text(
    "environment_long_number",
    "environment.yml",
    5_000,
    1_000_000,
    lambda n: f"dependencies:\n - pytorch={'9' * n}\n",
)
_text(
    "environment_anchors",
    "environment.yml",
    40,
    400,
    lambda n: "a0: &a0 pytorch\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}]\n" for i in range(n)),
)
_text(
    "environment_names",
    "environment.yml",
    20_000,
    1_000_000,
    lambda n: f"dependencies:\n - {'a.' * n}pytorch\n",
)

# What is no plain file -------------------------------------------------------------------------------

for _name in (_PY, ".gitignore", "requirements.txt", "setup.cfg", "setup.py", "environment.yml"):
    _stem = _name.lstrip(".").replace(".", "_")
    _special(f"{_stem}_a_pipe", _name, lambda path: os.mkfifo(path))
    _special(f"{_stem}_a_folder", _name, lambda path: path.mkdir())
    _special(f"{_stem}_a_link_to_itself", _name, lambda path: path.symlink_to(path))
    _special(f"{_stem}_an_endless_device", _name, lambda path: path.symlink_to("/dev/zero"))
