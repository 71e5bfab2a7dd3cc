"""What has the memory of a batch: names, parts of it, and other views of either; and what copies it."""
