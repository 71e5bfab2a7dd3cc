"""proof.toml, its conditions, and the judgement on what programs did."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.proofs import judge
from dlint.proofs.proof import Condition, Proof, ProofError, read
from dlint.running import stacks
from dlint.running.runner import Result

TOML = """
[[proof]]
name = "first"
claim = "It hangs."
bad = "bad.py"
outcome = "hang"
"""


def folder(tmp_path: Path, text: str) -> Path:
    home = tmp_path / "DL101_cv2_threads_in_worker"
    home.mkdir()
    (home / "bad.py").write_text("")
    (home / "proof.toml").write_text(text)
    return home


def test_smallest_proof(tmp_path: Path) -> None:
    fixture = read(folder(tmp_path, TOML))
    assert (fixture.code, fixture.rule) == ("DL101", "cv2-threads-in-worker")
    [proof] = fixture.proofs
    assert proof.start_methods == ("fork",)
    assert proof.fixed is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("hang", "explode"), "unknown outcome 'explode'"),
        (('name = "first"\n', ""), "'name' is missing"),
        (("bad.py", "worse.py"), "no program worse.py"),
        (('outcome = "hang"', 'outcome = "error"'), "an error needs its text"),
        (('outcome = "hang"', 'outcome = "silent"'), "silent needs measure and bad-value"),
        (('outcome = "hang"', 'outcome = "hang"\nlimits = 3'), "unknown key 'limits'"),
        (('outcome = "hang"', 'outcome = "hang"\nstart-methods = ["thread"]'), "unknown start method"),
        (('outcome = "hang"', 'outcome = "hang"\nneeds = { colour = 1 }'), "colour"),
        (('outcome = "hang"', 'outcome = "hang'), "proof.toml"),
    ],
)
def test_broken_proofs_are_named(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ProofError, match=message) as raised:
        read(folder(tmp_path, TOML.replace(*change)))
    assert "proof.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "number", "holds"),
    [("<= 12", 12, True), ("== 24", 23, False), (">= 1.5", 2, True), ("> 3", 3, False), ("!= 0", 1, True)],
)
def test_conditions(text: str, number: float, holds: bool) -> None:
    condition = Condition.parse(text)
    assert condition.holds(number) is holds
    assert str(condition) == text


def test_broken_condition() -> None:
    with pytest.raises(ValueError, match="not a condition"):
        Condition.parse("about 3")


def make(outcome: str, **more: object) -> Proof:
    return Proof("DL101", "r", Path(), "n", "c", "bad.py", outcome, fixed="fixed.py", **more)  # type: ignore[arg-type]


ERROR = """Traceback (most recent call last):
  File "bad.py", line 3, in <module>
    raise ValueError("sampler option is quoted here")
  File "dataloader.py", line 4, in __init__
    raise ValueError(
ValueError: sampler option is mutually
 exclusive with shuffle
"""


@pytest.mark.parametrize(
    ("proof", "result", "claimed"),
    [
        (make("hang"), Result("still"), True),
        (make("hang"), Result("limit"), True),
        (make("hang"), Result("exit", 0), False),
        (make("hang"), Result("lost"), False),
        (make("error", error="sampler option is mutually exclusive"), Result("exit", 1, stderr=ERROR), True),
        (make("error", error="sampler option is quoted"), Result("exit", 1, stderr=ERROR), False),
        (make("error", error="mutually"), Result("exit", 0, stderr=ERROR), False),
        (make("error", error="mutually"), Result("still", stderr=ERROR), False),
        (
            make("silent", measure="m", bad_value=Condition("<=", 4)),
            Result("exit", 0, stdout="dlint-measure: 4\n"),
            True,
        ),
        (
            make("silent", measure="m", bad_value=Condition("<=", 4)),
            Result("exit", 0, stdout="dlint-measure: 5\n"),
            False,
        ),
        (
            make("silent", measure="m", bad_value=Condition("<=", 4)),
            Result("exit", 1, stdout="dlint-measure: 4\n"),
            False,
        ),
        (make("silent", measure="m", bad_value=Condition("<=", 4)), Result("exit", 0), False),
    ],
)
def test_bad_program(proof: Proof, result: Result, claimed: bool) -> None:
    assert judge.observe_bad(proof, "bad.py", result).as_claimed is claimed


def test_a_machine_that_is_too_busy_shows_nothing() -> None:
    proof = make("hang")
    verdict = judge.judge(proof, "fork", {"bad.py": Result("still"), "fixed.py": Result("starved")})
    assert verdict.status == "not shown here"
    assert verdict.why == "the machine was too busy: a program did not end within 600 s"


def test_claim_needs_its_cure_too() -> None:
    proof = make("hang")
    results = {"bad.py": Result("still"), "fixed.py": Result("exit", 0)}
    assert judge.judge(proof, "fork", results).status == "shown"
    results["fixed.py"] = Result("exit", 1, stderr=ERROR)
    verdict = judge.judge(proof, "fork", results)
    assert verdict.status == "contradicted"
    assert verdict.fixed is not None
    assert verdict.fixed.text == "ValueError: sampler option is mutually"


DUMP = """Thread 0x00007f0000000001 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/tmp/x/programs/bad.py", line 22 in __getitem__
  File "/venv/site-packages/torch/utils/data/_utils/worker.py", line 349 in _worker_loop

Current thread 0x00007f0000000002 [python] (most recent call first):
  File "/usr/lib/python3.11/selectors.py", line 415 in select
"""


def test_faulthandlers_stacks() -> None:
    threads = stacks.parse_faulthandler(DUMP)
    assert [len(thread.frames) for thread in threads] == [3, 1]
    main = stacks.Process(1, "main", "python bad.py", (threads[1],))
    worker = stacks.Process(2, "worker", "python bad.py", tuple(threads))
    where = stacks.innermost([main, worker], "/tmp/x/programs")
    assert where == "worker: __getitem__ (bad.py:22) > wait (python3.11/threading.py:327)"
    assert stacks.innermost([main], "/tmp/x/programs") == "main: select (python3.11/selectors.py:415)"
    assert stacks.innermost([], "/tmp") is None
