"""Handles that datasets hold: who opens them, and when they are let go."""

from __future__ import annotations

from pathlib import Path

import pytest

from .held_programs import OPENED, codes

_LAZY_ARCHIVE = """
    def archive(self):
        if self.file is None:
            self.file = zipfile.ZipFile(self.path)
        return self.file

    def __getitem__(self, index):
        return self.archive().read(self.names[index])
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.open(lazy=False)

    def open(self, lazy):
        if not lazy:
            self.file = zipfile.ZipFile(self.path)

    def __getitem__(self, index):
        return self.file.read(str(index))
""",
            id="a method of the constructor opens it",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = None
        self.names = sorted(self.archive().namelist())
"""
            + _LAZY_ARCHIVE,
            id="the constructor needs it first",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self._file = None
        self.names = self.list_names()

    def list_names(self):
        return self.file.namelist()

    @property
    def file(self):
        if self._file is None:
            self._file = zipfile.ZipFile(self.path)
        return self._file

    def __getitem__(self, index):
        return self.file.read(self.names[index])
""",
            id="a property, by a method of the constructor",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return len(self.archive().namelist())
"""
            + _LAZY_ARCHIVE,
            id="the length needs it",
        ),
    ],
)
@pytest.mark.parametrize(
    "state", ["", "\n    def __getstate__(self):\n        return {**vars(self), 'file': None}\n"]
)
def test_opened_by_what_the_parent_calls(
    body: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = OPENED.format(body=body + state, options=", shuffle=True")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == ["DL403"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.open(lazy=True)

    def open(self, lazy):
        if not lazy:
            self.file = zipfile.ZipFile(self.path)

    def __getitem__(self, index):
        return self.file.read(str(index))
""",
            id="the constructor asks its method not to",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = None
        self.names = sorted(self.archive().namelist())
        self.file = None
"""
            + _LAZY_ARCHIVE,
            id="forgotten by the constructor",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = None
        self.names = sorted(self.archive().namelist())
        self.close()

    def close(self):
        if self.file is not None:
            self.file.close()
        self.file = None
"""
            + _LAZY_ARCHIVE,
            id="closed by the constructor's method",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = self.pid = None
        self.names = sorted(self.archive().namelist())

    def archive(self):
        if self.file is None or self.pid != os.getpid():
            self.file, self.pid = zipfile.ZipFile(self.path), os.getpid()
        return self.file

    def __getitem__(self, index):
        return self.archive().read(self.names[index])
""",
            id="keyed on the process",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.open()
        os.register_at_fork(after_in_child=self.open)

    def open(self):
        self.file = zipfile.ZipFile(self.path)

    def __getstate__(self):
        return {"path": self.path}

    def __getitem__(self, index):
        return self.file.read(str(index))
""",
            id="opened again after a fork",
        ),
        pytest.param(
            """
    def __init__(self, path):
        self.path = path
        self.file = None
        self.names = sorted(zipfile.ZipFile(path).namelist())

    def __len__(self):
        return len(self.names)
"""
            + _LAZY_ARCHIVE,
            id="the length is known",
        ),
    ],
)
def test_opened_by_workers_alone(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = OPENED.format(body=body, options=", shuffle=True")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == []


def test_length_that_is_asked_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return len(self.archive().namelist())
"""
    program = OPENED.format(body=body + _LAZY_ARCHIVE, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == []
    asked = program.replace(
        "    for batch in DataLoader(Archive(path)",
        "    data = Archive(path)\n    print(len(data))\n    for batch in DataLoader(data",
    )
    assert codes(tmp_path, asked, monkeypatch, ("DL403",)) == ["DL403"]


@pytest.mark.parametrize(
    ("init", "read", "found"),
    [
        ("self.files = {p: h5py.File(p) for p in path}", "self.files[index]['x'][()]", 1),
        ("self.files = [zipfile.ZipFile(p) for p in path]", "self.files[index].read('x')", 1),
        ("self.files = {'a': open(path, 'rb'), 'b': None}", "self.files['a'].read(index)", 1),
        ("self.files = [(p, open(p, 'rb')) for p in path]", "self.files[0][1].read(index)", 1),
        ("self.files = [len(h5py.File(p)['x']) for p in path]", "self.files[index]", 0),
        ("self.files = [h5py.File(p)['x'][()] for p in path]", "self.files[index]", 0),
        ("self.files = [open(p).read() for p in path]", "self.files[index]", 0),
        ("self.files = [open(p, 'w') for p in path]", "self.files[index].write('x')", 0),
        ("self.files = [h5py.File(p) for p in path]", "index", 0),
        (
            "files = [h5py.File(p) for p in path]\n        self.files = [f['x'][()] for f in files]",
            "self.files[index]",
            0,
        ),
        (
            "self.files = []\n        for p in path:\n            self.files.append(h5py.File(p))",
            "self.files[index]['x'][()]",
            1,
        ),
        (
            "self.files = [h5py.File(p) for p in path]\n        for f in self.files:\n            f.close()",
            "self.files[index]",
            0,
        ),
        ("self.files = {}", "self.files.setdefault(index, h5py.File(str(index)))['x'][()]", 0),
    ],
)
def test_handles_in_containers(
    init: str, read: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"""
    def __init__(self, path):
        {init}

    def __getitem__(self, index):
        return {read}
"""
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == ["DL403"] * found


def test_container_that_workers_fill_for_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    def __init__(self, path):
        self.path = path
        self.files = {"first": h5py.File(path[0])}
        self.length = len(self.files["first"]["x"])
        self.files = {}

    def __getitem__(self, index):
        key = (os.getpid(), index)
        if key not in self.files:
            self.files[key] = h5py.File(self.path[index])
        return self.files[key]["x"][()]
"""
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == []


_SHARED = """\
class Kept(Dataset):
    def __init__(self, path, **options):
        self.path = path
        {made}
        self.options = options

    def __getitem__(self, index):
        if self.file is None:
            self.file = zipfile.ZipFile(self.path)
        return self.file.read(str(index))

    def close(self):
        self.file.close()
        self.file = None


"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(
            "print(kept[0])\nkept.close()\nfor _ in DataLoader(kept, num_workers=2): pass", 0, id="closed"
        ),
        pytest.param(
            "print(kept[0])\nkept.file = None\nfor _ in DataLoader(kept, num_workers=2): pass",
            0,
            id="set to None",
        ),
        pytest.param(
            "print(kept[0])\nkept.file.close()\nkept.file = None\n"
            "for _ in DataLoader(kept, num_workers=2): pass",
            0,
            id="its file is closed",
        ),
        pytest.param("print(kept[0])\nfor _ in DataLoader(kept, num_workers=2): pass", 1, id="kept"),
        pytest.param(
            "print(kept[0])\nother.close()\nfor _ in DataLoader(kept, num_workers=2): pass",
            1,
            id="another one is closed",
        ),
        pytest.param(
            "print(kept[0])\nfor _ in DataLoader(kept, num_workers=2): pass\nkept.close()",
            1,
            id="closed after the workers",
        ),
        pytest.param(
            "print(kept[0])\nrows = list(DataLoader(kept, num_workers=2))\nkept.close()",
            1,
            id="closed after a list is made of all",
        ),
        pytest.param(
            "kept.close()\nprint(kept[0])\nfor _ in DataLoader(kept, num_workers=2): pass",
            1,
            id="closed before it is read",
        ),
    ],
)
def test_let_go_before_the_workers_start(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _SHARED.format(made="self.file = None") + "def main(other):\n    kept = Kept('a.zip')\n"
    program += "".join(f"    {line}\n" for line in body.splitlines())
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == ["DL403"] * found


_FOLDERS = """\
from torchvision.datasets import DatasetFolder, ImageFolder


class Folder(ImageFolder):
    def __init__(self, root, is_valid_file=None):
        super().__init__(root, is_valid_file=is_valid_file)


def main():
    {made}
    for batch in DataLoader(images, num_workers=2, multiprocessing_context="spawn"):
        print(batch)
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("images = ImageFolder('x', is_valid_file=lambda path: path.endswith('.png'))", 0),
        ("images = DatasetFolder('x', len, is_valid_file=lambda path: path.endswith('.png'))", 0),
        ("images = Folder('x', is_valid_file=lambda path: path.endswith('.png'))", 0),
        ("images = ImageFolder('x', is_valid_file=len, loader=lambda path: path)", 1),
        ("images = ImageFolder('x', transform=lambda image: image, is_valid_file=len)", 1),
        ("keep = lambda path: path\n    images = ImageFolder('x', transform=keep, is_valid_file=keep)", 1),
    ],
)
def test_what_a_library_only_uses(
    made: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert codes(tmp_path, _FOLDERS.format(made=made), monkeypatch, ("DL401",)) == ["DL401"] * found


@pytest.mark.parametrize(("first", "found"), [("dataset[0]", ["DL403"]), ("dataset.path", [])])
@pytest.mark.parametrize("opened", ["zipfile.ZipFile(self.path)", "open(self.path)"])
def test_opened_at_the_first_item(
    opened: str, first: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Archive(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __getitem__(self, index):
        if self.file is None:
            self.file = {opened}
        return self.file.read()


def main(path):
    dataset = Archive(path)
    print({first})
    for batch in DataLoader(dataset, num_workers=4):
        step(batch)
"""
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == found
