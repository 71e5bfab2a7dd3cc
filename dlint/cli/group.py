"""The command group: which subcommands there are, and from which module each comes."""

from __future__ import annotations

import os
from importlib import import_module

import click

import dlint as package

_COMMANDS = (
    *("check", "fix", "baseline", "rule", "rules", "prove", "try", "doctor", "workers", "survey", "server"),
    *("init", "completion"),
)
# Where the module has another name than the command: one is a word of Python's, one has commands of its own.
_MODULES = {"try": "trying", "survey": "survey.survey"}
_NEED_A_FOLDER = ("check", "fix", "baseline", "prove", "try", "workers", "survey", "init")


class _LazyGroup(click.Group):
    """Imports a subcommand's module when the subcommand is asked for: `check` must start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        command = getattr(import_module(f"dlint.cli.commands.{name}"), name.rpartition(".")[2])
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else f" There are: {', '.join(_COMMANDS)}."
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package.__version__, prog_name="dlint", message="%(prog)s %(version)s (torch-dlint)")
@click.pass_context
def dlint(context: click.Context) -> None:
    """Find the PyTorch data-loading mistakes that hang training, crash it or silently spoil it."""
    if context.invoked_subcommand in _NEED_A_FOLDER:
        try:
            os.getcwd()  # noqa: PTH109
        except OSError as error:
            from dlint.cli.options import CannotDo

            raise CannotDo(f"cannot tell the working directory: {error.strerror}; was it deleted?") from error
