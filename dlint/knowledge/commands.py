"""Libraries that read a command line: what is made of it, and what calls a function with it."""

from __future__ import annotations

PARSER = "argparse.ArgumentParser"
PARSED = f"{PARSER}().parse_args"
# Gives the same, and beside it what it did not know.
PARSED_AS_FAR_AS_KNOWN = f"{PARSER}().parse_known_args"

# How absl's flags are read, and what declares one that is a number.
FLAGS = "absl.flags.FLAGS"
FLAG = f"{FLAGS}."
DECLARES_NUMBER = "DEFINE_integer"
DECLARED_NUMBER = f"absl.flags.{DECLARES_NUMBER}"

# Gives a tuple: an object of each dataclass that the parser was made with.
PARSED_INTO = "transformers.HfArgumentParser().parse_args_into_dataclasses"
# What it may be told without giving more than that, nor being told the options themselves, as by ``args``.
READS_FROM = frozenset({"look_for_args_file", "args_filename", "args_file_flag"})

# Calls the function that it is given.
JSONARGPARSE = "jsonargparse.CLI"
# What its parsers read, the objects that they make of that, and what declares the class of one.
PARSED_BY_CLASS = "jsonargparse.ArgumentParser().parse_args"
MADE_BY_CLASS = frozenset({PARSED_BY_CLASS, "jsonargparse.ArgumentParser().instantiate_classes"})
DECLARES_CLASS = ("add_class_arguments", "add_dataclass_arguments")

# A decorator that calls a function with what stands in a YAML file.
HYDRA = "hydra.main"
# Or with an object of the dataclass that is stored under the name which it asks for, and how that is stored.
HYDRA_RECORD = "hydra.main().node"
CONFIG_STORE = "hydra.core.config_store.ConfigStore"

# Puts the words of the command over settings. What comes of that for a record's is called otherwise: settings
# may be merged with anything.
MERGED = "omegaconf.OmegaConf.merge"
ASKED_FOR = "omegaconf.OmegaConf.from_cli"
FILLED = f"{MERGED}.{ASKED_FOR}"

# Calls that fill an object of the dataclass that they are given, first or under one of these names.
FILLS_FIELDS: dict[str, tuple[str, ...]] = {
    "tyro.cli": ("f",),
    "simple_parsing.parse": ("config_class",),
    "draccus.parse": ("config_class",),
    "pyrallis.parse": ("config_class",),
    JSONARGPARSE: (),
    PARSED_INTO: (),
    FILLED: (),
    HYDRA_RECORD: (),
}
# Their keywords that change no default.
ONLY_TELL = frozenset({"prog", "description"})
# Decorators that call a function with an object of the dataclass which its first parameter is annotated with,
# and the calls above that do the same.
WRAPS = {"draccus.wrap": "draccus.parse", "pyrallis.wrap": "pyrallis.parse"}

# What classes of settings are derived from whose fields are variables of the system, where there are such.
FROM_ENVIRONMENT = "pydantic_settings.BaseSettings"
READS_ENVIRONMENT = frozenset(
    {FROM_ENVIRONMENT, "pydantic.BaseSettings", "pydantic.env_settings.BaseSettings"}
)
# What declares a field of such a class: its default comes first.
DECLARES_FIELD = frozenset({"pydantic.Field", "pydantic.fields.Field"})

# Who writes one of these decorators names its library.
FILLING = ("click", "hydra", *(name.partition(".")[0] for name in WRAPS))

# A decorator that declares one parameter of a function, and the library whose decorators leave others alone.
CLICK_OPTION = "click.option"
CLICK = "click."
# What it passes to the ``**kwargs`` of a function: all options that have no parameter of their own.
CLICK_REST = "click.option().kwargs"
# Keywords of click.option that change what the function gets where the user asks for nothing.
CLICK_CHANGES = frozenset(
    {"callback", "flag_value", "multiple", "nargs", "count", "cls", "expose_value", "required"}
)

# What gives the options of a parser of jsonargparse's, of which Lightning's is one, other defaults.
CHANGES_PARSER = ("set_defaults", "link_arguments", "default_config_files")

TYPER_APP = "typer.Typer"

# Objects that functions are registered with: calling one calls that function which the user names. Those of
# click are most often functions that are decorated: ``@click.group()``, or ``@cli.group()`` of another one.
APPS = frozenset({TYPER_APP, "cyclopts.App", "click.Group"})
MAKES_GROUP = "click.group"
# The packages of these: a script that has one mentions it.
APP_WORDS = ("click", "cyclopts", "typer")
# The methods of an app that register a function, as its decorator or given it, or another app.
REGISTERS = ("command", "default", "callback", "group", "add_command", "add_typer")

# What stands as the default of a parameter in typer's place; the first argument is the true one.
TYPER_DEFAULTS = frozenset({"typer.Option", "typer.Argument"})
# Calls that call the function they are given with what the command line says, by their last name.
CALLS_WITH_OPTIONS = {
    "Fire": "fire.Fire",
    "run": "typer.run",
    "CLI": JSONARGPARSE,
    "auto_cli": JSONARGPARSE,
    "cli": "tyro.cli",
}
# Keywords of those which fill dataclasses that change no default.
ONLY_TELL_COMMANDS = ONLY_TELL | {"as_positional"}
