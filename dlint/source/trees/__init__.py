"""From text to a tree: however the parser gives up, and in little memory."""
