"""What runs have found is kept for the next: the same answers, never stale, whatever lies in the folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

import pytest
from doors import CLEAN, HAZARD, REPOSITORY, dlint, flake8, write

from dlint.cache import Folder, Question, remembered
from dlint.cache import folder as cache_folder
from dlint.cache import key as cache_key
from dlint.finding import Report
from dlint.project.files import Listing, python_files
from dlint.settings import settings

NAME = ".dlint_cache"
FORGED = "this was in the cache"
TREE = {
    "pyproject.toml": "[tool.dlint]\n",
    "a.py": HAZARD,
    "pack/__init__.py": "",
    "pack/b.py": HAZARD.replace("shuffle=True)", "shuffle=True)  # noqa: DL301") + "\n# é\n",
    "broken.py": "from torch.utils.data import DataLoader\ndef (\n",
}
FORMATS = (
    (),
    ("--output-format", "concise"),
    ("--output-format", "json"),
    ("--statistics",),
    ("--statistics", "--output-format", "json"),
    ("--exit-zero", "--extend-select", "DL305"),
    ("a.py", "no_such_file.py"),
)


@pytest.fixture(autouse=True)
def _with_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DLINT_NO_CACHE", raising=False)


def answers(folder: Path) -> list[Path]:
    return sorted(each for each in folder.glob("*.json") if each not in tried(folder))


def tried(folder: Path) -> list[Path]:
    """What was kept of the remedies of the findings that were shown."""
    return sorted(folder.glob("*.tried.json"))


def forge(folder: Path) -> None:
    """Have every answer say something else, as one who knows how may: then it shows where it is used."""
    assert answers(folder)
    for path in answers(folder):
        body = json.loads(path.read_bytes().partition(b"\n")[2])
        for finding in body[0]:
            finding[2] = FORGED
        put(path, json.dumps(body).encode())


def put(path: Path, body: bytes) -> None:
    digest = blake2b(body, digest_size=20).hexdigest().encode()
    path.write_bytes(b"dlint " + digest + b"\n" + body)


def outcome(result: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize("options", FORMATS, ids=" ".join)
def test_the_same_output_with_and_without(tmp_path: Path, options: tuple[str, ...]) -> None:
    write(tmp_path, TREE)
    without = outcome(dlint(tmp_path, "check", "--no-cache", *options))
    assert not (tmp_path / NAME).exists()
    assert outcome(dlint(tmp_path, "check", *options)) == without
    assert len(answers(tmp_path / NAME)) == 1
    assert outcome(dlint(tmp_path, "check", *options)) == without
    assert len(answers(tmp_path / NAME)) == 1
    forge(tmp_path / NAME)
    if "--statistics" not in options:
        assert FORGED in dlint(tmp_path, "check", *options).stdout


def test_an_unchanged_tree_is_answered_without_the_engine(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    program = (
        "import sys\nfrom dlint.cli import main\n"
        "sys.argv = ['dlint', 'check', '--output-format', 'concise', '--select', 'DL3']\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for first in (True, False):
        command = [sys.executable, "-c", program]
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        modules = set(result.stdout.decode().splitlines()[-1].split())
        assert ("dlint.engine" in modules) is first
        assert ("dlint.rules.rule" in modules) is first


def test_remedies_are_tried_once_and_only_where_findings_are_shown(tmp_path: Path) -> None:
    """libcst is not imported where no finding with a remedy is shown, nor where an earlier run has tried."""
    write(tmp_path, {"pyproject.toml": "", "a.py": HAZARD, "pack/b.py": CLEAN})
    program = (
        "import sys\nfrom dlint.cli import main\n"
        "sys.argv = ['dlint', 'check', *sys.argv[1:]]\n"
        "try:\n    main()\nexcept SystemExit:\n    print('libcst' in sys.modules)"
    )

    def imports_libcst(*options: str) -> bool:
        command = [sys.executable, "-c", program, *options]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        return result.stdout.decode().splitlines()[-1] == "True"

    dlint(tmp_path, "baseline")
    assert not imports_libcst("pack")
    assert not imports_libcst("--output-format", "concise")
    assert not imports_libcst("--statistics")
    assert not imports_libcst("--baseline", "dlint-baseline.json")
    assert not tried(tmp_path / NAME)
    assert imports_libcst()
    assert len(tried(tmp_path / NAME)) == 1
    assert not imports_libcst()
    assert not imports_libcst("--output-format", "json")
    (tmp_path / "link.py").hardlink_to(tmp_path / "a.py")
    assert "= by hand:" in dlint(tmp_path, "check", "a.py").stdout


# Keys ------------------------------------------------------------------------------------------------


def key(folder: Path, **choices: object) -> str:
    asked = Question((Path(),), settings.load(folder, choices))
    return cache_key.key_of(asked, asked.listing())


def _same_size_and_time(folder: Path) -> None:
    path = folder / "a.py"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"shuffle=True", b"shuffle=None"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": _same_size_and_time,
    "new file": lambda folder: (folder / "new.py").write_text(""),
    "new file elsewhere in the program": lambda folder: (folder / "pack" / "new.py").write_text(""),
    "deleted": lambda folder: (folder / "pack" / "b.py").unlink(),
    "renamed": lambda folder: (folder / "a.py").rename(folder / "c.py"),
    "became unreadable": lambda folder: ((folder / "a.py").unlink(), (folder / "a.py").mkdir()),
    "ignore": lambda folder: (folder / "pyproject.toml").write_text("[tool.dlint]\nignore = ['DL301']\n"),
    "exclude": lambda folder: (folder / "pyproject.toml").write_text("[tool.dlint]\nexclude = ['pack']\n"),
    "ignore file": lambda folder: (folder / ".gitignore").write_text("a.py\n"),
    "declared torch": lambda folder: (folder / "requirements.txt").write_text("torch>=1.8\n"),
    "torch of setup.py": lambda folder: (folder / "setup.py").write_text("setup(install_requires=['torch'])"),
    "a declaration that is too large": lambda folder: (folder / "setup.cfg").write_text("#" * 1_000_001),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_answer_changes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    before = key(tmp_path)
    assert key(tmp_path) == before
    CHANGES[change](tmp_path)
    assert key(tmp_path) != before


@pytest.mark.parametrize(
    "choices",
    [
        {"select": ("DL3",)},
        {"ignore": ("DL301",)},
        {"extend_select": ("DL305",)},
        {"exclude": ("pack",)},
        {"force_exclude": True},
        {"target_torch": "1.8"},
        {"start_method": "spawn"},
    ],
    ids=str,
)
def test_so_do_choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choices: dict[str, object]) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    assert key(tmp_path, **choices) != key(tmp_path)


def test_so_do_dlint_python_and_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    seen = {key(tmp_path)}
    with monkeypatch.context() as changed:
        changed.setattr(cache_key, "__version__", "0.0.0")
        seen.add(key(tmp_path))
    with monkeypatch.context() as changed:
        changed.setattr(sys, "version", "4.0.0")
        seen.add(key(tmp_path))
    with monkeypatch.context() as changed:
        package = write(tmp_path.parent / f"{tmp_path.name}-dlint", {"a.py": "", "sub/b.py": ""})
        changed.setattr(cache_key, "_PACKAGE", package)
        seen.add(key(tmp_path))
        (package / "sub" / "b.py").write_text("1")
        seen.add(key(tmp_path))
    monkeypatch.chdir(tmp_path / "pack")
    seen.add(key(tmp_path))
    assert len(seen) == 6


def test_what_changes_nothing_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    before = key(tmp_path)
    os.utime(tmp_path / "a.py", (1, 1))
    write(tmp_path, {"readme.md": "words", f"{NAME}/x.py": HAZARD})
    assert key(tmp_path, cache_dir="elsewhere") == before


def test_an_edit_is_seen_and_taking_it_back_is_too(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "", "a.py": HAZARD})
    assert dlint(tmp_path, "check").returncode == 1
    write(tmp_path, {"a.py": CLEAN})
    assert dlint(tmp_path, "check").returncode == 0
    write(tmp_path, {"a.py": HAZARD})
    assert dlint(tmp_path, "check").returncode == 1
    assert len(answers(tmp_path / NAME)) == 2


# What is not kept ------------------------------------------------------------------------------------


def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    asked = Question((Path(),), settings.load(tmp_path))
    kept = Folder(tmp_path / NAME)

    def find(_listed: Listing) -> Report:
        (tmp_path / "a.py").write_text(CLEAN)
        return Report((), (), 1)

    assert remembered(asked, find, kept) == Report((), (), 1)
    assert not answers(tmp_path / NAME)
    assert remembered(asked, find, kept) == Report((), (), 1)
    assert len(answers(tmp_path / NAME)) == 1


def test_a_report_that_a_fault_has_spoilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, TREE))
    asked = Question((Path(),), settings.load(tmp_path))
    remembered(asked, lambda _listed: Report((), (), 1, faults=True), Folder(tmp_path / NAME))
    assert not (tmp_path / NAME).exists()


def test_no_files(tmp_path: Path) -> None:
    assert dlint(tmp_path, "check").returncode == 0
    assert not list(tmp_path.iterdir())


def test_standard_input(tmp_path: Path) -> None:
    assert dlint(write(tmp_path, TREE), "check", "-", stdin=HAZARD.encode()).returncode == 1
    assert not (tmp_path / NAME).exists()


def test_neither_where_a_fault_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dlint(write(tmp_path, TREE), "check")
    forge(tmp_path / NAME)
    monkeypatch.setenv("DLINT_TRACEBACK", "1")
    assert FORGED not in dlint(tmp_path, "check").stdout


# What may lie in the folder --------------------------------------------------------------------------


def _finding(**changes: object) -> list[object]:
    whole: dict[str, object] = {
        "code": "DL301",
        "name": "name",
        "message": "message",
        "path": "a.py",
        "line": 1,
        "column": 1,
        "end_line": 1,
        "end_column": 2,
        "reach": [["step", "a.py", 1, None]],
        "remedy": ["safe", "summary", [["a.py", 1, 2, "text", None]]],
        "by_hand": None,
        "effect": "error",
        "condition": None,
        "scope": "f",
        "marked": [[1, 1, 1, 2]],
        "cell": None,
    }
    return list({**whole, **changes}.values())


SHAPES: dict[str, object] = {
    "nothing": None,
    "too short": [[], []],
    "too long": [[], [], 1, 2],
    "a true count": [[], [], True],
    "a count below 0": [[], [], -1],
    "a finding of text": [["finding"], [], 1],
    "another code": [[_finding(code="\x1b[2J")], [], 1],
    "no path": [[_finding(path=None)], [], 1],
    "another file": [[_finding(path="/etc/passwd")], [], 1],
    "line 0": [[_finding(line=0)], [], 1],
    "a huge column": [[_finding(end_column=10**12)], [], 1],
    "a line of text": [[_finding(line="1")], [], 1],
    "half a span": [[_finding(marked=[[1, 1]])], [], 1],
    "half a step": [[_finding(reach=[["step"]])], [], 1],
    "a reach of text": [[_finding(reach="abc")], [], 1],
    "another remedy": [[_finding(remedy=["always", "summary", []])], [], 1],
    "a remedy with more": [[_finding(remedy=["safe", "summary", [], {"name": "x"}])], [], 1],
    "an edit of line 0": [[_finding(remedy=["safe", "summary", [["a.py", 0, 2, "text", None]]])], [], 1],
    "an edit of cell 0": [[_finding(remedy=["safe", "summary", [["a.py", 1, 2, "text", 0]]])], [], 1],
    "another effect": [[_finding(effect="fire")], [], 1],
    "a condition in numbers": [[_finding(condition=1)], [], 1],
    "a number by hand": [[_finding(by_hand=1)], [], 1],
    "cell 0": [[_finding(cell=0)], [], 1],
    "trouble": [[], [["a.py", "message"]], 1],
    "trouble in words": [[], ["abc"], 1],
}


def test_a_finding_that_is_right_is_taken(tmp_path: Path) -> None:
    dlint(write(tmp_path, {"a.py": HAZARD}), "check")
    [path] = answers(tmp_path / NAME)
    put(path, json.dumps([[_finding(message=FORGED)], [], 1]).encode())
    assert FORGED in dlint(tmp_path, "check").stdout


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_no_answer_is_made_anew(tmp_path: Path, shape: str) -> None:
    right = outcome(dlint(write(tmp_path, {"a.py": HAZARD}), "check"))
    [path] = answers(tmp_path / NAME)
    kept = path.read_bytes()
    put(path, json.dumps(SHAPES[shape]).encode())
    assert outcome(dlint(tmp_path, "check")) == right
    assert path.read_bytes() == kept


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def _flipped(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"DL301", b"DL302"))


def _link(path: Path) -> None:
    target = path.with_name("target")
    path.rename(target)
    forged = json.loads(target.read_bytes().partition(b"\n")[2])
    put(target, json.dumps(forged).encode())
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


BYTES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "truncated": _truncated,
    "flipped": _flipped,
    "noise": lambda path: path.write_bytes(os.urandom(500)),
    "deep": lambda path: put(path, b"[" * 200_000),
    "a long number": lambda path: put(path, b"[[], [], " + b"9" * 10_000 + b"]"),
    "no text": lambda path: put(path, b"\xff\xfe[["),
    "too large": lambda path: put(path, b" " * 5_000_000),
    "endless": _link,
    "a pipe": _pipe,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("how", BYTES)
def test_what_is_corrupt_is_made_anew(tmp_path: Path, how: str) -> None:
    right = outcome(dlint(write(tmp_path, {"a.py": HAZARD}), "check"))
    [path] = answers(tmp_path / NAME)
    kept = path.read_bytes()
    BYTES[how](path)
    assert outcome(dlint(tmp_path, "check")) == right
    assert path.read_bytes() == kept


def test_a_folder_in_the_place_of_an_answer(tmp_path: Path) -> None:
    right = outcome(dlint(write(tmp_path, {"a.py": HAZARD}), "check"))
    [path] = answers(tmp_path / NAME)
    path.unlink()
    path.mkdir()
    assert outcome(dlint(tmp_path, "check")) == right
    assert not list((tmp_path / NAME).glob("*.tmp"))


# Where it is written ---------------------------------------------------------------------------------


def test_the_folder_is_ignored_and_marked(tmp_path: Path) -> None:
    dlint(write(tmp_path, TREE), "check")
    made = tmp_path / NAME
    assert (made / ".gitignore").read_text().splitlines()[-1] == "*"
    assert (made / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    kept = {each.name for each in (*answers(made), *tried(made))}
    assert {each.name for each in made.iterdir()} == {".gitignore", "CACHEDIR.TAG", *kept}
    assert len(kept) == 2
    write(made, {"x.py": HAZARD})
    assert tmp_path / NAME / "x.py" not in python_files(tmp_path)


def test_it_lies_beside_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    dlint(tmp_path / "pack", "check")
    assert answers(tmp_path / NAME)
    assert not (tmp_path / "pack" / NAME).exists()


def test_without_configuration_in_the_working_directory(tmp_path: Path) -> None:
    write(tmp_path, {"pack/a.py": HAZARD, "requirements.txt": ""})
    dlint(tmp_path / "pack", "check")
    assert answers(tmp_path / "pack" / NAME)


def test_nothing_in_a_folder_that_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, {"a.py": HAZARD})
    assert dlint(tmp_path, "check", "a.py").returncode == 1
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("value", ["1", "true"])
def test_the_environment_may_forbid_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DLINT_NO_CACHE", value)
    dlint(write(tmp_path, TREE), "check")
    assert not (tmp_path / NAME).exists()


def test_a_folder_that_the_user_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = write(tmp_path / "tree", TREE)
    (tmp_path / "empty").mkdir()
    for name in ("one", "empty"):
        for _ in range(2):
            dlint(tree, "check", "--cache-dir", f"../{name}")
        assert len(answers(tmp_path / name)) == 1
    monkeypatch.setenv("DLINT_CACHE_DIR", str(tmp_path / "two"))
    dlint(tree, "check")
    assert len(answers(tmp_path / "two")) == 1
    write(tree, {"pyproject.toml": "[tool.dlint]\ncache-dir = 'build/three'\n"})
    dlint(tree, "check")
    assert not (tree / "build").exists()  # the environment goes before the project
    monkeypatch.delenv("DLINT_CACHE_DIR")
    dlint(tree, "check")
    assert len(answers(tree / "build" / "three")) == 1
    assert not (tree / NAME).exists()


@pytest.mark.parametrize("path", ["..", "../elsewhere", "/tmp/elsewhere", ".", "link/inner"])
def test_the_tree_says_nothing_of_other_folders(tmp_path: Path, path: str) -> None:
    tree = write(tmp_path / "tree", {**TREE, "pyproject.toml": f"[tool.dlint]\ncache-dir = '{path}'\n"})
    (tmp_path / "elsewhere").mkdir()
    (tree / "link").symlink_to(tmp_path / "elsewhere")
    result = dlint(tree, "check")
    assert result.returncode == 2
    assert "pyproject.toml: [tool.dlint] cache-dir: must be a folder in the project" in result.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("value", ["''", "1", "['a']", '"a\\u0000b"'])
def test_what_names_no_folder(tmp_path: Path, value: str) -> None:
    write(tmp_path, {**TREE, "pyproject.toml": f"[tool.dlint]\ncache-dir = {value}\n"})
    result = dlint(tmp_path, "check")
    assert result.returncode == 2
    assert "cache-dir: must be the path of a folder" in result.stderr


@pytest.mark.parametrize("name", [".", "pack", "a.py"])
def test_a_folder_with_other_things_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, TREE)
    before = sorted(tmp_path.rglob("*"))
    result = dlint(tmp_path, "check", "--cache-dir", name)
    assert result.returncode == 2
    assert "--cache-dir:" in result.stderr
    assert "holds other things" in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", ["file", "full folder", "link", "link to nothing"])
def test_what_has_the_name_is_left_alone(tmp_path: Path, kind: str) -> None:
    tree, other = write(tmp_path / "tree", TREE), tmp_path / "other"
    place = tree / NAME
    if kind == "file":
        place.write_text("mine")
    elif kind == "full folder":
        write(place, {"mine": "mine"})
    else:
        place.symlink_to(other)
        if kind == "link":
            other.mkdir()
    before = sorted(tmp_path.rglob("*"))
    with_cache = outcome(dlint(tree, "check"))
    assert with_cache == outcome(dlint(tree, "check", "--no-cache"))
    assert sorted(tmp_path.rglob("*")) == before


def test_links_in_the_folder_are_not_written_through(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", TREE)
    dlint(tree, "check")
    mine = tmp_path / "mine"
    mine.write_text("mine")
    [path] = answers(tree / NAME)
    for each in (path, tree / NAME / "CACHEDIR.TAG", tree / NAME / ".gitignore"):
        each.unlink()
        each.symlink_to(mine)
    dlint(tree, "check")
    assert mine.read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no place that nobody may write to")
def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    with_cache = outcome(dlint(tmp_path, "check", "--cache-dir", "/proc/no/such"))
    assert with_cache == outcome(dlint(tmp_path, "check", "--no-cache"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("read_only", ["tree", "cache"])
def test_a_read_only_folder(tmp_path: Path, read_only: str) -> None:
    write(tmp_path, TREE)
    without = outcome(dlint(tmp_path, "check", "--no-cache"))
    place = tmp_path
    if read_only == "cache":
        dlint(tmp_path, "check")
        place = tmp_path / NAME
        write(tmp_path, {"new.py": ""})
        without = outcome(dlint(tmp_path, "check", "--no-cache"))
    place.chmod(0o555)
    try:
        assert outcome(dlint(tmp_path, "check")) == without
    finally:
        place.chmod(0o755)


def test_old_answers_go_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_folder, "_MOST", 3)
    monkeypatch.setattr(cache_folder, "_MOST_BYTES", 1_000)
    kept = Folder(tmp_path / NAME)
    keys = [f"{number:040x}" for number in range(7)]
    for number, each in enumerate(keys):
        kept.write(each, b"body")
        os.utime(tmp_path / NAME / f"{each}.json", (number, number))
    assert [path.stem for path in answers(tmp_path / NAME)] == keys[-3:]
    old, new = (tmp_path / NAME / f"{keys[0]}.{mark * 16}.tmp" for mark in "ab")
    for path in (old, new, tmp_path / NAME / "mine.json"):
        path.write_text("")
    os.utime(old, (1, 1))
    os.utime(tmp_path / NAME / "mine.json", (1, 1))
    kept.write(keys[0], b"x" * 900)
    left = {path.name for path in (tmp_path / NAME).iterdir()}
    assert left == {".gitignore", "CACHEDIR.TAG", f"{keys[0]}.json", new.name, "mine.json"} | {
        f"{keys[-1]}.json"
    }
    assert kept.read(keys[0]) == b"x" * 900
    assert kept.read(keys[1]) is None


def test_what_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_folder, "_LARGEST", 100)
    kept = Folder(tmp_path / NAME)
    kept.write("0" * 40, b"x" * 100)
    assert kept.read("0" * 40) is None
    assert not (tmp_path / NAME).exists()


def test_many_at_once(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    right = outcome(dlint(tmp_path, "check", "--no-cache"))
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: outcome(dlint(tmp_path, "check")), range(12)))
    assert results == [right] * 12
    left = {path.name for path in (tmp_path / NAME).iterdir()}
    kept = {each.name for each in (*answers(tmp_path / NAME), *tried(tmp_path / NAME))}
    assert left == {".gitignore", "CACHEDIR.TAG", *kept}
    assert len(kept) == 2
    assert outcome(dlint(tmp_path, "check")) == right


# flake8 ----------------------------------------------------------------------------------------------

SOUND = {name: text for name, text in TREE.items() if name != "broken.py"}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_flake8_says_the_same(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, SOUND)
    options = ("--select", "DL", "-j", jobs, ".")
    without = outcome(flake8(tmp_path, *options, config="dlint-no-cache = true"))
    assert not (tmp_path / NAME).exists()
    assert without[0] == 1
    for _ in range(2):
        assert outcome(flake8(tmp_path, *options)) == without
        assert len(answers(tmp_path / NAME)) == 1
    forge(tmp_path / NAME)
    assert FORGED in flake8(tmp_path, *options).stdout
    write(tmp_path, {"a.py": CLEAN})
    assert flake8(tmp_path, *options).returncode == 0


def test_flake8_has_the_options(tmp_path: Path) -> None:
    write(tmp_path, {**SOUND, "pack/c.py": CLEAN})
    flake8(tmp_path, "--select", "DL", "--dlint-cache-dir", "kept", ".")
    assert len(answers(tmp_path / "kept")) == 1
    assert not (tmp_path / NAME).exists()
    refused = flake8(tmp_path, "--select", "DL", "--dlint-cache-dir", "pack", ".")
    assert refused.returncode == 1
    assert "--dlint-cache-dir: " in refused.stdout + refused.stderr
    assert "holds other things" in refused.stdout + refused.stderr


def test_dlint_and_flake8_do_not_take_each_others(tmp_path: Path) -> None:
    write(tmp_path, SOUND)
    flake8(tmp_path, "--select", "DL", ".")
    result = dlint(tmp_path, "check", "--output-format", "concise")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == ["a.py"]
    assert len(answers(tmp_path / NAME)) == 2
