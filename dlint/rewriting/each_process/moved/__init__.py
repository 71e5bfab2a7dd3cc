"""What an expression needs that moves out of its function: arguments, names, settings that others hold."""
