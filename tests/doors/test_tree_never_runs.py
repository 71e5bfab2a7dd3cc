"""No door runs a file of the tree it checks, however processes are started."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from multiprocessing import get_all_start_methods
from pathlib import Path

import pytest
from doors import HAZARD, REPOSITORY, write

# Names that Python, dlint, flake8 or libcst import somewhere on their way, and those that run by themselves.
TRAPS = (
    *("signal", "struct", "random", "multiprocessing", "click", "torch", "sitecustomize", "usercustomize"),
    *("conftest", "pickle", "queue", "threading", "subprocess", "tempfile", "json", "tokenize", "difflib"),
    *("logging", "concurrent", "tomllib", "packaging", "rich", "libcst", "numpy", "cv2", "py_spy", "yaml"),
    *("setup", "stat", "shutil", "socket", "selectors", "copyreg", "argparse", "platform"),
)
TRAP = """\
import os
with open(os.environ["TRAPPED"], "a") as file:
    file.write(__file__ + "\\n")
from torch.utils.data import DataLoader, Dataset
"""
PLUGIN = """\
[project]
name = "trap"
version = "1"
[project.entry-points."flake8.extension"]
TRAP = "signal:Trap"
[project.entry-points."console_scripts"]
dlint = "signal:main"
[tool.dlint]
ignore = []
"""

# What a user calls, from a folder of its own: the start method is set first, and a block is one file.
START = """\
import sys


def run(method, door):
    import multiprocessing

    multiprocessing.set_start_method(method)
    from dlint.project import blocks

    blocks._BLOCK_BYTES = 1
    sys.argv[0] = door
    if door == "dlint":
        from dlint.cli import main
    elif door == "flake8":
        from flake8.main.cli import main
    else:
        from libcst.tool import main
    sys.exit(main(*([door, sys.argv[1:]] if door == "libcst.tool" else [])))


if __name__ == "__main__":
    run(sys.argv.pop(1), sys.argv.pop(1))
"""

DOORS = {
    "check": ("dlint", "check", "-j", "3", "--output-format", "concise", "."),
    "fix": ("dlint", "fix", "--unsafe-fixes", "-j", "3", "."),
    "hook": ("dlint", "check", "-j", "3", "good.py", "other.py", "third.py"),
    "stdin": ("dlint", "check", "--stdin-filename", "good.py", "-"),
    "flake8": ("flake8", "-j", "2", "--isolated", "--select", "DL", "good.py", "other.py", "third.py"),
    "codemod": (
        *("libcst.tool", "codemod", "-x", "dlint.codemod.FixCommand"),
        *("--jobs", "2", "--no-format", "--hide-progress", "good.py", "other.py", "third.py"),
    ),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    files: dict[str, str | bytes] = {f"{name}.py": TRAP for name in TRAPS}
    files |= {f"{name}.py": HAZARD for name in ("good", "other", "third")}
    files |= {"trap.pth": "import signal\n", "pyproject.toml": PLUGIN}
    files["trap-1.dist-info/entry_points.txt"] = "[flake8.extension]\nTRP = signal:Trap\n"
    files["trap-1.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: trap\nVersion: 1\n"
    return write(tree, files)


def sprung(tree: Path, *command: str, stdin: str = "") -> tuple[str, str]:
    """The traps that a command runs into, and what it prints."""
    marker = tree.parent / "trapped"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    environment |= {"TRAPPED": str(marker), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        command, cwd=tree, env=environment, input=stdin, capture_output=True, text=True, timeout=300
    )
    return marker.read_text() if marker.exists() else "", done.stdout + done.stderr


def start(folder: Path) -> str:
    script = folder / "start" / "start.py"
    script.parent.mkdir()
    script.write_text(START)
    return str(script)


def needs_safe_path(door: str, method: str) -> bool:
    """Before Python 3.11 nothing keeps the working directory off the path of a process that flake8 or libcst
    starts afresh."""
    return door in ("flake8", "codemod") and method != "fork" and sys.version_info < (3, 11)


@pytest.mark.parametrize("method", get_all_start_methods())
@pytest.mark.parametrize("door", DOORS)
def test_no_trap_is_sprung(tree: Path, door: str, method: str) -> None:
    if needs_safe_path(door, method):
        pytest.skip("Python before 3.11 has no safe path")
    stdin = HAZARD if door == "stdin" else ""
    trapped, said = sprung(tree, sys.executable, start(tree.parent), method, *DOORS[door], stdin=stdin)
    assert trapped == ""
    if door in ("fix", "codemod"):
        repaired = [(tree / name).read_text() for name in ("good.py", "other.py", "third.py")]
        assert not any("shuffle=True" in text for text in repaired), said
    else:
        assert re.search(r"good\.py:5:12: (error: )?DL301", said.replace("\x1b[1m", ""))


def test_the_traps_work(tree: Path) -> None:
    """A pool that starts its processes afresh in the tree runs into them: the tests above can fail."""
    script = tree.parent / "pool.py"
    script.write_text(
        "from concurrent.futures import ProcessPoolExecutor\nimport multiprocessing\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n"
        "        pool.submit(len, 'x').exception()\n"
    )
    assert str(tree) in sprung(tree, sys.executable, str(script))[0]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs python -P")
@pytest.mark.parametrize(
    "command",
    [
        ("dlint", "check", "."),
        ("dlint", "prove", "DL301", "--list"),
        ("flake8", "-j", "2", "--isolated", "--select", "DL", "."),
        ("libcst.tool", "codemod", "-x", "dlint.codemod.FixCommand", "--jobs", "2", "--no-format", "good.py"),
    ],
)
def test_python_with_a_safe_path(tree: Path, command: tuple[str, ...]) -> None:
    assert sprung(tree, sys.executable, "-P", "-m", *command)[0] == ""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="imports of runpy come before dlint")
def test_python_without_a_safe_path_leaves_the_tree_out_at_once(tree: Path) -> None:
    trapped, said = sprung(tree, sys.executable, "-m", "dlint", "check", "good.py")
    assert trapped == ""
    assert "DL301" in said


def test_proofs_look_at_the_environment_from_elsewhere(tree: Path) -> None:
    """`dlint prove` asks for torch in a process of its own, and watches from another."""
    code = (
        "import sys; from dlint.proofs.environment import look; from dlint.proofs.proof import load_all\n"
        "from dlint.proofs.run import Run\n"
        "from dlint.running.runner import Runner\n"
        "look()\n"
        "proof = next(each for each in load_all() if each.code == 'DL301')\n"
        "with Runner(1) as runner:\n"
        "    print([result for _, result in runner.run([Run(proof, 'fixed.py', 'fork')])])\n"
    )
    script = tree.parent / "prove.py"
    script.write_text(code)
    assert sprung(tree, sys.executable, str(script))[0] == ""


def test_the_hook_calls_the_installed_command() -> None:
    hooks = (REPOSITORY / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: (.*)$", hooks, re.MULTILINE)
    assert [entry.split()[0] for entry in entries] == ["dlint", "dlint"]
