"""Draws the pictures of the README from real runs of dlint over docs/example.

    python docs/pictures/draw.py [NAME]...

A run is one in a terminal of 100 columns. Only `prove` depends on the machine: it runs training programs.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

HERE = Path(__file__).parent
_EXAMPLE = HERE.parent / "example"
_COLUMNS = 100
COMMANDS = {
    "check": ("dlint", "check"),
    "fix": ("dlint", "fix", "--unsafe-fixes", "--diff", "--select", "DL102"),
    "prove": ("dlint", "prove", "DL101", "--start-method", "fork"),
}

# rich's own asks a server for its font.
_FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn(name: str) -> str:
    """The picture of one run, as SVG."""
    command = COMMANDS[name]
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text.from_ansi(f"$ {' '.join(command)}\n{_run(command[1:])}".rstrip() + "\n"))
    svg = console.export_svg(
        title="dlint", theme=SVG_EXPORT_THEME, code_format=_FORMAT, unique_id=f"dlint-{name}"
    )
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines() if line.strip())


def _run(arguments: tuple[str, ...]) -> str:
    """What dlint says in a terminal, in a copy of the example that is a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(_EXAMPLE, Path(folder) / "shop")
        above, below = pty.openpty()
        fcntl.ioctl(below, termios.TIOCSWINSZ, struct.pack("HHHH", 50, _COLUMNS, 0, 0))
        environment = {**os.environ, "DLINT_NO_CACHE": "1", "PYTHONSAFEPATH": "1", "TERM": "xterm-256color"}
        for name in ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR"):
            environment.pop(name, None)
        # A bar of progress goes to standard error: there it is no part of the picture.
        with subprocess.Popen(
            [sys.executable, "-m", "dlint", *arguments],
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=below,
            stderr=subprocess.PIPE,
            env=environment,
        ) as process:
            os.close(below)
            shown = _all_of(above)
            complaints = process.stderr.read() if process.stderr else b""
        os.close(above)
    return (shown + complaints).decode().replace("\r\n", "\n")


def _all_of(terminal: int) -> bytes:
    """What is written to a terminal until nobody holds it any more."""
    said = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            return said
        if not more:
            return said
        said += more


def main() -> None:
    """Draw the pictures that are named, or all."""
    for name in sys.argv[1:] or COMMANDS:
        (HERE / f"{name}.svg").write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()
