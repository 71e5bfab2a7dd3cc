"""The example of docs/testing.md for plain torch, run as a reader would run it."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_example_does_what_is_said(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs" / "testing.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(text)
    files = {
        match[1]: body
        for kind, body in blocks
        if kind == "python" and (match := re.match(r"# (\w+\.py)\n", body))
    }
    assert files.keys() == {"photos.py", "test_photos.py"}
    for name, body in files.items():
        (tmp_path / name).write_text(body)
    (tmp_path / "pyproject.toml").write_text("")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "dlint.testing.plugin"],
        cwd=tmp_path,
        env={**variables, "PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    (said,) = [body for kind, body in blocks if kind == "text"]
    method = multiprocessing.get_all_start_methods()[0]  # the default one
    assert said.replace("workers, fork", f"workers, {method}") in done.stdout
