"""Readers of libraries that are opened before the workers start, and readers opened when first needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import av
import decord
import h5py
import lmdb
import rasterio
import soundfile
import tifffile
from rasterio.windows import Window
from torch.utils.data import DataLoader, Dataset


"""


def _check(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Checks that findings stand exactly on the lines that say ``# here``; their messages."""
    text = _HEAD + program.strip() + "\n"
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(text)
    monkeypatch.chdir(folder)
    findings = engine.check([Path()], Settings(select=("DL403",))).findings
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    assert [finding.line for finding in findings] == marked
    return [finding.message for finding in findings]


_KEPT = """
class Tiles(Dataset):
    def __init__(self, path):
        self.path = path
        {constructor}

    def __len__(self):
        return 9

    def __getitem__(self, index):
        {item}


for batch in DataLoader(Tiles("a"), num_workers=2):
    pass
"""


@pytest.mark.parametrize(
    ("constructor", "item", "says"),
    [
        ("self.src = rasterio.open(path)  # here", "return self.src.read(window=index)", "wrong data"),
        (
            "self.clip = decord.VideoReader(path)  # here",
            "return self.clip[index].asnumpy()",
            "forked workers share it and hang",
        ),
        ("self.clip = av.open(path)  # here", "return next(self.clip.decode(video=0))", "fail to read"),
        ("self.sound = soundfile.SoundFile(path)  # here", "return self.sound.read(9)", "wrong data"),
        (
            "self.file = tifffile.TiffFile(path)  # here",
            "return self.file.pages[index].asarray()",
            "wrong data, or fail",
        ),
        (
            "self.env = lmdb.open(path)  # here",
            "return self.env.begin().get(b'x')",
            "close the inherited one",
        ),
        ("self.images = h5py.File(path).get('x')  # here", "return self.images[index]", "HDF5"),
        ("self.images = h5py.File(path).get(part_of(path))  # here", "return self.images[index]", "HDF5"),
        (
            "self.file = h5py.File(path)  # here\n        self.x = self.file.get('x')",
            "return self.x[0]",
            "HDF5",
        ),
    ],
)
def test_kept_readers(
    constructor: str, item: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (message,) = _check(_KEPT.format(constructor=constructor, item=item), tmp_path, monkeypatch)
    assert says in message


@pytest.mark.parametrize(
    ("constructor", "item"),
    [
        ("with rasterio.open(path) as src:\n            self.size = src.width", "return self.size"),
        ("pass", "return rasterio.open(self.path).read(window=index)"),
        ("pass", "return decord.VideoReader(self.path)[index].asnumpy()"),
        ("self.src = rasterio.open(path, 'w')", "return self.src.write(index)"),
        ("self.rate = soundfile.info(path).samplerate", "return soundfile.read(self.path)[0] * self.rate"),
        ("self.images = h5py.File(path).get('x')[()]", "return self.images[index]"),
        ("settings = dict(x=3)\n        self.images = settings.get('x')", "return self.images + index"),
    ],
)
def test_readers_that_no_worker_shares(
    constructor: str, item: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _check(_KEPT.format(constructor=constructor, item=item), tmp_path, monkeypatch)


_LAZY = """
class Words(Dataset):
    def __init__(self, root):
        self.root = root

    def open(self):
        self.env = lmdb.open(self.root, readonly=True)  {mark}
        self.transaction = self.env.begin()

    def __len__(self):
        {length}

    def __getitem__(self, index):
        {item}
        return self.transaction.get(b"%d" % index)


def main():
    words = Words("a")
    {before}
    for batch in DataLoader(words, num_workers=2, shuffle=True):
        pass


main()
"""
_UNLESS = 'if not hasattr(self, "transaction"):\n            self.open()'


@pytest.mark.parametrize(
    ("mark", "length", "item", "before"),
    [
        pytest.param("# here", "return 9", _UNLESS, "print(words[0])", id="an item is read"),
        pytest.param(
            "# here", f"{_UNLESS}\n        return len(self.transaction)", _UNLESS, "pass", id="length"
        ),
        pytest.param("", "return 9", _UNLESS, "pass", id="only workers open it"),
        pytest.param("", "return 9", "self.open()", "print(words[0])", id="opened anew for each item"),
    ],
)
def test_opened_where_the_object_has_none(
    mark: str, length: str, item: str, before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _LAZY.format(mark=mark, length=length, item=item, before=before)
    _check(program, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("constructor", "item", "found"),
    [
        ("self.env = lmdb.open(path)\n        self.part = self.env.begin()", "return self.part.get(b'x')", 1),
        ("self.part = lmdb.open(path).begin().cursor()", "return self.part.get(b'x')", 1),
        (
            "self.db = sqlite3.connect(path)\n        self.part = self.db.cursor()",
            "return list(self.part)",
            1,
        ),
        ("self.part = sqlite3.connect(path).cursor().execute('x').fetchall()", "return self.part[0]", 0),
        ("self.part = lmdb.open(path).begin().get(b'n')", "return self.part", 0),
        ("self.part = h5py.File(path).get('x').shape", "return self.part", 0),
        ("self.part = open(path).read()", "return self.part", 0),
    ],
)
def test_parts_of_what_is_open(
    constructor: str, item: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the handle itself is not what worker code reads."""
    first, _, rest = constructor.partition("\n")
    program = "import sqlite3\n" + _KEPT.format(constructor=f"{first}{'  # here' * found}\n{rest}", item=item)
    _check(program, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("opened", "repaired"), [("decord.VideoReader(path)", False), ("rasterio.open(path)", True)]
)
def test_a_reader_that_hangs_when_it_is_let_go_is_not_repaired(
    opened: str, repaired: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handle for each process drops what the parent has opened."""
    text = _HEAD + _KEPT.format(constructor=f"self.file = {opened}", item="return self.file[index]").strip()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(text + "\n")
    monkeypatch.chdir(tmp_path)
    (finding,) = engine.check([Path()], Settings(select=("DL403",))).findings
    assert (finding.remedy is not None) is repaired
    assert ("keyed on os.getpid()" in finding.message) is repaired
