"""What reaches a loader from afar: through dicts of options that others change, and by default."""
