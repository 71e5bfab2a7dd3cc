"""What told processes apart in their seeds must be in them after a repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analysis.kept import Kept
from dlint.engine import Report
from dlint.repair import Repairs, repair
from dlint.repair.apart import check_apart
from dlint.repair.loop import Work
from dlint.rewriting.refusal import CannotRepair
from dlint.settings.settings import Settings

_WITH_RANK = "def init(i):\n    seed = base + rank\n    np.random.seed(seed + i)\n"
_WITHOUT = "def init(i):\n    np.random.seed(torch.initial_seed() % 2**32)\n"
_OTHER_RANK = "def init(i):\n    np.random.seed((torch.initial_seed() + dist.get_rank()) % 2**32)\n"
_ELSEWHERE = "def init(i):\n    seed_worker(i)\n"


def _change(*texts: tuple[str, str]) -> dict[Path, tuple[bytes, bytes]]:
    return {Path(f"/p/{n}.py"): (old.encode(), new.encode()) for n, (old, new) in enumerate(texts)}


@pytest.mark.parametrize(
    "new",
    [_WITHOUT, "init = None\n", _ELSEWHERE, 'def init(i):\n    print("rank", rank)\n    np.random.seed(i)\n'],
)
def test_a_rank_that_is_no_longer_in_the_seeds_is_lost(new: str) -> None:
    with pytest.raises(CannotRepair, match="'rank' out of the seeds in init"):
        check_apart(_change((_WITH_RANK, new)))


def test_a_rank_that_is_spelled_otherwise_is_there() -> None:
    check_apart(_change((_WITH_RANK, _OTHER_RANK)))


def test_a_rank_that_goes_to_another_file_with_the_seed_is_there() -> None:
    helper = "def seed_worker(i):\n    np.random.seed((torch.initial_seed() + rank) % 2**32)\n"
    check_apart(_change((_WITH_RANK, _ELSEWHERE), ("", helper)))


def test_one_function_keeps_its_rank_whatever_another_has() -> None:
    other = _OTHER_RANK.replace("init(", "other(")
    with pytest.raises(CannotRepair):
        check_apart(_change((_WITH_RANK + other, _WITHOUT + other)))


def test_a_rank_that_is_only_printed_is_no_seed() -> None:
    old = "def init(i):\n    print(rank)\n    np.random.seed(i)\n"
    check_apart(_change((old, _WITHOUT)))


def test_a_rank_in_the_environment_and_in_a_method() -> None:
    old = 'class A:\n    def f(self, i):\n        random.seed(int(os.environ["RANK"]) + i)\n'
    with pytest.raises(CannotRepair, match=r"'RANK' out of the seeds in A.f"):
        check_apart(_change((old, "class A:\n    def f(self, i):\n        random.seed(i)\n")))


def test_a_function_that_moves_out_of_one_that_seeds_takes_its_rank_along() -> None:
    inner = "def init(i):\n    np.random.seed(base + rank + i)\n"
    outer = "def make(base, rank):\n    torch.manual_seed(base)\n"
    nested = outer + "".join(f"    {line}\n" for line in inner.splitlines())
    check_apart(_change((nested, inner.replace("(i)", "(i, base, rank)", 1) + outer)))


def test_what_is_left_is_asked_why_while_the_program_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unsafe remedy that is only promised may ask the program whether it would refuse."""
    (tmp_path / "main.py").write_text("import torch\n")
    order: list[str] = []
    result, let_go = Work.result, Kept.let_go

    def told(work: Work, report: Report) -> Repairs:
        order.append("told")
        return result(work, report)

    def gone(kept: Kept) -> None:
        order.append("gone")
        let_go(kept)

    monkeypatch.setattr(Work, "result", told)
    monkeypatch.setattr(Kept, "let_go", gone)
    repair([tmp_path], Settings())
    assert order.index("told") == len(order) - 2
    assert order[-1] == "gone"
