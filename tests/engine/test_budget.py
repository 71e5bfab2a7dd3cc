"""The work of a run is counted: every program ends, and what one file eats is not taken from another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import engine
from dlint.budget import budget
from dlint.budget.accounts import Shared
from dlint.budget.budget import BUDGET, Budget, Exhausted, Place, spend
from dlint.program.program import Program
from dlint.settings.settings import Settings
from dlint.source import nodes

GOOD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)
"""


def many_tests(count: int) -> str:
    """Many tests on unknown things, of which each may store something that the loader gets."""
    tests = "".join(f"    if args.f{n}:\n        options[args.k{n}] = {n}\n" for n in range(count))
    return (
        "from torch.utils.data import DataLoader\n\n\ndef main(args, data):\n    options = {}\n"
        f"{tests}    return DataLoader(data, num_workers=2, **options)\n"
    )


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than real programs get, so that a test need not wait for the end of it."""
    monkeypatch.setattr(budget, "_BASE", 400_000)
    monkeypatch.setattr(budget, "_PER_LINE", 0)
    monkeypatch.setattr(budget, "_PART", 5_000)


def write(folder: Path, **files: str) -> Path:
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.mark.usefixtures("little")
def test_a_file_that_eats_its_share_is_named_and_the_others_are_checked(tmp_path: Path) -> None:
    write(tmp_path, a_bomb=many_tests(300), good=GOOD, z_bomb=many_tests(300))
    report = engine.check([tmp_path], Settings())
    assert [(Path(f.path).name, f.code) for f in report.findings] == [("good.py", "DL301")]
    (trouble,) = report.troubles  # one line, however many files lead to it
    assert Path(trouble.path).name == "a_bomb.py"
    assert "main` (" in trouble.message
    assert "the findings here and in 1 other file may not be all" in trouble.message


@pytest.mark.usefixtures("little")
def test_what_took_most_is_named_where_it_stands(tmp_path: Path) -> None:
    write(tmp_path, a_bomb=many_tests(300), good=GOOD)
    report = engine.check([tmp_path], Settings())
    (trouble,) = report.troubles
    assert (Path(trouble.path).name, trouble.line) == ("a_bomb.py", 4)
    assert trouble.message.startswith("`main` takes more work than there is")


@pytest.mark.usefixtures("little")
def test_the_end_of_the_budget_is_the_same_every_time(tmp_path: Path) -> None:
    write(tmp_path, a_bomb=many_tests(300), good=GOOD)
    first = engine.check([tmp_path], Settings())
    assert first.troubles
    again = [engine.check(paths, Settings()) for paths in ([tmp_path], sorted(tmp_path.glob("*.py"))[::-1])]
    assert again == [first, first]


def test_nothing_refills_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_BASE", 100_000)
    monkeypatch.setattr(budget, "_PART", 100)
    own = Budget()
    own.begin(0, 2)
    rounds = 0
    with pytest.raises(Exhausted) as raised:
        for _ in range(100_000):
            rounds += 1
            own.restart()
            token = own.enter("a.py")
            own.left -= 60
            if own.left < 0:
                own.part_is_spent()
            own.left -= 60
            if own.left < 0:
                own.part_is_spent()
            own.leave(token)
    assert raised.value.file == "a.py"
    assert 120 * rounds < 100_000


def test_what_one_file_spends_is_not_taken_from_what_is_kept_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "_BASE", 80_000)
    monkeypatch.setattr(budget, "_PART", 10)
    own = Budget()
    own.begin(0, 10)
    spent = {}
    for name in [f"greedy{number}.py" for number in range(9)] + ["modest.py"]:
        token = own.enter(name)
        with pytest.raises(Exhausted):
            while True:
                own.left -= 10
                if own.left < 0:
                    own.part_is_spent()
        own.leave(token)
        spent[name] = own.files[name]
    assert sum(spent.values()) < 90_000
    assert spent["modest.py"] >= 80_000 // 4 // 10
    assert spent["greedy0.py"] < 80_000 // 2


def test_going_from_one_to_another_does_not_refill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spent in small pieces, between which other files are looked at, counts as well."""
    monkeypatch.setattr(budget, "_BASE", 100_000)
    own = Budget()
    own.begin(0, 2)
    with pytest.raises(Exhausted):
        for _ in range(10_000):
            for name in ("a.py", "b.py"):
                token = own.enter(name)
                own.left -= 100
                if own.left < 0:
                    own.part_is_spent()
                own.leave(token)
    assert own.spent < 110_000


def test_who_took_most_is_known_by_name() -> None:
    own = Budget()
    own.at = lambda: Place("a.py", 3, "slow")
    token = own.enter("a.py")
    own.left -= 3
    own.leave(token)
    assert own.eater_of("a.py") == Place("a.py", 3, "slow")
    assert own.eater_of("b.py") is None


def test_accounts_are_changed_and_given_back_on_the_way() -> None:
    BUDGET.begin(0, 2)
    things = Shared([("a.py", 1), ("b.py", 2), ("a.py", 3)], lambda thing: thing[0])
    seen = [(thing[1], BUDGET.file) for thing in things]
    assert seen == [(1, "a.py"), (2, "b.py"), (3, "a.py")]
    assert BUDGET.file is None
    for _ in things:
        spend(7)
        for _ in things:
            break  # the inner account is closed, the outer one is open again
        assert BUDGET.file == "a.py"
        break
    assert BUDGET.file is None
    assert BUDGET.files["a.py"] == 7
    BUDGET.left_aside = frozenset({"a.py"})
    assert [thing[1] for thing in things] == [2]
    assert (len(things), things[0]) == (3, ("a.py", 1))
    BUDGET.begin(0, 1)


def test_an_account_that_was_forgotten_closes_no_other() -> None:
    own = Budget()
    token = own.enter("a.py")
    own.restart()
    own.enter("b.py")
    own.leave(token)
    assert own.file == "b.py"


def test_nodes_of_a_tree_are_those_that_ast_gives_but_for_contexts_and_cost_work() -> None:
    import ast

    tree = ast.parse(GOOD)
    BUDGET.begin(0, 1)
    before = BUDGET.left
    found = list(nodes.walk(tree))
    assert found == [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    assert before - BUDGET.left >= len(found)


@pytest.mark.parametrize("error", [RecursionError("deep"), MemoryError(), ValueError("a fault\nof ours")])
def test_a_fault_in_one_file_is_told_and_the_rule_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    from dlint import rules

    def fails_at_bad(program: Program) -> Iterator[object]:
        for loader in program.loaders:
            if loader.module.relative == "bad.py":
                raise error
            yield from judge(program) if loader.module.relative == "good.py" else ()

    judge = rules.all_rules()["DL301"].check
    broken = {"DL301": rules.all_rules()["DL301"]._replace(check=fails_at_bad)}
    monkeypatch.setattr(rules, "all_rules", lambda: broken)
    monkeypatch.delenv("DLINT_TRACEBACK", raising=False)
    write(tmp_path, bad=GOOD, good=GOOD)
    report = engine.check([tmp_path], Settings())
    assert [Path(finding.path).name for finding in report.findings] == ["good.py"]
    (trouble,) = report.troubles
    assert Path(trouble.path).name == "bad.py"
    assert trouble.message.startswith("DL301 failed here, the rest was checked; please report it (")
    assert "\n" not in trouble.message
