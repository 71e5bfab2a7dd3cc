"""Options of command lines: the default is known, and the user may ask for something else.

``{...}`` in a program is a loader that raises without workers; what it raises as things stand is an error,
and what a user can ask for is none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine import check
from dlint.settings.settings import Settings

_LOADER = "DataLoader([1], num_workers={}, persistent_workers=True)"
_LEFT_TO_FORK = "DataLoader([1], num_workers={}, collate_fn=lambda batch: batch)"
_HEAD = "from dataclasses import dataclass, field\nfrom torch.utils.data import DataLoader\n\n"
_CLICK = "import click\n\n@click.command()\n{}\ndef main(workers, seed=1):\n    LOADER\n\nmain()\n"
_CONFIG = "@dataclass\nclass Config:\n    workers: int = {}\n\n"

# Programs of which DEFAULT is the default, and how the loader gets it.
_KNOWN = {
    "argparse": (
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', default=DEFAULT)\n"
        "args = parser.parse_args()\nLOADER\n",
        "args.workers",
    ),
    "click": (_CLICK.format("@click.option('-w', '--workers', default=DEFAULT, type=int)"), "workers"),
    "click, by a name": (_CLICK.format("@click.option('--n-jobs', 'workers', default=DEFAULT)"), "workers"),
    "click, with others": (
        _CLICK.format(
            "@click.option('--workers', default=DEFAULT)\n@click.argument('seed')\n@click.pass_context"
        ),
        "workers",
    ),
    "click, handed on": (
        "import click\n\n@click.command()\n@click.option('--workers', default=DEFAULT)\ndef main(workers):\n"
        "    make(workers)\n\ndef make(number):\n    LOADER\n\nif __name__ == '__main__':\n    main()\n",
        "number",
    ),
    "typer": (
        "import typer\napp = typer.Typer()\n\n@app.command()\ndef main(workers: int = typer.Option(DEFAULT)):\n"
        "    LOADER\n\napp()\n",
        "workers",
    ),
    "typer, a plain default": (
        "import typer\napp = typer.Typer()\n\n@app.command()\ndef main(workers: int = DEFAULT):\n    LOADER\n",
        "workers",
    ),
    "typer.run": (
        "import typer\n\ndef main(workers: int = DEFAULT):\n    LOADER\n\ntyper.run(main)\n",
        "workers",
    ),
    "fire": ("import fire\n\ndef main(workers=DEFAULT):\n    LOADER\n\nfire.Fire(main)\n", "workers"),
    "tyro": (
        "import tyro\n\n" + _CONFIG.format("DEFAULT") + "args = tyro.cli(Config)\nLOADER\n",
        "args.workers",
    ),
    "tyro, a field": (
        "import tyro\n\n" + _CONFIG.format("field(default=DEFAULT)") + "args = tyro.cli(Config)\nLOADER\n",
        "args.workers",
    ),
    "simple_parsing": (
        "import simple_parsing\n\n"
        + _CONFIG.format("DEFAULT")
        + "args = simple_parsing.parse(config_class=Config)\nLOADER\n",
        "args.workers",
    ),
    "transformers, two": (
        "from transformers import HfArgumentParser\n\n"
        + _CONFIG.format("DEFAULT")
        + "@dataclass\nclass More:\n    seed: int = 1\n\n"
        "parser = HfArgumentParser((More, Config))\n"
        "more, args = parser.parse_args_into_dataclasses()\nLOADER\n",
        "args.workers",
    ),
    "transformers, the first": (
        "import transformers\n\n"
        + _CONFIG.format("DEFAULT")
        + "parser = transformers.HfArgumentParser(Config)\n"
        "args = parser.parse_args_into_dataclasses()[0]\nLOADER\n",
        "args.workers",
    ),
    "draccus": (
        "import draccus\n\n"
        + _CONFIG.format("DEFAULT")
        + "@draccus.wrap()\ndef main(cfg: Config):\n    LOADER\n\nmain()\n",
        "cfg.workers",
    ),
    "pyrallis": (
        "import pyrallis\n\n"
        + _CONFIG.format("DEFAULT")
        + "@pyrallis.wrap()\ndef main(cfg: Config):\n    LOADER\n\nmain()\n",
        "cfg.workers",
    ),
}
# The same with something that may make another default of it.
_OPEN = {
    "click, a callback": (
        _CLICK.format("@click.option('--workers', default=DEFAULT, callback=more)"),
        "workers",
    ),
    "click, one must say": (
        _CLICK.format("@click.option('--workers', required=True, default=DEFAULT)"),
        "workers",
    ),
    "click, another decorator": (
        _CLICK.format("@configured\n@click.option('--workers', default=DEFAULT)"),
        "workers",
    ),
    "click, declared twice": (
        _CLICK.format("@click.option('--workers', default=DEFAULT)\n@click.option('--workers', default=4)"),
        "workers",
    ),
    "click, invoked": (
        _CLICK.format("@click.option('--workers', default=DEFAULT)")
        + "def other(ctx): ctx.invoke(main, workers=2)\n",
        "workers",
    ),
    "click, of another option": (_CLICK.format("@click.option('--threads', default=DEFAULT)"), "workers"),
    "typer, a callback": (
        "import typer\napp = typer.Typer()\n\n@app.command()\n"
        "def main(workers: int = typer.Option(DEFAULT, callback=more)):\n    LOADER\n",
        "workers",
    ),
    "another app": (
        "import mine\napp = mine.App()\n\n@app.command()\ndef main(workers: int = DEFAULT):\n    LOADER\n",
        "workers",
    ),
    "nobody's function": ("import fire\n\ndef main(workers=DEFAULT):\n    LOADER\n", "workers"),
    "called with another number": (
        "import fire\n\ndef main(workers=DEFAULT):\n    LOADER\n\nmain(workers=2)\nfire.Fire(main)\n",
        "workers",
    ),
    "tyro, another default": (
        "import tyro\n\n"
        + _CONFIG.format("DEFAULT")
        + "args = tyro.cli(Config, default=Config(workers=2))\nLOADER\n",
        "args.workers",
    ),
    "tyro, changed afterwards": (
        "import tyro\n\n"
        + _CONFIG.format("DEFAULT")
        + "    def __post_init__(self):\n        self.workers = 2\n\nargs = tyro.cli(Config)\nLOADER\n",
        "args.workers",
    ),
    "transformers, of a list": (
        "from transformers import HfArgumentParser\n\n"
        + _CONFIG.format("DEFAULT")
        + "parser = HfArgumentParser(configs())\n(args,) = parser.parse_args_into_dataclasses()\nLOADER\n",
        "args.workers",
    ),
    "transformers, from a list": (
        "from transformers import HfArgumentParser\n\n"
        + _CONFIG.format("DEFAULT")
        + "parser = HfArgumentParser(Config)\n"
        "(args,) = parser.parse_args_into_dataclasses(['--workers', '2'])\nLOADER\n",
        "args.workers",
    ),
    "a field that is made": (
        "import tyro\n\n"
        + _CONFIG.format("field(default_factory=count)")
        + "args = tyro.cli(Config)\nLOADER\n",
        "args.workers",
    ),
    "a decorator with a file": (
        "import draccus\n\n"
        + _CONFIG.format("DEFAULT")
        + "@draccus.wrap(config_path='a.yml')\ndef main(cfg: Config):\n    LOADER\n\nmain()\n",
        "cfg.workers",
    ),
}


def _levels(
    tmp_path: Path, program: tuple[str, str], loader: str, default: str
) -> list[tuple[str, str | None]]:
    text, workers = program
    text = _HEAD + text.replace("LOADER", loader.format(workers)).replace("DEFAULT", default)
    (tmp_path / "program.py").write_text(text)
    report = check([tmp_path], Settings(select=("DL304", "DL401"), start_method="spawn"))
    assert not report.troubles
    return [(each.level, each.condition) for each in report.findings]


@pytest.mark.parametrize("name", _KNOWN)
def test_a_known_default(tmp_path: Path, name: str) -> None:
    program = _KNOWN[name]
    option = program[1].rpartition(".")[2].replace("number", "workers")
    assert _levels(tmp_path, program, _LOADER, "0") == [("error", None)]
    assert _levels(tmp_path, program, _LOADER, "4") == []
    asked = f"the option {option} is above 0 (its default is 0)"
    assert _levels(tmp_path, program, _LEFT_TO_FORK, "0") == [("warning", asked)]
    assert _levels(tmp_path, program, _LEFT_TO_FORK, "4") == [("error", None)]


@pytest.mark.parametrize("name", _OPEN)
def test_a_default_that_may_be_another(tmp_path: Path, name: str) -> None:
    assert ("error", None) not in _levels(tmp_path, _OPEN[name], _LOADER, "0")
    assert not any(
        "its default" in (condition or "")
        for _, condition in _levels(tmp_path, _OPEN[name], _LEFT_TO_FORK, "0")
    )


def test_an_option_that_changes_nothing_else(tmp_path: Path) -> None:
    """Another way through the program stays another way."""
    text = _KNOWN["fire"][0].replace("    LOADER", "    if seed():\n        workers = 2\n    LOADER")
    assert [level for level, _ in _levels(tmp_path, (text, "workers"), _LOADER, "0")] == ["warning"]


_HYDRA = """import hydra
from torch.utils.data import DataLoader

@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    make(cfg.data)

def make(data):
    DataLoader([1], num_workers=data.workers, persistent_workers=True)

if __name__ == "__main__":
    main()
"""
_ERROR, _OTHERS = [("error", None)], list[tuple[str, str | None]]()


@pytest.mark.parametrize(
    ("files", "levels"),
    [
        ({"conf/train.yaml": "seed: 1\ndata:\n  workers: 0  # slow\n  batch: 4\n"}, _ERROR),
        ({"conf/train.yaml": "data:\n  workers: 4\n"}, _OTHERS),
        (
            {
                "conf/train.yaml": "defaults:\n  - data: small\n  - _self_\n",
                "conf/data/small.yaml": "workers: 0\n",
            },
            _ERROR,
        ),
        (
            {
                "conf/train.yaml": "defaults:\n- data: small\nseed: 1\n",
                "conf/data/small.yaml": "workers: 4\n",
            },
            _OTHERS,
        ),
        ({"conf/train.yaml": "defaults:\n  - override hydra/launcher: x\ndata:\n  workers: 0\n"}, _ERROR),
        # What cannot be told: another file, a reference, two that say something, a package, code that sets it.
        ({}, _OTHERS),
        ({"conf/other.yaml": "data:\n  workers: 0\n"}, _OTHERS),
        ({"conf/train.yaml": "workers: 0\ndata:\n  batch: 4\n"}, _OTHERS),
        ({"conf/train.yaml": "data:\n  workers: ${n}\n"}, _OTHERS),
        ({"conf/train.yaml": "data: &d\n  workers: 0\n"}, _OTHERS),
        ({"conf/train.yaml": "defaults:\n  - base\ndata:\n  workers: 0\n"}, _OTHERS),
        (
            {
                "conf/train.yaml": "defaults:\n  - data: small\ndata:\n  workers: 0\n",
                "conf/data/small.yaml": "workers: 4\n",
            },
            _OTHERS,
        ),
        (
            {
                "conf/train.yaml": "defaults:\n  - model: big\ndata:\n  workers: 0\n",
                "conf/model/big.yaml": "# @package _global_\ndata:\n  workers: 4\n",
            },
            _OTHERS,
        ),
        (
            {
                "conf/train.yaml": "data:\n  workers: 0\n",
                "other.py": "def more(cfg):\n    cfg.data.workers = 4\n",
            },
            _OTHERS,
        ),
        ({"conf/train.yaml": "data:\n  workers: 0\n  workers: 4\n"}, _OTHERS),
        ({"conf/train.yaml": "data:\n  - workers: 0\n"}, _OTHERS),
        ({"conf/train.yaml": "data:\n  - name: x\n    workers: 0\n"}, _OTHERS),
        ({"conf/train.yaml": "parts:\n- a\n- b: 1\n  c: 2\ndata:\n  workers: 0\n"}, _ERROR),
        ({"conf/train.yaml": "text: 'one\ndata:\n  workers: 0\n'\n"}, _OTHERS),
    ],
)
def test_hydra(tmp_path: Path, files: dict[str, str], levels: list[tuple[str, str | None]]) -> None:
    for name, text in {"setup.py": "", "main.py": _HYDRA, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    report = check([tmp_path], Settings(select=("DL304",)))
    assert [(each.level, each.condition) for each in report.findings] == levels
