"""What one function does in worker code: a walk through its statements, the calls it meets, the summary."""
