"""Several files: imports in diamonds, rings and chains, star imports, folders in folders."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, lines, program

_LAST = "import cv2\n\n\ndef read(x):\n    return cv2.imread(x)\n\n\nN = 2\n"
_USE = "class D(Items):\n    def __getitem__(self, i):\n        return read(i)\n"


@bomb(usual=20, large=200)
def diamonds_of_imports(size: int) -> dict[str, str]:
    files = {f"a{size}.py": _LAST}
    for i in range(size):
        files[f"l{i}.py"] = f"from a{i + 1} import *\n"
        files[f"r{i}.py"] = f"from a{i + 1} import *\n"
        files[f"a{i}.py"] = f"from l{i} import *\nfrom r{i} import *\n"
    return {**files, "bomb.py": program(f"from a0 import *\n{_USE}", dataset="D()", workers="N")}


@bomb(usual=30, large=300)
def ring_of_star_imports(size: int) -> dict[str, str]:
    files = {
        f"a{i}.py": f"from a{(i + 1) % size} import *\nfrom a{(i + 7) % size} import *\n" for i in range(size)
    }
    return {**files, "bomb.py": program(f"from a0 import *\n{_USE}", dataset="D()", workers="N")}


@bomb(usual=12, large=60)
def everybody_imports_everybody(size: int) -> dict[str, str]:
    everybody = lines("from a{i} import *\n", size)
    files = {f"a{i}.py": f"{everybody}def f{i}(x):\n    return f{(i + 1) % size}(x)\n" for i in range(size)}
    return {**files, "bomb.py": program(everybody + _USE.replace("read", "f0"), dataset="D()", workers="N")}


@bomb(usual=100, large=1_000)
def chain_of_imports(size: int) -> dict[str, str]:
    files = {f"a{i}.py": f"from a{i + 1} import read as read, N as N\n" for i in range(size)}
    return {
        **files,
        f"a{size}.py": _LAST,
        "bomb.py": program(f"from a0 import read, N\n{_USE}", dataset="D()", workers="N"),
    }


@bomb(usual=20, large=60)
def packages_in_packages(size: int) -> dict[str, str]:
    """Each package imports from the one inside, and that from the one outside."""
    files, folder = {}, ""
    for i in range(size):
        folder += f"p{i}/"
        files[f"{folder}__init__.py"] = f"from .p{i + 1} import *\nfrom .. import *\n"
    files[f"{folder}p{size}.py"] = f"{_LAST}from {'.' * (size + 3)} import *\n"
    return {**files, "bomb.py": program(f"from p0 import read, N\n{_USE}", dataset="D()", workers="N")}


@bomb(usual=500, large=20_000)
def long_import_name(size: int) -> str:
    return program(f"import {'.'.join(['a'] * size)} as a\nfrom {'.' * size}a import b", workers="a.b")


@bomb(usual=500, large=20_000)
def imports_in_a_row(size: int) -> str:
    return program(lines("from a{i} import *\n", size), workers="n")


@bomb(usual=200, large=5_000)
def paths_put_on_the_path(size: int) -> str:
    return program(
        "import sys\n" + lines("sys.path.insert(0, 'a{i}')\n", size) + "import helper", workers="helper.n"
    )


@bomb(usual=60, large=1_000)
def modules_that_store_into_one(size: int) -> dict[str, str]:
    files = {f"a{i}.py": f"import config\nconfig.n = config.n + {i}\n" for i in range(size)}
    body = "import config\n" + lines("import a{i}\n", size)
    return {**files, "config.py": "n = 0\n", "bomb.py": program(body, workers="config.n")}


@bomb(usual=60, large=1_000)
def loaders_in_many_files(size: int) -> dict[str, str]:
    shared = (
        "import cv2\n\n\n"
        + lines("def f{i}(x):\n    return f{j}(x), f{j}(x)\n", 12)
        + "def f12(x):\n    return cv2.imread(x)\n"
    )
    body = "from shared import f0\nclass D(Items):\n    def __getitem__(self, i):\n        return f0(i)\n"
    return {"shared.py": shared, **{f"b{i}.py": program(body, dataset="D()") for i in range(size)}}
