"""The oldest torch that a project's declarations allow."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.project.releases.bounds import Range
from dlint.project.releases.python_release import declarations_of_python
from dlint.project.releases.torch_release import CURRENT_TORCH, declarations_of_torch
from dlint.settings.settings import load


def oldest_torch(root: Path) -> str | None:
    allowed = declarations_of_torch(root).allowed
    return allowed and allowed.oldest


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


LOCK = """[[package]]
name = "numpy"
version = "1.0"

[[package]]
name = "torch"
version = "2.1.0+cu118"
dependencies = [
    { name = "torch" },
]
"""
PIPFILE_LOCK = """{
    "default": {
        "torch": {
            "hashes": [
                "sha256:0"
            ],
            "version": "==1.8.1"
        }
    }
}
"""


@pytest.mark.parametrize(
    ("line", "oldest"),
    [
        ("torch==1.8.1", "1.8.1"),
        ("torch==1.8.1+cu111", "1.8.1"),
        ("torch == 1.8.*", "1.8"),
        ("torch>=1.7", "1.7"),
        ("torch>=1.7,<2", "1.7"),
        ("torch <2, >=1.7 # pinned by hand", "1.7"),
        ("torch>=1.8,!=1.9", "1.8"),
        ("torch~=1.8.0", "1.8.0"),
        ("torch>1.6", "1.6"),
        ("torch", CURRENT_TORCH),
        ("Torch", CURRENT_TORCH),
        ("torch[opt]>=2.0; python_version >= '3.8'", "2.0"),
        ("torch!=1.9", CURRENT_TORCH),
        ("torch<2", None),
        ("torch @ https://example.org/torch-1.10.2-cp38-cp38-linux_x86_64.whl", "1.10.2"),
        ("https://example.org/cu100/torch-1.1.0-cp36-cp36m-linux_x86_64.whl", "1.1.0"),
        ("torch @ git+https://example.org/pytorch", None),
        ("torchvision==0.9", None),
        ("torch-geometric>=1.7", None),
        ("# torch==1.0", None),
    ],
)
def test_a_requirement(tmp_path: Path, line: str, oldest: str | None) -> None:
    assert oldest_torch(write(tmp_path, {"requirements.txt": f"numpy\n{line}\n"})) == oldest


@pytest.mark.parametrize(
    ("files", "oldest"),
    [
        ({}, None),
        ({"requirements.txt": "torch", "requirements-old.txt": "torch==1.10"}, "1.10"),
        ({"requirements/gpu.txt": "torch>=1.9"}, "1.9"),
        ({"requirements.txt": "torch<2", "setup.py": "setup(install_requires=['torch>=1.9'])"}, None),
        ({"pyproject.toml": '[project]\nname = "x"\ndependencies = ["torch>=1.9", "numpy"]'}, "1.9"),
        ({"pyproject.toml": '[project.optional-dependencies]\ngpu = ["torch==1.12"]'}, "1.12"),
        ({"pyproject.toml": '[dependency-groups]\ndev = ["torch==2.0", {include-group = "x"}]'}, "2.0"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "^1.8"'}, "1.8"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = {version = "1.8.1", extras = []}'}, "1.8.1"),
        ({"pyproject.toml": '[tool.poetry.group.a.dependencies]\ntorch = ">=2 || ^1.9"'}, "1.9"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "*"'}, CURRENT_TORCH),
        ({"pyproject.toml": "torch = ["}, None),
        ({"setup.cfg": "[options]\ninstall_requires =\n    numpy\n    torch>=1.6\n"}, "1.6"),
        ({"setup.cfg": "[options.extras_require]\ngpu = torch==1.6\n"}, "1.6"),
        (
            {"setup.py": "needs = ['torch>=1.3']\nsetup(keywords=['torch'], install_requires=needs)"},
            "1.3",
        ),
        ({"setup.py": "setup(keywords=['torch'], install_requires=read('requirements.txt'))"}, None),
        (
            {
                "setup.py": "_deps = ['torch>=1.13']\ndeps = {split(each): each for each in _deps}\n"
                "setup(install_requires=[deps['torch']])"
            },
            "1.13",
        ),
        (
            {
                "setup.py": "_deps = ['torch==1.7.1']\ndef listed(*names):\n    return [_deps[n] for n in names]\n"
                "extras = {}\nextras['gpu'] = listed('torch')\nsetup(extras_require=extras)"
            },
            "1.7.1",
        ),
        # A key says nothing of what it leads to, and a table that nobody requires is none.
        ({"setup.py": "deps = read('deps.txt')\nsetup(install_requires=[deps['torch']])"}, None),
        ({"setup.py": "docs = ['torch>=1.9']\nsetup(install_requires=['numpy'])"}, None),
        ({"setup.py": "print 'torch'"}, None),
        (
            {"environment.yml": "channels:\n  - pytorch\ndependencies:\n  - pytorch=1.7.1=py3.8_cuda\n"},
            "1.7.1",
        ),
        ({"environment.yml": "dependencies:\n  - pytorch::pytorch 1.8.*  # gpu\n"}, "1.8"),
        ({"environment.yml": "channels:\n  - pytorch\ndependencies:\n  - python\n"}, None),
        (
            {"environment.yml": "channels: [pytorch=1.2]\ndependencies: [python=3.7, pytorch=1.7.1]\n"},
            "1.7.1",
        ),
        (
            {
                "environment.yml": "dependencies: [\n  python=3.7,  # pytorch=1.2\n  {pip: ['torch>=1.8,<1.9']}\n]\n"
            },
            "1.8",
        ),
        ({"environment.yml": "dependencies:\n  - pip: [numpy, torch==1.6.0]\n  - python=3.7\n"}, "1.6.0"),
        ({"environment.yml": "dependencies: [python=3.7]\nchannels: [pytorch=1.2]\n"}, None),
        ({"Pipfile": '[packages]\ntorch = "==1.8.1"\n'}, "1.8.1"),
        ({"pyproject.toml": '[tool.pdm.dev-dependencies]\ngpu = ["torch>=1.9"]'}, "1.9"),
        # What is installed tells where what is required names no release, and only there.
        ({"uv.lock": LOCK}, "2.1.0"),
        ({"poetry.lock": LOCK, "requirements.txt": "torch"}, "2.1.0"),
        ({"pdm.lock": LOCK, "requirements.txt": "torch>=1.9"}, "1.9"),
        ({"pdm.lock": LOCK, "requirements.txt": "torch<2.2"}, None),
        ({"uv.lock": LOCK.replace('"torch"', '"torch-geometric"')}, None),
        ({"Pipfile.lock": PIPFILE_LOCK}, "1.8.1"),
        ({"Dockerfile": "FROM pytorch/pytorch:1.7.1-cuda11.0-cudnn8-runtime\n"}, "1.7.1"),
        ({"docker/Dockerfile.gpu": "FROM x\nRUN pip install numpy \\\n  'torch==1.8.1+cu111'\n"}, "1.8.1"),
        (
            {"Dockerfile": "FROM pytorch/pytorch:1.7.1-x\nRUN conda install pytorch=1.10.0 -c pytorch\n"},
            "1.10.0",
        ),
        ({"Dockerfile": "FROM pytorch/pytorch:1.7.1-x\n", "uv.lock": LOCK}, "2.1.0"),
        (
            {"Dockerfile": "FROM pytorch/pytorch:${TORCH}-x\n# torch==1.2\nRUN pip install torch==$TORCH\n"},
            None,
        ),
        ({"Dockerfile": "FROM pytorch/torchserve:0.5.3-gpu\nRUN pip install torchvision==0.9.1\n"}, None),
        ({"environment.yml": "dependencies:\n  - pip:\n    - 'torch==1.8.1+cu111'\n"}, "1.8.1"),
    ],
)
def test_declarations(tmp_path: Path, files: dict[str, str], oldest: str | None) -> None:
    assert oldest_torch(write(tmp_path, files)) == oldest


@pytest.mark.parametrize(
    ("files", "allowed"),
    [
        ({"requirements.txt": "torch==1.8.1"}, ("1.8.1", "1.8.2")),
        ({"requirements.txt": "torch==1.8.*"}, ("1.8", "1.9")),
        ({"requirements.txt": "torch>=1.6,<1.9"}, ("1.6", "1.9")),
        ({"requirements.txt": "torch<=1.8"}, (None, "1.9")),
        ({"requirements.txt": "torch~=1.8"}, ("1.8", "2")),
        ({"requirements.txt": "torch~=1.8.0"}, ("1.8.0", "1.9")),
        ({"requirements.txt": "torch>=1.6"}, ("1.6", None)),
        ({"requirements.txt": "torch==1.7\n", "requirements-new.txt": "torch==2.1\n"}, ("1.7", "2.2")),
        (
            {"requirements.txt": "torch==1.7\n", "setup.py": "setup(install_requires=['torch'])"},
            ("1.7", None),
        ),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "^1.8"'}, ("1.8", "2")),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "^0.4"'}, ("0.4", "0.5")),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "~1.8"'}, ("1.8", "1.9")),
        ({"pyproject.toml": '[tool.poetry.dependencies]\ntorch = "~1.8 || ^2.1"'}, ("1.8", "3")),
        ({"environment.yml": "dependencies:\n  - pytorch=1.7\n"}, ("1.7", "1.8")),
        # Somebody has this installed; where any other is asked for, others have another.
        ({"uv.lock": LOCK}, ("2.1.0", "2.1.1")),
        ({"uv.lock": LOCK, "requirements.txt": "torch"}, ("2.1.0", None)),
        ({"Dockerfile": "FROM pytorch/pytorch:1.7.1-x\n", "requirements.txt": "torch"}, ("1.7.1", None)),
        ({"requirements.txt": "torch"}, (CURRENT_TORCH, None)),
        ({"requirements.txt": "torch @ git+https://example.org/pytorch"}, (None, None)),
    ],
)
def test_a_range(tmp_path: Path, files: dict[str, str], allowed: tuple[str | None, str | None]) -> None:
    found = declarations_of_torch(write(tmp_path, files)).allowed
    assert found is not None and found[:2] == allowed


@pytest.mark.parametrize(
    ("file", "text", "oldest", "line"),
    [
        ("pyproject.toml", '[project]\nname = "x"\nrequires-python = ">=3.10"\n', "3.10", 3),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.9"\n', "3.9", 2),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = {version = "^3.9"}\n', "3.9", 2),
        ("pyproject.toml", '[tool.other]\npython = "3.9"\nrequires-python = "3.8"\n', None, 0),
        ("setup.cfg", "[options]\npython_requires = >=3.8  # tested\n", "3.8", 2),
        ("setup.py", "setup(\n    python_requires='>=3.6, <4',\n)\n", "3.6", 2),
        ("setup.py", "setup(python_requires=wanted)\n", None, 0),
        ("Pipfile", '[requires]\npython_version = "3.8"\n', "3.8", 2),
        ("environment.yml", "dependencies:\n  - python=3.7.11=x\n  - python-dateutil=2\n", "3.7.11", 2),
        ("environment.yml", "dependencies:\n  - python\n", None, 0),
        ("environment.yml", "channels: [x]\ndependencies: [numpy,\n  python=3.7, pip]\n", "3.7", 3),
    ],
)
def test_the_declared_python(tmp_path: Path, file: str, text: str, oldest: str | None, line: int) -> None:
    declared = declarations_of_python(write(tmp_path, {file: text}))
    assert (declared.allowed and declared.allowed.oldest) == oldest
    assert [each.line for each in declared.deciding] == [line] * (oldest is not None)


def test_of_several_pythons_each_counts(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"setup.py": "setup(python_requires='>=3.8')", "environment.yml": "dependencies:\n  - python=3.11\n"},
    )
    assert declarations_of_python(tmp_path).allowed == Range("3.8", None)


def test_settings_know_what_the_project_declares(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "torch==1.8.1"})
    chosen = load(tmp_path)
    assert (chosen.target_torch, chosen.torch.allowed) == (None, Range("1.8.1", "1.8.2"))
    assert load(tmp_path, {"target_torch": "2.1"}).target_torch == "2.1"


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("requirements.txt", "numpy\ntorch>=1.9\n", 2),
        ("pyproject.toml", '[project]\ndependencies = [\n  "numpy",\n  "torch>=1.9",\n]\n', 4),
        ("pyproject.toml", '[tool.poetry.dependencies]\nnumpy = "1"\ntorch = "^1.9"\n', 3),
        ("setup.cfg", "[options]\ninstall_requires =\n  torch>=1.9\n", 3),
        ("setup.py", "_deps = [\n  'torch>=1.9',\n]\nsetup(install_requires=_deps)\n", 2),
        ("environment.yml", "dependencies:\n  - pytorch>=1.9\n", 2),
        ("uv.lock", LOCK, 7),
    ],
)
def test_the_place_of_a_declaration(tmp_path: Path, file: str, text: str, line: int) -> None:
    (declaration,) = declarations_of_torch(write(tmp_path, {file: text})).deciding
    assert (declaration.file, declaration.line) == (tmp_path / file, line)
