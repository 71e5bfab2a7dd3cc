"""What the main process does with a dataset before workers start, which inherit what that has made."""
