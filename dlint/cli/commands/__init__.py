"""The subcommands, one file each, imported only when called."""
