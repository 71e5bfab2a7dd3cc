"""The language server, spoken to by a client over a real process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from editor import Editor, edited
from lsprotocol import types

import dlint

# Names that Python, dlint, pygls or libcst import somewhere on their way.
TRAPS = (
    "json",
    "asyncio",
    "signal",
    "struct",
    "random",
    "queue",
    "threading",
    "pygls",
    "lsprotocol",
    "libcst",
    "click",
    "tokenize",
    "difflib",
    "gc",
    "attrs",
    "cattrs",
    "logging",
    "sitecustomize",
    "torch",
    "socket",
)
HAZARD = """\
from torch.utils.data import DataLoader, RandomSampler


def make(dataset):
    return DataLoader(dataset, sampler=RandomSampler(dataset), shuffle=True)
"""
REPAIRED = HAZARD.replace(", shuffle=True", "")
PHOTOS = """\
from multiprocessing.pool import ThreadPool

from torch.utils.data import Dataset


class Photos(Dataset):
    def __init__(self):
        self.pool = ThreadPool(2)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.pool.apply(abs, (index,))
"""
TRAIN = """\
from photos import Photos
from torch.utils.data import DataLoader

if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=2)
"""


def run(session: Coroutine[Any, Any, None]) -> None:
    asyncio.run(session)


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_findings_are_those_of_dlint_check(tmp_path: Path) -> None:
    async def session() -> None:
        async with Editor(write(tmp_path, a=HAZARD)) as editor:
            [told] = await editor.shows("a.py", "DL301")
        assert told.range == types.Range(types.Position(4, 11), types.Position(4, 76))
        assert told.severity == types.DiagnosticSeverity.Error
        assert told.source == "dlint"
        assert told.message.startswith("sampler and shuffle=True are both given")
        assert told.code_description is not None
        assert told.code_description.href.endswith("/rules/DL301-sampler-with-shuffle/")
        assert editor.code == 0

    run(session())


def test_what_is_typed_counts_in_other_files_too(tmp_path: Path) -> None:
    write(tmp_path, photos=PHOTOS, train=TRAIN)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            [told] = await editor.shows("photos.py", "DL102")
            assert told.related_information is not None
            assert [each.location.uri for each in told.related_information] == [editor.uri("photos.py")] * 2
            editor.open("train.py", TRAIN)
            editor.change("train.py", TRAIN.replace("num_workers=2", "num_workers=0"))
            await editor.shows("photos.py")
            editor.change("train.py", TRAIN)
            await editor.shows("photos.py", "DL102")
            editor.change("train.py", TRAIN.replace("num_workers=2", "num_workers=0"))
            await editor.shows("photos.py")
            editor.close("train.py")  # the file on the disk still has workers
            await editor.shows("photos.py", "DL102")

    run(session())


def test_the_files_on_the_disk_count_when_they_are_saved(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            await editor.shows("a.py", "DL301")
            write(tmp_path, a=REPAIRED, b=HAZARD)
            editor.save("a.py")
            await editor.shows("b.py", "DL301")
            assert editor.told[tmp_path.resolve() / "a.py"] == []
            (tmp_path / "pyproject.toml").write_text('[tool.dlint]\nignore = ["DL301"]\n')
            editor.save("a.py")
            await editor.shows("b.py")

    run(session())


def test_a_repair(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD, b=HAZARD)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            await editor.shows("a.py", "DL301")
            longer = "# é𝄞\n" + HAZARD
            editor.open("a.py", longer)
            await editor.until("a.py", lambda told: [each.range.start.line for each in told] == [5])
            actions = await editor.actions("a.py", 6)
            assert list(actions) == [
                "Remove shuffle (DL301)",
                "Silence it: # noqa: DL301",
                "dlint: make all safe repairs of this file",
            ]
            assert actions["Remove shuffle (DL301)"].is_preferred
            for title in ("Remove shuffle (DL301)", "dlint: make all safe repairs of this file"):
                changes = await editor.done(actions[title])
                assert {name: edited(longer, each) for name, each in changes.items()} == {
                    "a.py": "# é𝄞\n" + REPAIRED
                }
            silenced = await editor.done(actions["Silence it: # noqa: DL301"])
            assert edited(longer, silenced["a.py"]) == longer.replace("True)", "True)  # noqa: DL301")
            assert await editor.actions("a.py", 1) == {}

    run(session())


def test_an_unsafe_repair_says_so(tmp_path: Path) -> None:
    write(tmp_path, photos=PHOTOS, train=TRAIN)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            [told] = await editor.shows("photos.py", "DL102")
            editor.open("photos.py", PHOTOS)
            actions = await editor.actions("photos.py", told.range.start.line + 1)
            [title] = [each for each in actions if "unsafe" in each]
            assert not actions[title].is_preferred
            changes = await editor.done(actions[title])
            assert "os.getpid()" in edited(PHOTOS, changes["photos.py"])

    run(session())


def test_hover_shows_the_rule(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            await editor.shows("a.py", "DL301")
            editor.open("a.py", HAZARD)
            shown = await editor.hover("a.py", 5, 20)
            assert shown is not None
            assert "## Why is this bad" in shown
            assert await editor.hover("a.py", 1, 0) is None

    run(session())


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        (types.PositionEncodingKind.Utf8, 17),
        (types.PositionEncodingKind.Utf16, 15),
        (types.PositionEncodingKind.Utf32, 14),
    ],
)
def test_columns_are_in_what_was_agreed_on(
    tmp_path: Path, encoding: types.PositionEncodingKind, column: int
) -> None:
    write(tmp_path, a=HAZARD.replace("    return", '    "𝄞"; return'))

    async def session() -> None:
        async with Editor(tmp_path, [encoding]) as editor:
            [told] = await editor.shows("a.py", "DL301")
            assert editor.capabilities.position_encoding == encoding
            assert told.range.start == types.Position(4, column + len("return ") - 5)

    run(session())


def test_a_text_that_does_not_parse(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD, b=HAZARD)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            await editor.shows("a.py", "DL301")
            editor.open("a.py", HAZARD)
            editor.change("a.py", HAZARD + "def (\n")
            [told] = await editor.until("a.py", lambda told: told and told[0].code is None)
            assert (told.message, told.range.start.line) == ("syntax error: invalid syntax", 5)
            assert [each.code for each in editor.told[tmp_path.resolve() / "b.py"]] == ["DL301"]
            editor.change("a.py", HAZARD)
            await editor.shows("a.py", "DL301")

    run(session())


def test_wrong_settings_are_told_once(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD)
    (tmp_path / "pyproject.toml").write_text('[tool.dlint]\nselekt = ["DL1"]\n')

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            await editor.hears("selekt")
            editor.open("a.py", HAZARD)
            (tmp_path / "pyproject.toml").write_text("")
            editor.save("a.py")
            await editor.shows("a.py", "DL301")
            assert len(editor.messages) == 1

    run(session())


def test_texts_without_a_file_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD)

    async def session() -> None:
        async with Editor(tmp_path) as editor:
            item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, HAZARD)
            editor._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
            await editor.shows("a.py", "DL301")
            assert list(editor.told) == [tmp_path.resolve() / "a.py"]

    run(session())


def test_a_file_outside_of_the_folder_is_a_program_of_its_own(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    write(inside, a=REPAIRED)
    write(outside, c=HAZARD, d=HAZARD)

    async def session() -> None:
        async with Editor(inside) as editor:
            editor.open("../out/c.py", HAZARD)
            await editor.shows("../out/c.py", "DL301")
            assert not any(path.name == "d.py" for path in editor.told)
            editor.close("../out/c.py")
            await editor.shows("../out/c.py")

    run(session())


def test_nothing_is_left_when_the_editor_is_gone(tmp_path: Path) -> None:
    write(tmp_path, a=HAZARD)

    async def session() -> None:
        editor = Editor(tmp_path)
        await editor.__aenter__()
        await editor.shows("a.py", "DL301")
        children = await _children(editor.server.pid)
        assert children
        assert editor.server.stdin is not None
        editor.server.stdin.close()
        await asyncio.wait_for(editor.server.wait(), 60)
        for _ in range(600):
            if not any(Path(f"/proc/{pid}").exists() for pid in children):
                return
            await asyncio.sleep(0.1)
        raise AssertionError("a process is left")

    run(session())


async def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    if not path.exists():
        pytest.skip("needs /proc")
    return [int(each) for each in path.read_text().split()]


def test_no_code_of_the_tree_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, trapped = tmp_path / "tree", tmp_path / "trapped"
    tree.mkdir()
    write(tree, a=HAZARD, **dict.fromkeys(TRAPS, f"open({str(trapped)!r}, 'a').write(__file__)\n"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    installed = Path(dlint.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", str(installed))

    async def session() -> None:
        async with Editor(tree) as editor:
            await editor.shows("a.py", "DL301")
            editor.open("a.py", HAZARD)
            actions = await editor.actions("a.py", 5)
            assert await editor.done(actions["Remove shuffle (DL301)"])

    run(session())
    assert not trapped.exists()


def test_without_pygls_it_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['pygls'] = None; from dlint.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, "server"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr == 'dlint: the language server needs pygls: pip install "torch-dlint[lsp]"\n'
