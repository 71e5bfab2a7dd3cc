"""``dlint server``: the language server."""

from __future__ import annotations

import click

from dlint.cli import CLEAN, FAILED
from dlint.cli.options import CannotDo


@click.command()
def server() -> int:
    """Serve an editor over standard input and output (the Language Server Protocol).

    Findings appear while you type, with the way to them, quick fixes and the rules' pages. Editors start it
    themselves: docs/editor.md has the settings for VS Code, Neovim and Helix.
    """
    try:
        import pygls  # noqa: F401
    except ImportError as error:
        raise CannotDo('the language server needs pygls: pip install "torch-dlint[lsp]"') from error
    from dlint.server.service import serve

    return CLEAN if serve() else FAILED
