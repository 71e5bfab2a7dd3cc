"""What libraries do that processes and threads make dangerous: pools, locks, handles, pickling."""
