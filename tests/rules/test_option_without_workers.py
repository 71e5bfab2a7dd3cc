"""Options that need workers, where the number of workers is an option whose default is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.repair import repair
from dlint.settings.settings import Settings, load

_PROGRAM = """import argparse

from torch.utils.data import DataLoader


def make(dataset, workers):
    return DataLoader(dataset, num_workers=workers, {passed})


def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--load-workers", type=int{default})
    args = parser.parse_args()
    make(dataset, args.load_workers)
    return DataLoader(dataset, num_workers=args.load_workers, {given})
"""


def _messages(
    tmp_path: Path, given: str, default: str = ", default=0", passed: str = "timeout=0"
) -> list[str]:
    (tmp_path / "program.py").write_text(_PROGRAM.format(given=given, default=default, passed=passed))
    report = engine.check([tmp_path], Settings(select=("DL304",)))
    assert not report.troubles
    return [each.message for each in report.findings]


@pytest.mark.parametrize("given", ["prefetch_factor=2", "persistent_workers=True", "timeout=30"])
def test_the_default_raises_as_it_stands(tmp_path: Path, given: str) -> None:
    (message,) = _messages(tmp_path, given)
    assert "the option load_workers is 0 by default" in message


def test_handed_on(tmp_path: Path) -> None:
    (message,) = _messages(tmp_path, "timeout=0", passed="prefetch_factor=4")
    assert "the option load_workers is 0 by default" in message


@pytest.mark.parametrize(
    ("given", "default"),
    [
        ("prefetch_factor=2", ", default=4"),
        ("prefetch_factor=2", ", required=True"),
        ("prefetch_factor=None", ", default=0"),
        ("persistent_workers=args.load_workers > 0", ", default=0"),
        ("prefetch_factor=2 if args.load_workers else None", ", default=0"),
        ("timeout=30 if args.load_workers > 0 else 0", ", default=0"),
        ("pin_memory=True", ", default=0"),
    ],
)
def test_a_default_that_works(tmp_path: Path, given: str, default: str) -> None:
    assert _messages(tmp_path, given, default) == []


def test_a_number_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "from torch.utils.data import DataLoader\n\nloader = DataLoader([1], num_workers=0, prefetch_factor=4)\n"
    )
    (found,) = engine.check([tmp_path], Settings(select=("DL304",))).findings
    assert "default of" not in found.message


def test_what_surely_raises_stands_before_what_may(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "from torch.utils.data import DataLoader\n\n\ndef main(keep):\n"
        "    DataLoader(range(9), num_workers=0, persistent_workers=keep > 0, prefetch_factor=4)\n\n\n"
        "main(int(input()))\n"
    )
    (finding,) = engine.check([tmp_path], Settings(select=("DL304",))).findings
    assert (finding.level, finding.condition) == ("error", None)
    assert finding.message.startswith("prefetch_factor without workers")


@pytest.mark.parametrize(
    ("before", "number", "remedy"),
    [
        ("", "0", "drop_argument"),
        ("workers = 0", "workers", "drop_argument"),
        ("", "min(0, 4)", "drop_argument"),
        ("cfg = {'workers': 0}", "cfg['workers']", "persist_with_workers"),
        ("cfg = {'workers': 0}", "cfg.get('workers', 0)", "persist_with_workers"),
        ("from argparse import Namespace\ncfg = Namespace(workers=0)", "cfg.workers", "persist_with_workers"),
        (
            "parser = argparse.ArgumentParser()\nparser.add_argument('--workers', type=int, default=0)\n"
            "workers = parser.parse_args().workers",
            "workers",
            "persist_with_workers",
        ),
        (
            "from pydantic_settings import BaseSettings\nclass Options(BaseSettings):\n    workers: int = 0\n"
            "options = Options()",
            "options.workers",
            "persist_with_workers",
        ),
    ],
)
def test_workers_are_kept_where_somebody_may_ask_for_some(
    before: str, number: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(
        f"import argparse\nfrom torch.utils.data import DataLoader\n{before}\n"
        f"loader = DataLoader([1, 2], num_workers={number}, persistent_workers=True)\n"
    )
    found = engine.check([tmp_path], Settings(select=("DL304",))).findings
    assert [each.remedy.name for each in found if each.remedy] == [remedy]


def test_what_the_environment_may_say_is_not_taken_away(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "from pydantic_settings import BaseSettings\nfrom torch.utils.data import DataLoader\n"
        "class Options(BaseSettings):\n    workers: int = 0\n"
        "loader = DataLoader([1, 2], num_workers=Options().workers, prefetch_factor=2)\n"
    )
    (finding,) = engine.check([tmp_path], Settings(select=("DL304",))).findings
    assert finding.remedy is not None
    assert finding.remedy.name == "persist_with_workers"  # given to workers, and not left out
    assert "as the option workers is 0 by default" in finding.message


@pytest.mark.parametrize(
    ("declared", "given", "found"),
    [
        ("torch==1.13.1", "prefetch_factor=2", False),
        ("torch>=1.9,<2", "prefetch_factor=2", False),
        ("torch==1.13.1", "prefetch_factor=4", True),
        ("torch==1.13.1", "persistent_workers=True", True),
        ("torch>=1.13", "prefetch_factor=2", True),
        ("torch==2.0.0", "prefetch_factor=2", True),
        ("torch", "prefetch_factor=2", True),
    ],
)
def test_what_was_the_default_raises_nothing_before_torch_2(
    tmp_path: Path, declared: str, given: str, found: bool
) -> None:
    (tmp_path / "requirements.txt").write_text(f"{declared}\n")
    (tmp_path / "program.py").write_text(
        f"from torch.utils.data import DataLoader\n\nDataLoader(range(9), num_workers=0, {given})\n"
    )
    settings = load(tmp_path)._replace(select=("DL304",))
    assert bool(engine.check([tmp_path], settings).findings) is found


@pytest.mark.parametrize(
    "made",
    [
        "def make(workers=0):\n    return DataLoader([1, 2], num_workers=workers, persistent_workers={})\n",
        "def make(debug=True):\n    workers = 0 if debug else 4\n"
        "    return DataLoader([1, 2], num_workers=workers, persistent_workers={})\n",
    ],
)
def test_other_callers_may_ask_for_workers(made: str, tmp_path: Path) -> None:
    head = "from torch.utils.data import DataLoader\n\n\n"
    (tmp_path / "main.py").write_text(f"{head}{made.format('True')}\n\nmake()\n")
    done = repair([tmp_path], Settings(select=("DL304",)))
    assert done.files[0].new.decode() == f"{head}{made.format('workers > 0')}\n\nmake()\n"
