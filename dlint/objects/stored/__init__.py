"""What is stored in the attributes of objects: by their methods, by names and keywords, by a declaration."""
