"""How a lambda or local function can move to its module, where a spawned worker finds it by name."""
