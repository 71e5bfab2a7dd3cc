"""What evaluation asks of the rooms above it, which do not lead back down by an import."""
