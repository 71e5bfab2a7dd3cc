"""What the user and the project chose: the keys of ``[tool.dlint]``, and the settings that these make."""
