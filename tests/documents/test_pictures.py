"""The pictures show what dlint says today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

draw = pytest.importorskip("draw", reason="needs a terminal")


@pytest.mark.parametrize(
    "name", ["check", "fix"]
)  # prove runs training programs: what it shows is a machine's
def test_a_picture_is_what_dlint_shows_now(name: str) -> None:
    kept = (draw.HERE / f"{name}.svg").read_text(encoding="utf-8")
    assert draw.drawn(name) == kept, f"python docs/pictures/draw.py {name}"


@pytest.mark.parametrize("name", draw.COMMANDS)
def test_a_picture_needs_no_server_and_names_no_folder_of_a_machine(name: str) -> None:
    text = (draw.HERE / f"{name}.svg").read_text(encoding="utf-8")
    assert re.findall(r"https?://\S+", text) == ['http://www.w3.org/2000/svg">']
    assert not re.search(r"/(?:home|root|tmp|usr|work|Users)/", text)


def test_no_picture_is_left_over() -> None:
    assert {path.stem for path in Path(draw.HERE).glob("*.svg")} == set(draw.COMMANDS)
