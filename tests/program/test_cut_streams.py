"""What an iteration reads is the same answer in whatever order it is asked for."""

from __future__ import annotations

import ast
from pathlib import Path

from dlint.streams.sources.kinds import DATA
from dlint.streams.sources.streams import Streams
from dlint.values.worlds import HERE

from .sources import program

_STAGES = """\
def stage(source):
    for each in source:
        yield each


rows = open("rows.txt").read().split()
probe(stage(stage(stage(rows))))
"""


def _reads(folder: Path, text: str, *asked: int) -> list[frozenset[str] | None]:
    """What the argument of ``probe(...)`` reads, asked one time after another, from so far away."""
    made = program(folder, {"main.py": text})
    module = made.modules.get("main.py")
    assert module is not None
    evaluator = made.evaluator
    streams = Streams(evaluator, lambda _, __: False)
    [trail] = module.paths_to("probe", called=True)
    call = trail[-2]
    assert isinstance(call, ast.Call)
    evaluator.start()
    point = evaluator.sites.point_of(module, trail)
    return [streams.of_expression(call.args[0], point, HERE, far) for far in asked]


def test_what_was_too_far_away_once_is_not_from_here(tmp_path: Path) -> None:
    assert _reads(tmp_path, _STAGES, 23, 0, 23) == [None, DATA, DATA]
    assert _reads(tmp_path, _STAGES, 0) == [DATA]
