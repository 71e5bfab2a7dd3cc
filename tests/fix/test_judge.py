"""Whether a program is better for an edit."""

from __future__ import annotations

from pathlib import Path

from dlint.finding import Finding
from dlint.repair.judge import verdict
from dlint.repair.lines import Lines

_FILE = Path("/project/a.py")


def _finding(code: str, line: int, path: str = "/project/a.py") -> Finding:
    return Finding(code, "some-rule", "something", path, line, 1, line, 9)


def test_a_finding_that_is_gone_while_the_others_move() -> None:
    moved = {_FILE: Lines(b"a\nb\nc\n", b"new\na\nB\nc\n")}
    before = [_finding("DL1", 2), _finding("DL1", 3)]
    assert verdict(before, [_finding("DL1", 4)], before[:1], moved).is_good


def test_a_hazard_that_only_moves_is_still_there() -> None:
    moved = {_FILE: Lines(b"a\nb\n", b"new\na\n")}
    wanted = _finding("DL1", 2)
    found = verdict([wanted], [_finding("DL1", 1)], [wanted], moved)
    assert found.stayed == (wanted,)
    assert found.came == ()


def test_a_finding_that_comes_in_another_file() -> None:
    wanted, other = _finding("DL1", 2), _finding("DL2", 7, "/project/b.py")
    found = verdict([wanted], [other], [wanted], {_FILE: Lines(b"a\nb\n", b"a\nc\n")})
    assert found.stayed == ()
    assert found.came == (other,)


def test_what_only_an_old_torch_does_may_come_where_an_error_goes() -> None:
    moved = {_FILE: Lines(b"a\nb\n", b"a\nc\n")}
    older = _finding("DL2", 1)._replace(condition="torch is older than 1.9 (the project names no release)")
    elsewhere = older._replace(condition="workers are not forked")
    wanted = _finding("DL1", 2)
    assert verdict([wanted], [older], [wanted], moved).is_good
    assert verdict([wanted], [elsewhere], [wanted], moved).came == (elsewhere,)
    # A warning is not traded for another, but for one that is only of an old torch as well.
    wanted = wanted._replace(condition="the option workers is above 0")
    fewer = older._replace(condition=f"the option workers is above 0 and {older.condition}")
    assert verdict([wanted], [fewer], [wanted], moved).is_good
    wanted = wanted._replace(condition="the option seed is given")
    assert verdict([wanted], [older], [wanted], moved).came == (older,)


def test_of_several_alike_the_one_that_came_is_told() -> None:
    moved = {_FILE: Lines(b"a\nb\nc\n", b"a\nx\ny\nc\n")}
    wanted, stays = _finding("DL1", 2), _finding("DL2", 3)
    new, same = _finding("DL2", 2), _finding("DL2", 4)
    assert verdict([wanted, stays], [new, same], [wanted], moved).came == (new,)


def test_others_that_go_as_well_are_no_matter() -> None:
    wanted, more = _finding("DL1", 2), _finding("DL1", 9, "/project/b.py")
    assert verdict([wanted, more], [], [wanted], {_FILE: Lines(b"a\nb\n", b"a\nc\n")}).is_good


def test_two_on_one_line_of_which_one_goes() -> None:
    moved = {_FILE: Lines(b"a; b\n", b"b\n")}
    wanted = _finding("DL1", 1)._replace(message="a", column=1)
    other = _finding("DL1", 1)._replace(message="b", column=4)
    assert verdict([wanted, other], [other._replace(column=1)], [wanted], moved).is_good
    assert verdict([wanted, other], [wanted], [wanted], moved).stayed == (wanted,)
    assert verdict([wanted, other], [wanted, other], [wanted], moved).stayed == (wanted,)


def test_two_on_one_line_that_tell_where_another_stands() -> None:
    moved = {_FILE: Lines(b"a\nb\nc\n", b"new\na\nB\nc\n")}
    first, second = (
        _finding("DL1", 2)._replace(column=column, message="a lambda (loader at a.py:3)") for column in (1, 5)
    )
    after = second._replace(line=3, message="a lambda (loader at a.py:4)")
    assert verdict([first, second], [after], [first], moved).is_good
    other = after._replace(message="a lambda (loader at b.py:4)")
    assert verdict([first, second], [other], [first], moved).stayed == (first,)
