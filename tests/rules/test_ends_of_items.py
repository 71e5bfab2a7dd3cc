"""What real datasets give for an item: a StopIteration that ends the epoch."""

from __future__ import annotations

from pathlib import Path

import pytest

from .item_programs import check

_MIXED = """
class Mixer:
    def __init__(self, noises):
        self._it = iter(list(noises))

    def __call__(self, signal):
        return signal + next(self._it)  # here

    def mix(self, signal):
        return self(signal)


class Data(Base):
    def __init__(self, paths):
        super().__init__(paths)
        self.mixer = Mixer(paths)
        self.mixers = [Mixer(paths)]

    def __getitem__(self, index):
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "        return self.mixer(self.paths[index])",
        "        return self.mixer.mix(self.paths[index])",
        """
        signal = self.paths[index]
        for mixer in self.mixers:
            signal = mixer(signal)
        return signal
""",
    ],
)
def test_iterators_that_a_called_object_keeps(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(_MIXED.format(body=body), "DL505", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        try:
            return self.mixer(self.paths[index])
        except StopIteration:
            return self.paths[index]
""",
            id="caught on the way",
        ),
        pytest.param(
            "        return list(map(self.mixer, [self.paths[index]]))", id="map takes it for its own end"
        ),
        pytest.param(
            "        return sum(self.mixer(signal) for signal in [self.paths[index]])",
            id="an error in a generator expression",
        ),
    ],
)
def test_stop_iterations_that_are_taken_on_the_way(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _MIXED.format(body=body).replace("  # here", "")
    check(program, "DL505", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ("for path in self.paths:\n            for line in open(path):\n                yield line", True),
        ("while True:\n            for path in self.paths:\n                yield path", False),
        ("for path in self.paths:\n            for line in read(path):\n                yield line", False),
    ],
)
def test_generator_methods_that_end(
    body: str, ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
class Data(Base):
    def __init__(self, paths):
        super().__init__(paths)
        self.it = self._parts()

    def _parts(self):
        {body}

    def __getitem__(self, index):
        return next(self.it){"  # here" if ends else ""}
"""
    check(program, "DL505", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        if self.given > self.retries:
            raise StopIteration  # here
        return self.paths[index]
""",
            id="after so many items",
        ),
        pytest.param(
            """
        try:
            return read(self.paths[index])
        except OSError:
            raise StopIteration()  # here
""",
            id="when reading fails",
        ),
        pytest.param(
            """
        if index >= len(self.paths):
            raise StopIteration
        return self.paths[index]
""",
            id="out of bounds",
        ),
        pytest.param(
            """
        first = index * 4
        if first + 4 > len(self.paths):
            raise StopIteration
        return self.paths[first : first + 4]
""",
            id="a batch that is out of bounds",
        ),
        pytest.param(
            """
        try:
            if self.given > self.retries:
                raise StopIteration
            return self.paths[index]
        except StopIteration:
            return self.paths[0]
""",
            id="caught",
        ),
        pytest.param("        raise StopIteration", id="left to subclasses"),
    ],
)
def test_stop_iteration_that_is_raised(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"class Data(Base):\n    def __getitem__(self, index):\n{body}"
    check(program, "DL505", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        which = next(k for k, end in enumerate(self.ends) if index < end)
        return self.parts[which]
""",
            id="the place of the number among limits",
        ),
        pytest.param(
            """
        which = next(k for k in range(len(self.ends)) if index < self.ends[k])
        part = next(p for p in self.parts if p.first <= index < p.first + len(p))
        return self.parts[which], part
""",
            id="the same, limits that are looked up",
        ),
        pytest.param(
            """
        which = next(k for k, end in enumerate(self.ends) if end * self.retries > index + 1)
        return self.parts[which], next(p for p in self.paths if p.endswith(".png"))
""",
            id="the same, with arithmetic, and a name that matches",
        ),
        pytest.param(
            """
        return next(path for path in self.paths if path > self.first)  # here
""",
            id="another search",
        ),
        pytest.param(
            """
        wanted = index / 2
        return next(noise for noise in self.parts if noise.mean() > wanted)  # here
""",
            id="a search for what is measured",
        ),
        pytest.param(
            """
        return self.parts[self.place(index // 2)]

    def place(self, number):
        return next(k for k in range(len(self.ends)) if number < self.ends[k])
""",
            id="the place of the number that a method is given",
        ),
        pytest.param(
            """
        return self.parts[self.place(self.paths[index])]

    def place(self, number):
        return next(k for k in range(len(self.ends)) if number < self.ends[k])  # here
""",
            id="another number that a method is given",
        ),
        pytest.param(
            """
        try:
            path = self.paths[index]
        except IndexError:
            raise StopIteration
        return path
""",
            id="past the end",
        ),
        pytest.param(
            """
        try:
            path = self.paths[index]
        except KeyError:
            raise StopIteration  # here
        return path
""",
            id="another error",
        ),
    ],
)
def test_searches_and_bounds_end_no_epoch(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"class Data(Base):\n    def __getitem__(self, index):\n{body}"
    check(program, "DL505", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("renewed", "found"), [("data.items = iter(data.paths)", False), ("data.others = iter(data.paths)", True)]
)
def test_iterators_that_are_set_anew_from_outside(
    renewed: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
class Data(Base):
    def __init__(self, paths):
        super().__init__(paths)
        self.items = iter(self.paths)

    def __getitem__(self, index):
        return next(self.items){"  # here" if found else ""}
"""
    loaded = f"""

data = Data([])
loader = DataLoader(data, num_workers=2)
for epoch in range(9):
    {renewed}
    for batch in loader:
        pass
"""
    check(program, "DL505", tmp_path, monkeypatch, loaded)
