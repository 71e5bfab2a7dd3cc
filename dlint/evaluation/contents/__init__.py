"""What is in containers: under a key and in order, what statements leave of it, and what unpacking takes."""
