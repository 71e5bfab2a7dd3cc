"""The loop: find, edit, check again. The engine is replaced by a few lines that find what they are told."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from dlint import engine
from dlint.finding import Finding, Remedy, Trouble
from dlint.repair import Repairs, check_text, repair
from dlint.reports.repairs import step_line
from dlint.rewriting.refusal import CannotRepair
from dlint.settings.settings import Settings

Find = Callable[[ast.Call], "tuple[str, Remedy | None] | None"]

_DROP = Remedy("drop_argument", "safe", "Drop it", {"arguments": ["shuffle"]})


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Callable[[Find], list[int]]:
    """Have the engine find calls; the list counts the files of every check."""

    def use(find: Find) -> list[int]:
        sizes: list[int] = []

        def check(
            paths: Sequence[Path],
            _settings: Settings,
            *,
            texts: Mapping[Path, bytes] | None = None,
            **_rest: object,
        ) -> engine.Report:
            sizes.append(len(paths))
            findings, troubles = [], []
            for path in paths:
                data = (texts or {}).get(path) or path.read_bytes()
                try:
                    tree = ast.parse(data)
                except SyntaxError as error:
                    troubles.append(Trouble(str(path), str(error)))
                    continue
                for node in ast.walk(tree):
                    found = find(node) if isinstance(node, ast.Call) else None
                    if found is not None:
                        findings.append(_finding(path, node, *found))
            findings.sort(key=lambda finding: finding.sort_key)
            return engine.Report(tuple(findings), tuple(troubles), len(paths))

        monkeypatch.setattr(engine, "check", check)
        return sizes

    return use


def _finding(path: Path, node: ast.Call, code: str, remedy: Remedy | None) -> Finding:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Finding(
        code,
        "some-rule",
        "something is wrong",
        os.path.relpath(path),
        node.lineno,
        node.col_offset + 1,
        node.end_lineno,
        node.end_col_offset + 1,
        remedy=remedy,
    )


def _with_shuffle(call: ast.Call, remedy: Remedy = _DROP) -> tuple[str, Remedy] | None:
    names = {keyword.arg for keyword in call.keywords}
    return ("DL301", remedy) if {"sampler", "shuffle"} <= names else None


def _write(tmp_path: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        paths.append(path)
    return paths


def _texts(repairs: Repairs) -> dict[str, str]:
    return {file.path.name: file.new.decode() for file in repairs.files}


def test_every_finding_of_a_file_goes_in_one_round(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    sizes = finds(_with_shuffle)
    paths = _write(
        tmp_path,
        a="x = L(d, sampler=s, shuffle=True)\ny = [L(d, shuffle=True, sampler=L(e, shuffle=1, sampler=t))]\n",
        b="x = 1\n",
    )
    repairs = repair(paths, Settings())
    assert _texts(repairs) == {"a.py": "x = L(d, sampler=s)\ny = [L(d, sampler=L(e, sampler=t))]\n"}
    assert len(repairs.steps) == 3
    assert repairs.left == ()
    assert sizes == [2, 2]  # all three are judged at once, by the whole program
    assert paths[0].read_text().startswith("x = L(d, sampler=s, shuffle=True)")


def test_unsafe_remedies_are_left_unless_asked_for(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    unsafe = Remedy("drop_argument", "unsafe", "Drop it", {"arguments": ["shuffle"]})
    finds(lambda call: _with_shuffle(call, unsafe))
    paths = _write(tmp_path, a="x = L(sampler=s, shuffle=True)\n")
    repairs = repair(paths, Settings())
    assert repairs.files == ()
    assert "--unsafe-fixes" in repairs.left[0].reason
    assert _texts(repair(paths, Settings(), unsafe=True)) == {"a.py": "x = L(sampler=s)\n"}


def test_an_unsafe_remedy_that_would_refuse_is_not_promised(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    unsafe = Remedy("drop_argument", "unsafe", "Drop it", {"arguments": ["shuffle"]})
    finds(lambda call: ("DL301", unsafe))
    repairs = repair(_write(tmp_path, a="x = L(sampler=s, **more)\n"), Settings())
    refused = repair(_write(tmp_path, a="x = L(sampler=s, **more)\n"), Settings(), unsafe=True)
    assert refused.files == ()
    assert [left.reason for left in repairs.left] == [left.reason for left in refused.left]
    assert "--unsafe-fixes" not in repairs.left[0].reason


def test_what_has_no_remedy_is_left_with_the_reason(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    finds(lambda call: ("DL999", None))
    repairs = repair(_write(tmp_path, a="f()\n"), Settings())
    assert "no remedy" in repairs.left[0].reason


def test_a_remedy_that_refuses_does_not_hold_up_the_others(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    finds(lambda call: ("DL301", _DROP) if call.keywords else None)
    text = "x = L(d, **options)\ny = L(d, shuffle=True)\nz = L(d, **options)\n"
    repairs = repair(_write(tmp_path, a=text), Settings())
    assert _texts(repairs) == {"a.py": text.replace(", shuffle=True", "")}
    assert [(left.finding.line, "not set in this call" in left.reason) for left in repairs.left] == [
        (1, True),
        (3, True),
    ]


def test_an_edit_that_does_not_take_its_finding_away_is_dropped(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    def find(call: ast.Call) -> tuple[str, Remedy] | None:
        if isinstance(call.func, ast.Name) and call.func.id == "Stubborn":
            return ("DL301", _DROP)
        return _with_shuffle(call)

    finds(find)
    text = "x = Stubborn(sampler=s, shuffle=True)\ny = L(sampler=s, shuffle=True)\n"
    repairs = repair(_write(tmp_path, a=text), Settings())
    assert _texts(repairs) == {"a.py": "x = Stubborn(sampler=s, shuffle=True)\ny = L(sampler=s)\n"}
    assert "does not take the finding away" in repairs.left[0].reason


def test_an_edit_that_only_moves_its_finding_is_dropped(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    def find(call: ast.Call) -> tuple[str, Remedy] | None:
        threads = ast.unparse(call.func) == "cv2.setNumThreads"
        remedy = Remedy("cv2_threads_off", "safe", "Turn them off")
        return ("DL101", remedy) if threads or call.lineno == 2 else None

    finds(find)
    repairs = repair(_write(tmp_path, a="import cv2\ncv2.imread(name)\n"), Settings())
    assert repairs.files == ()
    assert "does not take the finding away" in repairs.left[0].reason


def test_an_edit_that_brings_another_finding_is_dropped(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    def find(call: ast.Call) -> tuple[str, Remedy | None] | None:
        return _with_shuffle(call) or (("DL999", None) if len(call.keywords) == 1 else None)

    finds(find)
    repairs = repair(_write(tmp_path, a="x = L(sampler=s, shuffle=True)\n"), Settings())
    assert repairs.files == ()
    assert "another finding" in repairs.left[0].reason


def test_what_a_remedy_brings_to_light_is_repaired_in_turn(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    more = Remedy("drop_argument", "safe", "Drop it", {"arguments": ["drop_last"]})

    def find(call: ast.Call) -> tuple[str, Remedy] | None:
        names = {keyword.arg for keyword in call.keywords}
        return _with_shuffle(call) or (("DL302", more) if "drop_last" in names else None)

    finds(find)
    repairs = repair(_write(tmp_path, a="x = L(sampler=s, shuffle=True, drop_last=True)\n"), Settings())
    assert _texts(repairs) == {"a.py": "x = L(sampler=s)\n"}


_SEEDED = """\
import argparse
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return random.random()


{above}def run(args):
{inside}    for batch in DataLoader(Numbers(), num_workers=2, worker_init_fn=start):
        print(batch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    run(args)
"""


def test_a_function_moves_after_what_is_repaired_inside_it(tmp_path: Path) -> None:
    local = "    def start(worker_id):\n        random.seed(args.seed + worker_id)\n\n"
    moved = "def start(worker_id):\n    random.seed(torch.initial_seed() % 2**32)\n\n\n"
    paths = _write(tmp_path, a=_SEEDED.format(above="", inside=local))
    # Nothing is bound that the new seed does not need, and nobody says so.
    both = repair(paths, Settings(), unsafe=True)
    assert _texts(both) == {"a.py": _SEEDED.format(above=moved, inside="")}
    assert [step_line(step, "repaired").rpartition(": ")[2] for step in both.steps] == [
        "Seed from torch.initial_seed()",
        "Move it to the module",
    ]
    bound = repair(paths, Settings(select=("DL401",)), unsafe=True)
    assert "partial(start, seed=args.seed)" in _texts(bound)["a.py"]
    assert bound.steps[0].did == "Move it to the module and bind what it needs with functools.partial"


_TWO_SEEDED = """\
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.rand()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)


def seed_numbers(worker_id):
    np.random.seed({seed})


def main():
    train = DataLoader(Numbers(), num_workers=2, worker_init_fn=seed_numbers)
    test = DataLoader(Numbers(), num_workers=2, worker_init_fn={test})
    for batch in [*train, *test]:
        print(batch)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("seed", ["torch.initial_seed() + worker_id", "worker_id"])
def test_a_seeding_function_that_is_mended_is_taken(seed: str, tmp_path: Path) -> None:
    paths = _write(tmp_path, a=_TWO_SEEDED.format(seed=seed, test="set_seed(1)"))
    (text,) = _texts(repair(paths, Settings(), unsafe=True)).values()
    assert text.count("def ") == _TWO_SEEDED.count("def ")
    assert text.count("worker_init_fn=seed_numbers") == 2
    assert "% 2**32)" in text
    # One that nobody mends, as its rule was not chosen, is left alone, and no loader more gets it.
    (alone,) = _texts(repair(paths, Settings(select=("DL205",)), unsafe=True)).values()
    assert f"np.random.seed({seed})" in alone
    assert alone.count("worker_init_fn=seed_numbers") == 1
    assert "worker_init_fn=seed_worker" in alone


def test_what_comes_to_light_of_a_rule_that_was_not_chosen_is_not_repaired(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    more = Remedy("drop_argument", "safe", "Drop it", {"arguments": ["drop_last"]})

    def find(call: ast.Call) -> tuple[str, Remedy] | None:
        names = {keyword.arg for keyword in call.keywords}
        return _with_shuffle(call) or (("DL302", more) if "drop_last" in names else None)

    finds(find)
    paths = _write(tmp_path, a="x = L(sampler=s, shuffle=True, drop_last=True)\n")
    repairs = repair(paths, Settings(select=("DL301",)))
    assert repairs.files == ()
    assert "would bring another finding: DL302" in repairs.left[0].reason


def test_files_that_fail_do_not_hold_up_the_others(
    tmp_path: Path, finds: Callable[[Find], list[int]]
) -> None:
    finds(_with_shuffle)
    paths = _write(tmp_path, a="x = L(sampler=s, shuffle=True)\n", b="x = L(\n")
    repairs = repair(paths, Settings())
    assert _texts(repairs) == {"a.py": "x = L(sampler=s)\n"}
    assert [Path(trouble.path).name for trouble in repairs.troubles] == ["b.py"]


def test_a_second_run_changes_nothing(tmp_path: Path, finds: Callable[[Find], list[int]]) -> None:
    finds(_with_shuffle)
    (path,) = _write(tmp_path, a="x = L(sampler=s, shuffle=True)\n")
    path.write_bytes(repair([path], Settings()).files[0].new)
    assert repair([path], Settings()).files == ()


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (b"x = 1  # a\n", b"x = 1\n", "lose a comment: # a"),
        (b"x = 1\n", b"x = (\n", "would not parse"),
        (b"# a\n# a\n", b"# a\n", "lose a comment"),
    ],
)
def test_what_an_edit_may_not_do(before: bytes, after: bytes, reason: str) -> None:
    with pytest.raises(CannotRepair, match=reason):
        check_text(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ds, sampler=order, shuffle=True, num_workers=0, timeout=9", "ds, sampler=order, num_workers=0"),
        ("ds, 4, shuffle=True, sampler=order, batch_sampler=[[1]]", "ds, batch_sampler=[[1]]"),
        ("ds, 4, True, order", "ds, 4, False, order"),
        ("Stream(), sampler=order, shuffle=True", "Stream()"),
    ],
)
def test_several_rules_take_arguments_from_one_call(tmp_path: Path, before: str, after: str) -> None:
    head = """\
from torch.utils.data import DataLoader, IterableDataset, RandomSampler

class Stream(IterableDataset):
    def __iter__(self):
        yield 1

ds = range(8)
order = RandomSampler(ds)
"""
    paths = _write(tmp_path, main=f"{head}loader = DataLoader({before})\n")
    repairs = repair(paths, Settings())
    assert not repairs.left
    assert _texts(repairs)["main.py"] == f"{head}loader = DataLoader({after})\n"


def test_a_fault_of_a_remedy_leaves_its_finding_and_no_other(
    tmp_path: Path, finds: Callable[[Find], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DLINT_TRACEBACK", raising=False)
    broken = Remedy("drop_argument", "safe", "Drop it", {"arguments": 3})
    finds(lambda call: _with_shuffle(call, broken if call.lineno == 1 else _DROP))
    text = "x = L(sampler=s, shuffle=True)\ny = L(sampler=s, shuffle=True)\n"
    repairs = repair(_write(tmp_path, a=text), Settings())
    assert _texts(repairs) == {"a.py": "x = L(sampler=s, shuffle=True)\ny = L(sampler=s)\n"}
    assert "the remedy failed here: a fault of dlint's own: TypeError" in repairs.left[0].reason


_KEPT = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return 3000

    def __getitem__(self, index):
        return self.rng.random(3)


def gather():
    kept = []
    for batch in DataLoader(Noisy(0), num_workers=4):
        kept.append(batch)
    return kept
"""


def test_what_a_repair_does_nothing_for_is_not_said_to_be_gone_with_it(tmp_path: Path) -> None:
    """The generator is a property then, and nobody sees what kind of item it draws: the batches are kept as
    before."""
    repairs = repair(_write(tmp_path, a=_KEPT), Settings(), unsafe=True)
    assert [[each.code for each in step.findings] for step in repairs.steps] == [["DL203"]]
    (left,) = repairs.left
    assert (left.finding.code, left.first.line) == ("DL507", _KEPT.split("kept.append")[0].count("\n") + 1)
    assert "only no longer seen after the repair of DL203" in left.reason
    assert "kept.append(batch)" in _texts(repairs)["a.py"].splitlines()[left.finding.line - 1]


_TWO_ON_A_LINE = """\
import random

import numpy as np
import torch
from torch.utils.data import DataLoader


class Mix:
    def __call__(self, batch):
        random.seed(0); np.random.seed(0)
        share = np.random.beta(0.2, 0.2)
        order = list(range(len(batch))); random.shuffle(order)
        return share * torch.tensor(batch)[order]


if __name__ == "__main__":
    for batch in DataLoader(list(range(8)), 4, num_workers=2, collate_fn=Mix()):
        print(batch)
"""


def test_two_findings_on_one_line_go_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(_TWO_ON_A_LINE)
    repairs = repair([file], Settings(select=("DL201",), target_torch="2.0"), unsafe=True)
    assert repairs.files[0].new.decode() == _TWO_ON_A_LINE.replace(
        "        random.seed(0); np.random.seed(0)\n", ""
    )
    assert [(step.findings[0].line, step.findings[0].column) for step in repairs.steps] == [(10, 9), (10, 25)]
