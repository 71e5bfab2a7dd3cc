"""``dlint prove`` over a few tiny programs that need nothing but Python."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dlint.cli.commands.prove import prove
from dlint.proofs import environment, programs
from dlint.proofs.environment import Environment

PROGRAMS = {
    "bad.py": "print('dlint-measure: 4')",
    "fixed.py": "print('dlint-measure: 24')",
    "error.py": "raise ValueError('sampler | shuffle')",
    "hang.py": "import threading\nthreading.Event().wait()",
    "not_a_cure_lazy.py": "import threading\nthreading.Event().wait()",
}

TOML = """
[[proof]]
name = "draws"
claim = "All workers draw the same."
bad = "bad.py"
fixed = "fixed.py"
outcome = "silent"
measure = "distinct draws"
bad-value = "<= 4"
fixed-value = "== 24"

[[proof]]
name = "sampler"
claim = "It fails."
bad = "error.py"
fixed = "fixed.py"
outcome = "error"
error = "ValueError: sampler | shuffle"

[[proof]]
name = "waiting"
claim = "It hangs."
bad = "hang.py"
not-a-cure = ["not_a_cure_lazy.py"]
outcome = "hang"
still = 1.5

[[proof]]
name = "impossible"
claim = "It hangs on a thousand cores."
bad = "hang.py"
outcome = "hang"
needs = { cores = 1000 }
"""

MACHINE = Environment(
    python="3.11.7",
    platform="linux",
    cores=2,
    torch="2.13.0+cpu",
    torch_error=None,
    numpy="2.4.0",
    opencv="5.0.0",
    opencv_backend="pthreads",
    cuda=False,
    opencl_cpu=False,
    start_methods=("fork", "spawn"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / "DL202_missing_worker_init_fn"
    folder.mkdir(parents=True)
    for name, text in PROGRAMS.items():
        (folder / name).write_text(text + "\n")
    (folder / "proof.toml").write_text(TOML)
    unproved = tmp_path / "home" / "DL503_cuda_in_worker"
    unproved.mkdir()
    (unproved / "proof.toml").write_text('no-proof = "it needs a GPU"\n')
    monkeypatch.setattr(programs, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(environment, "look", lambda: MACHINE)
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(prove, arguments, env={"COLUMNS": "200"})


def test_json(home: Path) -> None:
    result = run("--output-format", "json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["environment"]["opencv_backend"] == "pthreads"
    claims = {claim["name"]: claim for claim in told["claims"]}
    assert {name: claim["status"] for name, claim in claims.items()} == {
        "draws": "shown",
        "sampler": "shown",
        "waiting": "shown",
        "impossible": "not shown here",
    }
    assert claims["draws"]["bad"]["did"] == "distinct draws: 4"
    assert claims["draws"]["fixed"]["did"] == "distinct draws: 24"
    assert claims["sampler"]["bad"]["did"] == "ValueError: sampler | shuffle"
    assert claims["waiting"]["bad"]["where"].startswith("main: <module> (hang.py:2)")
    assert claims["waiting"]["fixed"] is None
    assert claims["waiting"]["not_a_cure"][0]["as_claimed"]
    assert claims["impossible"]["why"] == "needs 1000 cores, this process may use 2"
    assert told["no_proof"] == [{"code": "DL503", "rule": "cuda-in-worker", "why": "it needs a GPU"}]


def test_markdown(home: Path) -> None:
    result = run("--output-format", "markdown", "DL202")
    assert result.exit_code == 0, result.output
    assert "4 claims: 3 shown, 0 contradicted, 1 not shown here." in result.stdout
    assert "ValueError: sampler \\| shuffle" in result.stdout
    rows = [line for line in result.stdout.splitlines() if line.startswith("| DL202")]
    assert len(rows) == 4
    assert "lazy does not cure: hung" in rows[2]


def test_contradicted_claim_is_said_and_fails(home: Path) -> None:
    (home / "fixed.py").write_text("print('dlint-measure: 5')\n")
    result = run("missing-worker-init-fn")
    assert result.exit_code == 1
    assert "NOT AS CLAIMED: distinct draws: 5" in " ".join(result.stdout.split())
    assert "2 shown, 1 contradicted, 1 not shown here" in result.stdout


def test_start_method_that_no_claim_is_about(home: Path) -> None:
    result = run("--start-method", "spawn", "--output-format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["claims"] == []


def test_keep_leaves_programs_and_stacks(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert run("--keep", str(kept)).exit_code == 0
    folder = kept / home.name
    assert (folder / "hang.py").read_text() == PROGRAMS["hang.py"] + "\n"
    log = (folder / "logs" / "waiting-hang-fork.txt").read_text()
    assert "<module> (hang.py:2)" in log
    assert "sampler | shuffle" in (folder / "logs" / "sampler-error-fork.txt").read_text()


def test_unknown_rule(home: Path) -> None:
    result = run("DL999")
    assert result.exit_code == 2
    assert "'DL999'" in result.stderr


def test_without_torch(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = dataclasses.replace(
        MACHINE, torch=None, torch_error="ModuleNotFoundError: No module named 'torch'"
    )
    monkeypatch.setattr(environment, "look", lambda: bare)
    result = run()
    assert result.exit_code == 2
    assert "need torch" in result.stderr
    assert "No module named 'torch'" in result.stderr
    assert 'pip install "torch-dlint[prove]"' in result.stderr


def test_broken_proof_is_named(home: Path) -> None:
    (home / "proof.toml").write_text("[[proof]]\n")
    result = run()
    assert result.exit_code == 2
    assert "proof.toml: 'outcome' is missing" in result.stderr
