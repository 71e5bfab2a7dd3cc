"""What datasets hold and pickle cannot take."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import check

from dlint import engine
from dlint.settings.settings import Settings

from .held_programs import HEAD, OPENED, codes

_IMPORTS = """import ctypes, itertools, json, logging, multiprocessing, re, struct, threading
import xml.etree.ElementTree as ET
from collections import OrderedDict
from pathlib import Path

import boto3
import cv2
import decord
import hashlib
import pymongo
from lxml import etree
"""


@pytest.mark.parametrize(
    ("last", "found"), [("", ["DL401"]), ("self.clean = None", []), ("self.forget()", [])]
)
def test_stored_by_a_method_of_the_constructor(
    last: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"""
    def __init__(self, path):
        self.build(path)
        {last}

    def build(self, path):
        self.clean = lambda line: line.strip()

    def forget(self):
        del self.clean

    def __getitem__(self, index):
        return index
"""
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL401",)) == found


@pytest.mark.parametrize(
    ("kept", "after", "found"),
    [
        ("(line for line in open(path))", "", ["DL401"]),
        ("self.lines(path)", "", ["DL401"]),
        ("np", "", ["DL401"]),
        ("__import__(path)", "", ["DL401"]),
        ("torch.nn.functional", "", ["DL401"]),
        ("Path(path).iterdir()", "", ["DL401"]),
        ("(Path(path) / 'train').iterdir()", "", ["DL401"]),
        ("(path / Path('train')).glob('*.png')", "", ["DL401"]),
        ("Path(path).resolve().parent.rglob('*.png')", "", ["DL401"]),
        ("sorted((Path(path) / 'train').glob('*.png'))", "", []),
        ("Path(path) / 'train'", "", []),
        ("Path(path).resolve().parent", "", []),
        ("cv2.ORB_create(500)", "", ["DL401"]),
        ("cv2.SIFT.create()", "", ["DL401"]),
        ("cv2.imread(path)", "", []),
        ("sorted(Path(path).iterdir())", "", []),
        ("[line for line in open(path)]", "", []),
        ("list(line for line in open(path))", "", []),
        ("np.zeros", "", []),
        ("np if path else None", "", []),
        ("self.whole(path)", "", []),
        ("self.cached(path)", "", []),
        ("dict(zip(path, path)).keys()", "", ["DL401"]),
        ("{line: 1 for line in open(path)}.values()", "", ["DL401"]),
        ("json.load(open(path)).items()", "", ["DL401"]),
        ("OrderedDict(a=path).keys()", "", ["DL401"]),
        ("list(json.load(open(path)).keys())", "", []),
        ("path.keys()", "", []),
        ("struct.Struct('<I')", "", ["DL401"]),
        ("threading.Lock()", "", ["DL401"]),
        ("threading.Event()", "", ["DL401"]),
        ("multiprocessing.Lock()", "", []),
        ("logging.getLogger(path)", "", []),
        ("re.compile(path)", "", []),
        ("re.finditer('a', path)", "", ["DL401"]),
        ("itertools.cycle(path)", "", []),
        ("iter([path])", "", []),
        ("iter(DataLoader(path))", "", ["DL401"]),
        ("zip(path, path)", "", []),
        ("boto3.client('s3')", "", ["DL401"]),
        ("boto3.Session().resource('s3')", "", ["DL401"]),
        ("pymongo.MongoClient(path)", "", ["DL401"]),
        ("pymongo.MongoClient(path)", "self.kept = None", []),
        ("torch.jit.load(path)", "", ["DL401"]),
        ("torch.jit.load(path).eval()", "", ["DL401"]),
        ("torch.load(path)", "", []),
        ("ctypes.cdll.LoadLibrary(path)", "", ["DL401"]),
        ("decord.cpu(0)", "", ["DL401"]),
        ("hashlib.md5(path)", "", ["DL401"]),
        ("hashlib.md5(path).hexdigest()", "", []),
        ("etree.parse(path).getroot()", "", ["DL401"]),
        ("ET.parse(path).getroot()", "", []),
        ("cv2.createBackgroundSubtractorMOG2()", "", ["DL401"]),
        ("cv2.aruco.getPredefinedDictionary(3)", "", ["DL401"]),
        ("cv2.createHanningWindow((3, 3), 5)", "", []),
        ("(line for line in open(path))", "self.kept = list(self.kept)", []),
        ("(line for line in open(path))", "del self.kept", []),
    ],
)
def test_modules_and_generators(
    kept: str, after: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"""
    def __init__(self, path):
        self.kept = {kept}
        {after}

    def lines(self, path):
        for line in open(path):
            yield line

    def whole(self, path):
        return [line for line in open(path)]

    @torch.no_grad()
    def cached(self, path):
        yield path

    def __getitem__(self, index):
        return index
"""
    for options, expected in (("", found), (", multiprocessing_context='fork'", [])):
        program = _IMPORTS + OPENED.format(body=body, options=options)
        assert codes(tmp_path, program, monkeypatch, ("DL401",)) == expected


_KEEPS_VIEW = """
    def __init__(self, path):
        self.index = dict(zip(path, path))
        self.kept = self.index.keys()

    def __getitem__(self, index):
        return index
"""


@pytest.mark.parametrize(
    "shared", ["multiprocessing.Manager().dict()", "multiprocessing.managers.BaseManager()"]
)
def test_a_view_where_managers_teach_pickle_to_send_it(
    shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _IMPORTS + OPENED.format(body=_KEEPS_VIEW, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL401",)) == ["DL401"]
    assert codes(tmp_path, f"{program}\nSHARED = {shared}\n", monkeypatch, ("DL401",)) == []


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("(line for line in open(path))", ["DL401"]),
        ("cv2.ORB_create()", ["DL401"]),
        ("threading.Lock()", ["DL401"]),
        ("torch.jit.load(path)", ["DL401"]),
        ("np", []),
        ("dict(zip(path, path)).keys()", []),
        ("lambda line: line", []),
    ],
)
def test_what_cloudpickle_refuses_too(
    kept: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"""
    def __init__(self, path):
        self.kept = {kept}

    def __getitem__(self, index):
        return index
"""
    loky = "from joblib.externals.loky.backend.context import get_context\n"
    program = (
        _IMPORTS + loky + OPENED.format(body=body, options=", multiprocessing_context=get_context('loky')")
    )
    assert codes(tmp_path, program, monkeypatch, ("DL401",)) == found


@pytest.mark.parametrize(
    ("context", "found"),
    [
        ('loky_context("loky")', []),
        ("loky_context()", []),
        ('loky_context("spawn")', ["DL401", "DL402"]),
        ('get_context("forkserver")', ["DL401", "DL402"]),
        ("make_context()", ["DL401", "DL402"]),
    ],
)
def test_a_context_of_loky(
    context: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
from multiprocessing import get_context

from contexts import make_context
from joblib.externals.loky.backend.context import get_context as loky_context

loader = DataLoader(
    list(range(9)), num_workers=2, collate_fn=lambda items: items, multiprocessing_context={context}
)
for batch in loader:
    print(batch)
"""
    assert sorted(codes(tmp_path, program, monkeypatch, ("DL401", "DL402"))) == found


def test_a_generator_that_getstate_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    def __init__(self, path):
        self.lines = (line for line in open(path))

    def __getstate__(self):
        return {}

    def __getitem__(self, index):
        return index
"""
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL401",)) == []


_CLEANED = """\
strip = lambda line: line.strip()


class Lines(Dataset):
    cut = lambda self, line: line[:9]

    def __init__(self, path, clean=lambda line: line.strip(), *, end=None):
        self.path, self.clean, self.end = path, clean, end or len

    def __getitem__(self, index):
        return self.cut(self.clean(index))


if __name__ == "__main__":

    def upper(line):
        return line.upper()

    for batch in DataLoader(Lines({given}), num_workers=2):
        print(batch)
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("'x'", "is a lambda"),
        ("'x', strip", "is a lambda"),
        ("'x', len, end=(lambda: strip)()", "is a lambda"),
        ("'x', (lambda: lambda line: line)()", "is a lambda"),
        ("'x', upper", "that only the main guard defines"),
        ("'x', clean=str.strip", None),
    ],
)
def test_what_pickle_cannot_name(
    given: str, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(HEAD + _CLEANED.format(given=given))
    monkeypatch.chdir(tmp_path)
    findings = engine.check([Path()], Settings(select=("DL401",))).findings
    assert len(findings) == (said is not None)
    assert all(said is None or said in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("constructor", "found"),
    [
        ("", True),
        (
            "    def __init__(self, root, transform=None):\n        super().__init__(root, transform=transform)\n",
            True,
        ),
        (
            "    def __init__(self, root, transform=None):\n        ImageFolder.__init__(self, root, transform)\n",
            True,
        ),
        ("    def __init__(self, root, transform=None):\n        super().__init__(root)\n", False),
    ],
)
def test_what_a_librarys_constructor_keeps(
    constructor: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "program.py").write_text(
        "from torch.utils.data import DataLoader\n"
        "from torchvision.datasets import ImageFolder\n\n\n"
        f"class Folder(ImageFolder):\n    extra = 1\n\n{constructor}\n\n"
        "def main():\n"
        "    for batch in DataLoader(Folder('x', lambda image: image), num_workers=2):\n"
        "        print(batch)\n"
    )
    monkeypatch.chdir(tmp_path)
    findings = engine.check([Path()], Settings(select=("DL401",))).findings
    assert len(findings) == found
    assert all("an argument of Folder is a lambda" in finding.message for finding in findings)


@pytest.mark.parametrize(("kept", "since"), [("iterdir()", True), ("glob('*.png')", False)])
def test_what_later_pythons_can_send_is_said(kept: str, since: bool, tmp_path: Path) -> None:
    text = f"""\
from pathlib import Path
from torch.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __init__(self, path):
        self.kept = Path(path).{kept}

    def __getitem__(self, index):
        return index

loader = DataLoader(Data("a"), num_workers=2)
"""
    (finding,) = check(tmp_path, {"main.py": text}, "DL401").findings
    assert ("Python is older than 3.13" in finding.message) is since
    assert ("Python 3.14" in finding.message) is not since


_LAMBDA = "same = lambda x: x\n"
_TABLE = 'same = {"same": lambda x: x}["same"]\n'


@pytest.mark.parametrize(
    ("above", "inside", "cure"),
    [
        (_LAMBDA, "", "write it as a def"),
        (_TABLE, "", "write it as a def"),
        ("", f"    {_LAMBDA}", "define it at module level"),
    ],
)
def test_what_to_do_with_a_lambda(above: str, inside: str, cure: str, tmp_path: Path) -> None:
    """One that stands at module level is not to be defined there."""
    program = f"""from torch.utils.data import DataLoader
{above}
if __name__ == "__main__":
{inside}
    for batch in DataLoader([1, 2], num_workers=2, collate_fn=same):
        print(batch)
"""
    file = tmp_path / "train.py"
    file.write_text(program)
    (found,) = engine.check([file], Settings(select=("DL401",))).findings
    assert cure in found.message
