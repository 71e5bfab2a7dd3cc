"""``dlint completion``: what a shell must be told once to complete dlint's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from dlint.cli import CLEAN


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script that completes commands, options, codes and formats in SHELL.

    \b
    bash: eval "$(dlint completion bash)"           in ~/.bashrc
    zsh:  eval "$(dlint completion zsh)"            in ~/.zshrc
    fish: dlint completion fish > ~/.config/fish/completions/dlint.fish
    """
    script = get_completion_class(shell)
    assert script is not None
    print(script(context.find_root().command, {}, "dlint", "_DLINT_COMPLETE").source())
    return CLEAN
