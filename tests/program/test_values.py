"""What an expression may stand for, path by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.evaluation.paths.decisions import FORKS
from program.sources import answer_of, cases, files_of, probed

FUNCTIONS = """
from functools import partial


class Sampler:
    def __init__(self, n): pass


def take(a, b=0):
    return a, b


def through(*args, **kwargs):
    return take(*args, **kwargs)
"""
CLASSES = """
class Base:
    level = 1

    def __init__(self, size=3, flag=None):
        self.size = size
        self.flag = flag

    @property
    def double(self):
        return self.size

    @staticmethod
    def fixed():
        return 11

    @classmethod
    def make(cls):
        return cls(size=12)


class Derived(Base):
    def __init__(self, size, **kwargs):
        super().__init__(size, **kwargs)
        self.own = size


class Old(Base):
    def __init__(self, size):
        Base.__init__(self, size, flag=True)
"""

BODIES = {
    f"{name}: {title}": case
    for name in ("expressions", "worlds", "keyword_arguments", "flow", "objects")
    for title, case in cases(name).items()
}
ACROSS_FILES = cases("names_across_files")


@pytest.mark.parametrize("case", BODIES)
def test_in_a_function(tmp_path: Path, case: str) -> None:
    body, expected = answer_of(BODIES[case])
    lines = "\n".join("    " + line for line in body.splitlines())
    source = f"{FUNCTIONS}{CLASSES}\n\ndef main(args, flag, other, n):\n{lines}\n"
    assert probed(tmp_path, {"main.py": source}) == expected


@pytest.mark.parametrize("case", ACROSS_FILES)
def test_across_files(tmp_path: Path, case: str) -> None:
    text, expected = answer_of(ACROSS_FILES[case])
    assert probed(tmp_path, files_of(text)) == expected


def test_a_file_of_the_name_of_a_standard_module_is_not_imported_instead_of_it(tmp_path: Path) -> None:
    files = {"main.py": "import random\nprobe(random.seed)", "utils/random.py": "def seed(): pass"}
    assert probed(tmp_path, files) == ["random.seed"]


def test_a_parameter_is_what_the_calls_pass(tmp_path: Path) -> None:
    files = {
        "a.py": "def build(n, sampler=None):\n    probe(n, sampler)\n",
        "b.py": "from a import build\nbuild(1)\n",
        "c.py": "import a\na.build(2, sampler=3)\n",
    }
    assert probed(tmp_path, files) == ["1, None", "2, 3"]


def test_a_function_returns_path_by_path(tmp_path: Path) -> None:
    source = """
        def make(flag):
            if flag:
                return 1, None
            return None, 2

        def main(flag):
            a, b = make(flag)
            probe(a, b)
    """
    assert probed(tmp_path, {"main.py": source}) == ["1, None", "None, 2"]


def test_an_option_is_what_its_parser_says(tmp_path: Path) -> None:
    source = """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        probe(0 if args.workers == 0 else 1)
    """
    assert probed(tmp_path, {"main.py": source}) == ["0", "1"]


def test_a_name_that_means_itself_ends(tmp_path: Path) -> None:
    source = """
        def first(n):
            return second(n)

        def second(n):
            return first(n) if n else 3

        x = first(probe(second(1)))
    """
    assert probed(tmp_path, {"main.py": source})


def test_a_program_of_many_branches_is_answered(tmp_path: Path) -> None:
    body = "".join(f"    if args.a{i}:\n        x = {i}\n" for i in range(60))
    answers = probed(tmp_path, {"main.py": f"def main(args):\n    x = -1\n{body}    probe(x)\n"})
    assert answers


def test_what_many_ways_say_alike_of_a_thing_is_kept(tmp_path: Path) -> None:
    ways = "".join(f"{10 + n} if args.kind == {n} else " for n in range(FORKS))
    body = f"    size = 0 if n == 3 else ({ways}98) if n > 5 else ({ways}99)\n"
    files = {"main.py": f"def main(args, n):\n{body}    if size > 2:\n        probe(n == 3)\n"}
    assert probed(tmp_path, files) == ["False"]
