"""Starting fast: what the doors must not import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from doors import CLEAN, HAZARD, REPOSITORY, write

HEAVY = {"libcst", "torch", "cv2", "click", "rich", "numpy"}


def imported_by(program: str, folder: Path) -> set[str]:
    """The top-level modules that the program has imported at its end."""
    result = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_the_plugin_imports_nothing_heavy(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HAZARD})
    modules = imported_by(
        "import ast, argparse\n"
        "from dlint.flake8_plugin import DataLoadingChecker as checker\n"
        "checker.parse_options(argparse.Namespace(dlint_target_torch=None, dlint_start_method=None, dlint_level=None,"
        " dlint_baseline=None, dlint_cache_dir=None, dlint_no_cache=False,"
        " select=None, extend_select=None, filenames=['a.py'],"
        " jobs=argparse.Namespace(is_auto=False, n_jobs=1)))\n"
        "text = open('a.py').read()\n"
        "found = list(checker(ast.parse(text), 'a.py', text.splitlines(True)).run())\n"
        "assert len(found) == 1 and found[0][2].startswith('DL301'), found",
        tmp_path,
    )
    assert not HEAVY & modules


def test_the_command_imports_only_its_own_door(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CLEAN, "b.py": HAZARD})
    modules = imported_by(
        "import sys\nfrom dlint.cli import main\n"
        "sys.argv = ['dlint', 'check', '--output-format', 'concise', '--exit-zero']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0",
        tmp_path,
    )
    assert not (HEAVY - {"click"}) & modules
    assert (
        not {"dlint.cli.commands.fix", "dlint.cli.commands.prove", "flake8", "importlib.metadata"} & modules
    )


def test_a_program_without_data_loading_imports_no_rules(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import random\n\nprint(random.random())\n"})
    modules = imported_by(
        "from pathlib import Path\nfrom dlint.engine import check\nfrom dlint.settings.settings import Settings\n"
        "assert check([Path()], Settings()).checked == 1",
        tmp_path,
    )
    assert not {"dlint.rules", "dlint.program.program"} & modules


def test_a_check_that_repairs_nothing_imports_nothing_for_repairs(tmp_path: Path) -> None:
    """Nor what only the comparison of findings needs, nor what takes longer to make classes."""
    write(tmp_path, {"a.py": CLEAN})
    modules = imported_by(
        "import sys\nfrom dlint.cli import main\n"
        "sys.argv = ['dlint', 'check', '--no-cache']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0",
        tmp_path,
    )
    assert "dlint.rules.dl401_unpicklable_worker_argument" in modules
    assert not {"dlint.changes", "dlint.remedies", "dataclasses", "hashlib"} & modules
