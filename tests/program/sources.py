"""Small programs given as texts: what dlint finds in them, and what their expressions stand for."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from dlint import engine
from dlint.program.program import Program
from dlint.project.files import python_files
from dlint.project.index.index import Index
from dlint.settings.settings import Settings
from dlint.values.values import Class, Const, External, Function, Instance, Items, Made, Partial, Table, Value
from dlint.values.worlds import World

_EXPECT = re.compile(r"# expect: (DL\d{3}(?:, DL\d{3})*)")

_CASES = Path(__file__).parent / "cases"


def cases(name: str) -> dict[str, str]:
    """The cases of a file in ``cases``: each begins with ``##`` and its title, which may be its own text."""
    blocks = re.split(r"^##", (_CASES / f"{name}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {}
    for block in blocks:
        title, _, text = block.partition("\n")
        title = title.strip() or " ; ".join(line.strip() for line in text.split("#=")[0].strip().splitlines())
        assert title not in found, f"{name}: two cases are called {title}"
        found[title] = text.rstrip("\n") + "\n"
    return found


def files_of(case: str) -> dict[str, str]:
    """The files of a case: each begins with ``---`` and its name; main.py where there is none."""
    first, *others = re.split(r"^---", case, flags=re.MULTILINE)
    if not others:
        return {"main.py": first}
    return {name.strip(): text for name, _, text in (each.partition("\n") for each in others)}


def answer_of(case: str) -> tuple[str, list[str]]:
    """A case and the answer that its last line gives: ``#= one | two``."""
    text, _, answer = case.rpartition("#=")
    return text, [each.strip() for each in answer.split(" | ")]


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """The files below a folder that looks like a project."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def check(folder: Path, files: Mapping[str, str], *codes: str, **choices: object) -> engine.Report:
    """The findings of some rules in a program."""
    write(folder, files)
    settings = Settings(select=codes, **choices)  # type: ignore[arg-type]
    report = engine.check([folder], settings)
    assert not report.troubles
    return report


def agree(folder: Path, files: Mapping[str, str], *codes: str, **choices: object) -> engine.Report:
    """Asserts that some rules find what the files expect (``# expect: DL101``), there and only there."""
    report = check(folder, files, *codes, **choices)
    found = {
        (Path(finding.path).resolve().relative_to(folder.resolve()).as_posix(), finding.line, finding.code)
        for finding in report.findings
    }
    expected = {
        (name, number, code)
        for name, text in files.items()
        for number, line in enumerate(dedent(text).splitlines(), 1)
        for match in _EXPECT.finditer(line)
        for code in match[1].split(", ")
    }
    assert found == expected
    return report


def program(folder: Path, files: Mapping[str, str]) -> Program:
    return Program(Index(write(folder, files), python_files(folder), {}))


def probed(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What the arguments of ``probe(...)`` may be together: each way, with one text an argument."""
    whole = program(folder, files)
    for relative in whole.modules.index.mentioning("probe("):
        module = whole.modules.get(relative)
        assert module is not None
        for trail in module.paths_to("probe"):
            call = trail[-2]
            if isinstance(call, ast.Call) and call.func is trail[-1]:
                evaluator = whole.evaluator
                evaluator.start()
                point = evaluator.sites.point_of(module, trail)
                ways = [((), world) for world in evaluator.flow.reaching(point, World())]
                for argument in call.args:
                    ways = [
                        ((*texts, shown(value)), v)
                        for texts, w in ways
                        for value, v in evaluator.values(argument, point, w)
                    ]
                return sorted({", ".join(texts) for texts, _ in ways})
    raise AssertionError("no call of probe")


def shown(value: Value) -> str:
    """A value as a short text; all unknown things look alike."""
    match value:
        case Const():
            return repr(value.value)
        case External():
            return value.name
        case Made():
            return f"{value.name}()"
        case Instance():
            return f"{value.cls.name}()"
        case Class():
            return value.name
        case Function():
            return getattr(value.node, "name", "lambda")
        case Partial():
            return f"partial {shown(value.callee)}"
        case Items():
            more = ["..."] if value.open else []
            return f"{value.kind}[{', '.join([*map(shown, value.items), *more])}]"
        case Table():
            more = ["..."] if value.open else []
            return f"dict({', '.join([*(f'{k}={shown(v)}' for k, v in value.items.items()), *more])})"
    return "?"
