"""Which findings are new: those that no baseline lists, those on lines that have changed since a commit."""
