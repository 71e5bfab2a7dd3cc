"""What the main process runs, and what it surely comes to."""
