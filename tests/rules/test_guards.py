"""Where a script starts workers, and what keeps spawned workers from doing it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree, write

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(8, 2))


"""


def _main(expected: bool) -> str:
    mark = "  # expect: DL402" if expected else ""
    return f"def main():\n    for batch in DataLoader(data, num_workers=2):{mark}\n        print(batch)\n\n\n"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('if __name__ == "__main__":\n    main()', False),
        ('if "__main__" == __name__:\n    main()', False),
        ('if __name__ == "__main__" and torch.cuda.is_available():\n    main()', False),
        ('if not __name__ != "__main__":\n    main()', False),
        ('if __name__ != "__main__":\n    print("a module")\nelse:\n    main()', False),
        ('if __name__ != "__main__" or len(sys.argv) > 3:\n    print("a module")\nelse:\n    main()', False),
        ('try:\n    if __name__ == "__main__":\n        main()\nexcept KeyboardInterrupt:\n    pass', False),
        ('IS_MAIN = __name__ == "__main__"\nif IS_MAIN:\n    main()', False),
        ('IS_MAIN = __name__ == "__main__"\nif not IS_MAIN:\n    print()\nelse:\n    main()', False),
        ('IS_MAIN = __name__ == "__main__"\nif IS_MAIN and sys.argv:\n    main()', False),
        ('__name__ == "__main__" and main()', False),
        ('__name__ != "__main__" or main()', False),
        ('main() if __name__ == "__main__" else None', False),
        ('IS_MAIN = __name__ == "__main__"\nmain() if IS_MAIN else None', False),
        ('import multiprocessing as mp\nif mp.current_process().name == "MainProcess":\n    main()', False),
        ("main()", True),
        ('__name__ == "__main__" or main()', True),
        ('__name__ != "__main__" and main()', True),
        ('main() and __name__ == "__main__"', True),
        ('None if __name__ == "__main__" else main()', True),
        ('import multiprocessing as mp\nif mp.current_process().name != "MainProcess":\n    main()', True),
        # The parent is still unknown while a worker imports the script.
        ("import multiprocessing as mp\nif mp.parent_process() is None:\n    main()", True),
        ('if __name__ != "__main__":\n    main()', True),
        ('if not __name__ == "__main__":\n    main()', True),
        ('if __name__ == "__main__" or len(sys.argv) > 3:\n    main()', True),
        ('if __name__ == "__main__":\n    print("a script")\nelse:\n    main()', True),
        ('IS_MAIN = __name__ == "__main__"\nif not IS_MAIN:\n    main()', True),
        ('IS_MAIN = __name__ == "__main__"\nIS_MAIN = True\nif IS_MAIN:\n    main()', True),
        ("IS_MAIN = len(sys.argv) > 1\nif IS_MAIN:\n    main()", True),
        ("IS_MAIN = IS_MAIN\nif IS_MAIN:\n    main()", True),
    ],
)
def test_guards(script: str, found: bool, tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": f"{_HEAD}{_main(found)}{script}\n"}, "DL402")


@pytest.mark.parametrize(("name", "found"), [("__main__.py", False), ("run.py", True)])
def test_what_python_m_runs(name: str, found: bool, tmp_path: Path) -> None:
    files = {
        "package/__init__.py": "",
        "package/train.py": _HEAD + _main(found),
        f"package/{name}": "from package.train import main\n\nmain()\n",
    }
    agree(tmp_path, files, "DL402")


def test_what_main_imports_is_imported_by_workers_too(tmp_path: Path) -> None:
    files = {
        "package/__init__.py": "",
        "package/train.py": f"{_HEAD}{_main(True)}main()\n",
        "package/__main__.py": "from package import train\n\nprint(train)\n",
    }
    agree(tmp_path, files, "DL402")


@pytest.mark.parametrize(("name", "found"), [("__main__.py", True), ("run.py", False)])
def test_set_up_in_main_only(name: str, found: bool, tmp_path: Path) -> None:
    mark = "  # expect: DL404" if found else ""
    files = {
        "package/__init__.py": "",
        "package/train.py": _HEAD
        + _main(False).replace("workers=2", 'workers=2, multiprocessing_context="spawn"'),
        f"package/{name}": "import torch\nfrom package.train import main\n\n"
        f'torch.multiprocessing.set_sharing_strategy("file_system"){mark}\n'
        'if __name__ == "__main__":\n    main()\n',
    }
    agree(tmp_path, files, "DL404")


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("import fire\nfire.Fire(main)", True),
        ("from fire import Fire\nFire(main)", True),
        ("import tyro\nsettings = tyro.cli(main)", True),
        ("import typer\ntyper.run(main)", True),
        ("from absl import app\napp.run(main)", True),
        ("from absl import app\nif True:\n    app.run(lambda argv: None)", False),
        ('import fire\nif __name__ == "__main__":\n    fire.Fire(main)', False),
        ("import fire\nfire.Fire(print)", False),
        ("import fire\nfire.Fire({'main': main})", False),
        ("import asgi as app\napp.run(main)", False),
        ("from fire import Fire\ndef run():\n    Fire(main)", False),
    ],
)
def test_command_lines_that_call_the_function(script: str, found: bool, tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": f"{_HEAD}{_main(found)}{script}\n"}, "DL402")


def test_a_command_line_in_another_file(tmp_path: Path) -> None:
    files = {
        "train.py": _HEAD + _main(True),
        "run.py": "import fire\nfrom train import main\n\nfire.Fire(main)\n",
    }
    agree(tmp_path, files, "DL402")


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("batches = endless(loader)", False),
        ("batches = endless(loader)\nif __name__ == '__main__':\n    print(next(batches))", False),
        ("batches = iter(endless(loader))", False),
        ("def main():\n    return endless(loader)\nmain()", False),
        ("feed = Feed()", False),
        ("run = later()", False),
        ("batches = endless(loader)\nprint(next(batches))", True),
        ("for batch in endless(loader): print(batch)", True),
        ("for number, batch in enumerate(endless(loader)): print(batch)", True),
        ("batches = tqdm(endless(loader))\nfor batch in batches: print(batch)", True),
        ("every = [batch for batch in endless(loader)]", True),
        ("print(*endless(loader))", True),
        ("def main(batches):\n    print(next(batches))\nmain(endless(loader))", True),
        ("feed = Feed()\nfeed.get()", True),
        ("with opened() as batch: print(batch)", True),
        ("import asyncio\nasyncio.run(later())", True),
    ],
)
def test_generators_run_where_they_are_asked(script: str, found: bool, tmp_path: Path) -> None:
    text = f"""\
import contextlib
{_HEAD}
from tqdm import tqdm

loader = DataLoader(data, num_workers=2)


def endless(given):
    while True:
        for batch in given:
            yield batch


async def later():
    for batch in loader:
        print(batch)


@contextlib.contextmanager
def opened():
    for batch in loader:
        yield batch


class Feed:
    def __init__(self):
        self.batches = endless(loader)

    def get(self):
        return next(self.batches)


{script}
"""
    write(tmp_path, {"main.py": text})
    findings = engine.check([tmp_path], Settings(select=("DL402",))).findings
    assert len(findings) == found


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("# In[1]:", False),
        ("# Commented out IPython magic to ensure Python compatibility.", False),
        ('"""clips.ipynb\n\nAutomatically generated by Colab.\n"""', False),
        ('"""Automatically generated labels for clips."""', True),
    ],
)
def test_exported_notebooks(head: str, found: bool, tmp_path: Path) -> None:
    agree(tmp_path, {"main.py": f"{head}\n{_HEAD}{_main(found)}main()\n"}, "DL402")


@pytest.mark.parametrize(
    ("image", "found"), [("cv2.imread('a.png')", False), ("cv2.UMat(8, 8, 0).get()", True)]
)
def test_opencl_matters_to_what_works_with_it(image: str, found: bool, tmp_path: Path) -> None:
    program = f"""
import cv2
from torch.utils.data import DataLoader, Dataset

class Photos(Dataset):
    def __getitem__(self, index):
        return {image}


def main():
    cv2.ocl.setUseOpenCL(False){"  # expect: DL404" if found else ""}
    return DataLoader(Photos(), num_workers=2, multiprocessing_context="spawn")


if __name__ == "__main__":
    main()
"""
    agree(tmp_path, {"main.py": program}, "DL404")


def test_only_the_first_statement_says_that_workers_start_there_first(tmp_path: Path) -> None:
    passes = """\
loader = DataLoader(data, num_workers=2)
first = next(iter(loader))  # expect: DL402
for batch in loader:  # expect: DL402
    print(list(loader))
"""
    report = agree(tmp_path, {"main.py": _HEAD + passes}, "DL402")
    first, second = (finding.message for finding in report.findings)
    assert first.startswith("workers start in 3 places, here first, without")
    assert second.startswith("workers start here, too, without")
