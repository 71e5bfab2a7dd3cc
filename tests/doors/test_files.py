"""Which files belong to a run, and which project a path belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import write

from dlint.project import files
from dlint.project.path_patterns.excluding import Exclude
from dlint.project.paths import display_path
from dlint.source import reading
from dlint.source.trees import parsing


def listed(root: Path, *exclude: str) -> list[str]:
    return [path.relative_to(root).as_posix() for path in files.python_files(root, Exclude(tuple(exclude)))]


def test_only_python_files_sorted(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "", "a/z.py": "", "a.py": "", "c.txt": "", "d.pyi": "", "e.py/f.txt": ""})
    assert listed(tmp_path) == ["a.py", "a/z.py", "b.py"]


def test_folders_of_tools_and_environments_are_left_out(tmp_path: Path) -> None:
    hidden = [".git/x.py", "__pycache__/x.py", ".venv/x.py", "node_modules/x.py", "lib/site-packages/x.py"]
    write(tmp_path, dict.fromkeys([*hidden, "a.py", "env/pyvenv.cfg", "env/x.py"], ""))
    assert listed(tmp_path) == ["a.py"]


def test_where_nothing_says_project_only_packages_are_entered(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "pkg/__init__.py": "", "pkg/part/b.py": "", "notes/c.py": ""})
    assert listed(tmp_path) == ["a.py", "notes/c.py", "pkg/__init__.py", "pkg/part/b.py"]
    packages = files.python_files(tmp_path, whole=False)
    assert [path.relative_to(tmp_path).as_posix() for path in packages] == [
        "a.py",
        "pkg/__init__.py",
        "pkg/part/b.py",
    ]


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        ("build/\n", ["a.py", "src/a.py", "src/data/b.py"]),
        ("/a.py\nbuild\n", ["src/a.py", "src/data/b.py"]),
        ("a.py\nbuild\n", ["src/data/b.py"]),
        ("*.py\n!src/\n!b.py\n", ["src/data/b.py"]),
        ("src/*\nbuild\n", ["a.py"]),
        ("src/*\n!src/a.py\nbuild\n", ["a.py", "src/a.py"]),
        ("**/data/\n# a.py\n\nbuild\n", ["a.py", "src/a.py"]),
        ("build\\\n!\nsrc\nbuild\n", ["a.py"]),
        ("", ["a.py", "build/c.py", "src/a.py", "src/data/b.py"]),
    ],
)
def test_ignore_files(tmp_path: Path, patterns: str, kept: list[str]) -> None:
    write(tmp_path, dict.fromkeys(["a.py", "build/c.py", "src/a.py", "src/data/b.py"], ""))
    write(tmp_path, {".gitignore": patterns})
    assert listed(tmp_path) == kept
    (tmp_path / ".gitignore").unlink()
    assert listed(tmp_path, *patterns.splitlines()) == kept


def test_the_nearest_ignore_file_decides(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "gen_*.py\n", "pkg/.gitignore": "!gen_a.py\nother.py\n"})
    write(
        tmp_path, dict.fromkeys(["gen_a.py", "other.py", "pkg/gen_a.py", "pkg/gen_b.py", "pkg/other.py"], "")
    )
    assert listed(tmp_path) == ["other.py", "pkg/gen_a.py"]


def test_ignore_files_above_the_folder_count_within_the_repository(tmp_path: Path) -> None:
    write(tmp_path, {".git/info/exclude": "mine.py\n", ".gitignore": "data/\n/src/gen.py\n"})
    write(tmp_path, dict.fromkeys(["src/a.py", "src/gen.py", "src/mine.py", "src/data/b.py"], ""))
    assert listed(tmp_path / "src") == ["a.py"]


def test_who_names_an_ignored_folder_or_file_means_it(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "build/\n", "build/sub/a.py": "", "build/b.py": ""})
    for named in ("build", "build/sub"):
        found, _ = files.expand([tmp_path / named])
        assert found
    found, _ = files.expand([tmp_path / "build" / "b.py", tmp_path])
    assert [path.name for path in found] == ["b.py"]


def test_expand_gives_each_file_once(tmp_path: Path) -> None:
    write(tmp_path, {"pkg/a.py": "", "pkg/script": "", "b.py": ""})
    found, troubles = files.expand(
        [
            tmp_path / "pkg",
            tmp_path / "pkg" / "a.py",
            tmp_path / "pkg" / ".." / "b.py",
            tmp_path / "pkg" / "script",
        ]
    )
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["b.py", "pkg/a.py", "pkg/script"]
    assert troubles == []


def test_expand_takes_texts_at_hand_for_files(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    assert files.expand([path], present={path}) == ([path], [])


class TestProjectRoot:
    def test_the_working_directory_with_a_marker(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, {".git/HEAD": "", "sub/requirements.txt": "", "sub/pkg/a.py": ""})
        monkeypatch.chdir(tmp_path / "sub")
        assert files.project_root(Path("pkg/a.py")) == tmp_path / "sub"

    def test_the_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, {"repo/.git/HEAD": "", "repo/sub/pkg/a.py": "", "other/setup.py": ""})
        for folder in ("other", "repo/sub"):
            monkeypatch.chdir(tmp_path / folder)
            assert files.project_root(tmp_path / "repo/sub/pkg/a.py") == tmp_path / "repo"

    def test_a_working_directory_without_a_marker_is_no_project(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, {"pkg/a.py": ""})
        monkeypatch.chdir(tmp_path)
        assert files.project_root(tmp_path / "pkg") == tmp_path / "pkg"
        assert files.project_root(tmp_path / "pkg" / "a.py") == tmp_path / "pkg"

    def test_a_package_elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, {"lib/setup.cfg": "", "lib/pkg/a.py": "", "here/x.py": "", "loose/a.py": ""})
        monkeypatch.chdir(tmp_path / "here")
        assert files.project_root(tmp_path / "lib/pkg/a.py") == tmp_path / "lib"
        assert files.project_root(tmp_path / "loose/a.py") == tmp_path / "loose"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfa = 1\r\n", "a = 1\r\n"),
        ("# coding: latin-1\nx = 'é'\n".encode("latin-1"), "# coding: latin-1\nx = 'é'\n"),
        ("#!/bin/python\n# -*- coding: cp1252 -*-\nx = '€'\n".encode("cp1252"), None),
        (b"\xef\xbb\xbf# coding: utf-8\n", "# coding: utf-8\n"),
        (b"# coding: UTF_8\n", "# coding: UTF_8\n"),
        (b"x = 1\n# coding: nonsense\n", "x = 1\n# coding: nonsense\n"),
        (b"x = 1\n\n# coding: nonsense\n", "x = 1\n\n# coding: nonsense\n"),
    ],
)
def test_decoding(data: bytes, text: str | None) -> None:
    decoded = reading.decode(data)
    assert text is None or decoded == text
    assert decoded.encode(reading.encoding_of(data)) == data


def test_warnings_about_the_code_stay_silent(recwarn: pytest.WarningsRecorder) -> None:
    parsing.parse('x = "\\d"\nassert (x, "always")\nx is 1\n')
    assert not recwarn.list


def test_display_paths_are_relative_and_posix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert display_path(tmp_path / "pkg" / "a.py") == "pkg/a.py"
    assert display_path(tmp_path.parent / "a.py") == "../a.py"
    assert display_path(tmp_path / "pkg" / ".." / ".." / "a.py") == "../a.py"
    assert display_path(Path(f"{tmp_path}-other/a.py")) == f"../{tmp_path.name}-other/a.py"
    assert display_path(tmp_path) == "."
