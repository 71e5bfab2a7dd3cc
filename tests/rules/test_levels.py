"""How bad a finding is for the project as it stands: the condition that the project leaves open."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine import check
from dlint.finding import Finding, Level
from dlint.settings.settings import Settings, load

_DRAWS = """\
import argparse
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return np.random.rand()


"""
_LOADS = "parser = argparse.ArgumentParser()\n{option}\nargs = parser.parse_args()\n{use}\n"


def _found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | dict[str, str], code: str, **chosen: str
) -> tuple[Finding, ...]:
    files = {"main.py": text} if isinstance(text, str) else text
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return check([Path()], load(Path.cwd(), {"select": (code,), **chosen})).findings


@pytest.mark.parametrize(
    ("option", "workers", "condition"),
    [
        (
            "parser.add_argument('--workers', type=int, default=0)",
            "args.workers",
            "the option workers is above 0",
        ),
        ("parser.add_argument('--workers', type=int, default=4)", "args.workers", None),
        ("parser.add_argument('--workers', type=int)", "args.workers", None),
        ("pass", "2", None),
    ],
)
def test_workers_that_an_option_asks_for(
    option: str, workers: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = f"loader = DataLoader(Noise(), num_workers={workers})"
    text = _DRAWS + _LOADS.format(option=option, use=use)
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    assert (finding.condition or "").startswith(condition or "")
    assert finding.level == ("error" if condition is None else "warning")
    assert (", if " in finding.message) is (condition is not None)


_BESIDE = " is above 0 (its default is 0)"
_SET = "from easydict import EasyDict\ncfg = EasyDict()\n"


@pytest.mark.parametrize(
    ("before", "workers", "condition"),
    [
        ("import os", "int(os.environ.get('N', 0))", f"the environment variable N{_BESIDE}"),
        ("import os", "int(os.getenv('N', '0'))", f"the environment variable N{_BESIDE}"),
        ("import os", "int(os.environ.get('N', 4))", None),
        ("import os", "int(os.environ['N'])", None),
        ("cfg = read()", "cfg.get('workers', 0)", f"the setting workers{_BESIDE}"),
        ("cfg = read()", "cfg.get('data', {}).get('workers', 0)", f"the setting workers{_BESIDE}"),
        ("cfg = read()", "cfg.get('workers', 2)", None),
        ("cfg = read()", "cfg.get('workers', False or 2)", None),
        ("cfg = read()", "getattr(cfg, 'workers', 0)", f"the setting workers{_BESIDE}"),
        ("cfg = read()", "cfg.workers", None),
        ("cfg = read()", "cfg.get('workers', 0) if cfg else 4", None),
        (
            "from easydict import EasyDict\n__C = EasyDict()\ncfg = __C\n__C.N = 0",
            "cfg.N",
            f"the setting N{_BESIDE}",
        ),
        ("from easydict import EasyDict\ncfg = EasyDict()\ncfg.N = 4", "cfg.N", None),
        (f"{_SET}cfg.N = 4\ncfg.debug = False", "0 if cfg.debug else cfg.N", None),
        (f"{_SET}cfg.N = 4\ncfg.debug = True", "0 if cfg.debug else cfg.N", "the setting debug is not True"),
        (f"{_SET}cfg.N = 4\ncfg.many = False", "cfg.N if cfg.many else 0", "the setting many is not False"),
        (f"{_SET}cfg.N = 4", "cfg.N if cfg.many else 0", None),
        (f"{_SET}cfg.N = 0\ncfg.debug = False", "0 if cfg.debug else cfg.N", f"the setting N{_BESIDE}"),
        (
            "from easydict import EasyDict\ncfg = EasyDict(read())\nif cfg.debug:\n    cfg.N = 0",
            "cfg.N",
            None,
        ),
        (
            "from easydict import EasyDict\ncfg = EasyDict()\ncfg.merge_from_file('a.yml')\n"
            "def debug(cfg):\n    cfg.N = 0\ndef other():\n    debug(cfg)",
            "cfg.N",
            None,
        ),
        (
            "from absl import flags\nflags.DEFINE_integer('n', 0, 'workers')\nF = flags.FLAGS",
            "F.n",
            f"the option n{_BESIDE}",
        ),
        ("from absl import flags\nflags.DEFINE_integer('n', 4, '')\nF = flags.FLAGS", "F.n", None),
        (
            "from yacs.config import CfgNode as CN\n_C = CN()\n_C.DATA = CN()\n_C.DATA.N = 0\n"
            "def cfg_of():\n    return _C.clone()\ncfg = cfg_of()\ncfg.merge_from_file('a.yml')",
            "cfg.DATA.N",
            f"the setting DATA.N{_BESIDE}",
        ),
    ],
)
def test_workers_that_are_0_where_nobody_says_otherwise(
    before: str, workers: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{_DRAWS}{before}\ndef main():\n    return DataLoader(Noise(), num_workers={workers})\nmain()\n"
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    assert (finding.condition, finding.level) == (condition, "warning" if condition else "error")


@pytest.mark.parametrize(
    ("after", "default"),
    [
        ("parser.set_defaults(workers=0)", "0"),
        ("parser.set_defaults(workers=4)", "4"),
        ("parser.set_defaults(**read())", None),
        ("if read():\n    parser.set_defaults(workers=0)", None),
        ("def other(parser):\n    parser.set_defaults(workers=0)", None),
    ],
)
def test_a_default_that_is_set_afterwards(
    after: str, default: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = f"parser.add_argument('--workers', type=int, default=2)\n{after}"
    use = "loader = DataLoader(Noise(), num_workers=args.workers)"
    text = _DRAWS + _LOADS.format(option=option, use=use)
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    assert finding.condition == (f"the option workers{_BESIDE}" if default == "0" else None)


@pytest.mark.parametrize(("target", "level"), [(None, "warning"), ("1.8", "error")])
def test_the_torch_that_the_project_declares(
    target: str | None, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"target_torch": target} if target else {}
    text = _DRAWS + "loader = DataLoader(Noise(), num_workers=2)\n"
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", **chosen)
    assert (finding.level, finding.effect) == (level, "silent")
    assert ("torch is older than 1.9" in finding.message) is (target is None)


_PYTHON = '[project]\nname = "x"\nrequires-python = ">=3.{minor}"\n'


@pytest.mark.parametrize(
    ("files", "level", "condition"),
    [
        ({"requirements.txt": "torch==1.7.1\n"}, "error", None),
        ({"requirements.txt": "numpy\ntorch<1.9\n"}, "error", None),
        ({"requirements.txt": "torch>=1.6,<=1.8\n"}, "error", None),
        ({"requirements.txt": "torch>=1.9\n"}, None, None),
        ({"requirements.txt": "torch\n"}, None, None),
        (
            {"requirements.txt": "numpy\ntorch>=1.6\n"},
            "warning",
            "torch is older than 1.9 (the project allows 1.6: requirements.txt:2)",
        ),
        (
            {"requirements.txt": "torch<2\n"},
            "warning",
            "torch is older than 1.9 (the project allows torch <2: requirements.txt:1)",
        ),
        (
            {"requirements.txt": "torch==2.1\n", "environment.yml": "dependencies:\n  - pytorch=1.7\n"},
            "warning",
            "torch is older than 1.9 (the project allows 1.7: environment.yml:2)",
        ),
        # No torch before 1.11 can be installed beside Python 3.10.
        ({"requirements.txt": "torch>=1.6\n", "pyproject.toml": _PYTHON.format(minor=10)}, None, None),
        ({"requirements.txt": "torch==1.7\n", "pyproject.toml": _PYTHON.format(minor=10)}, "error", None),
        (
            {"requirements.txt": "torch>=1.6\n", "pyproject.toml": _PYTHON.format(minor=9)},
            "warning",
            "torch is older than 1.9 (the project allows 1.6: requirements.txt:1)",
        ),
    ],
)
def test_the_range_that_the_project_declares(
    files: dict[str, str],
    level: Level | None,
    condition: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = _DRAWS + "loader = DataLoader(Noise(), num_workers=2)\n"
    findings = _found(tmp_path, monkeypatch, {"main.py": text, **files}, "DL202")
    assert [(each.level, each.condition) for each in findings] == ([(level, condition)] if level else [])
    assert not _found(tmp_path, monkeypatch, {"main.py": text, **files}, "DL202", target_torch="1.9")
    (finding,) = _found(tmp_path, monkeypatch, {"main.py": text, **files}, "DL202", target_torch="1.8")
    assert finding.level == "error"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, True),
        ({"other.py": "import torch\ntorch.compile(print)\n"}, False),
        ({"other.py": "try:\n    from torch import compile\nexcept ImportError:\n    pass\n"}, True),
        ({"other.py": "def f(x: int | None): pass\n"}, False),
        ({"other.py": "if (n := 1):\n    pass\n"}, True),
        ({"pyproject.toml": _PYTHON.format(minor=10)}, False),
        ({"pyproject.toml": _PYTHON.format(minor=9)}, True),
        ({"other.py": "import torch\ntorch.compile(print)\n", "requirements.txt": "torch<2.1\n"}, False),
        # What is said counts more than what one file of the program needs.
        ({"other.py": "import torch\ntorch.compile(print)\n", "requirements.txt": "torch==1.8\n"}, True),
        ({"other.py": "import torch\ntorch.compile(print)\n", "requirements.txt": "torch<1.9\n"}, True),
    ],
)
def test_the_oldest_torch_that_the_code_can_run_on(
    files: dict[str, str], found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _DRAWS + "loader = DataLoader(Noise(), num_workers=2)\n"
    assert bool(_found(tmp_path, monkeypatch, {"main.py": text, **files}, "DL202")) is found


def test_torch_that_seeds_numpy_itself_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _DRAWS + "loader = DataLoader(Noise(), num_workers=2)\n"
    assert not _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.9")


_IN_FUNCTION = _DRAWS + "def loaders():\n    return DataLoader(Noise(), num_workers=2)\n"


@pytest.mark.parametrize(
    ("files", "condition"),
    [
        ({"lib.py": _IN_FUNCTION}, "a program calls loaders()"),
        (
            {"lib.py": _IN_FUNCTION + "\n__all__ = ['loaders']\n", "api.py": "from lib import loaders\n"},
            "a program",
        ),
        ({"lib.py": _IN_FUNCTION + "\ndef train():\n    return loaders()\n"}, "a program calls train()"),
        ({"lib.py": _IN_FUNCTION, "main.py": "from lib import loaders\nloaders()\n"}, None),
        ({"lib.py": _IN_FUNCTION, "main.py": "import lib\nlib.loaders()\n"}, None),
        (
            {
                "lib.py": _IN_FUNCTION,
                "main.py": "import importlib\nmodule = importlib.import_module('lib')\n"
                "getattr(module, 'loaders')()\n",
            },
            None,
        ),
        # Another file speaks of something of its own.
        (
            {"lib.py": _IN_FUNCTION, "demo.py": "import torch\n\ndef show(loaders):\n    print(loaders)\n"},
            "a program calls loaders()",
        ),
        # Whatever the table is for: somebody has the function.
        ({"lib.py": _IN_FUNCTION + "\nTABLE = {1: loaders}\n"}, None),
        ({"lib.py": _IN_FUNCTION.replace("def loaders", "@app.command\ndef loaders")}, None),
        ({"lib.py": _IN_FUNCTION.replace("def loaders", "def main")}, None),
        ({"test_lib.py": _IN_FUNCTION.replace("def loaders", "def test_loaders")}, None),
    ],
)
def test_a_function_that_nothing_in_the_project_calls(
    files: dict[str, str], condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (finding,) = _found(tmp_path, monkeypatch, files, "DL202", target_torch="1.8")
    assert (finding.condition is None) is (condition is None)
    assert (finding.condition or "").startswith(condition or "")


def test_a_dataset_that_no_loader_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _DRAWS.replace("np.random.rand()", "np.random.seed(0)")
    (finding,) = _found(tmp_path, monkeypatch, text, "DL201")
    assert finding.condition == "a DataLoader with workers reads Noise"


@pytest.mark.parametrize(
    ("item", "condition"),
    [
        ("return self.__getitem__(np.random.randint(24))", True),
        ("return self[np.random.randint(24)]", True),
        (
            "try:\n            return read(index)\n        except OSError:\n            return np.random.rand()",
            True,
        ),
        ("return np.random.rand()", False),
    ],
)
def test_another_item_for_one_that_cannot_be_used(
    item: str, condition: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _DRAWS.replace("return np.random.rand()", item) + "loader = DataLoader(Noise(), num_workers=2)\n"
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    assert ("another is drawn" in (finding.condition or "")) is condition


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        ("self.split == 'test'", "self.split == 'test' is True"),
        ("not self.training", "not self.training is True"),
        ("self.fast", None),
    ],
)
def test_an_evaluation_that_is_the_same_each_time(
    test: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeding = f"if {test}:\n            np.random.seed(0)\n        return np.random.rand()"
    text = (
        _DRAWS.replace("return np.random.rand()", seeding) + "loader = DataLoader(Noise(), num_workers=2)\n"
    )
    (finding,) = _found(tmp_path, monkeypatch, text, "DL201")
    assert finding.condition == condition


_LOCAL = """\
from torch.utils.data import DataLoader

def build(dataset):
    def collate(batch):
        return batch

    return DataLoader(dataset, num_workers=2, collate_fn=collate)

build([1])
"""


@pytest.mark.parametrize(
    ("method", "level"), [(None, "warning"), ("spawn", "error"), ("forkserver", "error"), ("fork", None)]
)
def test_how_workers_start(
    method: str | None, level: Level | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"start_method": method} if method else {}
    findings = _found(tmp_path, monkeypatch, _LOCAL, "DL401", **chosen)
    assert [finding.level for finding in findings] == ([level] if level else [])
    assert all(finding.line == 4 and "partial" not in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("python", "more", "levels"),
    [
        (">=3.14", "", ["error"]),
        (">=3.13", "", ["warning"]),
        ("==3.13.*", "", ["warning"]),
        (">=3.14", "import multiprocessing\nmultiprocessing.set_start_method('fork')\n", []),
    ],
)
def test_a_python_that_does_not_fork(
    python: str, more: str, levels: list[Level], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"main.py": more + _LOCAL, "setup.cfg": f"[options]\npython_requires = {python}\n"}
    findings = _found(tmp_path, monkeypatch, files, "DL401")
    assert [finding.level for finding in findings] == levels


@pytest.mark.parametrize(("python", "level"), [(">=3.14", "error"), (">=3.10", "warning")])
@pytest.mark.parametrize("dataset", ["[1, 2]", "given"])
def test_an_unguarded_start_on_a_python_that_does_not_fork(
    dataset: str, python: str, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from torch.utils.data import DataLoader\nfrom other import given\n\n"
    text += f"for batch in DataLoader({dataset}, num_workers=2):\n    print(batch)\n"
    files = {"main.py": text, "setup.cfg": f"[options]\npython_requires = {python}\n"}
    (finding,) = _found(tmp_path, monkeypatch, files, "DL402")
    assert finding.level == level


def test_arguments_that_contradict_on_some_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from torch.utils.data import DataLoader\n\nDataLoader([1], shuffle=True, sampler=given)\n"
    assert not _found(tmp_path, monkeypatch, text, "DL301")
    some = text.replace("sampler=given", "sampler=[1] if distributed else None")
    (finding,) = _found(tmp_path, monkeypatch, some, "DL301")
    assert (finding.level, finding.effect) == ("warning", "error")
    (finding,) = _found(tmp_path, monkeypatch, text.replace("given", "[1]"), "DL301")
    assert finding.level == "error"


_IMAGES = """\
import cv2
from torch.utils.data import DataLoader, Dataset
from {other} import {name}


class Images(Dataset):
    def __getitem__(self, index):
        image = cv2.imread(str(index))
        return {call}


loader = DataLoader(Images(), num_workers=2)
"""
_OTHER = "import cv2\n\n\ndef shrink(image):\n    return cv2.resize(image, (9, 9))\n"


def test_one_opencv_finding_for_a_program_says_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = _IMAGES.format(other="other", name="shrink", call="shrink(image)")
    first, second = _found(tmp_path, monkeypatch, {"main.py": main, "other.py": _OTHER}, "DL101")
    assert (first.path, first.level, second.path, second.level) == ("main.py", "note", "other.py", "warning")
    assert "as in other.py:5" in first.message
    assert "covers main.py:8, too" in second.message
    assert "OpenMP" in (second.condition or "")


@pytest.mark.parametrize(
    ("call", "line", "level"),
    [("cv2.flip(image, 1)", 7, "note"), ("cv2.flip(cv2.resize(image, (9, 9)), 1)", 8, "warning")],
)
def test_what_starts_no_thread_of_opencv_is_a_note(
    call: str, line: int, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _IMAGES.format(other="os", name="path", call=call).replace("from os import path\n", "")
    (finding,) = _found(tmp_path, monkeypatch, text, "DL101")
    assert (finding.line, finding.level) == (line, level)


@pytest.mark.parametrize(
    ("level", "codes"), [("note", ["DL101", "DL401"]), ("warning", ["DL401"]), ("error", [])]
)
def test_level_shows_from_there_on(
    level: Level, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _IMAGES.format(other="os", name="path", call="image").replace("from os import path\n", "")
    text = text.replace("num_workers=2", "num_workers=2, collate_fn=lambda batch: batch")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = check([Path()], Settings(select=("DL101", "DL401"), level=level)).findings
    assert [finding.code for finding in found] == codes


_READ = """\
from torch.utils.data import DataLoader, Dataset
import numpy as np


class {name}(Dataset):
    def __getitem__(self, index):
        return {item}


{load}
"""


def test_the_reach_that_is_shown_does_not_begin_in_a_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "seeds.py": "import numpy as np\n\n\ndef fix(index):\n    np.random.seed(0)\n    return index\n",
        "deep.py": "from seeds import fix\n\n\ndef item(index):\n    return fix(index)\n",
        "train.py": "from deep import item\n"
        + _READ.format(name="Real", item="item(index)", load="DataLoader(Real(), num_workers=2)"),
        "test_seeds.py": "from seeds import fix\n"
        + _READ.format(name="Fake", item="fix(index)", load="DataLoader(Fake(), num_workers=2)"),
    }
    (finding,) = _found(tmp_path, monkeypatch, files, "DL201")
    assert [step.path for step in finding.reach] == ["train.py", "deep.py", "seeds.py", "seeds.py"]


def test_where_a_worker_init_fn_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init = "def make():\n    return None\n\n\nDataLoader(Noise(), num_workers=2, worker_init_fn=make())\n"
    (finding,) = _found(tmp_path, monkeypatch, _DRAWS + init, "DL202", target_torch="1.8")
    assert "worker_init_fn=make() may be None (main.py:15)" in finding.message


def test_the_same_is_said_of_a_file_that_is_asked_for_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = _IMAGES.format(other="other", name="shrink", call="shrink(image)")
    whole = _found(tmp_path, monkeypatch, {"main.py": main, "other.py": _OTHER}, "DL101")
    for finding in whole:
        assert check([Path(finding.path)], Settings(select=("DL101",))).findings == (finding,)


_CHOOSING = """\
import random

from torch.utils.data import DataLoader, Dataset


class Usable(Dataset):
    def __init__(self, items, read):
        self.items, self.read = items, read
        self.rng = random.Random(0)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        while True:
            item = self.read(self.items[index])
            if item is not None:
                return item
            {name} = self.rng.randrange(len(self.items))


def main(items, read):
    for batch in DataLoader(Usable(items, read), num_workers=2):
        print(batch)
"""


@pytest.mark.parametrize(("name", "level"), [("index", "warning"), ("self.last", "error")])
def test_a_generator_that_chooses_another_item(name: str, level: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_CHOOSING.format(name=name) + "\n\nmain([], str)\n")
    (finding,) = check([tmp_path], Settings(select=("DL203",))).findings
    assert finding.level == level


_ITEMS = """\
import random

from torch.utils.data import DataLoader, Dataset


class Usable(Dataset):
    def __init__(self, items, read):
        self.items, self.read = items, read
        self.kinds = [0] * len(items)
        self.candidates = set(range(len(items)))
        self.rng = random.Random(0)

    def __len__(self):
        return len(self.items)

    def _another(self, index):
        return self.rng.choice([at for at in self.candidates if at != index])

    def __getitem__(self, index):
{body}

def main(items, read):
    for batch in DataLoader(Usable(items, read), num_workers=2):
        print(batch)


main([], str)
"""
_REPLACED = {
    "a variable that begins as the index": """\
        at = int(index)
        while True:
            item = self.read(self.items[at])
            if item is not None:
                self.candidates.add(at)
                return item
            at = self.rng.sample(list(self.candidates), k=1)[0]
""",
    "attempts": """\
        at = index % len(self)
        for attempt in range(9):
            item = self.read(self.items[at])
            if item is not None:
                break
            at = self.rng.randrange(len(self))
        return item
""",
    "the next round at once": """\
        at = index
        while True:
            item = self.read(self.items[at])
            if item is None:
                print("left out", index)
                at = self.rng.randrange(len(self))
                continue
            return item
""",
    "as long as it cannot be used": """\
        at = index
        while not self.read(self.items[at]):
            at = self.rng.randrange(len(self))
        return at
""",
    "by a method": """\
        while True:
            item = self.read(self.items[index])
            if item is None:
                index = self._another(index)
                continue
            return item
""",
    "asked again with a variable": """\
        item = self.read(self.items[index])
        if item is None:
            other = self.rng.randrange(len(self))
            return self.__getitem__(other)
        return item
""",
    "asked again by a method": """\
        item = self.read(self.items[index])
        return self[self._another(index)] if item is None else item
""",
}
_DRAWN = {
    "one of another kind": """\
        other = index
        while self.kinds[other] == self.kinds[index]:
            other = self.rng.randrange(len(self))
        return self.items[index], self.items[other]
""",
    "another one": """\
        other = index
        while other == index:
            other = self.rng.randrange(len(self))
        return self.items[index], self.items[other]
""",
    "four in one": """\
        tiles = []
        for corner in range(4):
            tiles.append(self.read(self.items[index]))
            index = self.rng.randrange(len(self))
        return tiles
""",
    "for the item, too": """\
        at = index
        while True:
            item = self.read(self.items[at])
            if item is not None:
                return item, self.rng.random()
            at = self.rng.randrange(len(self))
""",
    "a partner, which is used besides": """\
        other = self.rng.randrange(len(self))
        if not self.read(self.items[index]):
            return self[other]
        return self.items[index], self.items[other]
""",
}


@pytest.mark.parametrize("body", _REPLACED.values(), ids=_REPLACED)
def test_another_item_in_a_loop(body: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_ITEMS.format(body=body))
    (finding,) = check([tmp_path], Settings(select=("DL203",))).findings
    assert finding.condition == "an item cannot be used and another is drawn"


@pytest.mark.parametrize("body", _DRAWN.values(), ids=_DRAWN)
def test_other_items_that_are_drawn_for_each(body: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_ITEMS.format(body=body))
    (finding,) = check([tmp_path], Settings(select=("DL203",))).findings
    assert finding.condition is None


_SEEDED = """\
import random
import sys
from functools import partial

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {draw}


def seed_worker(worker_id, seed=None):
    {test}np.random.seed(worker_id)


def main(seed):
    loader = DataLoader(Noise(), num_workers=2, worker_init_fn={given})
    {loop}:
        print(batch)


if __name__ == "__main__":
    main(3 if "fixed" in sys.argv else None)
"""
_TWICE = "for epoch in range(2):\n        for batch in loader"


@pytest.mark.parametrize(
    ("draw", "test", "given", "loop", "condition"),
    [
        ("np.random.rand()", "", "seed_worker", _TWICE, None),
        ("random.random()", "", "seed_worker", _TWICE, "worker code draws from it"),
        ("index", "", "seed_worker", _TWICE, "worker code draws from it"),
        (
            "np.random.rand()",
            "",
            "seed_worker",
            "for batch in loader",
            "the loader is gone through more than once",
        ),
        (
            "np.random.rand()",
            "if seed is not None: ",
            "partial(seed_worker, seed=seed)",
            _TWICE,
            "seed is not None",
        ),
        ("np.random.rand()", "if seed is not None: ", "partial(seed_worker, seed=3)", _TWICE, None),
        ("np.random.rand()", "if seed: ", "partial(seed_worker, seed=seed)", _TWICE, "seed is not None"),
    ],
)
def test_what_a_seed_hangs_on(
    draw: str, test: str, given: str, loop: str, condition: str | None, tmp_path: Path
) -> None:
    text = _SEEDED.format(draw=draw, test=test, given=given, loop=loop)
    (tmp_path / "program.py").write_text(text.replace("        print(batch)", "            print(batch)"))
    (finding,) = check([tmp_path], Settings(select=("DL204",))).findings
    assert finding.condition == condition


_FLAGGED = """\
import argparse
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, perturb, other):
        self.perturb = perturb
        self.other = other

    def __len__(self):
        return 24

    def __getitem__(self, index):
        {draw}


parser = argparse.ArgumentParser()
{option}
parser.add_argument('--other')
args = parser.parse_args()
loader = DataLoader(Noise({given}, args.other), num_workers=2)
"""
_FLAG = "parser.add_argument('--perturb', action='store_true')"


@pytest.mark.parametrize(
    ("option", "given", "draw", "condition"),
    [
        (
            _FLAG,
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            _FLAG,
            "args.perturb",
            "if not self.perturb:\n            return 1\n        return np.random.rand()",
            True,
        ),
        (
            _FLAG,
            "args.perturb",
            "if index and self.perturb:\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb",
            "if self.perturb > 0:\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb",
            "if self.perturb != 0 and index:\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if self.perturb == 'noise':\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if self.perturb in ('noise', 'blur'):\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if not self.perturb == 'none':\n            index += np.random.rand()\n        return index",
            True,
        ),
        (
            "parser.add_argument('--perturb', type=int, default=-1)",
            "args.perturb",
            "if self.perturb >= 0:\n            index += np.random.rand()\n        return index",
            True,
        ),
        # Something else is drawn without it, or it may be on.
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb",
            "if self.perturb >= 0:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb",
            "if self.perturb < 1:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if self.perturb != 'noise':\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if self.perturb == 'noise' or index:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', default='none', choices=['none', 'noise'])",
            "args.perturb",
            "if self.perturb == self.other:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', default='noise')",
            "args.perturb",
            "if self.perturb == 'noise':\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=float('0'))",
            "args.perturb",
            "if self.perturb > 0:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', type=float, default=0.0)",
            "args.perturb if args.other else 1.0",
            "if self.perturb > 0:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            _FLAG,
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index + np.random.rand()",
            False,
        ),
        (
            _FLAG,
            "args.perturb",
            "if index or self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            _FLAG,
            "args.perturb",
            "if not self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            _FLAG,
            "args.perturb or args.other",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', action='store_false')",
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            "parser.add_argument('--perturb', action='store_true', default=True)",
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
        (
            f"{_FLAG}\nparser.set_defaults(perturb=True)",
            "args.perturb",
            "if self.perturb:\n            index += np.random.rand()\n        return index",
            False,
        ),
    ],
)
def test_draws_that_an_option_asks_for(
    option: str, given: str, draw: str, condition: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _FLAGGED.format(option=option, given=given, draw=draw)
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    assert finding.condition == ("the option perturb is given" if condition else None)
    assert finding.level == ("warning" if condition else "error")


_BY_OBJECT = """\
import argparse
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Jitter:
    def __init__(self, much):
        self.much = much

    def __call__(self, index):
        return index + np.random.rand() * self.much


class Rows(Dataset):
    def __init__(self, much, conf=None):
        self.jitter = {made}

    def __len__(self):
        return 24

    def __getitem__(self, index):
        {test}:
            index = self.jitter(index)
        return index


parser = argparse.ArgumentParser()
{option}
parser.add_argument('--train', action='store_true')
args = parser.parse_args()
if args.train:
    loader = DataLoader(Rows({given}), num_workers=2)
"""
_TRAINS = "the option train is given"  # what the loader itself hangs on
_UNLESS_NONE = "Jitter(much) if much is not None else None"
_NO_MUCH = "parser.add_argument('--much', type=float)"


@pytest.mark.parametrize(
    ("option", "made", "given", "test", "asked"),
    [
        (_NO_MUCH, _UNLESS_NONE, "args.much", "if self.jitter", True),
        (_NO_MUCH, _UNLESS_NONE, "args.much", "if self.jitter is not None", True),
        (_NO_MUCH, _UNLESS_NONE, "much=args.much", "if self.jitter is not None and index", True),
        ("parser.add_argument('--much', default=None)", _UNLESS_NONE, "args.much", "if self.jitter", True),
        (
            "parser.add_argument('--much', default=0, type=float)",
            "Jitter(much) if much else None",
            "args.much",
            "if self.jitter",
            True,
        ),
        (
            "parser.add_argument('--much', action='store_true')",
            "Jitter(2) if much else None",
            "args.much",
            "if self.jitter",
            True,
        ),
        (
            "parser.add_argument('--much', default='none')",
            "Jitter(2) if much == 'all' else None",
            "args.much",
            "if self.jitter",
            True,
        ),
        (
            _NO_MUCH,
            "Jitter(conf['much']) if conf.get('much') is not None else None",
            "None, dict(much=args.much, size=3)",
            "if self.jitter",
            True,
        ),
        # There is one by default, or in any case.
        ("parser.add_argument('--much', default=1)", _UNLESS_NONE, "args.much", "if self.jitter", False),
        ("parser.add_argument('--much', required=True)", _UNLESS_NONE, "args.much", "if self.jitter", False),
        ("parser.add_argument('much')", _UNLESS_NONE, "args.much", "if self.jitter", False),
        (_NO_MUCH, "Jitter(1) if much is None else None", "args.much", "if self.jitter", False),
        (_NO_MUCH, "Jitter(1 if much is None else much)", "args.much", "if self.jitter", False),
        (_NO_MUCH, _UNLESS_NONE, "3", "if self.jitter", False),
        (_NO_MUCH, _UNLESS_NONE, "args.much", "if index > 2 or self.jitter", False),
        (_NO_MUCH + "\nparser.set_defaults(**read())", _UNLESS_NONE, "args.much", "if self.jitter", False),
    ],
)
def test_what_draws_is_there_where_an_option_asks_for_it(
    option: str,
    made: str,
    given: str,
    test: str,
    asked: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = _BY_OBJECT.format(option=option, made=made, given=given, test=test)
    (finding,) = _found(tmp_path, monkeypatch, text, "DL202", target_torch="1.8")
    # Where a parser's defaults are read from somewhere, nobody knows that --train is off.
    train = None if "read()" in option else _TRAINS
    assert finding.condition == (f"{_TRAINS} and the option much is given" if asked else train)


_CHOSEN = """\
import argparse
import multiprocessing
import numpy as np
from easydict import EasyDict
from torch.utils.data import DataLoader, Dataset


class Plain(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return index


class Pooled(Plain):
    def __getitem__(self, index):
        with multiprocessing.Pool(2) as pool:
            return pool.map(abs, [index])[0] + np.random.rand()


cfg = EasyDict()
{option}
parser.add_argument('--train', action='store_true')
args = parser.parse_args()


def main():
    if args.train:
        {loads}


if __name__ == "__main__":
    main()
"""
_SWITCH = "parser = argparse.ArgumentParser()\nparser.add_argument('--pool', action='store_true')"
_KIND = "parser = argparse.ArgumentParser()\nparser.add_argument('--pool', default='no')"
_SETTING = "parser = argparse.ArgumentParser()\ncfg.pool = {}"
_EITHER = "loader = DataLoader(Pooled() if {} else Plain(), num_workers=2)"


@pytest.mark.parametrize("code", ["DL107", "DL202"])
@pytest.mark.parametrize(
    ("option", "loads", "condition"),
    [
        (_SWITCH, _EITHER.format("args.pool"), "the option pool is given"),
        (
            _SWITCH.replace("action='store_true'", "type=int"),
            _EITHER.format("args.pool"),
            "the option pool is given",
        ),
        (
            _SWITCH,
            "data = Plain()\n        if args.pool:\n            data = Pooled()\n        loader = DataLoader(data, num_workers=2)",
            "the option pool is given",
        ),
        (_SETTING.format(False), _EITHER.format("cfg.pool"), "the setting pool is not False"),
        # Read by default, or beside it, or not more off than the other one.
        (_SWITCH, _EITHER.format("not args.pool"), None),
        (_SETTING.format(True), _EITHER.format("cfg.pool"), None),
        (_SETTING.format("False\nif cfg.size > 9:\n    cfg.pool = True"), _EITHER.format("cfg.pool"), None),
        (_SWITCH, "loader = DataLoader(Pooled(), num_workers=2 if args.pool else 3)", None),
        (_KIND, _EITHER.format("args.pool == 'yes'"), "the option pool is given"),
        (_KIND, _EITHER.format("args.pool == 'no'"), None),
        (
            _SWITCH.replace(", action='store_true'", ""),
            "if args.pool == 'yes':\n            data = Pooled()\n        elif args.pool == 'no':\n"
            "            data = Plain()\n        loader = DataLoader(data, num_workers=2)",
            None,
        ),
        (_SWITCH + "\nparser.set_defaults(pool=True)", _EITHER.format("args.pool"), None),
        (_SWITCH, _EITHER.format("args.pool or len(cfg.rows) > 9"), None),
    ],
)
def test_a_dataset_that_an_option_asks_for(
    option: str,
    loads: str,
    condition: str | None,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = _CHOSEN.format(option=option, loads=loads)
    (finding,) = _found(tmp_path, monkeypatch, text, code, target_torch="1.8")
    assert finding.condition == (f"{_TRAINS} and {condition}" if condition else _TRAINS)


_COLLATES = """\
class OnGpu:
    def __call__(self, items):
        with multiprocessing.Pool(2) as pool:
            return torch.tensor(pool.map(abs, items)).cuda()


def on_gpu(items):
    return OnGpu()(items)


def plain(items):
    return items


"""


@pytest.mark.parametrize("code", ["DL107", "DL503"])
@pytest.mark.parametrize(
    ("collate", "condition"),
    [
        ("OnGpu() if args.pool else None", "the option pool is given"),
        ("on_gpu if args.pool else plain", "the option pool is given"),
        ("functools.partial(on_gpu) if args.pool else plain", "the option pool is given"),
        ("OnGpu() if not args.pool else None", None),
        ("OnGpu() if args.pool else on_gpu", None),
        ("OnGpu()", None),
    ],
)
def test_a_collate_fn_that_an_option_asks_for(
    collate: str, condition: str | None, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = (
        f"torch.cuda.set_device(0)\n        loader = DataLoader(Plain(), num_workers=2, collate_fn={collate})"
    )
    text = _CHOSEN.format(option=_SWITCH, loads=loads)
    text = "import functools\nimport torch\n" + text.replace("class Plain(", f"{_COLLATES}class Plain(")
    (finding,) = _found(tmp_path, monkeypatch, text, code)
    assert finding.condition == (f"{_TRAINS} and {condition}" if condition else _TRAINS)


_SEEDED_TWICE = """\
import random
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        random.seed(index)
        np.random.seed(index)
        return {drawn}


loader = DataLoader(Noise(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("drawn", "conditions"),
    [
        ("np.random.rand()", ["worker code draws from random", None]),
        ("np.random.rand() + random.random()", [None, None]),
        ("index", [None, None]),  # nothing is seen to draw
    ],
)
def test_a_state_that_nobody_draws_from(
    drawn: str, conditions: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _found(tmp_path, monkeypatch, _SEEDED_TWICE.format(drawn=drawn), "DL201")
    assert [finding.condition for finding in found] == conditions
    assert [finding.level for finding in found] == ["warning" if each else "error" for each in conditions]


_HELD = """\
import sys
import lmdb
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self, path):
        self.file = lmdb.open(path, lock=False)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.file.begin().get(index)


class Masked(Dataset):
    def __init__(self, path):
        self.data = Records(path)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.data[index]


data = list(range(3)) if sys.argv[1] else Masked("x.bin")
for batch in DataLoader(data, num_workers=4):
    print(batch)
"""


def test_the_way_with_the_fewest_conditions_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That some loader may read the dataset is no condition where another is seen to, by a longer way."""
    (finding,) = _found(tmp_path, monkeypatch, _HELD, "DL403")
    assert finding.condition == "workers are not forked (macOS, Windows, Python 3.14)"
    assert finding.reach[0].name == "Masked.__getitem__"


_MOVES = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.zeros(3).to("cuda").cpu()


def other():
    torch.cuda.set_device(0)


def train():
    {before}
    for rows in DataLoader(Rows(), num_workers=2, {given}):
        {use}


if __name__ == "__main__":
    train()
"""
_UNSEEN = "the parent has used the GPU before"


@pytest.mark.parametrize(
    ("before", "given", "use", "condition"),
    [
        ("pass", "", "print(rows)", _UNSEEN),
        ("torch.cuda.manual_seed_all(0)", "", "print(torch.cuda.device_count())", _UNSEEN),
        ("pass", "pin_memory=False", "print(rows)", _UNSEEN),
        ("pass", "pin_memory=True", "print(rows)", None),
        ("print(torch.cuda.is_available())", "", "print(rows)", None),
        ("pass", "", "print(rows.cuda())", None),
        ("pass", "", "print(rows.to('cuda'))", None),
        ("other()", "", "print(rows)", None),
    ],
)
def test_a_parent_that_uses_the_gpu(
    before: str, given: str, use: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As measured: the other functions that nothing calls do not count."""
    text = _MOVES.format(before=before, given=given, use=use)
    (finding,) = _found(tmp_path, monkeypatch, text, "DL503")
    assert finding.condition == condition


_SEEDS_BY_TWO_WAYS = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise:
    def __call__(self, sample):
        np.random.seed(5)
        return sample + np.random.randn(*sample.shape)


class Scans(Dataset):
    def __init__(self, noise, is_test):
        self.noise, self.is_test = noise, is_test

    def __len__(self):
        return 50

    def scan(self, index):
        return self.noise(np.full(4, index))

    def __getitem__(self, index):
        if self.is_test:
            return self.scan(index)
        return {other}


for scan in DataLoader(Scans(Noise(), input() == "test"), num_workers=2):
    print(scan)
"""


@pytest.mark.parametrize(
    ("other", "condition"),
    [("self.scan(2 * index)", None), ("np.ones(index)", "self.is_test is True")],
)
def test_a_way_to_a_seed_that_no_mode_decides(
    other: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way is the shortest, one that is taken in training repeats the numbers there."""
    (finding,) = _found(tmp_path, monkeypatch, _SEEDS_BY_TWO_WAYS.format(other=other), "DL201")
    assert finding.condition == condition


@pytest.mark.parametrize(
    ("transform", "level"),
    [
        ("transforms.RandomHorizontalFlip()", "error"),
        ("transforms.Compose([transforms.Resize(9), transforms.RandomCrop(4)])", "error"),
        ("transforms.Compose([transforms.Compose([transforms.RandomVerticalFlip(p=0.3)])])", "error"),
        ("transforms.Compose([transforms.Resize(9), transforms.ToTensor()])", "warning"),
        ("transforms.Compose([transforms.RandomHorizontalFlip(p=1.0)])", "warning"),
        ("transforms.RandomVerticalFlip(0)", "warning"),
        ("transforms.Compose(make())", "warning"),
    ],
)
def test_what_draws_for_torchvision(transform: str, level: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import torch\nfrom torch.utils.data import DataLoader, Dataset\nfrom torchvision import transforms\n\n\n"
        "class Faces(Dataset):\n    def __init__(self, transform):\n        self.transform = transform\n\n"
        "    def __len__(self):\n        return 9\n\n"
        "    def __getitem__(self, i):\n        return self.transform(torch.zeros(3, 9, 9))\n\n\n"
        "def init(worker_id):\n    torch.manual_seed(worker_id)\n\n\n"
        f"for epoch in range(9):\n    for batch in DataLoader(Faces({transform}), num_workers=2, "
        "worker_init_fn=init):\n        print(batch)\n"
    )
    (finding,) = check([tmp_path], Settings(select=("DL204",))).findings
    assert finding.level == level


@pytest.mark.parametrize(
    ("torch", "again"), [("torch>=1.7,<1.9", "every epoch draws"), ("torch>=1.7", "and run")]
)
def test_a_state_word_is_another_in_another_run_of_old_torch(torch: str, again: str, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(torch + "\n")
    (tmp_path / "main.py").write_text(
        "import numpy as np\nfrom torch.utils.data import DataLoader, Dataset\n\n\n"
        "class Noisy(Dataset):\n    def __len__(self):\n        return 9\n\n"
        "    def __getitem__(self, i):\n        return np.random.rand(3)\n\n\n"
        "def init(worker_id):\n    np.random.seed(np.random.get_state()[1][0] + worker_id)\n\n\n"
        "for epoch in range(3):\n    for batch in DataLoader(Noisy(), num_workers=4, worker_init_fn=init):\n"
        "        print(batch)\n"
    )
    (finding,) = check([tmp_path], load(tmp_path, {"select": ("DL204",)})).findings
    assert again in finding.message


@pytest.mark.parametrize(
    ("second", "condition"),
    [
        ("elif args.test", "either the option test is given or the option train is given"),
        ("elif args.train and args.test", "the option train is given"),
        ("if not args.test", None),
    ],
)
def test_each_option_that_leads_there_is_told(second: str, condition: str | None, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import argparse\nimport cv2\nfrom torch.utils.data import DataLoader, Dataset\n\n\n"
        "class Images(Dataset):\n    def __len__(self):\n        return 9\n\n"
        "    def __getitem__(self, i):\n        return cv2.resize(cv2.imread(str(i)), (4, 4))\n\n\n"
        "parser = argparse.ArgumentParser()\n"
        'parser.add_argument("--train", action="store_true")\nparser.add_argument("--test", action="store_true")\n'
        "args = parser.parse_args()\nif args.train:\n    for batch in DataLoader(Images(), num_workers=4):\n"
        f"        print(batch)\n{second}:\n    for batch in DataLoader(Images(), num_workers=2):\n        print(batch)\n"
    )
    (finding,) = check([tmp_path], Settings(select=("DL101",))).findings
    rest = "OpenCV was built with OpenMP, as conda's is"
    assert finding.condition == (f"{condition} and {rest}" if condition else rest)
